package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
)

// printWhy prints an explanation, for a person or as JSON.
func (a *app) printWhy(w whyJSON, asJSON bool) error {
	if asJSON {
		return printJSON(a.out, w)
	}
	if w.Recorded != nil {
		a.printRecorded(*w.Recorded)
		if w.NotEvaluated != "" {
			fmt.Fprintf(a.out, "\n%s\n", wrap("Not evaluated again: "+w.NotEvaluated+".", a.width(), ""))
			return nil
		}
		now := "what was stated, what is used up, where paths lead, tickets"
		if w.Recorded.Verdict == authz.Allow {
			now += "; what this call used up is part of it"
		}
		fmt.Fprintf(a.out, "\n%s\n", wrap("Evaluated again, under the contract of that time and with the facts of now ("+now+"):", a.width(), ""))
	}
	a.printExplanation(*w.Explanation)
	if w.Opinion != nil {
		fmt.Fprintln(a.out)
		a.printOpinion(*w.Opinion, w.Turns)
	}
	return nil
}

func (a *app) printRecorded(r recordedJSON) {
	s := a.style()
	a.line("", fmt.Sprintf("Recorded as %s at %s: %s calls %s", r.ID, moment(r.Time),
		printable(cmp.Or(r.Agent, "nobody known")), printable(strings.Trim(r.Server+"."+r.Tool, "."))), 2)
	a.printVerdict(r.Verdict, r.Shadow, r.Reasons)
	if r.Ticket != "" {
		fmt.Fprintf(a.out, "  ticket %s\n", s.faint(r.Ticket))
	}
	if r.Opinion != nil {
		a.printOpinion(*r.Opinion, r.Turns)
	}
	a.printSeen(r.Signals)
}

// printVerdict prints a verdict with its reasons.
func (a *app) printVerdict(v authz.Verdict, shadow *authz.Verdict, reasons []authz.Reason) {
	s := a.style()
	code := authz.Internal
	if len(reasons) > 0 {
		code = reasons[0].Code
	}
	fmt.Fprintf(a.out, "%s  %s%s\n", s.verdict(v), s.bold(string(code)), s.shadow(shadow))
	for _, r := range reasons {
		if line := reasonLine(r); line != "" {
			fmt.Fprintf(a.out, "  %s\n", wrap(line, a.width()-4, "    "))
		}
	}
}

func (a *app) printExplanation(e explanationJSON) {
	reasons := e.Reasons
	if len(e.Clauses) > 0 && len(reasons) > 0 {
		reasons = reasons[:1] // the clauses say the rest
	}
	a.printVerdict(e.Verdict, e.Shadow, reasons)
	for _, k := range e.Clauses {
		a.printClause(k)
	}
	for i, l := range e.Limits {
		if i == 0 {
			fmt.Fprintln(a.out)
		}
		a.printLimit(l)
	}
	a.printProposals(e)
}

// printProposals prints what would get a wider verdict.
func (a *app) printProposals(e explanationJSON) {
	switch {
	case len(e.Changes) > 0:
		fmt.Fprintln(a.out, "\nThe smallest change of the arguments for another verdict:")
	case e.verdict() != authz.Allow:
		fmt.Fprintln(a.out, "\nNo change of one or two arguments was found that gets a wider verdict.")
	}
	for _, c := range e.Changes {
		var edits []string
		for _, edit := range c.Edits {
			edits = append(edits, edit.words())
		}
		fmt.Fprintf(a.out, "  %s  %s\n", a.style().verdict(c.Verdict), wrap(printable(strings.Join(edits, " and ")), a.width()-20, "    "))
	}
}

// words says what to change.
func (e editJSON) words() string {
	switch {
	case e.New == nil:
		return "without " + e.Argument
	case e.Old == nil:
		return fmt.Sprintf("with %s %s", e.Argument, shorten(string(e.New)))
	}
	return fmt.Sprintf("with %s %s instead of %s", e.Argument, shorten(string(e.New)), shorten(string(e.Old)))
}

// verdict is what the rules say, also in shadow mode.
func (e explanationJSON) verdict() authz.Verdict {
	if e.Shadow != nil {
		return *e.Shadow
	}
	return e.Verdict
}

// marks of what holds and what does not.
var marks = map[bool]string{true: "holds", false: "fails"}

func (a *app) printClause(k clauseJSON) {
	s := a.style()
	state := map[bool]string{true: s.bold("holds"), false: "does not hold"}[k.Holds]
	if k.Error != "" {
		state = s.bold("cannot be evaluated")
	}
	fmt.Fprintf(a.out, "\n%s %s\n", printable(k.Path), state)
	if k.Error != "" {
		fmt.Fprintf(a.out, "  %s\n", wrap(printable(k.Error), a.width()-4, "    "))
	}
	if k.Error == "" && len(k.Constraints) == 0 {
		fmt.Fprintln(a.out, "  it has no constraints")
	}
	for _, c := range k.Constraints {
		fmt.Fprintf(a.out, "  %s  %s\n", marks[c.Holds], wrap(printable(constraintLine(c)), a.width()-10, "           "))
	}
}

// constraintLine words what one constraint saw.
func constraintLine(c constraintJSON) string {
	line := c.Argument
	if c.Word != "" && c.Word != c.Argument {
		line += " " + c.Word
	}
	if len(c.Operand) > 0 {
		line += " " + shorten(string(c.Operand))
	}
	return line + ": " + strings.TrimSpace(shorten(string(c.Value))+" "+c.Why)
}

// shorten keeps a value on a line.
func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

func (a *app) printLimit(l limitJSON) {
	state := "fits"
	switch {
	case l.Used == "":
		state = "what is used up is not known, which blocks"
	case !l.Fits && l.Asks:
		state = "beyond it a person is asked"
	case !l.Fits:
		state = "used up"
	}
	fmt.Fprintf(a.out, "%s\n  %s of %s are used up, this call takes %s: %s\n", printable(l.Path), cmp.Or(l.Used, "?"), l.Max, l.Takes, a.style().bold(state))
}
