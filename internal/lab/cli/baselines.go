package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/baseline"
	"github.com/licet-dev/licet/internal/lab/corpus"
)

// baselineFlags are the flags of `baselines`.
type baselineFlags struct {
	rounds  int
	report  string
	asJSON  bool
	extents bool
}

func (a *app) baselines() *cobra.Command {
	var f baselineFlags
	c := &cobra.Command{
		Use: "baselines FILE ...", Short: "Compare licet with other ways to write the same rules",
		Long: `Puts the same cases to licet and to five baselines: rules by tool name in plain Go
and in Rego, and rules about arguments in Rego, Cedar and CEL. The rules are
translated from the contracts of the cases, as strict as each language can say
them; a case that turns on what a language cannot say counts as not expressible.

FILE is as for "corpus run"; of a folder, all case files and bypass corpora below
it are taken. Two tables are printed: what each admits, stops and holds, and the
cases and figures in which a baseline is better than licet. Cases that need a
server or a later version are left out.`,
		Example: "  licet-lab baselines --report out corpora contracts",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.extents {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			if f.extents {
				return baseline.PrintExtents(a.out)
			}
			return a.runBaselines(cmd.Context(), f, args)
		}),
	}
	c.Flags().IntVar(&f.rounds, "rounds", 5, "times each decision is made; the shortest counts. 0 measures no time")
	c.Flags().StringVar(&f.report, "report", "", "write a report to this folder")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print all numbers as JSON")
	c.Flags().BoolVar(&f.extents, "words", false, "print what each language cannot say of a contract, and nothing else")
	return c
}

func (a *app) runBaselines(ctx context.Context, f baselineFlags, paths []string) error {
	if f.rounds < 0 {
		return clikit.Usagef("--rounds %d: expected 0 or more", f.rounds)
	}
	all, err := corpus.Open(paths...)
	if err != nil {
		return err
	}
	result, err := baseline.Run(ctx, all, baseline.Options{Rounds: f.rounds, Progress: a.progress()})
	if err != nil {
		return err
	}
	doc := result.Report()
	if f.report != "" {
		if err := doc.Write(f.report); err != nil {
			return err
		}
	}
	if f.asJSON {
		return clikit.PrintJSON(a.out, doc.Numbers())
	}
	if err := result.Answers().Print(a.out); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "\nbetter than licet, by case:")
	if err := result.Ahead().Print(a.out); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "\nbetter than licet, by figure:")
	return result.Figures().Print(a.out)
}

// progress shows how far a run is, where somebody looks.
func (a *app) progress() func(done, all int) {
	if !clikit.IsTerminal(a.err) {
		return nil
	}
	return func(done, all int) {
		fmt.Fprintf(a.err, "\r%d of %d cases", done, all)
		if done == all {
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
}
