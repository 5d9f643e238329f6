package constraint

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// choice is `const`, `in` and `not_in`: exact JSON equality with listed values
// where the clause permits, and equality to a careless reader (see [loose])
// where it would be dangerous to miss one.
type choice struct {
	word   string
	values []toolcall.Value // sorted by canonical text, each once
	keys   map[string]bool  // looseKey of the values that are no array or object
	is     string           // says that a value is one of them
	isNot  string           // says that it is none
}

func newConst(v toolcall.Value, _ Env) (kind, *SpecError) {
	return newChoice("const", []toolcall.Value{v})
}

func newIn(v toolcall.Value, _ Env) (kind, *SpecError) { return newList("in", v) }

func newNotIn(v toolcall.Value, _ Env) (kind, *SpecError) { return newList("not_in", v) }

func newList(word string, v toolcall.Value) (kind, *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return nil, refuse("expected a list of at least one value, got %s", describe(v))
	}
	values := make([]toolcall.Value, v.Len())
	for i := range values {
		values[i] = v.Elem(i)
	}
	return newChoice(word, values)
}

func newChoice(word string, values []toolcall.Value) (kind, *SpecError) {
	c := &choice{word: word, keys: map[string]bool{}}
	for i, v := range values {
		if v.Kind() == toolcall.Null {
			e := refuse("null counts as an absent argument, which no constraint matches")
			if word != "const" {
				e = e.under(element(i))
			}
			return nil, e
		}
		if key, ok := looseKey(v); ok {
			c.keys[key] = true
		}
	}
	c.values = sorted(values)
	named := "in"
	if word == "const" {
		named = word
	}
	named += " " + cut(c.canonical().Canonical())
	c.is, c.isNot = "is or has a part that is "+named, "is not "+named
	return c, nil
}

func (c *choice) name() string { return c.word }

func (c *choice) unmet(v toolcall.Value, _ Answers) string {
	switch {
	case c.word == "not_in" && c.resembles(v):
		return c.is
	case c.word != "not_in" && !c.lists(v):
		return c.isNot
	}
	return ""
}

func (c *choice) met(v toolcall.Value, _ Answers) string {
	switch {
	case c.word == "not_in" && !c.lists(v):
		return c.isNot
	case c.word != "not_in" && c.resembles(v):
		return c.is
	}
	return ""
}

// lists reports whether v is exactly one of the values.
func (c *choice) lists(v toolcall.Value) bool { return slices.ContainsFunc(c.values, v.Equal) }

// resembles reports whether v or a part of it, at any depth, could be taken for
// one of the values.
func (c *choice) resembles(v toolcall.Value) bool {
	if key, ok := looseKey(v); ok {
		return c.keys[key]
	}
	for i := range v.Len() {
		if c.resembles(v.Elem(i)) {
			return true
		}
	}
	return c.lists(v)
}

// neverUsable refuses arrays and objects: [1, 2] is another value than [1, 2, 3],
// so one more element would take a call out of the clause.
func (c *choice) neverUsable() *SpecError {
	for _, v := range c.values {
		if v.Kind() == toolcall.Array || v.Kind() == toolcall.Object {
			return refuse("%s in a never clause lists texts, numbers, true and false only: one more element in the argument would turn %s off; name the parts by path, such as ids[]", c.word, cut(v.Canonical()))
		}
	}
	return nil
}

func (c *choice) canonical() toolcall.Value {
	if c.word == "const" {
		return c.values[0]
	}
	return toolcall.ArrayOf(c.values...)
}

// sorted returns values in the order of their canonical text, equal ones once.
func sorted(values []toolcall.Value) []toolcall.Value {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b toolcall.Value) int { return strings.Compare(a.Canonical(), b.Canonical()) })
	return slices.CompactFunc(values, toolcall.Value.Equal)
}

// describe names a value of a spec in a message.
func describe(v toolcall.Value) string {
	if v.Len() == 0 && (v.Kind() == toolcall.Array || v.Kind() == toolcall.Object) {
		return "an empty " + v.Kind().String()
	}
	return v.Kind().String()
}

// number is `min`, `max` and `multiple_of`: exact comparison of a JSON number.
// A text of digits is no number.
type number struct {
	word  string
	bound toolcall.Decimal
	is    string // says that a value is within the bound
	isNot string // says that it is not
}

func newMin(v toolcall.Value, _ Env) (kind, *SpecError) { return newNumber("min", v) }

func newMax(v toolcall.Value, _ Env) (kind, *SpecError) { return newNumber("max", v) }

func newMultipleOf(v toolcall.Value, _ Env) (kind, *SpecError) {
	if v.Kind() == toolcall.Number && v.Number().Sign() <= 0 {
		return nil, refuse("expected a number above 0, got %s", v.Number())
	}
	return newNumber("multiple_of", v)
}

func newNumber(word string, v toolcall.Value) (kind, *SpecError) {
	if v.Kind() != toolcall.Number {
		return nil, refuse("expected a number, got %s", v.Kind())
	}
	bound := v.Number()
	return &number{word, bound, inside[word] + bound.String(), outside[word] + bound.String()}, nil
}

func (n *number) name() string { return n.word }

func (n *number) holds(d toolcall.Decimal) bool {
	switch n.word {
	case "min":
		return d.Cmp(n.bound) >= 0
	case "max":
		return d.Cmp(n.bound) <= 0
	default:
		return d.MultipleOf(n.bound)
	}
}

var (
	outside = map[string]string{"min": "is less than min ", "max": "is more than max ", "multiple_of": "is no multiple of "}
	inside  = map[string]string{"min": "is at least min ", "max": "is at most max ", "multiple_of": "is a multiple of "}
)

func (n *number) unmet(v toolcall.Value, _ Answers) string {
	switch {
	case v.Kind() != toolcall.Number:
		return "is no number"
	case !n.holds(v.Number()):
		return n.isNot
	}
	return ""
}

func (n *number) met(v toolcall.Value, _ Answers) string {
	switch {
	case v.Kind() != toolcall.Number:
		return "is no number"
	case n.holds(v.Number()):
		return n.is
	}
	return ""
}

func (n *number) neverUsable() *SpecError   { return nil }
func (n *number) canonical() toolcall.Value { return toolcall.NumberOf(n.bound) }
