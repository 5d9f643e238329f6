package agentdojo_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/cli"
	"github.com/licet-dev/licet/internal/lab/agentdojo"
	"github.com/licet-dev/licet/internal/lab/replay"
)

// TestByName looks at the split of the tools that the published figures rest on.
func TestByName(t *testing.T) {
	all, allowed := 0, 0
	for _, suite := range agentdojo.Suites() {
		c, err := agentdojo.Catalog(suite)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range c.Tools {
			all++
			if agentdojo.ByName(suite, tool.Name) == authz.Allow {
				allowed++
			}
		}
	}
	if all != 74 || allowed != 47 {
		t.Errorf("%d of %d tools read by their name, want 47 of 74", allowed, all)
	}
}

// TestReplay replays all 132 traces under the contracts by name: the figures
// are those published for a fail-closed gate with the same split of tools.
func TestReplay(t *testing.T) {
	users, injections := replayAll(t, agentdojo.ByName)
	if want := (replay.Count{Traces: 97, Allowed: 37, Held: 60}); users != want {
		t.Errorf("user tasks: %+v, want %+v", users, want)
	}
	if want := (replay.Count{Traces: 26, Empty: 9, Allowed: 1, Held: 25}); injections != want {
		t.Errorf("injection tasks: %+v, want %+v", injections, want)
	}
}

// TestReplayMoved: the counts come from the contracts. One tool in the other
// group changes them, in each direction.
func TestReplayMoved(t *testing.T) {
	for name, c := range map[string]struct {
		suite, tool string
		verdict     authz.Verdict
		held        int
	}{
		"a tool that acts is allowed":   {"banking", "send_money", authz.Allow, 55},
		"a tool that reads needs a yes": {"banking", "get_most_recent_transactions", authz.RequireApproval, 64},
		"a tool is blocked":             {"banking", "send_money", authz.Block, 54},
	} {
		users, _ := replayAll(t, func(suite, tool string) authz.Verdict {
			if suite == c.suite && tool == c.tool {
				return c.verdict
			}
			return agentdojo.ByName(suite, tool)
		})
		if users.Held != c.held || (users.Blocked > 0) != (c.verdict == authz.Block) {
			t.Errorf("%s: %+v, want %d held", name, users, c.held)
		}
	}
}

// TestDerived: contracts that `licet contract derive` writes from the signatures
// of the tools, with the same split of tools, give the same verdicts. What the
// signatures say stops no honest call.
func TestDerived(t *testing.T) {
	var users, injections replay.Count
	constrained := 0
	for _, suite := range agentdojo.Suites() {
		source := derived(t, suite)
		constrained += strings.Count(string(source.Text), "multiple_of: 1")
		users = users.Add(countOf(t, source, suite, agentdojo.User))
		injections = injections.Add(countOf(t, source, suite, agentdojo.Injection))
	}
	t.Logf("user tasks: %+v; injection tasks: %+v", users, injections)
	if want := (replay.Count{Traces: 97, Allowed: 37, Held: 60}); users != want {
		t.Errorf("user tasks: %+v, want %+v", users, want)
	}
	if want := (replay.Count{Traces: 26, Empty: 9, Allowed: 1, Held: 25}); injections != want {
		t.Errorf("injection tasks: %+v, want %+v", injections, want)
	}
	if constrained == 0 { // the two integers of banking; the others are plain types, which the schema holds
		t.Error("no contract says what a signature says: they are not derived from signatures")
	}
}

// derived returns the contract for a suite that the program derives.
func derived(t *testing.T, suite string) cases.Source {
	t.Helper()
	source, err := agentdojo.Contract(suite, agentdojo.ByName)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(file, source.Files["tools.json"], 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"licet", "contract", "derive", "--agent", agentdojo.Agent, "--catalog", suite + "=" + file}
	c, err := agentdojo.Catalog(suite)
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"get_", "search_", "read_", "list_", "check_"} {
		if slices.ContainsFunc(c.Tools, func(tool catalog.Tool) bool { return strings.HasPrefix(tool.Name, prefix) }) {
			args = append(args, "--allow", prefix+"*")
		}
	}
	var out, problems bytes.Buffer
	if status := cli.Run(t.Context(), args, nil, strings.NewReader(""), &out, &problems); status != 0 {
		t.Fatalf("exit status %d: %s", status, problems.String())
	}
	read, err := cases.ReadSource("licet.yaml", out.Bytes(), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func replayAll(t *testing.T, verdict func(suite, tool string) authz.Verdict) (users, injections replay.Count) {
	t.Helper()
	for _, suite := range agentdojo.Suites() {
		users = users.Add(count(t, suite, agentdojo.User, verdict))
		injections = injections.Add(count(t, suite, agentdojo.Injection, verdict))
	}
	return users, injections
}

func count(t *testing.T, suite string, kind agentdojo.Kind, verdict func(suite, tool string) authz.Verdict) replay.Count {
	t.Helper()
	source, err := agentdojo.Contract(suite, verdict)
	if err != nil {
		t.Fatal(err)
	}
	return countOf(t, source, suite, kind)
}

// countOf replays the traces of one kind under a contract.
func countOf(t *testing.T, source cases.Source, suite string, kind agentdojo.Kind) replay.Count {
	t.Helper()
	traces, err := agentdojo.Traces(suite, kind)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := replay.Run(t.Context(), cases.Core{}, source, replay.Actor{Agent: agentdojo.Agent, Server: suite}, traces)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Tally(outcomes)
}
