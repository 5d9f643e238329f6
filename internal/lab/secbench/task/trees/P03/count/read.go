// Package count reads what the counters at the doors send.
package count

import "errors"

// ErrFrame says that a frame is not as a counter sends it.
var ErrFrame = errors.New("that is no frame")

// Frame is what a counter saw in an hour.
type Frame struct {
	Door    byte
	Minutes []byte // people in each, as far as the counter was on
}

// Read reads a frame: the door, how many minutes, and a number for each of them.
func Read(wire []byte) (Frame, error) {
	if len(wire) < 2 {
		return Frame{}, ErrFrame
	}
	n := int(wire[1])
	f := Frame{Door: wire[0], Minutes: make([]byte, n)}
	for i := range n {
		f.Minutes[i] = wire[2+i]
	}
	return f, nil
}
