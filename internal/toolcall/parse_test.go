package toolcall_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

// parse reads a text that the test knows to be good.
func parse(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("Parse(%.80q): %v", text, err)
	}
	return v
}

// position asserts that err is a SyntaxError at this place with msg in its
// message.
func position(t *testing.T, text string, err error, want toolcall.SyntaxError) {
	t.Helper()
	var got *toolcall.SyntaxError
	if !errors.As(err, &got) {
		t.Fatalf("%.80q: error %v, want a SyntaxError", text, err)
	}
	if !strings.Contains(got.Msg, want.Msg) {
		t.Errorf("%.80q: message %q, want it to contain %q", text, got.Msg, want.Msg)
	}
	got.Msg, want.Msg = "", ""
	if *got != want {
		t.Errorf("%.80q:\n got %+v\nwant %+v", text, *got, want)
	}
}

// deep returns n arrays around one another.
func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// members returns n members of an object, each with a comma after it.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":0,`, i)
	}
	return b.String()
}

// refusedTexts are no strict JSON, each with the place where that shows.
var refusedTexts = []struct {
	name, text   string
	offset       int64
	line, column int
	pointer, msg string
}{
	{"empty", "", 0, 1, 1, "", "no value"},
	{"white space only", " \n ", 3, 2, 2, "", "no value"},
	{"byte order mark", "\ufeff{}", 0, 1, 1, "", "at start of value"},
	{"comment", "//c\n1", 0, 1, 1, "", "at start of value"},
	{"other white space", "\u00a01", 0, 1, 1, "", "at start of value"},

	{"duplicate member", `{"a":1,"a":2}`, 7, 1, 8, "/a", "duplicate member"},
	{"duplicate member, spelled with an escape", "{\n \"a\": {\"b\":1,\n \"\\u0062\":2}}", 17, 3, 2, "/a/b", "duplicate member"},
	{"duplicate member, equal value", `[{"":0,"":0}]`, 7, 1, 8, "/0/", "duplicate member"},
	{"duplicate member, the first and the last", `{"b":1,"a":{},"c":3,"b":4}`, 20, 1, 21, "/b", "duplicate member"},
	{"duplicate member among many", "{" + members(20) + `"m7":0}`, 151, 1, 152, "/m7", "duplicate member"},
	{"duplicate member before a bound is passed", `{"a":1,"a":1e400}`, 7, 1, 8, "/a", "duplicate member"},
	{"duplicate member around an array that is too deep", `{"a":1,"a":` + deep(65) + `}`, 7, 1, 8, "/a", "duplicate member"},

	{"invalid UTF-8 in text", "[\"a\xffb\"]", 3, 1, 4, "/0", "invalid UTF-8"},
	{"invalid UTF-8 in a name", "{\"a\xff\":1}", 3, 1, 4, "", "invalid UTF-8"},
	{"overlong UTF-8", "\"\xc0\xaf\"", 1, 1, 2, "", "invalid UTF-8"},
	{"surrogate in UTF-8", "\"\xed\xa0\x80\"", 1, 1, 2, "", "invalid UTF-8"},
	{"lone high surrogate", `["\ud800"]`, 2, 1, 3, "/0", "surrogate"},
	{"lone low surrogate", `["\udc00"]`, 2, 1, 3, "/0", "surrogate"},
	{"surrogates in wrong order", `["\udc00\ud800"]`, 2, 1, 3, "/0", "surrogate"},
	{"lone surrogate in a name", `{"\ud800":1}`, 2, 1, 3, "", "surrogate"},

	{"NaN", `[NaN]`, 1, 1, 2, "/0", "at start of value"},
	{"Infinity", `[Infinity]`, 1, 1, 2, "/0", "at start of value"},
	{"-Infinity", `[-Infinity]`, 2, 1, 3, "/0", "in number"},
	{"leading zero", `[01]`, 2, 1, 3, "", "after array element"},
	{"no digit after the point", `[1.]`, 3, 1, 4, "/0", "in number"},
	{"no digit before the point", `[.5]`, 1, 1, 2, "/0", "at start of value"},
	{"plus sign", `[+1]`, 1, 1, 2, "/0", "at start of value"},
	{"empty exponent", `[1e]`, 3, 1, 4, "/0", "in number"},
	{"hexadecimal", `[0x10]`, 2, 1, 3, "", "after array element"},

	{"second value", `{} {}`, 3, 1, 4, "", "data after the value"},
	{"comma after the value", `{},`, 2, 1, 3, "", "data after the value"},
	{"second number", "1\n2", 2, 2, 1, "", "data after the value"},
	{"NUL after the value", "[1]\x00", 3, 1, 4, "", "data after the value"},

	{"comma before the end of an array", `[1,]`, 2, 1, 3, "", "','"},
	{"comma before the end of an object", `{"a":1,}`, 6, 1, 7, "", "','"},
	{"comma first", `[,1]`, 1, 1, 2, "", "','"},
	{"two commas", `[1,,2]`, 3, 1, 4, "/1", "','"},
	{"no comma", `[1 2]`, 3, 1, 4, "", "expecting ','"},
	{"no colon", `{"a"}`, 4, 1, 5, "/a", "expecting ':'"},
	{"bare name", `{a:1}`, 1, 1, 2, "", "at start of value"},
	{"number as name", `{1:2}`, 1, 1, 2, "", "must be a string"},
	{"single quotes", `{'a':1}`, 1, 1, 2, "", "at start of value"},
	{"array closed as object", `[1}`, 2, 1, 3, "", "expecting ',' or ']'"},
	{"object closed as array", `{"a":1]`, 6, 1, 7, "", "expecting ',' or '}'"},
	{"stray bracket", `]`, 0, 1, 1, "", "']'"},

	{"end in an array", `[`, 1, 1, 2, "", "text ends"},
	{"end before a value", `{"a":`, 5, 1, 6, "/a", "text ends"},
	{"end in text", `"abc`, 4, 1, 5, "", "text ends"},
	{"end in a literal", `tru`, 3, 1, 4, "", "text ends"},
	{"misspelled literal", `[nul]`, 4, 1, 5, "/0", "in literal null"},
	{"line break in text", "\"a\nb\"", 2, 1, 3, "", "in string"},
	{"unknown escape", `"\x"`, 1, 1, 2, "", "escape"},
	{"short escape", `"\u12"`, 1, 1, 2, "", "escape"},

	{"integer of 401 digits", `[1` + strings.Repeat("0", 400) + `]`, 1, 1, 2, "/0", "more than 400 digits"},
	{"401 digits by exponent", `[1e400]`, 1, 1, 2, "/0", "more than 400 digits"},
	{"401 digits after the point", `{"a":[0,{"b/c":1e-400}]}`, 15, 1, 16, "/a/1/b~1c", "more than 400 digits"},
	{"zero in 401 digits", `0e400`, 0, 1, 1, "", "more than 400 digits"},
	{"exponent beyond any integer", `-1e99999999999999999999`, 0, 1, 1, "", "more than 400 digits"},
	{"depth 65", deep(65), 64, 1, 65, strings.Repeat("/0", 64), "more than 64"},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refusedTexts {
		t.Run(c.name, func(t *testing.T) {
			v, err := toolcall.Parse([]byte(c.text), toolcall.Bounds{})
			position(t, c.text, err, toolcall.SyntaxError{
				Offset: c.offset, Line: c.line, Column: c.column, Pointer: c.pointer, Msg: c.msg,
			})
			if v.Kind() != toolcall.Absent {
				t.Errorf("%.80q: refused, but left %s", c.text, v.Kind())
			}
		})
	}
}

// goodTexts are texts and their canonical form.
var goodTexts = []struct{ text, want string }{
	{`null`, `null`},
	{" true\r\n\t", `true`},
	{`false`, `false`},
	{`""`, `""`},
	{`{}`, `{}`},
	{`[ ]`, `[]`},
	{`{"b":[1,{"d":null,"c":""}],"a":-0.0}`, `{"a":0,"b":[1,{"c":"","d":null}]}`},
	{`{"a":1,"A":2,"á":3}`, `{"A":2,"a":1,"á":3}`}, // names are data here
	{`"\u0000\u001f\u007f\/\b\f\n\r\t\"\\"`, "\"\\u0000\\u001f\u007f/\\b\\f\\n\\r\\t\\\"\\\\\""},
	{`"\ud83d\ude00\u2028\ufffd"`, "\"😀\u2028\ufffd\""},
	{`"e\u0301"`, "\"e\u0301\""}, // no normalization
	{`9007199254740993`, `9007199254740993`},
	{`1e399`, `1e+399`},
	{`1e-399`, `1e-399`},
	{deep(64), deep(64)},
}

func TestParseCanonical(t *testing.T) {
	for _, c := range goodTexts {
		if got := parse(t, c.text).Canonical(); got != c.want {
			t.Errorf("%.80q: canonical %.80q, want %.80q", c.text, got, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	b := toolcall.Bounds{Bytes: 20, Depth: 2, Digits: 5}
	for _, good := range []string{`["1234567890123456"]`, `[[]]`, `[12345]`, `[0.1234]`, `[123e2]`, `[1e-4]`} {
		if _, err := toolcall.Parse([]byte(good), b); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]toolcall.SyntaxError{
		`["12345678901234567"]`: {Offset: 20, Line: 1, Column: 21, Msg: "longer than 20 bytes"},
		`[{"a":[]}]`:            {Offset: 6, Line: 1, Column: 7, Pointer: "/0/a", Msg: "more than 2 "},
		`[123456]`:              {Offset: 1, Line: 1, Column: 2, Pointer: "/0", Msg: "more than 5 digits"},
		`[0.12345]`:             {Offset: 1, Line: 1, Column: 2, Pointer: "/0", Msg: "more than 5 digits"},
		`[1.00000]`:             {Offset: 1, Line: 1, Column: 2, Pointer: "/0", Msg: "more than 5 digits"},
		`[1e5]`:                 {Offset: 1, Line: 1, Column: 2, Pointer: "/0", Msg: "more than 5 digits"},
	} {
		_, err := toolcall.Parse([]byte(bad), b)
		position(t, bad, err, want)
	}
	tooLong := append(bytes.Repeat([]byte{' '}, toolcall.DefaultBytes), '1')
	if _, err := toolcall.Parse(tooLong, toolcall.Bounds{}); err == nil {
		t.Error("a text of DefaultBytes+1 bytes was accepted")
	}
	if _, err := toolcall.Parse(tooLong[1:], toolcall.Bounds{}); err != nil {
		t.Errorf("a text of DefaultBytes bytes: %v", err)
	}
}

func TestSyntaxErrorText(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\":1,\n\"a\":2}": `line 2, column 1 (at "/a"): duplicate member`,
		"1 2":                 `line 1, column 3: data after the value`,
	} {
		if _, err := toolcall.Parse([]byte(text), toolcall.Bounds{}); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// A value must not change when the caller reuses its buffer, and parsers that
// are used again must not mix what they read.
func TestParseKeepsNothing(t *testing.T) {
	raw := []byte(`{"a":"text","b":[12,"\n"]}`)
	v, err := toolcall.Parse(raw, toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	want := v.Canonical()
	for i := range raw {
		raw[i] = 'x'
	}
	parse(t, `{"a":"other","b":[34,"\t","c"]}`)
	if got := v.Canonical(); got != want {
		t.Errorf("value changed to %s, was %s", got, want)
	}
}

// TestParseParts reads values of all shapes, from none to more elements than
// the parser makes room for at once: the parts must not mix.
func TestParseParts(t *testing.T) {
	leaf := rapid.Custom(func(r *rapid.T) toolcall.Value {
		return toolcall.StringOf(rapid.String().Draw(r, "text"))
	})
	var any func(depth int) *rapid.Generator[toolcall.Value]
	any = func(depth int) *rapid.Generator[toolcall.Value] {
		if depth == 0 {
			return leaf
		}
		return rapid.Custom(func(r *rapid.T) toolcall.Value {
			most := rapid.SampledFrom([]int{1, 4, 80}).Draw(r, "most")
			elems := rapid.SliceOfN(any(depth-1), 0, most).Draw(r, "elements")
			if rapid.Bool().Draw(r, "array") {
				return toolcall.ArrayOf(elems...)
			}
			var all []toolcall.Member
			for i, e := range elems {
				all = append(all, toolcall.Member{Name: fmt.Sprint(i), Value: e})
			}
			return toolcall.ObjectOf(all...)
		})
	}
	rapid.Check(t, func(r *rapid.T) {
		v := any(2).Draw(r, "value")
		if got := parse(t, v.Canonical()); !got.Equal(v) {
			r.Fatalf("%s reads as %s", v.Canonical(), got.Canonical())
		}
	})
}

// FuzzParse states what a strict reading is worth. What is accepted is strict
// JSON with one canonical text that reads back to the same value; two values
// are equal exactly if their canonical texts are; and what is refused although
// it is strict JSON is over a bound.
func FuzzParse(f *testing.F) {
	for _, c := range refusedTexts {
		f.Add([]byte(c.text), []byte(c.text))
	}
	for i, c := range goodTexts {
		f.Add([]byte(c.text), []byte(goodTexts[(i+1)%len(goodTexts)].text))
		f.Add([]byte(c.text), []byte(c.want))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		v, err := toolcall.Parse(a, toolcall.Bounds{})
		if err != nil {
			refusedForAReason(t, a, err)
			return
		}
		if !json.Valid(a) || !jsontext.Value(a).IsValid() {
			t.Fatalf("%q is accepted, but is not strict JSON", a)
		}
		again := parse(t, v.Canonical())
		if !again.Equal(v) || again.Canonical() != v.Canonical() {
			t.Fatalf("%q: canonical form %q reads back as %q", a, v.Canonical(), again.Canonical())
		}
		if w, err := toolcall.Parse(b, toolcall.Bounds{}); err == nil && v.Equal(w) != (v.Canonical() == w.Canonical()) {
			t.Fatalf("Equal(%s, %s) is %v", v.Canonical(), w.Canonical(), v.Equal(w))
		}
	})
}

func refusedForAReason(t *testing.T, text []byte, err error) {
	var where *toolcall.SyntaxError
	if !errors.As(err, &where) {
		t.Fatalf("%q: error %v, want a SyntaxError", text, err)
	}
	if where.Offset < 0 || where.Offset > int64(len(text)) || where.Line < 1 || where.Column < 1 {
		t.Fatalf("%q: impossible position %+v", text, *where)
	}
	if jsontext.Value(text).IsValid() && !strings.Contains(where.Msg, "more than ") {
		t.Fatalf("%q is strict JSON within bounds, but refused: %v", text, err)
	}
}
