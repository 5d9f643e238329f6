package cli

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/bank"
)

// bank serves the demo's MCP server. It is hidden: nobody needs it but the demo,
// the examples and who wants to try a contract against it.
func (a *app) bank() *cobra.Command {
	var journal string
	var o bank.Options
	c := &cobra.Command{
		Use: "bank", Short: "Serve the demo's bank as an MCP server on standard input and output",
		Example: "  licet bank --journal calls.jsonl",
		Hidden:  true, Args: cobra.NoArgs,
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			if journal != "" {
				f, err := os.OpenFile(journal, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
				if err != nil {
					return err
				}
				o.Journal = f
				return errors.Join(bank.Serve(cmd.Context(), a.in, a.out, o), f.Close())
			}
			o.Journal = io.Discard
			return bank.Serve(cmd.Context(), a.in, a.out, o)
		}),
	}
	c.Flags().StringVar(&journal, "journal", "", "write every call that runs into this file, one JSON object a line")
	c.Flags().IntVar(&o.ChangeAfter, "change-after", 0, "change the definition of send_money after this many calls")
	return c
}
