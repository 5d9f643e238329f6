package contract

import (
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// TestLookup asks one schema for many paths; "" in kinds means not declared.
func TestLookup(t *testing.T) {
	const text = `{
	"type": "object",
	"$defs": {
		"address": {"type": "object", "properties": {"zip": {"type": ["string", "null"]}}},
		"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "size": {"type": "integer"}}},
		"loop": {"$ref": "#/$defs/loop"},
		"a/b": {"const": 1}
	},
	"properties": {
		"n": {"type": "number"},
		"list": {"type": "array", "items": {"type": "string"}},
		"pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]},
		"old": {"type": "array", "items": [{"type": "boolean"}]},
		"bare": {"type": "array"},
		"home": {"$ref": "#/$defs/address"},
		"tree": {"$ref": "#/$defs/tree"},
		"loop": {"$ref": "#/$defs/loop"},
		"slash": {"$ref": "#/$defs/a~1b"},
		"self": {"$ref": "#"},
		"far": {"$ref": "https://example.org/x"},
		"free": {"type": "object"},
		"any": {},
		"yes": true,
		"empty": {"type": "object", "properties": {}},
		"none": {"type": "object", "additionalProperties": false},
		"map": {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "number"}},
		"named": {"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}},
		"word": {"enum": ["a", 1]},
		"strange": {"type": "float"},
		"both": {"allOf": [{"properties": {"p": {"type": "string"}}}, {"properties": {"q": {"type": "array"}}}]},
		"one": {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
		"cond": {"if": {"properties": {"k": {}}}, "then": {"properties": {"v": {"type": "number"}}}},
		"dep": {"properties": {"k": {}}, "dependentSchemas": {"k": {"properties": {"v": {"type": "string"}}}}}
	}}`
	schema, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	const all = "a boolean, a number, a string, an array or an object"
	for path, want := range map[string]string{
		"n":                              "a number",
		"n[]":                            "",
		"n.x":                            "",
		"list":                           "an array",
		"list[]":                         "a string",
		"list.x":                         "",
		"list[][]":                       "",
		"pair[]":                         "a number or a string",
		"old[]":                          "a boolean",
		"bare[]":                         all,
		"bare[].x":                       all,
		"home.zip":                       "a string",
		"home.street":                    "",
		"tree.left.left":                 "an object",
		"tree.left.left.left.left.size":  "a number",
		"tree.left.left.left.left.width": "",
		"loop":                           all,
		"loop.x":                         all,
		"slash":                          "a number",
		"self.self.n":                    "a number",
		"far.x":                          all,
		"free.x.y[]":                     all,
		"any[]":                          all,
		"yes.x":                          all,
		"empty.x":                        "",
		"none.x":                         "",
		"map.b":                          all,
		"named.xa":                       all,
		"word":                           "a number or a string",
		"strange":                        all,
		"both.p":                         "a string",
		"both.q[]":                       all,
		"both.r":                         "",
		"one":                            "a boolean or a string",
		"cond.v":                         "a number",
		"cond.w":                         "",
		"dep.v":                          "a string",
		"nothing":                        "",
		`["n"]`:                          "a number",
	} {
		p, err := toolcall.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		found, unknown := lookup(schema, p)
		if (unknown != nil) != (want == "") || unknown == nil && found.String() != want {
			t.Errorf("%s is %s, %v; want %q", path, found, unknown, want)
		}
	}
	if got := kindsOf(toolcall.Null).String(); got != "null" {
		t.Errorf("the null kind reads %q", got)
	}
}
