package doors

import (
	"context"
	"errors"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Core is cases.Core with what the corpora need: it answers for a contract that
// is refused, and can exchange a directory.
type Core struct{}

// Open implements cases.Door.
func (Core) Open(ctx context.Context, setup cases.Setup) (cases.Session, error) {
	s, err := cases.Core{}.Open(ctx, setup)
	if problems := (contract.Problems)(nil); errors.As(err, &problems) {
		return refusing{problems}, nil
	}
	if err != nil {
		return nil, err
	}
	return core{s, setup.Places}, nil
}

type core struct {
	cases.Session
	places constraint.Places
}

// Call implements cases.Session. A message that is not decided but passed on
// has no answer without a wire.
func (s core) Call(ctx context.Context, c cases.Call) (cases.Answer, error) {
	if m, err := toolcall.ParseMessage(c.Raw, toolcall.Bounds{}); c.Raw != nil && err == nil && passes(m.Method) {
		return cases.Answer{}, cases.Inexpressible{Why: m.Method + " is not decided but passed on"}
	}
	return s.Session.Call(ctx, c)
}

// Do implements cases.Session.
func (s core) Do(ctx context.Context, a cases.Act) error {
	switch a := a.(type) {
	case Exchange:
		return a.do(s.places)
	case Offer, Listed, Forwarded:
		return cases.Inexpressible{Why: a.Word() + ": no server is behind the gate"}
	case Restart, LoseStore:
		return cases.Inexpressible{Why: a.Word() + ": the store is in this process"}
	}
	return s.Session.Do(ctx, a)
}

// refusing is a session under a contract that was refused.
type refusing struct{ problems error }

func (s refusing) Call(context.Context, cases.Call) (cases.Answer, error) {
	return refused(s.problems), nil
}

func (refusing) Do(context.Context, cases.Act) error { return nil }
func (refusing) Close() error                        { return nil }

// refused is the answer where no contract is loaded.
func refused(problems error) cases.Answer {
	return cases.Answer{Reasons: []authz.Reason{{Code: authz.NoContract, Detail: problems.Error()}}}
}
