package cli

import (
	"context"

	"fmt"

	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/agentdojo"
	"github.com/licet-dev/licet/internal/lab/replay"
)

func (a *app) replay() *cobra.Command {
	var contract string
	var who replay.Actor
	var asJSON bool
	c := &cobra.Command{
		Use: "replay --contract FILE TRACES ...", Short: "Say what a contract makes of recorded tool calls", Args: cobra.MinimumNArgs(1),
		Long: `Decides every call of recorded traces, in order, each trace in a session of its
own: the user's prompt and the results of calls that were let through are facts
of the session. TRACES has one JSON object a line:

  {"id": "t1", "prompt": "...", "calls": [{"tool": "read_file", "args": {"path": "a"}, "result": "..."}]}

A trace counts as blocked if one of its calls is, else as held if one is.`,
		Example: "  licet-lab replay --contract licet.yaml traces.jsonl",
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			return a.runReplay(cmd.Context(), contract, who, args, asJSON)
		}),
	}
	c.Flags().StringVar(&contract, "contract", "", "contract file (required)")
	c.Flags().StringVar(&who.Agent, "agent", "", "agent that made the calls (default: the only one of the contract)")
	c.Flags().StringVar(&who.Server, "server", "", "server of the tools (default: the only one of the contract)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts of each file as JSON, one line a file")
	if err := c.MarkFlagRequired("contract"); err != nil {
		panic(err)
	}
	return c
}

// counted is the count of one set of traces.
type counted struct {
	Name string `json:"name"`
	replay.Count
}

func (a *app) runReplay(ctx context.Context, path string, who replay.Actor, files []string, asJSON bool) error {
	source, err := readContract(path)
	if err != nil {
		return err
	}
	if err := complete(&who, source); err != nil {
		return err
	}
	var counts []counted
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		traces, err := replay.Parse(file, text)
		if err != nil {
			return err
		}
		n, err := tally(ctx, source, who, traces)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		counts = append(counts, counted{file, n})
	}
	return a.printCounts(counts, asJSON)
}

// readContract reads a contract and the files beside it that it names.
func readContract(path string) (cases.Source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return cases.Source{}, err
	}
	return cases.ReadSource(path, text, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		return os.ReadFile(name)
	})
}

// complete fills in the agent and server where there is one of each.
func complete(who *replay.Actor, source cases.Source) error {
	c, err := source.Load()
	if err != nil {
		return err
	}
	if who.Agent, err = clikit.Only("agent", who.Agent, c.Agents()); err != nil {
		return err
	}
	who.Server, err = clikit.Only("server", who.Server, c.Servers())
	return err
}

func tally(ctx context.Context, source cases.Source, who replay.Actor, traces []replay.Trace) (replay.Count, error) {
	outcomes, err := replay.Run(ctx, cases.Core{}, source, who, traces)
	return replay.Tally(outcomes), err
}

func (a *app) printCounts(counts []counted, asJSON bool) error {
	if asJSON {
		for _, c := range counts {
			if err := clikit.PrintJSON(a.out, c); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "traces\tallowed\theld\tblocked\tempty\t\n")
	for _, c := range counts {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t  %s\n", c.Traces, c.Allowed, c.Held, c.Blocked, c.Empty, clikit.Printable(c.Name))
	}
	return w.Flush()
}

func (a *app) agentdojo() *cobra.Command {
	var moved map[string]string
	var asJSON bool
	c := &cobra.Command{
		Use: "agentdojo", Short: "Replay AgentDojo v1.2 under contracts by tool name", Args: cobra.NoArgs,
		Long: `Replays the ground truth of AgentDojo's 97 user tasks and 35 injection tasks under
contracts that know tool names only: a tool is allowed if its name begins with
get_, search_, read_, list_ or check_, and needs an approval otherwise. This is
what finer contracts are measured against.`,
		Example: "  licet-lab agentdojo --rule banking.send_money=allow",
		RunE: clikit.RunE(func(cmd *cobra.Command, _ []string) error {
			verdict, err := movedRules(moved)
			if err != nil {
				return err
			}
			return a.runAgentdojo(cmd.Context(), verdict, asJSON)
		}),
	}
	c.Flags().StringToStringVar(&moved, "rule", nil, "another rule for a tool: SUITE.TOOL=allow, approve or block")
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON, one line a set")
	return c
}

// rulings are verdicts that one tool is given by its suite and name.
type rulings func(suite, tool string) authz.Verdict

// movedRules returns the rules by name with exceptions.
func movedRules(moved map[string]string) (rulings, error) {
	words := map[string]authz.Verdict{"allow": authz.Allow, "approve": authz.RequireApproval, "block": authz.Block}
	for ref, word := range moved {
		suite, tool, _ := strings.Cut(ref, ".")
		c, err := agentdojo.Catalog(suite)
		if err != nil {
			return nil, clikit.Usagef("--rule %s: there are the suites %q", ref, agentdojo.Suites())
		}
		if _, known := c.Tool(tool); !known {
			return nil, clikit.Usagef("--rule %s: the suite %s has no such tool", ref, suite)
		}
		if _, known := words[word]; !known {
			return nil, clikit.Usagef("--rule %s=%s: a rule is allow, approve or block", ref, word)
		}
	}
	return func(suite, tool string) authz.Verdict {
		if word, ok := moved[suite+"."+tool]; ok {
			return words[word]
		}
		return agentdojo.ByName(suite, tool)
	}, nil
}

func (a *app) runAgentdojo(ctx context.Context, verdict rulings, asJSON bool) error {
	var counts []counted
	for _, kind := range []agentdojo.Kind{agentdojo.User, agentdojo.Injection} {
		total := counted{Name: fmt.Sprintf("all %s tasks", kind)}
		for _, suite := range agentdojo.Suites() {
			n, err := replaySuite(ctx, suite, kind, verdict)
			if err != nil {
				return fmt.Errorf("%s: %w", suite, err)
			}
			counts = append(counts, counted{fmt.Sprintf("%s %s tasks", suite, kind), n})
			total.Count = total.Add(n)
		}
		counts = append(counts, total)
	}
	return a.printCounts(counts, asJSON)
}

func replaySuite(ctx context.Context, suite string, kind agentdojo.Kind, verdict rulings) (replay.Count, error) {
	source, err := agentdojo.Contract(suite, verdict)
	if err != nil {
		return replay.Count{}, err
	}
	traces, err := agentdojo.Traces(suite, kind)
	if err != nil {
		return replay.Count{}, err
	}
	return tally(ctx, source, replay.Actor{Agent: agentdojo.Agent, Server: suite}, traces)
}
