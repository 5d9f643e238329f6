package toolcall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// FoldEqual reports whether two names could be taken for one another by a
// reader that ignores letter case: equal after mapping each character to upper
// and then lower case, full case folding (Unicode 3.13, as in definition D145)
// and canonical decomposition. It errs on the side of equal: "ı", "İ" and "I"
// are all "i", "ſ" is "s", "ß" is "ss".
func FoldEqual(a, b string) bool { return a == b || foldKey(a) == foldKey(b) }

// foldKey returns a text that is the same for all names that FoldEqual takes
// as equal.
func foldKey(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	simple := strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(simple)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
