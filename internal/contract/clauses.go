package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// place says where in a contract a rule or limit stands.
type place struct {
	agent string
	key   string // of the rule as written, also of a group; "" for the agent itself
	subject
}

// path returns the place as evidence names it.
func (p place) path() string {
	if p.key == "" {
		return "agents." + p.agent
	}
	return fmt.Sprintf("agents.%s.tools[%q]", p.agent, p.key)
}

// rule reads what an agent may do with one tool.
func (l *loader) rule(a *Agent, e entry, c *Contract) *Rule {
	p := place{a.Name, e.member.Key.Text, e.subject}
	r := &Rule{Server: e.server, Method: e.method, Tool: e.toolName(), ToolDigest: e.tool.Digest,
		path: p.path(), group: e.group, subject: e.subject}
	extra := false
	n := e.member.Value
	if n.Kind == toolcall.String {
		l.shorthand(p, r, n, c)
	} else if l.Is(n, toolcall.Object, "allow, judge, approve, block or a mapping") && l.Mapping(n, ruleWords) {
		extra = l.extra(n)
		l.readClauses(p, r, n, c)
		if !permits(n) {
			l.Report(e.member.Key, `to refuse every call, write "block"`, "the rule permits nothing: expected allow, judge or approve")
		}
		if limits := n.Get("limits"); limits != nil {
			r.limits = l.limits(p, limits, []subject{e.subject})
		}
	}
	if !r.Blocked {
		r.extra = extra
		r.schema = l.schema(e, extra)
	}
	return r
}

// permits reports whether a rule has, or is meant to have, a clause that permits.
func permits(n *yamlwalk.Node) bool {
	return slices.ContainsFunc([]string{"allow", "judge", "approve"}, func(word string) bool {
		return n.Get(word) != nil || yamlwalk.Misspelt(n, word, ruleWords)
	})
}

// extra reads whether a call may have arguments that the tool does not declare.
func (l *loader) extra(n *yamlwalk.Node) bool {
	extra := n.Get("extra_arguments")
	return extra != nil && l.Is(extra, toolcall.String, `the word "allow"`) && l.Word(extra, extraWords)
}

// readClauses reads the clauses of a rule, and notes what they ask of results
// and sessions.
func (l *loader) readClauses(p place, r *Rule, n *yamlwalk.Node, c *Contract) {
	reader := clauseReader{loader: l, place: p, approvals: c.approvals, sources: map[string]bool{}}
	r.Never = reader.clauses("never", n)
	r.Allow = reader.clauses("allow", n)
	r.Judge = reader.clauses("judge", n)
	r.Approve = reader.clauses("approve", n)
	r.joinAllow()
	r.sources = slices.Sorted(maps.Keys(reader.sources))
	for _, s := range r.sources {
		c.sources[s] = true
	}
	l.watches = append(l.watches, reader.watches...)
}

// shorthand reads a rule of one word.
func (l *loader) shorthand(p place, r *Rule, n *yamlwalk.Node, c *Contract) {
	if !l.Word(n, shorthands) {
		return
	}
	clause := []*Clause{{path: fmt.Sprintf("%s.%s[0]", p.path(), n.Text), line: n.Line,
		approvers: c.approvals.Approvers, quorum: c.approvals.Quorum}}
	switch n.Text {
	case "allow":
		r.Allow = clause
	case "judge":
		r.Judge = clause
	case "approve":
		r.Approve = clause
	case "block":
		r.Blocked = true
	}
}

// schemaKey tells the compiled schemas apart that agents share.
type schemaKey struct {
	ref   string
	extra bool
}

// schema compiles the inputSchema of a tool.
func (l *loader) schema(e entry, extra bool) *constraint.Schema {
	key := schemaKey{e.ref(), extra}
	if s, done := l.schemas[key]; done {
		return s
	}
	s, err := constraint.CompileSchema(e.tool.InputSchema(), extra)
	if err != nil {
		l.Report(e.member.Key, `only "block" can stand beside this tool`, "the inputSchema of %s cannot be enforced: %v", e.ref(), err)
	}
	l.schemas[key] = s
	return s
}

// clauseReader reads the clauses of one rule.
type clauseReader struct {
	*loader
	place
	approvals Approvals
	sources   map[string]bool // server.tool whose results the clauses read
	watches   []constraint.Watch
}

// clauses reads the list beside word.
func (r *clauseReader) clauses(word string, rule *yamlwalk.Node) []*Clause {
	n := rule.Get(word)
	if n == nil || !r.Is(n, toolcall.Array, "a list of clauses") {
		return nil
	}
	var all []*Clause
	for i, item := range r.Elements(n, word) {
		k := &Clause{path: fmt.Sprintf("%s.%s[%d]", r.path(), word, i), line: item.Line,
			approvers: r.approvals.Approvers, quorum: r.approvals.Quorum}
		if r.Is(item, toolcall.Object, "a clause: a mapping of arguments to constraints") {
			r.clause(k, item, word)
		}
		all = append(all, k)
	}
	return all
}

// clause reads the members of one clause of the list beside word.
func (r *clauseReader) clause(k *Clause, n *yamlwalk.Node, word string) {
	for _, m := range n.Members {
		switch {
		case !strings.HasPrefix(m.Key.Text, "$"):
			r.constrain(k, m, word == "never")
		case !r.Word(m.Key, conditionWords):
		case m.Key.Text != approversWord && m.Key.Text != quorumWord:
			r.condition(k, m, word == "never")
		case word != "approve":
			r.Report(m.Key, "", "%q says who answers: it stands in clauses of approve only", m.Key.Text)
		}
	}
	if word == "approve" {
		r.panel(k, n)
	}
	slices.SortFunc(k.constraints, func(a, b constrained) int {
		return cmp.Compare(a.name, b.name)
	})
	slices.SortFunc(k.conditions, func(a, b conditional) int { return cmp.Compare(a.word, b.word) })
}

// panel reads who answers the calls of one approve clause.
func (r *clauseReader) panel(k *Clause, n *yamlwalk.Node) {
	who, quorum := n.Get(approversWord), n.Get(quorumWord)
	if who == nil && quorum == nil {
		return
	}
	k.ownPanel = true
	if who != nil {
		k.approvers = r.approvers(who)
	}
	if quorum != nil {
		k.quorum = r.quorum(quorum)
	}
	r.reachable(n, k.approvers, k.quorum)
}

// constrain adds the constraints on one argument to a clause.
func (r *clauseReader) constrain(k *Clause, m yamlwalk.Member, never bool) {
	path, found, ok := r.argument(m.Key, r.place.subject.tool)
	if !ok || !r.Is(m.Value, toolcall.Object, "a mapping of constraints") {
		return
	}
	for _, c := range k.constraints {
		if c.name == path.String() {
			r.Report(m.Key, "", "the argument %s stands in the clause twice", path)
		}
	}
	r.fits(m.Value, path, found)
	spec, ok := r.Value(m.Value)
	if !ok {
		return
	}
	set, err := constraint.New(spec, constraint.Env{Resolve: r.catalogs[r.server].Resolve, Source: r.source})
	if err == nil && never {
		err = set.NeverUsable()
	}
	if err != nil {
		r.refuse(m, err)
		return
	}
	k.constraints = append(k.constraints, constrained{path, path.String(), set})
}

// condition adds what stands beside a word with $ to a clause.
func (r *clauseReader) condition(k *Clause, m yamlwalk.Member, never bool) {
	spec, ok := r.Value(m.Value)
	if !ok {
		return
	}
	c, err := constraint.NewCondition(m.Key.Text, spec, constraint.Surroundings{
		Server: r.server, Tool: r.toolName(), Tools: r.toolsNamed, Argument: r.declared,
	})
	if err == nil && never {
		err = c.NeverUsable()
	}
	if err != nil {
		r.refuse(m, err)
		return
	}
	r.watches = append(r.watches, c.Watches()...)
	k.conditions = append(k.conditions, conditional{m.Key.Text, c})
}

// source checks that server.tool has results to read, and notes it.
func (r *clauseReader) source(server, tool string) error {
	if c, known := r.catalogs[server]; known && c.Approved == nil {
		return nil // the catalog that could not be read is reported
	}
	if _, unknown := r.approved(server, tool); unknown != nil {
		return unknown
	}
	r.sources[ref(server, tool)] = true
	return nil
}

// declared checks that a tool declares an argument.
func (l *loader) declared(server, tool string, path toolcall.Path) error {
	t, unknown := l.approved(server, tool)
	if unknown != nil {
		return unknown
	}
	if _, unknown = lookup(t.InputSchema(), path); unknown != nil {
		return fmt.Errorf("unknown argument %s of %s: %w", path, ref(server, tool), unknown)
	}
	return nil
}

// refuse reports an error of a constraint or condition at the word, or at the
// place in a text, that it is about.
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
	if at.Line > 0 {
		n = l.inside(m.Value, at)
	}
	l.Report(n, hint, "%s", at.Msg)
}

// inside returns a node that stands at the line and column of an error within
// the text n. Where the text is not written as it is read (folded, or with
// escapes), the node is n itself.
func (l *loader) inside(n *yamlwalk.Node, at *constraint.SpecError) *yamlwalk.Node {
	place := *n
	line := l.line(n.Line)
	switch style := string(line[min(n.Column-1, len(line)):]); {
	case strings.HasPrefix(style, "|"):
		block := l.line(n.Line + 1)
		indent := len(block) - len([]rune(strings.TrimLeft(string(block), " ")))
		place.Line, place.Column = n.Line+at.Line, indent+at.Column
	case strings.HasPrefix(style, n.Text):
		place.Column += at.Column - 1
	case len(style) > 0 && strings.HasPrefix(style[1:], n.Text):
		place.Column += at.Column
	}
	return &place
}

// line returns a line of the text of the contract, counted from 1.
func (l *loader) line(number int) []rune {
	lines := strings.SplitN(l.text, "\n", number+1)
	return []rune(lines[min(number, len(lines))-1])
}
