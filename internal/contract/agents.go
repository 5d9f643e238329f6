package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// agents reads what each agent may do.
func (l *loader) agents(n *yamlwalk.Node, c *Contract) map[string]*Agent {
	all := map[string]*Agent{}
	if !l.Is(n, toolcall.Object, "a mapping of agents") {
		return all
	}
	for _, m := range n.Members {
		name := l.Name(m.Key, "name of an agent")
		all[name] = l.agent(name, m.Value, c)
	}
	return all
}

// agent reads the rules and limits of one agent.
func (l *loader) agent(name string, n *yamlwalk.Node, c *Contract) *Agent {
	a := &Agent{Name: name, rules: map[string]*Rule{}}
	if !l.Mapping(n, agentWords) {
		return a
	}
	var open []catalog.Tool // those that an agent-wide sum must be able to count
	if tools := l.Need(n, "tools", agentWords); l.Is(tools, toolcall.Object, "a mapping of tools to rules") {
		for _, m := range tools.Members {
			server, tool, ok := l.tool(m.Key)
			if !ok {
				continue
			}
			r := l.rule(place{agent: name, ref: m.Key.Text, server: server, tool: tool}, m)
			a.rules[m.Key.Text] = r
			for _, s := range r.sources {
				c.sources[s] = true
			}
			if !r.Blocked {
				open = append(open, tool)
			}
		}
	}
	if limits := n.Get("limits"); limits != nil {
		a.limits = l.limits(place{agent: name}, limits, open)
	}
	for _, r := range a.rules {
		r.shared = a.limits
	}
	return a
}

// place says where in a contract a rule or limit stands.
type place struct {
	agent, ref string // ref is server.tool, "" for the agent itself
	server     string
	tool       catalog.Tool
}

// path returns the place as evidence names it.
func (p place) path() string {
	if p.ref == "" {
		return "agents." + p.agent
	}
	return fmt.Sprintf("agents.%s.tools[%q]", p.agent, p.ref)
}

// rule reads what an agent may do with one tool.
func (l *loader) rule(p place, m yamlwalk.Member) *Rule {
	r := &Rule{path: p.path(), Server: p.server, Tool: p.tool.Name, ToolDigest: p.tool.Digest}
	n := m.Value
	if n.Kind == toolcall.String {
		l.shorthand(p, r, n)
	} else if l.Is(n, toolcall.Object, "allow, approve, block or a mapping") && l.Mapping(n, ruleWords) {
		sources := map[string]bool{}
		r.Never = l.clauses(p, "never", n, sources)
		r.Allow = l.clauses(p, "allow", n, sources)
		r.Approve = l.clauses(p, "approve", n, sources)
		r.sources = slices.Sorted(maps.Keys(sources))
		if n.Get("allow") == nil && n.Get("approve") == nil && !yamlwalk.Misspelt(n, "allow", ruleWords) && !yamlwalk.Misspelt(n, "approve", ruleWords) {
			l.Report(m.Key, `to refuse every call, write "block"`, "the rule permits nothing: expected allow or approve")
		}
		if limits := n.Get("limits"); limits != nil {
			r.limits = l.limits(p, limits, []catalog.Tool{p.tool})
		}
	}
	if !r.Blocked {
		r.schema = l.schema(p, m.Key)
	}
	return r
}

// shorthand reads a rule of one word.
func (l *loader) shorthand(p place, r *Rule, n *yamlwalk.Node) {
	if !l.Word(n, shorthands) {
		return
	}
	clause := []*Clause{{path: fmt.Sprintf("%s.%s[0]", p.path(), n.Text), line: n.Line}}
	switch n.Text {
	case "allow":
		r.Allow = clause
	case "approve":
		r.Approve = clause
	case "block":
		r.Blocked = true
	}
}

// schema compiles the inputSchema of a tool, once for all agents.
func (l *loader) schema(p place, key *yamlwalk.Node) *constraint.Schema {
	if s, done := l.schemas[p.ref]; done {
		return s
	}
	s, err := constraint.CompileSchema(p.tool.InputSchema(), false)
	if err != nil {
		l.Report(key, `only "block" can stand beside this tool`, "the inputSchema of %s cannot be enforced: %v", p.ref, err)
	}
	l.schemas[p.ref] = s
	return s
}

// clauses reads the list beside word; sources collects the tools whose results
// it reads.
func (l *loader) clauses(p place, word string, rule *yamlwalk.Node, sources map[string]bool) []*Clause {
	n := rule.Get(word)
	if n == nil || !l.Is(n, toolcall.Array, "a list of clauses") {
		return nil
	}
	var clauses []*Clause
	for i, item := range l.Elements(n, word) {
		k := &Clause{path: fmt.Sprintf("%s.%s[%d]", p.path(), word, i), line: item.Line}
		if l.Is(item, toolcall.Object, "a clause: a mapping of arguments to constraints") {
			for _, m := range item.Members {
				l.constrain(p, k, m, word == "never", sources)
			}
		}
		slices.SortFunc(k.constraints, func(a, b constrained) int {
			return cmp.Compare(a.argument.String(), b.argument.String())
		})
		clauses = append(clauses, k)
	}
	return clauses
}

// constrain adds the constraints on one argument to a clause.
func (l *loader) constrain(p place, k *Clause, m yamlwalk.Member, never bool, sources map[string]bool) {
	if slices.Contains(conditionWords.Later, m.Key.Text) {
		l.Word(m.Key, conditionWords)
		return
	}
	path, found, ok := l.argument(m.Key, p.tool)
	if !ok || !l.Is(m.Value, toolcall.Object, "a mapping of constraints") {
		return
	}
	for _, c := range k.constraints {
		if c.argument.String() == path.String() {
			l.Report(m.Key, "", "the argument %s stands in the clause twice", path)
		}
	}
	l.fits(m.Value, path, found)
	spec, ok := l.Value(m.Value)
	if !ok {
		return
	}
	set, err := constraint.New(spec, constraint.Env{
		Resolve: l.catalogs[p.server].Resolve,
		Source:  func(server, tool string) error { return l.source(server, tool, sources) },
	})
	if err == nil && never {
		err = set.NeverUsable()
	}
	if err != nil {
		l.refuse(m, err)
		return
	}
	k.constraints = append(k.constraints, constrained{path, set})
}

// source checks that server.tool has results to read, and notes it.
func (l *loader) source(server, tool string, sources map[string]bool) error {
	if c, known := l.catalogs[server]; known && c.Approved == nil {
		return nil // the catalog that could not be read is reported
	}
	if _, unknown := l.approved(server, tool); unknown != nil {
		return unknown
	}
	sources[ref(server, tool)] = true
	return nil
}

// refuse reports an error of a constraint at the word that it is about.
func (l *loader) refuse(m yamlwalk.Member, err error) {
	at := &constraint.SpecError{Msg: err.Error()}
	errors.As(err, &at) // if it says where
	hint := ""
	if at.Near != "" {
		hint = fmt.Sprintf("did you mean %q?", at.Near)
	}
	n := m.Key
	if at.Pointer != "" {
		n = m.Value.Find(at.Pointer)
	}
	l.Report(n, hint, "%s", at.Msg)
}

// limits reads a list of limits. tools are those whose arguments a sum counts.
func (l *loader) limits(p place, n *yamlwalk.Node, tools []catalog.Tool) []*limit {
	if !l.Is(n, toolcall.Array, "a list of limits") {
		return nil
	}
	var limits []*limit
	for i, item := range l.Elements(n, "limits") {
		if l.Mapping(item, limitWords) {
			k := l.limit(p, item, tools)
			k.path = fmt.Sprintf("%s.limits[%d]", p.path(), i)
			limits = append(limits, k)
		}
	}
	return limits
}

// maxCalls bounds the number of calls in a limit; a larger one bounds nothing.
const maxCalls = 1_000_000_000

// limit reads one limit: {calls: N, per: W} or {sum: ARGUMENT, max: N, per: W}.
func (l *loader) limit(p place, n *yamlwalk.Node, tools []catalog.Tool) *limit {
	k := &limit{}
	calls, sum, most := n.Get("calls"), n.Get("sum"), n.Get("max")
	scope := fmt.Sprintf("agent=%q", p.agent)
	if p.ref != "" {
		scope += fmt.Sprintf(" tool=%q", p.ref)
	}
	switch {
	case yamlwalk.Misspelt(n, "calls", limitWords), yamlwalk.Misspelt(n, "sum", limitWords):
	case (calls == nil) == (sum == nil):
		l.Report(n, "", `a limit needs either "calls" or "sum"`)
	case calls != nil && most != nil:
		l.Report(most, `"calls" is its own bound`, `"max" stands beside "sum" only`)
	case calls != nil:
		l.Count(calls, "a number of calls", maxCalls)
		k.max = l.Decimal(calls)
		k.counter = "calls " + scope
	case most == nil:
		l.Report(n, "", `a limit with "sum" needs "max"`)
	default:
		k.argument = l.summand(sum, tools)
		k.max = l.bound(most)
		k.counter = fmt.Sprintf("sum %s argument=%q", scope, k.argument)
	}
	if per := l.Need(n, "per", limitWords); per.Text != "session" {
		k.window = l.Duration(per)
	}
	return k
}
