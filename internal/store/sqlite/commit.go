package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
)

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the store is closed")

// ErrReadOnly says that the store was opened with Options.ReadOnly.
var ErrReadOnly = errors.New("the store is open for reading only")

// job is an entry on its way through the committer.
type job struct {
	entry ledger.Entry
	done  chan result // holds one, so that the committer never waits for a caller
}

type result struct {
	receipt ledger.Receipt
	err     error
}

// Commit implements ledger.Store. If ctx ends before the committer takes the
// entry up, nothing of it is written; after that the result is waited for.
func (s *Store) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	j := job{e, make(chan result, 1)}
	if err := s.enqueue(ctx, j); err != nil {
		return ledger.Receipt{}, fmt.Errorf("committing record %s: %w", e.ID, err)
	}
	r := <-j.done
	return r.receipt, r.err
}

func (s *Store) enqueue(ctx context.Context, j job) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil { // select would choose at random
		return err
	}
	select {
	case s.queue <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close takes no more entries, waits for those it has, and closes the database.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.queue)
	s.mu.Unlock()
	return errors.Join(<-s.drained, s.db.Close())
}

// refuse is the round of a store that is open for reading only.
func refuse(jobs []job) {
	for _, j := range jobs {
		j.done <- result{err: ErrReadOnly}
	}
}

// serve hands what is queued to round, group by group, until the queue closes.
func (s *Store) serve(group int, round func([]job), end func() error) {
	defer func() { s.drained <- end() }()
	for first := range s.queue {
		jobs := append(make([]job, 0, group), first)
		runtime.Gosched() // let callers that are about to queue share this sync
		for len(jobs) < group {
			j, more := s.waiting()
			if !more {
				break
			}
			jobs = append(jobs, j)
		}
		round(jobs)
	}
}

// waiting returns the next entry if one waits already.
func (s *Store) waiting() (job, bool) {
	select {
	case j, open := <-s.queue:
		return j, open
	default:
		return job{}, false
	}
}

// writer is the committer's end of the database.
type writer struct {
	statements
	conn  *sql.Conn
	read  *queries
	clock func() time.Time
	files map[string]fs.FileInfo // what the connection has open, by name

	inserts                                       [len(insertSizes)]*sql.Stmt
	taken                                         *sql.Stmt
	take, open, change, keep, erase, eraseExpired *sql.Stmt
	enrol, observe, forget, mark, admit, revoke   *sql.Stmt
	count                                         *sql.Stmt
}

// insertSizes are how many records one statement writes: that costs half of
// writing them one by one.
var insertSizes = [...]int{64, 16, 4, 1}

func newWriter(ctx context.Context, db *sql.DB, file string, clock func() time.Time) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, clock: clock, files: map[string]fs.FileInfo{}}
	if err := w.prepareAll(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	for _, name := range []string{file, file + "-wal"} {
		if w.files[name], err = os.Stat(name); err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return w, nil
}

// checkFiles finds out whether the files that were written are still the ones
// that the next process will open. SQLite goes on with deleted files as if
// nothing had happened, and what it writes there is lost.
func (w *writer) checkFiles() error {
	for name, opened := range w.files {
		found, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("the database is gone: %w", err)
		}
		if !os.SameFile(opened, found) {
			return fmt.Errorf("%s was replaced", name)
		}
	}
	return nil
}

// close gives the connection back: closing the database spares those in use.
func (w *writer) close() error {
	return errors.Join(w.read.close(), w.statements.close(), w.conn.Close())
}

func (w *writer) prepareAll(ctx context.Context) (err error) {
	if w.read, err = prepareQueries(ctx, w.conn); err != nil {
		return err
	}
	texts := map[**sql.Stmt]string{
		&w.taken:        `SELECT EXISTS (SELECT 1 FROM records WHERE id = ?)`,
		&w.take:         `INSERT INTO takes (counter, session, at, total) VALUES (?, ?, ?, ?)`,
		&w.open:         `INSERT INTO tickets (id, agent, subject, open, expires, ticket) VALUES (?, ?, ?, 1, ?, ?)`,
		&w.change:       `UPDATE tickets SET open = ?, ticket = ? WHERE id = ?`,
		&w.keep:         `INSERT INTO copies (ticket, expires, sealed) VALUES (?, ?, ?)`,
		&w.erase:        `DELETE FROM copies WHERE ticket = ?`,
		&w.eraseExpired: `DELETE FROM copies WHERE expires <= ?`,
		&w.enrol:        `INSERT OR REPLACE INTO approvers (name, salt, iterations, key) VALUES (?, ?, ?, ?)`,
		&w.mark:         `INSERT OR IGNORE INTO marks (session, server, tool, argument, digest) VALUES (?, ?, ?, ?, ?)`,
		&w.count:        `INSERT OR REPLACE INTO breakers (agent, session, opinions) VALUES (?, ?, ?)`,
		&w.admit:        `INSERT OR REPLACE INTO credentials (name, digest) VALUES (?, ?)`,
		&w.revoke:       `DELETE FROM credentials WHERE name = ?`,
		&w.forget: `DELETE FROM observations WHERE idx IN (SELECT idx FROM (
			SELECT idx, count(*) OVER newest AS results, sum(length(leaves)) OVER newest AS bytes
			FROM observations WHERE session = ? WINDOW newest AS (ORDER BY idx DESC)
			) WHERE results > ? OR bytes > ?)`,
		&w.observe: `INSERT INTO observations (idx, session, server, tool, leaves) VALUES (?, ?, ?, ?, ?)`,
	}
	const record = `, (?, ?, ?, ?, ?, ?, ?, ?)`
	for i, n := range insertSizes {
		texts[&w.inserts[i]] = `INSERT INTO records (` + recordColumns + `) VALUES ` + strings.Repeat(record, n)[2:]
	}
	return w.prepare(ctx, w.conn, texts)
}

// round runs one group as one transaction, and answers when it is durable.
func (w *writer) round(jobs []job) {
	results, err := w.transact(jobs, false)
	if isUnique(err) { // rare: looking at every name first would slow every group
		results, err = w.transact(jobs, true)
	}
	if err == nil {
		err = w.checkFiles()
	}
	for i, j := range jobs {
		if err != nil {
			j.done <- result{err: fmt.Errorf("committing record %s: %w", j.entry.ID, err)}
		} else {
			j.done <- results[i]
		}
	}
}

func (w *writer) transact(jobs []job, look bool) (results []result, err error) {
	ctx := context.Background() // what is taken up is finished
	err = inTransaction(ctx, w.conn, func() error {
		results, err = w.write(ctx, jobs, look)
		return err
	})
	return results, err
}

// isUnique says whether err is a name that is in its table already.
func isUnique(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// write settles and writes a group inside a transaction. The returned error is
// that of the database and fails the group; the results hold each entry's own.
// With look, an entry whose name is in the log already fails alone; without, the
// database finds it and fails the group.
func (w *writer) write(ctx context.Context, jobs []job, look bool) ([]result, error) {
	head, err := w.read.headLink(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the head: %w", err)
	}
	if _, err := w.eraseExpired.ExecContext(ctx, head.At(w.clock()).UnixNano()); err != nil {
		return nil, fmt.Errorf("erasing copies of expired tickets: %w", err)
	}
	taken := make(map[string]bool, len(jobs))
	if look {
		if err := w.lookUp(ctx, jobs, taken); err != nil {
			return nil, fmt.Errorf("looking for names of records: %w", err)
		}
	}
	view := w.read.view(ctx)
	results := make([]result, len(jobs))
	records := make([]evidence.Record, 0, len(jobs))
	for i, j := range jobs {
		if taken[j.entry.ID] {
			results[i].err = fmt.Errorf("committing record %s: the name is taken", j.entry.ID)
			continue
		}
		plan, err := ledger.Settle(j.entry, view, head, w.clock())
		if err != nil {
			results[i].err = err
			continue
		}
		if err := w.writePlan(ctx, plan); err != nil {
			return nil, fmt.Errorf("writing beside record %s: %w", j.entry.ID, err)
		}
		results[i].receipt = plan.Receipt
		taken[j.entry.ID] = true
		head = evidence.After(plan.Record)
		records = append(records, plan.Record)
	}
	if err := w.insertRecords(ctx, records); err != nil {
		return nil, fmt.Errorf("writing records: %w", err)
	}
	return results, nil
}

// lookUp adds the names of entries that are in the log already.
func (w *writer) lookUp(ctx context.Context, jobs []job, taken map[string]bool) error {
	for _, j := range jobs {
		var there bool
		if err := one(ctx, w.taken, []any{j.entry.ID}, &there); err != nil {
			return err
		}
		taken[j.entry.ID] = there
	}
	return nil
}

// insertRecords writes records in order, in statements as long as they go.
func (w *writer) insertRecords(ctx context.Context, records []evidence.Record) error {
	args := make([]any, 0, 8*min(len(records), insertSizes[0]))
	for i, n := range insertSizes {
		for ; len(records) >= n; records = records[n:] {
			args = args[:0]
			for _, r := range records[:n] {
				args = append(args, int64(r.Index), r.ID, r.Time.UnixNano(), string(r.Kind), r.Prev, r.BodyDigest, string(r.Body), r.Hash)
			}
			if _, err := w.inserts[i].ExecContext(ctx, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePlan writes all of a plan but its record.
func (w *writer) writePlan(ctx context.Context, p ledger.Plan) error {
	for _, t := range p.Totals {
		if _, err := w.take.ExecContext(ctx, t.Counter, sessionOf(t.Tally), p.Time.UnixNano(), t.Value.String()); err != nil {
			return err
		}
	}
	if p.Opened != nil {
		if err := w.openTicket(ctx, *p.Opened, p.Copy); err != nil {
			return err
		}
	}
	for _, t := range p.Changed {
		if err := w.changeTicket(ctx, t, p.Time); err != nil {
			return err
		}
	}
	if a := p.Enrol; a != nil {
		if _, err := w.enrol.ExecContext(ctx, a.Name, blob(a.Salt), a.Iterations, blob(a.Key)); err != nil {
			return err
		}
	}
	if o := p.Observe; o != nil {
		if _, err := w.observe.ExecContext(ctx, int64(p.Index), o.Session, o.Server, o.Tool, blob(o.Leaves)); err != nil {
			return err
		}
		if _, err := w.forget.ExecContext(ctx, o.Session, ledger.MaxObservations, ledger.MaxObserved); err != nil {
			return err
		}
	}
	for _, m := range p.Marks {
		if _, err := w.mark.ExecContext(ctx, m.Session, m.Server, m.Tool, m.Argument, m.Digest); err != nil {
			return err
		}
	}
	if err := w.writeBreaker(ctx, p.Breaker); err != nil {
		return err
	}
	return w.writeCredential(ctx, p.Token)
}

func (w *writer) writeBreaker(ctx context.Context, b *ledger.Kept) error {
	if b == nil {
		return nil
	}
	text, err := json.Marshal(b.Breaker)
	if err != nil {
		return err
	}
	_, err = w.count.ExecContext(ctx, b.Agent, b.Session, string(text))
	return err
}

func (w *writer) writeCredential(ctx context.Context, c *ledger.Credential) error {
	if c == nil {
		return nil
	}
	if c.Digest == "" {
		_, err := w.revoke.ExecContext(ctx, c.Name)
		return err
	}
	_, err := w.admit.ExecContext(ctx, c.Name, c.Digest)
	return err
}

// blob is b for a column that is NOT NULL: nil would be NULL.
func blob(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (w *writer) openTicket(ctx context.Context, t approval.Ticket, sealed []byte) error {
	subject, err := json.Marshal(t.Subject)
	if err != nil {
		return err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	expires := t.Expires.UnixNano()
	if _, err := w.open.ExecContext(ctx, t.ID, t.Subject.Agent, string(subject), expires, string(text)); err != nil {
		return err
	}
	if sealed != nil {
		_, err = w.keep.ExecContext(ctx, t.ID, expires, sealed)
	}
	return err
}

func (w *writer) changeTicket(ctx context.Context, t approval.Ticket, now time.Time) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	state := t.State(now)
	if _, err := w.change.ExecContext(ctx, state == approval.Open, string(text), t.ID); err != nil {
		return err
	}
	if state.Closed() {
		_, err = w.erase.ExecContext(ctx, t.ID)
	}
	return err
}
