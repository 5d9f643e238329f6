package decide

import (
	"cmp"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Facts is what a decision reads beside the contract and the call. The zero
// Facts permit nothing.
type Facts struct {
	Caller   contract.Caller                    // user and session of the call; "" = none known
	Speaks   authz.Credential                   // by what right the caller speaks as the agent
	Live     catalog.State                      // how the tool's live definition compares with the approved copy
	Answers  constraint.Answers                 // what the clauses asked of the world
	Used     map[authz.TakeKey]toolcall.Decimal // what is used up of each limit; a missing key is unknown
	Approval Approval                           // the ticket of exactly this call
	Judged   Judged                             // what the judge thinks of it
}

// Judged is what a judge thinks of this call. The zero Judged is that it has not
// been asked.
type Judged struct {
	Asked     bool
	Breaker   bool // it has not been and is not to be asked: it has blocked too many calls
	Opinion   authz.Opinion
	Soft      bool   // without a usable opinion: the failure is one after which the contract may ask a person
	Reachable bool   // enough approvers are enrolled to answer
	Why       string // for operators
}

// Approval is what a ticket says of this call. The zero Approval is no ticket.
type Approval struct {
	Granted bool       // approved, unexpired, unused, and it fits
	Denied  bool       // a person refused this call, and the ticket has not expired
	Misfit  authz.Code // why the ticket that the call names can't serve; "" = none named, or it fits
}

// Decide gives the decision of contract.md, section 2: never before allow before
// judge before approve before BLOCK, then limits, then the ticket, then the
// opinion of a judge; of a rule and those that it extends the strictest. It never
// permits after an error and has no other outcome than a Decision with a reason.
func Decide(c *contract.Contract, call toolcall.Call, f Facts) authz.Decision {
	if c == nil {
		return authz.Blocked(authz.NoContract, "", "no contract is loaded")
	}
	agent := c.Agent(call.Agent)
	if agent == nil {
		return authz.Blocked(authz.UnknownAgent, "", "the contract has no agent "+call.Agent)
	}
	d := enforce(c, agent, &call, &f)
	if agent.Shadow {
		return shadow(d)
	}
	return d
}

func enforce(c *contract.Contract, agent *contract.Agent, call *toolcall.Call, f *Facts) authz.Decision {
	rule, refused := find(agent, call, f)
	if rule == nil {
		return refused
	}
	if err := rule.Check(call.Arguments); err != nil {
		return authz.Blocked(authz.InvalidArguments, rule.Path(), err.Error())
	}
	d := weighAll(rule, call.Arguments, &f.Answers)
	if d.Verdict == authz.Block {
		return d
	}
	d = limit(d, c, rule, call.Arguments, f)
	if d.Verdict == authz.Block {
		return d
	}
	if d = approve(d, f.Approval); d.Judge {
		return opine(d, c, f.Judged)
	}
	return d
}

// find returns the rule for a call of agent that may be judged at all.
func find(agent *contract.Agent, call *toolcall.Call, f *Facts) (*contract.Rule, authz.Decision) {
	if agent.Token != "" && agent.Token != f.Speaks.Token && !f.Speaks.Operator {
		return nil, authz.Blocked(authz.Unauthenticated, "agents."+agent.Name, "the door has not the credential that may speak as this agent")
	}
	name := cmp.Or(call.Tool, call.Method)
	rule := agent.Rule(call.Server, call.Method, call.Tool)
	switch {
	case rule == nil:
		return nil, authz.Blocked(authz.NotListed, "agents."+agent.Name, "nothing lists "+call.Server+" "+name+" for this agent")
	case blocking(rule) != nil:
		return nil, authz.Blocked(authz.BlockedTool, blocking(rule).Path(), "the contract says block")
	case call.Tool == "" || f.Live == catalog.Pinned:
		return rule, authz.Decision{}
	case f.Live == catalog.Unverified:
		return nil, authz.Blocked(authz.CatalogUnverified, rule.Path(), "the live definition of "+name+" could not be compared with the approved copy")
	default:
		return nil, authz.Blocked(authz.Quarantined, rule.Path(), "the live definition of "+name+" differs from the approved copy")
	}
}

// blocking returns the rule that says block: this one or one that it extends.
func blocking(rule *contract.Rule) *contract.Rule {
	for ; rule != nil; rule = rule.Base() {
		if rule.Blocked {
			return rule
		}
	}
	return nil
}

// weighAll gives the strictest verdict of a rule and those that it extends. An
// error in any of them blocks. Where several hold the call, each must have its
// approval.
func weighAll(rule *contract.Rule, args toolcall.Value, a *constraint.Answers) authz.Decision {
	d := weigh(rule, args, a)
	for base := rule.Base(); base != nil; base = base.Base() {
		panels := d.Panels
		if b := weigh(base, args, a); rank(b) < rank(d) || b.Code() == authz.EvaluationError {
			panels, d = b.Panels, b
		} else if rank(b) == rank(d) {
			panels = append(panels, b.Panels...)
		}
		d.Panels = panels
	}
	return d
}

// rank orders what rules say, the strictest first: BLOCK, approve, judge, allow.
func rank(d authz.Decision) int {
	if d.Judge {
		return 2*int(d.Verdict) + 1
	}
	return 2 * int(d.Verdict)
}

// weigh evaluates every clause of one rule that can change the decision. Those
// that can fail always can, so that an error is found also when another clause
// would have decided (rule 3).
func weigh(rule *contract.Rule, args toolcall.Value, a *constraint.Answers) authz.Decision {
	w := weighing{args: args, answers: *a}
	never, match := w.forbid(rule.Never)
	enough := 1
	if never != nil {
		enough = 0
	}
	allow, misses := w.permit(rule.Allow, enough, make([]missed, 0, 4))
	if len(allow) > 0 {
		enough = 0
	}
	judge, misses := w.permit(rule.Judge, enough, misses)
	enough = len(rule.Approve) // each adds to who may approve
	if never != nil || len(allow)+len(judge) > 0 {
		enough = 0
	}
	ask, misses := w.permit(rule.Approve, enough, misses)
	switch {
	case w.err != nil:
		return authz.Blocked(authz.EvaluationError, w.failed.Path(), w.err.Error())
	case never != nil:
		return authz.Blocked(authz.NeverClause, never.Path(), match.String())
	case len(allow) > 0:
		return permitted(authz.Allow, authz.AllowClause, allow[0])
	case len(judge) > 0:
		d := permitted(authz.RequireApproval, authz.JudgeNoVerdict, judge[0])
		d.Judge = true
		return d
	case len(ask) > 0:
		d := permitted(authz.RequireApproval, authz.ApproveClause, ask[0])
		d.Panels = []authz.Panels{panelsOf(ask)}
		return d
	}
	reasons := make([]authz.Reason, 1, 1+len(misses))
	reasons[0] = authz.Reason{Code: authz.NoClause, Clause: rule.Path(), Detail: "no clause permits these arguments"}
	for _, m := range misses {
		reasons = append(reasons, authz.Reason{Code: authz.NoClause, Clause: m.clause.Path(), Detail: m.why.String()})
	}
	return authz.Decision{Reasons: reasons}
}

func permitted(v authz.Verdict, code authz.Code, c *contract.Clause) authz.Decision {
	return authz.Decision{Verdict: v, Reasons: []authz.Reason{{Code: code, Clause: c.Path()}}}
}

// panelsOf returns who may approve: any of the clauses that hold is enough, so
// that the order of clauses changes nothing and another clause only widens.
func panelsOf(clauses []*contract.Clause) (panels authz.Panels) {
	for _, c := range clauses {
		approvers, quorum := c.Panel()
		panels = append(panels, authz.Panel{Approvers: approvers, Quorum: quorum})
	}
	return panels
}

// weighing evaluates the clauses of one rule for one call.
type weighing struct {
	args    toolcall.Value
	answers constraint.Answers
	failed  *contract.Clause // the first that could not be evaluated
	err     error
}

// missed is a clause that does not hold, and why.
type missed struct {
	clause *contract.Clause
	why    contract.Miss
}

// forbid returns the first clause that forbids the call, nil if none does, and
// what it matched. Once one does, only those that can fail are evaluated.
func (w *weighing) forbid(clauses []*contract.Clause) (first *contract.Clause, match contract.Miss) {
	for _, k := range clauses {
		if first != nil && !k.CanFail() {
			continue
		}
		ok, miss, err := k.Forbids(w.args, w.answers)
		w.fail(k, err)
		if ok && first == nil {
			first, match = k, miss
		}
	}
	return first, match
}

// permit returns clauses that permit the call, and misses with those that do not.
// Once there are enough, only those that can fail are evaluated.
func (w *weighing) permit(clauses []*contract.Clause, enough int, misses []missed) ([]*contract.Clause, []missed) {
	var held []*contract.Clause
	for _, k := range clauses {
		if len(held) >= enough && !k.CanFail() {
			continue
		}
		ok, miss, err := k.Permits(w.args, w.answers)
		w.fail(k, err)
		if ok {
			held = append(held, k)
		} else {
			misses = append(misses, missed{k, miss})
		}
	}
	return held, misses
}

// fail notes an error, if there is one.
func (w *weighing) fail(k *contract.Clause, err error) {
	if err != nil && w.err == nil {
		w.failed, w.err = k, err
	}
}

// limit turns a permission into BLOCK when a limit of the tool or the agent is
// used up or can't be counted, or into a question where the limit says so, and
// says what a grant would take.
func limit(d authz.Decision, c *contract.Contract, rule *contract.Rule, args toolcall.Value, f *Facts) authz.Decision {
	takes, err := rule.Takes(f.Caller, args)
	if err != nil {
		return authz.Blocked(authz.LimitUncountable, rule.Path(), err.Error())
	}
	var over []authz.Reason
	for i, t := range takes {
		used, known := f.Used[t.Key()]
		if !known {
			return authz.Blocked(authz.FactsFailed, t.Clause, "what is used up of this limit is not known")
		}
		fits, err := Fits(t, used)
		switch {
		case err != nil:
			return authz.Blocked(authz.EvaluationError, t.Clause, err.Error())
		case !fits && !t.Ask:
			return authz.Blocked(authz.LimitReached, t.Clause, Reached(t, used))
		case !fits:
			takes[i].Lifted = true
			over = append(over, authz.Reason{Code: authz.LimitReached, Clause: t.Clause, Detail: Reached(t, used)})
		}
	}
	d.Takes = takes
	if len(over) > 0 {
		d.Verdict, d.Reasons = authz.RequireApproval, append(over, d.Reasons...)
		who := c.Approvals()
		d.Panels = append(d.Panels, authz.Panels{{Approvers: who.Approvers, Quorum: who.Quorum}})
	}
	return d
}

// approve lets a ticket stand in for the judge and approve steps, and for nothing
// else.
func approve(d authz.Decision, a Approval) authz.Decision {
	switch {
	case a.Misfit != "":
		return authz.Blocked(a.Misfit, "", "the approval that the call names can't serve it")
	case d.Verdict != authz.RequireApproval:
		return d
	case a.Denied:
		return authz.Blocked(authz.ApprovalDenied, d.Reasons[0].Clause, "a person refused this call")
	case a.Granted:
		d.Verdict, d.Judge = authz.Allow, false
		d.Reasons = []authz.Reason{{Code: authz.Approved, Clause: d.Reasons[0].Clause}}
	}
	return d
}

// lifted are the codes that shadow mode lets pass: what clauses and limits say.
// Malformed input, a changed tool, a fact that failed and a ticket that does not
// fit stay what they are.
var lifted = map[authz.Code]bool{
	authz.AllowClause: true, authz.Approved: true, authz.ApproveClause: true,
	authz.NotListed: true, authz.BlockedTool: true, authz.NeverClause: true, authz.NoClause: true,
	authz.JudgeAllow: true, authz.JudgeBlock: true, authz.JudgeUnsure: true, authz.JudgeNoVerdict: true, authz.JudgeBreaker: true,
	authz.LimitReached: true, authz.LimitUncountable: true, authz.ApprovalDenied: true,
}

// shadow turns what the rules say into an ALLOW that carries what it would have
// been. It takes nothing of any limit and asks nobody.
func shadow(d authz.Decision) authz.Decision {
	would := d.Verdict
	d.Shadow, d.Takes, d.Panels = &would, nil, nil
	if lifted[d.Code()] {
		d.Verdict = authz.Allow
	}
	return d
}
