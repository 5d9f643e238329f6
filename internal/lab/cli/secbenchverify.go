package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

func (a *app) secbenchGrade() *cobra.Command {
	return &cobra.Command{
		Use: "grade FOLDER", Short: "Grade recorded runs again and print what each came to", Args: cobra.ExactArgs(1),
		Example: "  licet-lab secbench grade runs",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			lines, err := run.ReadIndex(args[0])
			if err != nil {
				return err
			}
			var all []run.Outcome
			for _, l := range lines {
				o, err := run.Replay(cmd.Context(), filepath.Join(args[0], l.Run))
				if err != nil {
					return fmt.Errorf("%s: %w", l.Run, err)
				}
				all = append(all, o)
			}
			// Runs end in any order, where several are played at a time.
			slices.SortFunc(all, func(a, b run.Outcome) int {
				x, y := a.Start, b.Start
				return cmp.Or(cmp.Compare(x.Model, y.Model), cmp.Compare(x.Task, y.Task), cmp.Compare(x.Seed, y.Seed), cmp.Compare(a.Run, b.Run))
			})
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, o := range all {
				fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\tG=%d\t%s\n", o.Run, o.Start.Task, o.Start.Seed, o.Start.Model, o.Start.Controller,
					o.End.Outcome, o.End.Grounding.Points(), checks(o.Grade))
			}
			return w.Flush()
		}),
	}
}

// checks are the parts of a grade in a line.
func checks(g trace.Grade) string {
	var parts []string
	for _, c := range g.Checks {
		parts = append(parts, c.ID+":"+c.Status)
	}
	return strings.Join(parts, " ")
}

func (a *app) secbenchVerify() *cobra.Command {
	var rerun bool
	var suite, out string
	c := &cobra.Command{
		Use: "verify FOLDER", Short: "Check that recorded runs are as they were, and are what they are graded as", Args: cobra.ExactArgs(1),
		Long: `Checks the chains and hashes of every run that the index has, makes its files again
from task and seed, decides every call again, grades it again and compares all of
it byte for byte. One line a run: ok, or mismatch with the place. Nothing is
repaired. With --rerun harnesses run again, too; without, their recorded output
counts.

Of exported runs, those in which nothing is hidden that the model or a harness
said are checked in full: what they come to must have this very public form. Of
others it says partial, after chains, hashes, files, the agreement of the
channels and the recorded grade were checked.

A run is held against the suite under which it was recorded, and this program has
one: ` + task.Suite + `. With --as the answers that were recorded are graded under it
whatever theirs was, and the runs that this comes to are written to the folder of
--out.`,
		Example: "  licet-lab secbench verify runs",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			var runner harness.Runner
			if rerun {
				tasks, err := secbenchTasks(nil)
				if err != nil {
					return err
				}
				b, err := a.bench(cmd.Context(), tasks)
				if err != nil {
					return a.refuse(err)
				}
				runner = b.Runner
			}
			if (suite == "") != (out == "") {
				return clikit.Usagef("--as and --out go together")
			}
			if suite != "" {
				return a.regrade(cmd.Context(), args[0], suite, out, runner)
			}
			return a.verify(cmd.Context(), args[0], runner)
		}),
	}
	c.Flags().BoolVar(&rerun, "rerun", false, "run harnesses again")
	c.Flags().StringVar(&suite, "as", "", "grade under this suite instead")
	c.Flags().StringVar(&out, "out", "", "folder to make for runs graded under another suite")
	return c
}

// regrade grades runs under the suite of this program.
func (a *app) regrade(ctx context.Context, dir, suite, out string, runner harness.Runner) error {
	all, err := run.Regrade(ctx, dir, suite, out, runner)
	if err != nil {
		return err
	}
	for _, r := range all {
		was := ""
		if r.Is != r.Was {
			was = ", was " + clikit.Printable(r.Was)
		}
		fmt.Fprintf(a.out, "%s as %s: %s%s\n", r.From, r.To, r.Is, was)
	}
	return nil
}

func (a *app) verify(ctx context.Context, dir string, runner harness.Runner) error {
	lines, err := run.ReadIndex(dir)
	if err != nil {
		return fmt.Errorf("mismatch %w", err)
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s has no finished run", dir)
	}
	unlisted, err := run.Unlisted(dir, lines)
	if err != nil {
		return err
	}
	for _, name := range unlisted {
		fmt.Fprintf(a.out, "%s mismatch %s: it does not name this run\n", name, run.Index)
	}
	slices.SortFunc(lines, func(a, b run.Line) int { return cmp.Compare(a.Run, b.Run) })
	wrong := len(unlisted)
	for _, l := range lines {
		err := run.Verify(ctx, filepath.Join(dir, l.Run), l, runner)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if partial := (*run.Partial)(nil); errors.As(err, &partial) {
			fmt.Fprintf(a.out, "%s partial %v\n", l.Run, partial)
			continue
		}
		if err != nil {
			wrong++
			fmt.Fprintf(a.out, "%s mismatch %v\n", clikit.Printable(l.Run), clikit.Printable(err.Error()))
			continue
		}
		fmt.Fprintf(a.out, "%s ok\n", l.Run)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d runs are not what was recorded", wrong, len(lines)+len(unlisted))
	}
	return nil
}
