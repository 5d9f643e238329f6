package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

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

The scripted agents are ` + strings.Join(agents.Names(), ", ") + `,
and two that differ in a known way: ` + strings.Join(agents.Planted(), ", ") + `.`,
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
	b, cells, err := a.runnable(ctx, cells)
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
	if broken*mostBroken > len(cells) {
		return clikit.Exit(benchBroken)
	}
	return nil
}
