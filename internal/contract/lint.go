package contract

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Warning is something in a contract that loads, and that most likely does not
// do what its author means.
type Warning struct {
	Problem
	Code string // one of the words below
}

// The codes of warnings. Each is about what is certain of every call; names of
// arguments are the exception, see [destination].
const (
	Shadowed        = "shadowed"          // a clause that changes no verdict, because of another
	NeverHolds      = "never-holds"       // a clause, constraint, source or entry that no call can satisfy
	OpenDestination = "open-destination"  // allow, and where it leads is not bounded
	NoMinimum       = "no-minimum"        // bounded above only
	NeverBinds      = "never-binds"       // a limit that another one keeps from being reached
	SourceWithoutAt = "source-without-at" // a whole result is a source, whatever a stranger wrote into it
	GroupAllow      = "group-allow"       // allow for tools that are not named
	ShadowMode      = "shadow-mode"       // an agent that nothing holds back
	Unanswered      = "unanswered"        // approvals, or a judge, that no call can need
)

// Lint returns what is suspicious in a contract that text was loaded into, in
// the order of the text. file stands for it in the warnings.
func Lint(file string, text []byte, c *Contract) []Warning {
	root, _ := parse(text) // it loaded, so there are no problems
	l := &linter{contract: c, file: file, root: root}
	for _, m := range root.Get("agents").Members {
		l.agent(c.agents[m.Key.Text], m)
	}
	l.approvals()
	if n := root.Get("judge"); n != nil && !c.judges() {
		l.warn(n, Unanswered, "remove it, or add a clause to judge", "no clause hands a call to the judge, so it is never asked")
	}
	slices.SortStableFunc(l.warnings, func(a, b Warning) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	return slices.Compact(l.warnings) // a group says the same of each of its tools
}

// linter collects warnings about one contract.
type linter struct {
	contract *Contract
	file     string
	root     *yamlwalk.Node
	warnings []Warning
}

func (l *linter) warn(n *yamlwalk.Node, code, hint, format string, args ...any) {
	l.warnings = append(l.warnings, Warning{Code: code, Problem: Problem{
		File: l.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...), Hint: hint,
	}})
}

// agent looks at what stands at one agent. What it inherits is looked at where
// it stands.
func (l *linter) agent(a *Agent, m yamlwalk.Member) {
	if a.Shadow {
		l.warn(m.Value.Get("mode"), ShadowMode, "remove `mode` to enforce the contract",
			"agent %s is in shadow mode: its calls are recorded, and no clause or limit stops one", a.Name)
	}
	for _, entry := range members(m.Value.Get("tools")) {
		for _, r := range a.Rules() {
			if !r.inherited && r.key() == entry.Key.Text {
				l.rule(a, r, entry)
			}
		}
	}
	l.limits(m.Value.Get("limits"), a.limits)
}

// key returns what the contract writes for the rule: the group or the subject.
func (r *Rule) key() string { return cmp.Or(r.group, r.Ref()) }

func members(n *yamlwalk.Node) []yamlwalk.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// rule looks at one rule, which stands as m in the text.
func (l *linter) rule(a *Agent, r *Rule, m yamlwalk.Member) {
	if r.group != "" && len(r.Allow) > 0 {
		l.warn(m.Key, GroupAllow, "name the tools that are to be allowed, or write approve",
			"%s allows every tool of that prefix, also one that the next copy of the catalog adds", r.group)
	}
	if r.Blocked {
		return
	}
	for base := r.base; base != nil; base = base.base {
		if base.Blocked {
			l.warn(m.Key, NeverHolds, `write "block", or leave it out`,
				"%s blocks it, so nothing here can permit a call", base.path)
			return
		}
	}
	never, allow := sited(m, "never", r.Never), sited(m, "allow", r.Allow)
	judge, approve := sited(m, "judge", r.Judge), sited(m, "approve", r.Approve)
	l.shadowed(never, allow, judge, approve)
	for _, k := range slices.Concat(never, allow, judge, approve) {
		l.clause(a, r, k)
	}
	l.limits(m.Value.Get("limits"), r.limits)
	l.tighter(m.Value.Get("limits"), r, a)
	if r.base == nil {
		l.uncounted(m.Value.Get("limits"), r)
	}
}

// sitedClause is a clause with the list and the place where it stands.
type sitedClause struct {
	*Clause
	word string
	node *yamlwalk.Node // the clause, or the word that stands for it
}

func sited(rule yamlwalk.Member, word string, clauses []*Clause) []sitedClause {
	all := make([]sitedClause, len(clauses))
	for i, k := range clauses {
		all[i] = sitedClause{k, word, rule.Value}
		if rule.Value.Kind == toolcall.Object {
			all[i].node = rule.Value.Get(word).Items[i]
		}
	}
	return all
}

// member returns the member of a clause for an argument or a condition. The
// zero Member stands for none.
func (k sitedClause) member(name string) yamlwalk.Member {
	for _, m := range k.node.Members {
		path, err := toolcall.ParsePath(m.Key.Text)
		if m.Key.Text == name || err == nil && path.String() == name {
			return m
		}
	}
	return yamlwalk.Member{}
}

// approvals looks for approvers who can never be asked.
func (l *linter) approvals() {
	n := l.root.Get("approvals")
	if n == nil {
		return
	}
	held, usual := false, false // is any call held, any by the contract's own panel
	for _, a := range l.contract.agents {
		ask := func(k *limit) bool { return k.ask }
		held = held || slices.ContainsFunc(a.limits, ask)
		usual = usual || slices.ContainsFunc(a.limits, ask)
		for _, r := range a.rules {
			asks := slices.ContainsFunc(r.limits, ask)
			asks = asks || len(r.Judge) > 0 // of what the judge cannot tell
			held = held || asks || len(r.Approve) > 0
			usual = usual || asks || slices.ContainsFunc(r.Approve, func(k *Clause) bool { return !k.ownPanel })
		}
	}
	switch who := n.Get("approvers"); {
	case !held:
		l.warn(n, Unanswered, "remove it, or add a clause to approve", "no call is ever held, so nobody is asked")
	case !usual && who != nil:
		l.warn(who, Unanswered, "remove them here", "every clause of approve names its own approvers, so these are never asked")
	}
}
