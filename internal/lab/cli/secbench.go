package cli

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// benchBroken is the exit status where more than one run of mostBroken was an error
// of the bench itself: the rest says nothing then.
const (
	benchBroken = 4
	mostBroken  = 50
)

// toyWords make this program a toy of a task, as a harness starts it.
var toyWords = []string{"secbench", "toy"}

func (a *app) secbench() *cobra.Command {
	c := &cobra.Command{
		Use: "secbench", Short: "Measure agents on tasks of finding and mending flaws, behind the gate",
		Long: `The security-agent trace benchmark (docs/secbench.md): an agent looks at a small
folder of files, made for this, with seven tools. Every call is decided by the
gate under a contract of the task, and every run leaves a trace that anybody can
grade again.

Exit status: 0 fine, 1 something is not as it must be, 2 wrong usage, 4 more
than 2 % of the runs were errors of the bench itself.`,
	}
	c.AddCommand(a.secbenchList(), a.secbenchSelftest(), a.secbenchRun(), a.secbenchGrade(), a.secbenchVerify(), a.secbenchReport(), a.secbenchToy())
	return c
}

func (a *app) secbenchList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the tasks, with the word by which a leak into training data is found", Args: cobra.NoArgs,
		Example: "  licet-lab secbench list",
		RunE: clikit.RunE(func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, id := range task.IDs() {
				t, err := task.Get(id)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Family, t.Kind, t.Lang, t.Difficulty, t.GUID)
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
		t, err := task.Get(id)
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

// secbenchToy is this program as a harness starts it.
func (a *app) secbenchToy() *cobra.Command {
	return &cobra.Command{
		Use: toyWords[1] + " TASK BUILD", Short: "Be a toy: read an input and say what happened", Hidden: true, Args: cobra.ExactArgs(2),
		Example: "  licet-lab secbench toy T01 given < input",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			return harness.RunToy(args[0], args[1], a.in, a.out)
		}),
	}
}
