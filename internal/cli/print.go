package cli

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/clikit"
)

// style colours text for a terminal; the zero style leaves it as it is.
type style struct{ on bool }

// style returns colours for standard output if it is a terminal and NO_COLOR
// (no-color.org) is not set; CLICOLOR_FORCE turns them on without a terminal.
func (a *app) style() style {
	if a.env["NO_COLOR"] != "" {
		return style{}
	}
	return style{on: a.env["CLICOLOR_FORCE"] != "" || isTerminal(a.out)}
}

// width returns the number of columns of standard output, at most 100: longer
// lines are hard to read.
func (a *app) width() int {
	if w := clikit.Columns(a.out); w > 20 {
		return min(w, 100)
	}
	return 80
}

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string  { return s.paint("1", text) }
func (s style) faint(text string) string { return s.paint("2", text) }

// shadow words what a verdict of shadow mode would have been; "" if it is
// enforced.
func (s style) shadow(would *authz.Verdict) string {
	if would == nil {
		return ""
	}
	return s.paint("1;35", "  shadow: would be ") + s.verdict(*would)
}

// verdict writes a verdict's name in its colour.
func (s style) verdict(v authz.Verdict) string {
	return s.paint(map[authz.Verdict]string{authz.Allow: "1;32", authz.RequireApproval: "1;33"}[v]+map[bool]string{true: "1;31"}[v == authz.Block], v.String())
}

// reasonLine words one reason for an operator: where, and what was found.
func reasonLine(r authz.Reason) string {
	return printable(strings.Trim(r.Clause+": "+r.Detail, ": "))
}

// wrap breaks text into lines of at most width columns, each after the first
// begun with indent. Words longer than a line stay whole.
func wrap(text string, width int, indent string) string {
	return fold(strings.Join(strings.Fields(text), " "), 0, width, indent)
}

// fold is wrap for a text that begins at a column and keeps its spaces within a
// line.
func fold(text string, column, width int, indent string) string {
	var b strings.Builder
	spaces := 0
	for i, word := range strings.Split(text, " ") {
		if i > 0 {
			spaces++
		}
		if word == "" {
			continue
		}
		n := columns(word)
		if i > 0 && column+spaces+n > width {
			b.WriteString("\n" + indent)
			column, spaces = len(indent), 0
		}
		b.WriteString(strings.Repeat(" ", spaces) + word)
		column, spaces = column+spaces+n, 0
	}
	return b.String()
}

// colour is what [style.paint] writes around a text.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// columns returns how wide a text is, without colours.
func columns(text string) int { return utf8.RuneCountInString(colour.ReplaceAllString(text, "")) }

// line prints a line, begun with lead. On a terminal text is broken into lines
// that fit, which begin at column indent; elsewhere it stays one line, which is
// easier to work with.
func (a *app) line(lead, text string, indent int) {
	if isTerminal(a.out) {
		text = fold(text, columns(lead), a.width(), strings.Repeat(" ", indent))
	}
	fmt.Fprintln(a.out, strings.TrimRight(lead+text, " "))
}

// ago words how long ago, or in how long, t is as seen from now.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + span(-d)
	}
	return span(d) + " ago"
}

// span words a duration, rounded up to what it shows: what has just begun to run
// for 15 minutes has 15 minutes left.
func span(d time.Duration) string {
	up := func(unit time.Duration) int { return int((d + unit - 1) / unit) }
	switch {
	case up(time.Second) < 60:
		return fmt.Sprintf("%ds", up(time.Second))
	case up(time.Minute) < 60:
		return fmt.Sprintf("%dm", up(time.Minute))
	case up(time.Minute) < 48*60:
		return fmt.Sprintf("%dh%02dm", up(time.Minute)/60, up(time.Minute)%60)
	default:
		return fmt.Sprintf("%dd", up(24*time.Hour))
	}
}

// moment is how a time is written for people: in their zone, which it names.
func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") }
