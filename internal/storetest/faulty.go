package storetest

import (
	"context"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Faulty is a store that fails where Fault says so: with an error, and either
// before anything happened or, with persist, after all of it did. The caller
// sees the same error both times, as after a lost connection.
//
// A point is the name of the method, for Commit followed by the kind of the
// record: "Commit.decision", "Used".
type Faulty struct {
	ledger.Store
	Fault func(point string) (err error, persist bool)
}

var _ ledger.Store = Faulty{}

// fail runs f unless the point fails before it.
func fail[V any](s Faulty, point string, f func() (V, error)) (V, error) {
	err, persist := s.Fault(point)
	if err == nil {
		return f()
	}
	var none V
	if persist {
		_, _ = f() // what comes of it is exactly what the caller can't know
	}
	return none, err
}

// Commit implements ledger.Store.
func (s Faulty) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	return fail(s, "Commit."+string(e.Kind), func() (ledger.Receipt, error) { return s.Store.Commit(ctx, e) })
}

// Now implements ledger.Store.
func (s Faulty) Now(ctx context.Context) (time.Time, error) {
	return fail(s, "Now", func() (time.Time, error) { return s.Store.Now(ctx) })
}

// Used implements ledger.Store.
func (s Faulty) Used(ctx context.Context, keys []authz.TakeKey) ([]toolcall.Decimal, error) {
	return fail(s, "Used", func() ([]toolcall.Decimal, error) { return s.Store.Used(ctx, keys) })
}

// Ticket implements ledger.Store.
func (s Faulty) Ticket(ctx context.Context, id string) (approval.Ticket, error) {
	return fail(s, "Ticket", func() (approval.Ticket, error) { return s.Store.Ticket(ctx, id) })
}

// Latest implements ledger.Store.
func (s Faulty) Latest(ctx context.Context, subject approval.Subject) (approval.Ticket, error) {
	return fail(s, "Latest", func() (approval.Ticket, error) { return s.Store.Latest(ctx, subject) })
}

// Tickets implements ledger.Store.
func (s Faulty) Tickets(ctx context.Context, n int) ([]approval.Ticket, error) {
	return fail(s, "Tickets", func() ([]approval.Ticket, error) { return s.Store.Tickets(ctx, n) })
}

// Copy implements ledger.Store.
func (s Faulty) Copy(ctx context.Context, ticket string) ([]byte, error) {
	return fail(s, "Copy", func() ([]byte, error) { return s.Store.Copy(ctx, ticket) })
}

// Approver implements ledger.Store.
func (s Faulty) Approver(ctx context.Context, name string) (approval.Approver, error) {
	return fail(s, "Approver", func() (approval.Approver, error) { return s.Store.Approver(ctx, name) })
}

// Approvers implements ledger.Store.
func (s Faulty) Approvers(ctx context.Context) ([]string, error) {
	return fail(s, "Approvers", func() ([]string, error) { return s.Store.Approvers(ctx) })
}

// Observations implements ledger.Store.
func (s Faulty) Observations(ctx context.Context, session string, tools []string) ([]ledger.Observation, error) {
	return fail(s, "Observations", func() ([]ledger.Observation, error) { return s.Store.Observations(ctx, session, tools) })
}

// Marks implements ledger.Store.
func (s Faulty) Marks(ctx context.Context, session string) ([]ledger.Mark, error) {
	return fail(s, "Marks", func() ([]ledger.Mark, error) { return s.Store.Marks(ctx, session) })
}

// Breaker implements ledger.Store.
func (s Faulty) Breaker(ctx context.Context, agent, session string) (ledger.Breaker, error) {
	return fail(s, "Breaker", func() (ledger.Breaker, error) { return s.Store.Breaker(ctx, agent, session) })
}

// Credential implements ledger.Store.
func (s Faulty) Credential(ctx context.Context, digest string) (string, error) {
	return fail(s, "Credential", func() (string, error) { return s.Store.Credential(ctx, digest) })
}

// Credentials implements ledger.Store.
func (s Faulty) Credentials(ctx context.Context) ([]string, error) {
	return fail(s, "Credentials", func() ([]string, error) { return s.Store.Credentials(ctx) })
}

// Head implements ledger.Store.
func (s Faulty) Head(ctx context.Context) (evidence.Link, error) {
	return fail(s, "Head", func() (evidence.Link, error) { return s.Store.Head(ctx) })
}

// Records implements ledger.Store.
func (s Faulty) Records(ctx context.Context, from uint64, n int, f func(evidence.Record) error) error {
	_, err := fail(s, "Records", func() (struct{}, error) { return struct{}{}, s.Store.Records(ctx, from, n, f) })
	return err
}

// Record implements ledger.Store.
func (s Faulty) Record(ctx context.Context, id string) (evidence.Record, error) {
	return fail(s, "Record", func() (evidence.Record, error) { return s.Store.Record(ctx, id) })
}

// SaveContract implements ledger.Store.
func (s Faulty) SaveContract(ctx context.Context, digest string, text []byte) error {
	_, err := fail(s, "SaveContract", func() (struct{}, error) { return struct{}{}, s.Store.SaveContract(ctx, digest, text) })
	return err
}

// Contract implements ledger.Store.
func (s Faulty) Contract(ctx context.Context, digest string) ([]byte, error) {
	return fail(s, "Contract", func() ([]byte, error) { return s.Store.Contract(ctx, digest) })
}
