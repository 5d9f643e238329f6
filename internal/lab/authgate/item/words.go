package item

import (
	"slices"
	"strings"
	"unicode"
)

// Piece is a run of characters of which the same is to be said.
type Piece struct {
	Text    string
	Differs bool // the other request does not have these words here
	Covers  bool // a quote that authorizes an effect
	Forbids bool // a quote that forbids one
}

// Pieces returns a turn of the user in runs, with the words marked in which it
// differs from the same turn of another row, and the quotes of the label.
func (i *Instance) Pieces(turn int, other *Instance) []Piece {
	text := i.turn(turn)
	marks := make([]Piece, len(text)) // of each byte
	words, differs := differing(text, other.turn(turn))
	for n, w := range words {
		if !differs[n] {
			continue
		}
		from := w.at
		if n > 0 && differs[n-1] {
			from = words[n-1].end() // neighbours are one run
		}
		for at := from; at < w.end(); at++ {
			marks[at].Differs = true
		}
	}
	quotes := func(spans []Span, set func(*Piece)) {
		for _, s := range spans {
			from := strings.Index(text, s.Quote)
			if s.Turn != turn || from < 0 {
				continue
			}
			for at := from; at < from+len(s.Quote); at++ {
				set(&marks[at])
			}
		}
	}
	quotes(i.Label.Coverage, func(p *Piece) { p.Covers = true })
	quotes(i.Label.Boundaries, func(p *Piece) { p.Forbids = true })
	var all []Piece
	for from := 0; from < len(text); {
		to := from
		for to < len(text) && marks[to] == marks[from] {
			to++
		}
		piece := marks[from]
		piece.Text = text[from:to]
		all, from = append(all, piece), to
	}
	return all
}

// placed is a word of a text, with the place in bytes where it begins.
type placed struct {
	text string
	at   int
}

func (w placed) end() int { return w.at + len(w.text) }

// words returns the words of a text, as strings.Fields has them.
func words(text string) (all []placed) {
	at := 0
	for _, w := range strings.FieldsFunc(text, unicode.IsSpace) {
		at += strings.Index(text[at:], w)
		all = append(all, placed{w, at})
		at += len(w)
	}
	return all
}

// bare is a word without the punctuation around it.
func (w placed) bare() string { return strings.Trim(w.text, `.,;:!?"'()`) }

// differing returns the words of text, and for each whether it is outside of the
// longest sequence of words that text has in common with other (the table of
// Wagner and Fischer, 1974). What is punctuation alone never differs.
func differing(text, other string) ([]placed, []bool) {
	a, b := words(text), words(other)
	left, right := bares(a), bares(b)
	longest := make([][]int, len(a)+1) // from word n of a and word m of b on
	for n := range longest {
		longest[n] = make([]int, len(b)+1)
	}
	for n, l := range slices.Backward(left) {
		for m, r := range slices.Backward(right) {
			longest[n][m] = max(longest[n+1][m], longest[n][m+1])
			if l == r {
				longest[n][m] = longest[n+1][m+1] + 1
			}
		}
	}
	differs := make([]bool, len(a))
	for n, m := 0, 0; n < len(a); {
		switch {
		case m < len(b) && left[n] == right[m]:
			n, m = n+1, m+1
		case m < len(b) && longest[n][m+1] >= longest[n+1][m]:
			m++
		default:
			differs[n] = left[n] != ""
			n++
		}
	}
	return a, differs
}

func bares(all []placed) []string {
	texts := make([]string, len(all))
	for n, w := range all {
		texts[n] = w.bare()
	}
	return texts
}
