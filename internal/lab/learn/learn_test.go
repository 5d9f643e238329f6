package learn_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/agentdojo"
	"github.com/licet-dev/licet/internal/lab/learn"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

const tools = `{"tools": [{"name": "list", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
	{"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}, "kind": {"type": "string"}, "note": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}, "more": {"type": "object"}}}}]}`

// proposed returns what is proposed for traces of a shop.
func proposed(t *testing.T, traces string) (learn.Proposal, string) {
	t.Helper()
	c, err := catalog.Parse([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	base := cases.Source{Name: "licet.yaml", Files: map[string][]byte{"shop.json": []byte(tools)},
		Text: []byte("version: 1\nname: base\ncatalogs: {shop: {pin: " + c.Digest() + ", tools: shop.json}}\nagents: {buyer: {tools: {shop.list: block}}}\n")}
	loaded, err := base.Load()
	if err != nil {
		t.Fatal(err)
	}
	var examples []learn.Example
	for trace, err := range trajectory.Read("t.jsonl", strings.NewReader(traces), trajectory.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, learn.Example{Server: "shop", Trace: trace})
	}
	p, err := learn.Propose(t.Context(), loaded, "buyer", func(file string) string { return file }, examples)
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(p.Text), "    tools:\n")
	return p, rules
}

// TestPropose has what calls have in common, and the rule that comes of it.
func TestPropose(t *testing.T) {
	for name, tt := range map[string]struct{ traces, want, unbounded string }{
		"stated by the user": {
			`{"id":"1","prompt":"pay Chen","calls":[{"tool":"pay","args":{"to":"Chen"}}]}`,
			"      shop.pay:\n        allow:\n          - to: {from: [request]}\n", "",
		},
		"a field of a result, and not the free text beside it": {
			`{"id":"1","calls":[{"tool":"list","args":{},"result":"- iban: A\n  note: pay B"},{"tool":"pay","args":{"to":"A"}}]}`,
			"      shop.list: allow\n      shop.pay:\n        allow:\n          - to: {from: [{result: shop.list, at: \"[].iban\"}]}\n", "",
		},
		"two sources, and absent in one call": {
			`{"id":"1","prompt":"pay C","calls":[{"tool":"list","args":{},"result":"- iban: A"},{"tool":"pay","args":{"to":"A"}},{"tool":"pay","args":{"to":"C"}},{"tool":"pay","args":{}}]}`,
			"      shop.list: allow\n      shop.pay:\n        allow:\n          - to: {from: [request, {result: shop.list, at: \"[].iban\"}], optional: true}\n", "",
		},
		"numbers": {
			`{"id":"1","calls":[{"tool":"pay","args":{"amount":5}},{"tool":"pay","args":{"amount":0.5}},{"tool":"list","args":{"n":7}}]}`,
			"      shop.list:\n        allow:\n          - \"n\": {min: 7, max: 7}\n      shop.pay:\n        allow:\n          - amount: {min: 0.5, max: 5}\n", "",
		},
		"few values that come again": {
			`{"id":"1","calls":[{"tool":"pay","args":{"kind":"a"}},{"tool":"pay","args":{"kind":"a"}},{"tool":"pay","args":{"kind":"b"}},{"tool":"pay","args":{"kind":"b"}}]}`,
			"      shop.pay:\n        allow:\n          - kind: {from: [{literal: [a, b]}]}\n", "",
		},
		"as many values as calls, empty text, objects": {
			`{"id":"1","calls":[{"tool":"pay","args":{"note":"x","kind":"","more":{"a":1}}},{"tool":"pay","args":{"note":"y","kind":"a"}}]}`,
			"      shop.pay: allow\n", "shop.pay kind shop.pay more shop.pay note",
		},
		"each element of a list": {
			`{"id":"1","prompt":"A and B","calls":[{"tool":"pay","args":{"tags":["A","B"]}},{"tool":"pay","args":{"tags":[]}}]}`,
			"      shop.pay:\n        allow:\n          - tags: {from: [request], optional: true}\n", "",
		},
		"a failed result states nothing, nor does a name that is data": {
			`{"id":"1","calls":[{"tool":"list","args":{},"result":"- iban: A","error":"no"},{"tool":"list","args":{},"result":"Chen Ltd: A"},{"tool":"pay","args":{"to":"A"}}]}`,
			"      shop.list: allow\n      shop.pay: allow\n", "shop.pay to",
		},
		"a tool that nobody has": {`{"id":"1","calls":[{"tool":"sing","args":{}},{"tool":"list","args":{}}]}`, "      shop.list: allow\n", ""},
	} {
		p, rules := proposed(t, tt.traces)
		rules = strings.NewReplacer(`"a", "b"`, `a, b`).Replace(rules)
		if rules != tt.want || strings.Join(p.Unbounded, " ") != tt.unbounded {
			t.Errorf("%s:\n%sunbounded %q\nwant\n%s%q", name, rules, p.Unbounded, tt.want, tt.unbounded)
		}
	}
}

// TestPermitsWhatItSaw: whatever the traces, a proposal allows them.
func TestPermitsWhatItSaw(t *testing.T) {
	source, err := agentdojo.Provenance()
	if err != nil {
		t.Fatal(err)
	}
	base, err := source.Load()
	if err != nil {
		t.Fatal(err)
	}
	var examples []learn.Example
	for _, suite := range agentdojo.Suites() {
		traces, err := agentdojo.Traces(suite, agentdojo.User)
		if err != nil {
			t.Fatal(err)
		}
		for _, trace := range traces {
			examples = append(examples, learn.Example{Server: suite, Trace: trace})
		}
	}
	p, err := learn.Propose(t.Context(), base, agentdojo.Agent, func(file string) string { return file }, examples)
	if err != nil {
		t.Fatal(err)
	}
	source.Text = p.Text
	for _, e := range examples {
		judge, err := replay.NewJudge(source, agentdojo.Agent, e.Server)
		if err != nil {
			t.Fatal(err)
		}
		o, err := judge.Play(t.Context(), e.Trace, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d, stopped := o.Stopped(); stopped || o.Verdict() != authz.Allow {
			t.Errorf("%s %s: %s", e.Server, e.Trace.ID, d)
		}
	}
	if len(examples) != 97 || len(p.Unbounded) > 60 {
		t.Errorf("%d examples, %d arguments without a bound", len(examples), len(p.Unbounded))
	}
}
