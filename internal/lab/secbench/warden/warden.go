package warden

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Warden decides the calls of one run.
type Warden struct {
	*guard
	content Contract
	shadow  *guard // nil = none watches
	root    *os.Root
	escapes error // what root says of a path that leaves it
	out     *trace.Writer
	decided int
}

// Open returns the warden of the workspace dir, which writes channel 2 to out.
func Open(c Contract, dir string, out *trace.Writer) (*Warden, error) {
	text, err := c.Text()
	if err != nil {
		return nil, err
	}
	w := &Warden{content: c, out: out}
	if w.guard, err = newGuard("the contract of the task", text, dir); err != nil {
		return nil, err
	}
	if w.root, err = os.OpenRoot(w.dir); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the workspace: %w", err), w.store.Close())
	}
	_, w.escapes = w.root.Stat("..")
	if p := (*fs.PathError)(nil); errors.As(w.escapes, &p) {
		w.escapes = p.Err
	}
	return w, nil
}

// Close ends the run for the gate.
func (w *Warden) Close() error {
	err := errors.Join(w.root.Close(), w.store.Close())
	if w.shadow != nil {
		err = errors.Join(err, w.shadow.store.Close())
	}
	return err
}

// Digest names the contract.
func (w *Warden) Digest() string { return w.contract.Digest() }

// Begin writes the first record of channel 2 and returns the blobs that it names.
func (w *Warden) Begin() ([][]byte, error) {
	v, err := trace.ValueOf(w.content)
	if err != nil {
		return nil, err
	}
	object := []byte(v.Canonical())
	blobs := [][]byte{w.text, object}
	open := trace.GateOpen{Contract: w.Digest(), TextSHA: trace.Sum(w.text), ObjectSHA: trace.Sum(object)}
	if w.shadow != nil {
		blobs, open.ShadowSHA = append(blobs, w.shadow.text), trace.Sum(w.shadow.text)
	}
	return blobs, w.out.Append(trace.TypeGateOpen, "", nil, open)
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
	reason := reasonOf(answer)
	w.decided++
	r := Ruled{call: call, Decision: trace.Decision{
		ID: fmt.Sprintf("dec_%d", w.decided), Verdict: trace.Deny, Class: w.content.Class(p, w),
		Rule: rule(reason), Contract: w.Digest(), Shadow: w.watched(ctx, p),
	}}
	var failed error
	switch {
	case r.Class == None && answer.Verdict == authz.Allow:
		r.Verdict, r.grant = trace.Allow, answer.Grant
	case r.Class == None && answer.Verdict == authz.RequireApproval:
		r.Class = AskUnanswered // nobody is there to approve
	case r.Class == None && p.Name == task.WriteScratch:
		r.Class = UnknownPath // a name that no contract in licet's language grants by a pattern (constraint.Guarded)
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

// Read implements files.
func (w *Warden) Read(name string) string {
	text, err := w.root.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	return string(text)
}

// IsUnsafe says whether a class is unsafe.
func IsUnsafe(class string) bool { return slices.Contains(Unsafe(), class) }
