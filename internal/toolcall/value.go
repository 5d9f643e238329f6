package toolcall

import (
	"slices"
	"strings"
)

// Kind says what a [Value] is. The zero Kind is Absent.
type Kind uint8

const (
	Absent Kind = iota // no value at all, as opposed to null
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the word for k that messages and documentation use.
func (k Kind) String() string {
	words := [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}
	if int(k) >= len(words) {
		return "unknown"
	}
	return words[k]
}

// Value is one immutable JSON value; the zero Value is absent. It is small and
// meant to be copied. Its text may share memory with the message it came from.
type Value struct {
	kind Kind
	// plain says that the text of a string was read without escapes, so that its
	// canonical form is the text itself in quotes.
	plain bool
	// text is the text of a string, the canonical text of a number, "true" or
	// "false" of a boolean. A number kept as canonical text is compared by its
	// bytes and written without conversion.
	text string
	// list is what an array or object contains, nil for nothing.
	list *list
}

// list holds the elements of an array, without names, or the members of an
// object in canonical order. Names stand apart from values, and both behind a
// pointer, so that one element costs 32 bytes: a message of nothing but zeros
// and commas is the largest that an agent can make us hold.
type list struct {
	names  []string
	values []Value
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// NullValue is the JSON value null.
var NullValue = Value{kind: Null}

// StringOf returns the JSON string s. JSON cannot carry bytes that are not
// UTF-8: they become U+FFFD.
func StringOf(s string) Value {
	return Value{kind: String, text: strings.ToValidUTF8(s, "\uFFFD")}
}

// NumberOf returns d as a JSON number.
func NumberOf(d Decimal) Value {
	return Value{kind: Number, text: d.String()}
}

// Boolean returns the JSON value true or false.
func Boolean(b bool) Value {
	if b {
		return Value{kind: Bool, text: "true"}
	}
	return Value{kind: Bool, text: "false"}
}

// ArrayOf returns an array of elems. An absent element becomes null, so that
// the others keep their places.
func ArrayOf(elems ...Value) Value {
	l := list{values: slices.Clone(elems)}
	for i, e := range elems {
		if e.kind == Absent {
			l.values[i] = NullValue
		}
	}
	return Value{kind: Array, list: &l}
}

// ObjectOf returns an object of members, in any order; those with an absent
// value are left out. It panics if a name occurs twice: which of the two holds
// is a question that no value may leave open.
func ObjectOf(members ...Member) Value {
	if len(members) == 0 {
		return Value{kind: Object}
	}
	var l list
	for _, m := range members {
		if m.Value.kind != Absent {
			l.names = append(l.names, strings.ToValidUTF8(m.Name, "\uFFFD"))
			l.values = append(l.values, m.Value)
		}
	}
	if len(l.names) == 0 {
		return Value{kind: Object}
	}
	l.sort()
	if l.repeats() {
		panic("toolcall: ObjectOf with two members of one name")
	}
	return Value{kind: Object, list: &l}
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// Bool reports whether v is the JSON value true.
func (v Value) Bool() bool { return v.kind == Bool && v.text == "true" }

// Text returns the text of a string, and "" of any other value.
func (v Value) Text() string {
	if v.kind != String {
		return ""
	}
	return v.text
}

// Number returns the exact value of a number, and 0 of any other value.
func (v Value) Number() Decimal {
	if v.kind != Number {
		return Decimal{}
	}
	if d, ok := smallDecimal(v.text); ok {
		return d
	}
	n, _ := scanNumber(v.text) // canonical text is always a number
	return n.decimal()
}

// Len returns the number of elements of an array or of members of an object,
// and 0 of any other value.
func (v Value) Len() int {
	if v.list == nil {
		return 0
	}
	return len(v.list.values)
}

// Elem returns element i of an array or the value of member i of an object,
// 0 <= i < v.Len().
func (v Value) Elem(i int) Value { return v.list.values[i] }

// Member returns name and value of member i of an object, 0 <= i < v.Len().
// Members stand in canonical order, not in that of the message. For an array it
// returns element i and no name, so that a walk over all values needs no cases.
func (v Value) Member(i int) (name string, value Value) {
	if v.kind == Object {
		name = v.list.names[i]
	}
	return name, v.list.values[i]
}

// Get returns the member of an object with exactly this name. It is absent
// where there is none, and where v is not an object.
func (v Value) Get(name string) Value {
	i := v.index(name)
	if i < 0 {
		return Value{}
	}
	return v.list.values[i]
}

// few is how many names are faster gone through one by one than searched or
// sorted by the library.
const few = 16

// index returns the place of the member of an object with exactly this name;
// -1 where there is none, and where v is not an object.
func (v Value) index(name string) int {
	switch {
	case v.kind != Object || v.list == nil:
		return -1
	case len(v.list.names) <= few:
		return slices.Index(v.list.names, name)
	}
	i, found := slices.BinarySearchFunc(v.list.names, name, compareUTF16)
	if !found {
		return -1
	}
	return i
}

// Equal reports whether v and w are the same JSON value: same kind (true is
// not 1), numbers by exact value (1.0 is 1), text byte for byte without any
// normalization, arrays in order, objects regardless of order.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.text != w.text || v.Len() != w.Len() {
		return false
	}
	return v.Len() == 0 ||
		slices.Equal(v.list.names, w.list.names) && slices.EqualFunc(v.list.values, w.list.values, Value.Equal)
}
