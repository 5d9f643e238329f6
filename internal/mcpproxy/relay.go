package mcpproxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/toolcall"
)

// authorizer is what the relay needs of the gate. [gate.Gate] and its grants
// are the only one outside of tests.
type authorizer interface {
	Check(context.Context, gate.Ask) gate.Answer
	Await(ctx context.Context, ticket string, hold time.Duration) bool
	Refuse(ctx context.Context, a gate.Ask, code authz.Code, detail string, raw []byte) gate.Answer
	Redeem(*gate.Grant, toolcall.Call) error
	Done(context.Context, *gate.Grant, gate.Outcome) error
	Approved(server string) (*catalog.Catalog, bool)
	Lists(agent, server, tool string) bool
}

// grants is a gate whose grants redeem themselves.
type grants struct{ *gate.Gate }

func (grants) Redeem(g *gate.Grant, c toolcall.Call) error { return g.Redeem(c) }

// relay is one client with one server.
type relay struct {
	gate     authorizer
	ask      gate.Ask // what all calls have in common
	server   string
	hold     time.Duration
	inFlight int
	bounds   toolcall.Bounds
	log      *log.Logger

	tools          *tools
	client, remote *lane // requests of the client, and of the server
	nonce          string
	own            atomic.Uint64 // requests of the relay itself
	unasked        atomic.Int64  // calls that the judge was not asked about: its breaker was open

	deciding sync.WaitGroup  // decisions under way
	counting sync.WaitGroup  // seconds in which refusals are counted
	over     context.Context // ends when the relay does
	end      context.CancelFunc
	holding  context.Context // ends when nobody waits for a held call any more
	release  context.CancelFunc
}

// newRelay returns a relay between two ends that are written to.
func newRelay(o Options, g authorizer, toClient, toServer *sink) *relay {
	r := &relay{
		gate: g, server: o.Server, hold: o.Hold, inFlight: o.MaxInFlight,
		ask:    gate.Ask{Door: "mcp", Principal: authz.Principal{Agent: o.Agent}, Speaks: o.Speaks, Session: o.Session, Cwd: o.Dir},
		bounds: toolcall.Bounds{Bytes: o.MaxMessage},
		log:    log.New(plain{o.Log}, "licet mcp: ", 0),
		client: newLane(Client, toClient, toServer),
		remote: newLane(Server, toServer, toClient),
		nonce:  rand.Text(),
	}
	r.tools = newTools(func() (*catalog.Catalog, bool) { return g.Approved(o.Server) }, r.listAll, r.quarantined)
	r.over, r.end = context.WithCancel(context.Background())
	r.holding, r.release = context.WithCancel(r.over)
	return r
}

// receive handles one line that the owner of lane l sent. Its requests are in
// l; its responses answer requests in other.
func (r *relay) receive(ctx context.Context, l, other *lane, in line) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Printf("dropped a message of the %s: panic: %v\n%s", l.from, p, debug.Stack())
		}
	}()
	in, m, err := r.parse(l.from, in)
	switch {
	case err != nil && l.from == Client:
		r.malformed(ctx, l, in, err)
	case err != nil:
		r.badLine(ctx, other, in, err)
	case m.Kind == toolcall.Response:
		r.respond(ctx, other, m, in.wire)
	default:
		r.incoming(ctx, l, &request{msg: m, wire: in.wire, call: toolcall.Call{Method: m.Method}})
	}
}

// parse reads a line. What a server says in licet's name is taken out before
// anything looks at it, so that what is judged and compared is what is passed on.
func (r *relay) parse(from Side, in line) (line, toolcall.Message, error) {
	if in.bad != "" {
		return in, toolcall.Message{}, errors.New(in.bad)
	}
	m, err := toolcall.ParseMessage(in.text, r.bounds)
	if err != nil || from != Server {
		return in, m, err
	}
	text, err := disown(in.text)
	if err != nil || len(text) == len(in.text) {
		return in, m, err
	}
	r.log.Printf("took out of a message of the server what only licet may say (%s in _meta)", toolcall.ReservedPrefix)
	in.wire, in.text = append(slices.Clip(text), in.wire[len(in.text):]...), text
	m, err = toolcall.ParseMessage(text, r.bounds)
	return in, m, err
}

// quarantined tells the operator which tools are not what was approved. The
// client only sees that they are gone.
func (r *relay) quarantined(differing []string) {
	if len(differing) == 0 {
		r.log.Printf("all tools of %s are as approved again", r.server)
		return
	}
	r.log.Printf("in quarantine, because they differ from the approved copy of %s: %q; look with `licet catalog diff`, take over with `licet catalog approve`",
		r.server, differing)
}

// incoming passes, judges or refuses a request or notification.
func (r *relay) incoming(ctx context.Context, l *lane, q *request) {
	notification := q.msg.Kind == toolcall.Notification
	method, known := lookup(l.from, q.msg.Method, notification)
	switch {
	case !known:
		r.unknown(ctx, l, q)
	case method.Name == "notifications/cancelled" && l.from == Client:
		r.cancelled(ctx, l, q)
	case notification:
		if method.Name == "notifications/tools/list_changed" {
			r.tools.changed()
		}
		r.pass(l, q)
	case method.Judged:
		r.act(ctx, l, q)
	default:
		q.sent, q.generation = true, r.tools.current()
		if r.enter(ctx, l, q) {
			r.pass(l, q)
		}
	}
}

// pass forwards what needs no decision.
func (r *relay) pass(l *lane, q *request) {
	if err := l.target.send(q.wire); err != nil {
		r.log.Printf("passing %s on: %v", q.msg.Method, err)
	}
}

// enter takes a request into its lane, or refuses it.
func (r *relay) enter(ctx context.Context, l *lane, q *request) bool {
	err := l.enter(q, r.inFlight)
	switch {
	case errors.Is(err, errSameID):
		// An error under this id would look like the answer to the other one.
		r.refuse(ctx, l, q.call, authz.Malformed, err.Error(), q.msg.Raw)
		r.reply(l, errorReply(noID, codeInvalid, "licet: "+err.Error()))
	case err != nil:
		a := r.refuse(ctx, l, q.call, authz.LimitReached, err.Error(), q.msg.Raw)
		r.reply(l, refusal(q, a))
	}
	return err == nil
}

// act starts the decision on a request that acts. It goes on while other
// messages pass; calls that are not held keep their order, as far as [turn] says.
func (r *relay) act(ctx context.Context, l *lane, q *request) {
	call, err := q.msg.Call(r.ask.Principal.Agent, r.server)
	if err != nil {
		r.refuse(ctx, l, q.call, authz.Malformed, err.Error(), q.msg.Raw)
		r.reply(l, errorReply(q.msg.RawID, codeParams, "licet: "+err.Error()))
		return
	}
	q.call = call
	ctx, q.cancel = context.WithCancel(ctx)
	if !r.enter(ctx, l, q) {
		q.cancel()
		return
	}
	t := l.queue()
	r.deciding.Go(func() {
		defer q.cancel()
		defer t.leave()
		r.decide(ctx, l, q, t)
	})
}

// unknown refuses a method that neither passes nor is judged.
func (r *relay) unknown(ctx context.Context, l *lane, q *request) {
	detail := fmt.Sprintf("the %s may not send %s as a %s", l.from, strconv.Quote(q.msg.Method), kindWord(q.msg.Kind))
	a := r.refuse(ctx, l, q.call, authz.UnknownMethod, detail, q.msg.Raw)
	if q.msg.Kind == toolcall.Request {
		r.reply(l, errorReply(q.msg.RawID, codeUnknownMethod, a.Told()))
	}
}

func kindWord(k toolcall.MessageKind) string {
	if k == toolcall.Notification {
		return "notification"
	}
	return "request"
}

// malformed refuses a line of the client that is no message.
func (r *relay) malformed(ctx context.Context, l *lane, in line, err error) {
	r.refuse(ctx, l, toolcall.Call{}, authz.Malformed, err.Error(), in.text)
	code, id := codeParse, noID
	if v, perr := toolcall.Parse(in.text, r.bounds); perr == nil && in.bad == "" {
		code = codeInvalid
		if known := v.Get("id"); isID(known) && !l.has(known) {
			id = known.AppendCanonical(nil)
		}
	}
	r.reply(l, errorReply(id, code, "licet: malformed message: "+err.Error()))
}

// isID reports whether v can be the id of a request.
func isID(v toolcall.Value) bool {
	return v.Kind() == toolcall.String || v.Kind() == toolcall.Number && v.Number().IsInt()
}

// reply answers the owner of a lane in the other side's place.
func (r *relay) reply(l *lane, wire []byte) {
	if err := l.origin.reply(wire); err != nil {
		r.log.Printf("answering the %s: %v", l.from, err)
	}
}

// deliver hands the owner of a lane what became of a request that was forwarded.
func (r *relay) deliver(l *lane, wire []byte) {
	if err := l.origin.send(wire); err != nil {
		r.log.Printf("answering the %s: %v", l.from, err)
	}
}

// refusalBurst is how many refusals of one side are recorded one by one in a
// second. Each record costs a durable write, and a refused message costs its
// sender nothing.
const refusalBurst = 100

// refuse blocks what the owner of lane l sent and records it: within a burst
// one by one, beyond it as a number.
func (r *relay) refuse(ctx context.Context, l *lane, c toolcall.Call, code authz.Code, detail string, raw []byte) gate.Answer {
	switch n := l.refusals.Add(1); {
	case n == 1:
		r.counting.Go(func() { r.count(l) })
	case n > refusalBurst:
		return blocked(code, detail)
	}
	return r.record(ctx, c, code, detail, raw)
}

// count waits for the end of the second that a refusal began, and records how
// many there were beyond the burst.
func (r *relay) count(l *lane) {
	select {
	case <-time.After(time.Second):
	case <-r.over.Done():
	}
	if more := l.refusals.Swap(0) - refusalBurst; more > 0 {
		detail := fmt.Sprintf("%d more messages of the %s were refused within a second and have no record each", more, l.from)
		r.record(context.Background(), toolcall.Call{}, authz.LimitReached, detail, nil)
	}
}

// record records a BLOCK.
func (r *relay) record(ctx context.Context, c toolcall.Call, code authz.Code, detail string, raw []byte) (a gate.Answer) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Printf("recording a refusal: panic: %v", p)
			a = blocked(authz.Internal, "")
		}
	}()
	ask := r.ask
	ask.Call = c
	ask.Call.Agent, ask.Call.Server = r.ask.Principal.Agent, r.server
	a = r.gate.Refuse(ctx, ask, code, detail, raw)
	r.unrecorded(fmt.Sprintf("refusing a message (%s: %s)", code, detail), a)
	return a
}

// done reports what became of a grant. If that fails, the outcome stays unknown
// in the record, and what the call returned is no source for later ones.
func (r *relay) done(ctx context.Context, g *gate.Grant, o gate.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Printf("recording an outcome: panic: %v", p)
		}
	}()
	if err := r.gate.Done(ctx, g, o); err != nil {
		r.log.Print(err)
	}
}

// request sends a request of the relay itself to the server and returns the
// result.
func (r *relay) request(ctx context.Context, method string, params toolcall.Value) (toolcall.Message, error) {
	id := toolcall.StringOf(fmt.Sprintf("licet:%s:%d", r.nonce, r.own.Add(1)))
	text := toolcall.ObjectOf(
		toolcall.Member{Name: "jsonrpc", Value: toolcall.StringOf("2.0")},
		toolcall.Member{Name: "id", Value: id},
		toolcall.Member{Name: "method", Value: toolcall.StringOf(method)},
		toolcall.Member{Name: "params", Value: params},
	).AppendCanonical(nil)
	q := &request{msg: toolcall.Message{ID: id, Method: method}, sent: true, own: make(chan toolcall.Message, 1)}
	if err := r.client.enter(q, unbounded); err != nil {
		return toolcall.Message{}, err
	}
	defer r.client.answered(id)
	if err := r.client.target.send(append(text, '\n')); err != nil {
		return toolcall.Message{}, err
	}
	select {
	case <-ctx.Done():
		return toolcall.Message{}, ctx.Err()
	case m := <-q.own:
		if err := ambiguous(m); err != nil {
			return toolcall.Message{}, fmt.Errorf("%s: %w", method, err)
		}
		if m.Error.Kind() != toolcall.Absent {
			return toolcall.Message{}, fmt.Errorf("%s: the server answered with an error: %s", method, m.Error.Canonical())
		}
		return m, nil
	}
}
