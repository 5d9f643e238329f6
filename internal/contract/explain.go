package contract

import (
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Explanation says in plain sentences what one agent may do.
type Explanation struct {
	Agent    string            `json:"agent"`
	Token    string            `json:"token,omitempty"` // credential that speaks as the agent; "" = only doors started locally
	Shadow   bool              `json:"shadow,omitempty"`
	Extends  []string          `json:"extends,omitempty"` // the next agent first
	Rules    []RuleExplanation `json:"rules"`
	Judge    string            `json:"judge,omitempty"`    // who judges the calls that are handed over, and how; "" = none is
	Unlisted []string          `json:"unlisted,omitempty"` // tools of the catalogs that no rule lists: refused
}

// RuleExplanation says what one rule does. Where rules are extended, the call is
// decided by each of the chain and the stricter result counts.
type RuleExplanation struct {
	Tool      string              `json:"tool"` // server.tool or server:method
	Path      string              `json:"path"` // place of the rule in the contract
	Group     string              `json:"group,omitempty"`
	Blocked   bool                `json:"blocked,omitempty"`
	Arguments []string            `json:"arguments,omitempty"` // "amount: a number", "note: a string, optional"
	Extra     bool                `json:"extra_arguments,omitempty"`
	Never     []ClauseExplanation `json:"never,omitempty"`
	Allow     []ClauseExplanation `json:"allow,omitempty"`
	Judge     []ClauseExplanation `json:"judge,omitempty"`
	Approve   []ClauseExplanation `json:"approve,omitempty"`
	Limits    []string            `json:"limits,omitempty"` // of the tool and of its agents
	Base      *RuleExplanation    `json:"extends,omitempty"`
}

// ClauseExplanation says when one clause holds: when all of Says does, and
// always where that is empty.
type ClauseExplanation struct {
	Path      string   `json:"path"`
	Says      []string `json:"says"`
	Approvers []string `json:"approvers,omitempty"` // of approve; empty = every configured approver
	Quorum    int      `json:"quorum,omitempty"`    // of approve
}

// Explain says what the agent of that name may do with each tool of the
// contract. ok is false if the contract has no such agent.
func (c *Contract) Explain(agent string) (e Explanation, ok bool) {
	a := c.agents[agent]
	if a == nil {
		return e, false
	}
	e = Explanation{Agent: a.Name, Token: a.Token, Shadow: a.Shadow, Rules: []RuleExplanation{}}
	for base := a.base; base != nil; base = base.base {
		e.Extends = append(e.Extends, base.Name)
	}
	for _, r := range a.Rules() {
		e.Rules = append(e.Rules, r.explain())
		if judges(r) {
			e.Judge = c.judge.String()
		}
	}
	for _, server := range slices.Sorted(maps.Keys(c.catalogs)) {
		for _, t := range c.catalogs[server].Approved.Tools {
			if a.rules[ref(server, t.Name)] == nil {
				e.Unlisted = append(e.Unlisted, ref(server, t.Name))
			}
		}
	}
	return e, true
}

func (r *Rule) explain() RuleExplanation {
	e := RuleExplanation{
		Tool: r.Ref(), Path: r.path, Group: r.group, Blocked: r.Blocked, Extra: r.extra, Arguments: r.arguments(),
		Never: explainAll(r.Never, false), Allow: explainAll(r.Allow, false),
		Judge: explainAll(r.Judge, false), Approve: explainAll(r.Approve, true),
	}
	for _, l := range r.counted {
		e.Limits = append(e.Limits, l.explain())
	}
	if r.base != nil {
		base := r.base.explain()
		e.Base = &base
	}
	return e
}

// arguments lists what the tool declares at the top of its inputSchema.
func (r *Rule) arguments() []string {
	s := schemas{r.subject.tool.InputSchema()}
	properties := s.root.Get("properties")
	var all []string
	for i := range properties.Len() {
		name, schema := properties.Member(i)
		text := toolcall.Path{}.Member(name).String() + ": " + s.kinds([]toolcall.Value{schema}).String()
		if values := choices(schema); values != nil {
			text += " among " + oneOfValues(values)
		}
		if !slices.ContainsFunc(list(s.root.Get("required")), toolcall.StringOf(name).Equal) {
			text += ", optional"
		}
		all = append(all, text)
	}
	return all
}

func explainAll(clauses []*Clause, asks bool) []ClauseExplanation {
	var all []ClauseExplanation
	for _, k := range clauses {
		e := ClauseExplanation{Path: k.path, Says: []string{}}
		for _, c := range k.constraints {
			e.Says = append(e.Says, c.name+" "+sentence(c.set.Canonical()))
		}
		for _, c := range k.conditions {
			e.Says = append(e.Says, conditionSentence(c.word, c.condition.Canonical()))
		}
		if asks {
			e.Approvers, e.Quorum = k.Panel()
		}
		all = append(all, e)
	}
	return all
}

func (l *limit) explain() string {
	what := "at most " + l.max.String() + " calls"
	if !l.argument.Empty() {
		what = "at most " + l.max.String() + " as the sum of " + l.argument.String()
	}
	if l.window == 0 {
		what += " in one session"
	} else {
		what += " in any " + period(l.window)
	}
	if l.key == "" {
		what += ", over all tools"
	}
	if !l.by.usual() {
		what += ", counted apart for each " + strings.Join(l.by.words(), " and ")
	}
	if l.ask {
		what += "; beyond that a person is asked"
	}
	return what
}

func oneOfValues(values []toolcall.Value) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.Canonical()
	}
	return yamlwalk.OneOf(words)
}
