package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/agentdojo"
	"github.com/licet-dev/licet/internal/lab/replay"
)

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
			total.Count = total.Plus(n)
		}
		counts = append(counts, total)
	}
	return a.printCounts(counts, asJSON)
}

func replaySuite(ctx context.Context, suite string, kind agentdojo.Kind, verdict rulings) (n replay.Count, err error) {
	source, err := agentdojo.Contract(suite, verdict)
	if err != nil {
		return n, err
	}
	traces, err := agentdojo.Traces(suite, kind)
	if err != nil {
		return n, err
	}
	judge, err := replay.NewJudge(source, agentdojo.Agent, suite)
	if err != nil {
		return n, err
	}
	for _, t := range traces {
		o, err := judge.Play(ctx, t, replay.Options{})
		if err != nil {
			return n, fmt.Errorf("%s: %w", t.ID, err)
		}
		n.Add(o)
	}
	return n, nil
}

func (a *app) provenance() *cobra.Command {
	var contract, out string
	c := &cobra.Command{
		Use: "provenance [RUNS ...]", Short: "Measure a contract with provenance on AgentDojo",
		Long: `Replays AgentDojo v1.2 under the contract of contracts/agentdojo, which knows where
the values of arguments come from, and under what it is compared with: tool
names alone, everything allowed, and the same contract without the user's turns.

Without RUNS the ground truth is replayed: 97 honest tasks, 26 attacks and 609
pairs of both, and attackers who know the contract. RUNS are files of recorded
runs of models on these suites, or on others in the same format.`,
		Example: `  licet-lab provenance
  licet-lab provenance --out report corpora/agentdojo/gemini-2.0-flash-001.jsonl.gz`,
		RunE: clikit.RunE(func(cmd *cobra.Command, args []string) error {
			return a.runProvenance(cmd.Context(), contract, args, out)
		}),
	}
	c.Flags().StringVar(&contract, "contract", "", "another contract with the suites as servers, and an agent \"assistant\"")
	c.Flags().StringVar(&out, "out", "", "folder for the report")
	return c
}

func (a *app) runProvenance(ctx context.Context, contract string, files []string, out string) error {
	source, err := agentdojo.Provenance()
	if contract != "" {
		source, err = readContract(contract)
	}
	if err != nil {
		return err
	}
	m, err := agentdojo.Measure(ctx, source, files)
	if err != nil {
		return err
	}
	if out != "" {
		r, err := m.Report()
		if err != nil {
			return err
		}
		if err := r.Write(out); err != nil {
			return err
		}
	}
	for i, t := range m.Tables() {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintln(a.out, t.Caption)
		if err := t.Print(a.out); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "\nMedian time of an honest task, all decisions with their records in memory: %d µs\n", m.Median().Microseconds())
	for _, r := range m.Recorded() {
		for _, p := range r.Problems {
			err = fmt.Errorf("a record could not be read: %w", p)
			fmt.Fprintln(a.err, clikit.Printable(p.Error()))
		}
	}
	return err
}
