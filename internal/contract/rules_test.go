package contract_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// args reads the arguments of a call.
func args(t rapid.TB, text string) toolcall.Value {
	t.Helper()
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func rule(t rapid.TB, agent, server, tool string) *contract.Rule {
	t.Helper()
	r := load(t, valid).Agent(agent).Rule(server, contract.ToolsCall, tool)
	if r == nil {
		t.Fatalf("%s.%s is not listed", server, tool)
	}
	return r
}

// TestClauses checks which clauses hold, in words of both sides: a permitting
// clause needs every part, a never clause one.
func TestClauses(t *testing.T) {
	pay, batch := rule(t, "support", "bank", "send_money"), rule(t, "support", "bank", "send_batch")
	balance := rule(t, "support", "bank", "get_balance")
	permits, forbids := (*contract.Clause).Permits, (*contract.Clause).Forbids
	tests := []struct {
		name   string
		side   func(*contract.Clause, toolcall.Value, constraint.Answers) (bool, contract.Miss, error)
		clause *contract.Clause
		args   string
		holds  bool
		miss   string // beginning of the text of the Miss
	}{
		{"no constraints", permits, balance.Allow[0], `{}`, true, "the clause has no constraints"},
		{"in bounds", permits, pay.Approve[0], `{"amount": 50}`, true, "amount: "},
		{"over the bound", permits, pay.Approve[0], `{"amount": 5000}`, false, "amount: 5000 is more than max 1000"},
		{"between two cents", permits, pay.Approve[0], `{"amount": 0.015}`, false, "amount: 0.015 "},
		{"absent", permits, pay.Approve[0], `{"recipient": "x"}`, false, "amount: "},
		{"null is absent", permits, pay.Approve[0], `{"amount": null}`, false, "amount: "},
		{"a text is no number", permits, pay.Approve[0], `{"amount": "50"}`, false, `amount: "50" `},
		{"not known whether it is stated", permits, pay.Allow[0], `{"amount": 5, "recipient": "DE1"}`, false, `recipient: "DE1" `},
		{"every element", permits, batch.Allow[0],
			`{"transfers": [{"amount": 1, "recipient": "DE1", "tags": ["a"]}], "extra": {"any": {"thing": 1}}}`, true, "extra.any.thing: "},
		{"one element too large", permits, batch.Allow[0],
			`{"transfers": [{"amount": 1, "recipient": "DE1", "tags": ["a"]}, {"amount": 6, "recipient": "DE1", "tags": ["a"]}], "extra": {"any": {"thing": 1}}}`,
			false, "transfers[].amount: 6 is more than max 5"},
		{"one element absent", permits, batch.Allow[0],
			`{"transfers": [{"amount": 1, "recipient": "DE1", "tags": ["a"]}, {"amount": 1, "recipient": "DE1"}], "extra": {"any": {"thing": 1}}}`,
			false, "transfers[].tags[]: "},
		{"never: matches", forbids, pay.Never[0], `{"recipient": "GB00BLOCKED"}`, true, `recipient: "GB00BLOCKED" `},
		{"never: matches in disguise", forbids, pay.Never[0], `{"recipient": "gb00 blo\u200bcked"}`, true, "recipient: "},
		{"never: another value", forbids, pay.Never[0], `{"recipient": "DE1"}`, false, "recipient: "},
		{"never: absent", forbids, pay.Never[0], `{}`, false, "recipient: "},
		{"never: another type", forbids, pay.Never[1], `{"note": 7}`, true, "note: 7 "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			holds, miss, err := tt.side(tt.clause, args(t, tt.args), constraint.Answers{})
			if err != nil || holds != tt.holds || !strings.HasPrefix(miss.String(), tt.miss) {
				t.Errorf("holds %v, %q, %v; want %v, %q", holds, miss, err, tt.holds, tt.miss)
			}
		})
	}
}

func TestClauseNeedsAnObject(t *testing.T) {
	pay := rule(t, "support", "bank", "send_money")
	for _, k := range []*contract.Clause{pay.Allow[0], pay.Never[0]} {
		for _, v := range []toolcall.Value{{}, toolcall.NullValue, args(t, `[]`)} {
			if holds, _, err := k.Permits(v, constraint.Answers{}); holds || err == nil {
				t.Errorf("%s permits %s: %v", k.Path(), v.Kind(), err)
			}
			if holds, _, err := k.Forbids(v, constraint.Answers{}); holds || err == nil {
				t.Errorf("%s forbids %s: %v", k.Path(), v.Kind(), err)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		agent, tool, args string
		ok                bool
	}{
		{"support", "send_money", `{"amount": 1, "recipient": "DE1"}`, true},
		{"support", "send_money", `{"amount": "1", "recipient": "DE1"}`, false},
		{"support", "send_money", `{"amount": 1}`, false},
		{"support", "send_money", `{"amount": 1, "recipient": "DE1", "Amount": 2}`, false},
		{"support", "send_money", `{"amount": 1, "recipient": "DE1", "more": 2}`, false},
		{"support", "send_batch", `{"transfers": [{"amount": 1, "recipient": "DE1", "more": 1}]}`, false},
		{"support", "send_batch", `{"transfers": [], "extra": {"data": {"Data": 1}}}`, true},
		{"reviewer", "send_money", `{"amount": 1, "recipient": "DE1"}`, false}, // blocked
	}
	for _, tt := range tests {
		if err := rule(t, tt.agent, "bank", tt.tool).Check(args(t, tt.args)); (err == nil) != tt.ok {
			t.Errorf("%s %s %s: %v", tt.agent, tt.tool, tt.args, err)
		}
	}
}

func TestQuestions(t *testing.T) {
	pay := rule(t, "support", "bank", "send_money")
	qs := pay.Questions(args(t, `{"amount": 1, "recipient": "DE1"}`))
	if len(qs) != 1 || qs[0].Stated == nil || qs[0].Stated.Value.Text() != "DE1" {
		t.Fatalf("questions %+v", qs)
	}
	stated := constraint.Answers{Stated: map[string]bool{qs[0].Key: true}}
	if ok, miss, err := pay.Allow[0].Permits(args(t, `{"amount": 1, "recipient": "DE1"}`), stated); !ok || err != nil {
		t.Errorf("the answer does not count: %s, %v", miss, err)
	}
	twice := load(t, edit(t, valid, "multiple_of: 0.01}", "multiple_of: 0.01}\n            recipient: {from: [request, {result: bank.get_contacts, at: \"[].iban\"}]}"))
	again := twice.Agent("support").Rule("bank", contract.ToolsCall, "send_money").Questions(args(t, `{"recipient": "DE1"}`))
	if len(again) != 1 {
		t.Errorf("one question is asked %d times", len(again))
	}
}

func TestSources(t *testing.T) {
	c := load(t, valid)
	if !c.Reads("bank", "get_contacts") || c.Reads("bank", "get_balance") {
		t.Error("the contract does not read just the results of bank.get_contacts")
	}
	if s := rule(t, "support", "bank", "send_money").Sources(); len(s) != 1 || s[0] != "bank.get_contacts" {
		t.Errorf("sources %v", s)
	}
}

func TestTakes(t *testing.T) {
	const hour, day = int64(time.Hour), int64(24 * time.Hour)
	calls := authz.Take{Counter: `calls agent="support"`, Session: "s1", Amount: "1", Max: "200", Clause: "agents.support.limits[0]"}
	tests := []struct {
		name, tool, args string
		want             []authz.Take
		uncountable      string
	}{
		{"of the tool and the agent", "send_money", `{"amount": 1.50}`, []authz.Take{
			{Counter: `calls agent="support" tool="bank.send_money"`, Window: hour, Amount: "1", Max: "5", Clause: `agents.support.tools["bank.send_money"].limits[0]`},
			{Counter: `sum agent="support" tool="bank.send_money" argument="amount"`, Window: day, Amount: "1.5", Max: "2000", Clause: `agents.support.tools["bank.send_money"].limits[1]`},
			calls,
		}, ""},
		{"every element, exactly", "send_batch", `{"transfers": [{"amount": 0.1}, {"amount": 0.2}, {"amount": 9007199254740993}]}`, []authz.Take{
			{Counter: `sum agent="support" tool="bank.send_batch" argument="transfers[].amount"`, Session: "s1", Amount: "9007199254740993.3", Max: "50", Clause: `agents.support.tools["bank.send_batch"].limits[0]`},
			calls,
		}, ""},
		{"of the agent only", "get_balance", `{}`, []authz.Take{calls}, ""},
		{"zero", "send_batch", `{"transfers": [{"amount": 0}]}`, []authz.Take{
			{Counter: `sum agent="support" tool="bank.send_batch" argument="transfers[].amount"`, Session: "s1", Amount: "0", Max: "50", Clause: `agents.support.tools["bank.send_batch"].limits[0]`},
			calls,
		}, ""},
		{"absent", "send_money", `{}`, nil, "absent"},
		{"null", "send_money", `{"amount": null}`, nil, "absent"},
		{"negative", "send_money", `{"amount": -5000}`, nil, "a value is negative"},
		{"no number", "send_money", `{"amount": "5"}`, nil, "a value is no number but string"},
		{"no elements", "send_batch", `{"transfers": []}`, nil, "absent"},
		{"one element absent", "send_batch", `{"transfers": [{"amount": 1}, {}]}`, nil, "absent"},
		{"no array", "send_batch", `{"transfers": 5}`, nil, "a value on the way has another type than its path expects"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := rule(t, "support", "bank", tt.tool).Takes(contract.Caller{Session: "s1"}, args(t, tt.args))
			u := (*contract.Uncountable)(nil)
			if tt.uncountable != "" {
				if !errors.As(err, &u) || u.Why != tt.uncountable || !strings.Contains(u.Error(), u.Limit+" cannot count "+u.Argument) {
					t.Fatalf("error %v, want %q", err, tt.uncountable)
				}
				return
			}
			if err != nil || len(got) != len(tt.want) {
				t.Fatalf("%+v, %v; want %+v", got, err, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("take %d is %+v, want %+v", i, got[i], tt.want[i])
				}
			}
		})
	}
}

func TestRedact(t *testing.T) {
	c := load(t, valid)
	tests := []struct {
		name, tool, args, want string
		configured             bool
	}{
		{"a member", "send_money", `{"amount": 1, "note": "secret"}`, `{"amount":1,"note":"[redacted]"}`, true},
		{"absent", "send_money", `{"amount": 1}`, `{"amount":1}`, true},
		{"null says nothing", "send_money", `{"note": null}`, `{"note":null}`, true},
		{"as a whole", "send_money", `{"note": {"a": ["secret"]}}`, `{"note":"[redacted]"}`, true},
		{"in other letter case", "send_money", `{"NOTE": "secret", "n\u006fte": "secret"}`, `{"NOTE":"[redacted]","note":"[redacted]"}`, true},
		{"every element", "send_batch", `{"transfers": [{"recipient": "secret", "amount": 1}, {"amount": 2}]}`,
			`{"transfers":[{"amount":1,"recipient":"[redacted]"},{"amount":2}]}`, true},
		{"no array", "send_batch", `{"transfers": "secret"}`, `{"transfers":"[redacted]"}`, true},
		{"no object", "send_batch", `{"transfers": ["secret", {"recipient": 1}]}`, `{"transfers":["[redacted]",{"recipient":"[redacted]"}]}`, true},
		{"nothing configured", "get_balance", `{"note": "kept"}`, `{"note":"kept"}`, false},
		{"not even listed", "unknown", `{"note": "kept"}`, `{"note":"kept"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, configured := c.Redact("bank", tt.tool, args(t, tt.args))
			if got.Canonical() != tt.want || configured != tt.configured {
				t.Errorf("%s, %v; want %s, %v", got.Canonical(), configured, tt.want, tt.configured)
			}
		})
	}
}

func TestWriter(t *testing.T) {
	places := constraint.Places{Workspace: "/project", Home: "/home/a"}
	const writes = `version: 1
name: writer
catalogs:
  files: {pin: FILES, tools: catalogs/files.json}
agents:
  a:
    tools:
      files.read_file:
        allow: [{path: {path: {read: ["/**"]}}}]
      files.write_file:
        allow: [{content: {length: {max: 9}}, path: {path: {write: ["/out/*.txt"]}}}]
        approve: [{path: {path: {write: ["${workspace}/**"]}}}]
        never: [{path: {path: {write: ["/etc/**"]}}}]
`
	c := load(t, writes)
	for path, want := range map[string]string{
		"/project/licet.yaml": `agents.a.tools["files.write_file"].approve[0]`,
		"/out/a.txt":          `agents.a.tools["files.write_file"].allow[0]`,
		"/etc/licet.yaml":     "",
		"/srv/licet.yaml":     "",
	} {
		if got, ok := c.Writer(path, places); got != want || ok != (want != "") {
			t.Errorf("%s is written by %q, %v; want %q", path, got, ok, want)
		}
	}
}
