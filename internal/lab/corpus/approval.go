package corpus

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/doors"
	"github.com/licet-dev/licet/internal/toolcall"
)

// approvalInput is the input of an approval row.
type approvalInput struct {
	Sequence []approvalStep `json:"sequence"`
}

// approvalStep is one step of an approval row. call_id and nonce are names that
// a host has for the approval; ours is the ticket.
type approvalStep struct {
	Step      string         `json:"step"` // request, approve, execute, hook_rewrites, wait, timeout
	Agent     string         `json:"agent"`
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	ArgsRaw   string         `json:"arguments_raw"`
	Cwd       string         `json:"cwd"`
	CwdInode  int            `json:"cwd_inode"`
	CallID    string         `json:"call_id"`
	Nonce     string         `json:"nonce"`
	Instance  int            `json:"instance"`
	Purpose   string         `json:"purpose"` // text by the model that the approver reads
	Scope     string         `json:"scope"`
	TTL       int            `json:"ttl_s"`
	After     int            `json:"after_s"`
	Seconds   int            `json:"seconds"`
}

func translateApproval(input []byte) (play, error) {
	var in approvalInput
	if err := strict(input, &in); err != nil {
		return play{}, err
	}
	t := story{play: play{draft: draft{tools: map[string][]toolcall.Value{}, agents: map[string]map[string]toolcall.Value{}}}}
	for i, s := range in.Sequence {
		if s.Scope != "" {
			return play{}, Waits{"approval reuse", fmt.Sprintf("an approval with the scope %q", s.Scope)}
		}
		if err := t.step(s); err != nil {
			return play{}, fmt.Errorf("step %d: %w", i, err)
		}
	}
	if len(t.steps) == 0 {
		return play{}, fmt.Errorf("the sequence has no steps")
	}
	t.last = len(t.steps) - 1
	t.permit()
	return t.play, nil
}

// story is a sequence on the way to a play.
type story struct {
	play
	calls    []cases.Call
	held     cases.Call // that the ticket is about
	approved bool       // and it was not used
	name     string     // that the host has for the approval
	rewrote  jsontext.Value
	instance int
	inode    int
}

// step adds one step.
func (t *story) step(s approvalStep) error {
	switch s.Step {
	case "request", "approve":
		return t.ask(s)
	case "execute":
		return t.execute(s)
	case "hook_rewrites":
		t.rewrote = s.Arguments
	case "wait":
		t.wait(s.Seconds)
	case "timeout":
		t.wait(s.After)
	default:
		return fmt.Errorf("the step %q is not known", s.Step)
	}
	return nil
}

func (t *story) wait(seconds int) {
	t.steps = append(t.steps, cases.Step{Act: cases.Wait{For: time.Duration(seconds) * time.Second}})
}

// ask makes a call that is held, and approves it if the step says so.
func (t *story) ask(s approvalStep) error {
	call, err := t.call(s, s.Arguments)
	if err != nil {
		return err
	}
	t.held, t.name = call, s.CallID+s.Nonce
	t.steps = append(t.steps, cases.Step{Act: call, Expect: cases.Expect{Verdict: authz.RequireApproval}})
	if t.approved = s.Step == "approve"; t.approved {
		t.steps = append(t.steps, cases.Step{Act: cases.Answered{By: approver, Approve: true}})
	}
	if s.TTL != 0 {
		t.draft.expire = fmt.Sprintf("%ds", s.TTL)
	}
	return nil
}

// execute makes a call that names the ticket. What the step leaves out is as it
// was held. Before the last step of a sequence a call must get what makes the
// last one mean something: the approved call is let through, once.
func (t *story) execute(s approvalStep) error {
	if name := s.CallID + s.Nonce; name != t.name {
		return fmt.Errorf("%q names no approval", name)
	}
	args := s.Arguments
	switch {
	case s.ArgsRaw != "":
		args = jsontext.Value(s.ArgsRaw)
	case args == nil:
		args = t.rewrote
	}
	call, err := t.call(s, args)
	if err != nil {
		return err
	}
	want := authz.Block
	if same(call, t.held) && t.approved {
		want, t.approved = authz.Allow, false
	}
	call.Approval = cases.LastTicket
	t.steps = append(t.steps, cases.Step{Act: call, Expect: cases.Expect{Verdict: want}})
	return nil
}

// same says whether two calls are one to an approver.
func same(a, b cases.Call) bool {
	return a.Agent == b.Agent && a.Server == b.Server && a.Tool == b.Tool && a.Arguments.Equal(b.Arguments)
}

// call makes the call of a step, and what must happen before it.
func (t *story) call(s approvalStep, args jsontext.Value) (cases.Call, error) {
	if s.Instance != 0 {
		if t.instance != 0 && t.instance != s.Instance {
			t.steps = append(t.steps, cases.Step{Act: doors.Restart{}})
		}
		t.instance = s.Instance
	}
	c := cases.Call{
		Session: "s1", Agent: cmp.Or(s.Agent, "agent"), Server: cmp.Or(s.Server, onlyServer),
		Tool: cmp.Or(s.Tool, t.held.Tool), Arguments: t.held.Arguments,
	}
	if args != nil {
		v, err := toolcall.Parse(args, toolcall.Bounds{})
		if err != nil {
			return c, err
		}
		c.Arguments = v
	}
	if c.Arguments.Kind() == toolcall.Absent {
		c.Arguments = toolcall.ObjectOf()
	}
	if s.Purpose != "" {
		c.Arguments = with(c.Arguments, "purpose", text(s.Purpose))
	}
	if s.Cwd != "" {
		c.Cwd = t.cwd(s)
	}
	t.calls = append(t.calls, c)
	return c, nil
}

// cwd returns the working directory. Another inode means that the directory was
// exchanged since the step before.
func (t *story) cwd(s approvalStep) string {
	dir := inWorkspace(s.Cwd)
	switch {
	case t.files == nil:
		t.files = []cases.File{{Path: dir + "/.keep"}}
	case s.CwdInode != t.inode:
		t.steps = append(t.steps, cases.Step{Act: doors.Exchange{Dir: dir}})
	}
	t.inode = s.CwdInode
	return dir
}

// with returns an object with one member more.
func with(object toolcall.Value, name string, v toolcall.Value) toolcall.Value {
	members := []toolcall.Member{{Name: name, Value: v}}
	for i := range object.Len() {
		n, value := object.Member(i)
		members = append(members, toolcall.Member{Name: n, Value: value})
	}
	return toolcall.ObjectOf(members...)
}

// permit writes the contract: every agent of the sequence may ask for every
// tool of it.
func (t *story) permit() {
	rules := map[string]toolcall.Value{}
	for _, c := range t.calls {
		if ref := c.Server + "." + c.Tool; rules[ref].Kind() == toolcall.Absent {
			rules[ref] = text("approve")
			t.draft.tools[c.Server] = append(t.draft.tools[c.Server], tool(c.Tool, "", undeclared()))
		}
		t.draft.agents[c.Agent] = rules
	}
}
