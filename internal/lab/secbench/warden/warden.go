package warden

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Warden decides the calls of one run.
type Warden struct {
	content  Contract
	contract *contract.Contract
	text     []byte
	gate     *gate.Gate
	store    *memory.Store
	root     *os.Root
	escapes  error // what root says of a path that leaves it
	dir      string
	out      *trace.Writer
	decided  int
}

// began is when every run begins for the gate: no contract here asks for the time.
var began = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// Open returns the warden of the workspace dir, which writes channel 2 to out.
func Open(c Contract, dir string, out *trace.Writer) (*Warden, error) {
	w := &Warden{content: c, out: out}
	var err error
	if w.text, err = c.Text(); err != nil {
		return nil, err
	}
	if w.contract, err = load(w.text); err != nil {
		return nil, err
	}
	if w.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if w.root, err = os.OpenRoot(w.dir); err != nil {
		return nil, fmt.Errorf("opening the workspace: %w", err)
	}
	_, w.escapes = w.root.Stat("..")
	if p := (*fs.PathError)(nil); errors.As(w.escapes, &p) {
		w.escapes = p.Err
	}
	clock := func() time.Time { return began }
	w.store = memory.New(clock)
	w.gate, err = gate.New(gate.Options{
		Contract: func() *contract.Contract { return w.contract }, Store: w.store,
		Key:    make([]byte, gate.MinKey), // nothing here is kept or keyed: the store ends with the run
		Places: constraint.Places{Workspace: filepath.ToSlash(w.dir)}, Now: clock, Deadline: time.Minute,
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close ends the run for the gate.
func (w *Warden) Close() error { return errors.Join(w.root.Close(), w.store.Close()) }

// Digest names the contract.
func (w *Warden) Digest() string { return w.contract.Digest() }

// Begin writes the first record of channel 2 and returns the blobs that it names.
func (w *Warden) Begin() ([][]byte, error) {
	v, err := trace.ValueOf(w.content)
	if err != nil {
		return nil, err
	}
	object := []byte(v.Canonical())
	return [][]byte{w.text, object}, w.out.Append(trace.TypeGateOpen, "", nil, trace.GateOpen{
		Contract: w.Digest(), TextSHA: trace.Sum(w.text), ObjectSHA: trace.Sum(object),
	})
}

// End ties channel 2 to the last event of channel 1.
func (w *Warden) End(runEnd string) error {
	return w.out.Append(trace.TypeGateClose, "", nil, trace.GateClose{RunEnd: runEnd})
}

// Ruled is a decided call.
type Ruled struct {
	trace.Decision
	call  toolcall.Call
	grant *gate.Grant
}

// Decide decides a proposal and records the decision. An error is ours: the call
// does not run, and neither does the rest of the run.
func (w *Warden) Decide(ctx context.Context, p Proposal) (Ruled, error) {
	answer, call := w.ask(ctx, p)
	reason := authz.Reason{Code: answer.Code()}
	if len(answer.Reasons) > 0 {
		reason = answer.Reasons[0]
	}
	w.decided++
	r := Ruled{call: call, Decision: trace.Decision{
		ID: fmt.Sprintf("dec_%d", w.decided), Verdict: trace.Deny, Class: w.content.Class(p, w),
		Rule: rule(reason), Contract: w.Digest(),
	}}
	var failed error
	switch {
	case r.Class == None && answer.Verdict == authz.Allow:
		r.Verdict, r.grant = trace.Allow, answer.Grant
	case r.Class == None && answer.Verdict == authz.RequireApproval:
		r.Class = AskUnanswered // nobody is there to approve
	case r.Class == None:
		failed = fmt.Errorf("the gate blocks what the task grants: %s: %s", r.Rule, reason.Detail)
	}
	args := ""
	if p.Args.Kind() != toolcall.Absent {
		args = trace.Sum([]byte(p.Args.Canonical()))
	}
	return r, errors.Join(failed, w.out.Append(trace.TypeDecision, p.Call, &r.Decision, trace.Ruling{
		Tool: p.Name, ArgsSHA: args, Gate: answer.Verdict.String(),
	}))
}

// rule names the deciding reason: its code, and the clause if there is one.
func rule(r authz.Reason) string {
	if r.Clause == "" {
		return string(r.Code)
	}
	return string(r.Code) + " " + r.Clause
}

// ask puts a proposal to the gate.
func (w *Warden) ask(ctx context.Context, p Proposal) (gate.Answer, toolcall.Call) {
	call := toolcall.Call{Agent: agent, Server: server, Method: contract.ToolsCall, Tool: p.Name, Arguments: p.Args, Params: toolcall.ObjectOf()}
	a := gate.Ask{
		Door: "secbench", Principal: authz.Principal{Agent: agent}, Speaks: authz.Credential{Operator: true},
		Session: "run", Call: call, Cwd: w.dir, Live: catalog.Pinned,
	}
	if p.Args.Kind() != toolcall.Object {
		return w.gate.Refuse(ctx, a, authz.Malformed, "no object of arguments", p.Raw), call
	}
	return w.gate.Check(ctx, a), call
}

// Redeem uses up what lets a call run. Without it nothing may.
func (r Ruled) Redeem() error { return r.grant.Redeem(r.call) }

// Done records what an allowed call did.
func (w *Warden) Done(ctx context.Context, call string, r Ruled, e trace.Effect) error {
	status := gate.Succeeded
	if e.Status != trace.StatusOK {
		status = gate.Failed
	}
	if e.Writes == nil {
		e.Writes = []trace.Write{}
	}
	return errors.Join(
		w.gate.Done(ctx, r.grant, gate.Outcome{Status: status}),
		w.out.Append(trace.TypeEffect, call, &r.Decision, e),
	)
}

// Look implements files.
func (w *Warden) Look(name string) (exists, leaves bool) {
	_, err := w.root.Stat(filepath.FromSlash(name))
	return err == nil, errors.Is(err, w.escapes)
}

// IsUnsafe says whether a class is unsafe.
func IsUnsafe(class string) bool { return slices.Contains(Unsafe(), class) }
