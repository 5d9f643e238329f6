package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
)

// Open makes an empty store for one test and closes it at its end.
type Open func(t *testing.T, clock func() time.Time) ledger.Store

// Run tests that open's stores keep the contract of ledger.Store.
func Run(t *testing.T, open Open) {
	for _, group := range []map[string]func(*fixture){logTests, takeTests, ticketTests, otherTests} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				f := &fixture{T: t, clock: &Clock{t: start}}
				f.store = open(t, f.clock.Now)
				test(f)
			})
		}
	}
}

var start = time.Date(2026, 11, 29, 12, 0, 0, 123456789, time.UTC)

// Clock is a clock that a test moves by hand.
type Clock struct {
	mu sync.Mutex
	t  time.Time
}

// Now returns the time that the clock was moved to.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

// Move moves the clock, also back.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// fixture is one test on one store.
type fixture struct {
	*testing.T
	store ledger.Store
	clock *Clock
	names int
}

// Verify reads the whole log of a store, checks its chain, and returns it.
func Verify(t testing.TB, s ledger.Store) []evidence.Record {
	t.Helper()
	var v evidence.Verifier
	var records []evidence.Record
	err := s.Records(t.Context(), 0, math.MaxInt, func(r evidence.Record) error {
		records = append(records, r)
		return v.Next(r)
	})
	if err != nil {
		t.Fatalf("the log does not verify: %v", err)
	}
	if head, err := s.Head(t.Context()); err != nil || head != v.Head() {
		t.Fatalf("the head is %+v, %v; the log ends at %+v", head, err, v.Head())
	}
	return records
}

// Entry returns an entry with a body that says what the transaction found out.
func Entry(id string) ledger.Entry {
	return ledger.Entry{Kind: evidence.Decision, ID: id, Body: func(s ledger.Stamp) ([]byte, error) {
		code := authz.Code("")
		if s.Conflict != nil {
			code = s.Conflict.Code
		}
		return fmt.Appendf(nil, `{"conflict":%q,"id":%q,"index":%d}`, code, id, s.Index), nil
	}}
}

// entry is Entry with a new name.
func (f *fixture) entry() ledger.Entry {
	f.names++
	return Entry(fmt.Sprintf("r%d", f.names))
}

// commit commits and fails the test on an error.
func (f *fixture) commit(e ledger.Entry) ledger.Receipt {
	f.Helper()
	r, err := f.store.Commit(f.Context(), e)
	if err != nil {
		f.Fatalf("committing %s: %v", e.ID, err)
	}
	return r
}

// done commits and wants no conflict.
func (f *fixture) done(e ledger.Entry) ledger.Receipt {
	f.Helper()
	r := f.commit(e)
	if r.Conflict != nil {
		f.Fatalf("committing %s: conflict %+v", e.ID, *r.Conflict)
	}
	return r
}

// conflict commits, wants this conflict, and that the record alone is written.
func (f *fixture) conflict(e ledger.Entry, want authz.Code) *ledger.Conflict {
	f.Helper()
	r := f.commit(e)
	if r.Conflict == nil || r.Conflict.Code != want {
		f.Fatalf("committing %s: conflict %+v, want %s", e.ID, r.Conflict, want)
	}
	if r.Ticket != nil {
		f.Errorf("committing %s: ticket %s stands in spite of the conflict", e.ID, r.Ticket.ID)
	}
	if got, err := f.store.Record(f.Context(), e.ID); err != nil || !bytes.Contains(got.Body, []byte(want)) {
		f.Errorf("record of the conflict: %s, %v", got.Body, err)
	}
	return r.Conflict
}

// refused commits and wants an error and an unchanged log.
func (f *fixture) refused(e ledger.Entry) error {
	f.Helper()
	before, err := f.store.Head(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	_, refusal := f.store.Commit(f.Context(), e)
	if refusal == nil {
		f.Fatalf("committing %q: no error", e.ID)
	}
	if after, err := f.store.Head(f.Context()); err != nil || after != before {
		f.Errorf("the head went from %+v to %+v, %v, with an entry that failed", before, after, err)
	}
	return refusal
}

// used wants this use of a limit.
func (f *fixture) used(k authz.TakeKey, want string) {
	f.Helper()
	got, err := f.store.Used(f.Context(), []authz.TakeKey{k})
	if err != nil || len(got) != 1 || got[0].String() != want {
		f.Errorf("%+v: used %v, %v, want %s", k, got, err, want)
	}
}

// state wants this state of a ticket.
func (f *fixture) state(id string, want approval.State) {
	f.Helper()
	now, err := f.store.Now(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	got, err := f.store.Ticket(f.Context(), id)
	if err != nil || got.State(now) != want {
		f.Errorf("ticket %s is %s, %v, want %s", id, got.State(now), err, want)
	}
}

// same compares by JSON, in which times are equal that are the same moment.
func same(f *fixture, what string, got, want any) {
	f.Helper()
	g, err := json.Marshal(got)
	if err != nil {
		f.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		f.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		f.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
