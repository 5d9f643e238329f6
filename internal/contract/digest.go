package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/licet-dev/licet/internal/toolcall"
)

// computeDigest returns the digest of the canonical form of c. The order of
// clauses and limits is part of it although it changes no verdict: evidence
// names them by index, and one digest must explain one record.
func (c *Contract) computeDigest() string {
	catalogs, agents, redacted := []toolcall.Member{}, []toolcall.Member{}, []toolcall.Member{}
	for name, k := range c.catalogs {
		catalogs = append(catalogs, object(name, "digest", text(k.Approved.Digest()), "resolve", toolcall.Boolean(k.Resolve)))
	}
	for name, a := range c.agents {
		agents = append(agents, object(name, append(a.canonicalIdentity(),
			"tools", a.canonicalRules(), "limits", canonicalList(a.limits))...))
	}
	for name, paths := range c.redact {
		redacted = append(redacted, toolcall.Member{Name: name, Value: texts(paths.names())})
	}
	form := []toolcall.Member{
		{Name: "version", Value: text("1")},
		{Name: "name", Value: text(c.name)},
		{Name: "catalogs", Value: toolcall.ObjectOf(catalogs...)},
		{Name: "agents", Value: toolcall.ObjectOf(agents...)},
		object("approvals", "expire", text(c.approvals.Expire.String()),
			"approvers", texts(c.approvals.Approvers), "quorum", text(strconv.Itoa(c.approvals.Quorum))),
		{Name: "redact", Value: toolcall.ObjectOf(redacted...)},
	}
	if c.judge != (Judge{Model: BuiltinJudge}) {
		form = append(form, toolcall.Member{Name: "judge", Value: c.judge.canonical()})
	}
	sum := sha256.Sum256(toolcall.ObjectOf(form...).AppendCanonical(nil))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canonical returns who judges, and how.
func (j Judge) canonical() toolcall.Value {
	pairs := []any{"model", text(j.Model), "on_block", text(outcomeWord(j.OnBlock)), "on_no_verdict", text(outcomeWord(j.OnNoVerdict))}
	if j.Model != BuiltinJudge {
		pairs = append(pairs, "policy", text(j.Policy), "votes", text(strconv.Itoa(j.Votes)),
			"two_stage", toolcall.Boolean(j.TwoStage), "view", texts(j.view()))
	}
	return object("", pairs...).Value
}

// canonicalIdentity returns what stands at an agent beside tools and limits, as
// pairs of name and value. Words that are not written add nothing, here and
// below: a new word changes no digest of a contract that lacks it.
func (a *Agent) canonicalIdentity() []any {
	var pairs []any
	if a.base != nil {
		pairs = append(pairs, "extends", text(a.base.Name))
	}
	if a.Token != "" {
		pairs = append(pairs, "token", text(a.Token))
	}
	if a.Shadow {
		pairs = append(pairs, "shadow", toolcall.Boolean(true))
	}
	return pairs
}

// canonicalRules returns the rules that stand at the agent itself.
func (a *Agent) canonicalRules() toolcall.Value {
	rules := []toolcall.Member{}
	for ref, r := range a.rules {
		if r.inherited {
			continue
		}
		pairs := []any{"block", toolcall.Boolean(r.Blocked),
			"never", canonicalList(r.Never), "allow", canonicalList(r.Allow), "approve", canonicalList(r.Approve),
			"limits", canonicalList(r.limits)}
		if len(r.Judge) > 0 {
			pairs = append(pairs, "judge", canonicalList(r.Judge))
		}
		if r.extra {
			pairs = append(pairs, "extra", toolcall.Boolean(true))
		}
		if r.group != "" {
			pairs = append(pairs, "group", text(r.group)) // records name clauses by it
		}
		rules = append(rules, object(ref, pairs...))
	}
	return toolcall.ObjectOf(rules...)
}

func (k *Clause) canonical() toolcall.Value {
	members := []toolcall.Member{}
	for _, c := range k.constraints {
		members = append(members, toolcall.Member{Name: c.name, Value: c.set.Canonical()})
	}
	for _, c := range k.conditions {
		members = append(members, toolcall.Member{Name: c.word, Value: c.condition.Canonical()})
	}
	if k.ownPanel {
		members = append(members, object("$panel", "approvers", texts(k.approvers), "quorum", text(strconv.Itoa(k.quorum))))
	}
	return toolcall.ObjectOf(members...)
}

func (l *limit) canonical() toolcall.Value {
	members := []toolcall.Member{
		{Name: "sum", Value: text(l.argument.String())}, // "" counts calls
		{Name: "max", Value: toolcall.NumberOf(l.max)},
		{Name: "per", Value: text(l.window.String())},
	}
	if !l.by.usual() {
		members = append(members, toolcall.Member{Name: "by", Value: l.by.canonical()})
	}
	if l.ask {
		members = append(members, toolcall.Member{Name: "ask", Value: toolcall.Boolean(true)})
	}
	return toolcall.ObjectOf(members...)
}

func (s split) canonical() toolcall.Value {
	return object("by", byAgent, toolcall.Boolean(s.agent), byUser, toolcall.Boolean(s.user),
		bySession, toolcall.Boolean(s.session), byTool, toolcall.Boolean(s.tool), byArgument, text(s.argument.String())).Value
}

// names returns the paths as text, sorted.
func (r redaction) names() []string {
	names := make([]string, len(r))
	for i, p := range r {
		names[i] = p.String()
	}
	slices.Sort(names)
	return names
}

// object returns a member whose value is an object of the given names and values.
func object(name string, pairs ...any) toolcall.Member {
	members := make([]toolcall.Member, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, toolcall.Member{Name: pairs[i].(string), Value: pairs[i+1].(toolcall.Value)})
	}
	return toolcall.Member{Name: name, Value: toolcall.ObjectOf(members...)}
}

func text(s string) toolcall.Value { return toolcall.StringOf(s) }

func texts(list []string) toolcall.Value {
	values := make([]toolcall.Value, len(list))
	for i, s := range list {
		values[i] = text(s)
	}
	return toolcall.ArrayOf(values...)
}

func canonicalList[T interface{ canonical() toolcall.Value }](list []T) toolcall.Value {
	values := make([]toolcall.Value, len(list))
	for i, x := range list {
		values[i] = x.canonical()
	}
	return toolcall.ArrayOf(values...)
}
