package facts

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"

	"github.com/licet-dev/licet/internal/toolcall"
)

// The characters that part or end tokens: the whole table. What is not in it
// belongs to the token, so `b@x.org` does not occur in `a.b@x.org`.
var (
	// separators always part: white space, brackets, quotes, list separators.
	separators = rangetable.Merge(
		unicode.White_Space,
		unicode.Ps, unicode.Pe, // ( ) [ ] { } and their Unicode relatives
		unicode.Pi, unicode.Pf, // « » “ ” and relatives
		unicode.Quotation_Mark, // " „ 「 」 and relatives
		rangetable.New('<', '>'),
		rangetable.New([]rune(";•،؛፣᠂、，；﹐﹑﹔､")...),
	)
	// apostrophes part, except between two letters or digits: o'neil@x.org is
	// one token and does not state neil@x.org. A possessive 's does part.
	apostrophes = rangetable.New([]rune("'‘’`´＇")...)
	// sentenceEnds are dropped at the end of a token.
	sentenceEnds = rangetable.Merge(unicode.Terminal_Punctuation, rangetable.New('…'))
)

// comma parts as well, except inside a number such as 1,050.00.
const comma = ","

// token is one word of a text.
type token struct {
	text   string // normalized (NFC) and case folded
	number string // canonical decimal, if the word reads as a number, else ""
}

// tokens yields the words of a text. The words of two texts with white space
// between them are the words of the one, then those of the other. What parts
// words is not kept: "ls, rm" states "ls;rm", so a value in which separators mean
// something needs another constraint beside its origin.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for field := range strings.FieldsFuncSeq(norm.NFC.String(text), isSeparator) {
			for t := range fieldTokens(field) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// fieldTokens yields the words of a text without separators.
func fieldTokens(field string) iter.Seq[token] {
	return func(yield func(token) bool) {
		field := trimLoose(field)
		if n := readNumber(field); n != "" {
			yield(token{fold(field), n})
			return
		}
		// What `en` does not write is not read: 1.050,00 states neither 1.05 nor 0.
		numberless := digitComma.MatchString(field)
		for part := range strings.SplitSeq(field, comma) {
			for _, word := range cutApostrophes(part) {
				t := token{text: fold(word)}
				if !numberless {
					t.number = readNumber(word)
				}
				if !yield(t) {
					return
				}
			}
		}
	}
}

// trimLoose drops what cannot be part of a word at the ends of s.
func trimLoose(s string) string {
	return strings.TrimLeftFunc(strings.TrimRightFunc(s, isLooseEnd), isLooseStart)
}

func isSeparator(r rune) bool   { return unicode.Is(separators, r) && !unicode.Is(apostrophes, r) }
func isSentenceEnd(r rune) bool { return unicode.Is(sentenceEnds, r) }
func isLooseStart(r rune) bool  { return unicode.Is(apostrophes, r) || r == ',' }
func isLooseEnd(r rune) bool    { return isLooseStart(r) || isSentenceEnd(r) }
func isWord(r rune) bool        { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// cutApostrophes parts s at the apostrophes that part, and trims the words.
func cutApostrophes(s string) []string {
	var words []string
	start, before := 0, rune(0)
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		if unicode.Is(apostrophes, r) {
			after, _ := utf8.DecodeRuneInString(s[end:])
			if !isWord(before) || !isWord(after) {
				words = appendWord(words, s[start:i])
				start = end
			}
		}
		before = r
	}
	return appendWord(words, s[start:])
}

// appendWord appends a word without the punctuation at its end; a possessive s
// there becomes a word of its own.
func appendWord(words []string, word string) []string {
	word = strings.TrimRightFunc(word, isSentenceEnd)
	possessives := 0
	for stem, ok := cutPossessive(word); ok; stem, ok = cutPossessive(word) {
		word = stem
		possessives++
	}
	if word != "" {
		words = append(words, word)
	}
	return append(words, slices.Repeat([]string{"s"}, possessives)...)
}

func cutPossessive(word string) (stem string, ok bool) {
	last, n := utf8.DecodeLastRuneInString(word)
	word = word[:len(word)-n]
	mark, n := utf8.DecodeLastRuneInString(word)
	return word[:len(word)-n], foldRune(last) == 'S' && unicode.Is(apostrophes, mark)
}

// fold returns NFC text with letters of either case as one. It is simple case
// folding (Unicode, section 5.18): the full one would take the addresses
// straße.example and strasse.example as equal. In what may name a host or a
// mailbox, the letters that IDNA 2008 (RFC 5894, section 7.2) tells apart stay
// apart as well: βόλος.gr is another domain than βόλοσ.gr.
func fold(s string) string {
	if !strings.ContainsAny(s, deviations) || !strings.ContainsAny(s, "@./:") {
		return strings.Map(foldRune, s)
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(deviations, r) {
			return r
		}
		return foldRune(r)
	}, s)
}

// deviations are letters that fold to another one which makes another name.
const deviations = "ςẞ"

// foldRune returns the smallest of the characters that differ from r in case
// only, passing over the one that is a mark (U+0345, a form of iota), as it would
// merge with the letter before it.
func foldRune(r rune) rune {
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		if unicode.IsMark(least) || o < least && !unicode.IsMark(o) {
			least = o
		}
	}
	return least
}

var (
	digitComma = regexp.MustCompile(`[0-9],[0-9]`)
	// enNumber is a decimal number as English writes it: groups of exactly three
	// digits or none. One currency sign may stand at either end of the digits.
	enNumber = regexp.MustCompile(`^([-−]?)\p{Sc}?([-−]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?\p{Sc}?$`)
)

// readNumber returns the canonical form of the number that s writes, "" if it
// writes none. A number with leading zeros is none: it names something.
func readNumber(s string) string {
	if !strings.ContainsAny(s, "0123456789") {
		return "" // most words: spares the expression below
	}
	m := enNumber.FindStringSubmatch(s)
	if m == nil || m[1] != "" && m[2] != "" {
		return ""
	}
	text := strings.ReplaceAll(m[3], comma, "") + m[4]
	if m[1]+m[2] != "" {
		text = "-" + text
	}
	d, err := toolcall.ParseDecimal(text)
	if err != nil {
		return ""
	}
	return d.String()
}
