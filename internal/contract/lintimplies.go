package contract

import (
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// implies reports whether b certainly permits every call that a permits. False
// says only that this is not known.
func (a *Clause) implies(b *Clause) bool {
	for _, want := range b.constraints {
		has := a.on(want.argument)
		if has.Kind() == toolcall.Absent || !setImplies(has, want.set.Canonical()) {
			return false
		}
	}
	return a.hasConditions(b)
}

// repeats reports whether a clause of never matches only calls that b matches:
// it says all that b says, in the same words.
func (a *Clause) repeats(b *Clause) bool {
	for _, want := range b.constraints {
		if !a.on(want.argument).Equal(want.set.Canonical()) {
			return false
		}
	}
	return a.hasConditions(b)
}

// on returns the constraints of the clause on an argument, absent if none.
func (k *Clause) on(argument toolcall.Path) toolcall.Value {
	for _, c := range k.constraints {
		if c.argument.String() == argument.String() {
			return c.set.Canonical()
		}
	}
	return toolcall.Value{}
}

// hasConditions reports whether every condition of b stands in a.
func (a *Clause) hasConditions(b *Clause) bool {
	for _, want := range b.conditions {
		if !slices.ContainsFunc(a.conditions, func(c conditional) bool {
			return c.word == want.word && c.condition.Canonical().Equal(want.condition.Canonical())
		}) {
			return false
		}
	}
	return true
}

// setImplies reports whether every value that satisfies the constraints a
// certainly satisfies b; both are in canonical form.
func setImplies(a, b toolcall.Value) bool {
	if a.Get("optional").Bool() && !b.Get("optional").Bool() {
		return false
	}
	for i := range b.Len() {
		if word, operand := b.Member(i); word != "optional" && !kindImplied(a, word, operand) {
			return false
		}
	}
	return true
}

// kindImplied reports whether the constraints a imply one more.
func kindImplied(a toolcall.Value, word string, operand toolcall.Value) bool {
	own := a.Get(word)
	if own.Equal(operand) {
		return true
	}
	switch values := finite(a); word {
	case "const":
		return len(values) == 1 && values[0].Equal(operand)
	case "in":
		return len(values) > 0 && subset(values, list(operand))
	case "not_in":
		return subset(list(operand), list(own))
	case "from":
		return own.Kind() == toolcall.Array && subset(list(own), list(operand))
	case "min", "max":
		if own.Kind() == toolcall.Number {
			values = append(values, own)
		}
		return len(values) > 0 && !slices.ContainsFunc(values, func(v toolcall.Value) bool { return !within(word, v, operand) })
	}
	return false
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

func subset(of, all []toolcall.Value) bool {
	return !slices.ContainsFunc(of, func(v toolcall.Value) bool { return !slices.ContainsFunc(all, v.Equal) })
}
