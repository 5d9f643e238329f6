package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/report"
)

func (a *app) report() *cobra.Command {
	c := &cobra.Command{Use: "report", Short: "Reports of the lab", Args: cobra.NoArgs}
	c.AddCommand(a.reportCompare())
	return c
}

func (a *app) reportCompare() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "compare BEFORE AFTER", Short: "Say what got worse from one run to the next", Args: cobra.ExactArgs(2),
		Long: `Compares the numbers of two runs of the same report. BEFORE and AFTER are files
report.json, or folders that hold one. Worse is a share that moved to the wrong
side, a case that did so while another made up for it, a number over fewer
cases, and one that is no longer measured. Times are not compared: they are the
machine's.

The exit status is 1 if something got worse, 2 if the two cannot be compared.`,
		Example: "  licet-lab report compare main/report.json branch/report.json",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			before, err := readNumbers(args[0])
			if err != nil {
				return err
			}
			after, err := readNumbers(args[1])
			if err != nil {
				return err
			}
			c, err := report.Compare(before, after)
			if err != nil {
				return clikit.Usagef("%v", err)
			}
			return a.printComparison(c, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	return c
}

// readNumbers reads the numbers of a report. What cannot be read is wrong usage:
// it must not look like a run that got worse.
func readNumbers(path string) (report.Numbers, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "report.json")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return report.Numbers{}, clikit.Usagef("%v", err)
	}
	n, err := report.ReadNumbers(text)
	if err != nil {
		return n, clikit.Usagef("%s: %v", path, err)
	}
	return n, nil
}

func (a *app) printComparison(c report.Comparison, asJSON bool) error {
	if asJSON {
		if err := clikit.PrintJSON(a.out, c); err != nil {
			return err
		}
	} else {
		a.printChanges("worse", c.Worse)
		a.printChanges("better", c.Better)
		fmt.Fprintf(a.out, "%d worse, %d better, %d new\n", len(c.Worse), len(c.Better), len(c.New))
	}
	if len(c.Worse) > 0 {
		return clikit.Exit(clikit.Failed)
	}
	return nil
}

func (a *app) printChanges(word string, all []report.Change) {
	for _, c := range all {
		is := c.Is
		if is == "" {
			is = "nothing"
		}
		fmt.Fprintf(a.out, "%s: %s (%s): %s, was %s: %s\n", word, clikit.Printable(c.Title), clikit.Printable(c.ID), is, c.Was, c.Why)
		for _, id := range c.Cases {
			fmt.Fprintf(a.out, "  %s\n", clikit.Printable(id))
		}
	}
}
