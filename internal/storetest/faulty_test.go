package storetest_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/storetest"
)

var errLost = errors.New("lost")

// calls calls every method of a store and returns its error, by point.
func calls(ctx context.Context, s ledger.Store) map[string]error {
	_, commit := s.Commit(ctx, storetest.Entry("a"))
	_, now := s.Now(ctx)
	_, used := s.Used(ctx, nil)
	_, ticket := s.Ticket(ctx, "t")
	_, latest := s.Latest(ctx, approval.Subject{})
	_, tickets := s.Tickets(ctx, 1)
	_, sealed := s.Copy(ctx, "t")
	_, approver := s.Approver(ctx, "ann")
	_, approvers := s.Approvers(ctx)
	_, observations := s.Observations(ctx, "s", nil)
	_, marks := s.Marks(ctx, "s")
	_, breaker := s.Breaker(ctx, "a", "s")
	_, credential := s.Credential(ctx, "sha256:1")
	_, credentials := s.Credentials(ctx)
	_, head := s.Head(ctx)
	_, record := s.Record(ctx, "a")
	_, contract := s.Contract(ctx, "sha256:1")
	return map[string]error{
		"Commit.decision": commit, "Now": now, "Used": used, "Ticket": ticket, "Latest": latest, "Tickets": tickets,
		"Copy": sealed, "Approver": approver, "Approvers": approvers, "Observations": observations, "Head": head,
		"Record": record, "Contract": contract, "Marks": marks, "Credential": credential, "Credentials": credentials,
		"Breaker":      breaker,
		"Records":      s.Records(ctx, 0, 1, func(evidence.Record) error { return nil }),
		"SaveContract": s.SaveContract(ctx, "sha256:1", nil),
	}
}

// TestFaulty: each point fails alone, and every method but Close is one.
func TestFaulty(t *testing.T) {
	points := calls(t.Context(), memory.New(nil))
	if methods := reflect.TypeFor[ledger.Store]().NumMethod(); len(points) != methods-1 {
		t.Fatalf("%d points for %d methods", len(points), methods)
	}
	for point := range points {
		s := storetest.Faulty{Store: memory.New(nil), Fault: func(p string) (error, bool) {
			if p == point {
				return errLost, false
			}
			return nil, false
		}}
		for p, err := range calls(t.Context(), s) {
			if errors.Is(err, errLost) != (p == point) {
				t.Errorf("with a fault at %s, %s gave %v", point, p, err)
			}
		}
	}
}

func TestFaultyCommit(t *testing.T) {
	for persist, want := range map[bool]uint64{false: 0, true: 1} {
		inner := memory.New(nil)
		s := storetest.Faulty{Store: inner, Fault: func(string) (error, bool) { return errLost, persist }}
		r, err := s.Commit(t.Context(), storetest.Entry("a"))
		if !errors.Is(err, errLost) || r.Record.ID != "" {
			t.Errorf("persist %v: receipt %+v, %v", persist, r, err)
		}
		if head, err := inner.Head(t.Context()); err != nil || head.Next != want {
			t.Errorf("persist %v: %d records, %v, want %d", persist, head.Next, err, want)
		}
	}
}
