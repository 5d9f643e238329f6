package constraint

import (
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// PermitsWithin reports whether t certainly permits every argument that s
// permits, whatever the answers are as long as both are asked of one world.
// False says only that this is not proven.
func (s *Set) PermitsWithin(t *Set) bool {
	if s.optional && !t.optional || len(s.kinds) == 0 || len(t.kinds) == 0 {
		return false
	}
	listed, finite := s.listed()
	return !slices.ContainsFunc(t.kinds, func(want kind) bool {
		return !s.has(want, unmetWithin) && !(finite && allPermitted(want, listed))
	})
}

// ForbidsWithin reports whether t certainly forbids every argument that s
// forbids. False says only that this is not proven.
func (s *Set) ForbidsWithin(t *Set) bool {
	if len(s.kinds) == 0 || len(t.kinds) == 0 {
		return false
	}
	return !slices.ContainsFunc(t.kinds, func(want kind) bool { return !s.has(want, metWithin) })
}

// has reports whether one kind of s is within want.
func (s *Set) has(want kind, within func(a, b kind) bool) bool {
	return slices.ContainsFunc(s.kinds, func(k kind) bool { return alike(k, want) && within(k, want) })
}

// alike reports whether a and b are the same word, or the two that list
// the values of an argument.
func alike(a, b kind) bool {
	lists := func(k kind) bool { return k.name() == "const" || k.name() == "in" }
	return a.name() == b.name() || lists(a) && lists(b)
}

// listed returns the only values that s can permit, and whether they are few
// enough to have been written down in it.
func (s *Set) listed() ([]toolcall.Value, bool) {
	for _, k := range s.kinds {
		if c, ok := k.(*choice); ok && c.word == "in" {
			return slices.DeleteFunc(slices.Clone(c.values), func(v toolcall.Value) bool { return !s.mayPermit(v) }), true
		}
		if c, ok := k.(*choice); ok && c.word == "const" {
			return c.values, true
		}
	}
	return nil, false
}

// mayPermit reports whether no kind that looks at nothing but the value refuses
// it.
func (s *Set) mayPermit(v toolcall.Value) bool {
	return !slices.ContainsFunc(s.kinds, func(k kind) bool {
		switch k.(type) {
		case *choice, *number, *size, *textPattern, *urlKind, *emailKind, *sqlKind:
			return k.unmet(v, Answers{}) != ""
		}
		return false
	})
}

// allPermitted reports whether k holds for all values although nothing of the
// world is known: answers only ever add to what is permitted.
func allPermitted(k kind, values []toolcall.Value) bool {
	return !slices.ContainsFunc(values, func(v toolcall.Value) bool { return k.unmet(v, Answers{}) != "" })
}

// unmetWithin reports whether each value for which a certainly holds is one for
// which b does. Both are alike.
func unmetWithin(a, b kind) bool {
	switch a := a.(type) {
	case *choice:
		return a.within(b.(*choice))
	case *number:
		return a.within(b.(*number))
	case *size:
		return a.within(b.(*size))
	case *textPattern:
		return a.source == b.(*textPattern).source
	case *pathKind:
		return a.permitsWithin(b.(*pathKind))
	case *from:
		return a.within(b.(*from))
	case *identifiersKind:
		return a.within(b.(*identifiersKind))
	case *urlKind:
		return a.permitsWithin(b.(*urlKind))
	case *sqlKind:
		return a.permitsWithin(b.(*sqlKind))
	case *emailKind:
		return a.within(b.(*emailKind))
	case *shellKind:
		return a.spec.Equal(b.(*shellKind).spec)
	}
	return false
}

// metWithin reports whether each value for which a holds or may hold is one for
// which b holds or may hold. Both are alike. What is of another type
// than a kind needs is met by both.
func metWithin(a, b kind) bool {
	switch a := a.(type) {
	case *choice:
		return a.within(b.(*choice))
	case *number:
		return a.within(b.(*number))
	case *size:
		return a.within(b.(*size))
	case *textPattern:
		return a.source == b.(*textPattern).source
	case *pathKind:
		return a.forbidsWithin(b.(*pathKind))
	case *urlKind:
		return a.forbidsWithin(b.(*urlKind))
	case *sqlKind:
		return a.forbidsWithin(b.(*sqlKind))
	case *emailKind:
		return a.within(b.(*emailKind))
	case *shellKind:
		return a.spec.Equal(b.(*shellKind).spec)
	}
	return false
}

// subset reports whether each element of a has one in all that takes it in.
func subset[T any](a, all []T, in func(T, T) bool) bool {
	return !slices.ContainsFunc(a, func(x T) bool {
		return !slices.ContainsFunc(all, func(y T) bool { return in(x, y) })
	})
}

func same[T comparable](a, b T) bool { return a == b }

func (c *choice) within(d *choice) bool {
	if c.word == "not_in" {
		return subset(d.values, c.values, toolcall.Value.Equal)
	}
	return subset(c.values, d.values, toolcall.Value.Equal)
}

func (n *number) within(m *number) bool {
	switch n.word {
	case "min":
		return n.bound.Cmp(m.bound) >= 0
	case "max":
		return n.bound.Cmp(m.bound) <= 0
	default:
		return n.bound.MultipleOf(m.bound)
	}
}

func (s *size) within(t *size) bool { return s.low >= t.low && s.high <= t.high }

// within compares sources by what they say: a value that is stated in one of
// fewer sources is stated in one of more.
func (f *from) within(g *from) bool {
	return subset(f.literals, g.literals, toolcall.Value.Equal) &&
		subset(f.sources, g.sources, func(a, b Source) bool { return a.canonical().Equal(b.canonical()) })
}

// within: fewer patterns find fewer identifiers that must be stated. A pattern
// that is written twice finds twice as many, and their number is bounded.
func (k *identifiersKind) within(l *identifiersKind) bool {
	times := map[string]int{}
	for _, re := range k.patterns {
		times[re.String()]++
	}
	for _, re := range l.patterns {
		times[re.String()]--
	}
	for _, n := range times {
		if n < 0 {
			return false
		}
	}
	return k.from.within(l.from)
}

// within reports whether each host that p names is one that q names.
func (p hostPattern) within(q hostPattern) bool {
	if p.sub && q.sub {
		return below(p.name, q.name)
	}
	return !p.sub && q.names(p.host)
}

// within holds on both sides: an address in a domain is so for permitting and
// for forbidding, and a listed address in a domain is of the same mailbox only
// as others in that domain.
func (e *emailKind) within(f *emailKind) bool {
	addresses := !slices.ContainsFunc(e.addresses, func(a address) bool {
		return !f.inDomain(a) && !slices.Contains(f.addresses, a)
	})
	return addresses && subset(e.domains, f.domains, hostPattern.within)
}

// permitsWithin compares what a url constraint says with what it leaves to the
// defaults: https, public hosts, the scheme's port, any path.
func (u *urlKind) permitsWithin(w *urlKind) bool {
	return subset(u.permittedSchemes(), w.permittedSchemes(), same) &&
		u.hostsWithin(w) && u.portsWithin(w) &&
		(w.paths == nil || u.paths != nil && subset(u.paths, w.paths, under))
}

func (u *urlKind) permittedSchemes() []string {
	if u.schemes == nil {
		return []string{"https"}
	}
	return u.schemes
}

// hostsWithin: without hosts, w permits the public ones.
func (u *urlKind) hostsWithin(w *urlKind) bool {
	switch {
	case w.hosts != nil:
		return u.hosts != nil && subset(u.hosts, w.hosts, hostPattern.within)
	default:
		return !slices.ContainsFunc(u.hosts, func(p hostPattern) bool {
			if p.sub {
				return host{name: "x." + p.name}.private()
			}
			return p.host.private()
		})
	}
}

// portsWithin: without ports, each scheme has its own.
func (u *urlKind) portsWithin(w *urlKind) bool {
	ports := func(u *urlKind, scheme string) []int64 {
		if u.ports == nil {
			return []int64{defaultPorts[scheme]}
		}
		return u.ports
	}
	return !slices.ContainsFunc(u.permittedSchemes(), func(scheme string) bool {
		return !subset(ports(u, scheme), ports(w, scheme), same)
	})
}

// forbidsWithin: in a never clause, what is not written bounds nothing.
func (u *urlKind) forbidsWithin(w *urlKind) bool {
	return (w.schemes == nil || u.schemes != nil && subset(u.schemes, w.schemes, same)) &&
		(w.hosts == nil || u.hosts != nil && subset(u.hosts, w.hosts, hostPattern.within)) &&
		(w.ports == nil || u.ports != nil && subset(u.ports, w.ports, same)) &&
		(w.paths == nil || u.paths != nil && subset(u.paths, w.paths, under))
}

// sameView reports whether both kinds take a text to the same file, in the same
// sense.
func (p *pathKind) sameView(q *pathKind) bool {
	return p.write == q.write && p.base == q.base && p.resolve == q.resolve
}

// chosen returns the covering patterns, or the exclusions.
func (p *pathKind) chosen(not bool) []glob {
	return slices.DeleteFunc(slices.Clone(p.globs), func(g glob) bool { return g.not != not })
}

// permitsWithin: each covering pattern lies in one of q, and each exclusion of q
// is one of p. A pattern without wildcard also opens guarded files, so where
// files are written it lies only in the same one.
func (p *pathKind) permitsWithin(q *pathKind) bool {
	contained := func(g, h glob) bool {
		return g.text == h.text || !(p.write && g.literal()) && (g.place != "" || !p.resolve) && g.inside(h)
	}
	return p.sameView(q) && subset(p.chosen(false), q.chosen(false), contained) &&
		subset(q.chosen(true), p.chosen(true), sameText)
}

// forbidsWithin compares texts only: where a pattern may stand once links are
// followed is not known, and in a never clause it counts.
func (p *pathKind) forbidsWithin(q *pathKind) bool {
	return p.sameView(q) && subset(p.chosen(false), q.chosen(false), sameText) &&
		subset(q.chosen(true), p.chosen(true), sameText)
}

func sameText(g, h glob) bool { return g.text == h.text }

// inside reports whether all that g covers where it is written is covered by h
// where that is written.
func (g glob) inside(h glob) bool {
	if g.place != h.place || len(g.names) < len(h.names) ||
		h.tree && len(g.names) == len(h.names) && !g.tree || !h.tree && (g.tree || len(g.names) > len(h.names)) {
		return false
	}
	for i, name := range h.names {
		if name != "*" && name != g.names[i] {
			return false
		}
	}
	return true
}

// ConditionWithin reports whether b certainly holds, for permitting as well as
// for forbidding, wherever a does. Both have the same word and stand in a clause
// for the same tool. False says only that this is not proven.
func ConditionWithin(a, b Condition) bool {
	switch a := a.(type) {
	case *requestCondition:
		b, ok := b.(*requestCondition)
		return ok && subset(a.phrases, b.phrases, same)
	case *sessionCondition:
		b, ok := b.(*sessionCondition)
		return ok && a.within(b)
	case *signalCondition:
		b, ok := b.(*signalCondition)
		return ok && a.within(b)
	case *when:
		b, ok := b.(*when)
		return ok && a.text == b.text
	}
	return false
}

func (c *sessionCondition) within(d *sessionCondition) bool {
	return (d.called == nil || c.called != nil && subset(c.called.tools, d.called.tools, same)) &&
		(d.notCalled == nil || c.notCalled != nil && subset(d.notCalled.tools, c.notCalled.tools, same)) &&
		(d.distinct == nil || c.distinct != nil && c.distinct.within(d.distinct))
}

func (d *distinctValues) within(e *distinctValues) bool {
	return d.server == e.server && d.tool == e.tool && d.argument.String() == e.argument.String() && d.most <= e.most
}

// MayFail reports whether evaluating the condition can be an error, which blocks
// the call whatever else the rule says (contract language, rule 3).
func MayFail(c Condition) bool {
	_, expression := c.(*when)
	return expression
}
