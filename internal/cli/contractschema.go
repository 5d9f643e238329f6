package cli

import (
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/contract"
)

func (a *app) contractSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the contract language, for editors",
		Long: `Prints a JSON Schema (2020-12) that knows every word of the language. An editor
with a YAML language server completes and explains words with it:

  # yaml-language-server: $schema=contract.schema.json

as the first line of a contract. It cannot look into catalogs, so that
"licet contract check" refuses more than an editor does.`,
		Example: "  licet contract schema > contract.schema.json",
		Args:    cobra.NoArgs,
		RunE: run(func(*cobra.Command, []string) error {
			_, err := a.out.Write(contract.EditorSchema())
			return err
		}),
	}
}
