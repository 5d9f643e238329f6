// Package rec reads the records of the meters.
package rec

import "errors"

// ErrShort says that a record ends too early.
var ErrShort = errors.New("the record is too short")

// Reading is what a meter says.
type Reading struct {
	Meter byte
	Text  string
}

// Parse reads one record: a byte with the number of the meter, a byte with the
// length of the text, and the text.
func Parse(record []byte) (Reading, error) {
	if len(record) < 2 {
		return Reading{}, ErrShort
	}
	size := int(record[1])
	if len(record) < 2+size {
		return Reading{}, ErrShort
	}
	text := make([]byte, 0, size)
	for i := range size {
		text = append(text, record[2+i])
	}
	return Reading{Meter: record[0], Text: string(text)}, nil
}
