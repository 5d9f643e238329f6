package contract

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// implies reports whether b certainly holds for every call that a permits, also
// where b stands in never: what certainly holds may hold. A clause of judge or approve that
// takes what allow covers of a command permits more than it says itself.
func (a *Clause) implies(b *Clause) bool {
	return len(a.beside) <= len(b.beside) && matched(b, a, (*constraint.Set).PermitsWithin)
}

// repeats reports whether b, of never like a, certainly matches every call that a
// matches.
func (a *Clause) repeats(b *Clause) bool { return matched(b, a, (*constraint.Set).ForbidsWithin) }

// shadowed looks for clauses that change no verdict, because another one has
// decided every call that they hold for.
func (l *linter) shadowed(never, allow, judge, approve []sitedClause) {
	for _, k := range slices.Concat(allow, judge, approve) {
		if by := first(never, k.implies); by != nil {
			l.warn(k.node, Shadowed, "remove one of them", "%s blocks every call that this clause covers", by.place())
		}
	}
	for _, k := range slices.Concat(judge, approve) {
		if by := first(allow, k.implies); by != nil {
			l.warn(k.node, Shadowed, "remove one of them, or bound allow more tightly",
				"%s allows every call that this clause covers, so nobody is asked", by.place())
		}
	}
	for _, k := range approve {
		if by := first(judge, k.implies); by != nil {
			l.warn(k.node, Shadowed, "remove one of them, or bound judge more tightly",
				"%s hands every call that this clause covers to the judge", by.place())
		}
	}
	l.repeated(never, (*Clause).repeats)
	l.repeated(allow, (*Clause).implies)
	l.repeated(judge, (*Clause).implies)
	l.repeated(approve, func(a, b *Clause) bool { return samePanel(a, b) && a.implies(b) })
}

// repeated looks for clauses of one list that another one of it covers. Of two
// that cover one another, the later is named.
func (l *linter) repeated(all []sitedClause, covered func(a, b *Clause) bool) {
	for i, k := range all {
		for j, other := range all {
			if i != j && covered(k.Clause, other.Clause) && (j < i || !covered(other.Clause, k.Clause)) {
				l.warn(k.node, Shadowed, "remove one of them", "%s covers every call that this clause covers", other.place())
				break
			}
		}
	}
}

func samePanel(a, b *Clause) bool {
	return a.quorum == b.quorum && slices.Equal(a.approvers, b.approvers)
}

// place names the clause within its rule: "allow[0]".
func (k sitedClause) place() string { return k.path[strings.LastIndex(k.path, "."+k.word)+1:] }

// first returns the first clause of the list that f accepts, nil if none.
func first(all []sitedClause, f func(*Clause) bool) *sitedClause {
	for i := range all {
		if f(all[i].Clause) {
			return &all[i]
		}
	}
	return nil
}

// clause looks at one clause by itself. An extension only narrows, so what it
// leaves open is for the rule that it extends to bound.
func (l *linter) clause(a *Agent, r *Rule, k sitedClause) {
	for _, c := range k.constraints {
		m := k.member(c.name)
		constraints, declared := c.set.Canonical(), schemas{r.subject.tool.InputSchema()}.at(c.argument)
		if k.word == "never" {
			l.matches(m, constraints, sole(declared))
			continue
		}
		l.satisfiable(m, constraints, sole(declared))
		l.sources(a, m)
		if r.base == nil {
			l.minimum(m, constraints, declared)
		}
	}
	if k.word == "allow" && r.base == nil {
		l.destinations(r, k)
	}
	if k.word != "never" {
		l.session(a, k)
	}
}

// worldly are the kinds that ask about the world, so that a value alone does
// not say whether they hold.
var worldly = []string{"path", "from", "identifiers", "shell", "optional"}

// onValue returns the constraints that the value alone decides; nil if there
// are none.
func onValue(constraints toolcall.Value) *constraint.Set {
	var kept []toolcall.Member
	for i := range constraints.Len() {
		if word, operand := constraints.Member(i); !slices.Contains(worldly, word) {
			kept = append(kept, toolcall.Member{Name: word, Value: operand})
		}
	}
	set, err := constraint.New(toolcall.ObjectOf(kept...), constraint.Env{})
	if err != nil {
		return nil // nothing is left: the others were compiled before
	}
	return set
}

// satisfiable looks for constraints that no valid value of the argument
// satisfies, and for entries of a list that play no part.
func (l *linter) satisfiable(m yamlwalk.Member, constraints, declared toolcall.Value) {
	set := onValue(constraints)
	if set == nil || constraints.Get("optional").Bool() {
		return // an absent argument satisfies it
	}
	permits := func(v toolcall.Value) bool {
		ok, _ := set.Permits(toolcall.Selection{Values: []toolcall.Value{v}}, constraint.Answers{})
		return ok && admits(declared, v)
	}
	values := finite(constraints)
	if values == nil {
		values = choices(declared)
	}
	switch possible := slices.ContainsFunc(values, permits); {
	case len(values) > 0 && !possible, disjoint(constraints, declared):
		l.warn(m.Key, NeverHolds, "compare it with the tool's inputSchema and the other constraints",
			"no valid value of %s satisfies this, so the clause never holds", m.Key.Text)
	case possible:
		l.entries(m.Value.Get("in"), permits)
	}
}

// entries names the entries of a list that no call can match.
func (l *linter) entries(n *yamlwalk.Node, permits func(toolcall.Value) bool) {
	if n == nil {
		return
	}
	var r yamlwalk.Reader
	for _, item := range n.Items {
		if v, ok := r.Value(item); ok && !permits(v) {
			l.warn(item, NeverHolds, "remove it", "no valid value is %s", item.Describe())
		}
	}
}

// matches looks for constraints of never that match no valid value.
func (l *linter) matches(m yamlwalk.Member, constraints, declared toolcall.Value) {
	set := onValue(constraints)
	if set == nil {
		return
	}
	values := choices(declared)
	forbidden := slices.ContainsFunc(values, func(v toolcall.Value) bool {
		ok, _ := set.Forbids(toolcall.Selection{Values: []toolcall.Value{v}}, constraint.Answers{})
		return ok
	})
	if len(values) > 0 && !forbidden || oneType(declared) && disjoint(constraints, declared) {
		l.warn(m.Key, NeverHolds, "compare it with the tool's inputSchema",
			"no valid value of %s matches this, so the clause blocks nothing", m.Key.Text)
	}
}

// oneType reports whether a schema admits numbers only or texts only. Values of
// another type than a constraint needs match in never.
func oneType(schema toolcall.Value) bool {
	only := typeKinds(schema.Get("type"))
	return only == kindsOf(toolcall.Number) || only == kindsOf(toolcall.String)
}

// at returns the subschemas that apply to an argument, nil where a level above
// does not declare its members.
func (s schemas) at(path toolcall.Path) []toolcall.Value {
	places := []toolcall.Value{s.root}
	for _, step := range path.Steps() {
		open, unknown := false, (*undeclared)(nil)
		if step.Elements {
			places, open, unknown = s.elements(places)
		} else {
			places, open, unknown = s.member(places, step.Name)
		}
		if open || unknown != nil {
			return nil
		}
	}
	return s.closure(places)
}

// sole returns the only schema that applies. Where there are several, it is
// absent, which admits everything: how they add up is not looked at.
func sole(places []toolcall.Value) toolcall.Value {
	if len(places) != 1 {
		return toolcall.Value{}
	}
	return places[0]
}

// choices returns the only values that a schema admits, nil if it does not list
// them. Null counts as absent.
func choices(schema toolcall.Value) []toolcall.Value {
	values := list(schema.Get("enum"))
	if v := schema.Get("const"); v.Kind() != toolcall.Absent {
		values = []toolcall.Value{v}
	}
	return slices.DeleteFunc(values, func(v toolcall.Value) bool { return v.Kind() == toolcall.Null })
}

// admits reports whether a schema may admit v, as far as enum, const, minimum
// and maximum say.
func admits(schema, v toolcall.Value) bool {
	if values := choices(schema); len(values) > 0 && !slices.ContainsFunc(values, v.Equal) {
		return false
	}
	return v.Kind() != toolcall.Number || admitsNumber(schema, "minimum", v) && admitsNumber(schema, "maximum", v)
}

func admitsNumber(schema toolcall.Value, word string, v toolcall.Value) bool {
	bound := schema.Get(word)
	return bound.Kind() != toolcall.Number || within(word[:3], v, bound)
}

// within reports whether v is a number on the permitted side of a min or max.
func within(word string, v, bound toolcall.Value) bool {
	if v.Kind() != toolcall.Number {
		return false
	}
	order := v.Number().Cmp(bound.Number())
	return order == 0 || (order > 0) == (word == "min")
}

// finite returns the only values that can satisfy constraints, nil if they are
// not listed.
func finite(constraints toolcall.Value) []toolcall.Value {
	if v := constraints.Get("const"); v.Kind() != toolcall.Absent {
		return []toolcall.Value{v}
	}
	return list(constraints.Get("in"))
}

// disjoint reports whether bounds of the constraints lie beyond those of the
// schema.
func disjoint(constraints, schema toolcall.Value) bool {
	low, high := constraints.Get("min"), constraints.Get("max")
	length := constraints.Get("length")
	return beyond(low, schema.Get("maximum")) || beyond(schema.Get("minimum"), high) ||
		beyond(length.Get("min"), schema.Get("maxLength")) || beyond(schema.Get("minLength"), length.Get("max"))
}

// beyond reports whether low is a number above the number high.
func beyond(low, high toolcall.Value) bool {
	return low.Kind() == toolcall.Number && high.Kind() == toolcall.Number && low.Number().Cmp(high.Number()) > 0
}

// minimum looks for a number that is bounded above only.
func (l *linter) minimum(m yamlwalk.Member, constraints toolcall.Value, declared []toolcall.Value) {
	if n := m.Value.Get("max"); n != nil && !bounded(constraints, declared) {
		l.warn(n, NoMinimum, "add min: a negative number passes every max", "%s is bounded above only", m.Key.Text)
	}
}

// bounded reports whether constraints, or a schema, bound a number from below.
func bounded(constraints toolcall.Value, declared []toolcall.Value) bool {
	has := func(v toolcall.Value, words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return v.Get(word).Kind() != toolcall.Absent })
	}
	return has(constraints, "min", "const", "in") || slices.ContainsFunc(declared, func(schema toolcall.Value) bool {
		return has(schema, "minimum", "exclusiveMinimum", "const", "enum")
	})
}

// sources looks at the results that constraints on an argument read.
func (l *linter) sources(a *Agent, m yamlwalk.Member) {
	for _, from := range []*yamlwalk.Node{m.Value.Get("from"), m.Value.Get("identifiers").Get("from")} {
		if from == nil {
			continue
		}
		for _, source := range append(slices.Clone(from.Items), from) { // one source needs no list
			if result := source.Get("result"); result != nil {
				l.source(a, source, result)
			}
		}
	}
}

func (l *linter) source(a *Agent, source, result *yamlwalk.Node) {
	if source.Get("at") == nil {
		l.warn(source, SourceWithoutAt, `name the field: at: "items[].id"`,
			"any text in a result of %s counts, also what a stranger wrote there", result.Text)
	}
	l.callable(a, result, "this source")
}

// callable looks for what hangs on a call that cannot be granted. A session can
// be shared, so there may be another agent to make it.
func (l *linter) callable(a *Agent, tool *yamlwalk.Node, what string) {
	server, name, _ := strings.Cut(tool.Text, ".")
	if !strings.Contains(tool.Text, ".") || a.mayCall(server, name) {
		return
	}
	for _, other := range l.contract.agents {
		if other.mayCall(server, name) {
			l.warn(tool, NeverHolds, "", "agent %s may never call %s, so %s holds only in a session that it shares with another agent", a.Name, tool.Text, what)
			return
		}
	}
	l.warn(tool, NeverHolds, "remove it, or list the tool", "no agent may call %s, so %s never holds", tool.Text, what)
}

// mayCall reports whether some call of a tool can be granted. In shadow mode
// all are.
func (a *Agent) mayCall(server, tool string) bool {
	return a.Shadow || !blocks(a.Rule(server, ToolsCall, tool))
}

// session looks for conditions on calls that cannot be granted.
func (l *linter) session(a *Agent, k sitedClause) {
	called := k.member("$session").Value.Get("called")
	if called != nil && len(called.Items) == 1 {
		l.callable(a, called.Items[0], "this condition")
	}
}

// destination matches the last word of the name of an argument that says where
// something goes or what is reached. A name is a guess at a meaning, the only
// one that the linter makes.
var destination = regexp.MustCompile(`^(to|cc|bcc|recipients?|e?mails?|urls?|uris?|links?|endpoints?|webhooks?|paths?|files?|` +
	`filename|director(y|ies)|folders?|channels?|hosts?|hostname|domains?|ibans?|accounts?|users?|username|attendees|participants|payee|beneficiary|destinations?)$`)

// binding are the constraints that say which destinations there are. A length
// does not, and neither does a list of what is excluded.
var binding = []string{"const", "in", "pattern", "path", "from", "url", "email", "identifiers", "shell", "sql"}

// destinations looks for arguments of an allow clause that lead somewhere and
// that nothing bounds. An expression may bound anything.
func (l *linter) destinations(r *Rule, k sitedClause) {
	if slices.ContainsFunc(k.conditions, func(c conditional) bool { return c.word == "$when" }) {
		return
	}
	s := schemas{r.subject.tool.InputSchema()}
	s.textual([]toolcall.Value{s.root}, "", 1, func(path, name string) {
		if leadsTo(name) && !k.binds(path) {
			l.warn(k.node, OpenDestination, "bound it with in, pattern, path, url, email or from",
				"%s is allowed wherever %q leads", r.Ref(), path)
		}
	})
}

// leadsTo reports whether the name of an argument sounds like a destination.
func leadsTo(name string) bool {
	all := strings.FieldsFunc(spaced(name), func(r rune) bool { return !unicode.IsLetter(r) })
	for len(all) > 1 && slices.Contains([]string{"id", "ids", "name", "names", "address", "addresses", "number"}, all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	if len(all) == 0 || all[0] == "from" || all[0] == "source" {
		return false
	}
	return destination.MatchString(all[len(all)-1])
}

// spaced separates the words of camelCase, and lowers them.
func spaced(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}

// binds reports whether the clause says which values stand at the path, or in
// what it lies in.
func (k *Clause) binds(path string) bool {
	for _, c := range k.constraints {
		constraints := c.set.Canonical()
		rest, within := strings.CutPrefix(path, strings.TrimSuffix(c.name, "[]"))
		for _, word := range binding {
			if within && (rest == "" || rest[0] == '.' || rest[0] == '[') && constraints.Get(word).Kind() != toolcall.Absent {
				return true
			}
		}
	}
	return false
}

// maxLevels bounds how deep destinations are looked for: a schema may contain
// itself.
const maxLevels = 5

// textual calls found with the path and the name of each declared member below
// the places, at any level, that can hold a text or a list of texts and whose
// values the schema does not list. above leads to the places.
func (s schemas) textual(places []toolcall.Value, above string, level int, found func(path, name string)) {
	if level > maxLevels {
		return
	}
	for _, p := range s.closure(places) {
		properties := p.Get("properties")
		for i := range properties.Len() {
			name, schema := properties.Member(i)
			path, below := beneath(above, name), []toolcall.Value{schema}
			elements := ""
			if s.kinds(below).has(toolcall.Array) {
				if items, open, _ := s.elements(below); !open {
					below, elements = items, "[]"
				}
			}
			if s.kinds(below).has(toolcall.String) && !slices.ContainsFunc(s.closure(below), listsValues) {
				found(path, name)
			}
			s.textual(below, path+elements, level+1, found)
		}
	}
}

func listsValues(schema toolcall.Value) bool { return choices(schema) != nil }

// beneath returns the path of a member of what above leads to.
func beneath(above, name string) string {
	path := toolcall.Path{}.Member(name).String()
	if above == "" || path[0] == '[' {
		return above + path
	}
	return above + "." + path
}
