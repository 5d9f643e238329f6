package toolcall_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// paths are good paths; text is empty where String gives the path itself.
var paths = []struct{ path, text string }{
	{"amount", ""},
	{"a.b-c.d_e.0", ""},
	{"items[].price", ""},
	{"[].email", ""},
	{"[]", ""},
	{"[][]", ""},
	{"rows[][]", ""},
	{`["a.b"].c`, ""},
	{`a["b c"][]["$d"]`, ""},
	{`["\"]"]`, ""},
	{`["\\"].x`, ""},
	{`[""]`, ""},
	{`["é"]`, ""},
	{`["\u0001"]`, ""},
	{`["a"]["b"]`, "a.b"},
	{`["\u0061\/"]`, `["a/"]`},
}

func TestPathString(t *testing.T) {
	for _, c := range paths {
		want := c.text
		if want == "" {
			want = c.path
		}
		p, err := toolcall.ParsePath(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		} else if p.String() != want || p.Empty() {
			t.Errorf("%s is written %s, want %s", c.path, p, want)
		}
	}
}

// badPaths are refused, with the byte where reading stopped.
var badPaths = map[string]string{
	"":           "empty",
	".":          "byte 0",
	".a":         "byte 0",
	"a.":         "byte 1",
	"a..b":       "byte 1",
	"a b":        "byte 1",
	"$session":   "byte 0",
	"é":          "byte 0",
	"a[0]":       "byte 1",
	"a[":         "byte 1",
	"a[].":       "byte 3",
	"a[]b":       "byte 3",
	"a]":         "byte 1",
	`["a"`:       "byte 0",
	`["a]`:       "byte 0",
	`["a\"]`:     "byte 0",
	`["a\`:       "byte 0",
	`["`:         "byte 0",
	`["\ud800"]`: "surrogate",
	`["\x"]`:     "escape",
	"[\"\xff\"]": "UTF-8",
	`["a"]b`:     "byte 5",
	"['a']":      "byte 0",
}

func TestParsePathRefuses(t *testing.T) {
	for path, want := range badPaths {
		p, err := toolcall.ParsePath(path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", path, err, want)
		}
		if !p.Empty() {
			t.Errorf("%q: refused, but left %s", path, p)
		}
	}
}

func TestSelect(t *testing.T) {
	const doc = `{
		"amount": 5, "none": null, "text": "t", "empty": [],
		"items": [{"price": 1}, {"price": 2.5}],
		"mixed": [{"price": 1}, {}, {"price": null}, 7, null],
		"rows": [[1, 2], [], 3],
		"a.b": {"c": true}}`
	for _, c := range []struct {
		path    string
		values  string // canonical
		missing int
		wrong   int
	}{
		{"amount", `[5]`, 0, 0},
		{"gone", `[]`, 1, 0},
		{"gone.deeper[]", `[]`, 1, 0},
		{"none", `[]`, 1, 0},
		{"none.deeper", `[]`, 1, 0},
		{"items", `[[{"price":1},{"price":2.5}]]`, 0, 0},
		{"items[].price", `[1,2.5]`, 0, 0},
		{"items[].gone", `[]`, 2, 0},
		{"items.price", `[]`, 0, 1},
		{"empty", `[[]]`, 0, 0},
		{"empty[]", `[]`, 1, 0},
		{"empty[].price", `[]`, 1, 0},
		{"mixed[].price", `[1]`, 3, 1},
		{"mixed[]", `[{"price":1},{},{"price":null},7]`, 1, 0},
		{"rows[][]", `[1,2]`, 1, 1},
		{"amount[]", `[]`, 0, 1},
		{"text.length", `[]`, 0, 1},
		{"text[]", `[]`, 0, 1},
		{`["a.b"].c`, `[true]`, 0, 0},
		{"a.b.c", `[]`, 1, 0},
		{"[].x", `[]`, 0, 1},
	} {
		p, err := toolcall.ParsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		s := p.Select(parse(t, doc))
		if got := toolcall.ArrayOf(s.Values...).Canonical(); got != c.values || s.Missing != c.missing || s.Wrong != c.wrong {
			t.Errorf("%s: %s, %d missing, %d wrong; want %s, %d, %d",
				c.path, got, s.Missing, s.Wrong, c.values, c.missing, c.wrong)
		}
	}
}

func TestZeroPath(t *testing.T) {
	var p toolcall.Path
	if !p.Empty() || p.String() != "" {
		t.Errorf("the zero Path is %q", p)
	}
	if s := p.Select(parse(t, `7`)); len(s.Values) != 1 || s.Values[0].Canonical() != "7" {
		t.Errorf("the zero Path selects %+v", s)
	}
	if s := p.Select(toolcall.Value{}); len(s.Values) != 0 || s.Missing != 1 {
		t.Errorf("the zero Path selects %+v of an absent value", s)
	}
}

// Two paths made from one must not share their last step.
func TestPathMember(t *testing.T) {
	base := toolcall.Path{}.Member("a").Member("b")
	x, y := base.Member("x.1"), base.Member("y")
	if x.String() != `a.b["x.1"]` || y.String() != "a.b.y" || base.String() != "a.b" {
		t.Errorf("paths %s, %s of %s", x, y, base)
	}
	steps := y.Steps()
	steps[0].Name = "changed"
	if len(steps) != 3 || y.String() != "a.b.y" {
		t.Errorf("Steps gave away the steps of %s", y)
	}
}

// FuzzPath: a path that is read is written as a path that reads the same, and
// finds each place of a document once.
func FuzzPath(f *testing.F) {
	for _, c := range paths {
		f.Add(c.path)
	}
	for path := range badPaths {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := toolcall.ParsePath(s)
		if err != nil {
			if !p.Empty() {
				t.Fatalf("%q: refused, but left %s", s, p)
			}
			return
		}
		q, err := toolcall.ParsePath(p.String())
		if err != nil || q.String() != p.String() || len(q.Steps()) != len(p.Steps()) {
			t.Fatalf("%q is written %q, which reads as %q: %v", s, p, q, err)
		}
		v := build(p.Steps())
		if got := p.Select(v); len(got.Values) != 1 || got.Missing != 0 || got.Wrong != 0 || !got.Values[0].Bool() {
			t.Fatalf("%q finds %+v in %s", s, got, v.Canonical())
		}
	})
}

// build returns a value that has true at the path of steps and nothing else.
func build(steps []toolcall.Step) toolcall.Value {
	switch {
	case len(steps) == 0:
		return toolcall.Boolean(true)
	case steps[0].Elements:
		return toolcall.ArrayOf(build(steps[1:]))
	default:
		return toolcall.ObjectOf(toolcall.Member{Name: steps[0].Name, Value: build(steps[1:])})
	}
}
