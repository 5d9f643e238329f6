package judge

import (
	"crypto/sha256"
	_ "embed" // the table
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

//go:embed grounded.tbl
var table string

// classes are the words of each class of the table.
var classes = readTable(table)

// Digest returns "sha256:..." of the words that [Grounded] goes by.
func Digest() string {
	sum := sha256.Sum256([]byte(table))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func readTable(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		class, words, row := strings.Cut(line, "|")
		if !row || strings.HasPrefix(line, "#") {
			continue
		}
		class = strings.Join(strings.Fields(class), " ")
		all[class] = append(all[class], strings.Fields(words)...)
	}
	return all
}

// is reports whether a word, in lower case, is of a class.
func is(word, class string) bool { return slices.Contains(classes[class], word) }

// operations are the classes of words for what is done, the gravest first.
var operations = []string{"delete", "send", "deploy", "write", "execute"}

// opOf returns the class of operation that a word of a program or tool names,
// "" if none.
func opOf(word string) string {
	for _, class := range operations {
		for _, part := range append(parts(word), strings.ToLower(word)) {
			if is(part, "op "+class) {
				return class
			}
		}
	}
	return ""
}

// parts returns the words inside a name, in lower case: of "--skip-policy" skip
// and policy, of "sendMoney" send and money.
func parts(text string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// anyIs reports whether some word inside a name is of a class.
func anyIs(text, class string) bool {
	return slices.ContainsFunc(parts(text), func(word string) bool { return is(word, class) })
}
