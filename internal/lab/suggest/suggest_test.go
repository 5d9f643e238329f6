package suggest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/suggest"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

const tools = `{"tools": [{"name": "list", "inputSchema": {"type": "object", "properties": {}}},
	{"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}}}]}`

// shop returns a contract with a rule for pay.
func shop(t *testing.T, pay string) cases.Source {
	t.Helper()
	c, err := catalog.Parse([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	text := "version: 1\nname: shop\ncatalogs: {shop: {pin: " + c.Digest() + ", tools: shop.json}}\nagents:\n  buyer:\n    tools:\n      shop.list: allow\n      shop.pay:" + pay
	return cases.Source{Name: "licet.yaml", Text: []byte(text), Files: map[string][]byte{"shop.json": []byte(tools)}}
}

// play replays n traces of calls of pay, each with the same prompt.
func play(t *testing.T, source cases.Source, traces []string) (all []replay.Outcome) {
	t.Helper()
	judge, err := replay.NewJudge(source, "buyer", "shop")
	if err != nil {
		t.Fatal(err)
	}
	for trace, err := range trajectory.Read("t.jsonl", strings.NewReader(strings.Join(traces, "\n")), trajectory.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		o, err := judge.Play(t.Context(), trace, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// payments are traces that pay the user's choice 1 to 6, and EVE in four more.
func payments() (all []string) {
	for i := range 6 {
		all = append(all, fmt.Sprintf(`{"id":"t%d","prompt":"pay BOB","calls":[{"tool":"pay","args":{"to":"BOB","amount":%d}}]}`, i, i+1))
	}
	for i := range 4 {
		all = append(all, fmt.Sprintf(`{"id":"e%d","prompt":"pay BOB","calls":[{"tool":"pay","args":{"to":"e@x","amount":3}}]}`, i))
	}
	return all
}

// TestSuggest has rules and what is suggested for them, with its lines.
func TestSuggest(t *testing.T) {
	for name, tt := range map[string]struct {
		pay  string
		want []string
	}{
		"bounds and a value, one source": {
			"\n        allow:\n          - to: {from: request}\n            amount: {min: 0.5, max: 100}\n        approve:\n          - {}\n",
			[]string{
				"narrower @@ line 11 @@|-            amount: {min: 0.5, max: 100}|+            amount: {min: 1, max: 100}|",
				"narrower @@ line 11 @@|-            amount: {min: 0.5, max: 100}|+            amount: {min: 0.5, max: 6}|",
				"wider @@ line 10 @@|-          - to: {from: request}|+          - to: {from: [request, {literal: [\"e@x\"]}]}|",
			},
		},
		"bounds that fit, sources in one line": {
			"\n        allow:\n          - to: {from: [request, {literal: [\"é, ]\"]}]}\n            amount: {min: 1, max: 6}\n        approve:\n          - {}\n",
			[]string{"wider @@ line 10 @@|-          - to: {from: [request, {literal: [\"é, ]\"]}]}|+          - to: {from: [{literal: [\"e@x\"]}, request, {literal: [\"é, ]\"]}]}|"},
		},
		"sources in lines": {
			"\n        allow:\n          - to:\n              from:\n                - request\n                - {result: shop.list, at: \"[].to\"}\n        approve:\n          - {}\n",
			[]string{"wider @@ line 12 @@|+                - {literal: [\"e@x\"]}|"},
		},
		"an unused clause with its comment, before another": {
			"\n        allow:\n          # never used\n          - to: {from: {result: shop.list, at: \"[].to\"}}\n          # used\n          - to: {from: request}\n        approve:\n          - {}\n",
			[]string{
				"narrower @@ line 10 @@|-          # never used|-          - to: {from: {result: shop.list, at: \"[].to\"}}|",
				"wider @@ line 11 @@|-          - to: {from: {result: shop.list, at: \"[].to\"}}|+          - to: {from: [{result: shop.list, at: \"[].to\"}, {literal: [\"e@x\"]}]}|",
				"wider @@ line 13 @@|-          - to: {from: request}|+          - to: {from: [request, {literal: [\"e@x\"]}]}|",
			},
		},
		"the only clause, unused":    {"\n        allow:\n          - amount: {min: 1000}\n        approve:\n          - {}\n", []string{"narrower @@ line 9 @@|-        allow:|-          - amount: {min: 1000}|"}},
		"the only clause, and all":   {"\n        allow:\n          - amount: {min: 1000}\n", nil},
		"more than one thing misses": {"\n        allow:\n          - to: {from: {literal: [X]}}\n            amount: {min: 1000}\n        approve: [{}]\n", []string{"narrower @@ line 9 @@|-        allow:|-          - to: {from: {literal: [X]}}|-            amount: {min: 1000}|"}},
		"no clauses":                 {" approve\n", nil},
	} {
		source := shop(t, tt.pay)
		outcomes := play(t, source, payments())
		before := string(source.Text)
		all, err := suggest.Suggest(source, "buyer", outcomes)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, s := range all {
			got = append(got, s.Direction.String()+" "+strings.ReplaceAll(suggest.Diff(source.Text, s.Text), "\n", "|"))
			checkEffect(t, name, source, s, outcomes)
		}
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") || string(source.Text) != before {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// checkEffect replays under a suggestion: what is narrower changes no answer that was
// given, what is wider turns some that were held into allowed ones, and no other way.
func checkEffect(t *testing.T, name string, source cases.Source, s suggest.Suggestion, before []replay.Outcome) {
	t.Helper()
	source.Text = s.Text
	changed := 0
	for i, o := range play(t, source, payments()) {
		was, is := before[i].Verdict(), o.Verdict()
		if was != is {
			changed++
		}
		if was != is && (s.Direction == contract.Narrower || is != authz.Allow) {
			t.Errorf("%s: %s: %s was %s and is %s", name, s.What, o.ID, was, is)
		}
	}
	if s.Direction == contract.Wider && changed == 0 && strings.Contains(s.What, "e@x") {
		t.Errorf("%s: %s changes nothing", name, s.What)
	}
	if len(s.Calls) == 0 {
		t.Errorf("%s: %s: no call is behind it", name, s.What)
	}
}
