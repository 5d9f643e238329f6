package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/facts"
)

func (a *app) contractCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "contract",
		Short: "Check, format, explain and test contracts",
		Args:  cobra.NoArgs,
	}
	c.AddCommand(a.contractCheck(), a.contractExplain(), a.contractFmt(), a.contractSchema(), a.contractTest(), a.contractMutate(), a.contractDerive(), a.contractDiff())
	return c
}

func (a *app) contractCheck() *cobra.Command {
	var strict, asJSON bool
	c := &cobra.Command{
		Use:   "check FILE ...",
		Short: "Report every problem for which a contract would be refused, and what looks wrong",
		Long: `Loads each contract as "licet mcp" would, with the approved copies that it names,
and reports all problems with file, line and column. Exit status 1 says that a
contract is refused.

A contract that loads may still not do what it seems to: warnings name clauses
that another one shadows, constraints that no call satisfies, limits that never
bind, and what is allowed without a bound. With --strict a warning is a failure.`,
		Example: "  licet contract check licet.yaml\n  licet contract check --strict contracts/*/licet.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE:    run(func(_ *cobra.Command, args []string) error { return a.checkContracts(args, strict, asJSON) }),
	}
	c.Flags().BoolVar(&strict, "strict", false, "exit with status 1 if there is a warning")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each contract")
	return c
}

// checked is what `licet contract check --json` prints for one contract.
type checked struct {
	File     string        `json:"file"`
	OK       bool          `json:"ok"`
	Name     string        `json:"name,omitempty"`
	Digest   string        `json:"digest,omitempty"`
	Agents   []agentTools  `json:"agents,omitempty"`
	Problems []problemJSON `json:"problems,omitempty"`
	Warnings []warningJSON `json:"warnings,omitempty"`
}

type agentTools struct {
	Name  string `json:"name"`
	Tools int    `json:"tools"` // that have a rule
}

// problemJSON is one problem. Line and column count from 1; 0 is the whole file.
type problemJSON struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// warningJSON is one warning. Codes are those of package contract.
type warningJSON struct {
	Code string `json:"code"`
	problemJSON
}

func (a *app) checkContracts(paths []string, strict, asJSON bool) error {
	bad := false
	for _, path := range paths {
		c := checkContract(path)
		bad = bad || !c.OK || strict && len(c.Warnings) > 0
		if !asJSON {
			a.printChecked(c)
		} else if err := printJSON(a.out, c); err != nil {
			return err
		}
	}
	if bad {
		return exit(exitFailure)
	}
	return nil
}

// checkContract loads one contract. One that can't be looked at has that as its
// problem.
func checkContract(path string) checked {
	c := checked{File: path}
	places, err := facts.ResolvePlaces("")
	if err != nil {
		c.Problems = []problemJSON{{Message: err.Error()}}
		return c
	}
	f, err := readContract(path, places)
	problems := (contract.Problems)(nil)
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			c.Problems = append(c.Problems, problemJSON{p.Line, p.Column, p.Message, p.Hint})
		}
		return c
	case err != nil: // there is no such file, or it lies where an agent could write
		c.Problems = []problemJSON{{Message: err.Error()}}
		return c
	}
	c.OK, c.Name, c.Digest = true, f.contract.Name(), f.contract.Digest()
	for _, name := range f.contract.Agents() {
		c.Agents = append(c.Agents, agentTools{name, len(f.contract.Agent(name).Rules())})
	}
	for _, w := range contract.Lint(path, f.text, f.contract) {
		c.Warnings = append(c.Warnings, warningJSON{w.Code, problemJSON{w.Line, w.Column, w.Message, w.Hint}})
	}
	return c
}

// maxProblems is how many problems and warnings of one file are printed.
const maxProblems = 50

func (a *app) printChecked(c checked) {
	st := a.style()
	if c.OK {
		says := c.Name + " is fine"
		if n := len(c.Warnings); n > 0 {
			says = c.Name + " loads, " + counted(n, "warning")
		}
		fmt.Fprintf(a.out, "%s: %s\n  digest  %s\n", c.File, st.bold(printable(says)), c.Digest)
		for _, agent := range c.Agents {
			fmt.Fprintf(a.out, "  agent   %s, rules for %s\n", agent.Name, counted(agent.Tools, "tool"))
		}
	}
	all := c.Warnings // a contract has problems or warnings, never both
	for _, p := range c.Problems {
		all = append(all, warningJSON{problemJSON: p})
	}
	lines := a.sourceLines(c.File)
	for i, w := range all {
		if i == maxProblems {
			fmt.Fprintf(a.out, "%s: and %d more\n", c.File, len(all)-i)
			return
		}
		a.printProblem(c.File, w, lines)
	}
}

// printProblem prints one warning or, without a code, problem, and its line if
// lines are known.
func (a *app) printProblem(file string, w warningJSON, lines []string) {
	where, kind := file, ""
	if w.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", file, w.Line, w.Column)
	}
	if w.Code != "" {
		kind = "warning " + w.Code + ": "
	}
	a.line(a.style().bold(where)+": ", kind+printable(shortWords(hinted(w.problemJSON))), 4)
	if w.Line > 0 && w.Line <= len(lines) {
		fmt.Fprint(a.out, pointAt(lines[w.Line-1], w.Column, a.width()-2))
	}
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// shortWords shortens the words that a problem quotes where they are longer than
// anybody reads.
func shortWords(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(word string) string {
		return shorten(strings.TrimSuffix(word, `"`)) + `"`
	})
}

// sourceLines returns the text of a contract to show on a terminal; nothing
// elsewhere, where one line a problem is easier to work with.
func (a *app) sourceLines(path string) []string {
	if !isTerminal(a.out) {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil // gone since it was checked: the problems are shown without it
	}
	return strings.Split(string(text), "\n")
}

func hinted(p problemJSON) string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + "; " + p.Hint
}

// pointAt returns at most width characters of a line of a contract with a caret
// below one column, which counts characters from 1.
func pointAt(line string, column, width int) string {
	runes := []rune(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", " "))
	at := min(column-1, len(runes))
	from := max(0, min(at-width/2, len(runes)-width))
	before, after := printable(string(runes[from:at])), printable(string(runes[at:min(from+width, len(runes))]))
	return fmt.Sprintf("  %s\n  %s^\n", before+after, strings.Repeat(" ", columns(before)))
}
