package mcpproxy

import (
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

// Why a call with a grant is not forwarded.
var (
	errWithdrawn = errors.New("the call was cancelled before it was forwarded")
	errStale     = errors.New("the tool is not known to be the approved one any more")
)

// decide takes a request that acts from the question to the forwarding or the
// refusal.
func (r *relay) decide(ctx context.Context, l *lane, q *request, t turn) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Printf("deciding %s: panic: %v\n%s", q.msg.Method, p, debug.Stack())
			r.turnDown(l, q, r.refuse(ctx, l, q.call, authz.Internal, fmt.Sprintf("panic: %v", p), q.msg.Raw))
		}
	}()
	a := r.check(ctx, q)
	if a.Ticket != nil && r.hold > 0 {
		a = r.wait(ctx, q, t, a)
	}
	if a.Verdict != authz.Allow {
		r.turnDown(l, q, a)
		return
	}
	t.come()
	r.forward(ctx, l, q, a)
}

// wait gives a person time to answer and asks again. Later calls pass: they
// must not wait for a person.
func (r *relay) wait(ctx context.Context, q *request, t turn, held gate.Answer) gate.Answer {
	t.leave()
	patient, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.holding, cancel)()
	if !r.gate.Await(patient, held.Ticket.ID, r.hold) {
		return held
	}
	return r.check(ctx, q)
}

// check asks the gate about a request.
func (r *relay) check(ctx context.Context, q *request) gate.Answer {
	return r.judge(ctx, q.call, r.live(ctx, q))
}

// judge asks the gate, and tells the operator what only the answer says.
func (r *relay) judge(ctx context.Context, c toolcall.Call, live catalog.State) gate.Answer {
	ask := r.ask
	ask.Call, ask.Live = c, live
	a := r.gate.Check(ctx, ask)
	what := strings.TrimSpace(c.Method + " " + c.Tool)
	if a.Shadow != nil && *a.Shadow != a.Verdict {
		r.log.Printf("shadow: %s would be %s (decision %s)", what, *a.Shadow, a.Evidence.ID)
	}
	if a.Code() == authz.JudgeBreaker && r.unasked.Add(1) == 1 {
		r.log.Printf("%s: the judge has blocked too many calls of this session, and is not asked any more (decision %s)", what, a.Evidence.ID)
	}
	r.unrecorded(what, a)
	return a
}

// unrecorded tells the operator why an answer has no record, or its outcome has
// none: nobody else will.
func (r *relay) unrecorded(what string, a gate.Answer) {
	for _, reason := range a.Reasons {
		if a.Evidence.ID == "" || reason.Code == authz.NoEvidence {
			r.log.Printf("%s: %s (%s), without a record: %s", what, a.Verdict, reason.Code, reason.Detail)
		}
	}
}

// live returns how the tool of a call stands to the approved copy.
func (r *relay) live(ctx context.Context, q *request) catalog.State {
	if q.call.Tool == "" {
		return catalog.Unverified
	}
	state, err := r.tools.verify(ctx, q.call.Tool, q.msg.Params.Get("_meta"))
	if err != nil {
		r.log.Printf("comparing the tools with the approved copy: %v", err)
	}
	return state
}

// turnDown answers a request that is not forwarded, unless it was cancelled.
func (r *relay) turnDown(l *lane, q *request, a gate.Answer) {
	if l.take(q) {
		r.reply(l, refusal(q, a))
	}
}

// forward sends an allowed call on, once, if it may still run at the moment of
// sending.
func (r *relay) forward(ctx context.Context, l *lane, q *request, a gate.Answer) {
	err := errStale
	for tries := 0; errors.Is(err, errStale) && tries < listTries; tries++ {
		if tries > 0 && r.live(ctx, q) != catalog.Pinned {
			break
		}
		err = l.target.sendIf(q.wire, func() error { return r.commit(l, q, a.Grant) })
	}
	if err != nil {
		r.keepBack(ctx, l, q, a, err)
	}
}

// commit redeems the grant, if the tool is still the approved one.
func (r *relay) commit(l *lane, q *request, g *gate.Grant) error {
	if q.call.Tool != "" {
		if s, _ := r.tools.now(q.call.Tool); s != catalog.Pinned {
			return errStale
		}
	}
	return l.commit(q, g, func() error { return r.gate.Redeem(g, q.call) })
}

// keepBack records and answers an allowed call that is not forwarded after all.
// The record of the decision stands; its outcome says that nothing ran.
func (r *relay) keepBack(ctx context.Context, l *lane, q *request, a gate.Answer, err error) {
	code := authz.Internal
	switch {
	case errors.Is(err, errStale):
		code = r.staleCode(q)
	case errors.Is(err, gate.ErrGrantExpired):
		code = authz.Timeout
	}
	r.done(ctx, a.Grant, gate.Outcome{Status: gate.Withheld, Detail: err.Error()})
	a.Verdict, a.Reasons, a.Grant = authz.Block, []authz.Reason{{Code: code, Detail: err.Error()}}, nil
	r.turnDown(l, q, a)
}

// staleCode says why a tool that was the approved one no longer is.
func (r *relay) staleCode(q *request) authz.Code {
	if s, known := r.tools.now(q.call.Tool); known && s == catalog.Quarantined {
		return authz.Quarantined
	}
	return authz.CatalogUnverified
}

// cancelled ends a call that is not decided yet, and tells the server about one
// that it has.
func (r *relay) cancelled(ctx context.Context, l *lane, n *request) {
	q := l.withdraw(n.msg.Params.Get("requestId"))
	switch {
	case q == nil:
		return // answered in the meantime, or never asked
	case q.judged() && !q.sent:
		q.cancel()
		return
	case q.judged():
		r.done(ctx, q.grant, gate.Outcome{Status: gate.Unknown, Detail: "cancelled by the client after it was forwarded"})
	}
	r.pass(l, n)
}
