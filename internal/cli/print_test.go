package cli

import (
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

func TestWrap(t *testing.T) {
	if got, want := wrap("one two three four", 9, "  "), "one two\n  three\n  four"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := wrap("a-word-longer-than-the-line b", 5, ""); got != "a-word-longer-than-the-line\nb" {
		t.Errorf("%q", got)
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"ab  cd":                    "ab  cd",
		"ab  cd ef":                 "ab  cd\n  ef",
		"\x1b[1;31mab\x1b[0m cd ef": "\x1b[1;31mab\x1b[0m cd\n  ef", // colours take no room
		"":                          "",
		"abcdefghijk":               "abcdefghijk",
	} {
		if got := fold(text, 2, 8, "  "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
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
		5 * time.Second: "5s ago", 61 * time.Minute: "1h01m ago", 72 * time.Hour: "3d ago", -90 * time.Second: "in 2m",
		-15*time.Minute + time.Millisecond: "in 15m", -59*time.Minute - 30*time.Second: "in 1h00m", -59500 * time.Millisecond: "in 1m",
		-48*time.Hour + time.Second: "in 2d", 0: "0s ago",
	} {
		if got := ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
