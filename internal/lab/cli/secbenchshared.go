package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	secbenchshared "github.com/licet-dev/licet/internal/lab/secbench/shared"
)

// secbenchSharedFlags are the flags of a set of runs that several processes play.
type secbenchSharedFlags struct {
	database, schema string
	longest          time.Duration
}

func (f *secbenchSharedFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.database, "database", "", "share the runs over the PostgreSQL whose URL this environment variable holds")
	flags.StringVar(&f.schema, "schema", "licet_secbench", "schema of the database that holds the runs")
	flags.DurationVar(&f.longest, "longest", secbenchshared.Longest, "how long one run may take: after it that of a process that was killed is another's")
}

// check refuses flags that say nothing without a database.
func (f *secbenchSharedFlags) check(c *cobra.Command) error {
	if f.longest <= 0 {
		return clikit.Usagef("--longest is more than 0")
	}
	for _, name := range []string{"schema", "longest"} {
		if f.database == "" && c.Flags().Changed(name) {
			return clikit.Usagef("--%s: it is about runs that are shared, with --database", name)
		}
	}
	return nil
}

// playShared plays cells together with other processes, until the set has all of
// them, and returns how many this one played.
func (a *app) playShared(ctx context.Context, b run.Bench, set *run.Set, cells []run.Cell, f secbenchRunFlags) (int, error) {
	d, err := a.sharedDatabase(f.database, f.schema)
	if err != nil {
		return 0, err
	}
	d.Longest = f.longest
	made, err := secbenchshared.Play(ctx, d, b, set, cells, f.workers, a.cellProgress())
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped: %d runs were played here, and the same command goes on", made)
	}
	return made, err
}
