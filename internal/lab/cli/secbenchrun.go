package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

// secbenchRunFlags are the flags of `secbench run`.
type secbenchRunFlags struct {
	out, mode, condition string
	shadow               string
	agents, tasks        []string
	seeds                []int
	workers              int
	secbenchModelFlags
	secbenchSharedFlags
}

func (a *app) secbenchRun() *cobra.Command {
	var f secbenchRunFlags
	c := &cobra.Command{
		Use: "run --out FOLDER (--agent NAME | --models FILE --model NAME) ...", Short: "Play agents and keep their traces", Args: cobra.NoArgs,
		Long: `Plays each agent on each task with each seed. A run leaves a folder with its trace
below that of --out, and a line in index.jsonl there once it is finished: a run
that the index has is not played again. A command that was stopped or killed goes
on from there when it is given again.

With --database several processes, on as many machines as there are, play the runs
of one set together: start the same command on each. Each has all runs in its own
folder at the end. The schema holds one set.

The scripted agents are
  ` + strings.Join(agents.Names()[:7], ", ") + `,
  ` + strings.Join(agents.Names()[7:], ", ") + `,
and two that differ in a known way: ` + strings.Join(agents.Planted(), ", ") + `.

A model is one of the file of --models (docs/secbench.md), and is asked over the
network: on this machine only, unless --allow-remote says otherwise. A key that is
refused, or a limit that is spent, ends the command before the run is finished.

A run in which a model was not reached is not finished, and nothing is left of it:
it had no answer yet, or there was no connection. Exit status 4 says so, and the
same command plays it. After three of a model in a row no other one of it is begun.

A run that ended in an error of the bench, as where a server fails later on, is
finished, too. Another folder plays it anew.`,
		Example: "  licet-lab secbench run --out runs --agent oracle --task L01\n  licet-lab secbench verify runs",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			if f.workers < 1 {
				return clikit.Usagef("--workers is 1 or more")
			}
			if err := errors.Join(named(f.out), filled(cmd, "task", "agent"), f.secbenchSharedFlags.check(cmd)); err != nil {
				return err
			}
			return a.runSecbench(cmd.Context(), f)
		}),
	}
	c.Flags().StringVar(&f.out, "out", "", "folder for the traces (required)")
	c.Flags().StringSliceVar(&f.agents, "agent", nil, "scripted agents, with commas or given again")
	c.Flags().StringSliceVar(&f.tasks, "task", nil, "tasks to play on, with commas or given again (default: all)")
	c.Flags().IntSliceVar(&f.seeds, "seed", task.Seeds, "seeds of the variants, with commas or given again")
	c.Flags().StringVar(&f.mode, "controller", controller.Strict, controller.Strict+" or "+controller.Repair)
	c.Flags().StringVar(&f.condition, "condition", task.Plain, "of the prompt: "+task.Plain+" or "+task.Authorised)
	c.Flags().IntVar(&f.workers, "workers", runtime.NumCPU(), "how many runs are played at a time")
	c.Flags().StringVar(&f.shadow, "shadow", "", "contract that decides nothing: traces have what it would have said")
	f.secbenchModelFlags.add(c)
	f.secbenchSharedFlags.add(c)
	completions(c, map[string][]string{
		"agent": append(agents.Names(), agents.Planted()...), "task": task.IDs(), "out": nil,
		"controller": {controller.Strict, controller.Repair}, "condition": {task.Plain, task.Authorised},
	})
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err)
	}
	return c
}

// cells are all that is to be played.
func (a *app) cells(f secbenchRunFlags) ([]run.Cell, error) {
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
	players, err := a.secbenchPlayers(f.agents, f.secbenchModelFlags)
	if err != nil {
		return nil, err
	}
	var cells []run.Cell
	for _, player := range players {
		for _, t := range tasks {
			for _, seed := range f.seeds {
				if seed < 1 || seed > len(task.Seeds) {
					return nil, clikit.Usagef("--seed %d: there are 1 to %d", seed, len(task.Seeds))
				}
				cells = append(cells, run.Cell{Task: t, Seed: seed, Player: player, Controller: f.mode, Condition: f.condition})
			}
		}
	}
	return cells, nil
}

// watching is the contract of --shadow, nil if there is none.
func (f secbenchRunFlags) watching() ([]byte, error) {
	if f.shadow == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.shadow)
	if err == nil {
		err = warden.CheckShadow(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--shadow %s: %w", f.shadow, err)
	}
	return text, nil
}

func (a *app) runSecbench(ctx context.Context, f secbenchRunFlags) (err error) {
	cells, err := a.cells(f)
	if err != nil {
		return err
	}
	shadow, err := f.watching()
	if err != nil {
		return err
	}
	scratch.Sweep()
	b, cells, err := a.runnable(ctx, cells)
	if ctx.Err() != nil {
		return errors.New("stopped before a run was begun, and the same command plays them")
	}
	if err != nil {
		return err
	}
	b.Shadow = shadow
	set, err := run.OpenSet(f.out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	if err := set.Private(); err != nil {
		return fmt.Errorf("--out %w", err)
	}
	made := 0 // by a shared run, which leaves nothing to play
	if f.database != "" {
		if made, err = a.playShared(ctx, b, set, cells, f); err != nil {
			return a.open(err, made)
		}
	}
	return a.play(ctx, b, set, cells, f.workers, made)
}

// play plays what a set has not of cells, and says what all of them came to.
func (a *app) play(ctx context.Context, b run.Bench, set *run.Set, cells []run.Cell, workers, made int) error {
	var at run.Progress
	progress, broken := a.cellProgress(), 0
	err := b.Play(ctx, set, cells, workers, func(p run.Progress, out run.Outcome) {
		if at = p; out.Trouble != nil {
			broken++
			fmt.Fprintf(a.err, "%s: error of the bench: %v\n", out.Run, out.Trouble)
		}
		progress(p)
	})
	if ctx.Err() != nil {
		return fmt.Errorf("stopped: %d of %d runs are finished, and the same command plays the others", at.Done, len(cells))
	}
	if err != nil {
		return a.open(err, made+at.New)
	}
	fmt.Fprintf(a.out, "%d of %d runs finished, %d of them now\n", at.Done, at.All, made+at.New)
	if broken*mostBroken > at.All {
		fmt.Fprintf(a.err, "licet-lab: %d of %d runs are errors of the bench, so the others say nothing; another --out plays all anew\n", broken, at.All)
		return clikit.Exit(benchBroken)
	}
	return nil
}

// open says of which runs the models were not reached, if that is the error, after so
// many were finished.
func (a *app) open(err error, made int) error {
	open := (*run.Open)(nil)
	if !errors.As(err, &open) {
		return err
	}
	fmt.Fprintf(a.out, "%d of %d runs finished, %d of them now\n", open.All-open.Runs, open.All, made)
	for _, why := range open.Why {
		fmt.Fprintf(a.err, "not finished: %s\n", why)
	}
	fmt.Fprintf(a.err, "licet-lab: %v\n", open)
	return clikit.Exit(benchBroken)
}
