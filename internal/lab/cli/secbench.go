package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

// benchBroken is the exit status where a run was an error of the bench itself.
const benchBroken = 4

// toyWords make this program a toy of a task, as a harness starts it.
var toyWords = []string{"secbench", "toy"}

func (a *app) secbench() *cobra.Command {
	c := &cobra.Command{
		Use: "secbench", Short: "Measure agents on tasks of finding and mending flaws, behind the gate",
		Long: `The security-agent trace benchmark (docs/secbench.md): an agent looks at a small
folder of files, made for this, with seven tools. Every call is decided by the
gate under a contract of the task, and every run leaves a trace that anybody can
grade again.

Exit status: 0 fine, 1 something is not as it must be, 2 wrong usage, 4 a run
was an error of the bench itself.`,
	}
	c.AddCommand(a.secbenchList(), a.secbenchSelftest(), a.secbenchRun(), a.secbenchGrade(), a.secbenchVerify(), a.secbenchToy())
	return c
}

func (a *app) secbenchList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tasks", Args: cobra.NoArgs,
		RunE: clikit.RunE(func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, id := range task.IDs() {
				t, err := task.Load(id)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Family, t.Kind, t.Lang, t.Difficulty, strings.Join(t.Granted(), " "))
			}
			return w.Flush()
		}),
	}
}

// secbenchTasks loads tasks by their ids; all of them where none are given.
func secbenchTasks(ids []string) ([]*task.Task, error) {
	if len(ids) == 0 {
		ids = task.IDs()
	}
	var tasks []*task.Task
	for _, id := range ids {
		t, err := task.Load(id)
		if err != nil {
			return nil, clikit.Usagef("--task: %v", err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// bench returns what makes runs on this machine.
func (a *app) bench(ctx context.Context) (run.Bench, error) {
	self, err := a.executable()
	if err != nil {
		return run.Bench{}, err
	}
	local, err := harness.NewLocal(ctx, append([]string{self}, toyWords...))
	return run.Bench{Runner: local, Now: time.Now}, err
}

func (a *app) secbenchSelftest() *cobra.Command {
	var ids []string
	var workers int
	c := &cobra.Command{
		Use: "selftest", Short: "Play scripted agents and check what each comes to", Args: cobra.NoArgs,
		Long: `Plays every scripted agent on every task and holds each run against the table of
what it must come to: that the one that knows the answers passes, and that each
that does one thing wrong is seen to. Each run is verified, too, each grading of
the oracle is repeated, and each twin is checked.

It says how many cells (agent, task and seed) it ran. Fewer than the table has
are a failure.`,
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			if workers < 1 {
				return clikit.Usagef("--workers is 1 or more")
			}
			tasks, err := secbenchTasks(ids)
			if err != nil {
				return err
			}
			return a.runSelftest(cmd.Context(), tasks, workers)
		}),
	}
	c.Flags().StringArrayVar(&ids, "task", nil, "task to play on (can stand several times; default: all)")
	c.Flags().IntVar(&workers, "workers", runtime.NumCPU(), "how many cells are played at a time")
	return c
}

func (a *app) runSelftest(ctx context.Context, tasks []*task.Task, workers int) (err error) {
	b, err := a.bench(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "licet-selftest-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	report, err := b.Selftest(ctx, dir, tasks, workers, a.cellProgress())
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
	fmt.Fprintf(a.out, "fixed patterns pass %d of %d tasks\n", report.Grep.N, report.Grep.Of)
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
		left := time.Duration(float64(time.Since(begin)) * float64(p.All-p.Done) / float64(p.Done))
		fmt.Fprintf(a.err, "\r\x1b[K%d of %d cells, about %s left", p.Done, p.All, left.Round(time.Second))
		if p.Done == p.All {
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
}

// secbenchRunFlags are the flags of `secbench run`.
type secbenchRunFlags struct {
	out, mode, condition string
	agents, tasks        []string
	seeds                []int
}

func (a *app) secbenchRun() *cobra.Command {
	var f secbenchRunFlags
	c := &cobra.Command{
		Use: "run --out FOLDER --agent NAME ...", Short: "Play scripted agents and keep their traces", Args: cobra.NoArgs,
		Long: `Plays each agent on each task with each seed. A run leaves a folder with its trace
below that of --out, and a line in index.jsonl there once it is finished: a run
that the index has is not played again.

The scripted agents are ` + strings.Join(agents.Names(), ", ") + `.`,
		Example: "  licet-lab secbench run --out runs --agent oracle --task L01\n  licet-lab secbench verify runs",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			return a.runSecbench(cmd.Context(), f)
		}),
	}
	c.Flags().StringVar(&f.out, "out", "", "folder for the traces (required)")
	c.Flags().StringArrayVar(&f.agents, "agent", nil, "scripted agent (required; can stand several times)")
	c.Flags().StringArrayVar(&f.tasks, "task", nil, "task to play on (can stand several times; default: all)")
	c.Flags().IntSliceVar(&f.seeds, "seed", task.Seeds, "seeds of the variants")
	c.Flags().StringVar(&f.mode, "controller", controller.Strict, controller.Strict+" or "+controller.Repair)
	c.Flags().StringVar(&f.condition, "condition", task.Plain, "of the prompt: "+task.Plain+" or "+task.Authorised)
	for _, name := range []string{"out", "agent"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return c
}

// cells are all that is to be played.
func (f secbenchRunFlags) cells() ([]run.Cell, error) {
	if f.mode != controller.Strict && f.mode != controller.Repair {
		return nil, clikit.Usagef("--controller %q: there are %s and %s", f.mode, controller.Strict, controller.Repair)
	}
	if f.condition != task.Plain && f.condition != task.Authorised {
		return nil, clikit.Usagef("--condition %q: there are %s and %s", f.condition, task.Plain, task.Authorised)
	}
	tasks, err := secbenchTasks(f.tasks)
	if err != nil {
		return nil, err
	}
	var cells []run.Cell
	for _, agent := range f.agents {
		if _, err := agents.New(agent, agents.Sheet{}); err != nil {
			return nil, clikit.Usagef("--agent: %v", err)
		}
		for _, t := range tasks {
			for _, seed := range f.seeds {
				if seed < 1 || seed > len(task.Seeds) {
					return nil, clikit.Usagef("--seed %d: there are 1 to %d", seed, len(task.Seeds))
				}
				cells = append(cells, run.Cell{Task: t, Seed: seed, Agent: agent, Controller: f.mode, Condition: f.condition})
			}
		}
	}
	return cells, nil
}

func (a *app) runSecbench(ctx context.Context, f secbenchRunFlags) error {
	cells, err := f.cells()
	if err != nil {
		return err
	}
	b, err := a.bench(ctx)
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(f.out); err != nil {
		return err
	}
	progress, fresh, broken := a.cellProgress(), 0, 0
	for i, c := range cells {
		out, ran, err := b.Run(ctx, c, f.out)
		if err != nil {
			return err
		}
		if ran {
			fresh++
		}
		if out.Trouble != nil {
			broken++
			fmt.Fprintf(a.err, "%s: error of the bench: %v\n", out.Run, out.Trouble)
		}
		progress(run.Progress{Done: i + 1, All: len(cells)})
	}
	fmt.Fprintf(a.out, "%d of %d runs finished, %d of them now\n", len(cells), len(cells), fresh)
	if broken > 0 {
		return clikit.Exit(benchBroken)
	}
	return nil
}

func (a *app) secbenchGrade() *cobra.Command {
	return &cobra.Command{
		Use: "grade FOLDER", Short: "Grade recorded runs again and print what each came to", Args: cobra.ExactArgs(1),
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			lines, err := run.ReadIndex(args[0])
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, l := range lines {
				o, err := run.Replay(cmd.Context(), filepath.Join(args[0], l.Run))
				if err != nil {
					return fmt.Errorf("%s: %w", l.Run, err)
				}
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
	c := &cobra.Command{
		Use: "verify FOLDER", Short: "Check that recorded runs are as they were, and are what they are graded as", Args: cobra.ExactArgs(1),
		Long: `Checks the chains and hashes of every run that the index has, makes its files again
from task and seed, decides every call again, grades it again and compares all of
it byte for byte. One line a run: ok, or mismatch with the place. Nothing is
repaired. With --rerun harnesses run again, too; without, their recorded output
counts.`,
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			var runner harness.Runner
			if rerun {
				b, err := a.bench(cmd.Context())
				if err != nil {
					return err
				}
				runner = b.Runner
			}
			return a.verify(cmd.Context(), args[0], runner)
		}),
	}
	c.Flags().BoolVar(&rerun, "rerun", false, "run harnesses again")
	return c
}

func (a *app) verify(ctx context.Context, dir string, runner harness.Runner) error {
	lines, err := run.ReadIndex(dir)
	if err != nil {
		return fmt.Errorf("mismatch %w", err)
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s has no finished run", dir)
	}
	wrong := 0
	for _, l := range lines {
		err := run.Verify(ctx, filepath.Join(dir, l.Run), l, runner)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			wrong++
			fmt.Fprintf(a.out, "%s mismatch %v\n", clikit.Printable(l.Run), clikit.Printable(err.Error()))
			continue
		}
		fmt.Fprintf(a.out, "%s ok\n", l.Run)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d runs are not what was recorded", wrong, len(lines))
	}
	return nil
}

// secbenchToy is this program as a harness starts it.
func (a *app) secbenchToy() *cobra.Command {
	return &cobra.Command{
		Use: toyWords[1] + " TASK BUILD", Short: "Be a toy: read an input and say what happened", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			return harness.RunToy(args[0], args[1], a.in, a.out)
		}),
	}
}
