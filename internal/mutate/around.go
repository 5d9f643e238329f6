package mutate

import (
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// maxRounds bounds how often a call is repeated to reach a limit.
const maxRounds = 500

// seeker looks for stories that a mutant answers otherwise than its contract.
type seeker struct {
	*runner
	m       *Mutant
	was, is *yamlwalk.Node // the trees of both
	limit   *yamlwalk.Node // that is changed, nil if none is
	borders []border
}

func newSeeker(r *runner, m *Mutant) *seeker {
	parse := func(text []byte) *yamlwalk.Node {
		p := yamlwalk.Reader{File: "contract", What: "contract"}
		return p.Parse(text)
	}
	s := &seeker{runner: r, m: m, was: parse(r.passed[0].Suite.Contract.Text), is: parse(m.source.Text)}
	if i := slices.IndexFunc(m.about[min(2, len(m.about)):], func(at step) bool { return at.key == "limits" }); m.Kind == KindLimit && i >= 0 {
		s.limit = m.about[:i+4].from(s.was)
	}
	s.borders = s.findBorders()
	return s
}

// both returns the texts of the lists at a place, of the contract and of the
// mutant.
func (s *seeker) both(at place) []string {
	return slices.Concat(texts(at.from(s.was)), texts(at.from(s.is)))
}

// words returns the phrases, or the tools of all labels and names, that a
// condition looks for.
func (s *seeker) words() (all []string) {
	if s.m.Kind == KindLabels {
		return s.both(s.m.about[:2])
	}
	condition := s.m.about[:7]
	for _, list := range []string{"mentions", "called", "not_called"} {
		for _, name := range s.both(condition.key(list)) {
			if tools := s.both(place{}.key("labels").key(name)); len(tools) > 0 {
				all = append(all, tools...)
			} else {
				all = append(all, name)
			}
		}
	}
	return all
}

// people returns who may answer, and two who may not.
func (s *seeker) people() []string {
	all := s.both(place{}.key("approvals").key("approvers"))
	if s.m.about[:min(6, len(s.m.about))].isClause() {
		all = slices.Concat(all, s.both(s.m.about[:6].key("$approvers")))
	}
	slices.Sort(all)
	return append(slices.Compact(all), "somebody", "another")
}

// aroundCall returns a story with something else happening around its call: what
// limits, approvals and conditions look at.
func (s *seeker) aroundCall(t story) []story {
	switch s.m.Kind {
	case KindLimit:
		return s.repeated(t)
	case KindApprovals, KindApprovers:
		return s.answered(t)
	case KindExtra:
		return extras(t)
	case "from", "identifiers":
		return s.elsewhereStated(t)
	case "$request":
		return s.asked(t)
	case "$session", KindLabels:
		return s.after(t)
	}
	return nil
}

// repeated returns stories that use a limit up, and go on: at once, later, in
// another session, for another user.
func (s *seeker) repeated(t story) []story {
	c := t.last()
	if sum := s.limit.Get("sum"); sum != nil {
		return s.summed(t, sum.Text)
	}
	n, err := toolcall.ParseDecimal(s.limit.Get("calls").Text)
	rounds, whole := n.Int64()
	if err != nil || !whole || rounds > maxRounds {
		return nil
	}
	return s.beyond(t.times(int(rounds)), c)
}

// times returns the story with its last call made n times.
func (t story) times(n int) story {
	last := len(t.steps) - 1
	return story{t.files, append(slices.Clip(t.steps[:last]), cases.Step{Act: t.last(), Repeat: n})}
}

// beyond returns what may happen once a limit is used up: the call c.
func (s *seeker) beyond(used story, c cases.Call) []story {
	again := cases.Step{Act: c, Repeat: 1}
	somebody := c
	somebody.User = "somebody"
	all := []story{used.then(again), used.then(elsewhere(append(used.steps[:len(used.steps)-1:len(used.steps)-1], again))...),
		used.then(cases.Step{Act: somebody, Repeat: 1})}
	wait := duration(s.limit.Get("per").Text) * 3 / 4
	if wait == 0 {
		wait = time.Hour
	}
	return append(all, used.then(cases.Step{Act: cases.Wait{For: wait}}, again))
}

// elsewhere returns steps as they happen in another session.
func elsewhere(steps []cases.Step) []cases.Step {
	moved := slices.Clone(steps)
	for i := range moved {
		switch a := moved[i].Act.(type) {
		case cases.Call:
			a.Session += "-2"
			moved[i].Act = a
		case cases.Turn:
			a.Session += "-2"
			moved[i].Act = a
		}
	}
	return moved
}

// summed returns stories that use up a limit on a sum: with one call, and with
// the call as it is before one that adds up to the bound or just beyond.
func (s *seeker) summed(t story, argument string) (all []story) {
	bound := s.limit.Get("max").Text
	path, err := toolcall.ParsePath(argument)
	if err != nil {
		return nil
	}
	spent := "0"
	if values := path.Select(t.last().Arguments).Values; len(values) == 1 && values[0].Kind() == toolcall.Number {
		spent = values[0].Canonical()
	}
	for _, total := range []string{bound, moved(bound, 1, 1), moved(bound+".00", 1, 1)} {
		for _, amount := range []string{total, less(total, spent)} {
			v := jsons(numberNode(amount))
			if len(v) == 0 {
				continue
			}
			c := t.last()
			c.Arguments = set(c.Arguments, path.Steps(), v[0])
			all = append(all, t.ending(c))
			all = append(all, s.beyond(t, c)...)
		}
	}
	return all
}

// answered returns stories in which people answer the held call.
func (s *seeker) answered(t story) (all []story) {
	expire := 15 * time.Minute
	if e := s.was.Get("approvals").Get("expire"); e != nil {
		expire = duration(e.Text)
	}
	again := cases.Step{Act: t.last(), Repeat: 1}
	for _, wait := range []time.Duration{0, expire + time.Minute} {
		var steps []cases.Step
		for _, who := range s.people() {
			yes := cases.Step{Act: cases.Answered{By: who, Approve: true}}
			steps = append(steps, yes)
			all = append(all, t.then(cases.Step{Act: cases.TurnedAway{By: who}}),
				t.then(yes, cases.Step{Act: cases.Wait{For: wait}}, again),
				t.then(append(slices.Clip(steps), cases.Step{Act: cases.Wait{For: wait}}, again)...))
		}
	}
	return all
}

// extras returns the call with an argument that no tool declares.
func extras(t story) []story {
	c := t.last()
	c.Arguments = set(c.Arguments, toolcall.Path{}.Member("undeclared").Steps(), toolcall.StringOf("x"))
	return []story{t.ending(c)}
}

// elsewhereStated returns the call with a value that the result of a source
// holds, but not at the place where the source is read.
func (s *seeker) elsewhereStated(t story) (all []story) {
	const value = "stranger@note.example"
	path, err := toolcall.ParsePath(s.m.about.argument())
	if err != nil {
		return nil
	}
	note := toolcall.ObjectOf(member("note", toolcall.StringOf(value)))
	text := toolcall.ObjectOf(member("type", toolcall.StringOf("text")), member("text", toolcall.StringOf(note.Canonical())))
	result := toolcall.ObjectOf(member("content", toolcall.ArrayOf(text)), member("structuredContent", note))
	of := s.m.about[:7].from(s.was)
	for _, source := range append(sources(of.Get("from")), sources(of.Get("identifiers").Get("from"))...) {
		server, tool, ok := strings.Cut(textOf(source.Get("result")), ".")
		if !ok {
			continue
		}
		c := t.last()
		c.Arguments = set(c.Arguments, path.Steps(), toolcall.StringOf(value))
		c.History = append(slices.Clip(c.History), cases.Past{Server: server, Tool: tool, Result: result})
		all = append(all, t.ending(c))
	}
	return all
}

// sources returns the sources of a `from`: one, or a list of them.
func sources(n *yamlwalk.Node) []*yamlwalk.Node {
	if n == nil || n.Kind == toolcall.Array {
		return elementsOf(n)
	}
	return []*yamlwalk.Node{n}
}

// asked returns stories in which the user said each of the words, or nothing.
func (s *seeker) asked(t story) (all []story) {
	quiet := story{files: t.files}
	for _, step := range t.steps {
		if _, turn := step.Act.(cases.Turn); !turn {
			quiet.steps = append(quiet.steps, step)
		}
	}
	c := quiet.last()
	c.Request = nil
	all = append(all, quiet.ending(c))
	for _, words := range s.words() {
		c.Request = []string{"please " + words + " this"}
		all = append(all, quiet.ending(c))
	}
	return all
}

// after returns stories in which each of the named tools was called before, the
// one without, and those with many values of an argument.
func (s *seeker) after(t story) (all []story) {
	alone := story{t.files, t.steps[len(t.steps)-1:]}
	all = append(all, alone)
	for _, name := range s.words() {
		server, tool, ok := strings.Cut(name, ".")
		if !ok {
			continue
		}
		c := cases.Call{Agent: t.last().Agent, Session: t.last().Session, Server: server, Tool: tool,
			Arguments: sampleArguments(schemaOf(s.original, name))}
		first := cases.Step{Act: c, Repeat: 1}
		all = append(all, alone.before(first), t.before(first))
	}
	return append(all, s.distinct(t)...)
}

// distinct returns, for each argument that the clause is about, one story with
// all values at its borders, one after the other.
func (s *seeker) distinct(t story) (all []story) {
	for _, b := range s.borders {
		path, err := toolcall.ParsePath(b.argument)
		if err != nil || len(b.values) == 0 {
			continue
		}
		one := t
		for _, v := range b.values {
			c := t.last()
			c.Arguments = set(c.Arguments, path.Steps(), v)
			one = one.then(cases.Step{Act: c, Repeat: 1})
		}
		all = append(all, one)
	}
	return all
}

// withValues returns a story with each value at a border of the change in the
// place of the argument that was changed.
func (s *seeker) withValues(t story) (all []story) {
	for _, a := range s.borders {
		path, err := toolcall.ParsePath(a.argument)
		if err != nil {
			continue
		}
		for _, v := range a.values {
			c := t.last()
			c.Arguments = set(c.Arguments, path.Steps(), v)
			all = append(all, t.ending(c))
			said := c
			said.Request = append(slices.Clip(c.Request), "please use "+spoken(v))
			if a.stated {
				all = append(all, t.ending(said))
			}
		}
		c := t.last()
		c.Arguments = set(c.Arguments, path.Steps(), toolcall.Value{})
		all = append(all, t.ending(c))
	}
	return all
}

// set returns v with another value at a path; absent takes it away. Steps into a
// list change each of its elements, or make one.
func set(v toolcall.Value, steps []toolcall.Step, to toolcall.Value) toolcall.Value {
	if len(steps) == 0 {
		return to
	}
	if steps[0].Elements {
		items := elements(v)
		if len(items) == 0 {
			items = []toolcall.Value{{}}
		}
		changed := make([]toolcall.Value, len(items))
		for i, item := range items {
			changed[i] = set(item, steps[1:], to)
		}
		return toolcall.ArrayOf(changed...)
	}
	members := []toolcall.Member{{Name: steps[0].Name, Value: set(v.Get(steps[0].Name), steps[1:], to)}}
	for i := range v.Len() {
		if v.Kind() != toolcall.Object {
			break
		}
		if name, value := v.Member(i); name != steps[0].Name {
			members = append(members, toolcall.Member{Name: name, Value: value})
		}
	}
	return toolcall.ObjectOf(members...)
}
