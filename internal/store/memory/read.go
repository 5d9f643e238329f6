package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// read runs f under the lock.
func read[V any](ctx context.Context, s *Store, f func() (V, error)) (V, error) {
	if err := s.enter(ctx); err != nil {
		var none V
		return none, err
	}
	defer s.mu.Unlock()
	return f()
}

// Now implements ledger.Store.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	return read(ctx, s, func() (time.Time, error) { return s.now(), nil })
}

// Used implements ledger.Store.
func (s *Store) Used(ctx context.Context, keys []authz.TakeKey) ([]toolcall.Decimal, error) {
	return read(ctx, s, func() ([]toolcall.Decimal, error) {
		now := s.now()
		used := make([]toolcall.Decimal, len(keys))
		for i, k := range keys {
			var err error
			if used[i], err = ledger.TotalAt(s.total).Used(k, now); err != nil {
				return nil, err
			}
		}
		return used, nil
	})
}

// Ticket implements ledger.Store.
func (s *Store) Ticket(ctx context.Context, id string) (approval.Ticket, error) {
	return read(ctx, s, func() (approval.Ticket, error) { return s.ticket(id) })
}

// Latest implements ledger.Store.
func (s *Store) Latest(ctx context.Context, subject approval.Subject) (approval.Ticket, error) {
	return read(ctx, s, func() (approval.Ticket, error) { return s.latest(subject) })
}

// Tickets implements ledger.Store.
func (s *Store) Tickets(ctx context.Context, n int) ([]approval.Ticket, error) {
	return read(ctx, s, func() ([]approval.Ticket, error) {
		var newest []approval.Ticket
		for _, t := range slices.Backward(s.tickets) {
			if len(newest) >= n {
				break
			}
			newest = append(newest, clone(t))
		}
		return newest, nil
	})
}

// Copy implements ledger.Store.
func (s *Store) Copy(ctx context.Context, ticket string) ([]byte, error) {
	return read(ctx, s, func() ([]byte, error) {
		s.eraseExpired(s.now())
		sealed, err := get(s.copies, ticket)
		return bytes.Clone(sealed), err
	})
}

// Approver implements ledger.Store.
func (s *Store) Approver(ctx context.Context, name string) (approval.Approver, error) {
	return read(ctx, s, func() (approval.Approver, error) { return s.approver(name) })
}

// Approvers implements ledger.Store.
func (s *Store) Approvers(ctx context.Context) ([]string, error) {
	return read(ctx, s, func() ([]string, error) { return slices.Sorted(maps.Keys(s.approvers)), nil })
}

// Observations implements ledger.Store.
func (s *Store) Observations(ctx context.Context, session string, tools []string) ([]ledger.Observation, error) {
	return read(ctx, s, func() ([]ledger.Observation, error) {
		var found []ledger.Observation
		for _, o := range s.observations[session] {
			if slices.Contains(tools, o.Server+"."+o.Tool) {
				o.Leaves = bytes.Clone(o.Leaves)
				found = append(found, o)
			}
		}
		return found, nil
	})
}

// Marks implements ledger.Store.
func (s *Store) Marks(ctx context.Context, session string) ([]ledger.Mark, error) {
	return read(ctx, s, func() ([]ledger.Mark, error) { return slices.Clone(s.marks[session]), nil })
}

// Breaker implements ledger.Store.
func (s *Store) Breaker(ctx context.Context, agent, session string) (ledger.Breaker, error) {
	return read(ctx, s, func() (ledger.Breaker, error) { return s.breaker(agent, session) })
}

// Credential implements ledger.Store.
func (s *Store) Credential(ctx context.Context, digest string) (string, error) {
	return read(ctx, s, func() (string, error) {
		for name, d := range s.credentials {
			if d == digest {
				return name, nil
			}
		}
		return "", ledger.ErrNotFound
	})
}

// Credentials implements ledger.Store.
func (s *Store) Credentials(ctx context.Context) ([]string, error) {
	return read(ctx, s, func() ([]string, error) { return slices.Sorted(maps.Keys(s.credentials)), nil })
}

// Head implements ledger.Store.
func (s *Store) Head(ctx context.Context) (evidence.Link, error) {
	return read(ctx, s, func() (evidence.Link, error) { return s.head(), nil })
}

// Records implements ledger.Store. It calls f without the lock, so that f may
// use the store.
func (s *Store) Records(ctx context.Context, from uint64, n int, f func(evidence.Record) error) error {
	found, err := read(ctx, s, func() ([]evidence.Record, error) {
		rest := s.records[min(from, uint64(len(s.records))):]
		return slices.Clone(rest[:max(0, min(n, len(rest)))]), nil
	})
	if err != nil {
		return err
	}
	for _, r := range found {
		r.Body = bytes.Clone(r.Body)
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// Record implements ledger.Store.
func (s *Store) Record(ctx context.Context, id string) (evidence.Record, error) {
	return read(ctx, s, func() (evidence.Record, error) {
		i, err := get(s.names, id)
		if err != nil {
			return evidence.Record{}, err
		}
		r := s.records[i]
		r.Body = bytes.Clone(r.Body)
		return r, nil
	})
}

// SaveContract implements ledger.Store.
func (s *Store) SaveContract(ctx context.Context, digest string, text []byte) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if _, kept := s.contracts[digest]; !kept {
		s.contracts[digest] = bytes.Clone(text)
	}
	return nil
}

// Contract implements ledger.Store.
func (s *Store) Contract(ctx context.Context, digest string) ([]byte, error) {
	return read(ctx, s, func() ([]byte, error) {
		text, err := get(s.contracts, digest)
		return bytes.Clone(text), err
	})
}

// Close implements ledger.Store. Every later call fails.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
