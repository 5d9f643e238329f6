package gate

import (
	"context"
	"errors"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Store is the part of ledger.Store that a gate needs.
type Store interface {
	Commit(context.Context, ledger.Entry) (ledger.Receipt, error)
	Now(context.Context) (time.Time, error)
	Used(context.Context, []authz.TakeKey) ([]toolcall.Decimal, error)
	Ticket(ctx context.Context, id string) (approval.Ticket, error)
	Latest(context.Context, approval.Subject) (approval.Ticket, error)
	Observations(ctx context.Context, session string, tools []string) ([]ledger.Observation, error)
	Marks(ctx context.Context, session string) ([]ledger.Mark, error)
	Approvers(context.Context) ([]string, error)
	Breaker(ctx context.Context, agent, session string) (ledger.Breaker, error)
}

// DefaultDeadline bounds one look at the facts with the decision on them, and
// DefaultJudgeDeadline what a judge has in between.
const (
	DefaultDeadline      = 5 * time.Second
	DefaultJudgeDeadline = 20 * time.Second
)

// MinKey is the shortest state key, in bytes.
const MinKey = 32

// Options configure a Gate. Contract, Store and Key are required.
type Options struct {
	Contract func() *contract.Contract // the contract in force; nil from it = none loaded = BLOCK
	Store    Store
	Key      []byte            // state key: keys digests of redacted calls, provenance hashes and ticket copies
	Own      []string          // directories of the gate itself, links followed: no path constraint covers what lies in them
	Places   constraint.Places // resolved ${workspace}, ${home}, ${tmp}; "" = unknown
	Path     string            // PATH with which commands run; "" = unknown, and a program's name counts as it is
	Deadline time.Duration     // of one look at the facts; 0 = DefaultDeadline
	Now      func() time.Time  // for grants; nil = time.Now
	Signals  Collect           // of the environment, for judge and $signal; nil = every signal is unknown
	Judge    judge.Judge       // that a contract names builtin/grounded; nil = calls that it gets are BLOCK
	Models   Models            // all other judges; nil = calls that they get are BLOCK
	Poll     time.Duration     // how often a held call looks for its answer; 0 = 250 ms

	JudgeDeadline time.Duration // of one opinion; 0 = DefaultJudgeDeadline
}

// Models returns the judge that a contract sets. The error says why there is none,
// for operators.
type Models func(contract.Judge) (judge.Judge, error)

// Gate decides calls. It is safe for concurrent use.
type Gate struct {
	o Options
}

// New returns a gate. What is left out makes it refuse to start.
func New(o Options) (*Gate, error) {
	switch {
	case o.Contract == nil:
		return nil, errors.New("gate: no contract source")
	case o.Store == nil:
		return nil, errors.New("gate: no store, so nothing could be recorded")
	case len(o.Key) < MinKey:
		return nil, errors.New("gate: the state key is too short")
	}
	if o.Deadline <= 0 {
		o.Deadline = DefaultDeadline
	}
	if o.JudgeDeadline <= 0 {
		o.JudgeDeadline = DefaultJudgeDeadline
	}
	if o.Poll <= 0 {
		o.Poll = 250 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Gate{o: o}, nil
}

// Ask is one call as a door puts it to the gate.
type Ask struct {
	Door      string // which door asks: "mcp", "decide"; named in the record
	Principal authz.Principal
	Speaks    authz.Credential // by what right the principal speaks as its agent
	Session   string           // "" = none known
	Call      toolcall.Call
	Cwd       string        // working directory of the call, absolute; "" = none
	Live      catalog.State // how the live definition of the tool compares with the approved copy
	Asserted  Asserted      // facts that hold for this decision only
}

// Asserted are facts that the asker states itself. They serve one decision, are
// recorded as asserted, and never enter a session. Only the operator's own
// command passes any.
type Asserted struct {
	Turns   []string
	Results []AssertedResult
}

// AssertedResult is the result of an earlier call, as asserted.
type AssertedResult struct {
	Server, Tool string
	Arguments    toolcall.Value // absent = not known
	Result       toolcall.Value
}

// Answer is what Check says. Without an ALLOW the call must not run.
type Answer struct {
	Verdict        authz.Verdict
	Shadow         *authz.Verdict // in shadow mode: what the verdict would have been
	Reasons        []authz.Reason
	CallDigest     toolcall.Digest
	ContractDigest string
	CatalogDigest  string
	Evidence       EvidenceRef
	Uncovered      []string        // of a call that the judge blocks: what of it no words of the user authorize
	NoVerdict      judge.NoVerdict // of a call that the judge did not decide: why
	Overridable    bool            // the user may let the blocked call run all the same, once
	Ticket         *TicketRef      // of a held call
	Grant          *Grant          // with ALLOW only
}

// Code returns the code of the deciding reason.
func (a Answer) Code() authz.Code { return authz.Decision{Reasons: a.Reasons}.Code() }

// EvidenceRef names the record of a decision. The zero value says that there is
// none, which only a BLOCK can have.
type EvidenceRef struct {
	ID    string
	Index uint64
}

// TicketRef names the ticket of a held call.
type TicketRef struct {
	ID      string
	Expires time.Time
}

// Approved returns the approved copy of a server's catalog.
func (g *Gate) Approved(server string) (*catalog.Catalog, bool) {
	c := g.o.Contract()
	if c == nil {
		return nil, false
	}
	pinned, ok := c.Catalog(server)
	return pinned.Approved, ok
}

// Lists says whether an agent may see a tool: its contract lists the tool and
// does not block it, or only watches.
func (g *Gate) Lists(agent, server, tool string) bool {
	c := g.o.Contract()
	if c == nil || c.Agent(agent) == nil {
		return false
	}
	if c.Agent(agent).Shadow {
		return true
	}
	rule := c.Agent(agent).Rule(server, contract.ToolsCall, tool)
	return rule != nil && !rule.Blocked
}
