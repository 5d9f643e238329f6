package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/suggest"
)

// suggestFlags are the flags of `licet-lab suggest`.
type suggestFlags struct {
	replay  replayFlags // of them, contract, agent and server
	without []string
	take    int
	out     string
}

func (a *app) suggest() *cobra.Command {
	var f suggestFlags
	c := &cobra.Command{
		Use: "suggest --contract FILE TRACES ...", Short: "Say what a contract could say instead, after what it answered", Args: cobra.MinimumNArgs(1),
		Long: `Replays recorded traces and looks at the answers: clauses that allowed nothing,
bounds that nothing came near, and values that a person would have been asked
about in several traces. Each suggestion has the calls behind it and the change of
the contract that it would be. The contract stays as it is; --take writes one
change to a new file, which has to lie beside the contract to find its catalogs.

What is narrower is proven to be. A value that was held often is one that an
attacker can bring about as well: read the calls before anything is widened.`,
		Example: "  licet-lab suggest --contract licet.yaml traces.jsonl",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			return a.runSuggest(cmd.Context(), f, args)
		}),
	}
	c.Flags().StringArrayVar(&f.replay.contracts, "contract", nil, "contract file (required)")
	c.Flags().StringVar(&f.replay.agent, "agent", "", "agent that made the calls (default: the only one of the contract)")
	c.Flags().StringVar(&f.replay.server, "server", "", "server of the tools, whatever suite a record names (default: the suite, or the only one of the contract)")
	c.Flags().StringArrayVar(&f.without, "without", nil, "leave out records with this label, such as attack (can stand several times)")
	c.Flags().IntVar(&f.take, "take", 0, "number of the suggestion to write to --out")
	c.Flags().StringVar(&f.out, "out", "", "file for the changed contract, which must not exist")
	if err := c.MarkFlagRequired("contract"); err != nil {
		panic(err)
	}
	return c
}

func (a *app) runSuggest(ctx context.Context, f suggestFlags, files []string) error {
	if len(f.replay.contracts) != 1 || (f.take == 0) != (f.out == "") {
		return clikit.Usagef("one --contract, and --take and --out together")
	}
	judges, err := f.replay.judges()
	if err != nil {
		return err
	}
	var outcomes []replay.Outcome
	for _, name := range files {
		file, err := replay.Run{Judges: judges}.File(ctx, name)
		if err != nil {
			return err
		}
		if len(file.Problems) > 0 {
			return file.Problems[0]
		}
		outcomes = append(outcomes, file.Outcomes...)
	}
	outcomes = slices.DeleteFunc(outcomes, func(o replay.Outcome) bool {
		return slices.ContainsFunc(f.without, func(label string) bool { return o.Labels[label] != "" })
	})
	judge := judges.All[0]
	all, err := suggest.Suggest(judge.Contract, judge.Agent, outcomes)
	if err != nil {
		return err
	}
	a.printSuggestions(judge.Contract.Text, all)
	if f.take == 0 {
		return nil
	}
	if f.take < 1 || f.take > len(all) {
		return clikit.Usagef("--take %d: there are %d suggestions", f.take, len(all))
	}
	return writeNew(f.out, all[f.take-1].Text)
}

// shown is how many of the calls behind a suggestion are printed.
const shown = 3

func (a *app) printSuggestions(text []byte, all []suggest.Suggestion) {
	if len(all) == 0 {
		fmt.Fprintln(a.out, "nothing to suggest")
	}
	for i, s := range all {
		fmt.Fprintf(a.out, "%d. %s: %s\n", i+1, s.Direction, clikit.Printable(s.What))
		for _, line := range strings.SplitAfter(strings.TrimSuffix(suggest.Diff(text, s.Text), "\n"), "\n") {
			fmt.Fprintf(a.out, "   %s\n", clikit.Printable(strings.TrimSuffix(line, "\n")))
		}
		for _, c := range s.Calls[:min(shown, len(s.Calls))] {
			fmt.Fprintf(a.out, "   after %s\n", clikit.Printable(c))
		}
		if more := len(s.Calls) - shown; more > 0 {
			fmt.Fprintf(a.out, "   and %d calls more\n", more)
		}
	}
}
