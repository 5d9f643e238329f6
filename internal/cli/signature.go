package cli

import (
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// constrained is one argument with the constraints that its schema states, each
// as the contract writes it.
type constrained struct {
	path  toolcall.Path
	words []string // such as "max: 100"
}

// signature returns what the input schema of a tool says of its arguments in
// the words of constraints: types, enums, bounds, formats, what is required.
// Descriptions and names say nothing. What the schema says in another way
// (choices, references, free-form maps) is left to the schema, which every call
// must satisfy anyway.
func signature(t catalog.Tool) []constrained {
	var s signed
	s.object(t.InputSchema(), toolcall.Path{}, true)
	return s.all
}

// signed collects what a schema says.
type signed struct{ all []constrained }

// object looks at the declared members of an object, each of which may be absent
// unless it and all around it are required.
func (s *signed) object(schema toolcall.Value, at toolcall.Path, required bool) {
	if combined(schema) {
		return
	}
	properties, must := schema.Get("properties"), schema.Get("required")
	for i := range properties.Len() {
		name, member := properties.Member(i)
		s.value(member, at.Member(name), required && contains(must, name))
	}
}

// value looks at what stands at one place.
func (s *signed) value(schema toolcall.Value, at toolcall.Path, required bool) {
	if choice := schema.Get("anyOf"); choice.Kind() == toolcall.Array && choice.Len() == 2 {
		for i, j := range []int{1, 0} { // T or null: an absent T, to constraints
			if choice.Elem(i).Get("type").Text() == "null" {
				schema, required = choice.Elem(j), false
			}
		}
	}
	if schema.Kind() != toolcall.Object || combined(schema) {
		return
	}
	words := stated(schema)
	if len(words) > 0 {
		if !required {
			words = append(words, "optional: true")
		}
		s.all = append(s.all, constrained{at, words})
	}
	if elements, err := toolcall.ParsePath(at.String() + "[]"); err == nil && schema.Get("items").Kind() == toolcall.Object {
		s.value(schema.Get("items"), elements, false) // a list may be empty
	}
	s.object(schema, at, required)
}

// bounds are the keywords of JSON Schema (2020-12, validation) that constraints
// have a word for.
var bounds = []struct{ keyword, word string }{{"minimum", "min"}, {"maximum", "max"}, {"multipleOf", "multiple_of"}}

// formats are patterns for those formats that are plain to check, as RFC 3339
// and RFC 9562 write them.
var formats = map[string]string{
	"date":      `[0-9]{4}-[0-9]{2}-[0-9]{2}`,
	"date-time": `[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[-+][0-9]{2}:[0-9]{2})`,
	"uuid":      `[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`,
}

// stated returns the constraints that one schema states.
func stated(schema toolcall.Value) (words []string) {
	say := func(word, operand string) { words = append(words, word+": "+operand) }
	if v := schema.Get("const"); v.Kind() != toolcall.Absent {
		say("const", v.Canonical())
	}
	if v := schema.Get("enum"); v.Kind() == toolcall.Array && v.Len() > 0 {
		say("in", v.Canonical())
	}
	for _, b := range bounds {
		if v := schema.Get(b.keyword); v.Kind() == toolcall.Number {
			say(b.word, v.Canonical())
		}
	}
	if schema.Get("type").Text() == "integer" && schema.Get("multipleOf").Kind() == toolcall.Absent {
		say("multiple_of", "1")
	}
	for _, size := range [][3]string{{"length", "minLength", "maxLength"}, {"items", "minItems", "maxItems"}} {
		var parts []string
		for i, word := range []string{"min", "max"} {
			if v := schema.Get(size[i+1]); v.Kind() == toolcall.Number {
				parts = append(parts, word+": "+v.Canonical())
			}
		}
		if parts != nil {
			say(size[0], "{"+strings.Join(parts, ", ")+"}")
		}
	}
	if re := pattern(schema); re != "" {
		say("pattern", yamlwalk.Quoted(re))
	}
	return words
}

// pattern returns the expression that a text must match as a whole. JSON
// Schema's own matches anywhere; one that RE2 cannot read is left to the schema.
func pattern(schema toolcall.Value) string {
	re := schema.Get("pattern").Text()
	if re == "" {
		return formats[schema.Get("format").Text()]
	}
	if _, err := regexp.Compile(re); err != nil {
		return ""
	}
	return "(?s:.*)(?:" + re + ")(?s:.*)"
}
