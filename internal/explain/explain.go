package explain

import (
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Explanation is a decision with what led to it.
type Explanation struct {
	Decision authz.Decision
	Clauses  []Clause // of the rule, then of each that it extends; none where the call was refused before its clauses counted
	Limits   []Limit  // that count the call; none before
	Changes  []Change // to each wider verdict the smallest one, if any was found; the smaller first
}

// Clause is one clause that was considered.
type Clause struct {
	Step     string // never, allow, judge or approve
	Path     string // its place in the contract
	Holds    bool
	Error    string             // why it could not be evaluated, which blocks; "" = it could
	Findings []contract.Finding // one for each constraint; a clause without any holds
}

// Limit is one limit that counts the call. Amounts are exact decimals.
type Limit struct {
	Path  string // its place in the contract
	Takes string // what a grant of the call uses up
	Used  string // what is used up already; "" = not known, which blocks
	Max   string
	Fits  bool
	Asks  bool // beyond it a person is asked; else the call is BLOCK
}

// before are the codes of calls that are refused before any clause counts.
var before = map[authz.Code]bool{
	authz.NoContract: true, authz.UnknownAgent: true, authz.Unauthenticated: true, authz.NotListed: true,
	authz.BlockedTool: true, authz.Quarantined: true, authz.CatalogUnverified: true, authz.InvalidArguments: true,
}

// Explain explains what c says of call under facts. gather returns the facts of
// the same call with other arguments; without it no change is looked for. An
// error is one of gather.
func Explain(c *contract.Contract, call toolcall.Call, facts decide.Facts,
	gather func(toolcall.Call) (decide.Facts, error)) (Explanation, error) {
	e := Explanation{Decision: decide.Decide(c, call, facts)}
	if c == nil || c.Agent(call.Agent) == nil {
		return e, nil
	}
	rule := c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool)
	if rule == nil {
		return e, nil
	}
	if !before[e.Decision.Code()] {
		e.Clauses = clauses(rule, call.Arguments, facts)
		e.Limits = limits(rule, call.Arguments, facts)
	}
	if gather == nil {
		return e, nil
	}
	s := search{contract: c, rule: rule, call: call, facts: facts, gather: gather, from: Verdict(e.Decision)}
	var err error
	e.Changes, err = s.changes()
	return e, err
}

// Verdict returns what the rules say: in shadow mode, what the verdict would
// have been.
func Verdict(d authz.Decision) authz.Verdict {
	if d.Shadow != nil {
		return *d.Shadow
	}
	return d.Verdict
}

// clauses reports every clause of a rule and of those that it extends.
func clauses(rule *contract.Rule, args toolcall.Value, facts decide.Facts) (all []Clause) {
	for ; rule != nil; rule = rule.Base() {
		for _, step := range []struct {
			word    string
			clauses []*contract.Clause
		}{{"never", rule.Never}, {"allow", rule.Allow}, {"judge", rule.Judge}, {"approve", rule.Approve}} {
			for _, k := range step.clauses {
				all = append(all, report(step.word, k, args, facts))
			}
		}
	}
	return all
}

func report(step string, k *contract.Clause, args toolcall.Value, facts decide.Facts) Clause {
	findings, err := k.Report(args, facts.Answers, step == "never")
	c := Clause{Step: step, Path: k.Path(), Holds: err == nil, Findings: findings}
	if err != nil {
		c.Error = err.Error()
	}
	for _, f := range findings {
		c.Holds = c.Holds && f.Holds
	}
	return c
}

// limits reports every limit that counts the call; none where the call cannot be
// counted, which the decision then says.
func limits(rule *contract.Rule, args toolcall.Value, facts decide.Facts) (all []Limit) {
	takes, err := rule.Takes(facts.Caller, args)
	if err != nil {
		return nil
	}
	for _, t := range takes {
		l := Limit{Path: t.Clause, Takes: t.Amount, Max: t.Max, Asks: t.Ask}
		if used, known := facts.Used[t.Key()]; known {
			l.Used = used.String()
			fits, err := decide.Fits(t, used)
			l.Fits = err == nil && fits
		}
		all = append(all, l)
	}
	return all
}
