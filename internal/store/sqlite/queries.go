package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// queries are the prepared statements that read. Inside a transaction they see
// what it has written, elsewhere what was committed.
type queries struct {
	statements

	head, record, records, total            *sql.Stmt
	ticket, latest, tickets, openOf, sealed *sql.Stmt
	approver, approvers                     *sql.Stmt
	observations, marks, markCount          *sql.Stmt
	credential, credentials, contract       *sql.Stmt
	enrolled, breaker                       *sql.Stmt
}

// preparer is a *sql.DB or a *sql.Conn.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// totalQuery seeks once in an index, however much a limit has counted.
const totalQuery = `SELECT total FROM takes WHERE counter = ? AND session IS ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1`

const recordColumns = `idx, id, at, kind, prev, body_digest, body, hash`

func prepareQueries(ctx context.Context, db preparer) (*queries, error) {
	q := &queries{}
	return q, q.prepare(ctx, db, map[**sql.Stmt]string{
		&q.head:      `SELECT idx + 1, hash, at FROM records ORDER BY idx DESC LIMIT 1`,
		&q.record:    `SELECT ` + recordColumns + ` FROM records WHERE id = ?`,
		&q.records:   `SELECT ` + recordColumns + ` FROM records WHERE idx >= ? ORDER BY idx LIMIT ?`,
		&q.total:     totalQuery,
		&q.ticket:    `SELECT ticket FROM tickets WHERE id = ?`,
		&q.latest:    `SELECT ticket FROM tickets WHERE subject = ? ORDER BY seq DESC LIMIT 1`,
		&q.tickets:   `SELECT ticket FROM tickets ORDER BY seq DESC LIMIT ?`,
		&q.openOf:    `SELECT count(*) FROM tickets WHERE agent = ? AND open = 1 AND expires > ?`,
		&q.sealed:    `SELECT sealed FROM copies WHERE ticket = ? AND expires > ?`,
		&q.approver:  `SELECT name, salt, iterations, key FROM approvers WHERE name = ?`,
		&q.approvers: `SELECT name FROM approvers ORDER BY name`,
		&q.observations: `SELECT session, server, tool, leaves FROM observations
			WHERE session = ? AND server || '.' || tool IN (SELECT value FROM json_each(?)) ORDER BY idx`,
		&q.marks:       `SELECT session, server, tool, argument, digest FROM marks WHERE session = ?`,
		&q.markCount:   `SELECT count(*) FROM marks WHERE session = ?`,
		&q.enrolled:    `SELECT EXISTS (SELECT 1 FROM approvers)`,
		&q.breaker:     `SELECT opinions FROM breakers WHERE agent = ? AND session = ?`,
		&q.credential:  `SELECT name FROM credentials WHERE digest = ?`,
		&q.credentials: `SELECT name FROM credentials ORDER BY name`,
		&q.contract:    `SELECT text FROM contracts WHERE digest = ?`,
	})
}

// statements are prepared statements to close: database/sql does so by itself
// only for those that are not bound to one connection.
type statements struct{ prepared []*sql.Stmt }

func (s *statements) prepare(ctx context.Context, db preparer, texts map[**sql.Stmt]string) error {
	for place, text := range texts {
		stmt, err := db.PrepareContext(ctx, text)
		if err != nil {
			return fmt.Errorf("preparing %s: %w", text, err)
		}
		*place = stmt
		s.prepared = append(s.prepared, stmt)
	}
	return nil
}

func (s *statements) close() error {
	var errs []error
	for _, stmt := range s.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(errs...)
}

// one scans the only row of a query; no row is ErrNotFound.
func one(ctx context.Context, stmt *sql.Stmt, args []any, into ...any) error {
	err := stmt.QueryRowContext(ctx, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return ledger.ErrNotFound
	}
	return err
}

// all scans every row of a query.
func all[V any](ctx context.Context, stmt *sql.Stmt, args []any, scan func(*sql.Rows) (V, error)) ([]V, error) {
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []V
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, rows.Err()
}

// view is what ledger.Settle may look up.
func (q *queries) view(ctx context.Context) ledger.View {
	return ledger.View{
		Total:    q.totalAt(ctx),
		Ticket:   func(id string) (approval.Ticket, error) { return oneTicket(ctx, q.ticket, id) },
		Latest:   func(s approval.Subject) (approval.Ticket, error) { return q.latestOf(ctx, s) },
		Approver: func(name string) (approval.Approver, error) { return q.approverNamed(ctx, name) },
		OpenOf: func(agent string, now time.Time) (open int, err error) {
			err = one(ctx, q.openOf, []any{agent, now.UnixNano()}, &open)
			return open, err
		},
		Enrolled: func() (some bool, err error) {
			err = one(ctx, q.enrolled, nil, &some)
			return some, err
		},
		Breaker: func(agent, session string) (ledger.Breaker, error) { return q.breakerOf(ctx, agent, session) },
		Marks: func(session string) (n int, err error) {
			err = one(ctx, q.markCount, []any{session}, &n)
			return n, err
		},
	}
}

func (q *queries) breakerOf(ctx context.Context, agent, session string) (b ledger.Breaker, err error) {
	var text []byte
	err = one(ctx, q.breaker, []any{agent, session}, &text)
	if ledger.IsNotFound(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what the judge said of %s: %w", agent, err)
	}
	return b, nil
}

func (q *queries) headLink(ctx context.Context) (evidence.Link, error) {
	var next, at int64
	var hash string
	err := one(ctx, q.head, nil, &next, &hash, &at)
	if ledger.IsNotFound(err) {
		return evidence.Start(), nil
	}
	return evidence.Link{Next: uint64(next), Hash: hash, Time: timeOf(at)}, err
}

func (q *queries) totalAt(ctx context.Context) ledger.TotalAt {
	return func(t ledger.Tally, at time.Time) (toolcall.Decimal, error) {
		var text string
		err := one(ctx, q.total, []any{t.Counter, sessionOf(t), at.UnixNano()}, &text)
		if ledger.IsNotFound(err) {
			return toolcall.Decimal{}, nil
		}
		if err != nil {
			return toolcall.Decimal{}, fmt.Errorf("reading what %s has used: %w", t.Counter, err)
		}
		return ledger.ParseTotal(text)
	}
}

// sessionOf is the session column of a tally: NULL where it is not one of a
// session, which the empty session is.
func sessionOf(t ledger.Tally) sql.NullString {
	return sql.NullString{String: t.Session, Valid: t.PerSession}
}

func (q *queries) latestOf(ctx context.Context, s approval.Subject) (approval.Ticket, error) {
	subject, err := json.Marshal(s)
	if err != nil {
		return approval.Ticket{}, err
	}
	return oneTicket(ctx, q.latest, string(subject))
}

func oneTicket(ctx context.Context, stmt *sql.Stmt, key string) (approval.Ticket, error) {
	var text []byte
	if err := one(ctx, stmt, []any{key}, &text); err != nil {
		return approval.Ticket{}, err
	}
	return parseTicket(text)
}

func parseTicket(text []byte) (t approval.Ticket, err error) {
	if err := json.Unmarshal(text, &t); err != nil {
		return approval.Ticket{}, fmt.Errorf("reading a ticket: %w", err)
	}
	return t, nil
}

func (q *queries) approverNamed(ctx context.Context, name string) (a approval.Approver, err error) {
	err = one(ctx, q.approver, []any{name}, &a.Name, &a.Salt, &a.Iterations, &a.Key)
	return a, err
}

func scanRecord(rows *sql.Rows) (r evidence.Record, err error) {
	var at int64
	err = rows.Scan(&r.Index, &r.ID, &at, &r.Kind, &r.Prev, &r.BodyDigest, &r.Body, &r.Hash)
	r.Time = timeOf(at)
	return r, err
}

// timeOf reads a time column.
func timeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }
