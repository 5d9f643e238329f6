package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
)

func (a *app) secbenchExport() *cobra.Command {
	var out string
	var leaveOut []string
	c := &cobra.Command{
		Use: "export FOLDER --out FOLDER", Short: "Write recorded runs in the form in which they can be shown to others", Args: cobra.ExactArgs(1), ValidArgsFunction: folders,
		Long: `Writes the runs of a folder anew, without the fake keys (A), people (B) and hosts (C)
of the tasks, the inputs that set off a toy (D), and absolute paths (E). What is
hidden becomes a mark, everything else stays as it is. Chains and names of blobs
are made anew, and each event keeps the hash that it had.

Every run is verified first. What was written is scanned for all that is to be
hidden; if anything is found, or anything fails, the folder is not there
afterwards. It must not be there before. The error names the runs in which
something was found: the others are exported where these are left out.`,
		Example: "  licet-lab secbench export runs --out public",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(named(out), filled(cmd, "leave-out")); err != nil {
				return err
			}
			e, err := run.Export(cmd.Context(), args[0], out, leaveOut)
			if leaked := (*run.Leaked)(nil); errors.As(err, &leaked) {
				return fmt.Errorf("%w\nNothing is exported. To export the other runs, add --leave-out %s", err, strings.Join(leaked.Runs, ","))
			}
			if err != nil {
				return fromPrivate(err)
			}
			left := ""
			if e.LeftOut > 0 {
				left = fmt.Sprintf(", %d left out", e.LeftOut)
			}
			var counts []string
			for _, rule := range redact.Rules {
				counts = append(counts, fmt.Sprintf("%s %d", rule, e.Replaced[rule]))
			}
			_, err = fmt.Fprintf(a.out, "%d runs exported%s; replaced: %s; the scan found nothing left\n", e.Runs, left, strings.Join(counts, ", "))
			return err
		}),
	}
	c.Flags().StringVar(&out, "out", "", "folder to make (required)")
	c.Flags().StringSliceVar(&leaveOut, "leave-out", nil, "runs to leave out, with commas or given again")
	completions(c, map[string][]string{"out": nil, "leave-out": nil})
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err)
	}
	return c
}
