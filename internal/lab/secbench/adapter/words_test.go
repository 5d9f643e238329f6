package adapter_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/secbench/adapter"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// said is one answer of a server.
type said struct {
	status int // 0 = 200
	body   string
}

// saying is a server that gives answers one after the other, and the last of them again
// and again. asked counts the requests; each must be JSON, as a server would have it.
func saying(t *testing.T, answers ...said) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !jsontext.Value(body).IsValid() {
			t.Errorf("request %d is no JSON, %v", *asked+1, err)
		}
		a := answers[min(*asked, len(answers)-1)]
		*asked++
		w.Header().Set("X-Licet-Scripted", "this test")
		if a.status != 0 {
			w.WriteHeader(a.status)
		}
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// chat and claude are bodies of answers with a message, or a content, and why they end.
func chat(message, finish string) said {
	return said{body: fmt.Sprintf(`{"model":"m","choices":[{"message":%s,"finish_reason":%s}]}`, message, finish)}
}

func claude(content, stop string) said {
	return said{body: fmt.Sprintf(`{"type":"message","model":"m","content":%s,"stop_reason":%s}`, content, stop)}
}

// called is a message with a call of list_dir.
func called(arguments string) string {
	return `{"content":null,"tool_calls":[{"function":{"name":"list_dir","arguments":` + arguments + `}}]}`
}

// used is content with the same.
func used(input string) string {
	return `[{"type":"tool_use","id":"t","name":"list_dir","input":` + input + `}]`
}

// proposals are those of a recorded run.
func proposals(t *testing.T, out run.Outcome, folder string) []trace.Proposal {
	t.Helper()
	var all []trace.Proposal
	for _, e := range eventsOf(t, folder, out.Run) {
		if e.Type != trace.TypeProposal {
			continue
		}
		p, err := trace.Decode[trace.Proposal](e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// regraded grades the set of a run again and says what its outcome is then.
func regraded(t *testing.T, folder string) string {
	t.Helper()
	all, err := run.Regrade(t.Context(), filepath.Dir(folder), task.Suite, filepath.Join(t.TempDir(), "again"), nil)
	if err != nil || len(all) != 1 {
		t.Fatalf("graded again: %+v, %v", all, err)
	}
	return all[0].Is
}

// TestWordsOfAModel: whatever a model says, in whatever way a server puts it, is the
// model's: an answer, or a call that cannot be read, and never an error of the bench.
func TestWordsOfAModel(t *testing.T) {
	long := strings.Repeat("x", 600<<10)
	for _, c := range []struct {
		name, dialect string
		first         said
		text, stop    string // of the first answer
		parse         string // of the first proposal; "" = there is none
	}{
		{"half a surrogate pair", "openai", chat(`{"content":"a\ud83d"}`, `"stop"`), "a\ufffd", "stop", ""},
		{"half a surrogate pair", "anthropic", claude(`[{"type":"text","text":"a\ud83d"}]`, `"end_turn"`), "a\ufffd", "end_turn", ""},
		{"bytes that are no text", "openai", chat("{\"content\":\"a\xff\"}", `"stop"`), "a\ufffd", "stop", ""},
		{"bytes that are no text", "anthropic", claude("[{\"type\":\"text\",\"text\":\"a\xff\"}]", `"end_turn"`), "a\ufffd", "end_turn", ""},
		{"half a pair in arguments", "openai", chat(called(`"{\"path\":\"\ud83d\"}"`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"half a pair in arguments, escaped", "openai", chat(called(`"{\"path\":\"\\ud83d\"}"`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"half a pair in arguments", "anthropic", claude(used(`{"path":"\ud83d"}`), `"tool_use"`), "", "tool_use", trace.ParseMalformed},
		{"bytes in arguments", "openai", chat(called("\"{\\\"path\\\":\\\"\xff\\\"}\""), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"bytes in an object", "openai", chat(called("{\"path\":\"\xff\"}"), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"bytes in arguments", "anthropic", claude(used("{\"path\":\"\xff\"}"), `"tool_use"`), "", "tool_use", trace.ParseMalformed},
		{"bytes in a name", "openai", chat("{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"a\xff\",\"arguments\":\"{}\"}}]}", `"tool_calls"`), "", "tool_calls", trace.ParseUnknownTool},
		{"a name twice", "openai", chat(called(`"{\"path\":\".\",\"path\":\".\"}"`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"a name twice in an object", "openai", chat(called(`{"path":".","path":"."}`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"a name twice", "anthropic", claude(used(`{"path":".","path":"."}`), `"tool_use"`), "", "tool_use", trace.ParseMalformed},
		{"an object as arguments", "openai", chat(called(`{"path":"."}`), `"tool_calls"`), "", "tool_calls", trace.ParseOK},
		{"a list as arguments", "openai", chat(called(`["."]`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"null as arguments", "openai", chat(called(`null`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"no input", "anthropic", claude(`[{"type":"tool_use","name":"list_dir"}]`, `"tool_use"`), "", "tool_use", trace.ParseMalformed},
		{"parts of a text", "openai", chat(`{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, `"stop"`), "ab", "stop", ""},
		{"no finish", "openai", chat(`{"content":"a"}`, `null`), "a", "", ""},
		{"no finish", "anthropic", claude(`[{"type":"text","text":"a"}]`, `null`), "a", "", ""},
		{"another finish", "openai", chat(called(`"{\"path\":\".\"}"`), `"eos"`), "", "eos", trace.ParseOK},
		{"another finish", "anthropic", claude(used(`{"path":"."}`), `"tired"`), "", "tired", trace.ParseOK},
		{"the older form of a call", "openai", chat(`{"content":null,"function_call":{"name":"list_dir","arguments":"{\"path\":\".\"}"}}`, `"function_call"`), "", "function_call", trace.ParseOK},
		{"arguments without end", "openai", chat(called(`"{\"path\":\"`+long+`\"}"`), `"tool_calls"`), "", "tool_calls", trace.ParseMalformed},
		{"arguments without end", "anthropic", claude(used(`{"path":"`+long+`"}`), `"tool_use"`), "", "tool_use", trace.ParseMalformed},
		{"text without end", "openai", chat(`{"content":"`+long+`"}`, `"length"`), long[:256<<10], "length", ""},
		{"characters without end", "openai", chat(`{"content":"x`+strings.Repeat("é", 300<<10)+`"}`, `"length"`), "x" + strings.Repeat("é", 128<<10-1), "length", ""},
	} {
		then := chat(`{"content":"hm"}`, `"stop"`)
		if c.dialect == "anthropic" {
			then = claude(`[{"type":"text","text":"hm"}]`, `"end_turn"`)
		}
		for _, mode := range []string{controller.Strict, controller.Repair} {
			name := c.name + ", " + c.dialect + ", " + mode
			url, _ := saying(t, c.first, then)
			folder, out := play(t, "K01", at(t, url, c.dialect, model.Native, asIs), mode)
			answers, events := heard(t, folder, out.Run)
			if out.Trouble != nil || len(events) < 3 {
				t.Errorf("%s: %s after %d answers, %v", name, out.End.Outcome, len(events), out.Trouble)
				continue
			}
			if events[0].Text != c.text || events[0].Stop != c.stop || answers[0].Cut != strings.Contains(c.name, "without end") {
				t.Errorf("%s: %.40q ended with %q, cut %v", name, events[0].Text, events[0].Stop, answers[0].Cut)
			}
			got := ""
			if all := proposals(t, out, folder); len(all) > 0 {
				got = all[0].Parse
			}
			want := metric.NoSubmission
			if c.parse != "" && c.parse != trace.ParseOK {
				want = metric.ProtocolFail
			}
			if again := regraded(t, folder); got != c.parse || out.End.Outcome != want || again != want {
				t.Errorf("%s: %q, %s, and %s again; want %q, %s", name, got, out.End.Outcome, again, c.parse, want)
			}
		}
	}
}

// TestNoTextInBlocks: an answer of the most awkward bytes, as long as may be, fits into
// the trace also where it stands there twice.
func TestNoTextInBlocks(t *testing.T) {
	url, _ := saying(t, chat(`{"content":"`+strings.Repeat(`\u0001`, 300<<10)+`"}`, `"stop"`), chat("{\"content\":\"\\u0060``tool\\n{\\\"name\\\":\\\"list_dir\\\",\\\"arguments\\\":{\\\"path\\\":\\\"\\\\ud83d\\\"}}\"}", `"stop"`), chat(`{"content":"hm"}`, `"stop"`))
	folder, out := play(t, "K01", at(t, url, "openai", model.Text, asIs), controller.Strict)
	answers, _ := heard(t, folder, out.Run)
	all := proposals(t, out, folder)
	if out.Trouble != nil || len(answers) < 3 || !answers[0].Cut || !utf8.ValidString(answers[0].Written) || len(all) != 1 || all[0].Parse != trace.ParseMalformed {
		t.Errorf("%s, %d answers, %+v, %v", out.End.Outcome, len(answers), all, out.Trouble)
	}
}

// TestWindow: a conversation that outgrows the model's window ends the run as a budget
// does, however the server says so. Where the first question does, the run is not
// finished, and what to do is said.
func TestWindow(t *testing.T) {
	message := func(text string) string {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error", "code": 400}})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for name, c := range map[string]struct {
		dialect string
		says    said
	}{
		"OpenAI":          {"openai", said{400, `{"error":{"message":"no","type":"invalid_request_error","code":"context_length_exceeded"}}`}},
		"Anthropic":       {"anthropic", said{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`}},
		"vLLM":            {"openai", said{400, message("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.")}},
		"vLLM, before":    {"openai", said{400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`}},
		"llama.cpp":       {"openai", said{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":4096}}`}},
		"llama.cpp, 500":  {"openai", said{500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`}},
		"Ollama":          {"openai", said{400, message("the input length exceeds the context length")}},
		"LM Studio":       {"openai", said{400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`}},
		"SGLang":          {"openai", said{400, `{"object":"error","message":"The input (5000 tokens) is longer than the model's context length (4096 tokens).","type":"BadRequestError","code":400}`}},
		"TGI":             {"openai", said{422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and 2048 `max_new_tokens`\",\"error_type\":\"validation\"}"}},
		"the file's word": {dialect: "openai"},
	} {
		hm, change := chat(`{"content":"hm"}`, `"stop"`), asIs
		switch {
		case c.says.body == "": // no server says it: the client is told how much fits
			hm = chat(`{"content":"`+strings.Repeat("h", 80_000)+`"}`, `"stop"`)
			c.says, change = hm, func(m *adapter.Config) { m.Client.Context = 80_000 }
		case c.dialect == "anthropic":
			hm = claude(`[{"type":"text","text":"hm"}]`, `"end_turn"`)
		}
		url, asked := saying(t, hm, c.says)
		folder, out := play(t, "K01", at(t, url, c.dialect, model.Native, change), controller.Strict)
		want := 2
		if name == "the file's word" {
			want = 1
		}
		if out.Trouble != nil || out.End.Reason != trace.EndContext || out.End.Outcome != metric.Budget || out.End.Cost.Requests != 1 || *asked != want {
			t.Errorf("%s: %+v after %d requests, %v", name, out.End, *asked, out.Trouble)
			continue
		}
		if again := regraded(t, folder); again != metric.Budget {
			t.Errorf("%s: graded again it is %s", name, again)
		}
		url, _ = saying(t, c.says)
		err := troubled(t, at(t, url, c.dialect, model.Native, func(m *adapter.Config) {
			if change(m); m.Client.Context > 0 {
				m.Client.Context = 3000
			}
		}), true)
		if err == nil || !strings.Contains(err.Error(), "the first question to stand-in does not fit") {
			t.Errorf("%s, first: %v", name, err)
		}
	}
}
