package contract

import (
	"fmt"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// limits reads a list of limits. subjects are those whose calls they count.
func (l *loader) limits(p place, n *yamlwalk.Node, subjects []subject) []*limit {
	if !l.Is(n, toolcall.Array, "a list of limits") {
		return nil
	}
	var limits []*limit
	for i, item := range l.Elements(n, "limits") {
		if l.Mapping(item, limitWords) {
			k := l.limit(p, item, subjects)
			k.path = fmt.Sprintf("%s.limits[%d]", p.path(), i)
			limits = append(limits, k)
		}
	}
	return limits
}

// maxCalls bounds the number of calls in a limit; a larger one bounds nothing.
const maxCalls = 1_000_000_000

// limit reads one limit: {calls: N, per: W} or {sum: ARGUMENT, max: N, per: W},
// with `by` and `over`.
func (l *loader) limit(p place, n *yamlwalk.Node, subjects []subject) *limit {
	k := &limit{place: p, by: split{agent: true}}
	calls, sum, most := n.Get("calls"), n.Get("sum"), n.Get("max")
	switch {
	case yamlwalk.Misspelt(n, "calls", limitWords), yamlwalk.Misspelt(n, "sum", limitWords):
	case (calls == nil) == (sum == nil):
		l.Report(n, "", `a limit needs either "calls" or "sum"`)
	case calls != nil && most != nil:
		l.Report(most, `"calls" is its own bound`, `"max" stands beside "sum" only`)
	case calls != nil:
		l.Count(calls, "a number of calls", maxCalls)
		k.max = l.Decimal(calls)
	case most == nil:
		l.Report(n, "", `a limit with "sum" needs "max"`)
	default:
		k.argument = l.summand(sum, subjects)
		k.max = l.bound(most)
	}
	if per := l.Need(n, "per", limitWords); per.Text != "session" {
		k.window = l.Duration(per)
	}
	if by := n.Get("by"); by != nil && l.Is(by, toolcall.Array, "a list such as [agent, user]") {
		k.by = l.split(by, subjects)
	}
	if over := n.Get("over"); over != nil && l.Is(over, toolcall.String, `the word "approve"`) {
		k.ask = l.Word(over, overWords)
	}
	return k
}

// split reads which counts a limit keeps apart.
func (l *loader) split(n *yamlwalk.Node, subjects []subject) split {
	var s split
	var words []string
	for _, item := range l.Elements(n, "by") {
		if item.Kind == toolcall.Object && l.Mapping(item, byArgumentWords) {
			s.argument = l.splitter(l.Need(item, byArgument, byArgumentWords), subjects)
			words = append(words, byArgument)
			continue
		}
		if !l.Is(item, toolcall.String, "agent, user, session, tool or {argument: NAME}") || !l.Word(item, byWords) {
			continue
		}
		words = append(words, item.Text)
		switch item.Text {
		case byAgent:
			s.agent = true
		case byUser:
			s.user = true
		case bySession:
			s.session = true
		case byTool:
			s.tool = true
		}
	}
	l.Distinct(n, words)
	return s
}

// splitter reads the argument whose values are counted apart. Each subject must
// declare it, as one text, number or truth value.
func (l *loader) splitter(n *yamlwalk.Node, subjects []subject) toolcall.Path {
	const single = anyKind &^ (1<<toolcall.Null | 1<<toolcall.Array | 1<<toolcall.Object)
	var path toolcall.Path
	for _, s := range subjects {
		p, found, ok := l.argument(n, s.tool)
		several := false
		for _, step := range p.Steps() {
			several = several || step.Elements
		}
		if ok && (several || found&single == 0) {
			l.Report(n, "", "a count is split by one text, number or truth value, but %s of %s is more", p, s.tool.Name)
		}
		path = p
	}
	return path
}

// summand reads the argument that a limit adds up. Each of the subjects must
// declare it, or their calls could never be counted.
func (l *loader) summand(n *yamlwalk.Node, subjects []subject) toolcall.Path {
	var path toolcall.Path
	for _, s := range subjects {
		p, found, ok := l.argument(n, s.tool)
		if ok && !found.has(toolcall.Number) {
			l.Report(n, l.elementsHint(p, kindsOf(toolcall.Number), found), "a sum adds numbers, but %s of %s is %s", p, s.tool.Name, found)
		}
		path = p
	}
	return path
}

// bound reads the bound of a sum.
func (l *loader) bound(n *yamlwalk.Node) toolcall.Decimal {
	if !l.Is(n, toolcall.Number, "the bound of a sum") {
		return toolcall.Decimal{}
	}
	d := l.Decimal(n)
	if d.Sign() <= 0 {
		l.Report(n, `to refuse every call, write "block"`, "expected a number above 0, found %s", n.Text)
	}
	return d
}
