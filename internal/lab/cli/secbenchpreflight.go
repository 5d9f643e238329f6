package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/preflight"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

func (a *app) secbenchPreflight() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "preflight", Short: "Try to get out of the sandbox that harnesses run in", Args: cobra.NoArgs,
		Long: `Starts this program in the sandbox and tries, one by one, what must not work
from there: PF01 to PF24. It passes where nothing worked. Where a layer or the
go command is missing, it is named, with what can be done.

Exit status: 0 all checks held, 3 something is missing or a check did not hold.`,
		Example: "  licet-lab secbench preflight",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			box, err := a.box()
			if err != nil {
				return err
			}
			return a.preflight(cmd.Context(), box, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) preflight(ctx context.Context, box sandbox.Box, asJSON bool) error {
	scratch.Sweep()
	report, err := preflight.Run(ctx, preflight.Config{Box: box})
	if err != nil {
		return a.refuse(err)
	}
	if asJSON {
		if err := json.MarshalWrite(a.out, report, jsontext.WithIndent("  ")); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	} else if err := a.printPreflight(report); err != nil {
		return err
	}
	if len(report.Broken()) > 0 {
		return clikit.Exit(noSandbox)
	}
	return nil
}

func (a *app) printPreflight(report preflight.Report) error {
	fmt.Fprintf(a.out, "layers: %s\nwarning: %s\n", strings.Join(report.Layers, ", "), report.Warning)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range report.Findings {
		word := "held"
		if !f.Held {
			word = "BROKEN"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Code, word, clikit.Printable(strings.Join(append([]string{f.What}, f.Worked...), "; ")))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	held := len(report.Findings) - len(report.Broken())
	_, err := fmt.Fprintf(a.out, "%d of %d checks held\n", held, len(report.Findings))
	return err
}

// remedies say what to do about what is missing.
var remedies = map[string]string{
	"namespaces": "User namespaces must be allowed to this user: see user.max_user_namespaces and, on some distributions,\n" +
		"kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns.",
	"landlock":        "Start a kernel that has it, or name a lower version that will do with --landlock-abi.",
	harness.GoCommand: "There must be one in PATH that can build a test. Tasks that test no tree (families F1 to F4) need none.",
}

// refuse says what is missing and what can be done, where that is what an error is.
func (a *app) refuse(err error) error {
	var missing *sandbox.Missing
	if !errors.As(err, &missing) {
		return err
	}
	fmt.Fprintf(a.err, "licet-lab: %v\n", clikit.Printable(missing.Error()))
	if remedy := remedies[missing.Layer]; remedy != "" {
		fmt.Fprintln(a.err, remedy)
	}
	return clikit.Exit(noSandbox)
}

// box is the sandbox of this program.
func (a *app) box() (sandbox.Box, error) {
	if a.landlock < 1 {
		return sandbox.Box{}, clikit.Usagef("--landlock-abi is 1 or more")
	}
	self, err := a.executable()
	return sandbox.Box{Self: append([]string{self}, insideWords...), ABI: a.landlock}, err
}

// What a task asks of a machine. Each includes those before it.
const (
	needsNothing = iota
	needsSandbox // for toys
	needsGo      // to test trees, in the sandbox
)

func needs(t *task.Task) int {
	switch {
	case len(t.Harness) == 0:
		return needsNothing
	case slices.Contains(t.Harness, task.Visible):
		return needsGo
	}
	return needsSandbox
}

// bench returns what makes runs of tasks on this machine. What they need must be
// there, and the sandbox must hold; the error is a [sandbox.Missing] otherwise.
func (a *app) bench(ctx context.Context, tasks []*task.Task) (run.Bench, error) {
	box, err := a.box()
	if err != nil {
		return run.Bench{}, err
	}
	most := needsNothing
	for _, t := range tasks {
		most = max(most, needs(t))
	}
	if most > needsNothing {
		report, err := preflight.Run(ctx, preflight.Config{Box: box, Toys: most < needsGo})
		if err != nil {
			return run.Bench{}, err
		}
		if broken := report.Broken(); len(broken) > 0 {
			return run.Bench{}, &sandbox.Missing{Layer: "what is checked by " + strings.Join(broken, ", "), Err: errors.New("see licet-lab secbench preflight")}
		}
	}
	return run.Bench{Runner: harness.NewBoxed(ctx, box), Now: time.Now}, nil
}

// runnable returns what makes runs, and those of the cells that it can run. The
// others are counted and printed: those that test trees, where there is no go
// command, and all that need a harness, where there is no sandbox.
func (a *app) runnable(ctx context.Context, cells []run.Cell) (run.Bench, []run.Cell, error) {
	all := len(cells)
	for {
		var tasks []*task.Task
		most := needsNothing
		for _, c := range cells {
			tasks, most = append(tasks, c.Task), max(most, needs(c.Task))
		}
		b, err := a.bench(ctx, tasks)
		var missing *sandbox.Missing
		if !errors.As(err, &missing) {
			return b, cells, err
		}
		able := slices.DeleteFunc(slices.Clone(cells), func(c run.Cell) bool { return needs(c.Task) == most })
		fmt.Fprintf(a.out, "%d of %d runs are not run: %s\n", len(cells)-len(able), all, clikit.Printable(missing.Error()))
		if len(able) == 0 {
			return b, nil, a.refuse(err)
		}
		cells = able
	}
}

// secbenchInside is this program as a sandbox starts it.
func (a *app) secbenchInside() *cobra.Command {
	return &cobra.Command{
		Use: insideWords[1] + " WORD ...", Short: "Put on the sandbox, or be what runs in it", Hidden: true,
		Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
		Example: "  licet-lab secbench inside toy T01 given < input",
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error {
			return preflight.Inside(args, a.in, a.out)
		}),
	}
}
