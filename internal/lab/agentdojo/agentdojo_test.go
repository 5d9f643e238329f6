package agentdojo_test

import (
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
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

func replayAll(t *testing.T, verdict func(suite, tool string) authz.Verdict) (users, injections replay.Count) {
	t.Helper()
	for _, suite := range agentdojo.Suites() {
		users = users.Plus(count(t, suite, agentdojo.User, verdict))
		injections = injections.Plus(count(t, suite, agentdojo.Injection, verdict))
	}
	return users, injections
}

func count(t *testing.T, suite string, kind agentdojo.Kind, verdict func(suite, tool string) authz.Verdict) (n replay.Count) {
	t.Helper()
	source, err := agentdojo.Contract(suite, verdict)
	if err != nil {
		t.Fatal(err)
	}
	traces, err := agentdojo.Traces(suite, kind)
	if err != nil {
		t.Fatal(err)
	}
	judge := replay.Judge{Contract: source, Agent: agentdojo.Agent, Server: suite}
	for _, trace := range traces {
		o, err := judge.Play(t.Context(), cases.Core{}, trace, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n.Add(o)
	}
	return n
}
