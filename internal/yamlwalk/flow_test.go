package yamlwalk

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

func TestFlow(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a: 1.50\nb: [x, true, null]\n", `{"a": 1.50, "b": ["x", true, null]}`},
		{"a: |\n  two\n  lines\n", `{"a": "two\u000Alines\u000A"}`},
		{`a: "\u200B\t\"\\\U000E0001"`, `{"a": "\u200B\u0009\"\\\U000E0001"}`},
		{"a: {}\nb: []\nc: ''\n", `{"a": {}, "b": [], "c": ""}`},
		{strings.Repeat("k", 101) + ": 1", `{? "` + strings.Repeat("k", 101) + `": 1}`},
		{"a:\n", `{"a": null}`},
		{"\"no\": '010'", `{"no": "010"}`},
	} {
		root, problems := parse([]byte(tt.text))
		if len(problems) > 0 {
			t.Errorf("%q: %v", tt.text, problems)
			continue
		}
		if got := string(root.Flow()); got != tt.want {
			t.Errorf("%q is written %s, want %s", tt.text, got, tt.want)
		}
	}
}

// same reports whether two trees say the same, where a value left empty is
// null.
func same(a, b *Node) bool {
	orNull := func(k toolcall.Kind) toolcall.Kind { return max(k, toolcall.Null) }
	if orNull(a.Kind) != orNull(b.Kind) || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	if a.Kind > toolcall.Null && a.Text != b.Text {
		return false
	}
	for i := range a.Items {
		if !same(a.Items[i], b.Items[i]) {
			return false
		}
	}
	for i := range a.Members {
		if a.Members[i].Key.Text != b.Members[i].Key.Text || !same(a.Members[i].Value, b.Members[i].Value) {
			return false
		}
	}
	return true
}

// FuzzParse checks that any text is either refused with places that lie in it,
// or read as a tree that is read the same once more from its own Flow.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"a: 1", "- x\n- {y: z}", "a: |\n  b\n", "a: &b c", "a: *b", "? long\n: x", "no: yes", "a: 010", "{a: 1, a: 2}", "a:\n b:\n", "\"\\U0001F600\": '\U0001F600'",
		"a: \"\\u2028\"", "- - - 1", "%YAML 1.2\n---\na: b", "--- a\n--- b", "a: !!str 1", "<<: {a: b}", strings.Repeat("[", 70), "\xff", "a: >-\n  x\n\n  y\n", "? [a]\n: b",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, problems := parse(text)
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Fatalf("a problem without a place: %+v", p)
			}
		}
		if root == nil && len(problems) == 0 {
			t.Fatal("read as nothing, and no problem is reported")
		}
		if len(problems) > 0 {
			return
		}
		again, problems := parse(root.Flow())
		if len(problems) > 0 || !same(root, again) {
			t.Fatalf("%q is written %s: %v", text, root.Flow(), problems)
		}
	})
}

// A hint must never propose what was written.
func TestDidYouMean(t *testing.T) {
	for _, tt := range []struct{ word, want string }{{"alow", `did you mean "allow"?`}, {"zzz", ""}} {
		if got := DidYouMean(tt.word, []string{"allow", "never"}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := fmt.Sprint(OneOf(nil), OneOf([]string{"a"}), OneOf([]string{"a", "b", "c"})); got != "aa, b or c" {
		t.Errorf("lists: %q", got)
	}
}

// Every text comes back from YAML as it was.
func TestText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_./#:\[\]{}' "-]{0,6}`)).Draw(rt, "text")
		want = strings.ToValidUTF8(want, "?")
		var got map[string]string
		if err := yaml.Load([]byte(Text(want)+": "+Quoted(want)+"\n"), &got); err != nil {
			rt.Fatalf("%q: %v", want, err)
		}
		if got[want] != want {
			rt.Fatalf("%q became %q", want, got)
		}
	})
}
