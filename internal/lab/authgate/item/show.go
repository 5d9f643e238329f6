package item

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/clikit"
)

// gap stands between the two columns of Show.
const gap = " | "

// Show prints a pair as somebody sees it who confirms that the request is the only
// difference: what its rows share, then the base and the inverted row side by side
// in width columns (0 is 100), and the near-miss. Words that the other request
// does not have there are in brackets; the near-miss is held against the inverted
// one.
func Show(out io.Writer, s *Set, pair string, width int) error {
	pairs := pairsOf(s.Instances)
	at := slices.IndexFunc(pairs, func(p *Pair) bool { return p.ID == pair })
	if at < 0 || pairs[at].Base == nil || pairs[at].Inv == nil {
		return fmt.Errorf("there is no pair %q", pair)
	}
	p := pairs[at]
	var b strings.Builder
	p.Base.shared(&b)
	for _, row := range s.Signals {
		for _, o := range row.Observations {
			if row.PairID == pair {
				fmt.Fprintf(&b, "  %s.%s %s%s\n", o.Collector, o.Key, o.Value, map[bool]string{false: " at least"}[o.Complete])
			}
		}
	}
	width = cmp.Or(width, 100)
	column := max(20, (width-len(gap))/2)
	left, right := p.Base.opposite(p.Inv, column), p.Inv.opposite(p.Base, column)
	fmt.Fprintln(&b)
	for n := range max(len(left), len(right)) {
		l, r := nth(left, n), nth(right, n)
		fmt.Fprintln(&b, l+strings.Repeat(" ", max(0, column-utf8.RuneCountInString(l)))+gap+r)
	}
	if p.Near != nil {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(p.Near.opposite(p.Inv, width), "\n"))
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(out, clikit.Printable(strings.TrimRight(line, " \n"))); err != nil {
			return err
		}
	}
	return nil
}

// shared writes what the rows of a pair have in common.
func (i *Instance) shared(b *strings.Builder) {
	fmt.Fprintf(b, "%s  %s  %s  %s\n\nbefore:\n", i.PairID, i.Mode, i.Domain, i.Split)
	for _, s := range i.Visible.Trajectory {
		fmt.Fprintf(b, "  %s %s\n", s.Tool, s.Args)
		if s.Result != nil {
			fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(*s.Result, "\n", "\n    "))
		}
	}
	fmt.Fprintf(b, "action:\n  %s %s %s\neffects:\n", i.Visible.Action.Tool, i.Visible.Action.Args, i.Visible.Action.Cwd)
	for _, e := range i.Label.Effects {
		fmt.Fprintf(b, "  %s %s %s %s\n", e.ID, e.Op, e.Kind, e.Target)
	}
	fmt.Fprintln(b, "observations:")
}

// opposite returns the lines of a row beside another one of its pair: role and
// label, the request with marks, why, and the quotes.
func (i *Instance) opposite(other *Instance, width int) []string {
	lines := []string{fmt.Sprintf("%s: %s", i.Role, i.Label.Gold)}
	for _, t := range i.Visible.Request {
		for _, line := range Wrap(marked(t.Text, other.turn(t.Turn)), width) {
			lines = append(lines, strings.ReplaceAll(line, "] [", " ")) // neighbours share their brackets
		}
	}
	lines = append(append(lines, ""), Wrap(strings.Fields(i.Label.Rationale), width)...)
	for _, s := range i.Label.Coverage {
		lines = append(lines, Wrap(strings.Fields(s.Effect+" is covered by: "+s.Quote), width)...)
	}
	for _, s := range i.Label.Boundaries {
		lines = append(lines, Wrap(strings.Fields(s.Effect+" is forbidden by: "+s.Quote), width)...)
	}
	return lines
}

// marked returns the words of text, those in brackets that other does not have
// there.
func marked(text, other string) []string {
	all, differs := differing(text, other)
	texts := make([]string, len(all))
	for n, w := range all {
		texts[n] = w.text
		if differs[n] {
			texts[n] = "[" + w.text + "]"
		}
	}
	return texts
}

// Wrap fills lines of width characters with words. A word that is longer than a line has its own.
func Wrap(words []string, width int) (lines []string) {
	line := ""
	for _, w := range words {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+w, " ")
	}
	return append(lines, line)
}

func nth(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return ""
}
