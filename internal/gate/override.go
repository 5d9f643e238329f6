package gate

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/toolcall"
)

// OverrideLife is how long after the user's word an overridden call may run.
const OverrideLife = 10 * time.Minute

// soft reports whether the user may override a decision: one that blocks only
// because of the judge, or because it was not asked (judge.md, section 8). What the
// contract forbids is never soft, nor a failure that has to be looked into.
func (r *request) soft(d authz.Decision) bool {
	if d.Verdict != authz.Block || d.Shadow != nil {
		return false
	}
	switch d.Code() {
	case authz.JudgeBlock, authz.JudgeUnsure, authz.JudgeBreaker:
		return true
	case authz.JudgeNoVerdict:
		return r.noVerdict().Soft()
	}
	return false
}

// overridable returns who may override the decision, and what else than the call
// itself that is bound to. Only records of soft decisions have it.
func (g *Gate) overridable(r *request) toolcall.Value {
	var o object
	s, terms := g.subject(r), r.terms()
	o.text("cwd", s.Cwd)
	o.text("operands", s.Operands)
	o.text("affected", s.Affected)
	o.text("over", terms.Over)
	who := r.contract.Approvals()
	o.value("approvers", texts(who.Approvers))
	o.value("quorum", number(who.Quorum))
	return toolcall.ObjectOf(o...)
}

// Override returns the ticket by which the user may let the call of a recorded
// decision run once, open and not answered, and the sealed copy of what the record
// has of the call. An error says why there can be none.
//
// The ticket is one like any other: it stands in for the judge and for nothing else.
// The call is decided again when it is repeated, with the facts of then, and what it
// would touch must still be the same.
func Override(key []byte, r evidence.Record, now time.Time) (approval.Ticket, []byte, error) {
	none := func(why string) (approval.Ticket, []byte, error) {
		return approval.Ticket{}, nil, fmt.Errorf("record %s can't be overridden: %s", r.ID, why)
	}
	if r.Kind != evidence.Decision {
		return none("it is no decision but of kind " + string(r.Kind))
	}
	body, err := toolcall.Parse(r.Body, toolcall.Bounds{Bytes: 2 * evidence.MaxBody, Depth: 128})
	if err != nil {
		return none(err.Error())
	}
	bound := body.Get("override")
	quorum, known := bound.Get("quorum").Number().Int64()
	switch ticket := body.Get("ticket").Text(); {
	case bound.Get("approvers").Kind() == toolcall.Array && known && quorum > 0:
	case body.Get("verdict").Text() == authz.Allow.String():
		return none("the call was allowed")
	case ticket != "":
		return none("answer its ticket, " + ticket)
	default:
		code := string(authz.Internal)
		if reasons := body.Get("reasons"); reasons.Len() > 0 {
			code = reasons.Elem(0).Get("code").Text()
		}
		return none("only a call that is blocked because of the judge can be, and not after a failure that an operator has to look into; this is " + code)
	}
	t := ticketFor(body, int(quorum), now)
	t.Overrides = r.ID
	var copied object
	for _, name := range []string{"arguments", "params", "opinion", "signals"} {
		if v := body.Get(name); v.Kind() != toolcall.Absent {
			copied.value(name, v)
		}
	}
	if turns := body.Get("asserted").Get("turns"); turns.Kind() != toolcall.Absent {
		copied.value("turns", turns)
	}
	sealed, err := approval.Seal(key, t.ID, copied.canonical())
	return t, sealed, err
}

// ticketFor returns the ticket that the user answers for the call of a soft
// decision.
func ticketFor(body toolcall.Value, quorum int, now time.Time) approval.Ticket {
	text := func(name string) string { return body.Get(name).Text() }
	bound := body.Get("override")
	panel := authz.Panel{Quorum: quorum}
	for i := range bound.Get("approvers").Len() {
		panel.Approvers = append(panel.Approvers, bound.Get("approvers").Elem(i).Text())
	}
	return approval.Ticket{
		ID: approval.NewID("t-"), Opened: now, Expires: now.Add(OverrideLife), Panels: []authz.Panels{{panel}},
		Subject: approval.Subject{
			Agent: text("agent"), User: text("user"), Session: text("session"), Server: text("server"), Method: text("method"), Tool: text("tool"),
			Call: text("call_digest"), Cwd: bound.Get("cwd").Text(), Operands: bound.Get("operands").Text(), Affected: bound.Get("affected").Text(),
		},
		Terms: approval.Terms{Contract: text("contract_digest"), Definition: text("tool_digest"), Over: bound.Get("over").Text()},
	}
}
