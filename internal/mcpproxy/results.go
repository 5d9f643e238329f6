package mcpproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/toolcall"
)

// respond passes an answer on to the owner of lane l, who asked.
func (r *relay) respond(ctx context.Context, l *lane, m toolcall.Message, wire []byte) {
	q := l.answered(m.ID)
	switch {
	case q == nil:
		r.log.Printf("dropped an answer to the %s that nothing waits for, id %s", l.from, m.RawID)
		return
	case q.own != nil:
		q.own <- m
		return
	}
	out, err := r.review(ctx, q, m, wire)
	if q.judged() {
		r.done(ctx, q.grant, outcome(m, err))
	}
	if err != nil {
		r.log.Printf("replaced the answer to %s: %v", q.msg.Method, err)
		out = unusable(q, err)
	}
	r.deliver(l, out)
}

// unusable answers a request whose answer can't be passed on.
func unusable(q *request, err error) []byte {
	text := "licet: " + err.Error()
	if q.call.Tool == "" {
		return errorReply(q.msg.RawID, codeBadAnswer, text)
	}
	return toolReply(q, text, toolcall.Value{})
}

// outcome is what an answer says about its call. A result that must not count
// as a source for later calls is never "succeeded".
func outcome(m toolcall.Message, reviewed error) gate.Outcome {
	isError := m.Result.Get("isError")
	switch {
	case reviewed != nil:
		return gate.Outcome{Status: gate.Failed, Detail: reviewed.Error()}
	case m.Error.Kind() != toolcall.Absent:
		return gate.Outcome{Status: gate.Failed, Detail: "the server answered with an error"}
	case isError.Kind() != toolcall.Absent && !isError.Equal(toolcall.Boolean(false)):
		return gate.Outcome{Status: gate.Failed, Detail: "the tool answered with an error"}
	case m.Result.Get("resultType").Text() == inputRequired:
		return gate.Outcome{Status: gate.Unknown, Detail: "the server asks for input before it goes on"}
	case m.Result.Get("resultType").Text() == "task" || m.Result.Get("task").Kind() == toolcall.Object:
		return gate.Outcome{Status: gate.Unknown, Detail: "the call goes on as a task"}
	}
	return gate.Outcome{Status: gate.Succeeded, Result: m.Result}
}

// urlElicitation is the error by which a server of 2025-11-25 asks the client
// to open an address.
const urlElicitation = "-32042"

// inputRequired is the type of a result that carries requests of the server
// (MCP 2026-07-28).
const inputRequired = "input_required"

var errInput = errors.New("the server asked the client for something in a way that licet does not pass on")

// review returns the bytes that the client may see of an answer. An error says
// why it may see none; it is shown to the agent.
func (r *relay) review(ctx context.Context, q *request, m toolcall.Message, wire []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Printf("reading the answer to %s: panic: %v\n%s", q.msg.Method, p, debug.Stack())
			out, err = nil, errors.New("the answer could not be read")
		}
	}()
	if err := ambiguous(m); err != nil {
		return nil, err
	}
	if err := r.judgeInput(ctx, m); err != nil {
		return nil, err
	}
	if m.Result.Kind() == toolcall.Absent {
		return wire, nil
	}
	switch q.msg.Method {
	case "tools/list":
		return r.filter(q, m, wire)
	case "initialize", "server/discover":
		return r.withhold(m, wire), nil
	}
	return wire, nil
}

// judgeInput refuses an answer that carries requests of the server, unless each
// of them is allowed as if the server had sent it by itself; and an answer of a
// type that is not known (MCP 2026-07-28, resultType).
func (r *relay) judgeInput(ctx context.Context, m toolcall.Message) error {
	if code := m.Error.Get("code"); code.Kind() == toolcall.Number && code.Canonical() == urlElicitation {
		return errInput
	}
	asked := m.Result.Get("inputRequests")
	kind := m.Result.Get("resultType")
	switch {
	case m.Result.Get("task").Get("inputRequests").Kind() != toolcall.Absent:
		return errInput
	case kind.Text() == inputRequired:
		return r.judgeRequests(ctx, asked)
	case asked.Kind() != toolcall.Absent:
		return errInput
	case kind.Kind() == toolcall.Absent, kind.Text() == "complete", kind.Text() == "task":
		return nil
	}
	return errors.New("the server gave a result of an unknown type")
}

// judgeRequests asks the gate about each request that a result carries.
func (r *relay) judgeRequests(ctx context.Context, asked toolcall.Value) error {
	if k := asked.Kind(); k != toolcall.Object && k != toolcall.Absent {
		return errInput
	}
	for i := range asked.Len() {
		_, request := asked.Member(i)
		if err := r.judgeRequest(ctx, request); err != nil {
			return err
		}
	}
	return nil
}

func (r *relay) judgeRequest(ctx context.Context, v toolcall.Value) error {
	method, known := lookup(Server, v.Get("method").Text(), false)
	if !known || !method.Judged {
		return errInput
	}
	m, err := toolcall.ParseMessage(toolcall.ObjectOf(
		toolcall.Member{Name: "jsonrpc", Value: toolcall.StringOf("2.0")},
		toolcall.Member{Name: "id", Value: toolcall.StringOf("input")},
		toolcall.Member{Name: "method", Value: v.Get("method")},
		toolcall.Member{Name: "params", Value: v.Get("params")},
	).AppendCanonical(nil), r.bounds)
	if err != nil {
		return errInput
	}
	call, err := m.Call(r.ask.Principal.Agent, r.server)
	if err != nil {
		return errInput
	}
	a := r.judge(ctx, call, catalog.Unverified)
	if a.Verdict != authz.Allow {
		return fmt.Errorf("the server asked for %s: %s", method.Name, strings.TrimPrefix(a.Told(), "licet: "))
	}
	if err := r.gate.Redeem(a.Grant, call); err != nil {
		return errInput
	}
	r.done(ctx, a.Grant, gate.Outcome{Status: gate.Unknown, Detail: "passed on inside a result"})
	return nil
}

// filter takes out of a listing what the agent can't call.
func (r *relay) filter(q *request, m toolcall.Message, wire []byte) ([]byte, error) {
	page, err := toolsOf(m.Result)
	if err != nil {
		return nil, fmt.Errorf("the server's listing can't be read: %w", err)
	}
	complete := !continues(q.msg.Params.Get("cursor")) && !continues(m.Result.Get("nextCursor"))
	r.tools.seen(q.generation, page, complete)

	result, _ := whole(m.Raw).member(m.Raw, "result")
	list, _ := result.member(m.Raw, "tools")
	places := list.elements(m.Raw)
	if len(places) != len(page) {
		return nil, errors.New("the server's listing can't be edited")
	}
	var kept [][]byte
	named := byName(page)
	for i, def := range page {
		if name := def.Get("name").Text(); r.visible(name, named[name]) {
			kept = append(kept, places[i].text(m.Raw))
		}
	}
	if len(kept) == len(page) {
		return wire, nil
	}
	edits := []edit{{list, fmt.Appendf(nil, "[%s]", bytes.Join(kept, []byte{','}))}}
	if q.modern() || m.Result.Get("cacheScope").Kind() != toolcall.Absent {
		edits = append(edits, result.set(m.Raw, "cacheScope", `"private"`))
	}
	return apply(wire, edits), nil
}

// visible reports whether the agent may see a tool: it is the approved one, and
// the agent's contract lists it.
func (r *relay) visible(name string, definitions []toolcall.Value) bool {
	return r.tools.compare(definitions) == catalog.Pinned && r.gate.Lists(r.ask.Principal.Agent, r.server, name)
}

// withhold empties instructions that differ from the approved ones.
func (r *relay) withhold(m toolcall.Message, wire []byte) []byte {
	given := m.Result.Get("instructions")
	if given.Kind() == toolcall.Absent {
		return wire
	}
	approved, ok := r.gate.Approved(r.server)
	if ok && given.Equal(toolcall.StringOf(approved.Instructions)) {
		return wire
	}
	r.log.Print("withheld the server's instructions: they are not the approved ones")
	result, _ := whole(m.Raw).member(m.Raw, "result")
	return apply(wire, []edit{result.set(m.Raw, "instructions", `""`)})
}

// badLine drops a line of the server that is no message. If it seems to answer
// a request, that one gets an error instead.
func (r *relay) badLine(ctx context.Context, l *lane, in line, err error) {
	r.log.Printf("dropped a line of the server: %v", err)
	if q := l.answered(guessID(in.text)); q != nil {
		r.lost(ctx, l, q, "the server's answer was malformed")
	}
}

// guessID returns the id in a text that is not quite a response, absent where
// there is none to be found.
func guessID(text []byte) toolcall.Value {
	at, found := whole(text).member(text, "id")
	if _, asks := whole(text).member(text, "method"); asks || !found {
		return toolcall.Value{}
	}
	id, err := toolcall.Parse(at.text(text), toolcall.Bounds{})
	if err != nil {
		return toolcall.Value{}
	}
	return id
}

// lost answers and records a forwarded request that will get no answer.
func (r *relay) lost(ctx context.Context, l *lane, q *request, why string) {
	if q.own != nil {
		q.own <- toolcall.Message{Error: toolcall.ObjectOf(toolcall.Member{Name: "message", Value: toolcall.StringOf(why)})}
		return
	}
	if q.judged() {
		r.done(ctx, q.grant, gate.Outcome{Status: gate.Unknown, Detail: why})
		why += "; the call may have run"
	}
	r.deliver(l, errorReply(q.msg.RawID, codeBadAnswer, "licet: "+why))
}
