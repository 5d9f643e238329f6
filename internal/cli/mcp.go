package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/mcpproxy"
	"github.com/licet-dev/licet/internal/sqlcheck"
)

// mcpFlags are the flags of `licet mcp`.
type mcpFlags struct {
	contract, models, agent, server, workspace, session string
	hold                                                time.Duration
	maxMessage                                          int
}

func (a *app) mcp() *cobra.Command {
	var f mcpFlags
	c := &cobra.Command{
		Use:   "mcp --contract FILE [--agent A] [--server NAME] -- CMD [ARG ...]",
		Short: "Stand between an MCP client and a stdio MCP server",
		Long: `Starts CMD as an MCP server and speaks to the client on standard input and
output. Only calls that the contract permits reach the server, byte for byte as
they came. A held call waits --hold for an answer, then returns its ticket; the
same call, repeated, finds the answer.

Put that command where the client's configuration has the server's own command;
"licet init" prints the lines. --agent and --server may be left out where the
contract has one of each. Messages for people go to standard error.`,
		Example: "  licet mcp --contract licet.yaml -- npx -y @modelcontextprotocol/server-filesystem DIR",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 0 || len(args) == 0 {
				return usagef("the server's command must follow --, for example:\n%s", cmd.Example)
			}
			return nil
		},
		RunE: run(func(cmd *cobra.Command, args []string) error { return a.runMCP(cmd.Context(), f, args) }),
	}
	c.Flags().StringVar(&f.contract, "contract", "", "contract file (required)")
	c.Flags().StringVar(&f.models, "models", "", modelsHelp)
	c.Flags().StringVar(&f.agent, "agent", "", "agent of the contract that the client speaks for")
	c.Flags().StringVar(&f.server, "server", "", "name that the contract gives the server")
	c.Flags().StringVar(&f.workspace, "workspace", "", "directory that ${workspace} stands for in the contract")
	c.Flags().StringVar(&f.session, "session", "", "session of the calls (default: one for all servers that the same client process starts)")
	c.Flags().DurationVar(&f.hold, "hold", 20*time.Second, "how long a held call waits for its answer before the ticket is returned")
	c.Flags().IntVar(&f.maxMessage, "max-message", 0, "largest message in bytes (default 4 MiB)")
	if err := c.MarkFlagRequired("contract"); err != nil {
		panic(err)
	}
	return c
}

func (a *app) runMCP(ctx context.Context, f mcpFlags, argv []string) error {
	if f.hold < 0 {
		return usagef("--hold: a call cannot wait for %v", f.hold)
	}
	if f.workspace != "" {
		f.workspace = absolute(f.workspace)
	}
	places, err := facts.ResolvePlaces(f.workspace)
	if err != nil {
		return fmt.Errorf("workspace %q: %w", f.workspace, err)
	}
	s, err := a.openState(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	w, err := watchContract(ctx, f.contract, places, s, a.err)
	if err != nil {
		return err
	}
	if f.agent, err = clikit.Only("agent", f.agent, w.file.contract.Agents()); err != nil {
		return err
	}
	if f.server, err = clikit.Only("server", f.server, w.file.contract.Servers()); err != nil {
		return err
	}
	g, err := a.newGate(s, w.current, places, a.models(s, f.models, places, w.current))
	if err != nil {
		return err
	}
	speaks, err := a.speaks(ctx, s)
	if err != nil {
		return err
	}
	announceShadow(a.err, w.file.contract)
	if agent := w.file.contract.Agent(f.agent); agent != nil && agent.ReadsSQL(sqlcheck.PostgreSQL) {
		go sqlcheck.Start(sqlcheck.PostgreSQL) // the first call need not wait for it
	}
	session := f.session
	if session == "" {
		if session = clientSession(os.Getppid()); session == "" {
			fmt.Fprintln(a.err, noSession)
		}
	}
	return mcpproxy.Run(ctx, mcpproxy.Options{
		Gate: g, Speaks: speaks, Agent: f.agent, Server: f.server, Session: session, Command: argv,
		Env: a.environ, In: a.in, Out: a.out, Log: a.err, Hold: f.hold, MaxMessage: f.maxMessage,
	})
}
