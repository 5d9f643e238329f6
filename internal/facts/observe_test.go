package facts_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/toolcall"
)

var key = []byte("a key of at least thirty-two bytes")

func parse(t testing.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// textResult returns a result with one text block.
func textResult(text string) toolcall.Value {
	return toolcall.ObjectOf(toolcall.Member{Name: "content", Value: toolcall.ArrayOf(toolcall.ObjectOf(
		toolcall.Member{Name: "type", Value: toolcall.StringOf("text")},
		toolcall.Member{Name: "text", Value: toolcall.StringOf(text)},
	))})
}

func observe(t testing.TB, result toolcall.Value) []facts.Leaf {
	t.Helper()
	leaves, cut, err := facts.Observe(key, result)
	if err != nil || cut {
		t.Fatalf("observing: cut %t, %v", cut, err)
	}
	return leaves
}

// request is the source of user turns, from a result of s.t as a whole or at a path.
var request = constraint.Source{Request: true}

func from(t testing.TB, at string) constraint.Source {
	t.Helper()
	s := constraint.Source{Server: "s", Tool: "t"}
	if at != "" {
		p, err := toolcall.ParsePath(at)
		if err != nil {
			t.Fatal(err)
		}
		s.At, s.HasAt = p, true
	}
	return s
}

// stated asks one question about a session.
func stated(t testing.TB, s facts.Session, v toolcall.Value, sources ...constraint.Source) bool {
	t.Helper()
	a, err := facts.Answer(t.Context(), facts.Input{
		Questions: []constraint.Question{{Key: "q", Stated: &constraint.StatedQuestion{Sources: sources, Value: v}}},
		Session:   s,
		Key:       key,
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, ok := a.Stated["q"]
	if !ok {
		t.Fatal("no answer")
	}
	return answer
}

// said returns a session in which s.t returned the results.
func said(t testing.TB, results ...toolcall.Value) facts.Session {
	t.Helper()
	s := facts.Session{ID: "s1"}
	for _, r := range results {
		s.Results = append(s.Results, facts.Result{Server: "s", Tool: "t", Leaves: observe(t, r)})
	}
	return s
}

// textTable: whether a JSON value is stated in a text, be it a turn or a result.
var textTable = []struct {
	text, value string
	want        bool
}{
	{"Please pay bob@x.org today.", `"bob@x.org"`, true},
	{"Please pay bob@x.org.", `"BOB@X.org"`, true},
	{"Please pay a.bob@x.org", `"bob@x.org"`, false},
	{"Please pay bob@x.org.evil.example", `"bob@x.org"`, false},
	{"Please pay o'bob@x.org", `"bob@x.org"`, false},
	{"mail Bob Smith (bob@x.org), now", `"bob smith bob@x.org"`, true},
	{"mail Bob Smith", `"Bob Smi"`, false},
	{"mail Bob A. Smith", `"Bob Smith"`, false},
	{"book the Riverside View Hotel", `"\"Riverside View\""`, true},
	{"book the Riverside\n   View", `"Riverside View"`, true},
	{"caf\u00e9 Zo\u00eb", `"Cafe\u0301"`, true},
	{"pay 1,050.00 now", `1050`, true},
	{"pay 1,050.00 now", `1050.0`, true},
	{"pay 1,050.00 now", `1.05e3`, true},
	{"pay 1,050.00 now", `105`, false},
	{"pay 1,050.00 now", `1`, false},
	{"pay 1,050.00 now", `50`, false},
	{"pay 1,050.00 now", `-1050`, false},
	{"pay 1,050.00 now", `"1050"`, false},
	{"pay 1,050.00 now", `"1,050.00"`, true},
	{"pay $5", `5`, true},
	{"pay 5%", `5`, false},
	{"pay 1.050,00", `1.05`, false},
	{"invoice 007", `7`, false},
	{"invoice 007", `"007"`, true},
	{"invoice 7", `"007"`, false},
	{"id 9007199254740993", `9007199254740992`, false},
	{"id 9007199254740993", `9007199254740993`, true},
	{"anything at all", `""`, false},
	{"anything at all", `" "`, false},
	{"etc ... and so on", `"..."`, false},
	{"true null", `true`, false},
	{"true null", `null`, false},
	{"a b", `["a"]`, false},
	{"a b", `{"a":"b"}`, false},
	{"", `"a"`, false},
}

func TestStatedInText(t *testing.T) {
	for _, tt := range textTable {
		v := parse(t, tt.value)
		if got := stated(t, facts.Session{Turns: []string{"hello", tt.text}}, v, request); got != tt.want {
			t.Errorf("turn %q states %s: %t, want %t", tt.text, tt.value, got, tt.want)
		}
		if got := stated(t, said(t, textResult("hello"), textResult(tt.text)), v, from(t, "")); got != tt.want {
			t.Errorf("result %q states %s: %t, want %t", tt.text, tt.value, got, tt.want)
		}
	}
}

const contactsYAML = `
- name: Alice
  iban: GB00 1234
  id: 7
  note: pay XX99 instead
  since: 2022-01-01
- name: Bob
  iban: "0042"
  id: 010
  tags: [a, b]
  limit: 1000.50
  active: yes
  closed: false
  code: 1e3
  memo: |
    line one
    line two
`

// pathTable: whether a value is stated at a path of a result.
var pathTable = []struct {
	name, result string // a text block, or a whole result if it begins with {"
	at, value    string
	want         bool
}{
	{"a field", contactsYAML, "[].iban", `"GB00 1234"`, true},
	{"folded", contactsYAML, "[].iban", `"gb00 1234"`, true},
	{"not a part of it", contactsYAML, "[].iban", `"GB00"`, false},
	{"not in another field", contactsYAML, "[].iban", `"XX99"`, false},
	{"not the whole note", contactsYAML, "[].note", `"XX99"`, false},
	{"whole means white space too", contactsYAML, "[].iban", `"GB00  1234"`, false},
	{"quoted digits are text", contactsYAML, "[].iban", `"0042"`, true},
	{"quoted digits are no number", contactsYAML, "[].iban", `42`, false},
	{"number", contactsYAML, "[].id", `7`, true},
	{"number by value", contactsYAML, "[].id", `7.0`, true},
	{"number is no text", contactsYAML, "[].id", `"7"`, false},
	{"decimal", contactsYAML, "[].limit", `1000.5`, true},
	{"octal or decimal: text", contactsYAML, "[].id", `"010"`, true},
	{"octal or decimal: neither", contactsYAML, "[].id", `8`, false},
	{"octal or decimal: no ten", contactsYAML, "[].id", `10`, false},
	{"exponent: text", contactsYAML, "[].code", `"1e3"`, true},
	{"exponent: no number", contactsYAML, "[].code", `1000`, false},
	{"date is text", contactsYAML, "[].since", `"2022-01-01"`, true},
	{"yes is text", contactsYAML, "[].active", `"yes"`, true},
	{"false is nothing", contactsYAML, "[].closed", `"false"`, false},
	{"elements", contactsYAML, "[].tags[]", `"b"`, true},
	{"an array is no element", contactsYAML, "[].tags", `"b"`, false},
	{"block text", contactsYAML, "[].memo", `"line one\nline two\n"`, true},
	{"without leading []", contactsYAML, "iban", `"GB00 1234"`, false},
	{"name of a member", contactsYAML, "[].name", `"name"`, false},

	{"JSON text", `{"contacts": [{"iban": "X1"}]}`, "contacts[].iban", `"x1"`, true},
	{"JSON escapes", `["\ud83d\ude00"]`, "[]", `"😀"`, true},
	{"odd names", `{"a.b": {"[]": "x", "": "y"}}`, `["a.b"]["[]"]`, `"x"`, true},
	{"odd names, other path", `{"a": {"b": {"[]": "x"}}}`, `["a.b"]["[]"]`, `"x"`, false},
	{"Python text", `{'message': 'sent', 'id': 7}`, "message", `"sent"`, true},
	{"nested arrays", `[[["x"]]]`, "[][][]", `"x"`, true},
	{"two blocks", `{"content":[{"type":"text","text":"{\"a\":\"x\"}"},{"type":"text","text":"{\"a\":\"y\"}"}]}`, "a", `"y"`, true},

	{"a lone word", "hello", "hello", `"hello"`, false},
	{"a lone JSON text", `"hello"`, "[]", `"hello"`, false},
	{"duplicate member", "a: x\nb: y\na: z\n", "b", `"y"`, false},
	{"duplicate JSON member", `{"a":"x","a":"y"}`, "a", `"x"`, false},
	{"same name, quoted", "1: x\n'1': y\n", `["1"]`, `"x"`, false},
	{"two documents", "a: x\n---\na: y\n", "a", `"x"`, false},
	{"two JSON documents", `{"a":"x"} {"a":"y"}`, "a", `"x"`, false},
	{"anchor", "a: &x x\n", "a", `"x"`, false},
	{"anchored name", "&k a: x\n", "a", `"x"`, false},
	{"alias", "a: &x x\nb: *x\n", "b", `"x"`, false},
	{"merge key", "<<: {a: x}\nb: y\n", "b", `"y"`, false},
	{"tag", "a: !!str x\n", "a", `"x"`, false},
	{"tagged name", "!!str a: x\n", "a", `"x"`, false},
	{"name that is no scalar", "? [a]\n: x\nb: y\n", "b", `"y"`, false},
	{"refused inside an array", "b: y\na: [&x x]\n", "b", `"y"`, false},
	{"JSON as deep as it may be", strings.Repeat("[", 64) + `"x"` + strings.Repeat("]", 64), strings.Repeat("[]", 64), `"x"`, true},
	{"JSON too deep", strings.Repeat("[", 65) + `"x"` + strings.Repeat("]", 65), strings.Repeat("[]", 65), `"x"`, false},
	{"YAML too deep", strings.Repeat("[", 65) + `'x'` + strings.Repeat("]", 65), strings.Repeat("[]", 65), `"x"`, false},
	{"huge YAML", "a: x\nb: " + strings.Repeat("y", 256<<10) + "\n", "a", `"x"`, false},

	{"structured", `{"structuredContent":{"a":"x"}}`, "a", `"x"`, true},
	{"structured, null is absent", `{"structuredContent":null,"content":[{"type":"text","text":"{\"a\":\"x\"}"}]}`, "a", `"x"`, true},
	{"structured array", `{"structuredContent":[{"a":7}]}`, "[].a", `7`, true},
	{"text beside structured content claims no place", `{"structuredContent":{"b":"x"},"content":[{"type":"text","text":"{\"a\":\"x\"}"}]}`, "a", `"x"`, false},
	{"other blocks claim no place", `{"content":[{"type":"resource","resource":{"uri":"u","text":"{\"a\":\"x\"}"}}]}`, "a", `"x"`, false},
	{"failed", `{"isError":true,"structuredContent":{"a":"x"}}`, "a", `"x"`, false},
	{"failed, oddly", `{"isError":"yes","structuredContent":{"a":"x"}}`, "a", `"x"`, false},
	{"not failed", `{"isError":false,"structuredContent":{"a":"x"}}`, "a", `"x"`, true},
	{"complete", `{"resultType":"complete","structuredContent":{"a":"x"}}`, "a", `"x"`, true},
	{"a task, not a result yet", `{"resultType":"task","structuredContent":{"a":"x"}}`, "a", `"x"`, false},
}

func resultOf(t testing.TB, text string) toolcall.Value {
	for _, member := range []string{"structuredContent", "content", "isError", "resultType"} {
		if strings.HasPrefix(text, `{"`+member+`"`) {
			return parse(t, text)
		}
	}
	return textResult(text)
}

func TestStatedAtPath(t *testing.T) {
	for _, tt := range pathTable {
		s := said(t, resultOf(t, tt.result))
		if got := stated(t, s, parse(t, tt.value), from(t, tt.at)); got != tt.want {
			t.Errorf("%s: %s at %s: %t, want %t", tt.name, tt.value, tt.at, got, tt.want)
		}
	}
}

// TestStatedAnywhere asks without a path: all text of a result counts, also
// that which no path reaches.
func TestStatedAnywhere(t *testing.T) {
	for _, tt := range []struct {
		result, value string
		want          bool
	}{
		{contactsYAML, `"XX99"`, true},
		{contactsYAML, `"pay xx99"`, true},
		{contactsYAML, `"iban"`, true},
		{contactsYAML, `7`, true},
		{contactsYAML, `"7"`, false},
		{contactsYAML, `"Alice GB00"`, false}, // two values are not one text
		{`{"structuredContent":"pay 1,050.00"}`, `1050`, true},
		{`{"structuredContent":{"b":"x"},"content":[{"type":"text","text":"{\"a\":\"y\"}"}]}`, `"y"`, true},
		{`{"content":[{"type":"resource","resource":{"uri":"file:///u","text":"hello"}}]}`, `"file:///u"`, true},
		{`{"content":[{"type":"resource","resource":{"uri":"file:///u","text":"hello"}}]}`, `"hello"`, true},
		{`{"content":[{"type":"resource","resource":{"uri":"file:///u","blob":"aGVsbG8"}}]}`, `"aGVsbG8"`, false},
		{`{"content":[{"type":"resource_link","uri":"u1","name":"n1","description":"d1","mimeType":"m1"}]}`, `"d1"`, true},
		{`{"content":[{"type":"resource_link","uri":"u1","name":"n1","description":"d1","mimeType":"m1"}]}`, `"m1"`, false},
		{`{"content":[{"type":"image","data":"aGVsbG8","mimeType":"image/png"}]}`, `"aGVsbG8"`, false},
		{`{"content":["hello"]}`, `"hello"`, false},
		{`{"content":"hello"}`, `"hello"`, false},
	} {
		s := said(t, resultOf(t, tt.result))
		if got := stated(t, s, parse(t, tt.value), from(t, "")); got != tt.want {
			t.Errorf("%s states %s: %t, want %t", tt.result, tt.value, got, tt.want)
		}
	}
}

func TestSources(t *testing.T) {
	x := toolcall.StringOf("x")
	other := constraint.Source{Server: "s", Tool: "other"}
	result := said(t, textResult("x"))
	for _, tt := range []struct {
		name    string
		session facts.Session
		sources []constraint.Source
		want    bool
	}{
		{"no source", result, nil, false},
		{"a source that says nothing", result, []constraint.Source{{}}, false},
		{"the tool", result, []constraint.Source{from(t, "")}, true},
		{"another tool", result, []constraint.Source{other}, false},
		{"one of two", result, []constraint.Source{other, request, from(t, "")}, true},
		{"a result is no turn", result, []constraint.Source{request}, false},
		{"a turn is no result", facts.Session{ID: "s1", Turns: []string{"x"}}, []constraint.Source{from(t, "")}, false},
		{"turns without a session", facts.Session{Turns: []string{"x"}}, []constraint.Source{request}, true},
		{"results without a session", facts.Session{Results: result.Results}, []constraint.Source{from(t, "")}, false},
		{"no session", facts.Session{}, []constraint.Source{request, from(t, "")}, false},
		{"across turns", facts.Session{Turns: []string{"x y", "z"}}, []constraint.Source{request}, true},
	} {
		if got := stated(t, tt.session, x, tt.sources...); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
	if stated(t, facts.Session{Turns: []string{"a b", "c d"}}, toolcall.StringOf("b c"), request) {
		t.Error("a value is put together from two turns")
	}
	long := strings.Repeat("a ", 1025)
	if stated(t, facts.Session{Turns: []string{long}}, toolcall.StringOf(long), request) {
		t.Error("a value of more than 1024 tokens is looked for")
	}
}

func TestAnotherKey(t *testing.T) {
	mine := observe(t, textResult(contactsYAML))
	other, _, err := facts.Observe([]byte(strings.Repeat("k", 32)), textResult(contactsYAML))
	if err != nil {
		t.Fatal(err)
	}
	hashes := func(ls []facts.Leaf) (hs []facts.Hash) {
		for _, l := range ls {
			hs = append(append(append(hs, l.Whole), l.Tokens...), l.Numbers...)
		}
		return hs
	}
	for _, h := range hashes(other) {
		if slices.Contains(hashes(mine), h) {
			t.Fatalf("hash %x does not depend on the key", h)
		}
	}
	if len(hashes(other)) < 40 {
		t.Errorf("only %d hashes: the check is not looking", len(hashes(other)))
	}
}

func TestShortKey(t *testing.T) {
	short := key[:31]
	if leaves, _, err := facts.Observe(short, textResult("x")); err == nil || leaves != nil {
		t.Errorf("Observe: %v, %v; want an error", leaves, err)
	}
	in := facts.Input{Key: short, Session: facts.Session{Turns: []string{"x"}}, Questions: []constraint.Question{
		{Key: "q", Stated: &constraint.StatedQuestion{Sources: []constraint.Source{request}, Value: toolcall.StringOf("x")}},
	}}
	if a, err := facts.Answer(t.Context(), in); err == nil || a.Stated["q"] {
		t.Errorf("Answer: %+v, %v; want an error", a, err)
	}
}

func TestObserveBounds(t *testing.T) {
	words := make([]string, 70_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	numbers := make([]toolcall.Value, 70_000)
	for i := range numbers {
		numbers[i] = parse(t, fmt.Sprint(i))
	}
	for _, tt := range []struct {
		name        string
		result      toolcall.Value
		first, last toolcall.Value
	}{
		{"tokens", textResult(strings.Join(words, " ")), toolcall.StringOf("w0"), toolcall.StringOf("w69999")},
		{"leaves", toolcall.ObjectOf(toolcall.Member{Name: "structuredContent", Value: toolcall.ArrayOf(numbers...)}), numbers[0], numbers[69_999]},
	} {
		leaves, cut, err := facts.Observe(key, tt.result)
		if err != nil || !cut {
			t.Fatalf("%s: cut %t, %v; want a cut", tt.name, cut, err)
		}
		if size := len(facts.EncodeLeaves(leaves)); size > 1<<20 {
			t.Errorf("%s: %d bytes kept", tt.name, size)
		}
		s := facts.Session{ID: "s1", Results: []facts.Result{{Server: "s", Tool: "t", Leaves: leaves}}}
		if !stated(t, s, tt.first, from(t, "")) || stated(t, s, tt.last, from(t, "")) {
			t.Errorf("%s: want the first stated and the last not", tt.name)
		}
	}
}

// TestObserveOnce keeps the same value, and the text that only repeats the
// structured content, once.
func TestObserveOnce(t *testing.T) {
	plain := observe(t, parse(t, `{"structuredContent":{"a":["x","y",7]}}`))
	twice := observe(t, parse(t, `{"structuredContent":{"a":["x","y",7,"x",7.0]},"content":[{"type":"text","text":"{\"a\": [\"x\",\"y\",7,\"x\",7.0]}"}]}`))
	if !reflect.DeepEqual(plain, twice) || len(plain) != 4 {
		t.Errorf("got %d leaves, want the %d of the plain result", len(twice), len(plain))
	}
}

func TestAnswerErrors(t *testing.T) {
	if a, err := facts.Answer(t.Context(), facts.Input{}); err != nil || len(a.Files)+len(a.Stated) != 0 {
		t.Errorf("no question: %+v, %v", a, err)
	}
	file := constraint.Question{Key: "f", File: &constraint.FileQuestion{Text: "x"}}
	for name, in := range map[string]facts.Input{
		"asks nothing": {Questions: []constraint.Question{{Key: "q"}}},
		"relative cwd": {Questions: []constraint.Question{file}, Cwd: "here"},
	} {
		if a, err := facts.Answer(t.Context(), in); err == nil || a.Files != nil {
			t.Errorf("%s: %+v, %v; want an error", name, a, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := facts.Answer(ctx, facts.Input{Questions: []constraint.Question{file}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAnswerFiles(t *testing.T) {
	dir := t.TempDir()
	places, err := facts.ResolvePlaces(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text, base, cwd string
		places          constraint.Places
		want            string // "" = left out
	}{
		{"x", "", dir, places, places.Workspace + "/x"},
		{"x", "", "", places, ""},
		{dir + "/x", "", "", places, places.Workspace + "/x"},
		{"x", "${workspace}/sub", "/", places, places.Workspace + "/sub/x"},
		{"x", "${workspace}", dir, constraint.Places{}, ""},
		{dir + "/x", "${workspace}", "", constraint.Places{}, places.Workspace + "/x"},
		{"${workspace}/x", "", dir, places, places.Workspace + "/${workspace}/x"},
	} {
		a, err := facts.Answer(t.Context(), facts.Input{
			Questions: []constraint.Question{{Key: "f", File: &constraint.FileQuestion{Text: tt.text, Base: tt.base}}},
			Cwd:       tt.cwd,
			Places:    tt.places,
		})
		f, ok := a.Files["f"]
		if err != nil || f.Path != tt.want || ok != (tt.want != "") || a.Places != tt.places {
			t.Errorf("%q from %q, cwd %q: %+v, %v; want %q", tt.text, tt.base, tt.cwd, a, err, tt.want)
		}
	}
}

func TestLeavesRoundTrip(t *testing.T) {
	for _, text := range []string{"", "hello, 5 worlds", contactsYAML} {
		leaves := observe(t, textResult(text))
		got, err := facts.DecodeLeaves(facts.EncodeLeaves(leaves))
		if err != nil || len(got) != len(leaves) || len(leaves) > 0 && !reflect.DeepEqual(got, leaves) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, leaves)
		}
	}
}

func TestDecodeLeavesRefuses(t *testing.T) {
	good := string(facts.EncodeLeaves(observe(t, textResult("one 2"))))
	for name, text := range map[string]string{
		"nothing":           "",
		"another version":   "\x02" + good[1:],
		"no count":          good[:1],
		"cut":               good[:len(good)-1],
		"one more":          good + "\x00",
		"too many":          "\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"overflow":          "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"long form":         "\x01\x80\x00",
		"more tokens":       "\x01\x01" + strings.Repeat("p", 16) + "\x01\x00",
		"cut inside a leaf": "\x01\x01" + strings.Repeat("p", 17),
	} {
		if leaves, err := facts.DecodeLeaves([]byte(text)); err == nil || leaves != nil {
			t.Errorf("%s: %v, %v; want an error", name, leaves, err)
		}
	}
	if leaves, err := facts.DecodeLeaves([]byte("\x01\x00")); err != nil || len(leaves) != 0 {
		t.Errorf("no leaves: %v, %v", leaves, err)
	}
}

// scalars draws texts and numbers; names and documents draw what holds them.
var (
	scalars = rapid.OneOf(
		rapid.Map(rapid.String(), toolcall.StringOf),
		rapid.Map(rapid.StringOf(rapid.RuneFrom([]rune("ab1, .'@"))), toolcall.StringOf),
		rapid.Map(rapid.Int64(), func(n int64) toolcall.Value {
			d, err := toolcall.ParseDecimal(fmt.Sprint(n))
			if err != nil {
				panic(err)
			}
			return toolcall.NumberOf(d)
		}),
	)
	names = rapid.StringOf(rapid.RuneFrom([]rune("ab.[]\" ")))
)

func documents() *rapid.Generator[toolcall.Value] {
	return rapid.Custom(func(t *rapid.T) toolcall.Value {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return toolcall.ArrayOf(rapid.SliceOfN(rapid.Deferred(documents), 0, 3).Draw(t, "elements")...)
		case 1:
			var members []toolcall.Member
			for name, v := range rapid.MapOfN(names, rapid.Deferred(documents), 0, 3).Draw(t, "members") {
				members = append(members, toolcall.Member{Name: name, Value: v})
			}
			return toolcall.ObjectOf(members...)
		}
		return scalars.Draw(t, "scalar")
	})
}

// leavesOf calls f with every scalar in v and the path of where it stands.
func leavesOf(v toolcall.Value, path string, f func(path string, v toolcall.Value)) {
	switch v.Kind() {
	case toolcall.Array:
		for i := range v.Len() {
			leavesOf(v.Elem(i), path+"[]", f)
		}
	case toolcall.Object:
		for i := range v.Len() {
			name, member := v.Member(i)
			leavesOf(member, path+"["+toolcall.StringOf(name).Canonical()+"]", f)
		}
	default:
		f(path, v)
	}
}

// TestObservedIsStated: what stands at a path of a result, structured or as one
// JSON text, is stated there and in the result as a whole, unless it is empty.
func TestObservedIsStated(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := toolcall.ArrayOf(documents().Draw(rt, "document"))
		structured := said(t, toolcall.ObjectOf(toolcall.Member{Name: "structuredContent", Value: doc}))
		text := said(t, textResult(doc.Canonical()))
		if !reflect.DeepEqual(structured, text) {
			rt.Fatalf("%s: read in two ways", doc.Canonical())
		}
		leavesOf(doc, "", func(path string, v toolcall.Value) {
			empty := v.Kind() == toolcall.String && !stated(t, facts.Session{Turns: []string{v.Text()}}, v, request)
			for _, source := range []constraint.Source{from(t, path), from(t, "")} {
				if got := stated(t, structured, v, source); got == empty {
					rt.Errorf("%s at %q in %s: stated %t", v.Canonical(), path, doc.Canonical(), got)
				}
			}
		})
	})
}

// TestMoreTextStatesMore: adding turns and results never takes a statement away.
func TestMoreTextStatesMore(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := scalars.Draw(rt, "value")
		text := rapid.String().Draw(rt, "text") + " " + v.Text() + " 5"
		more := rapid.String().Draw(rt, "more")
		a := facts.Session{ID: "s1", Turns: []string{text}, Results: said(t, textResult(text)).Results}
		b := a
		b.Turns = []string{more, text + " " + more}
		b.Results = append(said(t, textResult(more)).Results, a.Results...)
		for _, source := range []constraint.Source{request, from(t, ""), from(t, "a")} {
			if stated(t, a, v, source) && !stated(t, b, v, source) {
				rt.Errorf("%s is no longer stated in %q after adding %q", v.Canonical(), text, more)
			}
		}
	})
}

// TestPartOfATokenIsNotStated: a word inside a longer one is not stated.
func TestPartOfATokenIsNotStated(t *testing.T) {
	word := rapid.StringMatching(`[a-z0-9][a-z0-9.@/-]{0,8}[a-z0-9]`)
	rapid.Check(t, func(rt *rapid.T) {
		v := word.Draw(rt, "word")
		before := rapid.StringMatching(`[a-z0-9.@/-]{1,3}|[a-z]'`).Draw(rt, "before")
		after := rapid.StringMatching(`([.@/-]?[a-z0-9]{1,3})`).Draw(rt, "after")
		for _, longer := range []string{before + v, v + after, before + v + after} {
			if stated(t, facts.Session{Turns: []string{"see " + longer + " there"}}, toolcall.StringOf(v), request) {
				rt.Errorf("%q is stated in %q", v, longer)
			}
		}
	})
}

// FuzzObserve states that what is kept of any text survives the store, holds no
// more than the bound, and reads the same a second time.
func FuzzObserve(f *testing.F) {
	for _, tt := range pathTable {
		f.Add(tt.result)
	}
	for _, tt := range textTable {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		leaves, _, err := facts.Observe(key, textResult(text))
		if err != nil {
			t.Fatal(err)
		}
		b := facts.EncodeLeaves(leaves)
		if len(b) > 1<<20 {
			t.Fatalf("%d bytes kept", len(b))
		}
		back, err := facts.DecodeLeaves(b)
		if err != nil || len(leaves) > 0 && !reflect.DeepEqual(back, leaves) {
			t.Fatalf("%v came back as %v, %v", leaves, back, err)
		}
		again, _, err := facts.Observe(key, textResult(text))
		if err != nil || !reflect.DeepEqual(again, leaves) {
			t.Fatalf("read again: %v, %v; want %v", again, err, leaves)
		}
	})
}

// FuzzDecodeLeaves states that every accepted text is the encoding of its leaves.
func FuzzDecodeLeaves(f *testing.F) {
	for _, text := range []string{"", "hello, 5 worlds", contactsYAML} {
		f.Add(facts.EncodeLeaves(observe(f, textResult(text))))
	}
	f.Add([]byte("\x01\x80\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		leaves, err := facts.DecodeLeaves(b)
		if err != nil {
			return
		}
		if got := facts.EncodeLeaves(leaves); string(got) != string(b) {
			t.Fatalf("%x encodes as %x", b, got)
		}
	})
}
