package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
)

func (a *app) contractDiff() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what a new contract permits that the old one did not, and the reverse",
		Long: `Compares what two contracts say of every call under the same facts, and names each
agent, tool, clause, limit, catalog and approval setting that changed:

  wider        nothing that was permitted is refused, and more may be permitted
  narrower     proven: no call gets a wider verdict
  equal        proven: every call gets the same verdict
  cannot tell  none of these is proven

Both contracts are loaded with the approved copies that they name, so OLD needs
its own folder: a checkout of the commit before, as "git worktree add ../before
main" makes it. Exit status: 0 if the contract is equal or narrower, 3 if it is
wider or nobody can tell, so that a pipeline stops where a person must look.`,
		Example: "  licet contract diff ../before/licet.yaml licet.yaml",
		Args:    cobra.ExactArgs(2),
		RunE:    run(func(_ *cobra.Command, args []string) error { return a.diffContracts(args[0], args[1], asJSON) }),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) diffContracts(oldPath, newPath string, asJSON bool) error {
	was, err := readContract(oldPath, constraint.Places{})
	if err != nil {
		return fmt.Errorf("OLD: %w", err)
	}
	is, err := readContract(newPath, constraint.Places{})
	if err != nil {
		return fmt.Errorf("NEW: %w", err)
	}
	c := contract.Compare(was.contract, is.contract)
	if asJSON {
		err = printJSON(a.out, c)
	} else {
		a.printComparison(c)
	}
	if err != nil || c.Direction >= contract.Narrower {
		return err
	}
	return exit(exitBlock)
}

// printComparison prints what got wider first.
func (a *app) printComparison(c contract.Comparison) {
	s := a.style()
	fmt.Fprintf(a.out, "%s\n", s.bold(map[contract.Direction]string{
		contract.Wider:      "The new contract is wider.",
		contract.Narrower:   "The new contract is narrower: no call gets a wider verdict.",
		contract.Equal:      "The contracts are equal: every call gets the same verdict.",
		contract.CannotTell: "Nobody can tell: the new contract may permit more, and it may permit less.",
	}[c.Direction]))
	for _, d := range []contract.Direction{contract.Wider, contract.CannotTell, contract.Narrower, contract.Equal} {
		for _, change := range c.Changes {
			if change.Direction == d {
				a.printChange(change)
			}
		}
	}
}

var directionColours = map[contract.Direction]string{
	contract.Wider: "1;31", contract.CannotTell: "1;33", contract.Narrower: "1;32", contract.Equal: "2",
}

func (a *app) printChange(c contract.Change) {
	s := a.style()
	fmt.Fprintf(a.out, "\n%s  %s\n", s.paint(directionColours[c.Direction], c.Direction.String()), printable(c.Path))
	fmt.Fprintf(a.out, "  %s\n", wrap(printable(c.Why), a.width()-4, "  "))
	if c.Old == "" && c.New == "" {
		return
	}
	for _, side := range [][2]string{{"-", c.Old}, {"+", c.New}} {
		if side[1] != "" {
			fmt.Fprintf(a.out, "  %s %s\n", side[0], wrap(printable(side[1]), a.width()-6, "    "))
		}
	}
}
