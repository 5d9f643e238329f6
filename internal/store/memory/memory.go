package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the store is closed")

// Store is a ledger.Store in memory. Make it with New.
type Store struct {
	clock func() time.Time

	mu           sync.Mutex
	closed       bool
	records      []evidence.Record
	names        map[string]int           // place in records
	tallies      map[ledger.Tally][]total // oldest first
	tickets      []approval.Ticket        // oldest first
	copies       map[string][]byte        // by ticket
	approvers    map[string]approval.Approver
	observations map[string][]ledger.Observation // by session, oldest first
	marks        map[string][]ledger.Mark        // by session, oldest first
	breakers     map[[2]string]ledger.Breaker    // by agent and session
	credentials  map[string]string               // digest by name
	contracts    map[string][]byte               // by digest
}

// total is what a tally came to with one take.
type total struct {
	at    time.Time
	value toolcall.Decimal
}

var _ ledger.Store = (*Store)(nil)

// New returns an empty store with the given clock; nil means time.Now.
func New(clock func() time.Time) *Store {
	if clock == nil {
		clock = time.Now
	}
	return &Store{
		clock:        clock,
		names:        map[string]int{},
		tallies:      map[ledger.Tally][]total{},
		copies:       map[string][]byte{},
		approvers:    map[string]approval.Approver{},
		observations: map[string][]ledger.Observation{},
		marks:        map[string][]ledger.Mark{},
		breakers:     map[[2]string]ledger.Breaker{},
		credentials:  map[string]string{},
		contracts:    map[string][]byte{},
	}
}

// enter locks the store for one method, which must call s.mu.Unlock after a nil
// error.
func (s *Store) enter(ctx context.Context) error {
	s.mu.Lock()
	err := ctx.Err()
	if s.closed {
		err = ErrClosed
	}
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

// Commit implements ledger.Store.
func (s *Store) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	if err := s.enter(ctx); err != nil {
		return ledger.Receipt{}, err
	}
	defer s.mu.Unlock()
	if _, taken := s.names[e.ID]; taken {
		return ledger.Receipt{}, fmt.Errorf("record %s exists", e.ID)
	}
	now := s.now()
	s.eraseExpired(now)
	p, err := ledger.Settle(e, s.view(), s.head(), now)
	if err != nil {
		return ledger.Receipt{}, err
	}
	s.write(p)
	return p.Receipt, nil
}

func (s *Store) write(p ledger.Plan) {
	for _, t := range p.Totals {
		s.tallies[t.Tally] = append(s.tallies[t.Tally], total{p.Time, t.Value})
	}
	if p.Opened != nil {
		s.tickets = append(s.tickets, clone(*p.Opened))
		if p.Copy != nil {
			s.copies[p.Opened.ID] = bytes.Clone(p.Copy)
		}
	}
	for _, t := range p.Changed {
		s.tickets[s.place(t.ID)] = clone(t)
		if t.State(p.Time).Closed() {
			delete(s.copies, t.ID)
		}
	}
	if p.Enrol != nil {
		s.approvers[p.Enrol.Name] = *p.Enrol
	}
	if p.Observe != nil {
		s.observations[p.Observe.Session] = newest(append(s.observations[p.Observe.Session], *p.Observe))
	}
	for _, m := range p.Marks {
		if !slices.Contains(s.marks[m.Session], m) {
			s.marks[m.Session] = append(s.marks[m.Session], m)
		}
	}
	if b := p.Breaker; b != nil {
		s.breakers[[2]string{b.Agent, b.Session}] = b.Breaker
	}
	if c := p.Token; c != nil && c.Digest == "" {
		delete(s.credentials, c.Name)
	} else if c != nil {
		s.credentials[c.Name] = c.Digest
	}
	p.Record.Body = bytes.Clone(p.Record.Body)
	s.names[p.Record.ID] = len(s.records)
	s.records = append(s.records, p.Record)
}

// newest returns the results that a session keeps.
func newest(all []ledger.Observation) []ledger.Observation {
	bytes := 0
	for i, o := range slices.Backward(all) {
		if bytes += len(o.Leaves); bytes > ledger.MaxObserved || len(all)-i > ledger.MaxObservations {
			return slices.Clone(all[i+1:])
		}
	}
	return all
}

func (s *Store) eraseExpired(now time.Time) {
	for id := range s.copies {
		if s.tickets[s.place(id)].State(now).Closed() {
			delete(s.copies, id)
		}
	}
}

// view is what Settle sees of the locked store.
func (s *Store) view() ledger.View {
	return ledger.View{
		Total:    s.total,
		Ticket:   s.ticket,
		Latest:   s.latest,
		OpenOf:   s.openOf,
		Approver: s.approver,
		Enrolled: func() (bool, error) { return len(s.approvers) > 0, nil },
		Breaker:  s.breaker,
		Marks:    func(session string) (int, error) { return len(s.marks[session]), nil },
	}
}

func (s *Store) total(t ledger.Tally, at time.Time) (toolcall.Decimal, error) {
	totals := s.tallies[t]
	n := sort.Search(len(totals), func(i int) bool { return totals[i].at.After(at) })
	if n == 0 {
		return toolcall.Decimal{}, nil
	}
	return totals[n-1].value, nil
}

// place returns where in s.tickets a ticket is, or -1.
func (s *Store) place(id string) int {
	return slices.IndexFunc(s.tickets, func(t approval.Ticket) bool { return t.ID == id })
}

func (s *Store) ticket(id string) (approval.Ticket, error) {
	if i := s.place(id); i >= 0 {
		return clone(s.tickets[i]), nil
	}
	return approval.Ticket{}, ledger.ErrNotFound
}

func (s *Store) latest(subject approval.Subject) (approval.Ticket, error) {
	for _, t := range slices.Backward(s.tickets) {
		if t.Subject == subject {
			return clone(t), nil
		}
	}
	return approval.Ticket{}, ledger.ErrNotFound
}

func (s *Store) openOf(agent string, now time.Time) (open int, err error) {
	for _, t := range s.tickets {
		if t.Subject.Agent == agent && t.State(now) == approval.Open {
			open++
		}
	}
	return open, nil
}

func (s *Store) approver(name string) (approval.Approver, error) { return get(s.approvers, name) }

func (s *Store) breaker(agent, session string) (ledger.Breaker, error) {
	return slices.Clone(s.breakers[[2]string{agent, session}]), nil
}

func (s *Store) head() evidence.Link {
	if len(s.records) == 0 {
		return evidence.Start()
	}
	return evidence.After(s.records[len(s.records)-1])
}

func (s *Store) now() time.Time { return s.head().At(s.clock()) }

// get returns what m holds under a name, or ErrNotFound.
func get[V any](m map[string]V, name string) (V, error) {
	v, ok := m[name]
	if !ok {
		return v, ledger.ErrNotFound
	}
	return v, nil
}

// clone returns a ticket that shares nothing with t.
func clone(t approval.Ticket) approval.Ticket {
	t.Panels, t.Answers = slices.Clone(t.Panels), slices.Clone(t.Answers)
	return t
}
