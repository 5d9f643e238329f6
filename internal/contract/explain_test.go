package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
)

// explained loads a contract with these agents and explains one.
func explained(t *testing.T, agents, agent string) contract.Explanation {
	t.Helper()
	c := load(t, "version: 1\nname: plain\ncatalogs:\n  bank: {pin: BANK, tools: catalogs/bank.json}\n"+
		"labels: {known: [bank.get_contacts]}\nagents:\n"+agents+"approvals: {approvers: [ada, bob], quorum: 2}\n")
	e, ok := c.Explain(agent)
	if !ok {
		t.Fatalf("no agent %s", agent)
	}
	return e
}

// TestSentences says every kind of constraint and condition.
func TestSentences(t *testing.T) {
	seen := map[string]bool{}
	for clause, want := range map[string]string{
		"note: {const: hi}":                           `note is "hi"`,
		"amount: {in: [1, 2.50, 3]}":                  "amount is 1, 2.5 or 3",
		"note: {not_in: [a]}":                         `note is not "a"`,
		"amount: {min: 0.01}":                         "amount is at least 0.01",
		"amount: {max: 100}":                          "amount is at most 100",
		"amount: {min: 1, max: 5, multiple_of: 0.5}":  "amount is from 1 to 5 and is a multiple of 0.5",
		"note: {length: {max: 8}}":                    "note has at most 8 characters",
		"note: {length: 8}":                           "note has exactly 8 characters",
		"note: {length: {min: 2}, optional: true}":    "note is absent, or has at least 2 characters",
		`note: {pattern: "[a-z]+"}`:                   "note matches [a-z]+ as a whole",
		`note: {path: {read: ["/a/**", "!/a/b"]}}`:    "note leads to a file to read under !/a/b or /a/**",
		`note: {path: {write: ["/a/*"], base: "/a"}}`: "note leads to a file to write under /a/*, counted from /a",
		"note: {url: {hosts: [example.org]}}":         "note is a URL of example.org over https",
		"note: {url: {schemes: [http], hosts: [a.org], ports: [80], paths: [/x]}}":                             "note is a URL of a.org over http at port 80, below /x",
		"note: {email: {domains: [a.org], addresses: [b@c.org]}}":                                              "note names only addresses at a.org or b@c.org",
		"recipient: {from: [request, {claim: iban}, {literal: [DE1]}]}":                                        `recipient was stated by the user, by the user's claim iban or here: "DE1"`,
		`recipient: {from: [{result: bank.get_contacts}]}`:                                                     "recipient was stated anywhere in a result of bank.get_contacts",
		`recipient: {from: [{result: bank.get_contacts, at: "[].iban"}]}`:                                      "recipient was stated by a result of bank.get_contacts at [].iban",
		"note: {identifiers: {from: request}}":                                                                 "note holds only addresses, links and numbers that were stated by the user",
		`note: {identifiers: {from: request, patterns: ["X[0-9]+"]}}`:                                          "note holds only addresses, links and numbers that were stated by the user, and what matches X[0-9]+ counts as one",
		`note: {shell: {run: [ls, git status], opaque: [make], read: ["/a/**"], write: ["/b"], net: [a.org]}}`: "note is a command: it runs git status or ls, it may do anything within make, it reads /a/**, it writes /b, it talks to a.org",
		"$request: {mentions: [pay, send money]}":                                                              "a user turn mentions pay or send money",
		`$when: "call.agent == 'a'"`:                                                                           "the expression holds: call.agent == 'a'",
		"$signal: {git_targets.untracked_affected: {max: 0}, git_remote.default_branch: {in: [main]}}":         `the signal git_remote.default_branch (the default branch of the remote) is "main" and the signal git_targets.untracked_affected (affected files that git neither tracks nor ignores) is at most 0`,
		"$session: {called: [known]}":                                                                          "bank.get_contacts was called in this session",
		"$session: {not_called: [bank.get_balance], distinct: {argument: recipient, max: 3}}":                  "bank.get_balance was not called in this session and recipient of bank.send_money has at most 3 values in this session",
		"note: {sql: {dialect: sqlite, read_only: true}}":                                                      "note is SQL for sqlite that only reads",
		"note: {sql: {dialect: postgresql, statements: [select, insert], tables: [a.b, c]}}":                   "note is SQL for postgresql of the class insert or select, of the tables a.b or c",
	} {
		e := explained(t, "  a: {tools: {bank.send_money: {approve: [{"+clause+"}]}}}\n", "a")
		got := strings.Join(e.Rules[0].Approve[0].Says, "; ")
		if got != want {
			t.Errorf("%s\nsays %s\nwant %s", clause, got, want)
		}
		for _, word := range append(constraint.Kinds(), constraint.Conditions()...) {
			if strings.Contains(clause, word+":") {
				seen[word] = true
			}
		}
	}
	e := explained(t, "  a: {tools: {bank.send_batch: {approve: [{transfers: {items: {min: 1, max: 3}}}]}}}\n", "a")
	if got := e.Rules[0].Approve[0].Says[0]; got != "transfers has 1 to 3 elements" {
		t.Error(got)
	}
	seen["items"] = true
	for _, word := range append(constraint.Kinds(), constraint.Conditions()...) {
		if !seen[word] {
			t.Errorf("no sentence is tested for %s", word)
		}
	}
}

func TestExplain(t *testing.T) {
	const agents = `  a:
    authenticate: {token: key}
    mode: shadow
    tools:
      "bank.get_*": allow
      bank.send_money:
        never: [{recipient: {in: [X]}}]
        allow: [{}]
        judge: [{amount: {max: 7}}]
        approve: [{$approvers: [cy], $quorum: 1}, {}]
        limits: [{sum: amount, max: 9, per: 1d, over: approve}]
    limits: [{calls: 5, per: session, by: [agent, user]}]
  b:
    extends: a
    tools:
      bank.send_money: block
`
	a := explained(t, agents, "a")
	if a.Token != "key" || !a.Shadow || len(a.Extends) > 0 || strings.Join(a.Unlisted, " ") != "bank.send_batch" {
		t.Errorf("%+v", a)
	}
	if g := a.Rules[0]; g.Tool != "bank.get_balance" || g.Group != "bank.get_*" || len(g.Allow) != 1 || len(g.Allow[0].Says) != 0 {
		t.Errorf("the group: %+v", g)
	}
	pay := a.Rules[2]
	if len(pay.Judge) != 1 || pay.Judge[0].Says[0] != "amount is at most 7" {
		t.Errorf("the judge: %+v", pay.Judge)
	}
	if want := []string{"amount: a number", "recipient: a string", "note: a string, optional", "urgent: a boolean, optional"}; !sameWords(pay.Arguments, want) {
		t.Errorf("arguments %q", pay.Arguments)
	}
	if want := []string{
		"at most 9 as the sum of amount in any 1d; beyond that a person is asked",
		"at most 5 calls in one session, over all tools, counted apart for each agent and user",
	}; !slices.Equal(pay.Limits, want) {
		t.Errorf("limits %q", pay.Limits)
	}
	if own, usual := pay.Approve[0], pay.Approve[1]; !slices.Equal(own.Approvers, []string{"cy"}) || !slices.Equal(usual.Approvers, []string{"ada", "bob"}) || usual.Quorum != 2 {
		t.Errorf("panels %+v", pay.Approve)
	}

	b := explained(t, agents, "b")
	if !slices.Equal(b.Extends, []string{"a"}) || b.Token != "" || b.Shadow || len(b.Rules) != 3 {
		t.Errorf("%+v", b)
	}
	if r := b.Rules[2]; !r.Blocked || r.Base == nil || r.Base.Path != `agents.a.tools["bank.send_money"]` {
		t.Errorf("what is extended: %+v", r)
	}
}

func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
