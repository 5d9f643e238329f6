package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Entry is one transaction. Kind, ID and Body are required; every other member
// is optional and independent.
type Entry struct {
	Kind evidence.Kind
	ID   string // name of the record; unique in the store

	Takes   []authz.Take       // to use up; the first that does not fit is a Conflict
	Open    *approval.Ticket   // to open, with Copy; an open ticket with the same Subject and Terms that lasts no longer is shared instead
	Copy    []byte             // sealed copy of the call for the approvers of Open
	Use     *Use               // ticket to use up
	Answer  *approval.Answer   // answer to write to its ticket, also that of Open or one shared for it; At is set by the store
	Enrol   *approval.Approver // approver to write; By says who may
	By      string             // enrolled approver in whose name approvers and credentials change; "" only while there is none
	Observe *Observation       // tool result to add to a session
	Marks   []Mark             // what a grant leaves behind in its session
	Seen    *Seen              // what the decision has seen of its session; ErrStale if there is more now
	Token   *Credential        // credential to write
	Opined  *Opined            // opinion to count; ErrStale if the judge is not to be asked any more

	// Body returns the canonical JSON body of the record. It is called inside
	// the transaction, again if the transaction is tried again, and must not
	// block.
	Body func(Stamp) ([]byte, error)
}

// Use names a ticket to use up: it must be approved, unexpired and fit.
type Use struct {
	Ticket  string
	Subject approval.Subject
	Terms   approval.Terms
}

// Of one session, a store keeps the newest MaxObservations results, and of these
// the newest that come to MaxObserved bytes of leaves: a session can last for
// ever. What is dropped states nothing any more, so that `from` and `identifiers`
// do not hold, which is the safe side: neither may stand in a clause of `never`.
// Marks and totals, by which a session is forbidden things, are never dropped.
const (
	MaxObservations = 256
	MaxObserved     = 16 << 20
)

// Observation is the result of a granted call, as the session keeps it.
type Observation struct {
	Session, Server, Tool string
	Leaves                []byte // facts.EncodeLeaves
}

// Mark says that a granted call of a session called a tool, or that an argument
// of it had a value: Argument is its path and Digest a keyed digest. Both are
// empty for the call itself. The same mark is kept once.
type Mark struct {
	Session, Server, Tool string
	Argument, Digest      string
}

// Seen is how many marks of a session a decision has looked at. A session only
// gains marks, so the same number means the same marks.
type Seen struct {
	Session string
	Marks   int
}

// Credential is a secret by which a caller may speak as an agent. Its secret is
// kept as a SHA-256 digest: it is random, so nothing can be guessed from that.
type Credential struct {
	Name   string
	Digest string // "" revokes the credential
}

// Stamp is what the transaction found out before it wrote the record.
type Stamp struct {
	Index    uint64
	Time     time.Time
	Conflict *Conflict        // nil = everything asked for is done
	Ticket   *approval.Ticket // the ticket that now stands for Open; nil without Open or on a Conflict
}

// Conflict says that nothing of the Entry but its record was written, and why.
type Conflict struct {
	Code   authz.Code
	Clause string // path of the limit in the contract, if it was one
	Detail string
}

// Receipt says that the record is durable.
type Receipt struct {
	Record evidence.Record
	Stamp
}

// ErrStale says that the session has gained marks, or opinions that keep the judge
// from being asked, since the decision looked at it: nothing was written, and the
// decision must be made again.
var ErrStale = errors.New("the session has changed since it was looked at")

// ErrNotFirst says that approvers and credentials change in the name of an
// approver, once there is one.
var ErrNotFirst = errors.New("an enrolled approver must agree")

// ErrNotFound says that the store holds nothing of that name.
var ErrNotFound = errors.New("not found")

// IsNotFound says whether err is ErrNotFound.
func IsNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// Store is what every store implements; consumers declare the part they need.
// storetest holds its contract. Every method is safe for concurrent use, and
// several processes may share one store.
type Store interface {
	// Commit runs one Entry as one durable transaction. After an error nothing
	// is promised: the entry may have been written or not.
	Commit(context.Context, Entry) (Receipt, error)

	// Now returns the store's clock, which never goes back behind the time of
	// the last record.
	Now(context.Context) (time.Time, error)
	// Used returns what has been used up, in the order of the keys.
	Used(context.Context, []authz.TakeKey) ([]toolcall.Decimal, error)
	// Ticket returns one ticket, or ErrNotFound.
	Ticket(ctx context.Context, id string) (approval.Ticket, error)
	// Latest returns the newest ticket of a subject, or ErrNotFound.
	Latest(context.Context, approval.Subject) (approval.Ticket, error)
	// Tickets returns the tickets, newest first, at most n.
	Tickets(ctx context.Context, n int) ([]approval.Ticket, error)
	// Copy returns the sealed copy of the call that a ticket is about, or
	// ErrNotFound once the ticket is closed: then the copy is erased.
	Copy(ctx context.Context, ticket string) ([]byte, error)
	// Approver returns an enrolled approver, or ErrNotFound.
	Approver(ctx context.Context, name string) (approval.Approver, error)
	// Approvers returns the names of all enrolled approvers.
	Approvers(context.Context) ([]string, error)
	// Observations returns the results of a session's calls to the named
	// tools ("server.tool"), oldest first, as far as they are kept.
	Observations(ctx context.Context, session string, tools []string) ([]Observation, error)
	// Marks returns what the granted calls of a session left behind.
	Marks(ctx context.Context, session string) ([]Mark, error)
	// Breaker returns the opinions of the judge that count of an agent in a
	// session; "" is calls without one, which share a Breaker.
	Breaker(ctx context.Context, agent, session string) (Breaker, error)
	// Credential returns the name of the credential with that digest, or
	// ErrNotFound.
	Credential(ctx context.Context, digest string) (string, error)
	// Credentials returns the names of all credentials that are not revoked.
	Credentials(context.Context) ([]string, error)
	// Head returns the link where the next record goes.
	Head(context.Context) (evidence.Link, error)
	// Records calls f with up to n records from index on, in order, until f
	// returns an error.
	Records(ctx context.Context, from uint64, n int, f func(evidence.Record) error) error
	// Record returns the record of that name, or ErrNotFound.
	Record(ctx context.Context, id string) (evidence.Record, error)
	// SaveContract keeps a contract's text under its digest, so that a record
	// can always be explained. Saving it again changes nothing.
	SaveContract(ctx context.Context, digest string, text []byte) error
	// Contract returns a text kept by SaveContract, or ErrNotFound.
	Contract(ctx context.Context, digest string) ([]byte, error)
	Close() error
}
