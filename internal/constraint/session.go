package constraint

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Members of $session.
const (
	called    = "called"
	notCalled = "not_called"
	distinct  = "distinct"
)

// sessionCondition is `$session`: what the calls that were granted in this
// session did. All its members must hold. Where no session is known it permits
// nothing and forbids.
type sessionCondition struct {
	called, notCalled *toolList
	distinct          *distinctValues
}

// toolList is a list of tools and labels, for the tools they stand for.
type toolList struct {
	names []string    // as written, sorted
	tools [][2]string // server and tool
}

// distinctValues bounds how many values an argument of a tool may have in one
// session, the call that is judged included.
type distinctValues struct {
	server, tool string
	own          bool // the tool is that of the clause
	argument     toolcall.Path
	most         int64
}

func newSessionCondition(spec toolcall.Value, in Surroundings) (*sessionCondition, *SpecError) {
	if spec.Kind() != toolcall.Object || spec.Len() == 0 {
		return nil, refuse("expected {called: [...]}, {not_called: [...]} or {distinct: {argument: PATH, max: N}}, got %s", describe(spec))
	}
	c := &sessionCondition{}
	for i := range spec.Len() {
		word, operand := spec.Member(i)
		var err *SpecError
		switch word {
		case called:
			c.called, err = newToolList(operand, in)
		case notCalled:
			c.notCalled, err = newToolList(operand, in)
		case distinct:
			c.distinct, err = newDistinct(operand, in)
		default:
			err = unknown("member", word, called, distinct, notCalled)
		}
		if err != nil {
			return nil, err.under(member(word))
		}
	}
	return c, nil
}

func newToolList(v toolcall.Value, in Surroundings) (*toolList, *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return nil, refuse("expected a list of tools and labels, got %s", describe(v))
	}
	l := &toolList{}
	for i := range v.Len() {
		name := v.Elem(i)
		if name.Kind() != toolcall.String {
			return nil, refuse("expected a tool as server.tool or a label, got %s", name.Kind()).under(element(i))
		}
		tools, err := in.Tools(name.Text())
		if err != nil {
			return nil, refuse("%v", err).under(element(i))
		}
		l.names = append(l.names, name.Text())
		l.tools = append(l.tools, tools...)
	}
	slices.Sort(l.names)
	l.names = slices.Compact(l.names)
	return l, nil
}

func newDistinct(v toolcall.Value, in Surroundings) (*distinctValues, *SpecError) {
	if v.Kind() != toolcall.Object {
		return nil, refuse("expected {argument: PATH, max: N}, got %s", v.Kind())
	}
	d := &distinctValues{server: in.Server, tool: in.Tool, own: true}
	for i := range v.Len() {
		word, operand := v.Member(i)
		switch word {
		case "tool":
			tools, err := in.Tools(operand.Text())
			if err != nil || !strings.Contains(operand.Text(), ".") {
				return nil, refuse("expected one tool as server.tool, got %s", cut(operand.Canonical())).under(member(word))
			}
			d.server, d.tool = tools[0][0], tools[0][1]
			d.own = d.server == in.Server && d.tool == in.Tool
		case "argument":
			path, err := toolcall.ParsePath(operand.Text())
			if err != nil {
				return nil, refuse("%v", err).under(member(word))
			}
			d.argument = path
		case "max":
			n, err := count(operand)
			if err != nil {
				return nil, err.under(member(word))
			}
			d.most = n
		default:
			return nil, unknown("member", word, "argument", "max", "tool").under(member(word))
		}
	}
	switch {
	case d.argument.Empty():
		return nil, refuse(`distinct needs "argument": the path whose values are counted`)
	case d.most == 0:
		return nil, refuse(`distinct needs "max": how many values the argument may have in one session, at least 1`)
	case d.tool == "":
		return nil, refuse(`distinct needs "tool" here: this rule is about no tool`)
	}
	if err := in.Argument(d.server, d.tool, d.argument); err != nil {
		return nil, refuse("%v", err).under(member("argument"))
	}
	return d, nil
}

func (c *sessionCondition) Permits(args toolcall.Value, a Answers) (bool, Miss, error) {
	if !a.Session.Known {
		return false, missing(sessionWord, "no session is known"), nil
	}
	ok, why := c.calls(a.Session)
	if ok && c.distinct != nil {
		why = c.distinct.unmet(args, a)
		ok = why == ""
	}
	return ok, missing(sessionWord, why), nil
}

// Forbids does not look at distinct, which no never clause has.
func (c *sessionCondition) Forbids(_ toolcall.Value, a Answers) (bool, Miss, error) {
	if !a.Session.Known {
		return true, missing(sessionWord, "no session is known"), nil
	}
	ok, why := c.calls(a.Session)
	return ok, missing(sessionWord, why), nil
}

// calls reports whether called and not_called hold in a known session, and why.
func (c *sessionCondition) calls(s Session) (ok bool, why string) {
	if c.called != nil {
		tool := c.called.find(s)
		if tool == "" {
			return false, c.called.String() + " was not called in this session"
		}
		why = tool + " was called in this session"
	}
	if c.notCalled != nil {
		if tool := c.notCalled.find(s); tool != "" {
			return false, tool + " was called in this session"
		}
		why = c.notCalled.String() + " was not called in this session"
	}
	return true, why
}

// String names the list as it is written.
func (l *toolList) String() string { return strings.Join(l.names, " or ") }

// find returns the first tool of the list that was called, "" if none was.
func (l *toolList) find(s Session) string {
	for _, m := range s.Marks {
		if m.Argument == "" && slices.Contains(l.tools, [2]string{m.Server, m.Tool}) {
			return m.Server + "." + m.Tool
		}
	}
	return ""
}

func (d *distinctValues) unmet(args toolcall.Value, a Answers) string {
	seen := map[string]bool{}
	for _, m := range a.Session.Marks {
		if m.Server == d.server && m.Tool == d.tool && m.Argument == d.argument.String() {
			seen[m.Digest] = true
		}
	}
	if d.own {
		sel := d.argument.Select(args)
		switch {
		case sel.Wrong > 0:
			return wrongWay
		case sel.Missing > 0 || len(sel.Values) == 0:
			return d.argument.String() + " is absent"
		}
		digests, known := a.Digests[d.key(sel.Values)]
		if !known || len(digests) != len(sel.Values) {
			return "the values of " + d.argument.String() + " cannot be compared"
		}
		for _, digest := range digests {
			seen[digest] = true
		}
	}
	if int64(len(seen)) > d.most {
		return d.argument.String() + " would have more than " + whole(d.most).Canonical() + " values in this session"
	}
	return ""
}

func (d *distinctValues) key(values []toolcall.Value) string {
	return "digests " + toolcall.ArrayOf(values...).Canonical()
}

func (c *sessionCondition) Questions(args toolcall.Value) []Question {
	if c.distinct == nil || !c.distinct.own {
		return nil
	}
	values := c.distinct.argument.Select(args).Values
	if len(values) == 0 {
		return nil
	}
	return []Question{{Key: c.distinct.key(values), Digest: &DigestQuestion{Values: values}}}
}

// NeverUsable refuses distinct, whose bound one more value would turn off.
func (c *sessionCondition) NeverUsable() error {
	if c.distinct != nil {
		return refuse("distinct in a never clause would be turned off by one more value: bound it in allow and approve").under(member(distinct))
	}
	return nil
}

func (c *sessionCondition) Watches() []Watch {
	var all []Watch
	for _, l := range []*toolList{c.called, c.notCalled} {
		if l != nil {
			for _, t := range l.tools {
				all = append(all, Watch{Server: t[0], Tool: t[1]})
			}
		}
	}
	if d := c.distinct; d != nil {
		all = append(all, Watch{Server: d.server, Tool: d.tool, Argument: d.argument})
	}
	return all
}

func (c *sessionCondition) Canonical() toolcall.Value {
	var members []toolcall.Member
	if c.called != nil {
		members = append(members, toolcall.Member{Name: called, Value: c.called.canonical()})
	}
	if c.notCalled != nil {
		members = append(members, toolcall.Member{Name: notCalled, Value: c.notCalled.canonical()})
	}
	if d := c.distinct; d != nil {
		members = append(members, toolcall.Member{Name: distinct, Value: toolcall.ObjectOf(
			toolcall.Member{Name: "tool", Value: toolcall.StringOf(d.server + "." + d.tool)},
			toolcall.Member{Name: "argument", Value: toolcall.StringOf(d.argument.String())},
			toolcall.Member{Name: "max", Value: whole(d.most)},
		)})
	}
	return toolcall.ObjectOf(members...)
}

// canonical returns the tools that the list stands for: the name of a label
// is no meaning.
func (l *toolList) canonical() toolcall.Value {
	var values []toolcall.Value
	for _, t := range l.tools {
		values = append(values, toolcall.StringOf(t[0]+"."+t[1]))
	}
	return toolcall.ArrayOf(sorted(values)...)
}
