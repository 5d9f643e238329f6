package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/corpus"
	"github.com/licet-dev/licet/internal/lab/doors"
)

func (a *app) corpus() *cobra.Command {
	c := &cobra.Command{Use: "corpus", Short: "Cases with the answers they must get", Args: cobra.NoArgs}
	c.AddCommand(a.corpusRun(), a.corpusLint())
	return c
}

// corpusFlags are the flags of `corpus run`.
type corpusFlags struct {
	door     string
	gate     string
	surfaces []string
	report   string
	asJSON   bool
}

func (a *app) corpusRun() *cobra.Command {
	var f corpusFlags
	c := &cobra.Command{
		Use: "run FILE ...", Short: "Play cases through a door of the gate", Args: cobra.MinimumNArgs(1),
		Long: `Plays each case in a world of its own and compares what the gate answers with
what must come of it. FILE is a case file beside its contract (docs/spec/cases.md),
or, ending in .jsonl, a bypass corpus; of a folder, all of them below it. A case
without the sentence that says what decides is refused, and no expectation is
ever written. The doors:

  core  the gate alone, in this process
  cli   licet decide, a process for each call
  mcp   licet mcp, between a client and a server that keeps what it receives

The doors http and hook are missing in this version. What a door cannot do, and what waits for a later version, is counted and named.
The exit status is 1 if any row got another answer than expected.`,
		Example: "  licet-lab corpus run --door mcp corpora/scenarios corpora/probes corpora/bypass/cases.jsonl",
		RunE:    clikit.RunE(func(cmd *cobra.Command, args []string) error { return a.runCorpus(cmd.Context(), f, args) }),
	}
	c.Flags().StringVar(&f.door, "door", "core", "core, cli or mcp")
	c.Flags().StringVar(&f.gate, "licet", "", "program to ask, for the doors cli and mcp (default: the licet that is built into this program)")
	c.Flags().StringSliceVar(&f.surfaces, "surface", nil, "surfaces to run (default: all): "+strings.Join(corpus.Surfaces(), ", "))
	c.Flags().StringVar(&f.report, "report", "", "write a report to this folder")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the rows as JSON")
	return c
}

func (a *app) runCorpus(ctx context.Context, f corpusFlags, paths []string) error {
	door, err := a.door(f)
	if err != nil {
		return err
	}
	for _, s := range f.surfaces {
		if !slices.Contains(corpus.Surfaces(), s) {
			return clikit.Usagef("--surface %q: there are %s", s, strings.Join(corpus.Surfaces(), ", "))
		}
	}
	all, err := corpus.Open(paths...)
	if err != nil {
		return err
	}
	if f.surfaces != nil {
		all = all.On(f.surfaces)
	}
	report, err := all.Run(ctx, door)
	if err != nil {
		return err
	}
	if f.report != "" {
		if err := report.Document(f.door).Write(f.report); err != nil {
			return err
		}
	}
	if f.asJSON {
		err = clikit.PrintJSON(a.out, report)
	} else {
		err = report.Print(a.out)
	}
	if err == nil && report.Failed() {
		err = clikit.Exit(clikit.Failed)
	}
	return err
}

func (a *app) door(f corpusFlags) (cases.Door, error) {
	self, err := a.executable()
	if err != nil {
		return nil, err
	}
	gate := []string{self, gateWord}
	if f.gate != "" {
		gate = []string{f.gate}
	}
	switch f.door {
	case "core":
		return doors.Core{}, nil
	case "cli":
		return doors.CLI{Licet: gate}, nil
	case "mcp":
		return doors.MCP{Licet: gate, Server: []string{self, "serve-catalog"}}, nil
	case "http", "hook":
		return nil, clikit.Usagef("--door %q: this version of licet has no such door yet; there are core, cli and mcp", f.door)
	}
	return nil, clikit.Usagef("--door %q: there are core, cli and mcp", f.door)
}
