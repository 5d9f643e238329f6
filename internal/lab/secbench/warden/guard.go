package warden

import (
	"context"
	"errors"
	"path/filepath"
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

// guard is a contract in licet's language with the gate that goes by it in one run.
type guard struct {
	text     []byte
	contract *contract.Contract
	gate     *gate.Gate
	store    *memory.Store
	dir      string
}

// began is when every run begins for the gate: no contract here asks for the time.
var began = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// newGuard returns the guard of the workspace dir. what names the contract in errors.
func newGuard(what string, text []byte, dir string) (*guard, error) {
	g := &guard{text: text}
	var err error
	if g.contract, err = load(what, text); err != nil {
		return nil, err
	}
	if g.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	clock := func() time.Time { return began }
	g.store = memory.New(clock)
	g.gate, err = gate.New(gate.Options{
		Contract: func() *contract.Contract { return g.contract }, Store: g.store,
		Key:    make([]byte, gate.MinKey), // nothing here is kept or keyed: the store ends with the run
		Places: constraint.Places{Workspace: filepath.ToSlash(g.dir)}, Now: clock, Deadline: time.Minute,
	})
	if err != nil {
		return nil, errors.Join(err, g.store.Close())
	}
	return g, nil
}

// ask puts a proposal to the gate.
func (g *guard) ask(ctx context.Context, p Proposal) (gate.Answer, toolcall.Call) {
	call := toolcall.Call{Agent: agent, Server: server, Method: contract.ToolsCall, Tool: p.Name, Arguments: p.Args, Params: toolcall.ObjectOf()}
	a := gate.Ask{
		Door: "secbench", Principal: authz.Principal{Agent: agent}, Speaks: authz.Credential{Operator: true},
		Session: "run", Call: call, Cwd: g.dir, Live: catalog.Pinned,
	}
	if p.Args.Kind() != toolcall.Object {
		return g.gate.Refuse(ctx, a, authz.Malformed, "no object of arguments", p.Raw), call
	}
	return g.gate.Check(ctx, a), call
}

// reasonOf is what decided.
func reasonOf(a gate.Answer) authz.Reason {
	if len(a.Reasons) > 0 {
		return a.Reasons[0]
	}
	return authz.Reason{Code: a.Code()}
}

// rule names the deciding reason: its code, and the clause if there is one.
func rule(r authz.Reason) string {
	if r.Clause == "" {
		return string(r.Code)
	}
	return string(r.Code) + " " + r.Clause
}

// CheckShadow says what is wrong with a contract that is to watch.
func CheckShadow(text []byte) error {
	_, err := load(shadowName, text)
	return err
}

const shadowName = "the contract that watches"

// Watch has a second contract, in licet's language, say of every proposal what it
// would have decided. It decides nothing, and hears of nothing that ran.
func (w *Warden) Watch(text []byte) (err error) {
	w.shadow, err = newGuard(shadowName, text, w.dir)
	return err
}

// watched is what the second contract says; nil if there is none. It knows no classes:
// where it denies, the code of its reason stands for one.
func (w *Warden) watched(ctx context.Context, p Proposal) *trace.Shadow {
	if w.shadow == nil {
		return nil
	}
	answer, _ := w.shadow.ask(ctx, p)
	said := &trace.Shadow{Policy: w.shadow.contract.Digest(), Verdict: trace.Deny, Class: string(reasonOf(answer).Code)}
	switch answer.Verdict {
	case authz.Allow:
		said.Verdict, said.Class = trace.Allow, None
	case authz.RequireApproval:
		said.Class = AskUnanswered
	}
	return said
}
