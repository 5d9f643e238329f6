package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	licet "github.com/licet-dev/licet/internal/cli"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/doors"
)

// Run runs the program and returns its exit status. args[0] is the program's
// own name, by which it starts gates and servers.
func Run(ctx context.Context, args, env []string, in io.Reader, out, errOut io.Writer) int {
	if len(args) > 1 && args[1] == gateWord {
		return licet.Run(ctx, append([]string{args[0]}, args[2:]...), env, in, out, errOut)
	}
	return clikit.Run(ctx, args[1:], clikit.Streams{In: in, Out: out, Err: errOut}, func(s clikit.Streams) *cobra.Command {
		a := &app{self: args[0], env: env, in: s.In, out: s.Out, err: s.Err}
		return a.root()
	})
}

// gateWord as the first argument makes this program licet: the gate that the
// lab asks is then the one that it was built with.
const gateWord = "gate"

// app is one run of the program: its surroundings, and nothing global.
type app struct {
	self     string
	env      []string
	in       io.Reader
	out, err io.Writer

	landlock int // version that the sandbox of secbench asks for
}

// executable returns how to start this program again. The name it was started
// by comes first: under `go test` the executable is the test.
func (a *app) executable() (string, error) {
	if path, err := exec.LookPath(a.self); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "licet-lab",
		Short: "Show what licet and its contracts are worth",
		Long: `licet-lab plays cases and recorded tool calls through the gate and counts what
is allowed, held and blocked.

  licet-lab corpus run FILE ...                  cases, each with the answer it must get
  licet-lab corpus lint FILE ...                 whether cases prove something
  licet-lab baselines FILE ...                   the same cases under rules of other languages
  licet-lab replay --contract FILE TRACES ...    what a contract makes of recorded calls
  licet-lab agentdojo                            the same for AgentDojo, under contracts by tool name
  licet-lab provenance                           what provenance does better there
  licet-lab learn --contract FILE TRACES ...     a contract proposed from recorded calls
  licet-lab suggest --contract FILE TRACES ...   what a contract could say instead
  licet-lab authgate run --data DIR ...          judges, asked about contrast pairs
  licet-lab authgate report --data DIR FILE ...  what they decided, held against the labels
  licet-lab report compare BEFORE AFTER          what got worse from one run to the next
  licet-lab authgate validate DIR                whether contrast pairs are sound
  licet-lab authgate build --plan FILE ...       contrast pairs, made with a model
  licet-lab authgate review DIR                  people confirm their labels
  licet-lab secbench selftest                    agents on tasks of finding flaws, checked
  licet-lab fake-llm --script FILE               a model's API without a model
  licet-lab llm probe                            what a model's server can do

Exit status: 0 fine, 1 something is wrong or failed, 2 wrong usage, 5 answers are to
come in files.`,
	}
	root.AddCommand(a.corpus(), a.baselines(), a.replay(), a.agentdojo(), a.provenance(), a.learn(), a.suggest(), a.report(), a.fakeLLM(), a.llm(), a.authgate(), a.secbench(), a.gate(), a.serveCatalog())
	return root
}

// gate is in the tree for its name and help alone: Run hands it over first.
func (a *app) gate() *cobra.Command {
	return &cobra.Command{
		Use: gateWord, Short: "Be licet: all that follows is for it", Hidden: true, DisableFlagParsing: true,
		RunE: clikit.RunE(func(*cobra.Command, []string) error { return nil }),
	}
}

// serveCatalog is the server behind the gate in corpora.
func (a *app) serveCatalog() *cobra.Command {
	return &cobra.Command{
		Use: "serve-catalog DIR", Short: "Serve the tools of a folder over MCP, and keep every line that comes",
		Hidden: true, Args: cobra.ExactArgs(1),
		RunE: clikit.RunE(func(_ *cobra.Command, args []string) error { return doors.Serve(args[0], a.in, a.out) }),
	}
}
