package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/clikit"
)

// What the programs share, under the names that this package has for it.
const (
	exitFine     = clikit.Fine
	exitFailure  = clikit.Failed
	exitBlock    = clikit.Block
	exitApproval = clikit.Approval
)

type exit = clikit.Exit

var (
	run        = clikit.RunE
	usagef     = clikit.Usagef
	printable  = clikit.Printable
	printJSON  = clikit.PrintJSON
	isTerminal = clikit.IsTerminal
)

// Run runs the program and returns its exit status. args[0] is the program's
// own name, by which it starts itself again where it needs a second process.
func Run(ctx context.Context, args, env []string, in io.Reader, out, errOut io.Writer) int {
	return clikit.Run(ctx, args[1:], clikit.Streams{In: in, Out: out, Err: errOut}, func(s clikit.Streams) *cobra.Command {
		a := &app{self: args[0], environ: env, env: environment(env), in: s.In, out: s.Out, err: s.Err}
		return a.root()
	})
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
1 failure. Treat everything but 0 as "do not run". With --json, what went wrong
is printed as JSON, too: {"error": TEXT}.`,
		Version: programVersion(),
	}
	root.SetVersionTemplate("licet {{.Version}}\n")
	root.AddGroup(
		&cobra.Group{ID: "start", Title: "Start here:"},
		&cobra.Group{ID: "gate", Title: "Decide:"},
		&cobra.Group{ID: "contract", Title: "Contracts and catalogs:"},
		&cobra.Group{ID: "people", Title: "People and records:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"start":    {a.demo(), a.initCommand()},
		"gate":     {a.decide(), a.judgeCommand(), a.mcp(), a.explainCommand(), a.signalsCommand()},
		"contract": {a.contractCommand(), a.catalogCommand()},
		"people":   {a.approvals(), a.credentials(), a.log(), a.why(), a.statusCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.version(), a.bank())
	for _, c := range root.Commands() {
		if slices.Contains(withState, c.Name()) {
			c.PersistentFlags().StringVar(&a.state, "state", "", "state directory: evidence, tickets, limits (default: the user's own state folder)")
		}
	}
	return root
}

// withState are the commands that read or write a state directory, or write
// the name of one down.
var withState = []string{"init", "decide", "judge", "mcp", "approvals", "credentials", "log", "why", "status"}
