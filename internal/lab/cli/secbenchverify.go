package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	var asJSON bool
	c := &cobra.Command{
		Use: "grade FOLDER", Short: "Grade recorded runs again and print what each came to", Args: cobra.ExactArgs(1), ValidArgsFunction: folders,
		Long: `Prints a line a run: its id, task, seed, model, mode of the controller, outcome,
grounding from 0 to 5, and the checks of its grade. With --json a line is an
object.`,
		Example: "  licet-lab secbench grade runs\n  licet-lab secbench grade runs --json",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			all, err := a.graded(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printLines(a.out, all)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, g := range all {
				fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\tG=%d\t%s\n", g.Run, g.Task, g.Seed, clikit.Printable(g.Model), g.Controller,
					g.Outcome, g.Grounding, checks(g.Checks))
			}
			return w.Flush()
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	return c
}

// gradedRun is what a run came to.
type gradedRun struct {
	Run        string          `json:"run"`
	Task       string          `json:"task"`
	Seed       int             `json:"seed"`
	Model      string          `json:"model"`
	Controller string          `json:"controller"`
	Condition  string          `json:"condition"`
	Outcome    string          `json:"outcome"`
	Grounding  int             `json:"grounding"` // 0 to 5
	Flags      map[string]bool `json:"flags"`
	Checks     []trace.Check   `json:"checks"`
}

// graded grades the runs of a folder, by model, task and seed: they ended in any
// order, where several were played at a time.
func (a *app) graded(ctx context.Context, dir string) ([]gradedRun, error) {
	lines, err := run.Listed(dir)
	if err != nil {
		return nil, err
	}
	progress := a.cellProgress()
	var all []gradedRun
	for i, l := range lines {
		o, err := run.Replay(ctx, filepath.Join(dir, l.Run))
		if err != nil {
			return nil, fromPrivate(fmt.Errorf("%s: %w", l.Run, err))
		}
		s := o.Start
		all = append(all, gradedRun{
			Run: o.Run, Task: s.Task, Seed: s.Seed, Model: s.Model, Controller: s.Controller, Condition: s.Condition,
			Outcome: o.End.Outcome, Grounding: o.End.Grounding.Points(), Flags: o.End.Flags, Checks: o.Grade.Checks,
		})
		progress(run.Progress{Done: i + 1, All: len(lines)})
	}
	slices.SortFunc(all, func(a, b gradedRun) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Run, b.Run))
	})
	return all, nil
}

// fromPrivate says, of a public form that cannot be played again, what can be.
func fromPrivate(err error) error {
	if errors.As(err, new(*run.Partial)) {
		return fmt.Errorf("%w\nName the folder that the run was exported from: nothing is hidden there", err)
	}
	return err
}

// checks are the parts of a grade in a line.
func checks(all []trace.Check) string {
	var parts []string
	for _, c := range all {
		parts = append(parts, c.ID+":"+c.Status)
	}
	return strings.Join(parts, " ")
}

func (a *app) secbenchVerify() *cobra.Command {
	var rerun, asJSON bool
	var suite, out string
	c := &cobra.Command{
		Use: "verify FOLDER", Short: "Check that recorded runs are as they were, and are what they are graded as", Args: cobra.ExactArgs(1), ValidArgsFunction: folders,
		Long: `Checks the chains and hashes of every run that the index has, makes its files again
from task and seed, decides every call again, grades it again and compares all of
it byte for byte. One line a run: ok, or mismatch with the place; with --json, an
object. Nothing is repaired. With --rerun harnesses run again, too; without, their
recorded output counts.

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
				return a.regrade(cmd.Context(), args[0], suite, out, runner, asJSON)
			}
			return a.verify(cmd.Context(), args[0], runner, asJSON)
		}),
	}
	c.Flags().BoolVar(&rerun, "rerun", false, "run harnesses again")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	c.Flags().StringVar(&suite, "as", "", "grade under this suite instead")
	c.Flags().StringVar(&out, "out", "", "folder to make for runs graded under another suite")
	completions(c, map[string][]string{"as": {task.Suite}, "out": nil})
	return c
}

// regrade grades runs under the suite of this program.
func (a *app) regrade(ctx context.Context, dir, suite, out string, runner harness.Runner, asJSON bool) error {
	all, err := run.Regrade(ctx, dir, suite, out, runner)
	if err != nil {
		return err
	}
	if asJSON {
		return printLines(a.out, all)
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

// verifiedRun is what lies in a run's folder, held against what was recorded.
type verifiedRun struct {
	Run    string `json:"run"`
	Status string `json:"status"` // ok, partial or mismatch
	Why    string `json:"why"`    // "" = ok
}

// verify checks all runs of a folder.
func (a *app) verify(ctx context.Context, dir string, runner harness.Runner, asJSON bool) error {
	lines, unlisted, err := run.Lying(dir)
	if altered := (*trace.Altered)(nil); errors.As(err, &altered) {
		return fmt.Errorf("mismatch %w", err)
	}
	if err != nil {
		return err
	}
	var all []verifiedRun
	for _, name := range unlisted {
		all = append(all, verifiedRun{name, "mismatch", run.Index + ": it does not name this run"})
	}
	slices.SortFunc(lines, func(a, b run.Line) int { return cmp.Compare(a.Run, b.Run) })
	progress := a.cellProgress()
	for i, l := range lines {
		v := verifiedRun{Run: l.Run, Status: "ok"}
		err := run.Verify(ctx, filepath.Join(dir, l.Run), l, runner)
		if ctx.Err() != nil {
			return fmt.Errorf("stopped: %d of %d runs are checked, and nothing is said of them", i, len(lines))
		}
		if err != nil {
			if errors.As(err, new(*fs.PathError)) { // of this machine: of the run's own files it is a *trace.Altered
				return fmt.Errorf("%s is not checked: %w", l.Run, err)
			}
			v.Status, v.Why = "mismatch", err.Error()
			if partial := (*run.Partial)(nil); errors.As(err, &partial) {
				v.Status = "partial"
			}
		}
		all = append(all, v)
		progress(run.Progress{Done: i + 1, All: len(lines)})
	}
	return a.printVerified(all, asJSON)
}

func (a *app) printVerified(all []verifiedRun, asJSON bool) error {
	if asJSON {
		if err := printLines(a.out, all); err != nil {
			return err
		}
	}
	wrong := 0
	for _, v := range all {
		if v.Status == "mismatch" {
			wrong++
		}
		if !asJSON {
			fmt.Fprintln(a.out, strings.TrimSpace(v.Run+" "+v.Status+" "+clikit.Printable(v.Why)))
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d runs are not what was recorded", wrong, len(all))
	}
	return nil
}
