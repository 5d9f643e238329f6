package contract

import (
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/constraint"
)

// Direction says how a contract, or a part of it, compares with an older one.
// The zero Direction is the one that proves nothing.
type Direction uint8

// The directions.
const (
	CannotTell Direction = iota // neither of the others is proven
	Wider                       // nothing that was permitted is refused, and it is not proven that nothing more is permitted
	Narrower                    // proven: no call gets a wider verdict
	Equal                       // proven: every call gets the same verdict
)

// String returns the direction in words.
func (d Direction) String() string {
	return [...]string{CannotTell: "cannot tell", Wider: "wider", Narrower: "narrower", Equal: "equal"}[d]
}

// MarshalText writes the words of String.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// order is what is proven of two things: that the new one gives no call a wider
// verdict than the old one, and the reverse.
type order struct{ narrows, widens bool }

var alike = order{true, true}

func (o order) and(p order) order { return order{o.narrows && p.narrows, o.widens && p.widens} }

func (o order) direction() Direction {
	switch o {
	case alike:
		return Equal
	case order{narrows: true}:
		return Narrower
	case order{widens: true}:
		return Wider
	}
	return CannotTell
}

// Change is one part of a contract that is not what it was.
type Change struct {
	Part      string    `json:"part"` // agent, tool, never, allow, judge (also its settings), approve, limit, catalog, approvals, evidence
	Path      string    `json:"path"` // its place in the new contract, or in the old one if it is gone
	Direction Direction `json:"direction"`
	Why       string    `json:"why"`
	Old       string    `json:"old,omitzero"` // what stood there, in canonical form; "" if nothing
	New       string    `json:"new,omitzero"` // what stands there now
}

// Comparison says what is different between two contracts.
type Comparison struct {
	Direction Direction `json:"direction"` // of the contract as a whole
	Changes   []Change  `json:"changes"`   // in the order of agents and tools; a tool before its parts
}

// Compare compares what two contracts say of every call, under the same facts:
// what was stated, used up and done in the session, and where paths lead. That
// a fact could not be gathered is a failure and no fact.
//
// Narrower and equal are proven for each part that says so. The proof is
// sound and small: a permitting clause is narrower than another if each
// constraint of that one is implied by one of its own on the same argument (see
// constraint.Set.PermitsWithin), a forbidding one in reverse. A tool is narrower
// if each clause and limit has its counterpart. What takes more than that is
// CannotTell or Wider. An agent in shadow mode is compared by what the verdict
// would have been, and the mode for itself.
func Compare(old, new *Contract) Comparison {
	return newComparer(old, new).compare()
}

// comparer compares two contracts.
type comparer struct {
	old, new *Contract
	permits  func(a, b *constraint.Set) bool // is constraint.Set.PermitsWithin, but in tests of the tests
	total    order
	changes  []Change
}

func newComparer(old, new *Contract) *comparer {
	return &comparer{old: old, new: new, permits: (*constraint.Set).PermitsWithin, total: alike}
}

func (c *comparer) compare() Comparison {
	c.catalogs()
	for _, name := range union(c.old.agents, c.new.agents) {
		c.agent(c.old.agents[name], c.new.agents[name], name)
	}
	c.approvals()
	c.judge()
	c.evidence()
	return Comparison{c.total.direction(), c.changes}
}

// union returns the keys of both maps, sorted.
func union[V any](a, b map[string]V) []string {
	both := maps.Clone(a)
	if both == nil {
		both = map[string]V{}
	}
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// note adds a change.
func (c *comparer) note(part, path string, o order, why, old, new string) {
	c.changes = append(c.changes, Change{part, path, o.direction(), why, old, new})
}

// agent compares what one agent may do. Either may be nil.
func (c *comparer) agent(old, new *Agent, name string) {
	path := "agents." + name
	switch {
	case new == nil:
		c.total = c.total.and(order{narrows: true})
		c.note("agent", path, order{narrows: true}, "the agent is gone: all its calls are refused", "", "")
		return
	case old == nil:
		c.total = c.total.and(order{widens: true})
		c.note("agent", path, order{widens: true}, "a new agent", "", "")
		return
	}
	c.identity(old, new, path)
	c.limits(old.counting(old.limits, &Rule{}), new.counting(new.limits, &Rule{}))
	for _, ref := range union(old.rules, new.rules) {
		c.tool(old.rules[ref], new.rules[ref], ref, path)
	}
}

// identity compares who may speak as an agent, and its mode.
func (c *comparer) identity(old, new *Agent, path string) {
	if old.Token != new.Token {
		o := order{narrows: old.Token == "", widens: new.Token == ""}
		c.total = c.total.and(o)
		c.note("agent", path+".authenticate", o, "another credential speaks as the agent, or none is needed", old.Token, new.Token)
	}
	if old.Shadow != new.Shadow {
		o := order{narrows: old.Shadow, widens: new.Shadow}
		why := "shadow mode is off: what the rules say is enforced"
		if new.Shadow {
			why = "shadow mode is on: nothing is held back"
		}
		c.total = c.total.and(o)
		c.note("agent", path+".mode", o, why, mode(old), mode(new))
	}
}

func mode(a *Agent) string {
	if a.Shadow {
		return "shadow"
	}
	return ""
}

// tool compares all that decides a call of one tool or method for one agent,
// rules of extended agents and limits included, then names the parts that stand
// at the agent itself. Either rule may be nil.
func (c *comparer) tool(old, new *Rule, ref, agent string) {
	o := order{narrows: c.chainWithin(new, old), widens: c.chainWithin(old, new)}
	c.total = c.total.and(o)
	at := len(c.changes)
	own := old != nil && new != nil && !old.inherited && !new.inherited
	if own {
		c.parts(old, new)
	}
	if o == alike && at == len(c.changes) {
		return
	}
	path := agent + ": " + ref
	if new != nil && !new.inherited {
		path = new.path
	} else if old != nil && !old.inherited {
		path = old.path
	}
	heading := Change{"tool", path, o.direction(), c.toolWhy(old, new, own && at < len(c.changes)), "", ""}
	c.changes = slices.Insert(c.changes, at, heading)
}

// toolWhy words what happened to a tool.
func (c *comparer) toolWhy(old, new *Rule, parts bool) string {
	switch {
	case blocks(old) && blocks(new):
		return "refused before and now"
	case blocks(new):
		return "all calls are refused"
	case blocks(old):
		return "was refused, and is not any more"
	case old.ToolDigest != new.ToolDigest:
		return "the approved definition of the tool changed"
	case parts:
		return "the rule changed"
	}
	return "what it inherits, or a limit over it, changed"
}

// blocks reports whether a rule refuses every call.
func blocks(r *Rule) bool {
	if r == nil {
		return true
	}
	for ; r != nil; r = r.base {
		if r.Blocked {
			return true
		}
	}
	return false
}

// chainWithin reports whether a, with all that it extends, certainly gives no
// call a wider verdict than b.
func (c *comparer) chainWithin(a, b *Rule) bool {
	switch {
	case blocks(a):
		return true
	case blocks(b), a.ToolDigest != b.ToolDigest, closes(b) && !closes(a), !limitsWithin(a.counted, b.counted):
		return false
	case (a.base != nil || b.base != nil) && judges(b):
		return sameChain(a, b)
	}
	for ; b != nil; b = b.base {
		narrower := false
		for r := a; r != nil; r = r.base {
			narrower = narrower || c.ruleWithin(r, b)
		}
		if !narrower {
			return false
		}
	}
	return true
}

// judges reports whether a rule, or one that it extends, hands calls to the
// judge. Of such a chain the verdict is not the strictest of its parts: where one
// rule asks a person, the judge is not asked, who might have refused.
func judges(r *Rule) bool {
	for ; r != nil; r = r.base {
		if len(r.Judge) > 0 {
			return true
		}
	}
	return false
}

// sameChain reports whether two rules and those that they extend say the same.
func sameChain(a, b *Rule) bool {
	for ; a != nil && b != nil; a, b = a.base, b.base {
		for _, pair := range [][2][]*Clause{{a.Never, b.Never}, {a.Allow, b.Allow}, {a.Judge, b.Judge}, {a.Approve, b.Approve}} {
			if !canonicalList(pair[0]).Equal(canonicalList(pair[1])) {
				return false
			}
		}
	}
	return a == nil && b == nil
}

// closes reports whether arguments that the tool does not declare are refused.
func closes(r *Rule) bool {
	for ; r != nil; r = r.base {
		if !r.extra {
			return true
		}
	}
	return false
}

// ruleWithin reports whether rule a alone certainly gives no call a wider verdict
// than rule b: no clause permits what none of b permits, all that b forbids is
// forbidden, and what fails in b fails. Of one call the judge thinks the same
// under both; it may refuse what a person would have been asked about, so that a
// call that b asks a person about must not be one that only b's judge takes.
func (c *comparer) ruleWithin(a, b *Rule) bool {
	return len(lost(b, a)) == 0 &&
		all(b.Never, func(k *Clause) bool { return forbidden(k, a.Never) }) &&
		all(a.Allow, func(k *Clause) bool { return c.permitted(k, b.Allow) }) &&
		all(a.Judge, func(k *Clause) bool { return c.judged(k, b) }) &&
		all(a.Approve, func(k *Clause) bool {
			return c.permitted(k, b.Allow) || c.held(k, b.Approve) && all(b.Judge, func(l *Clause) bool { return c.judged(l, a) })
		})
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !holds(x) })
}

// permitted reports whether some clause of allow holds for every call for which k
// does. A k that takes what several clauses cover of a command is not within one
// of them.
func (c *comparer) permitted(k *Clause, clauses []*Clause) bool {
	return slices.ContainsFunc(clauses, func(l *Clause) bool {
		return (len(k.beside) == 0 || !l.judgesCommands()) && c.clauseWithin(k, l)
	})
}

// held is permitted for clauses that ask people: who answers k must be enough
// for the other clause, too.
func (c *comparer) held(k *Clause, clauses []*Clause) bool {
	return slices.ContainsFunc(clauses, func(l *Clause) bool { return c.clauseWithin(k, l) && panelWithin(k, l) })
}

// judged reports whether rule r allows every call for which k holds, or hands it
// to the judge.
func (c *comparer) judged(k *Clause, r *Rule) bool {
	return c.permitted(k, r.Allow) || slices.ContainsFunc(r.Judge, func(l *Clause) bool { return c.clauseWithin(k, l) })
}

// forbidden reports whether some clause of never holds wherever k does.
func forbidden(k *Clause, clauses []*Clause) bool {
	return slices.ContainsFunc(clauses, func(l *Clause) bool {
		return matched(l, k, func(have, want *constraint.Set) bool { return have.ForbidsWithin(want) })
	})
}

// clauseWithin reports whether permitting clause b certainly holds for every call
// for which a does.
func (c *comparer) clauseWithin(a, b *Clause) bool { return matched(b, a, c.permits) }

// matched reports whether each constraint and condition of want has one on the
// same thing in have that is within it.
func matched(want, have *Clause, within func(have, want *constraint.Set) bool) bool {
	return all(want.constraints, func(w constrained) bool {
		return slices.ContainsFunc(have.constraints, func(h constrained) bool {
			return h.name == w.name && within(h.set, w.set)
		})
	}) && all(want.conditions, func(w conditional) bool {
		return slices.ContainsFunc(have.conditions, func(h conditional) bool {
			return h.word == w.word && constraint.ConditionWithin(h.condition, w.condition)
		})
	})
}

// panelWithin reports whether whoever approves a call that clause a holds could
// have approved it under b. The contract's own approvers are compared once, for
// all clauses that leave it at them.
func panelWithin(a, b *Clause) bool {
	if !a.ownPanel && !b.ownPanel {
		return true
	}
	few := len(b.approvers) == 0 ||
		len(a.approvers) > 0 && all(a.approvers, func(who string) bool { return slices.Contains(b.approvers, who) })
	return few && a.quorum >= b.quorum
}

// lost returns the expressions of rule old that new does not have. One that
// failed blocked the call whatever else the rule says, and does so no more.
func lost(old, new *Rule) []string {
	had, has := expressions(old), expressions(new)
	return slices.DeleteFunc(had, func(e string) bool { return slices.Contains(has, e) })
}

func expressions(r *Rule) (texts []string) {
	for _, k := range slices.Concat(r.Never, r.Allow, r.Judge, r.Approve) {
		texts = append(texts, k.expressions()...)
	}
	return texts
}

// expressions returns the conditions of a clause that can fail, as text.
func (k *Clause) expressions() (texts []string) {
	for _, c := range k.conditions {
		if constraint.MayFail(c.condition) {
			texts = append(texts, c.condition.Canonical().Canonical())
		}
	}
	return texts
}

// limitsWithin reports whether each limit of b has one in a that is at least as
// strict.
func limitsWithin(a, b []counted) bool {
	return all(b, func(l counted) bool {
		return slices.ContainsFunc(a, func(k counted) bool { return k.within(l) })
	})
}

// within reports whether limit k certainly refuses or asks wherever l does: the
// same count, split in the same way, no more of it in no less time. Counts that
// are split differently begin anew and are not compared.
func (k counted) within(l counted) bool {
	window := k.window == l.window || k.window > l.window && l.window > 0
	return k.counter == l.counter && k.by.canonical().Equal(l.by.canonical()) &&
		window && k.max.Cmp(l.max) <= 0 && (!k.ask || l.ask)
}
