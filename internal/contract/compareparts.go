package contract

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/catalog"
)

// catalogs compares the approved copies. What a changed definition means for
// calls is noted at each tool; a change that no tool shows is told here.
func (c *comparer) catalogs() {
	for _, name := range union(c.old.catalogs, c.new.catalogs) {
		was, before := c.old.catalogs[name]
		is, after := c.new.catalogs[name]
		path := "catalogs." + name
		switch {
		case !after:
			c.note("catalog", path, alike, "the server is gone; what this refuses is told at its tools", was.Pin, "")
		case !before:
			c.note("catalog", path, alike, "a new server; what this permits is told at its tools", "", is.Pin)
		default:
			c.catalog(path, was, is)
		}
	}
}

func (c *comparer) catalog(path string, was, is Catalog) {
	if was.Resolve != is.Resolve {
		c.note("catalog", path+".resolve", order{}, "paths are resolved in another way; what this changes is told at tools with path constraints", "", "")
	}
	if was.Pin == is.Pin {
		return
	}
	o, why := alike, "the pin changed; tools were only added or taken away"
	if tools := redefined(was.Approved, is.Approved); len(tools) > 0 {
		o, why = order{}, "the pin changed, and with it the definition of "+strings.Join(tools, ", ")
	} else if was.Approved.Instructions != is.Approved.Instructions {
		o, why = order{}, "the pin changed, and with it the server's instructions to the agent"
	}
	c.total = c.total.and(o)
	c.note("catalog", path, o, why, was.Pin, is.Pin)
}

// redefined names the tools that both copies have with another definition.
func redefined(was, is *catalog.Catalog) (names []string) {
	for _, t := range is.Tools {
		if old, ok := was.Tool(t.Name); ok && old.Digest != t.Digest {
			names = append(names, t.Name)
		}
	}
	return names
}

// approvals compares how held calls are answered.
func (c *comparer) approvals() {
	was, is := c.old.approvals, c.new.approvals
	setting := func(name string, o order, why, old, new string) {
		if o != alike {
			c.total = c.total.and(o)
			c.note("approvals", "approvals."+name, o, why, old, new)
		}
	}
	setting("expire", order{is.Expire <= was.Expire, is.Expire >= was.Expire}, "how long an answer and its use may take",
		period(was.Expire), period(is.Expire))
	setting("quorum", order{is.Quorum >= was.Quorum, is.Quorum <= was.Quorum}, "how many must agree",
		fmt.Sprint(was.Quorum), fmt.Sprint(is.Quorum))
	who := func(quorum int, names []string) *Clause {
		return &Clause{ownPanel: true, approvers: names, quorum: quorum}
	}
	old, new := who(1, was.Approvers), who(1, is.Approvers)
	setting("approvers", order{panelWithin(new, old), panelWithin(old, new)}, "who may answer",
		approvers(was.Approvers), approvers(is.Approvers))
}

func approvers(names []string) string {
	if len(names) == 0 {
		return "everyone who is enrolled"
	}
	return strings.Join(names, ", ")
}

// judge compares who judges, and what follows. It matters only where calls are
// handed over.
func (c *comparer) judge() {
	was, is := c.old.judge, c.new.judge
	if was == is || !c.old.judges() && !c.new.judges() {
		return
	}
	narrower := func(a, b Judge) bool {
		outcomes := a.OnBlock <= b.OnBlock && a.OnNoVerdict <= b.OnNoVerdict
		a.OnBlock, a.OnNoVerdict = b.OnBlock, b.OnNoVerdict
		return outcomes && a == b
	}
	o := order{narrows: narrower(is, was), widens: narrower(was, is)}
	c.total = c.total.and(o)
	c.note("judge", "judge", o, "what follows where the judge does not allow", was.String(), is.String())
}

// String returns the settings in one line.
func (j Judge) String() string {
	s := fmt.Sprintf("%s, on_block: %s, on_no_verdict: %s", j.Model, outcomeWord(j.OnBlock), outcomeWord(j.OnNoVerdict))
	if j.Model != BuiltinJudge {
		s += fmt.Sprintf(", policy: %s, votes: %d, two_stage: %t, view: %v", j.Policy, j.Votes, j.TwoStage, j.view())
	}
	return s
}

// view returns the switches of what a model sees that are set.
func (j Judge) view() (words []string) {
	if j.Results {
		words = append(words, viewWords.Known[0])
	}
	if j.NoFacts {
		words = append(words, viewWords.Known[1])
	}
	if j.NoSignals {
		words = append(words, viewWords.Known[2])
	}
	return words
}

// evidence notes what records keep otherwise; no verdict depends on it.
func (c *comparer) evidence() {
	for _, tool := range union(c.old.redact, c.new.redact) {
		was, is := c.old.redact[tool].names(), c.new.redact[tool].names()
		if !slices.Equal(was, is) {
			c.note("evidence", fmt.Sprintf("evidence.redact[%q]", tool), alike, "what records leave out changed; no verdict depends on it",
				strings.Join(was, ", "), strings.Join(is, ", "))
		}
	}
}

// parts compares what stands at a rule itself.
func (c *comparer) parts(old, new *Rule) {
	if old.Blocked || new.Blocked {
		return // the tool says it all
	}
	if old.extra != new.extra {
		c.note("tool", new.path+".extra_arguments", order{narrows: !new.extra, widens: new.extra},
			"whether arguments may be given that the tool does not declare", "", "")
	}
	for _, s := range c.steps() {
		c.clauses(s, old, new)
	}
	c.limits(limitsAt(old), limitsAt(new))
}

// step is one list of clauses of a rule, and how its clauses compare.
type step struct {
	word            string
	of              func(*Rule) []*Clause
	said            func(k *Clause, r *Rule) bool // certainly, a clause of r says at least what k says
	within          func(k, l *Clause) bool       // certainly, l says at least what k says
	forbids         bool
	wider, narrower string // what became of calls, in words
}

func (c *comparer) steps() []step {
	return []step{{
		word: "never", of: func(r *Rule) []*Clause { return r.Never }, forbids: true,
		said:   func(k *Clause, r *Rule) bool { return forbidden(k, r.Never) },
		within: func(k, l *Clause) bool { return forbidden(k, []*Clause{l}) },
		wider:  "forbids fewer calls", narrower: "forbids more calls",
	}, {
		word: "allow", of: func(r *Rule) []*Clause { return r.Allow },
		said:   func(k *Clause, r *Rule) bool { return c.permitted(k, r.Allow) },
		within: c.clauseWithin,
		wider:  "allows calls that no clause allowed before", narrower: "allows fewer calls",
	}, {
		word: "judge", of: func(r *Rule) []*Clause { return r.Judge },
		said:   c.judged,
		within: c.clauseWithin,
		wider:  "the judge can permit more calls", narrower: "the judge can permit fewer calls",
	}, {
		word: "approve", of: func(r *Rule) []*Clause { return r.Approve },
		said:   func(k *Clause, r *Rule) bool { return c.permitted(k, r.Allow) || c.held(k, r.Approve) },
		within: c.clauseWithin,
		wider:  "people can permit more calls, or fewer of them are needed", narrower: "people can permit fewer calls, or more of them are needed",
	}}
}

// clauses compares the clauses of one list, each with all of the other rule.
func (c *comparer) clauses(s step, old, new *Rule) {
	gone, fresh := lost(old, new), lost(new, old)
	list := differ[*Clause]{old: s.of(old), new: s.of(new),
		equal:   func(o, n *Clause) bool { return o.canonical().Equal(n.canonical()) },
		related: func(o, n *Clause) bool { return s.within(n, o) || s.within(o, n) },
	}
	for _, p := range list.pairs() {
		kept := p.old == nil || s.said(*p.old, new)
		known := p.new == nil || s.said(*p.new, old)
		o := order{narrows: known, widens: kept}
		if s.forbids {
			o = order{narrows: kept, widens: known}
		}
		if s.word == "judge" && o != alike && len(old.Approve)+len(new.Approve) > 0 {
			o = order{} // it takes calls from approve, or leaves them to it
		}
		c.clause(s, p, o, gone, fresh)
	}
}

// clause notes what became of one clause. gone and fresh are the expressions of
// the rule that can fail and that only the old or only the new one has.
func (c *comparer) clause(s step, p pair[*Clause], o order, gone, fresh []string) {
	path, was, is := "", "", ""
	failing := false
	if p.old != nil {
		path, was = (*p.old).path, (*p.old).canonical().Canonical()
		failing = some(gone, (*p.old).expressions())
		o.narrows = o.narrows && !failing
	}
	if p.new != nil {
		path, is = (*p.new).path, (*p.new).canonical().Canonical()
		o.widens = o.widens && !some(fresh, (*p.new).expressions())
	}
	why := map[Direction]string{
		Wider: s.wider, Narrower: s.narrower, Equal: "says the same in other words, or what another clause says",
		CannotTell: "neither that it narrows nor that it widens is proven",
	}[o.direction()]
	if failing {
		why = "an expression is gone that blocked every call for which it failed"
	}
	c.note(s.word, path, o, why, was, is)
}

// some reports whether a and b share a text.
func some(a, b []string) bool {
	return slices.ContainsFunc(b, func(s string) bool { return slices.Contains(a, s) })
}

// limitsAt returns the limits that stand at the rule itself.
func limitsAt(r *Rule) []counted {
	return slices.DeleteFunc(slices.Clone(r.counted), func(l counted) bool {
		return !slices.Contains(r.limits, l.limit)
	})
}

// limits compares the limits that stand at one place.
func (c *comparer) limits(old, new []counted) {
	limits := differ[counted]{old: old, new: new,
		equal:   func(o, n counted) bool { return o.canonical().Equal(n.canonical()) && o.counter == n.counter },
		related: func(o, n counted) bool { return o.within(n) || n.within(o) },
	}
	for _, p := range limits.pairs() {
		o := order{narrows: p.old == nil || limitsWithin(new, []counted{*p.old}), widens: p.new == nil || limitsWithin(old, []counted{*p.new})}
		path, was, is := "", "", ""
		if p.old != nil {
			path, was = p.old.path, p.old.text()
		}
		if p.new != nil {
			path, is = p.new.path, p.new.text()
		}
		why := map[Direction]string{
			Wider: "more can be used up", Narrower: "less can be used up", Equal: "another limit says the same",
			CannotTell: "it counts something else, or in another way, and begins anew",
		}[o.direction()]
		change := Change{"limit", path, o.direction(), why, was, is}
		if !slices.Contains(c.changes, change) { // a group has one limit for all its tools
			c.changes = append(c.changes, change)
		}
	}
}

// pair is a part of the old contract and what stands in its place; nil is none.
type pair[T any] struct{ old, new *T }

// differ finds out which parts of two lists stand for one another.
type differ[T any] struct {
	old, new []T
	equal    func(old, new T) bool // nothing changed: not worth a word
	related  func(old, new T) bool // one is a stricter form of the other
}

// pairs returns the parts that are not equal: those that are related together,
// then what is left in its order.
func (d differ[T]) pairs() []pair[T] {
	d.take(d.equal)
	pairs := d.take(d.related)
	for i := range max(len(d.old), len(d.new)) {
		var p pair[T]
		if i < len(d.old) {
			p.old = &d.old[i]
		}
		if i < len(d.new) {
			p.new = &d.new[i]
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// take removes the parts that fit and returns them.
func (d *differ[T]) take(fit func(old, new T) bool) (pairs []pair[T]) {
	var rest []T
	left := slices.Clone(d.new)
	for _, o := range d.old {
		i := slices.IndexFunc(left, func(n T) bool { return fit(o, n) })
		if i < 0 {
			rest = append(rest, o)
			continue
		}
		n := left[i]
		pairs = append(pairs, pair[T]{&o, &n})
		left = slices.Delete(left, i, i+1)
	}
	d.old, d.new = rest, left
	return pairs
}

// text returns the limit as a contract writes it.
func (l *limit) text() string {
	words := []string{"calls: " + l.max.String()}
	if !l.argument.Empty() {
		words = []string{"sum: " + l.argument.String(), "max: " + l.max.String()}
	}
	words = append(words, "per: "+period(l.window))
	if !l.by.usual() {
		words = append(words, "by: ["+strings.Join(l.by.words(), ", ")+"]")
	}
	if l.ask {
		words = append(words, "over: approve")
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// words returns what keeps counts apart, as it stands beside `by`.
func (s split) words() (all []string) {
	for _, w := range []struct {
		word string
		on   bool
	}{{byAgent, s.agent}, {byUser, s.user}, {bySession, s.session}, {byTool, s.tool}} {
		if w.on {
			all = append(all, w.word)
		}
	}
	if !s.argument.Empty() {
		all = append(all, fmt.Sprintf("{%s: %s}", byArgument, s.argument))
	}
	return all
}

// period returns a window or duration in the largest unit that divides it.
func period(d time.Duration) string {
	if d == 0 {
		return "session"
	}
	for _, u := range []struct {
		unit string
		size time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}} {
		if d%u.size == 0 {
			return fmt.Sprintf("%d%s", d/u.size, u.unit)
		}
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
