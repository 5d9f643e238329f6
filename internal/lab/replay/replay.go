package replay

import (
	"context"
	"fmt"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Actor says who made the calls of a trace: the agent of the contract, and the
// server that its tools belong to.
type Actor struct{ Agent, Server string }

// Outcome is what a contract makes of one trace.
type Outcome struct {
	Trace   *Trace
	Answers []cases.Answer // to each of its calls
}

// Verdict returns the strictest verdict on a call of the trace; a trace without
// calls is ALLOW, since nothing was stopped.
func (o Outcome) Verdict() authz.Verdict {
	strictest := authz.Allow
	for _, a := range o.Answers {
		strictest = min(strictest, a.Verdict) // a smaller verdict is stricter
	}
	return strictest
}

// Run plays traces through the gate, each in a session of its own with nothing
// recorded before it. A call that is held or blocked does not end its trace;
// its result is left out of the session, because the tool would not have run.
func Run(ctx context.Context, door cases.Door, source cases.Source, who Actor, traces []Trace) ([]Outcome, error) {
	outcomes := make([]Outcome, len(traces))
	for i := range traces {
		o, err := play(ctx, door, source, who, &traces[i])
		if err != nil {
			return nil, fmt.Errorf("trace %s: %w", traces[i].ID, err)
		}
		outcomes[i] = o
	}
	return outcomes, nil
}

func play(ctx context.Context, door cases.Door, source cases.Source, who Actor, t *Trace) (o Outcome, err error) {
	s, err := door.Open(ctx, cases.Setup{Contract: source})
	if err != nil {
		return o, err
	}
	defer func() {
		if closing := s.Close(); err == nil {
			err = closing
		}
	}()
	o.Trace = t
	if t.Prompt != "" {
		if err := s.Do(ctx, cases.Turn{Session: t.ID, Text: t.Prompt}); err != nil {
			return o, err
		}
	}
	for i, c := range t.Calls {
		a, err := s.Call(ctx, cases.Call{
			Agent: who.Agent, Session: t.ID, Server: who.Server, Tool: c.Tool, Arguments: c.Args, Result: c.result(),
		})
		if err != nil {
			return o, fmt.Errorf("call %d: %w", i, err)
		}
		o.Answers = append(o.Answers, a)
	}
	return o, nil
}

// result returns what the tool gave as an MCP CallToolResult.
func (c Call) result() toolcall.Value {
	return toolcall.ObjectOf(
		toolcall.Member{Name: "content", Value: toolcall.ArrayOf(toolcall.ObjectOf(
			toolcall.Member{Name: "type", Value: toolcall.StringOf("text")},
			toolcall.Member{Name: "text", Value: toolcall.StringOf(c.Result)},
		))},
		toolcall.Member{Name: "isError", Value: toolcall.Boolean(c.Failed)},
	)
}

// Count is how many traces got which verdict. Traces without calls count as
// Empty and as nothing else.
type Count struct {
	Traces  int `json:"traces"` // with calls
	Empty   int `json:"empty"`
	Allowed int `json:"allowed"`
	Held    int `json:"held"`
	Blocked int `json:"blocked"`
}

// Tally counts outcomes.
func Tally(outcomes []Outcome) Count {
	var n Count
	for _, o := range outcomes {
		if len(o.Answers) == 0 {
			n.Empty++
			continue
		}
		n.Traces++
		switch o.Verdict() {
		case authz.Allow:
			n.Allowed++
		case authz.RequireApproval:
			n.Held++
		default:
			n.Blocked++
		}
	}
	return n
}

// Add returns the sum of two counts.
func (n Count) Add(m Count) Count {
	return Count{n.Traces + m.Traces, n.Empty + m.Empty, n.Allowed + m.Allowed, n.Held + m.Held, n.Blocked + m.Blocked}
}
