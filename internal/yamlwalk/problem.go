package yamlwalk

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one reason why a text is refused.
type Problem struct {
	File         string // name of the text
	Line, Column int    // place in File, counted from 1; columns are characters
	Message      string // what is wrong
	Hint         string // what to do about it; may be empty
}

// String returns the problem as one line: file:line:column: message; hint.
func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	if p.Hint != "" {
		s += "; " + p.Hint
	}
	return s
}

// Problems are all reasons why a text is refused, in the order of the text.
type Problems []Problem

// Error returns the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the problems in the order of the text, each once.
func (ps Problems) Sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return slices.Compact(ps)
}

// near returns the known word closest to word, or "" if none is close: at most
// two edits away, and fewer for short words, which otherwise resemble everything.
func near(word string, known []string) string {
	best, distance := "", min(2, len([]rune(word))/2)+1
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// edits counts the characters to insert, delete, replace or swap with their
// neighbour to make b from a (optimal string alignment distance).
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		next := make([]int, len(t)+1)
		next[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(t)]
}

// DidYouMean returns the hint for a misspelt word, or "".
func DidYouMean(word string, known []string) string {
	if n := near(word, known); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return ""
}

// OneOf lists words as a sentence does: "a, b or c".
func OneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
