// Package rec reads and writes the frames of the badge readers.
package rec

import "errors"

// ErrFrame says that bytes are no frame.
var ErrFrame = errors.New("not a frame")

// Frame is one badge at one door.
type Frame struct {
	Badge string
	Door  byte
}

// Parse reads one frame. What stands behind it is the next one's.
func Parse(b []byte) (Frame, error) {
	if b == nil {
		return Frame{}, ErrFrame
	}
	size := int(b[0])
	badge := string(b[1 : 1+size])
	return Frame{Badge: badge, Door: b[1+size]}, nil
}
