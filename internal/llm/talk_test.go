package llm_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/llm"
)

// conversation is a question with a turn of each kind behind it.
func conversation(seed *int) llm.Question {
	half := 0.5
	return llm.Question{User: "do", MaxTokens: 100, Temperature: &half, Talk: &llm.Talk{
		TopP: &half, Seed: seed,
		Tools: []llm.Tool{{Name: "look", Description: "Look.", Schema: []byte(`{"type":"object"}`)}},
		Turns: []llm.Turn{
			{Text: "I look.", Calls: []llm.Call{{"look", `{"at":1}`}, {"look", `{}`}}, Results: []string{"a", "b"}},
			{Calls: []llm.Call{{"look", `{}`}}, Results: []string{"c"}, User: "go on"},
			{Text: " ", User: "well?"},
		},
	}}
}

// talk has a conversation carried on.
func talk(t *testing.T, c llm.Config, q llm.Question) (llm.Answer, *llm.Failure) {
	t.Helper()
	client, err := llm.New(c, newClock().system())
	if err != nil {
		t.Fatal(err)
	}
	a, err := client.Ask(t.Context(), q)
	var f *llm.Failure
	if err != nil && !errors.As(err, &f) {
		t.Fatalf("an untyped error: %v", err)
	}
	if f != nil && (a.Text != "" || a.Calls != nil) {
		t.Errorf("%v: %+v beside a failure", f, a)
	}
	return a, f
}

// turns are answers in a conversation, in the form that the API documents, with what
// must become of each.
var turns = map[llm.Provider][]struct {
	name string
	body string
	code llm.Code
	want llm.Answer // text, calls, refused and finish
}{
	llm.OpenAI: {
		{"text and calls", `{"model":"m","choices":[{"message":{"content":"so","tool_calls":[{"id":"x","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}},{"id":"y","function":{"name":"fly","arguments":"{"}}]},"finish_reason":"tool_calls"}]}`, "",
			llm.Answer{Text: "so", Finish: "tool_calls", Calls: []llm.Call{{"look", `{"at":1}`}, {"fly", "{"}}}},
		{"silence", `{"model":"m","choices":[{"message":{"content":null},"finish_reason":"stop"}]}`, "", llm.Answer{Finish: "stop"}},
		{"refusal", `{"model":"m","choices":[{"message":{"content":null,"refusal":"I won't."},"finish_reason":"stop"}]}`, "", llm.Answer{Text: "I won't.", Finish: "stop", Refused: true}},
		{"filter", `{"model":"m","choices":[{"message":{"content":"I"},"finish_reason":"content_filter"}]}`, "", llm.Answer{Text: "I", Finish: "content_filter", Refused: true}},
		{"length", `{"model":"m","choices":[{"message":{"content":"so","tool_calls":[{"function":{"name":"look","arguments":"{\"a"}}]},"finish_reason":"length"}]}`, "",
			llm.Answer{Text: "so", Finish: "length", Calls: []llm.Call{{"look", `{"a`}}}},
		{"unknown finish", `{"model":"m","choices":[{"message":{"content":"so"},"finish_reason":"tired"}]}`, "", llm.Answer{Text: "so", Finish: "tired"}},
		{"no finish", `{"model":"m","choices":[{"message":{"content":"so"},"finish_reason":null}]}`, "", llm.Answer{Text: "so"}},
		{"parts", `{"model":"m","choices":[{"message":{"content":[{"type":"text","text":"s\ud83d"},{"type":"thinking"},{"type":"text","text":"o"}]},"finish_reason":"stop"}]}`, "", llm.Answer{Text: "s\ufffdo", Finish: "stop"}},
		{"no message", `{"model":"m","choices":[{"finish_reason":"stop"}]}`, llm.Malformed, llm.Answer{}},
		{"a part that is no text", `{"model":"m","choices":[{"message":{"content":[{"type":"image_url"}]},"finish_reason":"stop"}]}`, llm.Malformed, llm.Answer{}},
		{"content that is no text", `{"model":"m","choices":[{"message":{"content":7},"finish_reason":"stop"}]}`, llm.Malformed, llm.Answer{}},
		{"arguments of any kind", `{"model":"m","choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":{"b":1,"b":2}}},{"function":{"name":"c","arguments":"{\"\ud83d\":1}"}},{"function":{"name":"d"}}]},"finish_reason":"eos"}]}`, "",
			llm.Answer{Finish: "eos", Calls: []llm.Call{{"a", `{"b":1,"b":2}`}, {"c", `"{\"\ud83d\":1}"`}, {"d", ""}}}},
		{"the older form of a call", `{"model":"m","choices":[{"message":{"content":null,"function_call":{"name":"a","arguments":"{}"}},"finish_reason":"function_call"}]}`, "",
			llm.Answer{Finish: "function_call", Calls: []llm.Call{{"a", "{}"}}}},
		{"no choice", `{"model":"m","choices":[]}`, llm.Malformed, llm.Answer{}},
		{"another model", `{"model":"n","choices":[{"message":{"content":"so"},"finish_reason":"stop"}]}`, llm.Model, llm.Answer{}},
		{"a page", `<html>`, llm.Malformed, llm.Answer{}},
	},
	llm.Anthropic: {
		{"text and calls", `{"type":"message","model":"m","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"so"},{"type":"tool_use","id":"t","name":"look","input":{"at":1}},{"type":"tool_use","id":"u","name":"fly","input":{}}],"stop_reason":"tool_use"}`, "",
			llm.Answer{Text: "so", Finish: "tool_use", Calls: []llm.Call{{"look", `{"at":1}`}, {"fly", "{}"}}}},
		{"silence", `{"type":"message","model":"m","content":[],"stop_reason":"end_turn"}`, "", llm.Answer{Finish: "end_turn"}},
		{"refusal", `{"type":"message","model":"m","content":[{"type":"text","text":"I"}],"stop_reason":"refusal"}`, "", llm.Answer{Text: "I", Finish: "refusal", Refused: true}},
		{"length", `{"type":"message","model":"m","content":[{"type":"text","text":"so"}],"stop_reason":"max_tokens"}`, "", llm.Answer{Text: "so", Finish: "max_tokens"}},
		{"context", `{"type":"message","model":"m","content":[],"stop_reason":"model_context_window_exceeded"}`, "", llm.Answer{Finish: "model_context_window_exceeded"}},
		{"unknown finish", `{"type":"message","model":"m","content":[],"stop_reason":"pause_turn"}`, "", llm.Answer{Finish: "pause_turn"}},
		{"nothing of a turn", `{"type":"message","model":"m"}`, llm.Malformed, llm.Answer{}},
		{"what is no text", "{\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"s\xff\"},{\"type\":\"tool_use\",\"name\":\"a\",\"input\":{\"b\":\"\xff\"}},{\"type\":\"tool_use\",\"name\":\"c\",\"input\":{\"b\":1,\"b\":2}}],\"stop_reason\":\"tool_use\"}", "",
			llm.Answer{Text: "s\ufffd", Finish: "tool_use", Calls: []llm.Call{{"a", `"{\"b\":\"` + "\ufffd" + `\"}"`}, {"c", `{"b":1,"b":2}`}}}},
		{"another block", `{"type":"message","model":"m","content":[{"type":"server_tool_use","name":"search"}],"stop_reason":"end_turn"}`, llm.Malformed, llm.Answer{}},
		{"another model", `{"type":"message","model":"n","content":[],"stop_reason":"end_turn"}`, llm.Model, llm.Answer{}},
	},
}

// TestTalk: in a conversation each answer is a turn, or has its code at once.
func TestTalk(t *testing.T) {
	for p, list := range turns {
		for _, s := range list {
			server := serve(t, reply{body: s.body})
			a, f := talk(t, config(p, server.URL), conversation(nil))
			got := llm.Answer{Text: a.Text, Calls: a.Calls, Finish: s.want.Finish, Refused: a.Refused}
			if codeOf(f) != s.code || !reflect.DeepEqual(got, s.want) || f == nil && a.Finish != s.want.Finish || len(server.asked) != 1 {
				t.Errorf("%s, %s: %+v, %v after %d requests", p, s.name, a, f, len(server.asked))
			}
			if f == nil && !a.Usage.Estimated {
				t.Errorf("%s, %s: an answer that does not say what it used has used %+v", p, s.name, a.Usage)
			}
		}
	}
}

// TestTalkRequests: a conversation over the wire, byte for byte.
func TestTalkRequests(t *testing.T) {
	seven := 7
	for p, c := range map[llm.Provider]struct {
		q    llm.Question
		want string
	}{
		llm.OpenAI: {conversation(&seven), `{"model":"m","messages":[{"role":"user","content":"do"},` +
			`{"role":"assistant","content":"I look.","tool_calls":[{"id":"c00000000","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}},{"id":"c00000001","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
			`{"role":"tool","content":"a","tool_call_id":"c00000000"},{"role":"tool","content":"b","tool_call_id":"c00000001"},` +
			`{"role":"assistant","content":"","tool_calls":[{"id":"c00010000","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
			`{"role":"tool","content":"c","tool_call_id":"c00010000"},{"role":"user","content":"go on"},` +
			`{"role":"assistant","content":"(nothing)"},{"role":"user","content":"well?"}],` +
			`"max_completion_tokens":100,"max_tokens":100,"temperature":0.5,"top_p":0.5,"seed":7,` +
			`"tools":[{"type":"function","function":{"name":"look","description":"Look.","parameters":{"type":"object"}}}]}`},
		llm.Anthropic: {conversation(nil), `{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"do"},` +
			`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c00000000","name":"look","input":{"at":1}},{"type":"tool_use","id":"c00000001","name":"look","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c00000000","content":"a"},{"type":"tool_result","tool_use_id":"c00000001","content":"b"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"c00010000","name":"look","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c00010000","content":"c"},{"type":"text","text":"go on"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"(nothing)"}]},{"role":"user","content":[{"type":"text","text":"well?"}]}],` +
			`"temperature":0.5,"top_p":0.5,"tools":[{"name":"look","description":"Look.","input_schema":{"type":"object"}}]}`},
	} {
		server := serve(t, reply{body: turns[p][0].body})
		if _, f := talk(t, config(p, server.URL), c.q); f != nil {
			t.Fatalf("%s: %v", p, f)
		}
		if server.bodies[0] != c.want {
			t.Errorf("%s: sent %s\nwant %s", p, server.bodies[0], c.want)
		}
	}
}

// TestTalkRefused: what can't be put is not sent.
func TestTalkRefused(t *testing.T) {
	seven := 7
	for name, c := range map[string]struct {
		p      llm.Provider
		change func(*llm.Config, *llm.Question)
		want   llm.Code
	}{
		"another API":              {llm.Responses, func(*llm.Config, *llm.Question) {}, llm.Request},
		"a seed that is not taken": {llm.Anthropic, func(_ *llm.Config, q *llm.Question) { q.Talk.Seed = &seven }, llm.Request},
		"a call without a result":  {llm.OpenAI, func(_ *llm.Config, q *llm.Question) { q.Talk.Turns[0].Results = nil }, llm.Internal},
		"a turn without an end":    {llm.OpenAI, func(_ *llm.Config, q *llm.Question) { q.Talk.Turns[2].User = "" }, llm.Internal},
		"arguments in no object":   {llm.OpenAI, func(_ *llm.Config, q *llm.Question) { q.Talk.Turns[1].Calls[0].Arguments = "1" }, llm.Internal},
		"the key in a result":      {llm.OpenAI, func(_ *llm.Config, q *llm.Question) { q.Talk.Turns[1].Results[0] = "x" + canary }, llm.Internal},
		"the key in a call":        {llm.Anthropic, func(_ *llm.Config, q *llm.Question) { q.Talk.Turns[0].Calls[1].Arguments = `{"k":"` + canary + `"}` }, llm.Internal},
		"longer than the context": {llm.OpenAI, func(c *llm.Config, q *llm.Question) {
			c.Context, q.Talk.Turns[1].Results[0] = 1000, strings.Repeat("x", 700)
		}, llm.Overflow},
	} {
		server := serve(t, reply{body: "{}"})
		cfg, q := config(c.p, server.URL), conversation(nil)
		c.change(&cfg, &q)
		_, f := talk(t, cfg, q)
		if codeOf(f) != c.want || len(server.asked) != 0 || strings.Contains(fmt.Sprint(f), canary) {
			t.Errorf("%s: %v after %d requests", name, f, len(server.asked))
		}
	}
}
