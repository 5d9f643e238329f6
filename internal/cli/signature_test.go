package cli

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
)

// TestSignature: what a schema states is written as constraints, and where it
// cannot be said, it is left to the schema.
func TestSignature(t *testing.T) {
	for schema, want := range map[string]string{
		`{"a": {"type": "string"}}`:                                                       "",
		`{"a": {"type": "integer"}}`:                                                      "a: multiple_of: 1, optional: true",
		`{"r": {"type": "integer", "minimum": 1, "maximum": 9}}`:                          "r: min: 1, max: 9, multiple_of: 1",
		`{"r": {"type": "number", "multipleOf": 0.5}}`:                                    "r: multiple_of: 0.5",
		`{"r": {"enum": ["x", 1, null]}}`:                                                 `r: in: ["x",1,null]`,
		`{"r": {"const": true}}`:                                                          "r: const: true",
		`{"r": {"type": "string", "minLength": 1}}`:                                       "r: length: {min: 1}",
		`{"r": {"type": "string", "maxLength": 5, "pattern": "^a"}}`:                      `r: length: {max: 5}, pattern: "(?s:.*)(?:^a)(?s:.*)"`,
		`{"r": {"type": "string", "pattern": "(?=a)"}}`:                                   "", // RE2 has no look-ahead
		`{"r": {"type": "string", "format": "date"}}`:                                     `r: pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}"`,
		`{"r": {"type": "string", "format": "iban"}}`:                                     "",
		`{"r": {"type": "array", "maxItems": 3, "items": {"type": "integer"}}}`:           "r: items: {max: 3}|r[]: multiple_of: 1, optional: true",
		`{"r": {"type": "object", "properties": {"b": {"type": "integer"}}}}`:             "r.b: multiple_of: 1, optional: true",
		`{"r": {"type": "object", "properties": {"b": {"const": 1}}, "required": ["b"]}}`: "r.b: const: 1",
		`{"r": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}`:                       "r: multiple_of: 1, optional: true",
		`{"r": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}`:                     "",
		`{"r": {"$ref": "#/$defs/x"}}`:                                                    "",
	} {
		c, err := catalog.Parse([]byte(`{"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": ` + schema + `, "required": ["r"]}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range signature(c.Tools[0]) {
			got = append(got, s.path.String()+": "+strings.Join(s.words, ", "))
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%s\n got %s\nwant %s", schema, text, want)
		}
	}
}

func TestWild(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"get_*", "get_x", true}, {"get_*", "forget_x", false}, {"*", "", true}, {"a*b*c", "a-b-b-c", true}, {"a*b", "a-b-c", false},
		{"a", "a", true}, {"a", "ab", false}, {"", "a", false},
	} {
		if got := wild(tt.pattern, tt.text); got != tt.want {
			t.Errorf("wild(%q, %q) = %t", tt.pattern, tt.text, got)
		}
	}
}
