package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/licet-dev/licet/internal/authz"
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

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns the number of columns of standard output, at most 100: longer
// lines are hard to read.
func (a *app) width() int {
	if f, ok := a.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			return min(w, 100)
		}
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
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// ago words how long ago, or in how long, t is as seen from now.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + span(-d)
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
