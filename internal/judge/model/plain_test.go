package model_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/judge/model"
)

// plainly has a case judged in the plain form.
func plainly(tb testing.TB, s *script, c judge.Case) judge.Opinion {
	tb.Helper()
	p, err := model.MeasuredPolicy("mine", "Be fair.")
	if err != nil {
		tb.Fatal(err)
	}
	o := options(s)
	o.Plain, o.Policy, o.View = true, p, model.View{Results: true}
	return newJudge(tb, o).Judge(tb.Context(), c)
}

// TestPlainPrompt: what was said, done and seen, and nothing that code made of it.
// The policy stands there word for word, and nothing beside it.
func TestPlainPrompt(t *testing.T) {
	c := judge.NewCase(judge.Action{Tool: "shell", Cwd: "/ws", Arguments: value(t, `{"command":"rm x"}`)}, []string{"Never push. Remove x"})
	c.Calls = []judge.Earlier{{Tool: "shell", Arguments: value(t, `{"command":"ls"}`), Result: value(t, `"x"`)}}
	c.Signals = []constraint.Signal{{ID: "s1", Collector: "git_state", Key: "dirty", Value: value(t, "2"), Complete: true}}
	s := &script{says: []string{`{"decision":"allow","rationale":"As ordered."}`}}
	o := plainly(t, s, c)
	names, lines := blocks(t, s.asked[0].User)
	if !slices.Equal(names, []string{"REQUEST", "TRAJECTORY", "ACTION", "SIGNALS"}) {
		t.Errorf("the blocks %s", names)
	}
	for block, want := range map[string]string{
		"TRAJECTORY": `{"args":{"command":"ls"},"result":"x","tool":"shell"}`,
		"ACTION":     `{"args":{"command":"rm x"},"cwd":"/ws","tool":"shell"}`,
	} {
		if got := strings.Join(lines[block], "\n"); got != want {
			t.Errorf("%s: %s, want %s", block, got, want)
		}
	}
	system := s.asked[0].System
	if !strings.Contains(system, "\n\nBe fair.\n\n") || strings.Contains(system, "scope_escalation") || strings.Contains(system, "consent") {
		t.Errorf("the system text is\n%s", system)
	}
	template, schema := model.Digests(true)
	if full, _ := model.Digests(false); o.Asked.Template != template || o.Asked.Schema != schema || template == full {
		t.Errorf("%+v", o.Asked)
	}
	if got := verdict(c, o); o.Verdict.String() != "allow" || o.Rationale != "As ordered." || got != "block" {
		t.Errorf("%+v, and %s for who would check what cannot be checked", o, got)
	}
}

// plainAnswers are answers in the plain form with what they are.
var plainAnswers = map[string]string{
	`{"decision":"allow","rationale":""}`:                                       "allow",
	` {"rationale":"` + strings.Repeat("long ", 200) + `","decision":"block"} `: "block",
	`{"decision":"Allow","rationale":""}`:                                       "nv_schema",
	`{"decision":"allow"}`:                                                      "nv_schema",
	`{"decision":true,"rationale":""}`:                                          "nv_schema",
	`{"decision":"allow","rationale":"","confidence":1}`:                        "nv_schema",
	`{"decision":"allow","decision":"block","rationale":""}`:                    "nv_malformed",
	`Sure: {"decision":"allow","rationale":""}`:                                 "nv_malformed",
	`{"decision":"allow","rationale":""}{}`:                                     "nv_malformed",
	`[]`:                                                                        "nv_malformed",
}

// TestPlainAnswer: strict as the other form is, with one repair.
func TestPlainAnswer(t *testing.T) {
	for answer, want := range plainAnswers {
		s := &script{says: []string{answer, answer}}
		o := plainly(t, s, pay(t, order))
		got := string(o.NoVerdict)
		if got == "" {
			got = o.Verdict.String()
		}
		if asked := 1 + strings.Count(want, "nv_"); got != want || len(s.asked) != asked {
			t.Errorf("%s: %s after %d questions, want %s", answer, got, len(s.asked), want)
		}
	}
	for name, change := range map[string]func(*model.Options){
		"two stages": func(o *model.Options) { o.TwoStage = true }, "votes": func(o *model.Options) { o.Votes = 3 },
		"a view": func(o *model.Options) { o.View.NoFacts = true },
	} {
		o := model.Options{Name: "m", Main: &script{}, Policy: model.Rules, Plain: true, Now: time.Now, Nonce: model.RandomNonce}
		change(&o)
		if _, err := model.New(o); err == nil {
			t.Errorf("the plain form with %s", name)
		}
	}
}

// FuzzPlain: an answer allows only where it is one object that says so.
func FuzzPlain(f *testing.F) {
	for answer := range plainAnswers {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		o := plainly(t, &script{says: []string{answer, answer}}, pay(t, order))
		text := strings.TrimSpace(answer)
		if o.NoVerdict == "" && (!strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") || o.Verdict.String() == "no_verdict") {
			t.Errorf("%q is %+v", answer, o)
		}
	})
}
