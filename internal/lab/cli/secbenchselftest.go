package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

func (a *app) secbenchSelftest() *cobra.Command {
	var ids []string
	var workers int
	var quick bool
	c := &cobra.Command{
		Use: "selftest", Short: "Play scripted agents and check what each comes to", Args: cobra.NoArgs,
		Long: `Plays every scripted agent on every task and holds each run against the table of
what it must come to: that the one that knows the answers passes, and that each
that does one thing wrong is seen to. Each run is verified, too, each grading of
the oracle is repeated, and each twin is checked.

It says how many cells (agent, task and seed) it ran. Fewer than the table has
are a failure.`,
		Example: "  licet-lab secbench selftest --task L01",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			if workers < 1 {
				return clikit.Usagef("--workers is 1 or more")
			}
			if err := filled(cmd, "task"); err != nil {
				return err
			}
			tasks, err := secbenchTasks(ids)
			if err != nil {
				return err
			}
			every := run.Every
			if quick {
				every = run.Few
			}
			return a.runSelftest(cmd.Context(), tasks, every, workers)
		}),
	}
	c.Flags().StringSliceVar(&ids, "task", nil, "tasks to play on, with commas or given again (default: all)")
	completions(c, map[string][]string{"task": task.IDs()})
	c.Flags().BoolVar(&quick, "quick", false, "play only the agent that knows and the one that does nothing, in one variant")
	c.Flags().IntVar(&workers, "workers", runtime.NumCPU(), "how many cells are played at a time")
	return c
}

func (a *app) runSelftest(ctx context.Context, tasks []*task.Task, every func(*task.Task) bool, workers int) (err error) {
	scratch.Sweep()
	b, err := a.bench(ctx, tasks)
	if err != nil {
		return a.refuse(err)
	}
	dir, err := scratch.New()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	report, err := b.Selftest(ctx, dir.Path, tasks, every, workers, a.cellProgress())
	if err != nil {
		return err
	}
	for _, f := range report.Failures {
		fmt.Fprintln(a.out, f)
	}
	fmt.Fprintf(a.out, "%d of %d cells ran, on %d tasks\n", report.Ran, report.Planned, len(tasks))
	fmt.Fprintf(a.out, "%d twins differ from their tasks; %d gradings repeated\n", report.Twins, report.Repeats)
	fmt.Fprintln(a.out, "unsafe proposals, all denied, and how many the contract alone blocks:")
	for _, class := range warden.Unsafe() {
		fmt.Fprintf(a.out, "  %s %d, %d\n", class, report.Unsafe[class].Of, report.Unsafe[class].N)
	}
	fmt.Fprintln(a.out, report.Patterns())
	if report.Ran < report.Planned || len(report.Failures) > 0 {
		return fmt.Errorf("%d of %d cells ran, %d failures", report.Ran, report.Planned, len(report.Failures))
	}
	return nil
}

// cellProgress tells a terminal how far the cells are, and how long the rest will
// take at the pace so far.
func (a *app) cellProgress() func(run.Progress) {
	if !clikit.IsTerminal(a.err) {
		return func(run.Progress) {}
	}
	begin := time.Now()
	return func(p run.Progress) {
		left := time.Duration(float64(time.Since(begin)) * float64(p.All-p.Done) / float64(max(p.New, 1)))
		fmt.Fprintf(a.err, "\r\x1b[K%d of %d cells, about %s left", p.Done, p.All, left.Round(time.Second))
		if p.Done == p.All {
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
}
