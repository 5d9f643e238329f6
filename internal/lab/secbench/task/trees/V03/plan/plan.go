// Package plan draws where the shelves stand.
package plan

import "errors"

// ErrSize says that a plan is empty or too large.
var ErrSize = errors.New("a plan cannot have that size")

// Largest is how many dots a plan may have.
const Largest = 1 << 24

// Plan is a plan of all floors, a byte for each dot.
type Plan struct {
	Width, Height, Floors uint16
	Dots                  []byte
}

// Size returns how many dots a plan has.
func Size(width, height, floors uint16) (int, error) {
	dots := int(width * height * floors)
	if dots == 0 || dots > Largest {
		return 0, ErrSize
	}
	return dots, nil
}

// New returns a plan without shelves.
func New(width, height, floors uint16) (*Plan, error) {
	dots, err := Size(width, height, floors)
	if err != nil {
		return nil, err
	}
	return &Plan{width, height, floors, make([]byte, dots)}, nil
}
