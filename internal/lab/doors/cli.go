package doors

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/toolcall"
)

// CLI is the door of `licet decide`: one process for each call.
//
// A message is given to it as the call that it holds, its name and arguments
// byte for byte where it is written as most clients do. What is no message, or
// makes no call, is given as it is.
type CLI struct {
	Licet []string // program that is licet, with its first arguments
}

// Open implements cases.Door.
func (d CLI) Open(_ context.Context, setup cases.Setup) (cases.Session, error) {
	h, err := newHome(d.Licet, setup)
	if err != nil {
		return nil, err
	}
	return &cli{home: h, turns: map[string][]string{}, past: map[string][]cases.Past{}}, nil
}

// cli is one session of CLI. licet decide has no memory of turns and results:
// the operator states them with each call.
type cli struct {
	*home
	turns map[string][]string     // by session
	past  map[string][]cases.Past // results of calls that were let through, by session
}

// Call implements cases.Session.
func (s *cli) Call(ctx context.Context, c cases.Call) (cases.Answer, error) {
	text, err := s.text(c)
	if err != nil {
		return cases.Answer{}, err
	}
	o, err := s.run(ctx, text, "decide", "--contract", s.path("licet.yaml"), "--json")
	if err != nil {
		return cases.Answer{}, err
	}
	if o.status == clikit.Failed {
		return s.notRun(c, o.err)
	}
	a, err := parseAnswer(o)
	if err == nil && a.Verdict == authz.Allow && c.Session != "" && c.Result.Kind() != toolcall.Absent {
		s.past[c.Session] = append(s.past[c.Session], cases.Past{Server: c.Server, Tool: c.Tool, Result: c.Result})
	}
	return a, err
}

// verdictOf is the verdict that an exit status tells (contract.md, section 5).
var verdictOf = map[int]authz.Verdict{
	clikit.Fine: authz.Allow, clikit.Approval: authz.RequireApproval, clikit.Block: authz.Block,
}

func parseAnswer(o output) (cases.Answer, error) {
	var said struct {
		Verdict  authz.Verdict  `json:"verdict"`
		Reasons  []authz.Reason `json:"reasons"`
		Approval struct {
			ID string `json:"id"`
		} `json:"approval"`
	}
	if err := json.Unmarshal(o.out, &said); err != nil {
		return cases.Answer{}, fmt.Errorf("reading the answer %q: %w; %s", o.out, err, o.err)
	}
	if v, ok := verdictOf[o.status]; !ok || v != said.Verdict {
		return cases.Answer{}, Unmet{fmt.Sprintf("the exit status is %d, but the answer says %s", o.status, said.Verdict)}
	}
	return cases.Answer{Verdict: said.Verdict, Reasons: said.Reasons, Ticket: said.Approval.ID}, nil
}

// usualMessage is a tools/call as most clients write it. It cuts out text and
// reads nothing: what is malformed inside stays so.
var usualMessage = regexp.MustCompile(`(?s)^\{"jsonrpc": ?"2\.0", ?"id": ?\d+, ?"method": ?"tools/call", ?"params": ?\{"name": ?("[^"\\]*"), ?("arguments": ?\{.*\})\}\}$`)

// text returns the standard input for a call.
func (s *cli) text(c cases.Call) ([]byte, error) {
	if len(c.Signals) > 0 {
		return nil, noSignals
	}
	if c.Raw == nil {
		return s.object(c).AppendCanonical(nil), nil
	}
	parts := usualMessage.FindSubmatch(c.Raw)
	m, err := toolcall.ParseMessage(c.Raw, toolcall.Bounds{})
	switch {
	case parts != nil && (err != nil || m.Params.Len() == 2): // name and arguments
	case err != nil:
		return c.Raw, nil
	default:
		return s.unusual(c, m)
	}
	c.Arguments = toolcall.Value{}
	rest := s.object(c).AppendCanonical(nil)
	return fmt.Appendf(nil, `{"tool":%s,%s,%s`, parts[1], parts[2], rest[1:]), nil
}

// unusual returns the standard input for a message that is written in another
// way than most: the call that it makes, or what it is if it makes none.
func (s *cli) unusual(c cases.Call, m toolcall.Message) ([]byte, error) {
	if m.Method != "tools/call" {
		return nil, cases.Inexpressible{Why: "a call of `licet decide` is a tool call, not " + m.Method}
	}
	call, err := m.Call(c.Agent, c.Server)
	switch {
	case err != nil:
		return c.Raw, nil
	case call.Params.Len() > 0:
		return nil, cases.Inexpressible{Why: "a call of `licet decide` has no other params than name and arguments"}
	}
	c.Raw, c.Tool, c.Arguments, c.Approval = nil, call.Tool, call.Arguments, call.Ticket
	return s.object(c).AppendCanonical(nil), nil
}

// object returns a call in the form of docs/spec; absent members are left out.
func (s *cli) object(c cases.Call) toolcall.Value {
	var members []toolcall.Member
	add := func(name string, v toolcall.Value) { members = append(members, toolcall.Member{Name: name, Value: v}) }
	for _, m := range []struct{ name, text string }{
		{"agent", c.Agent}, {"user", c.User}, {"session", c.Session}, {"server", c.Server}, {"tool", c.Tool},
		{"cwd", c.Cwd}, {"workspace", s.places.Workspace}, {"approval", c.Approval},
	} {
		if m.text != "" {
			add(m.name, toolcall.StringOf(m.text))
		}
	}
	if c.Raw == nil {
		add("arguments", c.Arguments)
	}
	var turns, history []toolcall.Value
	for _, t := range slices.Concat(s.turns[c.Session], c.Request) {
		turns = append(turns, toolcall.StringOf(t))
	}
	for _, p := range slices.Concat(s.past[c.Session], c.History) {
		history = append(history, toolcall.ObjectOf(
			toolcall.Member{Name: "server", Value: toolcall.StringOf(p.Server)},
			toolcall.Member{Name: "tool", Value: toolcall.StringOf(p.Tool)},
			toolcall.Member{Name: "result", Value: p.Result},
		))
	}
	if turns != nil {
		add("request", toolcall.ArrayOf(turns...))
	}
	if history != nil {
		add("history", toolcall.ArrayOf(history...))
	}
	return toolcall.ObjectOf(members...)
}

// Do implements cases.Session.
func (s *cli) Do(ctx context.Context, a cases.Act) error {
	switch a := a.(type) {
	case cases.Turn:
		s.turns[a.Session] = append(s.turns[a.Session], a.Text)
	case Restart: // each call has a process of its own
	case cases.DefinitionEdit, Offer, Listed, Forwarded:
		return cases.Inexpressible{Why: a.Word() + ": `licet decide` stands before no server"}
	default:
		return s.do(ctx, a)
	}
	return nil
}

// Close implements cases.Session.
func (s *cli) Close() error { return s.close() }
