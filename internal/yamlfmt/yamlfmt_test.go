package yamlfmt_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/yamlfmt"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// layout puts name first, and keeps what lies below `rules` out of one line.
func layout(path []string) (block bool, order []string) {
	return len(path) < 3 && (len(path) == 0 || path[0] == "rules"), []string{"name"}
}

func format(text string) (string, error) {
	out, err := yamlfmt.Format("f", "text", []byte(text), layout)
	return string(out), err
}

// pairs are texts with their layout.
var pairs = []struct{ name, text, want string }{
	{"nothing", "{}\n", "{}\n"},
	{"nothing but comments", "# a\n{} # b\n", "# a\n# b\n{}\n"},
	{"order", "b: 1\nname: x\na: 2\n", "name: x\nb: 1\na: 2\n"},
	{"short and long", "a:\n    b: 1\n    c: [x]\nd: [" + strings.Repeat("x, ", 40) + "x]\n",
		"a: {b: 1, c: [x]}\nd:\n" + strings.Repeat("  - x\n", 41)},
	{"kept out of one line", "rules: {a: [{b: 1}, {}]}\n", "rules:\n  a:\n    - {b: 1}\n    - {}\n"},
	{"quotes stay", "a: 'it''s'\nb: \"\\u00e9\"\n'c': d\n", "a: 'it''s'\nb: \"\\u00e9\"\n'c': d\n"},
	{"quotes where brackets need them", "a:\n  b[]: x, y\n", "a: {\"b[]\": \"x, y\"}\n"},
	{"text of several lines", "a: \"one\n  two\"\nb: one\n  two\n", "a: \"one two\"\nb: \"one two\"\n"},
	{"block texts", "a:\n   - |\n     x # y\n       z\n   - >-\n     p\n     q\n",
		"a:\n  - |\n    x # y\n      z\n  - >-\n    p\n    q\n"},
	{"block texts with marks", "a: |2\n    x\nb: |+\n  y\n\n", "a: \"  x\\u000A\"\nb: \"y\\u000A\\u000A\"\n"},
	{"values left empty", "a:\nb:\n  -\n  - c\n", "a:\nb:\n  -\n  - c\n"},
	{"empty lines", "\n\na: 1\n\n\n\nb: 2\nc: 3\n\n", "a: 1\n\nb: 2\nc: 3\n"},
	{"line breaks of other systems", "a: 1 # x\r\nb: 2\r\n", "a: 1  # x\nb: 2\n"},
	{"document marks", "--- # x\na: 1\n...\n", "# x\na: 1\n"},

	{"comment above", "a: 1\n# c\nb: 2\n", "a: 1\n# c\nb: 2\n"},
	{"comment beside", "a: 1 # c\nb: {c: d}   # e\nf: # g\n  h: 1 # i\n  j: 2\n", "a: 1  # c\nb: {c: d}  # e\nf:  # g\n  h: 1  # i\n  j: 2\n"},
	{"comment below", "a:\n  b: 1\n  # was: c\nd: 1\n", "a:\n  b: 1\n  # was: c\nd: 1\n"},
	{"comment below an item", "rules:\n  - a: 1\n    # was: b\n  - c: 1\n", "rules:\n  - a: 1\n    # was: b\n  - c: 1\n"},
	{"comment at the end", "a:\n  b: 1\n# end\n", "a: {b: 1}\n# end\n"},
	{"comment in brackets", "a: [x, # c\n  v,\n  # d\n  z\n  # e\n  ]\n", "a:\n  - x  # c\n  - v\n  # d\n  - z\n  # e\n"},
	{"comment after a dash", "rules:\n  - # c\n    a: 1\n", "rules:\n  # c\n  - a: 1\n"},
	{"comments that move", "b: 1 # one\n# above\nname: x # beside\n", "# above\nname: x  # beside\nb: 1  # one\n"},
	{"comments at the top stay", "# of all\n\n# of b\nb: 1\nname: x\n", "# of all\n\nname: x\n# of b\nb: 1\n"},
	{"two beside one", "a: # x\n  {b: 1} # y\n", "# x\na: {b: 1}  # y\n"},
	{"no comment", "a: x#y\nb: 'x # y'\nc: \"\\\" # y\"\n", "a: x#y\nb: 'x # y'\nc: \"\\\" # y\"\n"},
}

func TestFormat(t *testing.T) {
	for _, tt := range pairs {
		got, err := format(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
		if again, err := format(got); err != nil || again != got {
			t.Errorf("%s, formatted again: %v\n%s\nwas\n%s", tt.name, err, again, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "f:1:1: the text is empty",
		"a: no\n":          "f:1:4: YAML versions read no differently; quote it if it is text, or write it as JSON does",
		"- a\n":            "f:1:1: expected a text as a mapping, found a list",
		"a: &x b\nc: *x\n": "f:1:4: an anchor (&x); remove it\nf:2:4: an alias (*x); write the value out",
	} {
		if got, err := format(text); got != "" || err == nil || err.Error() != want {
			t.Errorf("%q gives %q, %v", text, got, err)
		}
	}
}

// TestCommentsAnywhere puts comments and empty lines into a text wherever they
// change nothing, and checks that they are all still there.
func TestCommentsAnywhere(t *testing.T) {
	raw, err := os.ReadFile("testdata/long.yaml")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var comments []string
		remark := func(indent string) string {
			c := "# " + rapid.StringMatching(`[a-z:#'"{-]{1,8}`).Draw(t, "comment")
			comments = append(comments, c)
			return indent + c
		}
		for _, line := range lines {
			switch rapid.IntRange(0, 9).Draw(t, "before") {
			case 0:
				text.WriteString("\n")
			case 1, 2:
				text.WriteString(remark(rapid.SampledFrom([]string{"", "  ", "    ", "        ", "            "}).Draw(t, "indent")) + "\n")
			}
			if text.WriteString(line); rapid.IntRange(0, 4).Draw(t, "beside") == 0 {
				text.WriteString(remark(" "))
			}
			text.WriteString("\n")
		}
		checkFormat(t, text.String(), comments)
	})
}

// checkFormat checks that the layout of a text says the same with the same
// comments, and is its own layout.
func checkFormat(t rapid.TB, text string, comments []string) {
	got, err := format(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if meaning(t, got) != meaning(t, text) {
		t.Errorf("\n%s\nsays something else than\n%s", got, text)
	}
	for _, c := range comments {
		if strings.Count(got, c) < strings.Count(strings.Join(comments, "\n"), c) {
			t.Errorf("%s is gone from\n%s\nwas\n%s", c, got, text)
		}
	}
	if again, err := format(got); err != nil || again != got {
		t.Errorf("formatted again: %v\n%s\nwas\n%s\nof\n%s", err, again, got, text)
	}
}

func meaning(t rapid.TB, text string) string {
	r := yamlwalk.Reader{File: "f", What: "text"}
	root := r.Parse([]byte(text))
	if root == nil || len(r.Problems) > 0 {
		t.Fatalf("%v\n%s", r.Problems, text)
	}
	v, _ := r.Value(root)
	return v.Canonical()
}

// FuzzFormat checks that any text is refused, or says the same in a layout that
// is its own.
func FuzzFormat(f *testing.F) {
	for _, tt := range pairs {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := format(text)
		if err != nil {
			if got != "" {
				t.Errorf("refused with %v, and a text", err)
			}
			return
		}
		if meaning(t, got) != meaning(t, text) {
			t.Errorf("%q says something else than %q", got, text)
		}
		again, err := format(got)
		if problems := (yamlwalk.Problems)(nil); errors.As(err, &problems) || err == nil && again != got {
			t.Errorf("%q is laid out as %q, then %q: %v", text, got, again, err)
		}
	})
}

func TestLong(t *testing.T) {
	raw, err := os.ReadFile("testdata/long.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := format(string(raw)); err != nil || slices.Equal([]byte(got), raw) {
		t.Errorf("%v: the text for TestCommentsAnywhere should not be in its layout already", err)
	}
}
