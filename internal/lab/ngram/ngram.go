package ngram

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Set is the set of runs of three words of a text, or of five characters where
// it has less than five words.
type Set map[string]bool

// Jaccard returns the share of the runs of both that they have in common, from 0
// to 1. Of two empty sets it is 1: there is nothing in which they differ.
func (g Set) Jaccard(h Set) float64 {
	if len(g)+len(h) == 0 {
		return 1
	}
	both := 0
	for gram := range g {
		if h[gram] {
			both++
		}
	}
	return float64(both) / float64(len(g)+len(h)-both)
}

// Of returns the runs of a text, given by its words.
func Of(words []string) Set {
	units, run := words, 3
	if len(words) < 5 {
		units, run = strings.Split(strings.Join(words, " "), ""), 5
	}
	g := Set{}
	for i := 0; i+run <= len(units); i++ {
		g[strings.Join(units[i:i+run], "\x00")] = true
	}
	if len(g) == 0 && len(words) > 0 {
		g[strings.Join(words, " ")] = true
	}
	return g
}

// classes are literals that say nothing of what a case is about. Only plain ones
// are replaced: in a URL with two hosts or a path with dots, the literal is what
// the case is about.
var classes = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`^-?\d+(\.\d+)?$`), "<number>"},
	{regexp.MustCompile(`^[a-z]{2}\d{2}[0-9a-z]{8,30}$`), "<account>"},
	{regexp.MustCompile(`^[0-9a-f]{8,}$`), "<hex>"},
	{regexp.MustCompile(`^https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[a-z0-9_-]+)*/?(\.[a-z]+)?$`), "<url>"},
	{regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*@[a-z0-9-]+(\.[a-z0-9-]+)+$`), "<mail>"},
	{regexp.MustCompile(`^(\$\{[a-z]+\}|\.)?/?([a-z0-9_-]+/)+[a-z0-9_-]*(\.[a-z0-9]+)?$`), "<path>"},
}

// Words returns the words of a text, in one form and in lower case, with plain
// literals as the token of their class.
func Words(text string) []string {
	all := strings.Fields(strings.ToLower(norm.NFC.String(text)))
	for i, word := range all {
		for _, c := range classes {
			if c.form.MatchString(word) {
				all[i] = c.name
				break
			}
		}
	}
	return all
}
