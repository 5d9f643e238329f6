package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/toolcall"
)

// request is one call on its way through the gate: what was asked, the contract
// that judges it, and what of it may be written down.
type request struct {
	id       string // of the record
	ask      Ask
	contract *contract.Contract
	rule     *contract.Rule // nil = the contract does not list the tool
	raw      []byte         // input that is no call

	kept     toolcall.Value  // arguments as evidence keeps them: redacted and cut
	beside   toolcall.Value  // the same of what else the call carries
	secrets  bool            // something was redacted: digests are keyed, details left out
	digest   toolcall.Digest // of the call, keyed if secrets
	place    string          // working directory by identity, once needed for a ticket
	operands string          // what a command of the call is about on disk: facts.Operands
	affected string          // what a call that is handed to the judge would do: judge.Case.Affected
	ticket   string          // the ticket that stands for this call, once looked up
	now      time.Time       // the store's clock, once read for the ticket

	signals  *signals.Report  // what collectors saw last; nil = none was asked
	turnless bool             // a clause asks what the user wrote, and that is not known
	asked    asked            // for the second look
	judged   *Judgement       // what the judge says, once asked
	silent   *Judgement       // that it had no opinion when the decision was made before; nil = it has not been asked
	opined   *ledger.Opined   // what of it counts
	marks    []ledger.Mark    // what a grant leaves behind in the session
	seen     *ledger.Seen     // what was looked at of the session
	over     string           // limits that the call goes beyond, and a person may lift
	opened   *approval.Ticket // of a held call
	sealed   []byte           // what the approvers of opened see
}

func (g *Gate) newRequest(a Ask) *request {
	r := &request{id: approval.NewID("d-"), ask: a, contract: g.o.Contract()}
	r.rule = rule(r.contract, a.Call)
	r.kept = a.Call.Arguments
	if r.contract != nil {
		r.kept, r.secrets = r.contract.Redact(a.Call.Server, a.Call.Tool, r.kept)
	}
	kept, found := evidence.Redact(r.kept)
	beside, more := evidence.Redact(a.Call.Params)
	r.kept, r.beside, r.secrets = evidence.Cut(kept), evidence.Cut(beside), r.secrets || found || more
	r.digest = a.Call.Digest()
	if r.secrets {
		r.digest = a.Call.KeyedDigest(g.o.Key)
	}
	return r
}

func (r *request) caller() contract.Caller {
	return contract.Caller{User: r.ask.Principal.User, Session: r.ask.Session}
}

// marksOf returns what a grant of this call leaves behind in its session: that
// the tool was called, whether a contract asks for it today or not, and what
// values the arguments had that the contract watches.
func (g *Gate) marksOf(ctx context.Context, r *request) ([]ledger.Mark, error) {
	c := r.ask.Call
	if r.ask.Session == "" {
		return nil, nil
	}
	watched, _ := r.contract.Watches(c.Server, c.Tool)
	marks, err := g.madeMarks(ctx, r)
	if err != nil {
		return nil, err
	}
	marks = append(marks, ledger.Mark{Session: r.ask.Session, Server: c.Server, Tool: c.Tool})
	for _, path := range watched {
		values := path.Select(c.Arguments).Values
		if len(values) == 0 {
			continue
		}
		q := constraint.Question{Key: "marks", Digest: &constraint.DigestQuestion{Values: values}}
		answers, err := facts.Answer(ctx, facts.Input{Questions: []constraint.Question{q}, Key: g.o.Key})
		if err != nil {
			return nil, err
		}
		for _, digest := range answers.Digests[q.Key] {
			marks = append(marks, ledger.Mark{Session: r.ask.Session, Server: c.Server, Tool: c.Tool, Argument: path.String(), Digest: digest})
		}
	}
	return marks, nil
}

// subject names the call. Where something of it is secret, digests that stand in
// records too are keyed.
func (g *Gate) subject(r *request) approval.Subject {
	c := r.ask.Call
	s := approval.Subject{
		Agent: c.Agent, User: r.ask.Principal.User, Session: r.ask.Session,
		Server: c.Server, Method: c.Method, Tool: c.Tool, Call: string(r.digest), Cwd: r.place, Operands: r.operands, Affected: r.affected,
	}
	if r.secrets && s.Operands != "" {
		s.Operands = g.keyed("operands", s.Operands)
	}
	if r.secrets && s.Affected != "" {
		s.Affected = g.keyed("affected", s.Affected)
	}
	return s
}

func (r *request) terms() approval.Terms {
	t := approval.Terms{Contract: r.contract.Digest(), Over: r.over}
	if r.rule != nil {
		t.Definition = r.rule.ToolDigest
	}
	return t
}

// open makes the ticket for a held call, and the sealed copy that its approvers
// see: the call, and what the judge says of it with the turns that it saw.
func (g *Gate) open(r *request, panels []authz.Panels) (err error) {
	terms := r.contract.Approvals()
	r.opened = &approval.Ticket{
		ID: approval.NewID("t-"), Subject: g.subject(r), Terms: r.terms(),
		Opened: r.now, Expires: r.now.Add(terms.Expire), Panels: panels,
	}
	copied := object{{Name: "arguments", Value: r.ask.Call.Arguments}, {Name: "params", Value: r.ask.Call.Params}}
	if r.judged != nil {
		copied.value("opinion", r.judged.kept(true))
		copied.value("turns", texts(r.judged.Case.Turns))
	}
	if r.signals != nil {
		copied.value("signals", signalsKept(r.signals.Signals, true))
	}
	r.sealed, err = approval.Seal(g.o.Key, r.opened.ID, copied.canonical())
	return err
}

func (r *request) answer(d authz.Decision, receipt ledger.Receipt) Answer {
	a := Answer{
		Verdict: d.Verdict, Shadow: d.Shadow, Reasons: d.Reasons, CallDigest: r.digest,
		Evidence: EvidenceRef{ID: r.id, Index: receipt.Record.Index}, Overridable: r.soft(d),
	}
	r.name(&a)
	switch {
	case d.Code() == authz.JudgeNoVerdict:
		a.NoVerdict = r.noVerdict()
	case d.Code() == authz.JudgeBlock && r.judged != nil:
		a.Uncovered = r.judged.uncovered()
	}
	if d.Verdict == authz.RequireApproval && receipt.Ticket != nil {
		a.Ticket = &TicketRef{ID: receipt.Ticket.ID, Expires: receipt.Ticket.Expires}
	}
	return a
}

// noVerdict says why there is no opinion on the call.
func (r *request) noVerdict() judge.NoVerdict {
	if r.judged == nil {
		return judge.Internal
	}
	return r.judged.Opinion.NoVerdict
}

// unrecorded is the answer when the decision could not be recorded.
func (r *request) unrecorded(err error) Answer {
	a := Answer{CallDigest: r.digest, Reasons: []authz.Reason{{Code: authz.NoEvidence, Detail: err.Error()}}}
	r.name(&a)
	return a
}

// name says which contract and catalog judged the call.
func (r *request) name(a *Answer) {
	if r.contract == nil {
		return
	}
	a.ContractDigest = r.contract.Digest()
	if pinned, ok := r.contract.Catalog(r.ask.Call.Server); ok {
		a.CatalogDigest = pinned.Pin
	}
}

// commitOutcome records what became of a granted call and, where a contract
// reads the tool's results, what values stood in the result. A result that can't
// be read is not kept, so that nothing counts as stated by it.
func (g *Gate) commitOutcome(ctx context.Context, decision string, a Ask, o Outcome, observe bool) error {
	e := ledger.Entry{Kind: evidence.Outcome, ID: approval.NewID("o-")}
	if observe && o.Status == Succeeded && a.Session != "" {
		leaves, cut, err := facts.Observe(g.o.Key, o.Result)
		switch {
		case err != nil:
			o.Detail = "no value of the result counts as stated: " + err.Error()
		case cut:
			o.Detail = "values at the end of the result do not count as stated: it is too large"
		}
		if err == nil {
			e.Observe = &ledger.Observation{
				Session: a.Session, Server: a.Call.Server, Tool: a.Call.Tool, Leaves: facts.EncodeLeaves(leaves),
			}
		}
	}
	e.Body = func(ledger.Stamp) ([]byte, error) { return outcomeBody(decision, a, o), nil }
	if _, err := g.commit(ctx, e); err != nil {
		return fmt.Errorf("recording the outcome of %s: %w", decision, err)
	}
	return nil
}
