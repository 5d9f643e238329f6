package constraint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/internal/toolcall"
)

// loose returns s as a careless reader takes it: compatibility forms and letter
// case folded (NFKC, full case folding), white space and invisible characters
// dropped. Two texts with the same loose form may name the same thing, so a
// clause that forbids one forbids both. Letters of other alphabets that look
// alike stay different.
func loose(s string) string {
	return settle(s, func(r rune) bool { return unicode.IsSpace(r) || invisible(r) })
}

// looseName is loose for the names of files, where a space is a character.
func looseName(s string) string { return settle(s, invisible) }

// rounds bounds how often settle folds a text. Two are enough for what folding
// and dropping do to one another in all known texts; the bound is there because
// an agent chooses the text.
const rounds = 8

// settle folds s and drops characters until nothing changes: folding can bring
// forth characters to drop, and dropping can bring marks together.
func settle(s string, drop func(rune) bool) string {
	if settled(s) {
		return s
	}
	keep := func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}
	if isASCII(s) {
		return strings.ToLower(strings.Map(keep, s))
	}
	for range rounds {
		before := s
		s = strings.Map(keep, fold(norm.NFKC.String(s)))
		if s == before {
			break
		}
	}
	return s
}

// settled reports whether s is made of visible ASCII without capitals, as most
// texts that are compared: there is nothing to fold or drop.
func settled(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// inked reports whether s is made of ASCII without white space and controls.
func inked(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// fold takes letters to one case. The fold of package cases alone would not do:
// it swaps the two cases of Cherokee letters.
func fold(s string) string {
	return cases.Fold().String(strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// invisible reports whether r leaves no mark of its own: controls, formats,
// variation selectors and what Unicode calls default-ignorable.
func invisible(r rune) bool {
	if r < utf8.RuneSelf { // most texts: without a search in four tables
		return unicode.IsControl(r) && !unicode.IsSpace(r)
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.IsSpace(r)
}

// looseKey returns a text that is the same for all texts, numbers and truth
// values that a careless reader takes as equal: "100 ", "1e2" and 100 are, true
// and 1 are not. It reports false for arrays and objects.
func looseKey(v toolcall.Value) (string, bool) {
	switch v.Kind() {
	case toolcall.Array, toolcall.Object:
		return "", false
	case toolcall.String:
		key := loose(v.Text())
		if key == "" || !strings.Contains("-0123456789", key[:1]) {
			return key, true // no number, and no error to be made of that
		}
		if d, err := toolcall.ParseDecimal(key); err == nil {
			key = d.String()
		}
		return key, true
	default:
		return v.Canonical(), true
	}
}
