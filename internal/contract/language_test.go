package contract_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
)

// rich is a contract with the words that valid does not use.
const rich = `version: 1
name: rich
catalogs:
  bank: {pin: BANK, tools: catalogs/bank.json}
labels:
  private: [bank.get_balance, bank.get_contacts]
agents:
  reviewer:
    extends: support
    mode: shadow
    authenticate: {token: reviewer}
    tools:
      bank.get_balance: block
      bank.send_money:
        approve:
          - amount: {max: 40}
        limits:
          - {calls: 7, per: 1d}
  helper:
    tools:
      "bank.*": approve
      bank:resources/read: allow
  support:
    authenticate: {token: support}
    tools:
      bank.get_*: allow
      bank.send_money:
        allow:
          - $when: call.arguments.amount < 50
            $request: {mentions: [pay, "send money"]}
            recipient: {from: [request, {claim: iban}]}
            note: {identifiers: {from: request}, optional: true}
        approve:
          - $approvers: [lead, audit]
            $quorum: 2
            $session: {not_called: [bank.get_contacts, bank.get_balance], distinct: {argument: recipient, max: 3}}
          - {}
        never:
          - $session: {called: [private]}
            note: {url: {hosts: [docs.example.org]}}
        limits:
          - {calls: 5, per: 1h, by: [{argument: recipient}]}
          - {sum: amount, max: 100, per: 1d, over: approve}
      bank.send_batch:
        allow: [{}]
        extra_arguments: allow
      bank:resources/read:
        allow: [{uri: {pattern: "bank://rates/[a-z]+"}}]
    limits:
      - {calls: 200, per: session, by: [user, tool]}
approvals: {approvers: [ops]}
`

func TestGroups(t *testing.T) {
	const text = `version: 1
name: groups
catalogs:
  bank: {pin: BANK, tools: catalogs/bank.json}
agents:
  a:
    tools:
      "bank.*": approve
      bank.get_*: allow
      bank.send_batch: block
      bank.send_*:
        allow: [{}]
        limits: [{calls: 3, per: 1d}, {calls: 3, per: 1d, by: [agent, tool]}]
`
	a := load(t, text).Agent("a")
	var got []string
	for _, r := range a.Rules() {
		got = append(got, fmt.Sprintf("%s %s %t %d %d %s", r.Ref(), r.Group(), r.Blocked, len(r.Allow), len(r.Approve), r.Path()))
	}
	want := []string{
		`bank.get_balance bank.get_* false 1 0 agents.a.tools["bank.get_*"]`,
		`bank.get_contacts bank.get_* false 1 0 agents.a.tools["bank.get_*"]`,
		`bank.send_batch  true 0 0 agents.a.tools["bank.send_batch"]`,
		`bank.send_money bank.send_* false 1 0 agents.a.tools["bank.send_*"]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	counters := counters(t, a.Rule("bank", contract.ToolsCall, "send_money"), contract.Caller{}, `{"amount": 1}`)
	if want := `calls agent="a" tool="bank.send_*"; calls agent="a" tool="bank.send_money"`; counters != want {
		t.Errorf("a group counts %s, want %s", counters, want)
	}
}

// counters returns what a call counts, or the error.
func counters(t *testing.T, r *contract.Rule, who contract.Caller, arguments string) string {
	t.Helper()
	takes, err := r.Takes(who, args(t, arguments))
	if err != nil {
		if u := (*contract.Uncountable)(nil); !errors.As(err, &u) {
			t.Fatalf("%v is not Uncountable", err)
		}
		return "error: " + err.Error()
	}
	all := make([]string, len(takes))
	for i, take := range takes {
		all[i] = take.Counter
	}
	return strings.Join(all, "; ")
}

func TestMethods(t *testing.T) {
	c := load(t, rich)
	r := c.Agent("support").Rule("bank", "resources/read", "ignored")
	if r == nil || r.Method != "resources/read" || r.Tool != "" || r.Server != "bank" || r.Ref() != "bank:resources/read" || r.ToolDigest != "" {
		t.Fatalf("the rule is %+v", r)
	}
	for _, missing := range []string{"prompts/get", "tools/list", "resources/read.x", ""} {
		if c.Agent("support").Rule("bank", missing, "") != nil {
			t.Errorf("%q is listed", missing)
		}
	}
	for arguments, want := range map[string]bool{
		`{"uri": "bank://rates/eur"}`: true, `{"uri": 7}`: false, `{}`: false, `{"uri": "x", "more": 1}`: false, `{"uri": "x", "URI": "y"}`: false,
	} {
		if err := r.Check(args(t, arguments)); (err == nil) != want {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	if ok, _, err := r.Allow[0].Permits(args(t, `{"uri": "bank://rates/eur"}`), constraint.Answers{}); !ok || err != nil {
		t.Errorf("a rate is not permitted: %v", err)
	}
	if got := counters(t, r, contract.Caller{User: "ann"}, `{"uri": "x"}`); got != `calls of="support" tool="bank:resources/read" user="ann"` {
		t.Errorf("counts %s", got)
	}
}

// TestMethodSchemas checks params that the protocol sends, and others.
func TestMethodSchemas(t *testing.T) {
	text := "version: 1\nname: m\ncatalogs: {bank: {pin: BANK, tools: catalogs/bank.json}}\nagents:\n  a:\n    tools:\n"
	for _, m := range contract.Methods() {
		text += "      bank:" + m + ": allow\n"
	}
	a := load(t, text).Agent("a")
	for _, tt := range []struct {
		method, good string
		bad          []string
	}{
		{"resources/read", `{"uri": "file:///x"}`, []string{`{}`, `{"uri": 1}`, `{"uri": "x", "inputResponses": {}}`}},
		{"prompts/get", `{"name": "p", "arguments": {"any": "thing"}}`, []string{`{}`, `{"name": "p", "arguments": {"n": 7}}`, `{"name": "p", "args": {}}`}},
		{"completion/complete", `{"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}, "context": {"arguments": {"x": "y"}}}`,
			[]string{`{"ref": {"type": "ref/prompt"}}`, `{"argument": {"name": "a", "value": "b"}}`}},
		{"sampling/createMessage", `{"messages": [{"role": "user", "content": {"type": "text", "text": "x"}}], "maxTokens": 10, "systemPrompt": "y", "metadata": {"a": 1}}`,
			[]string{`{"messages": [], "maxTokens": "10"}`, `{"maxTokens": 10}`, `{"messages": [], "maxTokens": 10, "system": "x"}`}},
		{"elicitation/create", `{"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}}`, []string{`{}`, `{"message": 7}`, `{"message": "x", "schema": {}}`}},
		{"roots/list", `{}`, []string{`{"cursor": "x"}`}},
	} {
		r := a.Rule("bank", tt.method, "")
		if err := r.Check(args(t, tt.good)); err != nil {
			t.Errorf("%s: %v", tt.method, err)
		}
		for _, bad := range tt.bad {
			if err := r.Check(args(t, bad)); err == nil {
				t.Errorf("%s takes %s", tt.method, bad)
			}
		}
	}
	if len(a.Rules()) != 6 {
		t.Errorf("%d methods", len(a.Rules()))
	}
}

func TestExtends(t *testing.T) {
	c := load(t, rich)
	support, reviewer := c.Agent("support"), c.Agent("reviewer")
	pay := reviewer.Rule("bank", contract.ToolsCall, "send_money")
	if pay.Base() != support.Rule("bank", contract.ToolsCall, "send_money") || pay.Base().Base() != nil {
		t.Error("the chain of send_money is another")
	}
	if b := reviewer.Rule("bank", contract.ToolsCall, "get_balance"); !b.Blocked || b.Base() == nil || b.Check(args(t, "{}")) == nil {
		t.Error("get_balance is not blocked")
	}
	batch, its := reviewer.Rule("bank", contract.ToolsCall, "send_batch"), support.Rule("bank", contract.ToolsCall, "send_batch")
	if batch == its || batch.Path() != its.Path() || batch.Base() != nil || len(batch.Allow) != 1 {
		t.Error("what is not mentioned is not as in what is extended")
	}
	if len(reviewer.Rules()) != len(support.Rules()) {
		t.Errorf("the extension has %d rules, what it extends %d", len(reviewer.Rules()), len(support.Rules()))
	}
	who := contract.Caller{User: "ann", Session: "s"}
	for _, tt := range []struct{ tool, arguments, want string }{
		{"send_money", `{"amount": 1, "recipient": "DE1"}`, `calls agent="reviewer" tool="bank.send_money"; ` +
			`calls of="support" tool="bank.send_money" by="recipient" value=DE1; ` +
			`sum agent="reviewer" tool="bank.send_money" argument="amount"; ` +
			`calls of="support" tool="bank.send_money" user="ann"`},
		{"send_batch", `{"transfers": []}`, `calls of="support" tool="bank.send_batch" user="ann"`},
	} {
		got := counters(t, reviewer.Rule("bank", contract.ToolsCall, tt.tool), who, tt.arguments)
		if hashed(t, tt.want) != got {
			t.Errorf("%s counts\n%s, want\n%s", tt.tool, got, hashed(t, tt.want))
		}
	}
	if got, want := counters(t, support.Rule("bank", contract.ToolsCall, "send_money"), who, `{"amount": 1, "recipient": "DE1"}`),
		hashed(t, `calls of="support" tool="bank.send_money" by="recipient" value=DE1; sum agent="support" tool="bank.send_money" argument="amount"; calls of="support" tool="bank.send_money" user="ann"`); got != want {
		t.Errorf("support counts\n%s, want\n%s", got, want)
	}
	if got := pay.Sources(); len(got) != 0 {
		t.Errorf("sources %v", got)
	}
	if qs := pay.Questions(args(t, `{"amount": 1, "recipient": "DE1"}`)); len(qs) != 3 { // stated, mentioned, digest: all of the base
		t.Errorf("the extension asks %d questions, want those of what it extends", len(qs))
	}
}

// TestExtendsInAnyOrder loads a chain written from its end and from its start.
func TestExtendsInAnyOrder(t *testing.T) {
	base := "  a: {tools: {bank.send_money: allow}, limits: [{calls: 9, per: 1d}]}\n"
	links := []string{"  b: {extends: a, tools: {bank.send_money: approve}}\n", "  c: {extends: b}\n", "  d: {extends: c, limits: [{calls: 2, per: 1d, by: [user]}]}\n"}
	head := "version: 1\nname: chain\ncatalogs: {bank: {pin: BANK, tools: catalogs/bank.json}}\nagents:\n"
	forth := load(t, head+base+strings.Join(links, ""))
	slices.Reverse(links)
	back := load(t, head+strings.Join(links, "")+base)
	if forth.Digest() != back.Digest() {
		t.Error("the order of agents changes the digest")
	}
	for _, c := range []*contract.Contract{forth, back} {
		r := c.Agent("d").Rule("bank", contract.ToolsCall, "send_money")
		var chain []string
		for b := r; b != nil; b = b.Base() {
			chain = append(chain, b.Path())
		}
		if want := []string{`agents.b.tools["bank.send_money"]`, `agents.a.tools["bank.send_money"]`}; !slices.Equal(chain, want) {
			t.Errorf("chain %v, want %v", chain, want)
		}
		if got, want := counters(t, r, contract.Caller{User: "u"}, `{}`), `calls of="d" user="u"; calls agent="d"`; got != want {
			t.Errorf("counts %s, want %s", got, want)
		}
	}
}

// hashed replaces value=TEXT by the SHA-256 of the JSON string.
func hashed(t *testing.T, counters string) string {
	t.Helper()
	return strings.ReplaceAll(counters, "value=DE1", "value="+sha(`"DE1"`))
}

func sha(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestIdentity(t *testing.T) {
	c := load(t, rich)
	for name, want := range map[string]string{"reviewer": "reviewer true", "support": "support false", "helper": " false"} {
		a := c.Agent(name)
		if got := fmt.Sprint(a.Token, " ", a.Shadow); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	inherits := load(t, edit(t, edit(t, rich, "    mode: shadow\n    authenticate: {token: reviewer}\n", ""), "    authenticate: {token: support}\n", "    authenticate: {token: support}\n    mode: shadow\n"))
	if a := inherits.Agent("reviewer"); a.Token != "" || a.Shadow {
		t.Errorf("credential %q and mode %t are inherited", a.Token, a.Shadow)
	}
}

func TestPanel(t *testing.T) {
	r := load(t, rich).Agent("support").Rule("bank", contract.ToolsCall, "send_money")
	for i, want := range []string{"[audit lead] 2", "[ops] 1"} {
		who, quorum := r.Approve[i].Panel()
		if got := fmt.Sprint(who, " ", quorum); got != want {
			t.Errorf("clause %d: %s, want %s", i, got, want)
		}
	}
	who, quorum := load(t, rich).Agent("helper").Rule("bank", contract.ToolsCall, "send_money").Approve[0].Panel()
	if got := fmt.Sprint(who, " ", quorum); got != "[ops] 1" {
		t.Errorf("a shorthand: %s", got)
	}
	alone := load(t, edit(t, rich, "approvals: {approvers: [ops]}", "approvals: {quorum: 3}"))
	if who, quorum := alone.Agent("helper").Rule("bank", contract.ToolsCall, "send_money").Approve[0].Panel(); len(who) != 0 || quorum != 3 {
		t.Errorf("every configured approver: %v %d", who, quorum)
	}
}

func TestWatches(t *testing.T) {
	c := load(t, rich)
	for tool, want := range map[string]string{
		"get_balance": "[] true", "get_contacts": "[] true", "send_money": "[recipient] true", "send_batch": "[] false", "unknown": "[] false",
	} {
		paths, ok := c.Watches("bank", tool)
		if got := fmt.Sprint(paths, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	all := load(t, edit(t, rich, "amount < 50", "amount < 50 && !('bank.get_balance' in session.called)"))
	if _, ok := all.Watches("bank", "send_batch"); !ok {
		t.Error("an expression over the session does not watch every tool")
	}
}

func TestExtraArguments(t *testing.T) {
	c := load(t, rich)
	with, without := c.Agent("support").Rule("bank", contract.ToolsCall, "send_batch"), c.Agent("helper").Rule("bank", contract.ToolsCall, "send_batch")
	for arguments, want := range map[string][2]bool{
		`{"transfers": []}`:                              {true, true},
		`{"transfers": [], "more": 1}`:                   {true, false},
		`{"transfers": [], "Transfers": 1}`:              {false, false},
		`{"transfers": [{"amount": 1, "recipient": 1}]}`: {false, false},
	} {
		for i, r := range []*contract.Rule{with, without} {
			if err := r.Check(args(t, arguments)); (err == nil) != want[i] {
				t.Errorf("%s, extra_arguments %t: %v", arguments, i == 0, err)
			}
		}
	}
	narrowed := edit(t, rich, "      bank.get_balance: block\n", "      bank.get_balance: block\n      bank.send_batch: allow\n")
	r := load(t, narrowed).Agent("reviewer").Rule("bank", contract.ToolsCall, "send_batch")
	if r.Check(args(t, `{"transfers": [], "more": 1}`)) == nil {
		t.Error("an extension without extra_arguments takes them")
	}
	widened := edit(t, rich, "      bank.get_balance: block\n", "      bank.get_balance: block\n      bank.send_money: {allow: [{}], extra_arguments: allow}\n")
	widened = edit(t, widened, "      bank.send_money:\n        approve:\n          - amount: {max: 40}\n        limits:\n          - {calls: 7, per: 1d}\n", "")
	r = load(t, widened).Agent("reviewer").Rule("bank", contract.ToolsCall, "send_money")
	if r.Check(args(t, `{"amount": 1, "recipient": "a", "more": 1}`)) == nil {
		t.Error("an extension gives itself extra arguments")
	}
}

// TestSplits shows what each word of by adds to a counter, and when a call
// cannot be counted.
func TestSplits(t *testing.T) {
	head := "version: 1\nname: s\ncatalogs: {bank: {pin: BANK, tools: catalogs/bank.json}}\nagents: {a: {tools: {bank.send_money: {allow: [{}], limits: ["
	known := contract.Caller{User: "ann \"x\"", Session: "s1"}
	const pay = `{"amount": 1, "recipient": "DE1"}`
	for _, tt := range []struct {
		limit, arguments string
		who              contract.Caller
		want             string
	}{
		{"{calls: 1, per: 1h}", pay, known, `calls agent="a" tool="bank.send_money"`},
		{"{calls: 1, per: 1h, by: [agent]}", pay, known, `calls agent="a" tool="bank.send_money"`},
		{"{calls: 1, per: 1h, by: [user]}", pay, known, `calls of="a" tool="bank.send_money" user="ann \"x\""`},
		{"{calls: 1, per: 1h, by: [user]}", pay, contract.Caller{Session: "s1"}, `error: agents.a.tools["bank.send_money"].limits[0] cannot count the calls of a user: no user is known`},
		{"{calls: 1, per: 1h, by: [session]}", pay, known, `calls of="a" tool="bank.send_money" session="s1"`},
		{"{calls: 1, per: 1h, by: [session]}", pay, contract.Caller{}, `calls of="a" tool="bank.send_money" session=""`},
		{"{calls: 1, per: 1h, by: [tool, agent]}", pay, known, `calls agent="a" tool="bank.send_money"`},
		{"{sum: amount, max: 5, per: 1h, by: [{argument: recipient}]}", pay, known, `sum of="a" tool="bank.send_money" argument="amount" by="recipient" value=DE1`},
		{"{calls: 1, per: 1h, by: [{argument: amount}]}", `{"amount": 1.0}`, known, `calls of="a" tool="bank.send_money" by="amount" value=` + sha("1")},
		{"{calls: 1, per: 1h, by: [{argument: recipient}]}", `{}`, known, `error: agents.a.tools["bank.send_money"].limits[0] cannot count recipient: absent`},
		{"{calls: 1, per: 1h, by: [{argument: recipient}]}", `{"recipient": null}`, known, `error: agents.a.tools["bank.send_money"].limits[0] cannot count recipient: absent`},
		{"{calls: 1, per: 1h, by: [{argument: recipient}]}", `{"recipient": ["a"]}`, known, `error: agents.a.tools["bank.send_money"].limits[0] cannot count recipient: its value is no single one but array`},
	} {
		r := load(t, head+tt.limit+"]}}}}\n").Agent("a").Rule("bank", contract.ToolsCall, "send_money")
		if got := counters(t, r, tt.who, tt.arguments); got != hashed(t, tt.want) {
			t.Errorf("%s, %s:\n got %s\nwant %s", tt.limit, tt.arguments, got, hashed(t, tt.want))
		}
	}
	takes, err := load(t, head+"{calls: 1, per: 1h, over: approve}, {calls: 2, per: session}]}}}}\n").
		Agent("a").Rule("bank", contract.ToolsCall, "send_money").Takes(known, args(t, pay))
	want := []authz.Take{
		{Counter: `calls agent="a" tool="bank.send_money"`, Window: 3600e9, Amount: "1", Max: "1", Ask: true, Clause: `agents.a.tools["bank.send_money"].limits[0]`},
		{Counter: `calls agent="a" tool="bank.send_money"`, Session: "s1", Amount: "1", Max: "2", Clause: `agents.a.tools["bank.send_money"].limits[1]`},
	}
	if err != nil || !slices.Equal(takes, want) {
		t.Errorf("takes %+v, %v", takes, err)
	}
}

// TestConditions evaluates clauses with conditions.
func TestConditions(t *testing.T) {
	r := load(t, rich).Agent("support").Rule("bank", contract.ToolsCall, "send_money")
	call := args(t, `{"amount": 20, "recipient": "DE1"}`)
	known := constraint.Answers{Stated: map[string]bool{}, Mentioned: map[string]bool{}, Digests: map[string][]string{}, Session: constraint.Session{Known: true}}
	for _, q := range r.Questions(call) {
		switch {
		case q.Stated != nil:
			known.Stated[q.Key] = true
		case q.Mention != nil:
			known.Mentioned[q.Key] = true
		case q.Digest != nil:
			known.Digests[q.Key] = []string{"d1"}
		}
	}
	holds := func(k *contract.Clause, arguments string, a constraint.Answers) string {
		ok, miss, err := k.Permits(args(t, arguments), a)
		if err != nil {
			return "error: " + err.Error()
		}
		return fmt.Sprint(ok, " ", miss)
	}
	allow, ask := r.Allow[0], r.Approve[0]
	for _, tt := range []struct {
		clause    *contract.Clause
		arguments string
		answers   constraint.Answers
		want      string // beginning
	}{
		{allow, `{"amount": 20, "recipient": "DE1"}`, known, "true "},
		{allow, `{"amount": 20, "recipient": "DE1", "note": "see evil.com"}`, known, `false note: "see evil.com" contains evil.com, which is not stated in request`},
		{allow, `{"amount": 60, "recipient": "DE1"}`, known, "false $when: the expression is false"},
		{allow, `{"amount": 20, "recipient": "DE1"}`, constraint.Answers{Stated: known.Stated}, "false $request: no user turns are known"},
		{allow, `{"amount": "20", "recipient": "XX"}`, known, `error: $when of agents.support.tools["bank.send_money"].allow[0]: evaluating the expression: no such overload`},
		{allow, `{"recipient": "XX"}`, known, "error: $when of "},
		{ask, `{"amount": 20, "recipient": "DE1"}`, known, "true $session: "},
		{ask, `{"amount": 20}`, known, "false $session: recipient is absent"},
		{ask, `{"amount": 20, "recipient": "DE1"}`, constraint.Answers{}, "false $session: no session is known"},
	} {
		if got := holds(tt.clause, tt.arguments, tt.answers); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s of %s: %s, want %s", tt.clause.Path(), tt.arguments, got, tt.want)
		}
	}
	link := args(t, `{"amount": 1, "note": "https://docs.example.org/"}`)
	if ok, miss, err := r.Never[0].Forbids(link, constraint.Answers{}); !ok || err != nil || miss.Argument != "note" {
		t.Errorf("an unknown session forbids: %t, %v, %v", ok, miss, err)
	}
	if ok, _, err := r.Never[0].Forbids(link, known); ok || err != nil {
		t.Errorf("a session without calls forbids: %t, %v", ok, err)
	}
}
