package cli

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// benchBroken is the exit status where more than one run of mostBroken was an error
// of the bench itself, so that the rest says nothing, and where models were not reached.
const (
	benchBroken = 4
	mostBroken  = 50
)

// noSandbox is the exit status where harnesses cannot run, because the sandbox lacks
// a layer or does not hold.
const noSandbox = 3

// insideWords start this program as a sandbox does.
var insideWords = []string{"secbench", "inside"}

func (a *app) secbench() *cobra.Command {
	c := &cobra.Command{
		Use: "secbench", Short: "Measure agents on tasks of finding and mending flaws, behind the gate",
		Long: `The security-agent trace benchmark (docs/secbench.md): an agent looks at a small
folder of files, made for this, with seven tools. Every call is decided by the
gate under a contract of the task, and every run leaves a trace that anybody can
grade again.

Exit status: 0 fine, 1 something is not as it must be, 2 wrong usage, 3 the
sandbox lacks a layer or does not hold, 4 more than 2 % of the runs were errors
of the bench itself, or models were not reached.`,
	}
	c.PersistentFlags().IntVar(&a.landlock, "landlock-abi", sandbox.DefaultABI, "version of Landlock that the sandbox asks for; a kernel with a lower one is refused")
	c.AddCommand(
		a.secbenchList(), a.secbenchPreflight(), a.secbenchSelftest(), a.secbenchRun(), a.secbenchGrade(), a.secbenchVerify(),
		a.secbenchReport(), a.secbenchExport(), a.secbenchForeign(), a.secbenchInside(),
	)
	return c
}

func (a *app) secbenchList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the tasks, with the word by which a leak into training data is found", Args: cobra.NoArgs,
		Example: "  licet-lab secbench list",
		RunE: clikit.RunE(func(*cobra.Command, []string) error {
			tasks, err := secbenchTasks(nil)
			if err != nil {
				return err
			}
			var all []listedTask
			for _, t := range tasks {
				all = append(all, listedTask{t.ID, t.Family, t.Kind, t.Lang, t.Difficulty, t.GUID})
			}
			if asJSON {
				return printLines(a.out, all)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, t := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Task, t.Family, t.Kind, t.Lang, t.Difficulty, t.GUID)
			}
			return w.Flush()
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	return c
}

// listedTask is a task as it is listed.
type listedTask struct {
	Task       string `json:"task"`
	Family     string `json:"family"`
	Kind       string `json:"kind"`
	Lang       string `json:"lang"`
	Difficulty string `json:"difficulty"`
	GUID       string `json:"guid"`
}

// printLines writes values as JSON, one a line.
func printLines[T any](w io.Writer, all []T) error {
	for _, v := range all {
		text, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", text); err != nil {
			return err
		}
	}
	return nil
}

// completions offer values of flags, and folders for those that name one.
func completions(c *cobra.Command, values map[string][]string) {
	for name, words := range values {
		next := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
		if words == nil {
			next = folders
		}
		if err := c.RegisterFlagCompletionFunc(name, next); err != nil {
			panic(err)
		}
	}
}

// folders completes names of folders.
var folders = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

// named refuses a required folder that is given as "", which would be this one.
func named(out string) error {
	if out == "" {
		return clikit.Usagef("--out names a folder, and is empty")
	}
	return nil
}

// filled refuses lists that are given as "", as by a variable that is not set: they
// would count as not given.
func filled(c *cobra.Command, flags ...string) error {
	for _, name := range flags {
		words, err := c.Flags().GetStringSlice(name)
		if err != nil {
			return err
		}
		if c.Flags().Changed(name) && len(words) == 0 {
			return clikit.Usagef("--%s is empty: leave it out, or say what it names", name)
		}
	}
	return nil
}

// secbenchTasks loads tasks by their ids, each once; all of them where none are given.
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
		if !slices.ContainsFunc(tasks, func(other *task.Task) bool { return other.ID == t.ID }) {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}
