package yamlwalk

import (
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// wants runs a check on what stands beside k, and compares the problems.
func wants(t *testing.T, text, want string, check func(*Reader, *Node)) {
	t.Helper()
	r := Reader{File: "f", What: "list"}
	root := r.Parse([]byte("k: " + text + "\n"))
	if len(r.Problems) > 0 {
		t.Fatal(r.Problems)
	}
	check(&r, root.Get("k"))
	if got := r.Problems.Sorted().Error(); got != want {
		t.Errorf("%s: %q, want %q", text, got, want)
	}
}

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		text string
		want time.Duration
		why  string
	}{
		{"90s", 90 * time.Second, ""}, {"15m", 15 * time.Minute, ""}, {"1h", time.Hour, ""}, {"2d", 48 * time.Hour, ""}, {"1w", 7 * 24 * time.Hour, ""},
		{"3653d", 3653 * 24 * time.Hour, ""}, {"3654d", 0, "f:1:4: a duration of more than ten years: 3654d"},
		{"999999999w", 0, "f:1:4: a duration of more than ten years: 999999999w"},
		{"0s", 0, `f:1:4: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "0s"`},
		{"15", 0, `f:1:4: expected a duration such as 90s, 15m, 1h, 1d or 1w, found 15`},
		{"1h30m", 0, `f:1:4: expected a duration such as 90s, 15m, 1h, 1d or 1w, found "1h30m"`},
		{"[]", 0, `f:1:4: expected a duration such as 90s, 15m, 1h, 1d or 1w, found a list`},
	} {
		wants(t, tt.text, tt.why, func(r *Reader, n *Node) {
			if got := r.Duration(n); got != tt.want {
				t.Errorf("%s is %v, want %v", tt.text, got, tt.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
		why  string
	}{
		{"1", 1, ""}, {"10", 10, ""}, {"1.0", 1, ""},
		{"0", 0, "f:1:4: expected a whole number from 1 to 10, found 0"},
		{"11", 0, "f:1:4: expected a whole number from 1 to 10, found 11"},
		{"1.5", 0, "f:1:4: expected a whole number from 1 to 10, found 1.5"},
		{"-1", 0, "f:1:4: expected a whole number from 1 to 10, found -1"},
		{"99999999999999999999", 0, "f:1:4: expected a whole number from 1 to 10, found 99999999999999999999"},
		{`"1"`, 0, `f:1:4: expected a count, found "1"`},
	} {
		wants(t, tt.text, tt.why, func(r *Reader, n *Node) {
			if got := r.Count(n, "a count", 10); got != tt.want {
				t.Errorf("%s is %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	w := Words{Place: "a thing", Known: []string{"size", "color"}, Later: []string{"taste"}}
	for text, want := range map[string]string{
		"{size: 1, color: red}": "",
		"{sise: 1}":             `f:1:5: unknown word "sise" in a thing: expected size or color; did you mean "size"?`,
		"{size: 1, taste: 2}":   `f:1:14: "taste" is not in this version of licet`,
		"{color: 1}":            `f:1:4: a thing needs "size"`,
		"[size]":                "f:1:4: expected a thing as a mapping, found a list",
		"true":                  "f:1:4: expected a thing as a mapping, found true",
		"null":                  "f:1:4: expected a thing as a mapping, found null",
		"":                      "f:1:3: expected a thing as a mapping, found nothing",
	} {
		wants(t, text, want, func(r *Reader, n *Node) {
			if r.Mapping(n, w) {
				if missing := r.Need(n, "size", w); missing.Kind == toolcall.Absent {
					r.Report(missing, "", "said twice") // a broken node is never reported again
				}
			}
		})
	}
}

func TestLists(t *testing.T) {
	for text, want := range map[string]string{
		"[b, a]":                             "",
		"[]":                                 `f:1:4: an empty list; remove "k" or add an entry`,
		"[a, a]":                             `f:1:4: "a" stands in the list twice`,
		"[a, b c]":                           `f:1:8: "b c" is no name of a thing; use up to 100 letters, digits, _ and -`,
		"[1]":                                "f:1:5: expected the name of a thing, found 1; quote it",
		"[a, {}]":                            "f:1:8: expected the name of a thing, found a mapping",
		"[" + strings.Repeat("n", 101) + "]": `f:1:5: "` + strings.Repeat("n", 101) + `" is no name of a thing; use up to 100 letters, digits, _ and -`,
	} {
		wants(t, text, want, func(r *Reader, n *Node) {
			var names []string
			for _, item := range r.Elements(n, "k") {
				names = append(names, r.Name(item, "name of a thing"))
			}
			r.Distinct(n, names)
		})
	}
}

func TestValue(t *testing.T) {
	for text, want := range map[string]string{
		"{b: [1.50, true, null, x], a: {}}": `{"a":{},"b":[1.5,true,null,"x"]}`,
		"9007199254740993":                  "9007199254740993",
	} {
		wants(t, text, "", func(r *Reader, n *Node) {
			if v, ok := r.Value(n); !ok || v.Canonical() != want {
				t.Errorf("%s is %s, %v", text, v.Canonical(), ok)
			}
		})
	}
	for _, text := range []string{"[a, ]", "{a: }", ""} {
		r := Reader{File: "f"}
		root := r.Parse([]byte("- " + text + "\n- {x: }\n"))
		if _, ok := r.Value(root); ok || len(r.Problems) == 0 {
			t.Errorf("%q has a value, problems %v", text, r.Problems)
		}
	}
	wants(t, strings.Repeat("1", 500), "f:1:4: number has more than 400 digits written out", func(r *Reader, n *Node) { r.Decimal(n) })
}
