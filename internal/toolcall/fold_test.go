package toolcall_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/licet-dev/licet/internal/toolcall"
)

func TestFoldEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"method", "method", true},
		{"method", "Method", true},
		{"params", "param\u017f", true}, // long s
		{"task", "tas\u212a", true},     // Kelvin sign
		{"id", "\u0131d", true},         // dotless i
		{"id", "\u0130D", true},         // I with dot
		{"straße", "STRASSE", true},     // full folding
		{"straße", "STRA\u1e9eE", true}, // capital sharp s
		{"ﬁle", "FILE", true},           // ligature
		{"σας", "ΣΑΣ", true},            // final sigma
		{"é", "E\u0301", true},          // decomposed
		{"", "", true},
		{"method", "methods", false},
		{"a_b", "a-b", false},
		{"e", "é", false},
		{"id", "ld", false},
		{"name", "ｎame", false}, // full width is another letter, not another case
	} {
		if toolcall.FoldEqual(c.a, c.b) != c.want || toolcall.FoldEqual(c.b, c.a) != c.want {
			t.Errorf("FoldEqual(%q, %q) is %v, want %v", c.a, c.b, !c.want, c.want)
		}
	}
}

// No reader of the standard library that ignores case may see two names as one
// where FoldEqual sees two.
func TestFoldEqualCoversSimpleFolding(t *testing.T) {
	seen := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, other := range []rune{unicode.SimpleFold(r), unicode.ToLower(r), unicode.ToUpper(r), unicode.ToTitle(r)} {
			if other == r {
				continue
			}
			seen++
			if a, b := "x"+string(r), "x"+string(other); !toolcall.FoldEqual(a, b) {
				t.Errorf("FoldEqual(%q, %q) is false, strings.EqualFold %v", a, b, strings.EqualFold(a, b))
			}
		}
	}
	if seen < 2000 {
		t.Fatalf("compared %d pairs: the test is not looking", seen)
	}
}
