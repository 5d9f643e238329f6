package cases

import (
	"context"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/explain"
)

// Door is a way to a gate, on which cases are played.
type Door interface {
	// Open starts a gate with nothing recorded before it, for one case.
	Open(context.Context, Setup) (Session, error)
}

// Setup is the world of one case. The places are directories of its own.
type Setup struct {
	Contract Source
	Places   constraint.Places
	Path     string // PATH of the gate and of the commands; "" = of no meaning to the case
}

// Session plays the steps of one case, one after the other. An error other
// than [Inexpressible] says that the door, not the gate, is at fault.
type Session interface {
	// Call makes a call as its agent would and returns the gate's answer. If it
	// is let through, the tool returns c.Result.
	Call(ctx context.Context, c Call) (Answer, error)
	// Do lets happen what is no Call.
	Do(ctx context.Context, a Act) error
	Close() error
}

// Explainer is a Session that says what leads to the answer to a call. Nothing is
// decided or recorded by that. It is an error if the call's Raw is none.
type Explainer interface {
	Explain(ctx context.Context, c Call) (explain.Explanation, error)
}

// Inexpressible is the error of a door that cannot do a step, and why.
type Inexpressible struct{ Why string }

func (e Inexpressible) Error() string { return e.Why }
