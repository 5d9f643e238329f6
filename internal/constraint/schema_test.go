package constraint

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

const (
	payment = `{"type": "object", "properties": {
		"amount": {"type": "number", "minimum": 0.01, "maximum": 9007199254740993},
		"recipient": {"type": "string", "minLength": 1, "maxLength": 5, "description": "IBAN"},
		"kind": {"enum": ["once", 7, null]}, "urgent": {"type": ["boolean", "null"], "default": false},
		"tags": {"type": "array", "items": {"type": "string"}},
		"meta": {"type": "object", "additionalProperties": {"type": "integer"}},
		"to": {"type": "object", "properties": {"city": {"const": "Rome"}}, "required": ["city"]}
	}, "required": ["amount"]}`
	shut     = `{"type": "object", "properties": {"a": true}, "additionalProperties": false}`
	opened   = `{"properties": {"amount": {"type": "number"}}, "additionalProperties": true}`
	free     = `{"type": "object"}`
	branched = `{"type": "object", "oneOf": [
		{"properties": {"kind": {"const": "card"}, "number": {"type": "string", "pattern": "^[0-9]+$"}}, "required": ["kind"]},
		{"properties": {"kind": {"const": "cash"}, "desk": {"type": "object", "properties": {"n": {"type": "integer"}}}}, "required": ["kind"]}
	]}`
	recursive = `{"$ref": "#/$defs/tree", "$defs": {"tree": {"properties": {"v": {"type": "integer"},
		"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2}}}}}`
	mixed = `{"properties": {"id": {"type": "string"}}, "patternProperties": {"^x-": {"type": "integer"}},
		"propertyNames": {"maxLength": 6}, "dependentSchemas": {"id": {"properties": {"by": {}}}},
		"if": {"required": ["id"]}, "then": {"properties": {"when": {}}}, "else": {"properties": {"why": {}}}, "not": {"required": ["bad"]}}`
	tuple = `{"properties": {"t": {"prefixItems": [{"properties": {"a": {}}}, {"type": "integer"}],
		"items": {"properties": {"b": {}}}, "contains": {"const": 1}, "uniqueItems": true}}}`
	draft07 = `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"s": {"type": "string", "format": "date"}},
		"properties": {"d": {"$ref": "#/definitions/s", "type": "integer"}, "t": {"items": [{"type": "integer"}], "additionalItems": {"properties": {"z": {}}}}},
		"dependencies": {"d": {"properties": {"e": {}}}, "t": ["d"]}}`
)

// checks holds arguments, and pointer and message of the refusal; "" is none.
var checks = []struct{ schema, args, pointer, msg string }{
	{payment, `{"amount": 5}`, "", ""},
	{payment, `{"amount": 9007199254740993}`, "", ""},
	{payment, `{"amount": 1, "recipient": "é😀日本語", "kind": null, "urgent": null, "tags": ["a"], "meta": {"x": 1, "X": 2.0}, "to": {"city": "Rome"}}`, "", ""},
	{payment, `{"amount": 9007199254740994}`, "/amount", "is more than maximum 9007199254740993"},
	{payment, `{"amount": 0.0099999999999999999999}`, "/amount", "is less than minimum 0.01"},
	{payment, `{"amount": "5"}`, "/amount", "is string, not number"},
	{payment, `{}`, "", "has no amount, which is required"},
	{payment, `[]`, "", "is array, not object"},
	{payment, `{"amount": 1, "recipient": ""}`, "/recipient", "is shorter than minLength 1"},
	{payment, `{"amount": 1, "recipient": "123456"}`, "/recipient", "is longer than maxLength 5"},
	{payment, `{"amount": 1, "kind": "7"}`, "/kind", "is none of the values in enum"},
	{payment, `{"amount": 1, "urgent": 0}`, "/urgent", "is number, not boolean or null"},
	{payment, `{"amount": 1, "tags": ["a", 1]}`, "/tags/1", "is number, not string"},
	{payment, `{"amount": 1, "meta": {"a/b": 1.5}}`, "/meta/a~1b", "is number, not integer"},
	{payment, `{"amount": 1, "to": {"city": "rome"}}`, "/to/city", "is not the value of const"},
	{payment, `{"amount": 1, "to": {"city": "Rome", "zip": 1}}`, "/to/zip", "is not declared by the schema"},
	{payment, `{"amount": 1, "note": "x"}`, "/note", "is not declared by the schema"},
	{payment, `{"amount": 1, "Amount": 1}`, "/Amount", `differs from the declared "amount" only in letter case`},
	{payment, `{"amount": 1, "tag\u017f": []}`, "/tagſ", `differs from the declared "tags" only in letter case`},
	{shut, `{"a": {"any": 1}}`, "", ""},
	{shut, `{"b": 1}`, "", "has a member b that the schema does not allow"},
	{opened, `{"amount": 1, "note": "x"}`, "", ""},
	{opened, `{"AMOUNT": 1}`, "/AMOUNT", `differs from the declared "amount" only in letter case`},
	{free, `{"a": 1, "A": {"b": [1]}}`, "", ""},
	{`{"properties": {}}`, `{"a": 1}`, "/a", "is not declared by the schema"},
	{`{}`, `{"a": 1}`, "", ""},
	{`true`, `{"a": 1}`, "", ""},
	{`false`, `{}`, "", "is allowed by no part of the schema"},

	{branched, `{"kind": "card", "number": "12"}`, "", ""},
	{branched, `{"kind": "cash", "desk": {"n": 1}}`, "", ""},
	{branched, `{"kind": "card", "number": "x"}`, "", `is not valid against "oneOf" of the schema`},
	{branched, `{"kind": "cash", "desk": {"n": 1, "m": 2}}`, "/desk/m", "is not declared by the schema"},
	{branched, `{"kind": "cash", "DESK": {}}`, "/DESK", `differs from the declared "desk" only in letter case`},
	{branched, `{"kind": "cash", "other": 1}`, "/other", "is not declared by the schema"},
	{recursive, `{"v": 1, "kids": [{"v": 2, "kids": []}, {}]}`, "", ""},
	{recursive, `{"kids": [{"kids": [{"w": 1}]}]}`, "/kids/0/kids/0/w", "is not declared by the schema"},
	{recursive, `{"kids": [{"kids": [{"v": "1"}]}]}`, "/kids/0/kids/0/v", `is not valid against "type" of the schema`},
	{recursive, `{"kids": [{}, {}, {}]}`, "/kids", `is not valid against "maxItems" of the schema`},
	{mixed, `{"id": "a", "x-1": 1, "by": 1, "when": 2}`, "", ""},
	{mixed, `{"why": 1}`, "", ""},
	{mixed, `{"x-1": "a"}`, "/x-1", `is not valid against "type" of the schema`},
	{mixed, `{"id": "a", "toolong": 1}`, "/toolong", "is not declared by the schema"},
	{mixed, `{"x-toolong": 1}`, "", `is not valid against "propertyNames" of the schema`},
	{mixed, `{"X-1": 1}`, "/X-1", "is not declared by the schema"},
	{mixed, `{"bad": 1}`, "/bad", "is not declared by the schema"},
	{mixed, `{"ID": 1}`, "/ID", `differs from the declared "id" only in letter case`},
	{tuple, `{"t": [{"a": 1}, 1, {"b": 2}]}`, "", ""},
	{tuple, `{"t": [{"b": 1}, 1]}`, "/t/0/b", "is not declared by the schema"},
	{tuple, `{"t": [{"a": 1}, 1, {"a": 2}]}`, "/t/2/a", "is not declared by the schema"},
	{tuple, `{"t": [{"a": 1}, 2]}`, "/t", `is not valid against "contains" of the schema`},
	{tuple, `{"t": [1, 1]}`, "/t", `is not valid against "uniqueItems" of the schema`},
	{draft07, `{"d": "2020-02-29", "e": 1, "t": [1, {"z": 1}]}`, "", ""},
	{draft07, `{"d": "2021-02-29"}`, "/d", `is not valid against "format" of the schema`},
	{draft07, `{"t": [1]}`, "", `is not valid against "dependency/t" of the schema`},
	{draft07, `{"d": "2020-02-29", "t": [1, {"y": 1}]}`, "/t/1/y", "is not declared by the schema"},
	{`{"multipleOf": 0.1, "properties": {}}`, `1`, "", ""},
	{`{"properties": {"n": {"multipleOf": 0.1}}}`, `{"n": 0.3}`, "", ""},
	{`{"properties": {"n": {"exclusiveMaximum": 9007199254740993}}}`, `{"n": 9007199254740992}`, "", ""},
	{`{"properties": {"n": {"exclusiveMaximum": 9007199254740993}}}`, `{"n": 9007199254740993}`, "/n", `is not valid against "exclusiveMaximum" of the schema`},
	{`{"properties": {"a": {}}, "unevaluatedProperties": {"type": "integer"}}`, `{"a": "x", "b": 1}`, "", ""},
	{`{"properties": {"a": {}}, "unevaluatedProperties": {"type": "integer"}}`, `{"b": "x"}`, "/b", `is not valid against "type" of the schema`},
	{`{"properties": {"a": {}}, "unevaluatedProperties": false}`, `{"b": "x"}`, "/b", "is not declared by the schema"},
	{`{"properties": {"a": {}}, "additionalProperties": {"not": {}}}`, `{"b": "x"}`, "/b", "is allowed by no part of the schema"},
}

func TestCheck(t *testing.T) {
	for _, tt := range checks {
		s, err := CompileSchema(value(t, tt.schema), false)
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		err = s.Check(value(t, tt.args))
		if tt.msg == "" {
			if err != nil {
				t.Errorf("%s, %s: %v", tt.schema, tt.args, err)
			}
			continue
		}
		var ae *ArgumentError
		if !errors.As(err, &ae) || ae.Pointer != tt.pointer || ae.Msg != tt.msg {
			t.Errorf("%s, %s:\n got %v\nwant %s: %s", tt.schema, tt.args, err, tt.pointer, tt.msg)
		}
	}
}

func TestCheckExtra(t *testing.T) {
	for _, tt := range []struct {
		schema, args string
		ok           bool
	}{
		{payment, `{"amount": 1, "note": "x", "to": {"city": "Rome", "zip": 1}}`, true},
		{payment, `{"amount": 1, "AMOUNT": 1}`, false},
		{payment, `{"amount": 1, "to": {"city": "Rome", "City": "Oslo"}}`, false},
		{shut, `{"b": 1}`, false},
		{branched, `{"kind": "card", "extra": 1}`, true},
	} {
		s, err := CompileSchema(value(t, tt.schema), true)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(value(t, tt.args)); (err == nil) != tt.ok {
			t.Errorf("%s, %s: %v", tt.schema, tt.args, err)
		}
	}
}

func TestArgumentErrorText(t *testing.T) {
	if got := (&ArgumentError{"/a", "is bad"}).Error(); got != "argument /a: is bad" {
		t.Error(got)
	}
	if got := (&ArgumentError{"", "are bad"}).Error(); got != "arguments: are bad" {
		t.Error(got)
	}
}

func TestCompileSchemaRefuses(t *testing.T) {
	for schema, want := range map[string]string{
		`{"$schema": "http://json-schema.org/draft-04/schema#"}`:      "only 2020-12 and draft-07 are known",
		`{"$schema": "https://json-schema.org/draft/2019-09/schema"}`: "only 2020-12 and draft-07 are known",
		`{"$schema": "https://example.org/mine"}`:                     "only 2020-12 and draft-07 are known",
		`{"$schema": 7}`:                        "only 2020-12 and draft-07 are known",
		`{"$ref": "https://example.org/other"}`: "nothing outside itself",
		`{"$ref": "file:///etc/passwd"}`:        "nothing outside itself",
		`{"$ref": "licet:schema"}`:              "nothing outside itself",
		`{"$ref": "other.json"}`:                "nothing outside itself",
		`{"properties": {"a": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}`: "outside the schema",
		`{"$ref": "#/$defs/none"}`:                                       "cannot be compiled exactly",
		`{"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}}`: "dynamic reference",
		`{"properties": {"a": {"pattern": "(?=x)"}}}`:                    "cannot be compiled exactly",
		`{"properties": {"a": {"pattern": "(a)\\1"}}}`:                   "cannot be compiled exactly",
		`{"patternProperties": {"(?!x)": {}}}`:                           "cannot be compiled exactly",
		`{"properties": {"a": {"maxLength": 1e30}}}`:                     "maxLength 1e+30 is too large",
		`{"properties": {"a": {"type": "strin"}}}`:                       "cannot be compiled exactly",
		`{"properties": []}`:                                             "cannot be compiled exactly",
		`{"minimum": "1"}`:                                               "cannot be compiled exactly",
		`7`:                                                              "cannot be compiled exactly",
		`{"$defs": {"a": {"$id": "inner", "$schema": "http://json-schema.org/draft-07/schema#"}}, "$ref": "#/$defs/a"}`: "another dialect",
	} {
		s, err := CompileSchema(value(t, schema), false)
		if err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want ...%s...", schema, err, want)
		}
	}
	if s, err := CompileSchema(toolcall.Value{}, false); err == nil || s != nil {
		t.Error("an absent schema compiles")
	}
}

func TestReferencesWithinTheSchema(t *testing.T) {
	for _, schema := range []string{
		`{"$id": "https://example.org/a", "$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}}}}`,
		`{"$id": "https://example.org/a", "$ref": "https://example.org/a#/$defs/x", "$defs": {"x": {"properties": {"a": {}}}}}`,
		`{"$ref": "#x", "$defs": {"x": {"$anchor": "x", "properties": {"a": {}}}}}`,
		`{"$ref": "inner", "$defs": {"x": {"$id": "inner", "properties": {"a": {}}}}}`,
	} {
		s, err := CompileSchema(value(t, schema), false)
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		if err := s.Check(value(t, `{"a": 1}`)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		if err := s.Check(value(t, `{"b": 1}`)); err == nil {
			t.Errorf("%s lets b through", schema)
		}
	}
}

// TestCheckIsBounded: arguments that would double the work with each level are
// refused at once.
func TestCheckIsBounded(t *testing.T) {
	const doubling = `{"$ref": "#/$defs/d", "$defs": {"d": {"anyOf": [
		{"properties": {"x": {"$ref": "#/$defs/d"}}, "required": ["y"]}, {"properties": {"x": {"$ref": "#/$defs/d"}}, "required": ["z"]}]}}}`
	var members strings.Builder
	for i := range budget / 20 {
		fmt.Fprintf(&members, `"%d": 1, `, i)
	}
	for schema, args := range map[string]string{
		`{"propertyNames": {"anyOf": [` + strings.Repeat("{},", 19) + `{}]}}`: "{" + members.String() + `"x": 1}`,
		doubling:          strings.Repeat(`{"x":`, 60) + "1" + strings.Repeat("}", 60),
		`{"$ref": "#"}`:   `{}`,
		`{"anyOf": [{}]}`: `{"a": [` + strings.Repeat("1,", 2) + `"` + strings.Repeat("x", 256*budget) + `"]}`,
		`{"additionalProperties": {"items": {"anyOf": [{}, {}]}}}`: `{"a": [1` + strings.Repeat(",1", budget/2) + `]}`,
	} {
		s, err := CompileSchema(value(t, schema), false)
		if err != nil {
			t.Fatal(err)
		}
		v, err := toolcall.Parse([]byte(args), toolcall.Bounds{Bytes: 1 << 27})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Check(v)
		unread := schema == `{"anyOf": [{}]}` // no subschema looks at the text
		if unread != (err == nil) || err != nil && !strings.Contains(err.Error(), "more than 200000 steps") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// simpleSchema draws a schema of simple keywords over the names a, b and c.
func simpleSchema(depth int) *rapid.Generator[toolcall.Value] {
	return rapid.Custom(func(t *rapid.T) toolcall.Value {
		var members []toolcall.Member
		add := func(name string, draw func() toolcall.Value) {
			if rapid.IntRange(0, 2).Draw(t, name) == 0 {
				members = append(members, toolcall.Member{Name: name, Value: draw()})
			}
		}
		types := rapid.SampledFrom([]string{"null", "boolean", "number", "integer", "string", "array", "object"})
		small := rapid.Map(rapid.Int64Range(0, 4), whole)
		values := rapid.Map(rapid.SliceOfN(anyValue(1), 0, 3), func(vs []toolcall.Value) toolcall.Value { return toolcall.ArrayOf(sorted(vs)...) })
		add("type", func() toolcall.Value {
			first := toolcall.StringOf(types.Draw(t, "type"))
			if second := toolcall.StringOf(types.Draw(t, "second")); !first.Equal(second) {
				return toolcall.ArrayOf(first, second)
			}
			return first
		})
		add("enum", func() toolcall.Value { return values.Draw(t, "enum") })
		add("const", func() toolcall.Value { return anyValue(1).Draw(t, "const") })
		for _, word := range []string{"minimum", "maximum", "minLength", "maxLength"} {
			add(word, func() toolcall.Value { return small.Draw(t, word) })
		}
		add("title", func() toolcall.Value { return toolcall.StringOf("t") })
		add("required", func() toolcall.Value {
			return toolcall.ArrayOf(toolcall.StringOf(rapid.SampledFrom([]string{"a", "b", "m"}).Draw(t, "name")))
		})
		if depth == 0 {
			return toolcall.ObjectOf(members...)
		}
		below := rapid.OneOf(simpleSchema(depth-1), rapid.Just(toolcall.Boolean(true)))
		add("items", func() toolcall.Value { return below.Draw(t, "items") })
		add("additionalProperties", func() toolcall.Value {
			return rapid.OneOf(below, rapid.Map(rapid.Bool(), toolcall.Boolean)).Draw(t, "others")
		})
		add("properties", func() toolcall.Value {
			return toolcall.ObjectOf(toolcall.Member{Name: "a", Value: below.Draw(t, "a")}, toolcall.Member{Name: "m", Value: below.Draw(t, "m")})
		})
		return toolcall.ObjectOf(members...)
	})
}

func library(t interface{ Fatal(...any) }, schema toolcall.Value) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	if err := c.AddResource(self, plainJSON(schema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(self)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSimpleAgrees holds the walk that checks simple schemas against the
// library: with extra members let through, both say the same.
func TestSimpleAgrees(t *testing.T) {
	valid := 0
	rapid.Check(t, func(rt *rapid.T) {
		schema := simpleSchema(2).Draw(rt, "schema")
		s, err := CompileSchema(schema, true)
		if err != nil {
			rt.Fatalf("%s: %v", schema.Canonical(), err)
		}
		if s.full != nil {
			rt.Fatalf("%s is not simple", schema.Canonical())
		}
		full := library(rt, schema)
		for range 20 {
			v := toolcall.ObjectOf(toolcall.Member{Name: "a", Value: anyValue(2).Draw(rt, "a")}, toolcall.Member{Name: "b", Value: anyValue(1).Draw(rt, "b")})
			if rapid.Bool().Draw(rt, "other") {
				v = anyValue(2).Draw(rt, "v")
			}
			got, want := s.Check(v), full.Validate(plainJSON(v))
			if (got == nil) != (want == nil) {
				rt.Fatalf("%s, %s: %v, but the library: %v", schema.Canonical(), v.Canonical(), got, want)
			}
			if got == nil {
				valid++
			}
		}
	})
	if valid < 100 {
		t.Errorf("only %d valid values: the test is not looking", valid)
	}
}

// FuzzSchema states that arguments which pass are valid for the library and
// have no undeclared member where the schema lists all.
func FuzzSchema(f *testing.F) {
	for _, tt := range checks {
		f.Add(tt.schema, tt.args)
	}
	f.Fuzz(func(t *testing.T, schemaText, argsText string) {
		schema, err := toolcall.Parse([]byte(schemaText), toolcall.Bounds{})
		if err != nil {
			return
		}
		args, err := toolcall.Parse([]byte(argsText), toolcall.Bounds{})
		if err != nil {
			return
		}
		s, err := CompileSchema(schema, false)
		if err != nil || s.Check(args) != nil {
			return
		}
		full, err := CompileSchema(schema, true)
		if err != nil || full.Check(args) != nil {
			t.Fatalf("%s, %s: passes, but not with extra members let through", schemaText, argsText)
		}
		if schema.Get("$schema").Kind() != toolcall.Absent {
			return
		}
		if err := library(t, schema).Validate(plainJSON(args)); err != nil {
			t.Fatalf("%s, %s: passes, but the library: %v", schemaText, argsText, err)
		}
		for i := range args.Len() {
			name, _ := args.Member(i)
			listsAll := s.full == nil && s.root.closes && !s.root.opens && args.Kind() == toolcall.Object
			if listsAll && schema.Get("properties").Get(name).Kind() == toolcall.Absent {
				t.Fatalf("%s, %s: %q passes undeclared", schemaText, argsText, name)
			}
		}
	})
}

const sixArguments = `{"amount": 49.95, "recipient": "GB123", "kind": "once", "urgent": false, "tags": ["a", "b"], "to": {"city": "Rome"}}`

func BenchmarkCheck(b *testing.B) {
	for name, schema := range map[string]string{
		"simple": payment, "library": strings.Replace(payment, `"minLength": 1`, `"minLength": 1, "pattern": "^[A-Z0-9]+$"`, 1),
	} {
		b.Run(name, func(b *testing.B) {
			s, err := CompileSchema(value(b, schema), false)
			if err != nil {
				b.Fatal(err)
			}
			args := value(b, sixArguments)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Check(args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPermits(b *testing.B) {
	for name, tt := range map[string][2]string{
		"number": {`{"min": 0.01, "max": 100}`, "49.95"}, "in": {`{"in": ["a", "b", "c"]}`, `"c"`},
		"path": {readAll, `"/ws/a.txt"`}, "write": {writeAll, `"/ws/a.txt"`},
	} {
		b.Run(name, func(b *testing.B) {
			s := compile(b, tt[0], local)
			sel := argument(b, tt[1], false)
			a := home.answer(s.Questions(sel))
			b.ReportAllocs()
			for b.Loop() {
				if ok, why := s.Permits(sel, a); !ok {
					b.Fatal(why)
				}
			}
		})
	}
}
