package ledger

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/toolcall"
)

// View is what a store has to look up, inside the transaction, for Resolve.
type View struct {
	Used     func(authz.TakeKey) (toolcall.Decimal, error)
	Ticket   func(id string) (approval.Ticket, error)                // ErrNotFound if none
	Latest   func(approval.Subject) (approval.Ticket, error)         // ErrNotFound if none
	OpenOf   func(agent string, now time.Time) (open int, err error) // open tickets of one agent
	Approver func(name string) (approval.Approver, error)            // ErrNotFound if none
}

// Resolve decides what an Entry may do, with the rules that are the same for
// every store. A nil Conflict means: write all of it; the returned ticket is
// the one that stands for e.Open, and is new unless it was there before.
func Resolve(e Entry, v View, now time.Time) (*Conflict, *approval.Ticket, error) {
	if c, err := resolveTakes(e.Takes, v); c != nil || err != nil {
		return c, nil, err
	}
	if e.Use != nil {
		t, err := v.Ticket(e.Use.Ticket)
		if err != nil {
			return nil, nil, err
		}
		if code := t.Misfit(e.Use.Subject, e.Use.Terms, now); code != "" {
			return &Conflict{Code: code, Detail: "ticket " + t.ID + " was taken or closed meanwhile"}, nil, nil
		}
	}
	if e.Answer != nil {
		if c, err := resolveAnswer(*e.Answer, v, now); c != nil || err != nil {
			return c, nil, err
		}
	}
	if e.Open == nil {
		return nil, nil, nil
	}
	return resolveOpen(*e.Open, v, now)
}

func resolveTakes(takes []authz.Take, v View) (*Conflict, error) {
	for _, t := range takes {
		used, err := v.Used(t.Key())
		if err != nil {
			return nil, err
		}
		fits, err := decide.Fits(t, used)
		if err != nil {
			return nil, err
		}
		if !fits {
			return &Conflict{Code: authz.LimitReached, Clause: t.Clause, Detail: decide.Reached(t, used)}, nil
		}
	}
	return nil, nil
}

func resolveAnswer(a approval.Answer, v View, now time.Time) (*Conflict, error) {
	t, err := v.Ticket(a.Ticket)
	if err != nil {
		return nil, err
	}
	if _, err := v.Approver(a.Approver); err != nil {
		return nil, fmt.Errorf("approver %s: %w", a.Approver, err)
	}
	if !t.MayAnswer(a.Approver) {
		return &Conflict{Code: authz.ApprovalMismatch, Detail: a.Approver + " is not an approver of this ticket"}, nil
	}
	if s := t.State(now); s != approval.Open {
		return &Conflict{Code: answerCode(s), Detail: "the ticket is " + s.String()}, nil
	}
	return nil, nil
}

func answerCode(s approval.State) authz.Code {
	switch s {
	case approval.Used:
		return authz.ApprovalUsed
	case approval.Denied:
		return authz.ApprovalDenied
	case approval.Granted:
		return authz.Approved
	default:
		return authz.ApprovalExpired
	}
}

func resolveOpen(open approval.Ticket, v View, now time.Time) (*Conflict, *approval.Ticket, error) {
	switch latest, err := v.Latest(open.Subject); {
	case err == nil && latest.Terms == open.Terms && latest.State(now) == approval.Open:
		return nil, &latest, nil
	case err != nil && !IsNotFound(err):
		return nil, nil, err
	}
	n, err := v.OpenOf(open.Subject.Agent, now)
	if err != nil {
		return nil, nil, err
	}
	if n >= approval.MaxOpen {
		return &Conflict{Code: authz.TooManyTickets, Detail: fmt.Sprintf("%d tickets of agent %s are open", n, open.Subject.Agent)}, nil, nil
	}
	return nil, &open, nil
}
