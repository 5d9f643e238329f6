package gate

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// object builds a JSON object and leaves out what is empty.
type object []toolcall.Member

func (o *object) text(name, s string) {
	if s != "" {
		o.value(name, toolcall.StringOf(s))
	}
}

func (o *object) value(name string, v toolcall.Value) {
	*o = append(*o, toolcall.Member{Name: name, Value: v})
}

func (o object) canonical() []byte { return toolcall.ObjectOf(o...).AppendCanonical(nil) }

// body writes the record of a decision (docs/spec/evidence.md, "decision").
func (g *Gate) body(r *request, d authz.Decision, s ledger.Stamp) []byte {
	c := r.ask.Call
	var o object
	o.text("door", r.ask.Door)
	o.text("agent", evidence.Line(r.ask.Principal.Agent))
	o.text("user", evidence.Line(r.ask.Principal.User))
	o.text("session", evidence.Line(r.ask.Session))
	o.text("server", evidence.Line(c.Server))
	o.text("method", evidence.Line(c.Method))
	o.text("tool", evidence.Line(c.Tool))
	o.text("cwd", evidence.Line(r.ask.Cwd))
	o.text("named_ticket", evidence.Line(c.Ticket))
	if r.kept.Kind() != toolcall.Absent {
		o.value("arguments", r.kept)
		if r.beside.Len() > 0 {
			o.value("params", r.beside)
		}
		o.text("call_digest", string(r.digest))
	}
	if r.contract != nil {
		o.text("contract_digest", r.contract.Digest())
	}
	if r.rule != nil {
		o.text("tool_digest", r.rule.ToolDigest)
	}
	if r.raw != nil {
		sum := sha256.Sum256(r.raw)
		o.text("input_digest", "sha256:"+hex.EncodeToString(sum[:]))
	}
	o.text("verdict", d.Verdict.String())
	if d.Shadow != nil {
		o.text("shadow", d.Shadow.String())
	}
	o.value("reasons", r.reasons(d.Reasons))
	o.value("granted", toolcall.Boolean(d.Verdict == authz.Allow))
	if len(d.Takes) > 0 && d.Verdict == authz.Allow {
		o.value("takes", takes(d.Takes))
	}
	o.text("ticket", r.ticketOf(d, s))
	if r.signals != nil {
		o.value("signals", signalsKept(r.signals.Signals, !r.secrets))
	}
	if r.judged != nil {
		o.value("opinion", r.judged.kept(!r.secrets))
	}
	if r.soft(d) {
		o.value("override", g.overridable(r))
	}
	r.asserted(&o)
	return o.canonical()
}

// ticketOf names the ticket that the decision opened, shares or used.
func (r *request) ticketOf(d authz.Decision, s ledger.Stamp) string {
	if s.Ticket != nil {
		return s.Ticket.ID
	}
	if d.Code() == authz.Approved {
		return r.ticket
	}
	return ""
}

// reasons keeps code and clause of each reason, and its detail where no value
// of the call had to be redacted: a detail may quote any of them.
func (r *request) reasons(all []authz.Reason) toolcall.Value {
	list := make([]toolcall.Value, len(all))
	for i, reason := range all {
		var o object
		o.text("code", string(reason.Code))
		o.text("clause", reason.Clause)
		if !r.secrets {
			o.text("detail", evidence.Line(reason.Detail))
		}
		list[i] = toolcall.ObjectOf(o...)
	}
	return toolcall.ArrayOf(list...)
}

func takes(all []authz.Take) toolcall.Value {
	list := make([]toolcall.Value, len(all))
	for i, t := range all {
		var o object
		o.text("limit", t.Clause)
		o.text("amount", t.Amount)
		list[i] = toolcall.ObjectOf(o...)
	}
	return toolcall.ArrayOf(list...)
}

// asserted records the facts that the asker stated itself.
func (r *request) asserted(o *object) {
	var turns, results []toolcall.Value
	for _, t := range r.ask.Asserted.Turns {
		kept, _ := evidence.Redact(toolcall.StringOf(t))
		turns = append(turns, evidence.Cut(kept))
	}
	for _, a := range r.ask.Asserted.Results {
		results = append(results, toolcall.StringOf(a.Server+"."+a.Tool))
	}
	if len(turns)+len(results) > 0 {
		o.value("asserted", evidence.Cut(toolcall.ObjectOf(
			toolcall.Member{Name: "turns", Value: toolcall.ArrayOf(turns...)},
			toolcall.Member{Name: "results_of", Value: toolcall.ArrayOf(results...)},
		)))
	}
}

// outcomeBody writes the record of an outcome (docs/spec/evidence.md, "outcome").
func outcomeBody(decision string, a Ask, out Outcome) []byte {
	var o object
	o.text("decision", decision)
	o.text("agent", evidence.Line(a.Principal.Agent))
	o.text("session", evidence.Line(a.Session))
	o.text("server", evidence.Line(a.Call.Server))
	o.text("tool", evidence.Line(a.Call.Tool))
	o.text("status", string(out.Status))
	o.text("detail", evidence.Line(out.Detail))
	return o.canonical()
}
