package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/mutate"
)

func (a *app) contractMutate() *cobra.Command {
	m := &mutator{app: a}
	c := &cobra.Command{
		Use:   "mutate FILE",
		Short: "Say which changes of a contract its cases would not notice",
		Long: `Makes every mutant of a contract, a copy with one small change such as a bound
that is one higher, a list entry or a clause that is gone, or an effect that is
swapped, and plays the case files beside the contract against each. A mutant
that fails a case is killed. One that fails none is a change that would go
unnoticed: it is shown with a call that would notice it, where one is found. You
say what is right for that call, and add it as a case.

A mutant that no call can tell from the contract is equivalent and does not
count. Often that is proven. Where it is not, write the reason into the file
NAME.mutants.yaml beside the contract:

  equivalent:
    - mutant: 'agents.a.tools["t.x"].allow[0].n.max: 5 -> 6'
      why: the input schema says that n is at most 5

Under the word unnoticed it takes reasons for survivors, which still count.

Exit status 1 says that fewer than --min-killed percent are killed, that a case
fails on the contract itself, or that a reason is stale: its mutant is gone,
proven, killed, or told apart by a call.`,
		Example: "  licet contract mutate licet.yaml\n  licet contract mutate contracts/bank/licet.yaml --min-killed 95",
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: run(func(cmd *cobra.Command, args []string) error {
			if m.least < 0 || m.least > 100 {
				return usagef("--min-killed is a percentage from 0 to 100")
			}
			return m.start(cmd.Context(), args[0])
		}),
	}
	c.Flags().StringArrayVar(&m.cases, "cases", nil, "case files, or folders of them (default: those beside the contract)")
	c.Flags().StringArrayVar(&m.operators, "operator", nil, "make only changes of this kind, such as widen or drop-entry")
	c.Flags().IntVar(&m.least, "min-killed", 0, "fail if less than this percentage is killed")
	c.Flags().BoolVar(&m.noSuggest, "no-suggestions", false, "do not look for calls that would notice survivors")
	c.Flags().BoolVar(&m.asJSON, "json", false, "print the results as one JSON object")
	operators := make([]string, 0, len(mutate.Operators()))
	for _, o := range mutate.Operators() {
		operators = append(operators, string(o))
	}
	if err := c.RegisterFlagCompletionFunc("operator", cobra.FixedCompletions(operators, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is named above
	}
	return c
}

// mutator plays cases against mutants.
type mutator struct {
	*app
	cases, operators  []string
	least             int // percent
	noSuggest, asJSON bool
}

func (m *mutator) start(ctx context.Context, path string) error {
	for _, o := range m.operators {
		if !slices.Contains(mutate.Operators(), mutate.Operator(o)) {
			return usagef("--operator: %q is none of %v", o, mutate.Operators())
		}
	}
	suites, err := m.suites(path)
	if err != nil {
		return err
	}
	reasons, err := readReasons(path)
	if err != nil {
		return err
	}
	outcomes, err := mutate.Run(ctx, suites[0].Contract, suites, mutate.Options{
		Progress: m.paced("mutants"), Reasons: reasons, Suggest: !m.noSuggest,
		Select: func(mu *mutate.Mutant) bool {
			return len(m.operators) == 0 || slices.Contains(m.operators, string(mu.Operator))
		},
	})
	if err != nil {
		return err
	}
	if err := m.report(path, outcomes); err != nil {
		return err
	}
	if mutate.Total(outcomes).Percent() < m.least {
		if !m.asJSON {
			fmt.Fprintf(m.out, "FAIL  less than %d %% is killed\n", m.least)
		}
		return exit(exitFailure)
	}
	return nil
}

// suites reads the case files that are about the contract.
func (m *mutator) suites(path string) ([]*cases.Suite, error) {
	from := m.cases
	if len(from) == 0 {
		from = []string{filepath.Dir(path)}
	}
	found, err := cases.Find(from...)
	if err != nil {
		return nil, err
	}
	all, problems, err := readSuites(found, map[string]stamp{})
	switch {
	case err != nil:
		return nil, err
	case len(problems) > 0:
		return nil, problems
	}
	all = slices.DeleteFunc(all, func(s *cases.Suite) bool {
		return absolute(filepath.FromSlash(s.Contract.Name)) != absolute(path)
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("no case file in %s is about %s", strings.Join(from, ", "), path)
	}
	return all, nil
}

// readReasons reads the reasons beside a contract, if there are any.
func readReasons(path string) (mutate.Reasons, error) {
	name := strings.TrimSuffix(path, filepath.Ext(path)) + mutate.Suffix
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return mutate.Reasons{}, nil
	}
	if err != nil {
		return mutate.Reasons{}, err
	}
	r, err := mutate.ParseReasons(name, text)
	if problems := (contract.Problems)(nil); errors.As(err, &problems) {
		return r, problems
	}
	return r, err
}

// report prints all counts, and what goes unnoticed.
func (m *mutator) report(path string, outcomes []mutate.Outcome) error {
	if m.asJSON {
		return printJSON(m.out, mutatedOf(path, outcomes))
	}
	st, total := m.style(), mutate.Total(outcomes)
	m.table("change", mutate.ByOperator(outcomes))
	m.table("what is changed", mutate.ByKind(outcomes))
	for _, o := range outcomes {
		if o.State == mutate.Equivalent && o.Recorded {
			m.line("", fmt.Sprintf("%s:%d: %s", path, o.Line, printable(o.ID())), 4)
			m.line("    no call can tell: ", printable(o.Why), 4)
		}
	}
	for _, o := range outcomes {
		if o.State == mutate.Survived {
			m.line(st.paint("1;31", "this change goes unnoticed")+": ", fmt.Sprintf("%s:%d: %s", path, o.Line, printable(o.ID())), 4)
			if o.Recorded {
				m.line("    accepted: ", printable(o.Why), 4)
			}
			m.suggested(o.Suggestion)
		}
	}
	fmt.Fprintf(m.out, "%s: %d %% killed: %d of %d, %d more equivalent, %d survived\n",
		st.bold(path), total.Percent(), total.Killed, total.Mutants-total.Equivalent, total.Equivalent, total.Survived)
	return nil
}

// suggested prints the case that would notice a change.
func (m *mutator) suggested(s *mutate.Suggestion) {
	if s == nil {
		fmt.Fprintln(m.out, "    no call was found that notices it: write one, or record why there is none")
		return
	}
	for line := range strings.Lines(s.Case()) {
		fmt.Fprintf(m.out, "    %s\n", printable(strings.TrimSuffix(line, "\n")))
	}
}

func (m *mutator) table(of string, counts []mutate.Count) {
	fmt.Fprintf(m.out, "%-17s %7s %7s %10s %8s\n", of, "mutants", "killed", "equivalent", "survived")
	for _, c := range counts {
		fmt.Fprintf(m.out, "  %-15s %7d %7d %10d %8d\n", c.Of, c.Mutants, c.Killed, c.Equivalent, c.Survived)
	}
	fmt.Fprintln(m.out)
}

// mutated is what `licet contract mutate --json` prints.
type mutated struct {
	Contract string `json:"contract"`
	Percent  int    `json:"percent"` // killed of those that are not equivalent, rounded down
	mutate.Count
	Operators []mutate.Count `json:"by_operator"`
	Kinds     []mutate.Count `json:"by_kind"`
	All       []mutantJSON   `json:"all"`
}

type mutantJSON struct {
	State    mutate.State    `json:"state"`
	Operator mutate.Operator `json:"operator"`
	Kind     string          `json:"kind"`
	Line     int             `json:"line"`
	Path     string          `json:"path"`
	Change   string          `json:"change"`
	Case     string          `json:"case,omitempty"` // that killed it
	File     string          `json:"file,omitempty"` // of that case
	Why      string          `json:"why,omitempty"`  // the proof that it is equivalent, or the recorded reason
	Recorded bool            `json:"recorded,omitempty"`
	Call     string          `json:"call,omitempty"`      // that would notice a survivor, with both answers
	Suggest  string          `json:"suggested,omitempty"` // the same as a case
}

func mutatedOf(path string, outcomes []mutate.Outcome) mutated {
	all := mutated{Contract: path, Count: mutate.Total(outcomes), Operators: mutate.ByOperator(outcomes), Kinds: mutate.ByKind(outcomes)}
	all.Percent = all.Count.Percent()
	for _, o := range outcomes {
		j := mutantJSON{State: o.State, Operator: o.Operator, Kind: o.Kind, Line: o.Line, Path: o.Path, Change: o.Change,
			File: o.Suite, Why: o.Why, Recorded: o.Recorded}
		if o.By != nil {
			j.Case = o.By.Name
		}
		if o.Suggestion != nil {
			j.Call, j.Suggest = o.Suggestion.String(), o.Suggestion.Case()
		}
		all.All = append(all.All, j)
	}
	return all
}
