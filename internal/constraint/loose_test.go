package constraint

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestLooseASCII holds what is settled at a glance against what the tables of
// Unicode and folding say.
func TestLooseASCII(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: unicode.MaxASCII, Stride: 1}}})).Draw(t, "text")
		want := strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.White_Space) {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
		if got := loose(s); got != want {
			t.Fatalf("loose(%q) = %q, want %q", s, got, want)
		}
	})
}
