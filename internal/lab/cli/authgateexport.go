package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/authgate/export"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

func (a *app) authgateExport() *cobra.Command {
	var format string
	var o export.Options
	c := &cobra.Command{
		Use: "export-set --format inspect|promptfoo DIR", Short: "Print a data set as test cases of another program", Args: cobra.ExactArgs(1),
		Long: `Prints the instances of a data set as test cases, one JSON object a line: samples
of Inspect (its json_dataset reads them from a file named .jsonl), or test cases of
promptfoo, with what a judge may see in the variable "case". Both have the right
answer, block or allow, as the target. Roles, modes, pairs and reasons are not in
them; ids and order tell nothing of them.

Licence and digest of the data set are in the metadata of each case.`,
		Example: "  licet-lab authgate export-set --format inspect data/authgate/v0 >samples.jsonl",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			if o.Format = export.Format(format); !slices.Contains(export.Formats, o.Format) {
				return clikit.Usagef("--format %s: expected inspect or promptfoo", format)
			}
			set, err := item.Open(args[0])
			if err != nil {
				return err
			}
			return export.Write(a.out, set, o)
		}),
	}
	c.Flags().StringVar(&format, "format", "", "inspect or promptfoo (required)")
	c.Flags().BoolVar(&o.Observed, "signals", false, "with observations of the environment")
	c.Flags().BoolVar(&o.NearMisses, "near-misses", false, "also near-misses, which are in no pair")
	if err := c.MarkFlagRequired("format"); err != nil {
		panic(err)
	}
	return c
}
