package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
)

// The exit statuses.
const (
	exitFine     = 0
	exitFailure  = 1
	exitUsage    = 2
	exitBlock    = 3
	exitApproval = 4
)

// Run runs the program and returns its exit status. args[0] is the program's
// own name, by which it starts itself again where it needs a second process.
func Run(ctx context.Context, args, env []string, in io.Reader, out, errOut io.Writer) (status int) {
	defer func() {
		if p := recover(); p != nil { // the runtime's own status would read as wrong usage
			fmt.Fprintf(errOut, "licet: a defect, please report it: %v\n%s", p, debug.Stack())
			status = exitFailure
		}
	}()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{self: args[0], environ: env, env: environment(env), in: in, out: out, err: errOut}
	root := a.root()
	root.SetArgs(args[1:])
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	return a.status(root.ExecuteContext(ctx))
}

// app is one run of the program: its surroundings, and nothing global.
type app struct {
	self     string
	environ  []string
	env      map[string]string
	in       io.Reader
	out, err io.Writer
	state    string // --state
}

func environment(env []string) map[string]string {
	m := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		m[name] = value
	}
	return m
}

// exit ends the program with a status and nothing more to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exitOf returns the exit status of a verdict.
func exitOf(v authz.Verdict) int {
	switch v {
	case authz.Allow:
		return exitFine
	case authz.RequireApproval:
		return exitApproval
	default:
		return exitBlock
	}
}

// failure is an error of a command that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// run makes a command's function. What it returns is a failure; what cobra
// itself returns, before the function is called, is wrong usage.
func run(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		var e exit
		if err == nil || errors.As(err, &e) || errors.As(err, new(usage)) {
			return err
		}
		return failure{err}
	}
}

// usage is wrong usage that only the command itself can see.
type usage struct{ msg string }

func (u usage) Error() string { return u.msg }

func usagef(format string, args ...any) error { return usage{fmt.Sprintf(format, args...)} }

// status prints an error and returns the exit status for it.
func (a *app) status(err error) int {
	var e exit
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &e):
		return int(e)
	case errors.As(err, new(failure)):
		fmt.Fprintf(a.err, "licet: %v\n", err)
		return exitFailure
	default:
		fmt.Fprintf(a.err, "licet: %v\nRun `licet help` to see what there is.\n", err)
		return exitUsage
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "licet",
		Short: "Decide, before it runs, whether an AI agent's tool call is authorized",
		Long: `licet stands between an AI agent and its tools. A contract says which agent may
call which tool with which arguments; all else is refused. Every decision is
ALLOW, BLOCK or REQUIRE_APPROVAL, and is recorded before anything runs.

  licet demo                            see it work, offline, in a few seconds
  licet init --from-mcp -- CMD ...      write a starter contract for an MCP server
  licet mcp --contract FILE -- CMD ...  put the gate in front of that server
  licet approvals watch                 answer held calls in a second window

Exit status: 0 fine or ALLOW, 3 BLOCK, 4 REQUIRE_APPROVAL, 2 wrong usage,
1 failure. Treat everything but 0 as "do not run".`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&a.state, "state", "", "state directory: evidence, tickets, limits (default: the user's own state folder)")
	root.AddGroup(
		&cobra.Group{ID: "start", Title: "Start here:"},
		&cobra.Group{ID: "gate", Title: "Decide:"},
		&cobra.Group{ID: "contract", Title: "Contracts and catalogs:"},
		&cobra.Group{ID: "people", Title: "People and records:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"start":    {a.demo(), a.initCommand()},
		"gate":     {a.decide(), a.mcp()},
		"contract": {a.contractCommand(), a.catalogCommand()},
		"people":   {a.approvals(), a.log(), a.statusCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.version(), a.bank())
	return root
}
