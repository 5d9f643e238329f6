package constraint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
)

// assertions is what a simple schema asserts of a value. A schema made of the
// keywords in simpleWords only is checked in the walk that closes it, which
// takes a fraction of the compiler's time; a test holds the two against each
// other.
type assertions struct {
	types    uint8             // bits of typeBits; 0 is any
	enum     toolcall.Value    // an array, or absent
	constant toolcall.Value    // or absent
	min, max *toolcall.Decimal // nil is no bound
	shortest toolcall.Value    // code points; number, or absent
	longest  toolcall.Value
	required []string
	closed   *node // whose properties are the only members; nil is no bound
}

// typeBits are the types of JSON Schema.
var typeBits = map[string]uint8{
	"null": 1, "boolean": 2, "number": 4, "integer": integerBit, "string": 16, "array": 32, "object": 64,
}

const integerBit = 8

// kindBits holds the type of each kind of value; a whole number is also an
// integer.
var kindBits = [...]uint8{
	toolcall.Null: 1, toolcall.Bool: 2, toolcall.Number: 4, toolcall.String: 16, toolcall.Array: 32, toolcall.Object: 64,
}

// simpleWords are the keywords of a simple schema: what assertions holds, what
// leads to other subschemas, and what asserts nothing. `format` is not among
// them, as draft-07 asserts it.
var simpleWords = map[string]bool{
	"type": true, "enum": true, "const": true, "minimum": true, "maximum": true,
	"minLength": true, "maxLength": true, "required": true,
	"properties": true, "additionalProperties": true, "items": true,
	"$schema": true, "$comment": true, "title": true, "description": true, "default": true,
	"examples": true, "deprecated": true, "readOnly": true, "writeOnly": true,
}

// isSimple reports whether a schema that compiled is simple.
func isSimple(schema toolcall.Value) bool {
	if schema.Kind() != toolcall.Object {
		return schema.Bool()
	}
	for i := range schema.Len() {
		word, operand := schema.Member(i)
		if !simpleWords[word] || !simpleOperand(word, operand) {
			return false
		}
	}
	return true
}

func simpleOperand(word string, operand toolcall.Value) bool {
	switch word {
	case "items":
		return isSimple(operand)
	case "additionalProperties":
		return operand.Kind() == toolcall.Bool || isSimple(operand)
	case "properties":
		for i := range operand.Len() {
			if !isSimple(operand.Elem(i)) {
				return false
			}
		}
	}
	return true
}

// assert fills in the assertions of n and of all nodes below it from the
// simple schema that n was made of.
func (n *node) assert(schema toolcall.Value) {
	a := &assertions{
		enum: schema.Get("enum"), constant: schema.Get("const"),
		min: bound(schema.Get("minimum")), max: bound(schema.Get("maximum")),
		shortest: schema.Get("minLength"), longest: schema.Get("maxLength"),
	}
	n.simple = a
	types := schema.Get("type")
	a.types = typeBits[types.Text()]
	for i := range types.Len() {
		a.types |= typeBits[types.Elem(i).Text()]
	}
	for i := range schema.Get("required").Len() {
		a.required = append(a.required, schema.Get("required").Elem(i).Text())
	}
	if others := schema.Get("additionalProperties"); others.Kind() == toolcall.Bool && !others.Bool() {
		a.closed = n
	}
	for name, sub := range n.props {
		sub.assert(schema.Get("properties").Get(name))
	}
	for _, sub := range n.others {
		sub.assert(schema.Get("additionalProperties"))
	}
	for _, sub := range n.rest {
		sub.assert(schema.Get("items"))
	}
}

// bound returns the number that v is, nil if it is absent.
func bound(v toolcall.Value) *toolcall.Decimal {
	if v.Kind() == toolcall.Absent {
		return nil
	}
	d := v.Number()
	return &d
}

// check says in words why v does not satisfy the assertions; "" if it does.
func (a *assertions) check(v toolcall.Value) string {
	if bits := kindBits[v.Kind()]; a.types != 0 && a.types&bits == 0 &&
		!(a.types&integerBit != 0 && v.Kind() == toolcall.Number && v.Number().IsInt()) {
		return "is " + v.Kind().String() + ", not " + typeWords(a.types)
	}
	switch {
	case a.enum.Kind() != toolcall.Absent && !hasElement(a.enum, v):
		return "is none of the values in enum"
	case a.constant.Kind() != toolcall.Absent && !a.constant.Equal(v):
		return "is not the value of const"
	}
	switch v.Kind() {
	case toolcall.Number:
		return a.checkNumber(v.Number())
	case toolcall.String:
		return a.checkText(v.Text())
	case toolcall.Object:
		return a.checkMembers(v)
	}
	return ""
}

func (a *assertions) checkNumber(d toolcall.Decimal) string {
	switch {
	case a.min != nil && d.Cmp(*a.min) < 0:
		return "is less than minimum " + a.min.String()
	case a.max != nil && d.Cmp(*a.max) > 0:
		return "is more than maximum " + a.max.String()
	}
	return ""
}

func (a *assertions) checkText(text string) string {
	if a.shortest.Kind() == toolcall.Absent && a.longest.Kind() == toolcall.Absent {
		return ""
	}
	length := int64(utf8.RuneCountInString(text))
	if low, ok := a.shortest.Number().Int64(); ok && length < low {
		return "is shorter than minLength " + a.shortest.Number().String()
	}
	if high, ok := a.longest.Number().Int64(); ok && a.longest.Kind() != toolcall.Absent && length > high {
		return "is longer than maxLength " + a.longest.Number().String()
	}
	return ""
}

func (a *assertions) checkMembers(v toolcall.Value) string {
	for _, name := range a.required {
		if v.Get(name).Kind() == toolcall.Absent {
			return "has no " + cut(name) + ", which is required"
		}
	}
	if a.closed == nil {
		return ""
	}
	for i := range v.Len() {
		if name, _ := v.Member(i); a.closed.props[name] == nil {
			return "has a member " + cut(name) + " that the schema does not allow"
		}
	}
	return ""
}

func hasElement(array, v toolcall.Value) bool {
	for i := range array.Len() {
		if array.Elem(i).Equal(v) {
			return true
		}
	}
	return false
}

// typeWords lists types for a message.
func typeWords(bits uint8) string {
	var words []string
	for word, bit := range typeBits {
		if bits&bit != 0 {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " or ")
}
