package contract

import (
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
	"slices"
)

// limits looks for limits that another one of the same list keeps from being
// reached. Of two equal ones, the later is named.
func (l *linter) limits(n *yamlwalk.Node, all []*limit) {
	for i, k := range all {
		for j, other := range all {
			if i != j && other.contains(k) && (j < i || !k.contains(other)) {
				l.warn(n.Items[i], NeverBinds, "remove one of them", "limits[%d] is reached first, so this limit never binds", j)
				break
			}
		}
	}
}

// tighter looks for limits of a tool that one of its agent keeps from being
// reached.
func (l *linter) tighter(n *yamlwalk.Node, r *Rule, a *Agent) {
	for i, k := range r.limits {
		for _, other := range a.limits {
			if other.contains(k) {
				l.warn(n.Items[i], NeverBinds, "remove one of them", "%s is reached first, so this limit never binds", other.path)
				break
			}
		}
	}
}

// contains reports whether k, which counts what other counts and perhaps more,
// is used up no later than other, and blocks then.
func (k *limit) contains(other *limit) bool {
	return k.argument.String() == other.argument.String() && k.max.Cmp(other.max) <= 0 &&
		(k.window == other.window || other.window > 0 && k.window > other.window) &&
		k.by.coarser(other.by) && (!k.ask || other.ask)
}

// coarser reports whether each count that s keeps covers whole counts of t. Both
// must need the same of a call: one without a user is refused where counts are
// kept by user.
func (s split) coarser(t split) bool {
	return (!s.agent || t.agent) && (!s.session || t.session) && (!s.tool || t.tool) &&
		s.user == t.user && s.argument.String() == t.argument.String()
}

// uncounted looks for sums that calls can leave as they are.
func (l *linter) uncounted(n *yamlwalk.Node, r *Rule) {
	declared := schemas{r.subject.tool.InputSchema()}
	for i, k := range r.limits {
		if k.argument.Empty() {
			continue
		}
		for _, clause := range r.permitting() {
			constraints := clause.on(k.argument)
			if constraints.Get("max").Kind() == toolcall.Absent && !bounded(constraints, declared.at(k.argument)) {
				l.warn(n.Items[i], NoMinimum, "add min above 0 to "+k.argument.String()+" there",
					"%s permits any number of calls with 0, which use nothing of this sum up", clause.path)
				break
			}
		}
	}
}

// permitting returns the clauses that let calls through.
func (r *Rule) permitting() []*Clause {
	return slices.Concat(r.Allow, r.Judge, r.Approve)
}

// on returns the constraints of the clause on an argument, absent if none.
func (k *Clause) on(argument toolcall.Path) toolcall.Value {
	for _, c := range k.constraints {
		if c.name == argument.String() {
			return c.set.Canonical()
		}
	}
	return toolcall.Value{}
}
