package cases

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// The words of steps (docs/spec/cases.md).
var (
	actWords  = []string{"call", "turn", "approve", "deny", "outsider", "wait", "contract", "definition"}
	stepWords = yamlwalk.Words{Place: "a step", Known: slices.Concat(actWords, besideCall)}
	// besideCall are the words of a step that say more about a call.
	besideCall      = []string{"expect", "result", "repeat"}
	callWords       = yamlwalk.Words{Place: "a call", Known: []string{"agent", "user", "session", "server", "tool", "arguments", "raw", "cwd", "approval", "request", "history", "signals"}}
	pastWords       = yamlwalk.Words{Place: "a past call", Known: []string{"server", "tool", "result"}}
	expectWords     = yamlwalk.Words{Place: "expect", Known: []string{"verdict", "code", "clause", "enforced"}}
	contractWords   = yamlwalk.Words{Place: "a change of the contract", Known: []string{"replace", "with"}}
	definitionWords = yamlwalk.Words{Place: "a change of a definition", Known: []string{"server", "tool", "set"}}
	verdictWords    = yamlwalk.Words{Place: "verdict", Known: []string{authz.Allow.String(), authz.Block.String(), authz.RequireApproval.String()}}
)

// maxRepeat bounds how often one step makes its call.
const maxRepeat = 10_000

// oneCall reads a case that is one call.
func (l *loader) oneCall(n *yamlwalk.Node) Step {
	c := l.call(l.Need(n, "call", caseWords))
	return Step{Act: c, Expect: l.expect(l.Need(n, "expect", caseWords), c), Repeat: 1, Line: n.Line}
}

// step reads one step of a story.
func (l *loader) step(n *yamlwalk.Node) Step {
	s := Step{Line: n.Line}
	if !l.Mapping(n, stepWords) {
		return s
	}
	var act yamlwalk.Member
	acts := 0
	for _, m := range n.Members {
		if slices.Contains(actWords, m.Key.Text) {
			act = m
			acts++
		}
	}
	if acts != 1 {
		l.Report(n, "", "a step is one of %s, found %d", yamlwalk.OneOf(actWords), acts)
		return s
	}
	if act.Key.Text == "call" {
		return l.callStep(n, s)
	}
	for _, word := range besideCall {
		if n.Get(word) != nil {
			l.Report(n, "", "%q stands beside %q only", word, "call")
		}
	}
	s.Act = l.act(act.Key.Text, act.Value)
	return s
}

// callStep reads a step that is a call.
func (l *loader) callStep(n *yamlwalk.Node, s Step) Step {
	c := l.call(n.Get("call"))
	s.Expect = l.expect(l.Need(n, "expect", stepWords), c)
	if r := n.Get("result"); r != nil {
		c.Result = l.result(r)
	}
	s.Act, s.Repeat = c, 1
	if r := n.Get("repeat"); r != nil {
		s.Repeat = int(l.Count(r, "how many times the call is made", maxRepeat))
	}
	return s
}

// act reads what happens in a step that is no call.
func (l *loader) act(word string, n *yamlwalk.Node) Act {
	switch word {
	case "turn":
		return Turn{Session: l.defaults.Session, Text: l.text(n, "what the user writes")}
	case "approve", "deny":
		return Answered{By: l.Name(n, "name of an approver"), Approve: word == "approve"}
	case "outsider":
		return TurnedAway{By: l.Name(n, "name of an approver")}
	case "wait":
		return Wait{For: l.Duration(n)}
	case "contract":
		if !l.Mapping(n, contractWords) {
			return nil
		}
		return ContractEdit{
			Replace: l.text(l.Need(n, "replace", contractWords), "a text that stands in the contract once"),
			With:    l.textOr(l.Need(n, "with", contractWords), "the text in its place"),
		}
	default:
		return l.definition(n)
	}
}

// definition reads a change of a tool's live definition.
func (l *loader) definition(n *yamlwalk.Node) Act {
	if !l.Mapping(n, definitionWords) {
		return nil
	}
	d := DefinitionEdit{Server: l.defaults.Server, Tool: l.text(l.Need(n, "tool", definitionWords), "the name of a tool")}
	if s := n.Get("server"); s != nil {
		d.Server = l.Name(s, "name of a server")
	}
	set := l.Need(n, "set", definitionWords)
	if l.Is(set, toolcall.Object, "members of the definition") {
		d.Set, _ = l.Value(set)
	}
	if d.Server != "" {
		l.checkTool(&yamlwalk.Node{Line: n.Line, Column: n.Column, Text: d.Server + "." + d.Tool})
	}
	return d
}

// text reads a text that is not empty.
func (l *loader) text(n *yamlwalk.Node, what string) string {
	if l.Is(n, toolcall.String, what) && n.Text == "" {
		l.Report(n, "", "expected %s, found an empty text", what)
	}
	return n.Text
}

// textOr reads a text that may be empty.
func (l *loader) textOr(n *yamlwalk.Node, what string) string {
	l.Is(n, toolcall.String, what)
	return n.Text
}

// who reads from whom a call comes and where it goes.
func (l *loader) who(n *yamlwalk.Node, c *Call) {
	for word, to := range map[string]*string{"agent": &c.Agent, "user": &c.User, "session": &c.Session, "server": &c.Server, "cwd": &c.Cwd} {
		if v := n.Get(word); v != nil {
			*to = l.textOr(v, "a text")
		}
	}
}

// call reads one call.
func (l *loader) call(n *yamlwalk.Node) Call {
	c := l.defaults
	c.Arguments = toolcall.ObjectOf()
	if !l.Mapping(n, callWords) {
		return c
	}
	l.who(n, &c)
	if c.Agent == "" || c.Server == "" {
		l.Report(n, `they may stand in "defaults"`, `a call needs "agent" and "server"`)
	}
	if raw := n.Get("raw"); raw != nil {
		c.Raw = []byte(l.textOr(raw, "the exact message"))
		for _, word := range []string{"tool", "arguments", "approval"} {
			if n.Get(word) != nil {
				l.Report(n, "", "%q is part of the message in %q", word, "raw")
			}
		}
	} else {
		l.named(n, &c)
	}
	l.asserted(n, &c)
	return c
}

// named reads tool, arguments and approval of a call.
func (l *loader) named(n *yamlwalk.Node, c *Call) {
	c.Tool = l.text(l.Need(n, "tool", callWords), "the name of a tool")
	if a := n.Get("arguments"); a != nil && l.Is(a, toolcall.Object, "the arguments of the call") {
		c.Arguments, _ = l.Value(a)
	}
	if a := n.Get("approval"); a != nil {
		c.Approval = l.text(a, `the id of a ticket, or "last"`)
	}
	c.Result = l.results[c.Server+"."+c.Tool]
}

// asserted reads the facts that hold for one call alone.
func (l *loader) asserted(n *yamlwalk.Node, c *Call) {
	c.Signals = l.signals(n.Get("signals"))
	if turns := n.Get("request"); turns != nil && l.Is(turns, toolcall.Array, "a list of texts") {
		for _, turn := range l.Elements(turns, "request") {
			c.Request = append(c.Request, l.text(turn, "what the user wrote"))
		}
	}
	past := n.Get("history")
	if past == nil || !l.Is(past, toolcall.Array, "a list of past calls") {
		return
	}
	for _, item := range l.Elements(past, "history") {
		if !l.Mapping(item, pastWords) {
			continue
		}
		p := Past{Server: c.Server, Tool: l.text(l.Need(item, "tool", pastWords), "the name of a tool")}
		if s := item.Get("server"); s != nil {
			p.Server = l.Name(s, "name of a server")
		}
		p.Result = l.results[p.Server+"."+p.Tool]
		if r := item.Get("result"); r != nil {
			p.Result = l.result(r)
		}
		c.History = append(c.History, p)
	}
}

// result returns what a tool returns as MCP 2026-07-28 writes it
// (CallToolResult): a text as a text block, everything else as structured
// content.
func (l *loader) result(n *yamlwalk.Node) toolcall.Value {
	v, ok := l.Value(n)
	if !ok {
		return toolcall.Value{}
	}
	text := v.Text()
	var structured toolcall.Value
	if v.Kind() != toolcall.String {
		structured, text = v, v.Canonical()
	}
	block := toolcall.ObjectOf(
		toolcall.Member{Name: "type", Value: toolcall.StringOf("text")},
		toolcall.Member{Name: "text", Value: toolcall.StringOf(text)},
	)
	return toolcall.ObjectOf(
		toolcall.Member{Name: "content", Value: toolcall.ArrayOf(block)},
		toolcall.Member{Name: "structuredContent", Value: structured},
	)
}

// expect reads the answer that a call must get.
func (l *loader) expect(n *yamlwalk.Node, c Call) (e Expect) {
	if !l.Mapping(n, expectWords) {
		return e
	}
	verdict, code := l.Need(n, "verdict", expectWords), l.Need(n, "code", expectWords)
	known := l.Is(verdict, toolcall.String, "a verdict") && l.Word(verdict, verdictWords)
	if known {
		if err := e.Verdict.UnmarshalText([]byte(verdict.Text)); err != nil {
			l.Report(verdict, "", "%v", err)
		}
	}
	if l.Is(code, toolcall.String, "a reason code") && l.Word(code, codeWords()) {
		e.Code = authz.Code(code.Text)
		if of := verdictsOf(e.Code); known && !slices.Contains(of, verdict.Text) {
			l.Report(code, "", "%s is a reason for %s, not for %s", e.Code, yamlwalk.OneOf(of), verdict.Text)
		}
	}
	if enforced := n.Get("enforced"); enforced != nil {
		if e.Binding = enforced.Kind == toolcall.Bool && enforced.Text == "true"; !e.Binding {
			l.Report(enforced, `leave it out if shadow mode will do`, "expected true, found %s", enforced.Describe())
		}
	}
	if clause := n.Get("clause"); clause != nil {
		e.Clause = l.text(clause, "the place of a clause or limit in the contract")
		if !strings.HasPrefix(e.Clause, "agents.") {
			e.Clause = l.rule(clause, c) + "." + e.Clause
		}
	}
	return e
}

// rule returns the path of the rule that decides a call, from which a short
// clause at n counts.
func (l *loader) rule(n *yamlwalk.Node, c Call) string {
	if l.contract != nil && l.contract.Agent(c.Agent) != nil && c.Raw == nil {
		if rule := l.contract.Agent(c.Agent).Rule(c.Server, contract.ToolsCall, c.Tool); rule != nil {
			return rule.Path()
		}
	}
	l.Report(n, `write it in full, from "agents." on`, "no rule of the contract stands beside the tool of this call")
	return ""
}

func codeWords() yamlwalk.Words {
	w := yamlwalk.Words{Place: "code"}
	for _, code := range authz.Codes() {
		w.Known = append(w.Known, string(code))
	}
	return w
}

// verdictsOf returns the verdicts that a reason code can lead to
// (docs/spec/reasons.md).
func verdictsOf(c authz.Code) []string {
	switch c {
	case authz.AllowClause, authz.Approved, authz.JudgeAllow:
		return []string{authz.Allow.String()}
	case authz.ApproveClause:
		return []string{authz.RequireApproval.String()}
	case authz.JudgeBlock, authz.JudgeUnsure, authz.JudgeNoVerdict: // as the contract says
		return []string{authz.Block.String(), authz.RequireApproval.String()}
	case authz.LimitReached: // beyond a limit with `over: approve` a person is asked
		return []string{authz.Block.String(), authz.RequireApproval.String()}
	}
	return []string{authz.Block.String()}
}
