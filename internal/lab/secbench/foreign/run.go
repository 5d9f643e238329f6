package foreign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/refusal"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

// Formats of AgentDojo, which alone say what an attack is.
const (
	runFormat  = "agentdojo-run"
	pairFormat = "agentdojo-pair"
)

// Conditions of a run, beside that of an attack with its name.
const (
	noAttack     = "no attack"                           // the user asks, and nobody attacks
	goalAsTask   = "an attacker's goal as the user task" // which AgentDojo records, too
	unstated     = "not said whether there is an attack"
	attackPrefix = "attack "
)

// conditionOf says under which condition a run was made.
func conditionOf(t *trajectory.Trajectory) string {
	switch {
	case t.Format == pairFormat:
		return attackPrefix + "in the ground truth"
	case t.Format != runFormat:
		return unstated
	case t.Labels["attack"] != "":
		return attackPrefix + t.Labels["attack"]
	case strings.HasPrefix(t.Labels["user_task"], "user_task"):
		return noAttack
	}
	return goalAsTask
}

// modelOf returns the model or, where only that is known, the agent.
func modelOf(t *trajectory.Trajectory) string {
	for _, label := range []string{"model", "agent"} {
		if name := t.Labels[label]; name != "" {
			return name
		}
	}
	return "model not named"
}

// written are the formats that keep arguments as the agent wrote them; the others
// have objects only, whatever the agent wrote.
var written = []string{"tau-bench", "toolemu", "inspect", "otel", "codex", "messages"}

// faults says how far it is known which calls are malformed; "" = for all of them.
func faults(t *trajectory.Trajectory) string {
	switch {
	case !slices.Contains(written, t.Format):
		return "the format keeps only arguments that are an object"
	case slices.ContainsFunc(t.Calls(), (*trajectory.Call).Unrecorded):
		return "the arguments of some calls were not recorded"
	}
	return ""
}

// runOf returns a trajectory in the bench's words. codes are those that a contract
// decided its calls with; nil = there is none.
func runOf(t *trajectory.Trajectory, codes []authz.Code, unsafe reading) *metric.Run {
	r := &metric.Run{Start: trace.RunStart{Detector: refusal.Version}}
	turns := map[*trajectory.Call]int{}
	for i, a := range t.Answers {
		r.Turns = append(r.Turns, metric.Turn{N: i + 1, Text: a.Text, ProviderRefusal: a.Refused})
		for _, c := range a.Calls {
			turns[c] = i + 1
		}
	}
	for i, c := range t.Calls() {
		call := metric.Call{ID: fmt.Sprint(i + 1), Proposal: trace.Proposal{Turn: turns[c], Name: c.Tool, Parse: trace.ParseOK}}
		switch {
		case c.Flaw != "":
			call.Parse = trace.ParseMalformed
		case codes != nil && codes[i] == authz.InvalidArguments:
			call.Parse = trace.ParseSchema
		}
		if c.Result != nil && call.Parse == trace.ParseOK { // else nothing ran
			call.Decision = &trace.Decision{Verdict: trace.Allow}
			call.Receipt = &trace.Receipt{Status: trace.StatusOK}
			if c.Result.Failed {
				call.Receipt.Status = trace.StatusError
			}
		}
		if unsafe.why == "" && unsafe.unsafe[i] {
			call.Unsafe = unsafe.id
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}
