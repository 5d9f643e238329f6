package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	c.AddCommand(a.contractCheck(), a.contractExplain(), a.contractFmt(), a.contractSchema(), a.contractTest(), a.contractDiff())
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
		c, err := checkContract(path)
		if err != nil {
			return err
		}
		bad = bad || !c.OK || strict && len(c.Warnings) > 0
		if asJSON {
			err = printJSON(a.out, c)
		} else {
			a.printChecked(c)
		}
		if err != nil {
			return err
		}
	}
	if bad {
		return exit(exitFailure)
	}
	return nil
}

// checkContract loads one contract. An error means that it could not be looked
// at; problems are no error.
func checkContract(path string) (checked, error) {
	c := checked{File: path}
	places, err := facts.ResolvePlaces("")
	if err != nil {
		return c, err
	}
	f, err := readContract(path, places)
	problems := (contract.Problems)(nil)
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			c.Problems = append(c.Problems, problemJSON{p.Line, p.Column, p.Message, p.Hint})
		}
		return c, nil
	case f == nil:
		return c, fmt.Errorf("reading the contract: %w", err)
	case err != nil: // it loads, but lies where an agent could write
		c.Problems = []problemJSON{{Message: err.Error()}}
		return c, nil
	}
	c.OK, c.Name, c.Digest = true, f.contract.Name(), f.contract.Digest()
	for _, name := range f.contract.Agents() {
		c.Agents = append(c.Agents, agentTools{name, len(f.contract.Agent(name).Rules())})
	}
	for _, w := range contract.Lint(path, f.text, f.contract) {
		c.Warnings = append(c.Warnings, warningJSON{w.Code, problemJSON{w.Line, w.Column, w.Message, w.Hint}})
	}
	return c, nil
}

// readingContract words why a contract was not read. Problems of its text name
// the file themselves.
func readingContract(err error) error {
	if errors.As(err, new(*fs.PathError)) && !errors.As(err, new(contract.Problems)) {
		return fmt.Errorf("reading the contract: %w", err)
	}
	return err
}

func (a *app) printChecked(c checked) {
	st := a.style()
	if c.OK {
		fmt.Fprintf(a.out, "%s: %s\n  digest  %s\n", c.File, st.bold(c.Name+" is fine"), c.Digest)
		for _, agent := range c.Agents {
			fmt.Fprintf(a.out, "  agent   %s, rules for %d tools\n", agent.Name, agent.Tools)
		}
	}
	lines := a.sourceLines(c.File)
	for _, p := range c.Problems {
		a.printProblem(c.File, "", p, lines)
	}
	for _, w := range c.Warnings {
		a.printProblem(c.File, "warning "+w.Code+": ", w.problemJSON, lines)
	}
}

// printProblem prints one problem or warning, and its line if lines are known.
func (a *app) printProblem(file, kind string, p problemJSON, lines []string) {
	where := file
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
	}
	fmt.Fprintf(a.out, "%s: %s%s\n", a.style().bold(where), kind, printable(hinted(p)))
	if p.Line > 0 && p.Line <= len(lines) {
		fmt.Fprint(a.out, pointAt(lines[p.Line-1], p.Column))
	}
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

// pointAt returns a line of a contract with a caret below one column, which
// counts characters from 1.
func pointAt(line string, column int) string {
	runes := []rune(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", " "))
	before := printable(string(runes[:min(column-1, len(runes))]))
	return fmt.Sprintf("  %s\n  %s^\n", printable(string(runes)), strings.Repeat(" ", len([]rune(before))))
}
