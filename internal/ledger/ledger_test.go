package ledger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/storetest"
	"github.com/licet-dev/licet/internal/toolcall"
)

var (
	noon    = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	errLost = errors.New("lost")
)

// view is of a store with one approver and the given tickets.
func view(tickets ...approval.Ticket) ledger.View {
	return ledger.View{
		Total: func(ledger.Tally, time.Time) (toolcall.Decimal, error) { return toolcall.Decimal{}, nil },
		Ticket: func(id string) (approval.Ticket, error) {
			for _, t := range tickets {
				if t.ID == id {
					return t, nil
				}
			}
			return approval.Ticket{}, ledger.ErrNotFound
		},
		Latest:   func(approval.Subject) (approval.Ticket, error) { return approval.Ticket{}, ledger.ErrNotFound },
		OpenOf:   func(string, time.Time) (int, error) { return 0, nil },
		Enrolled: func() (bool, error) { return true, nil },
		Approver: func(name string) (approval.Approver, error) {
			if name == "ann" {
				return approval.Approver{Name: name}, nil
			}
			return approval.Approver{}, ledger.ErrNotFound
		},
	}
}

// full is an entry that asks for everything at once, and the tickets it is about.
func full() (ledger.Entry, []approval.Ticket) {
	e := storetest.Entry("r")
	open := approval.Ticket{ID: "open", Expires: noon.Add(time.Hour)}
	granted := approval.Ticket{ID: "granted", Expires: noon.Add(time.Hour), Answers: []approval.Answer{{Approver: "ann", Approve: true}}}
	fresh := approval.Ticket{ID: "new", Expires: noon.Add(time.Hour)}
	e.Takes = []authz.Take{{Counter: "c", Window: 1, Amount: "1", Max: "1", Clause: "limits[0]"}}
	e.Use = &ledger.Use{Ticket: "granted"}
	e.Answer = &approval.Answer{Ticket: "open", Approver: "ann", Approve: true}
	e.Open, e.Copy = &fresh, []byte("sealed")
	e.Enrol, e.By = &approval.Approver{Name: "bob"}, "ann"
	e.Observe = &ledger.Observation{Session: "s"}
	return e, []approval.Ticket{open, granted}
}

func TestSettle(t *testing.T) {
	e, tickets := full()
	p, err := ledger.Settle(e, view(tickets...), evidence.Start(), noon)
	if err != nil || p.Conflict != nil {
		t.Fatalf("%+v, %v", p.Conflict, err)
	}
	if len(p.Totals) != 1 || p.Totals[0].Value.String() != "1" || p.Totals[0].Counter != "c" {
		t.Errorf("totals %+v", p.Totals)
	}
	if p.Ticket == nil || p.Opened == nil || p.Opened.ID != "new" || string(p.Copy) != "sealed" {
		t.Errorf("opened %+v with %q, stands %+v", p.Opened, p.Copy, p.Ticket)
	}
	if len(p.Changed) != 2 || p.Changed[0].Used != noon || len(p.Changed[1].Answers) != 1 || p.Changed[1].Answers[0].At != noon {
		t.Errorf("changed %+v", p.Changed)
	}
	if p.Enrol != e.Enrol || p.Observe != e.Observe || p.Record.ID != "r" || p.Record.Time != noon {
		t.Errorf("plan %+v", p)
	}
	if tickets[0].Answers != nil || e.Answer.At != (time.Time{}) {
		t.Error("settling wrote to what it was given")
	}
}

// TestConflictLeavesOnlyTheRecord: whatever stands against one part of an entry,
// no other part of it is planned.
func TestConflictLeavesOnlyTheRecord(t *testing.T) {
	for want, spoil := range map[authz.Code]func(*ledger.Entry, *ledger.View, []approval.Ticket){
		authz.LimitReached:    func(e *ledger.Entry, _ *ledger.View, _ []approval.Ticket) { e.Takes[0].Max = "0" },
		authz.ApprovalUsed:    func(_ *ledger.Entry, _ *ledger.View, ts []approval.Ticket) { ts[1].Used = noon },
		authz.ApprovalExpired: func(_ *ledger.Entry, _ *ledger.View, ts []approval.Ticket) { ts[0].Expires = noon },
		authz.ApprovalMismatch: func(_ *ledger.Entry, _ *ledger.View, ts []approval.Ticket) {
			ts[0].Panels = []authz.Panels{{{Approvers: []string{"bob"}, Quorum: 1}}}
		},
		authz.TooManyTickets: func(_ *ledger.Entry, v *ledger.View, _ []approval.Ticket) {
			v.OpenOf = func(string, time.Time) (int, error) { return approval.MaxOpen, nil }
		},
	} {
		e, tickets := full()
		v := view(tickets...)
		spoil(&e, &v, tickets)
		p, err := ledger.Settle(e, v, evidence.Start(), noon)
		if err != nil || p.Conflict == nil || p.Conflict.Code != want {
			t.Errorf("%s: conflict %+v, %v", want, p.Conflict, err)
		}
		if p.Totals != nil || p.Opened != nil || p.Copy != nil || p.Changed != nil || p.Enrol != nil || p.Observe != nil || p.Ticket != nil {
			t.Errorf("%s: beside the record there is %+v", want, p)
		}
		if p.Record.ID != "r" || !strings.Contains(string(p.Record.Body), string(want)) {
			t.Errorf("%s: record %+v", want, p.Record)
		}
	}
}

// TestAnswerTooLate: the conflict says what became of the ticket.
func TestAnswerTooLate(t *testing.T) {
	yes, no := []approval.Answer{{Approver: "ann", Approve: true}}, []approval.Answer{{Approver: "ann"}}
	for want, ticket := range map[authz.Code]approval.Ticket{
		authz.ApprovalUsed:    {Used: noon},
		authz.ApprovalDenied:  {Expires: noon.Add(1), Answers: no},
		authz.Approved:        {Expires: noon.Add(1), Answers: yes},
		authz.ApprovalExpired: {Expires: noon},
	} {
		e := storetest.Entry("r")
		e.Answer = &approval.Answer{Approver: "ann", Approve: true}
		p, err := ledger.Settle(e, view(ticket), evidence.Start(), noon)
		if err != nil || p.Conflict == nil || p.Conflict.Code != want || p.Changed != nil {
			t.Errorf("answer to a ticket that is %s: %+v, %v", ticket.State(noon), p.Conflict, err)
		}
	}
}

// TestShare: an open ticket of the same call and terms stands for a new one.
func TestShare(t *testing.T) {
	e := storetest.Entry("r")
	e.Open, e.Copy = &approval.Ticket{ID: "new", Expires: noon.Add(time.Hour)}, []byte("sealed")
	v := view()
	v.Latest = func(approval.Subject) (approval.Ticket, error) {
		return approval.Ticket{ID: "old", Expires: noon.Add(time.Minute)}, nil
	}
	p, err := ledger.Settle(e, v, evidence.Start(), noon)
	if err != nil || p.Ticket == nil || p.Ticket.ID != "old" || p.Opened != nil || p.Copy != nil {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = ledger.Settle(e, v, evidence.Start(), noon.Add(time.Minute))
	if err != nil || p.Ticket == nil || p.Ticket.ID != "new" || p.Opened == nil {
		t.Errorf("after the old ticket expired: %+v, %v", p, err)
	}
}

// TestLookupFails: an error of any lookup fails the entry; it is never read as
// "none".
func TestLookupFails(t *testing.T) {
	for name, lose := range map[string]func(*ledger.View){
		"total": func(v *ledger.View) {
			v.Total = func(ledger.Tally, time.Time) (toolcall.Decimal, error) { return toolcall.Decimal{}, errLost }
		},
		"ticket": func(v *ledger.View) {
			v.Ticket = func(string) (approval.Ticket, error) { return approval.Ticket{}, errLost }
		},
		"latest": func(v *ledger.View) {
			v.Latest = func(approval.Subject) (approval.Ticket, error) { return approval.Ticket{}, errLost }
		},
		"open": func(v *ledger.View) { v.OpenOf = func(string, time.Time) (int, error) { return 0, errLost } },
		"approver": func(v *ledger.View) {
			v.Approver = func(string) (approval.Approver, error) { return approval.Approver{}, errLost }
		},
	} {
		e, tickets := full()
		v := view(tickets...)
		lose(&v)
		if p, err := ledger.Settle(e, v, evidence.Start(), noon); !errors.Is(err, errLost) || p.Record.ID != "" {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
	}
	for name, lose := range map[string]func(*ledger.Entry){
		"unknown ticket of a use":     func(e *ledger.Entry) { e.Use.Ticket = "none" },
		"unknown ticket of an answer": func(e *ledger.Entry) { e.Answer.Ticket = "none" },
		"unknown approver":            func(e *ledger.Entry) { e.Answer.Approver = "eve" },
		"name of a ticket taken":      func(e *ledger.Entry) { e.Open.ID = "granted" },
		"expired from the start":      func(e *ledger.Entry) { e.Open.Expires = noon },
		"broken bound":                func(e *ledger.Entry) { e.Takes[0].Max = "many" },
		"broken amount":               func(e *ledger.Entry) { e.Takes[0].Amount = "" },
		"negative window":             func(e *ledger.Entry) { e.Takes[0].Window = -1 },
		"two amounts for one act": func(e *ledger.Entry) {
			e.Takes = append(e.Takes, authz.Take{Counter: "c", Window: 2, Amount: "2", Max: "9"})
		},
		"no body":      func(e *ledger.Entry) { e.Body = nil },
		"failing body": func(e *ledger.Entry) { e.Body = func(ledger.Stamp) ([]byte, error) { return nil, errLost } },
		"no name":      func(e *ledger.Entry) { e.ID = "" },
	} {
		e, tickets := full()
		lose(&e)
		if p, err := ledger.Settle(e, view(tickets...), evidence.Start(), noon); err == nil || p.Record.ID != "" {
			t.Errorf("%s: settled as %+v", name, p)
		}
	}
}

// TestUsedFails: also the second lookup of a window may fail.
func TestUsedFails(t *testing.T) {
	lookups := 0
	total := ledger.TotalAt(func(ledger.Tally, time.Time) (toolcall.Decimal, error) {
		if lookups++; lookups == 2 {
			return toolcall.Decimal{}, errLost
		}
		return toolcall.Decimal{}, nil
	})
	if used, err := total.Used(authz.TakeKey{Counter: "c", Window: 1}, noon); !errors.Is(err, errLost) {
		t.Errorf("used %s, %v", used, err)
	}
}

func TestParseTotal(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "-0": "0", "1.50": "1.5", "1e+21": "1e+21"} {
		if got, err := ledger.ParseTotal(text); err != nil || got.String() != want {
			t.Errorf("%q is %s, %v, want %s", text, got, err, want)
		}
	}
	long := "1" + strings.Repeat("0", 398) + "1." + strings.Repeat("0", 398) + "1" // one amount and another
	got, err := ledger.ParseTotal(long)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ledger.ParseTotal(got.String()); err != nil || again.Cmp(got) != 0 || len(got.String()) < 800 {
		t.Errorf("a total of 800 digits is read back as %s, %v", again, err)
	}
	for _, text := range []string{"", "x", `"1"`, "null", "1 2", "1" + strings.Repeat("0", 1000)} {
		if got, err := ledger.ParseTotal(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// TestWindows compares what windows hold with a plain sum over all takes, and
// that no window ever holds more than its bound.
func TestWindows(t *testing.T) {
	type taken struct {
		at     time.Time
		amount int
	}
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		s := memory.New(func() time.Time { return now })
		window := time.Duration(rapid.IntRange(1, 20).Draw(t, "window"))
		bound := rapid.IntRange(0, 10).Draw(t, "bound")
		var all []taken
		sum := func() (n int) {
			for _, k := range all {
				if now.Sub(k.at) < window {
					n += k.amount
				}
			}
			return n
		}
		for i := range rapid.IntRange(1, 40).Draw(t, "calls") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8).Draw(t, "wait")))
			amount := rapid.IntRange(0, 4).Draw(t, "amount")
			e := storetest.Entry(fmt.Sprint("r", i))
			e.Takes = []authz.Take{{Counter: "c", Window: int64(window), Amount: fmt.Sprint(amount), Max: fmt.Sprint(bound)}}
			fits := sum()+amount <= bound
			r, err := s.Commit(t.Context(), e)
			if err != nil || (r.Conflict == nil) != fits {
				t.Fatalf("call %d of %d over %d of %d: conflict %+v, %v", i, amount, sum(), bound, r.Conflict, err)
			}
			if fits {
				all = append(all, taken{now, amount})
			}
			used, err := s.Used(t.Context(), []authz.TakeKey{e.Takes[0].Key()})
			if err != nil || used[0].String() != fmt.Sprint(sum()) {
				t.Fatalf("used %v, %v, want %d", used, err, sum())
			}
		}
	})
}

func TestTallyOf(t *testing.T) {
	tallies := map[ledger.Tally]bool{}
	for _, k := range []authz.TakeKey{{Counter: "c", Window: 1}, {Counter: "c", Window: 2}, {Counter: "c"}, {Counter: "c", Session: "s"}, {Counter: "d"}} {
		tally, err := ledger.TallyOf(k)
		if err != nil {
			t.Error(err)
		}
		tallies[tally] = true
	}
	if len(tallies) != 4 {
		t.Errorf("%d tallies, want one for all windows, two sessions and another counter: %v", len(tallies), tallies)
	}
}

// FuzzTotal: a total is read exactly, or not at all.
func FuzzTotal(f *testing.F) {
	for _, s := range []string{"0", "0.1", "1000000000000000000000000000001", "-5", "1e3", "", "x", "1 ", "00", "NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ledger.ParseTotal(s)
		if err != nil {
			return
		}
		again, err := ledger.ParseTotal(d.String())
		if err != nil || again.Cmp(d) != 0 {
			t.Errorf("%q reads %s, which reads %s, %v", s, d, again, err)
		}
	})
}
