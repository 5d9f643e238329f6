// Package form reads the forms on which branches order.
package form

import "errors"

// Errors of forms.
var (
	ErrShort = errors.New("the form ends too early")
	ErrSum   = errors.New("the sum is another one")
	ErrDeep  = errors.New("the form is nested too deeply")
	ErrKind  = errors.New("there is no such part")
)

// Deepest is how deep parts may be in others.
const Deepest = 8

// Line is one line of an order.
type Line struct {
	Text  string
	Times int // 0 = once
}

// Form is what was ordered.
type Form struct {
	Lines []Line
	Depth int // of the part that was deepest
}

// Read reads a form.
func Read(sent []byte) (*Form, error) {
	if len(sent) == 0 {
		return nil, ErrShort
	}
	body, sum := sent[:len(sent)-1], sent[len(sent)-1]
	for _, b := range body {
		sum -= b
	}
	if sum != 0 {
		return nil, ErrSum
	}
	f := &Form{}
	return f, f.parts(body, 0)
}
