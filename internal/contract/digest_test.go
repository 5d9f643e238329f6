package contract_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/contract"
)

// TestDigestIgnoresSpelling checks that texts of one meaning share a digest.
func TestDigestIgnoresSpelling(t *testing.T) {
	want := load(t, valid).Digest()
	for _, e := range []struct{ name, old, new string }{
		{"a comment", "name: test\n", "# why\nname: test # here\n\n"},
		{"quotes", "name: test\n", "'name': \"test\"\n"},
		{"order of keys", "version: 1\nname: test\n", "name: test\nversion: 1\n"},
		{"order of keys in a clause", "amount: {min: 0.01, max: 100}", "amount: {max: 100, min: 0.01}"},
		{"order of arguments", "- amount: {min: 0.01, max: 100}\n            recipient: {from: [request, {result: bank.get_contacts, at: \"[].iban\"}]}",
			"- recipient: {from: [request, {result: bank.get_contacts, at: \"[].iban\"}]}\n            amount: {min: 0.01, max: 100}"},
		{"order of sources", `[request, {result: bank.get_contacts, at: "[].iban"}]`, `[{at: "[].iban", result: bank.get_contacts}, request]`},
		{"order of approvers", "[ops, lead]", "[lead, ops]"},
		{"minutes for an hour", "per: 1h", "per: 60m"},
		{"seconds for a day", "per: 1d", "per: 86400s"},
		{"minutes in approvals", "expire: 1h", "expire: 60m"},
		{"1.0 for 1", "transfers[].amount: {min: 1, max: 5}", "transfers[].amount: {min: 1.0, max: 5.00}"},
		{"an exponent", "max: 2000", "max: 2.0e+3"},
		{"a path in brackets", "- note: {pattern", "- '[\"note\"]': {pattern"},
		{"a shorthand written out", "bank.get_balance: allow", "bank.get_balance: {allow: [{}]}"},
		{"the judge that is taken anyway", "name: test\n", "name: test\njudge: {model: builtin/grounded, on_block: block}\n"},
		{"block style", "files: {pin: FILES, tools: catalogs/files.json, resolve: none}", "files:\n    resolve: none\n    tools: catalogs/files.json\n    pin: FILES"},
	} {
		if got := load(t, edit(t, valid, e.old, e.new)).Digest(); got != want {
			t.Errorf("%s changes the digest", e.name)
		}
	}
	if got := load(t, strings.ReplaceAll(valid, "\n", "\r\n")).Digest(); got != want {
		t.Error("line breaks change the digest")
	}
}

// TestDigestSeesMeaning checks that every edit of meaning gives a digest of its
// own.
func TestDigestSeesMeaning(t *testing.T) {
	seen := map[string]string{load(t, valid).Digest(): "none"}
	for _, e := range [][2]string{
		{"name: test", "name: other"},
		{"name: test", "name: test\njudge: {on_block: approve}"},
		{"name: test", "name: test\njudge: {on_no_verdict: approve}"},
		{"name: test", "name: test\njudge: {model: m}"},
		{"name: test", "name: test\njudge: {model: m, policy: implicit}"},
		{"name: test", "name: test\njudge: {model: m, votes: 3}"},
		{"name: test", "name: test\njudge: {model: m, two_stage: true}"},
		{"name: test", "name: test\njudge: {model: m, view: [\"+results\"]}"},
		{"name: test", "name: test\njudge: {model: m, view: [\"-facts\"]}"},
		{"name: test", "name: test\njudge: {model: m, view: [\"-signals\"]}"},
		{"bank.get_balance: allow", "bank.get_balance: judge"},
		{", resolve: none", ""},
		{"bank.get_balance: allow", "bank.get_balance: approve"},
		{"bank.get_balance: allow", "bank.get_balance: block"},
		{"      bank.get_balance: allow\n", ""},
		{"{approve: [{}]}", "{approve: [{}, {}]}"},
		{"{approve: [{}]}", "{approve: [{}], never: [{}]}"},
		{"max: 100}", "max: 100.001}"},
		{"amount: {min: 0.01, max: 100}", "amount: {max: 100}"},
		{", multiple_of: 0.01", ""},
		{"[GB00BLOCKED]", "[GB00BLOCKED, GB01]"},
		{"[GB00BLOCKED]", "[gb00blocked]"},
		{"(?i:password)", "(?i:secret)"},
		{"          - note: {pattern: \".*(?i:password).*\"}\n", ""},
		{"[request, {result", "[{result"},
		{"result: bank.get_contacts", "result: bank.get_balance"},
		{"[].iban", "[].mail"},
		{"calls: 5, per: 1h", "calls: 6, per: 1h"},
		{"calls: 5, per: 1h", "calls: 5, per: 61m"},
		{"calls: 5, per: 1h", "calls: 5, per: session"},
		{"{calls: 5, per: 1h}", "{sum: amount, max: 5, per: 1h}"},
		{"max: 2000", "max: 2001"},
		{"          - {sum: amount, max: 2000, per: 1d}\n", ""},
		{"items: {min: 1, max: 3}", "items: {min: 1, max: 4}"},
		{"{const: DE1}", "{const: DE2}"},
		{"{length: {max: 8}}", "{length: {max: 9}}"},
		{"extra.any.thing", "extra.any.things"},
		{"not_in: [true]", "not_in: [false]"},
		{"/srv/docs/**", "/srv/**"},
		{"path: {read:", "path: {write:"},
		{"calls: 200", "calls: 201"},
		{"    limits:\n      - {calls: 200, per: session}\n", ""},
		{"  reviewer:", "  auditor:"},
		{"bank.send_money: block", "bank.send_money: allow"},
		{"expire: 1h", "expire: 2h"},
		{"[ops, lead]", "[ops, lead, audit]"},
		{"quorum: 2", "quorum: 1"},
		{"bank.send_money: [note]", "bank.send_money: [note, amount]"},
		{"    bank.send_money: [note]\n", ""},
	} {
		digest := load(t, edit(t, valid, e[0], e[1])).Digest()
		if other, same := seen[digest]; same {
			t.Errorf("%q for %q has the digest of edit %q", e[1], e[0], other)
		}
		seen[digest] = e[1]
	}
	if len(seen) < 40 {
		t.Errorf("only %d digests: the test is not looking", len(seen))
	}
}

// TestDigestSeesFiles checks that a changed copy with its new pin is another
// contract.
func TestDigestSeesFiles(t *testing.T) {
	changed := func(path string) ([]byte, error) {
		raw, err := open(path)
		return []byte(strings.Replace(string(raw), "Text of one file.", "Text of a file.", 1)), err
	}
	_, err := contract.Load("licet.yaml", []byte(pinned(t, valid)), changed)
	if err == nil {
		t.Fatal("a changed copy loads with the old pin")
	}
	_, after, _ := strings.Cut(err.Error(), "has the digest ")
	pin, _, _ := strings.Cut(after, ";")
	text, err := contract.SetPin([]byte(pinned(t, valid)), "files", pin)
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Load("licet.yaml", text, changed)
	if err != nil {
		t.Fatal(err)
	}
	if c.Digest() == load(t, valid).Digest() {
		t.Error("a changed copy does not change the digest")
	}
}

// TestDigestOfNewWords does the same for a contract with the words of agents,
// groups, methods, conditions and splits.
func TestDigestOfNewWords(t *testing.T) {
	want := load(t, rich).Digest()
	for _, e := range []struct{ name, old, new string }{
		{"order in by", "by: [user, tool]", "by: [tool, user]"},
		{"by as it is without", "{calls: 7, per: 1d}", "{calls: 7, per: 1d, by: [agent]}"},
		{"order in a label", "[bank.get_balance, bank.get_contacts]", "[bank.get_contacts, bank.get_balance]"},
		{"name of a label", "called: [private]", "called: [bank.get_contacts, bank.get_balance]"},
		{"order of tools", "not_called: [bank.get_contacts, bank.get_balance]", "not_called: [bank.get_balance, bank.get_contacts]"},
		{"order of phrases", "[pay, \"send money\"]", "[\"send money\", pay, pay]"},
		{"order of panel", "[lead, audit]", "[audit, lead]"},
		{"style of an expression", "$when: call.arguments.amount < 50", "$when: 'call.arguments.amount < 50'"},
		{"order of conditions", "- $approvers: [lead, audit]\n            $quorum: 2", "- $quorum: 2\n            $approvers: [lead, audit]"},
	} {
		if got := load(t, edit(t, rich, e.old, e.new)).Digest(); got != want {
			t.Errorf("%s changes the digest", e.name)
		}
	}
	seen := map[string]string{want: "none"}
	for _, e := range [][2]string{
		{"authenticate: {token: support}", "authenticate: {token: other}"}, {"    authenticate: {token: support}\n", ""},
		{"    mode: shadow\n", ""}, {"extends: support", "extends: helper"},
		{"bank.get_*: allow", "bank.get_*: approve"}, {"bank.get_*: allow", "bank.get_b*: allow"},
		{"      bank:resources/read:\n        allow: [{uri", "      bank:prompts/get:\n        allow: [{name"},
		{"extra_arguments: allow", "limits: [{calls: 3, per: 1d}]"},
		{"called: [private]", "called: [bank.get_contacts]"}, {"called: [private]", "not_called: [private]"},
		{"argument: recipient, max: 3}", "argument: recipient, max: 4}"}, {"argument: recipient, max: 3}", "argument: note, max: 3}"},
		{"[pay, \"send money\"]", "[pay]"}, {"amount < 50", "amount < 51"},
		{"$quorum: 2", "$quorum: 1"}, {"[lead, audit]", "[lead, ops]"},
		{"by: [user, tool]", "by: [user]"}, {"by: [user, tool]", "by: [user, tool, session]"}, {", by: [{argument: recipient}]", ""},
		{"{argument: recipient}]", "{argument: note}]"}, {", over: approve", ""}, {", optional: true", ""},
		{"{claim: iban}", "{claim: account}"}, {"hosts: [docs.example.org]", "hosts: [docs.example.com]"},
		{"private: [bank.get_balance, bank.get_contacts]", "private: [bank.get_balance]"},
	} {
		digest := load(t, edit(t, rich, e[0], e[1])).Digest()
		if other, same := seen[digest]; same {
			t.Errorf("%q for %q has the digest of edit %q", e[1], e[0], other)
		}
		seen[digest] = e[1]
	}
}

// TestDigestOfOldContracts pins the digest of a contract without new words: they
// must not change what records name.
func TestDigestOfOldContracts(t *testing.T) {
	const want = "sha256:339173ad262496548a3c8402de2119f666b208b7f849b8386f1cd3193fcdc469"
	if got := load(t, valid).Digest(); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
