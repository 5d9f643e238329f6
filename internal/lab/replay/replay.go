package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Judge is a contract and the agent of it that made the calls.
type Judge struct {
	Contract cases.Source
	Agent    string
	Server   string // that the tools belong to; "" = each to the last server, by name, that has a tool of its name

	loaded  *contract.Contract
	servers []string          // of the contract
	owner   map[string]string // of each tool, where Server is ""
}

// NewJudge loads a contract and returns it as the judge of an agent's calls.
func NewJudge(source cases.Source, agent, server string) (Judge, error) {
	c, err := source.Load()
	if err != nil {
		return Judge{}, err
	}
	j := Judge{Contract: source, Agent: agent, Server: server, loaded: c, servers: c.Servers(), owner: map[string]string{}}
	for _, name := range slices.Sorted(slices.Values(j.servers)) {
		pinned, _ := c.Catalog(name) // each server has one
		for _, tool := range pinned.Approved.Tools {
			j.owner[tool.Name] = name
		}
	}
	return j, nil
}

// server returns the server that a tool belongs to. Of a tool that nobody has it is
// the first: the contract lists it nowhere.
func (j Judge) server(tool string) string {
	switch {
	case j.Server != "":
		return j.Server
	case j.owner[tool] != "":
		return j.owner[tool]
	}
	return j.servers[0]
}

// Options of a replay. The zero Options go on after a call that was stopped.
type Options struct {
	End     bool `json:"end"`      // a call that is held or blocked ends its trajectory
	NoTurns bool `json:"no_turns"` // the gate is told of no user turns, as behind a door that has none
}

// Outcome is what a contract makes of one trajectory.
type Outcome struct {
	ID     string            `json:"id"`
	Record string            `json:"record"` // digest of the record
	Labels map[string]string `json:"labels,omitempty"`
	Calls  []Decision        `json:"calls"`
	Asked  int               `json:"asked"` // how many tickets a person would have had to answer
	Took   time.Duration     `json:"-"`     // all decisions together, with their records in memory
}

// Decision is the gate's answer to one call.
type Decision struct {
	Tool    string        `json:"tool"`
	Args    string        `json:"args"` // canonical, or as recorded where they are none
	For     string        `json:"for,omitempty"`
	Verdict authz.Verdict `json:"verdict"`
	Code    authz.Code    `json:"code"`
	Clause  string        `json:"clause,omitempty"`
	Detail  string        `json:"detail,omitempty"` // all that the gate tells operators
	Missed  []Missed      `json:"missed,omitempty"` // where a person is asked: what kept each clause of allow from holding
}

// Missed is a clause that does not hold, and the first thing in it that does not.
type Missed struct {
	Clause   string `json:"clause"`
	Argument string `json:"argument"`
	Word     string `json:"word"`            // of the constraint; "" = the argument is absent, or the condition is none of an argument
	Value    string `json:"value,omitempty"` // canonical
	Why      string `json:"why"`
	Alone    bool   `json:"alone"` // all else in the clause holds
}

// String returns what an operator is told.
func (m Missed) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s %s", m.Clause, m.Argument, m.Value, m.Why))
}

// Verdict returns the strictest verdict on a call; without calls it is ALLOW, since
// nothing was stopped.
func (o Outcome) Verdict() authz.Verdict {
	strictest := authz.Allow
	for _, d := range o.Calls {
		strictest = min(strictest, d.Verdict) // a smaller verdict is stricter
	}
	return strictest
}

// Play plays one trajectory through a gate of its own, with nothing recorded before
// it.
func (j Judge) Play(ctx context.Context, t *trajectory.Trajectory, o Options) (out Outcome, err error) {
	out = Outcome{ID: t.ID, Record: t.Digest, Labels: t.Labels, Calls: []Decision{}}
	door := cases.Core{Load: func(cases.Source) (*contract.Contract, error) { return j.loaded, nil }}
	s, err := door.Open(ctx, cases.Setup{Contract: j.Contract})
	if err != nil {
		return out, err
	}
	defer func() {
		if closing := s.Close(); err == nil {
			err = closing
		}
	}()
	tickets := map[string]bool{}
	for i, step := range t.Steps {
		switch {
		case step.Call != nil:
			err = j.decide(ctx, s, step.Call, &out, tickets)
		case !o.NoTurns:
			err = s.Do(ctx, cases.Turn{Session: session, Text: step.Turn})
		}
		if err != nil {
			return out, fmt.Errorf("step %d: %w", i, err)
		}
		if o.End && out.Verdict() != authz.Allow {
			break
		}
	}
	out.Asked = len(tickets)
	return out, nil
}

// decide asks the gate about one call and notes the answer.
func (j Judge) decide(ctx context.Context, s cases.Session, c *trajectory.Call, out *Outcome, tickets map[string]bool) error {
	call := j.call(c)
	begin := time.Now()
	a, err := s.Call(ctx, call)
	out.Took += time.Since(begin)
	if err != nil {
		return err
	}
	d := decision(c, a)
	if a.Ticket != "" {
		tickets[a.Ticket] = true
		if d.Missed, err = missed(ctx, s, call); err != nil {
			return err
		}
		for i, m := range d.Missed {
			if i > 0 {
				d.Detail += "; "
			}
			d.Detail += m.String()
		}
	}
	out.Calls = append(out.Calls, d)
	return nil
}

// missed says what kept each clause of allow from holding, where a person is asked
// instead.
func missed(ctx context.Context, s cases.Session, call cases.Call) (all []Missed, err error) {
	e, err := s.(cases.Explainer).Explain(ctx, call)
	if err != nil {
		return nil, err
	}
	for _, k := range e.Clauses {
		if k.Step != "allow" || k.Holds {
			continue
		}
		unmet := slices.DeleteFunc(slices.Clone(k.Findings), func(f contract.Finding) bool { return f.Holds })
		if len(unmet) > 0 {
			f := unmet[0]
			all = append(all, Missed{k.Path, f.Argument, f.Kind, f.Value.Canonical(), f.Why, len(unmet) == 1})
		}
	}
	return all, nil
}

// session is the name of the one session that a trajectory has.
const session = "replay"

// call returns a recorded call as its agent would make it. Arguments that are no
// object go to the gate as the text that was recorded.
func (j Judge) call(c *trajectory.Call) cases.Call {
	out := cases.Call{Agent: j.Agent, Session: session, Server: j.server(c.Tool), Tool: c.Tool, Arguments: c.Args, Result: result(c.Result)}
	if c.Flaw != "" {
		out.Raw = []byte(toolcall.ObjectOf(
			member("jsonrpc", toolcall.StringOf("2.0")), member("id", toolcall.StringOf("replay")), member("method", toolcall.StringOf("tools/call")),
			member("params", toolcall.ObjectOf(member("name", toolcall.StringOf(c.Tool)), member("arguments", toolcall.StringOf(c.RawArgs)))),
		).Canonical())
	}
	return out
}

func member(name string, v toolcall.Value) toolcall.Member {
	return toolcall.Member{Name: name, Value: v}
}

// result returns what the tool gave as an MCP CallToolResult.
func result(r *trajectory.Result) toolcall.Value {
	if r == nil {
		return toolcall.Value{}
	}
	text := toolcall.ObjectOf(member("type", toolcall.StringOf("text")), member("text", toolcall.StringOf(r.Text)))
	return toolcall.ObjectOf(member("content", toolcall.ArrayOf(text)), member("isError", toolcall.Boolean(r.Failed)))
}

func decision(c *trajectory.Call, a cases.Answer) Decision {
	d := Decision{Tool: c.Tool, Args: c.Args.Canonical(), For: c.For, Verdict: a.Verdict}
	if c.Flaw != "" {
		d.Args = c.RawArgs
	}
	for i, r := range a.Reasons {
		if i == 0 {
			d.Code, d.Clause = r.Code, r.Clause
		}
		if r.Detail != "" && d.Detail != "" {
			d.Detail += "; "
		}
		d.Detail += r.Detail
	}
	return d
}

// Count is how many trajectories got which verdict. Those without calls count as
// Empty and as nothing else.
type Count struct {
	Traces  int `json:"traces"` // with calls
	Empty   int `json:"empty"`
	Allowed int `json:"allowed"`
	Held    int `json:"held"`
	Blocked int `json:"blocked"`
}

// Add counts one more outcome.
func (n *Count) Add(o Outcome) {
	if len(o.Calls) == 0 {
		n.Empty++
		return
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

// CountOf counts outcomes.
func CountOf(all []Outcome) (n Count) {
	for _, o := range all {
		n.Add(o)
	}
	return n
}

// Calls is how many calls of trajectories got which verdict, and which codes decided
// about those that were stopped.
type Calls struct {
	All, Held, Blocked int
	Codes              map[authz.Code]int
}

// CallsOf counts the calls of outcomes.
func CallsOf(all []Outcome) Calls {
	n := Calls{Codes: map[authz.Code]int{}}
	for _, o := range all {
		for _, d := range o.Calls {
			n.All++
			switch d.Verdict {
			case authz.Allow:
				continue
			case authz.RequireApproval:
				n.Held++
			default:
				n.Blocked++
			}
			n.Codes[d.Code]++
		}
	}
	return n
}

// Plus returns the sum of two counts.
func (n Count) Plus(m Count) Count {
	return Count{n.Traces + m.Traces, n.Empty + m.Empty, n.Allowed + m.Allowed, n.Held + m.Held, n.Blocked + m.Blocked}
}
