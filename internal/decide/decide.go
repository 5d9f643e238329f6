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
	Session  string                             // the session of the call; "" = none known
	Live     catalog.State                      // how the tool's live definition compares with the approved copy
	Answers  constraint.Answers                 // what the clauses asked of files and provenance
	Used     map[authz.TakeKey]toolcall.Decimal // what is used up of each limit; a missing key is unknown
	Approval Approval                           // the ticket of exactly this call
}

// Approval is what a ticket says of this call. The zero Approval is no ticket.
type Approval struct {
	Granted bool       // approved, unexpired, unused, and it fits
	Denied  bool       // a person refused this call, and the ticket has not expired
	Misfit  authz.Code // why the ticket that the call names can't serve; "" = none named, or it fits
}

// Decide gives the decision of contract.md, section 2: never before allow
// before approve before BLOCK, then limits, then the ticket. It never permits
// after an error and has no other outcome than a Decision with a reason.
func Decide(c *contract.Contract, call toolcall.Call, f Facts) authz.Decision {
	rule, refused := find(c, call, f.Live)
	if rule == nil {
		return refused
	}
	if err := rule.Check(call.Arguments); err != nil {
		return authz.Blocked(authz.InvalidArguments, rule.Path(), err.Error())
	}
	d := weigh(rule, call.Arguments, f.Answers)
	if d.Verdict == authz.Block {
		return d
	}
	d = limit(d, rule, call.Arguments, f)
	if d.Verdict == authz.Block {
		return d
	}
	return approve(d, f.Approval)
}

// find returns the rule for a call whose tool may be judged at all.
func find(c *contract.Contract, call toolcall.Call, live catalog.State) (*contract.Rule, authz.Decision) {
	if c == nil {
		return nil, authz.Blocked(authz.NoContract, "", "no contract is loaded")
	}
	agent := c.Agent(call.Agent)
	if agent == nil {
		return nil, authz.Blocked(authz.UnknownAgent, "", "the contract has no agent "+call.Agent)
	}
	name := cmp.Or(call.Tool, call.Method)
	rule := agent.Rule(call.Server, call.Method, call.Tool)
	switch {
	case rule == nil:
		return nil, authz.Blocked(authz.NotListed, "agents."+agent.Name, "nothing lists "+call.Server+" "+name+" for this agent")
	case rule.Blocked:
		return nil, authz.Blocked(authz.BlockedTool, rule.Path(), "the contract says block")
	case live == catalog.Pinned:
		return rule, authz.Decision{}
	case live == catalog.Unverified:
		return nil, authz.Blocked(authz.CatalogUnverified, rule.Path(), "the live definition of "+name+" could not be compared with the approved copy")
	default:
		return nil, authz.Blocked(authz.Quarantined, rule.Path(), "the live definition of "+name+" differs from the approved copy")
	}
}

// weigh evaluates every clause of the rule, so that an error in one is found
// also when another would have decided (rule 3).
func weigh(rule *contract.Rule, args toolcall.Value, a constraint.Answers) authz.Decision {
	never := holding(rule.Never, args, a, (*contract.Clause).Forbids)
	allow := holding(rule.Allow, args, a, (*contract.Clause).Permits)
	ask := holding(rule.Approve, args, a, (*contract.Clause).Permits)
	for _, side := range []found{never, allow, ask} {
		if side.err != nil {
			return authz.Blocked(authz.EvaluationError, side.clause.Path(), side.err.Error())
		}
	}
	switch {
	case never.clause != nil:
		return authz.Blocked(authz.NeverClause, never.clause.Path(), never.detail)
	case allow.clause != nil:
		return permitted(authz.Allow, authz.AllowClause, allow.clause)
	case ask.clause != nil:
		return permitted(authz.RequireApproval, authz.ApproveClause, ask.clause)
	}
	d := authz.Blocked(authz.NoClause, rule.Path(), "no clause permits these arguments")
	d.Reasons = append(d.Reasons, allow.misses...)
	d.Reasons = append(d.Reasons, ask.misses...)
	return d
}

func permitted(v authz.Verdict, code authz.Code, c *contract.Clause) authz.Decision {
	return authz.Decision{Verdict: v, Reasons: []authz.Reason{{Code: code, Clause: c.Path()}}}
}

// found is what a list of clauses says together.
type found struct {
	clause *contract.Clause // the first that holds, or that erred
	detail string           // for a never clause: what matched
	err    error
	misses []authz.Reason // why each other clause does not hold
}

func holding(clauses []*contract.Clause, args toolcall.Value, a constraint.Answers,
	holds func(*contract.Clause, toolcall.Value, constraint.Answers) (bool, contract.Miss, error)) (f found) {
	for _, c := range clauses {
		ok, miss, err := holds(c, args, a)
		switch {
		case err != nil && f.err == nil:
			f.clause, f.err = c, err
		case f.err != nil:
		case ok && f.clause == nil:
			f.clause, f.detail = c, miss.String()
		case !ok:
			f.misses = append(f.misses, authz.Reason{Code: authz.NoClause, Clause: c.Path(), Detail: miss.String()})
		}
	}
	return f
}

// limit turns a permission into BLOCK when a limit of the tool or the agent is
// used up, or can't be counted, and says what a grant would take.
func limit(d authz.Decision, rule *contract.Rule, args toolcall.Value, f Facts) authz.Decision {
	takes, err := rule.Takes(contract.Caller{Session: f.Session}, args)
	if err != nil {
		return authz.Blocked(authz.LimitUncountable, rule.Path(), err.Error())
	}
	for _, t := range takes {
		used, known := f.Used[t.Key()]
		if !known {
			return authz.Blocked(authz.FactsFailed, t.Clause, "what is used up of this limit is not known")
		}
		switch fits, err := Fits(t, used); {
		case err != nil:
			return authz.Blocked(authz.EvaluationError, t.Clause, err.Error())
		case !fits:
			return authz.Blocked(authz.LimitReached, t.Clause, Reached(t, used))
		}
	}
	d.Takes = takes
	return d
}

// approve lets a ticket stand in for the approve step, and for nothing else.
func approve(d authz.Decision, a Approval) authz.Decision {
	switch {
	case a.Misfit != "":
		return authz.Blocked(a.Misfit, "", "the approval that the call names can't serve it")
	case d.Verdict != authz.RequireApproval:
		return d
	case a.Denied:
		return authz.Blocked(authz.ApprovalDenied, d.Reasons[0].Clause, "a person refused this call")
	case a.Granted:
		d.Verdict = authz.Allow
		d.Reasons = []authz.Reason{{Code: authz.Approved, Clause: d.Reasons[0].Clause}}
	}
	return d
}
