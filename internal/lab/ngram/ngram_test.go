package ngram

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWords: a literal is replaced where it is plain, and kept where it is what
// the text is about.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Pay 12.50 to DE89370400440532013000":                    "pay <number> to <account>",
		"https://a.example/x.html a.b@c.example src/main.go":     "<url> <mail> <path>",
		"https://a.example@b.example/ a@b@c ../x 0x10 deadbeef0": "https://a.example@b.example/ a@b@c ../x 0x10 <hex>",
		"Cafe\u0301": "caf\u00e9",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestJaccard: the measure is symmetric, within bounds, whole for a text and
// itself, and does not see which plain number stands in a text.
func TestJaccard(t *testing.T) {
	word := rapid.SampledFrom([]string{"pay", "7", "https://a.example/x", "a@b.example", "\u00e9", "../x", "delete"})
	text := rapid.Map(rapid.SliceOfN(word, 0, 8), func(w []string) string { return strings.Join(w, " ") })
	rapid.Check(t, func(t *rapid.T) {
		said, other := text.Draw(t, "said"), text.Draw(t, "other")
		a, b := Of(Words(said)), Of(Words(other))
		how := a.Jaccard(b)
		if how != b.Jaccard(a) || how < 0 || how > 1 || a.Jaccard(a) != 1 {
			t.Fatalf("%q and %q: %v and %v", said, other, how, b.Jaccard(a))
		}
		if x, y := Words(said+" 12"), Words(said+" 34.5"); !slices.Equal(x, y) {
			t.Fatalf("%q and %q", x, y)
		}
	})
	if got := Of(Words("pay one two three four")).Jaccard(Of(Words("pay one two three five"))); got != 0.5 {
		t.Errorf("two of three runs each in common of four: %v, want 0.5", got)
	}
}
