package evidence

import (
	"errors"
	"fmt"
	"slices"
)

// ErrTampered is wrapped by every error that says a log is not what was written.
var ErrTampered = errors.New("the log was changed after it was written")

// Verifier checks records one by one, in order. The zero Verifier is ready for
// the first record of a log.
//
// It finds any change, removal, insertion or reordering before the last record
// it is given. It can't know of records cut off at the end: compare the head
// with one noted elsewhere (licet log verify --head).
type Verifier struct {
	head Link
	seen bool
}

// Head returns the link after the last verified record.
func (v *Verifier) Head() Link {
	if !v.seen {
		return Start()
	}
	return v.head
}

// Next verifies the record that follows. An error wraps ErrTampered and names
// the first thing that does not fit.
func (v *Verifier) Next(r Record) error {
	head := v.Head()
	tampered := func(format string, args ...any) error {
		return fmt.Errorf("record %d: %s: %w", head.Next, fmt.Sprintf(format, args...), ErrTampered)
	}
	switch {
	case r.Index != head.Next:
		return tampered("found index %d in its place", r.Index)
	case r.Prev != head.Hash:
		return tampered("its link is %s, the record before has %s", r.Prev, head.Hash)
	case !slices.Contains(Kinds(), r.Kind):
		return tampered("unknown kind %q", r.Kind)
	case digest(r.Body) != r.BodyDigest:
		return tampered("its body has digest %s, not %s", digest(r.Body), r.BodyDigest)
	case r.computeHash() != r.Hash:
		return tampered("its header has hash %s, not %s", r.computeHash(), r.Hash)
	case r.Time.Before(head.Time):
		return tampered("its time %s is before that of the record before", r.Time)
	}
	v.head, v.seen = After(r), true
	return nil
}
