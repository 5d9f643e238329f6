package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// page is how many records Records reads at once.
const page = 256

// Now implements ledger.Store.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return head.At(s.clock()), nil
}

// Used implements ledger.Store.
func (s *Store) Used(ctx context.Context, keys []authz.TakeKey) ([]toolcall.Decimal, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	used := make([]toolcall.Decimal, len(keys))
	for i, k := range keys {
		if used[i], err = s.read.totalAt(ctx).Used(k, now); err != nil {
			return nil, err
		}
	}
	return used, nil
}

// Ticket implements ledger.Store.
func (s *Store) Ticket(ctx context.Context, id string) (approval.Ticket, error) {
	return oneTicket(ctx, s.read.ticket, id)
}

// Latest implements ledger.Store.
func (s *Store) Latest(ctx context.Context, subject approval.Subject) (approval.Ticket, error) {
	return s.read.latestOf(ctx, subject)
}

// Tickets implements ledger.Store.
func (s *Store) Tickets(ctx context.Context, n int) ([]approval.Ticket, error) {
	return all(ctx, s.read.tickets, []any{max(n, 0)}, func(rows *sql.Rows) (approval.Ticket, error) {
		var text []byte
		if err := rows.Scan(&text); err != nil {
			return approval.Ticket{}, err
		}
		return parseTicket(text)
	})
}

// Copy implements ledger.Store.
func (s *Store) Copy(ctx context.Context, ticket string) ([]byte, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	var sealed []byte
	err = one(ctx, s.read.sealed, []any{ticket, now.UnixNano()}, &sealed)
	return sealed, err
}

// Approver implements ledger.Store.
func (s *Store) Approver(ctx context.Context, name string) (approval.Approver, error) {
	return s.read.approverNamed(ctx, name)
}

// Approvers implements ledger.Store.
func (s *Store) Approvers(ctx context.Context) ([]string, error) {
	return all(ctx, s.read.approvers, nil, scanName)
}

func scanName(rows *sql.Rows) (name string, err error) {
	err = rows.Scan(&name)
	return name, err
}

// Observations implements ledger.Store.
func (s *Store) Observations(ctx context.Context, session string, tools []string) ([]ledger.Observation, error) {
	names, err := json.Marshal(tools)
	if err != nil {
		return nil, err
	}
	return all(ctx, s.read.observations, []any{session, string(names)}, func(rows *sql.Rows) (o ledger.Observation, err error) {
		err = rows.Scan(&o.Session, &o.Server, &o.Tool, &o.Leaves)
		return o, err
	})
}

// Marks implements ledger.Store.
func (s *Store) Marks(ctx context.Context, session string) ([]ledger.Mark, error) {
	return all(ctx, s.read.marks, []any{session}, func(rows *sql.Rows) (m ledger.Mark, err error) {
		err = rows.Scan(&m.Session, &m.Server, &m.Tool, &m.Argument, &m.Digest)
		return m, err
	})
}

// Breaker implements ledger.Store.
func (s *Store) Breaker(ctx context.Context, agent, session string) (ledger.Breaker, error) {
	return s.read.breakerOf(ctx, agent, session)
}

// Credential implements ledger.Store.
func (s *Store) Credential(ctx context.Context, digest string) (name string, err error) {
	err = one(ctx, s.read.credential, []any{digest}, &name)
	return name, err
}

// Credentials implements ledger.Store.
func (s *Store) Credentials(ctx context.Context) ([]string, error) {
	return all(ctx, s.read.credentials, nil, scanName)
}

// Head implements ledger.Store.
func (s *Store) Head(ctx context.Context) (evidence.Link, error) { return s.read.headLink(ctx) }

// Records implements ledger.Store. It reads in pages and holds nothing open
// while f runs: a reader that stays would keep SQLite from starting its
// write-ahead log over.
func (s *Store) Records(ctx context.Context, from uint64, n int, f func(evidence.Record) error) error {
	for n > 0 && from <= math.MaxInt64 {
		records, err := all(ctx, s.read.records, []any{int64(from), min(n, page)}, scanRecord)
		if err != nil {
			return fmt.Errorf("reading records from %d on: %w", from, err)
		}
		for _, r := range records {
			if err := f(r); err != nil {
				return err
			}
		}
		if len(records) < page {
			return nil
		}
		n -= len(records)
		from = records[len(records)-1].Index + 1
	}
	return nil
}

// Record implements ledger.Store.
func (s *Store) Record(ctx context.Context, id string) (evidence.Record, error) {
	found, err := all(ctx, s.read.record, []any{id}, scanRecord)
	if err != nil {
		return evidence.Record{}, err
	}
	if len(found) == 0 {
		return evidence.Record{}, ledger.ErrNotFound
	}
	return found[0], nil
}

// SaveContract implements ledger.Store.
func (s *Store) SaveContract(ctx context.Context, digest string, text []byte) error {
	const save = `INSERT INTO contracts (digest, text) VALUES (?, ?) ON CONFLICT DO NOTHING`
	if _, err := s.db.ExecContext(ctx, save, digest, blob(text)); err != nil {
		return fmt.Errorf("saving contract %s: %w", digest, err)
	}
	return nil
}

// Contract implements ledger.Store.
func (s *Store) Contract(ctx context.Context, digest string) ([]byte, error) {
	var text []byte
	err := one(ctx, s.read.contract, []any{digest}, &text)
	return text, err
}
