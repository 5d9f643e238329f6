package cli

import (
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, ünïcödé 漢字": "plain text, ünïcödé 漢字",
		"a\x1b[2Jb":              "a<U+001B>[2Jb",
		"line\nbreak\ttab":       "line<U+000A>break<U+0009>tab",
		"a\u202eb":               "a<U+202E>b", // right-to-left override
		"a\u200bb\ufeffc":        "a<U+200B>b<U+FEFF>c",
		"a\ufe0fb\U000e0101c":    "a<U+FE0F>b<U+E0101>c", // variation selectors
		"a\u3164b\u115fc":        "a<U+3164>b<U+115F>c",  // Hangul fillers
		"a\U000e0041b":           "a<U+E0041>b",          // tag characters
	} {
		if got := printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("one two three four", 9, "  "), "one two\n  three\n  four"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := wrap("a-word-longer-than-the-line b", 5, ""); got != "a-word-longer-than-the-line\nb" {
		t.Errorf("%q", got)
	}
}

func TestStyle(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want string
	}{
		"no terminal":           {nil, "BLOCK"},
		"forced":                {map[string]string{"CLICOLOR_FORCE": "1"}, "\x1b[1;31mBLOCK\x1b[0m"},
		"NO_COLOR has its word": {map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, "BLOCK"},
	} {
		a := &app{env: tt.env}
		if got := a.style().verdict(authz.Block); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		5 * time.Second: "5s ago", 61 * time.Minute: "1h01m ago", 72 * time.Hour: "3d ago", -90 * time.Second: "in 1m",
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
