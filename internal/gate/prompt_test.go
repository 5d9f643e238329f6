package gate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/testkit"
)

// canary stands in all that a model must not see.
const canary = "c4n4ry"

const modelCatalog = `{"tools": [
  {"name": "run", "description": "` + canary + `", "inputSchema": {"type": "object", "properties": {"command": {"type": "string", "description": "` + canary + `"}}, "required": ["command"]}},
  {"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}, "note": {"type": "string"}}, "required": ["to"]}}
]}`

const modelContract = `
version: 1
name: ` + canary + `
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  buyer:
    tools:
      shop.run:
        judge: [{command: {shell: {run: [sh], opaque: [sh], read: ["${workspace}/**"]}}}]
        never: [{command: {pattern: ".*` + canary + `.*"}}]
      shop.pay: judge
approvals: {approvers: [` + canary + `]}
judge: {model: main, view: ["+results"]}
evidence: {redact: {shop.pay: [note]}}
`

// askedModel is a model that keeps what it is asked, does something, and answers.
type askedModel struct {
	prompt string
	does   func()
	says   string
}

func (m *askedModel) Ask(_ context.Context, q llm.Question) (llm.Answer, error) {
	m.prompt = q.System + q.User
	if m.does != nil {
		m.does()
	}
	return llm.Answer{Text: m.says, Model: "m-1", Tries: 1, Usage: llm.Usage{Input: 7, Output: 3}}, nil
}

// newModelled is a bench whose judge is a model.
func newModelled(t *testing.T, m *askedModel) *bench {
	b := newJudged(t, nil)
	b.contract = testkit.Contract(t, modelContract, modelCatalog)
	j, err := model.New(model.Options{Name: "main", Main: m, Policy: model.Rules, View: model.View{Results: true}, Now: time.Now, Nonce: model.RandomNonce})
	if err != nil {
		t.Fatal(err)
	}
	b.gate, err = gate.New(gate.Options{
		Contract: func() *contract.Contract { return b.contract }, Store: b.store, Key: key, Places: b.places, Deadline: time.Minute,
		Models: func(contract.Judge) (judge.Judge, error) { return j, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answer is one of a model, with the words that differ.
func answer(decision, rationale string, spans ...any) string {
	text, _ := json.Marshal(map[string]any{
		"action_effects": []string{"runs"}, "authorizing_spans": append([]any{}, spans...), "uncovered_effects": []string{}, "authorization": "explicit",
		"failure_mode": "none", "risk": "high", "signals_used": []string{}, "confidence": 0.5, "rationale": rationale, "decision": decision,
	})
	return string(text)
}

// TestModelSeesNothingElse: who asks, the contract, the catalog, and what a call
// carries beside its arguments are in no prompt; what it is about is.
func TestModelSeesNothingElse(t *testing.T) {
	m := &askedModel{says: answer("block", "")}
	b := newModelled(t, m)
	b.writeText("do.sh", "echo from the script\n")
	a := b.said("run", `{"command": "sh do.sh"}`, "Run do.sh")
	a.Door, a.Session, a.Principal.User, a.Call.Ticket = canary, canary, canary, ""
	a.Call.Params = testkit.Value(t, `{"_meta": {"x": "`+canary+`"}, "`+canary+`": 1}`)
	a.Asserted.Results = []gate.AssertedResult{{Server: "shop", Tool: "look", Arguments: testkit.Value(t, `{"what":"earlier"}`), Result: testkit.Value(t, `"came back"`)}}
	b.check(a)
	for _, text := range []string{"Run do.sh", `"what":"earlier"`, "came back", "echo from the script", `"argv":[["sh","do.sh"]]`, "shop.run"} {
		if !strings.Contains(m.prompt, text) {
			t.Errorf("the prompt has no %q", text)
		}
	}
	if strings.Contains(m.prompt, canary) {
		t.Errorf("the canary stands in the prompt:\n%s", m.prompt)
	}
}

// writeText writes a file of the workspace.
func (b *bench) writeText(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.places.Workspace, name), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}

// TestExchangedScript: an opinion on a script is none on what lies there now.
func TestExchangedScript(t *testing.T) {
	span := map[string]any{"turn": 1, "quote": "Run sh do.sh", "effects": []string{"f1", "f2", "f3", "f4"}}
	m := &askedModel{}
	b := newModelled(t, m)
	b.writeText("do.sh", "echo one\n")
	a := b.said("run", `{"command": "sh do.sh"}`, "Run sh do.sh")
	j, err := b.gate.Opine(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range j.Case.Effects {
		ids = append(ids, e.ID)
	}
	span["effects"] = ids
	m.says = answer("allow", "", span)
	if got := b.check(a); got.Code() != authz.JudgeAllow {
		t.Fatalf("got %v %+v: %+v", got.Verdict, got.Reasons, b.opinion())
	}
	a.Session = "s2"
	m.does = func() { b.writeText("do.sh", "echo two\n") }
	if got := b.check(a); got.Code() != authz.JudgeBlock || !strings.Contains(got.Reasons[0].Detail, "stale") {
		t.Errorf("got %v %+v", got.Verdict, got.Reasons)
	}
}

// TestModelsOpinionIsRecorded: how it came about; and where words of the call may
// not be written down, no words of the model either.
func TestModelsOpinionIsRecorded(t *testing.T) {
	m := &askedModel{says: answer("block", "It says hush.", map[string]any{"turn": 1, "quote": "hush", "effects": []string{"f1", "hush"}})}
	b := newModelled(t, m)
	b.check(b.said("pay", `{"to": "X1"}`, "Pay, hush"))
	o := b.opinion()
	asked, _ := o["asked"].(map[string]any)
	if o["policy_digest"] != model.Rules.Digest() || asked["reported"] != "m-1" || asked["requests"] != 1.0 || asked["confidence"] != "0.5" ||
		len(asked["template_digest"].(string)) != 71 || len(asked["schema_digest"].(string)) != 71 || asked["view"].([]any)[0] != "+results" {
		t.Errorf("recorded %v", o)
	}
	b.check(b.said("pay", `{"to": "X1", "note": "hush"}`, "Pay, hush"))
	text, err := json.Marshal(b.opinion())
	if err != nil || strings.Contains(string(text), "hush") || !strings.Contains(string(text), `"asked"`) {
		t.Errorf("recorded %s (%v)", text, err)
	}
}

// TestModelsThatAreMissing: no judge, no opinion.
func TestModelsThatAreMissing(t *testing.T) {
	b := newModelled(t, &askedModel{})
	for name, models := range map[string]gate.Models{
		"nv_internal: this gate has no judge main": nil,
		"nv_policy": func(contract.Judge) (judge.Judge, error) { return nil, gate.ErrPolicy },
	} {
		g, err := gate.New(gate.Options{Contract: func() *contract.Contract { return b.contract }, Store: b.store, Key: key, Judge: judge.Grounded{}, Models: models})
		if err != nil {
			t.Fatal(err)
		}
		if a := g.Check(t.Context(), b.said("pay", `{"to":"X1"}`, "Pay X1")); a.Verdict != authz.Block || !strings.Contains(a.Reasons[0].Detail, name) {
			t.Errorf("got %v %+v, want %s", a.Verdict, a.Reasons, name)
		}
	}
}
