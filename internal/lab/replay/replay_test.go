package replay_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/toolcall"
)

// readable and refused are lines, the latter with what their error says.
var (
	readable = []string{
		`{"id":"t","calls":[]}`,
		`{"id":"t","prompt":"p","calls":[{"tool":"f","args":{},"result":"r"}]}`,
		`{"id":"t","goal":"g","calls":[{"tool":"f","args":{"a":1},"error":"no"},{"tool":"f","args":{},"error":null}]}`,
		"\n",
	}
	refused = map[string]string{
		`[]`:                                "an object",
		`{"id":"t"`:                         "line 1",
		`{"id":"t"}`:                        `"calls"`,
		`{"id":"","calls":[]}`:              `"id"`,
		`{"id":"t","calls":{}}`:             `"calls"`,
		`{"id":"t","calls":[],"x":1}`:       `"x"`,
		`{"id":"t","id":"t"}`:               "id",
		`{"id":"t","calls":[1]}`:            "call 0",
		`{"id":"t","calls":[{"tool":"f"}]}`: `"args"`,
		`{"id":"t","calls":[{"tool":"","args":{}}]}`:        `"tool"`,
		`{"id":"t","calls":[{"tool":"f","args":[]}]}`:       `"args"`,
		`{"id":"t","calls":[{"tool":"f","args":{},"x":1}]}`: `"x"`,
	}
)

func TestParse(t *testing.T) {
	for _, line := range readable {
		if _, err := replay.Parse("t.jsonl", []byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for line, says := range refused {
		_, err := replay.Parse("t.jsonl", []byte("\n"+line))
		if err == nil || !strings.HasPrefix(err.Error(), "t.jsonl:2: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", line, err, says)
		}
	}
}

// FuzzParse: what is read has what replay needs.
func FuzzParse(f *testing.F) {
	for _, line := range readable {
		f.Add([]byte(line))
	}
	for line := range refused {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		traces, err := replay.Parse("t.jsonl", text)
		if err != nil && traces != nil {
			t.Error("traces beside an error")
		}
		for _, trace := range traces {
			for _, c := range trace.Calls {
				if trace.ID == "" || c.Tool == "" || c.Args.Kind() != toolcall.Object {
					t.Errorf("an incomplete call was read: %+v", c)
				}
			}
		}
	})
}

// TestTally: the strictest answer decides, and a trace without calls is none.
func TestTally(t *testing.T) {
	outcome := func(all ...authz.Verdict) replay.Outcome {
		o := replay.Outcome{}
		for _, v := range all {
			o.Answers = append(o.Answers, cases.Answer{Verdict: v})
		}
		return o
	}
	got := replay.Tally([]replay.Outcome{
		outcome(), outcome(authz.Allow), outcome(authz.Allow, authz.RequireApproval, authz.Allow),
		outcome(authz.RequireApproval, authz.Block), outcome(authz.Block, authz.RequireApproval),
	})
	if want := (replay.Count{Traces: 4, Empty: 1, Allowed: 1, Held: 1, Blocked: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSession: the prompt and the results of calls that were let through are
// facts of a trace, and of no other.
func TestSession(t *testing.T) {
	const tools = `{"tools": [{"name": "list", "inputSchema": {"type": "object", "properties": {}}},
		{"name": "hidden", "inputSchema": {"type": "object", "properties": {}}},
		{"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}}]}`
	source := source(t, tools, `
version: 1
name: shop
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  buyer:
    tools:
      shop.list: allow
      shop.pay: {allow: [{to: {from: [request, {result: shop.list}, {result: shop.hidden}]}}]}
`)
	traces, err := replay.Parse("t.jsonl", []byte(`{"id":"a result","calls":[{"tool":"list","args":{},"result":"IBAN1"},{"tool":"pay","args":{"to":"IBAN1"}}]}
{"id":"another's result","calls":[{"tool":"pay","args":{"to":"IBAN1"}}]}
{"id":"the prompt","prompt":"pay IBAN2","calls":[{"tool":"pay","args":{"to":"IBAN2"}}]}
{"id":"a call that did not run","calls":[{"tool":"hidden","args":{},"result":"IBAN3"},{"tool":"pay","args":{"to":"IBAN3"}}]}
{"id":"a call that failed","calls":[{"tool":"list","args":{},"result":"IBAN4","error":"IBAN4"},{"tool":"pay","args":{"to":"IBAN4"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := replay.Run(t.Context(), cases.Core{}, source, replay.Actor{Agent: "buyer", Server: "shop"}, traces)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []authz.Verdict{authz.Allow, authz.Block, authz.Allow, authz.Block, authz.Block} {
		last := outcomes[i].Answers[len(outcomes[i].Answers)-1]
		if last.Verdict != want {
			t.Errorf("%s: %s, want %s: %v", traces[i].ID, last.Verdict, want, last.Reasons)
		}
	}
}

func source(t *testing.T, tools, text string) cases.Source {
	t.Helper()
	c, err := catalog.Parse([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, "PIN", c.Digest())
	return cases.Source{Name: "licet.yaml", Text: []byte(text), Files: map[string][]byte{"shop.json": []byte(tools)}}
}
