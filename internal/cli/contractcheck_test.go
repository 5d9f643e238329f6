package cli

import (
	"strings"
	"testing"
)

func TestPointAt(t *testing.T) {
	for _, tt := range []struct {
		line   string
		column int
		want   string
	}{
		{"name: x y", 7, "  name: x y\n        ^\n"},
		{"a", 1, "  a\n  ^\n"},
		{"\tü: x\r", 4, "   ü: x\n     ^\n"},
		{"a\u202eb", 3, "  a<U+202E>b\n           ^\n"},
		{"", 9, "  \n  ^\n"},
		{"0123456789abcdefghijklmnopqrstuvwxyz", 19, "  89abcdefghijklmnopqr\n            ^\n"}, // from both sides
		{"0123456789abcdefghijklmnopqrstuvwxyz", 36, "  ghijklmnopqrstuvwxyz\n                     ^\n"},
	} {
		if got := pointAt(tt.line, tt.column, 20); got != tt.want {
			t.Errorf("pointAt(%q, %d) = %q, want %q", tt.line, tt.column, got, tt.want)
		}
	}
}

func TestShortWords(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for text, want := range map[string]string{
		`unknown word "agentz"`:            `unknown word "agentz"`,
		`unknown word "` + long + `" in a`: `unknown word "` + long[:78] + `…" in a`,
		long:                               long,
	} {
		if got := shortWords(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is wrong everywhere in a file does not fill the screen.
func TestPrintChecked(t *testing.T) {
	var out strings.Builder
	a := &app{out: &out}
	c := checked{File: "licet.yaml", Problems: make([]problemJSON, maxProblems+7)}
	a.printChecked(c)
	if n := strings.Count(out.String(), "\n"); n != maxProblems+1 || !strings.HasSuffix(out.String(), "licet.yaml: and 7 more\n") {
		t.Errorf("%d lines, ending %q", n, out.String()[out.Len()-30:])
	}
	out.Reset()
	a.printChecked(checked{File: "licet.yaml", OK: true, Name: "shop", Warnings: []warningJSON{{Code: "shadowed"}}})
	if !strings.HasPrefix(out.String(), "licet.yaml: shop loads, 1 warning\n") {
		t.Errorf("%q", out.String())
	}
}
