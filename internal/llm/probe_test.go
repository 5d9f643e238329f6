package llm_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/llm"
)

// local is a local server: what it takes, and its pages.
type local struct {
	schema, tools, temperature, logProbs bool
	obeys                                bool // a prompt that asks for JSON
	model                                string
	pages                                map[string]string
}

func (l local) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	sent := string(body)
	if page, ok := l.pages[r.Method+" "+r.URL.Path]; ok {
		fmt.Fprint(w, page)
		return
	}
	if r.URL.Path != "/v1/chat/completions" {
		w.WriteHeader(404)
		return
	}
	refuse := func(has bool, word string) bool {
		if has || !strings.Contains(sent, `"`+word+`"`) {
			return false
		}
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error":{"message":"no","type":"invalid_request_error","param":%q}}`, word)
		return true
	}
	if refuse(l.temperature, "temperature") || refuse(l.tools, "tools") || refuse(l.logProbs, "logprobs") {
		return
	}
	content := "hello"
	if l.schema && strings.Contains(sent, "response_format") || l.obeys && strings.Contains(sent, `JSON object`) || strings.Contains(sent, "tools") {
		content = `{\"answer\":\"yes\"}`
	}
	message := `{"content":"` + content + `"}`
	if strings.Contains(sent, "tools") {
		message = `{"tool_calls":[{"function":{"name":"probe","arguments":"` + content + `"}}]}`
	}
	logProbs := `null`
	if strings.Contains(sent, "logprobs") {
		logProbs = `{"content":[{"token":"x","logprob":-1}]}`
	}
	fmt.Fprintf(w, `{"model":%q,"choices":[{"message":%s,"finish_reason":"stop","logprobs":%s}]}`, l.model, message, logProbs)
}

// TestProbe: what is found out about servers of different make.
func TestProbe(t *testing.T) {
	all := local{schema: true, tools: true, temperature: true, logProbs: true, obeys: true, model: "m-2026"}
	change := func(f func(*local)) local { l := all; f(&l); return l }
	found := llm.Report{Provider: llm.OpenAI, Model: "m", Reports: "m-2026", Form: llm.BySchema, Temperature: true, LogProbs: true, Tries: 1}
	with := func(f func(*llm.Report)) llm.Report { r := found; f(&r); return r }
	for name, c := range map[string]struct {
		server local
		want   llm.Report
	}{
		"all": {all, found},
		"no log-probabilities": {change(func(l *local) { l.logProbs = false }),
			with(func(r *llm.Report) { r.LogProbs, r.Tries = false, 2 })},
		"no temperature": {change(func(l *local) { l.temperature = false }),
			with(func(r *llm.Report) { r.Temperature, r.LogProbs, r.Tries = false, false, 3 })},
		"a schema that is ignored": {change(func(l *local) { l.schema = false }),
			with(func(r *llm.Report) { r.Form, r.Tries = llm.ByTool, 2 })},
		"prompt only": {change(func(l *local) { l.schema, l.tools = false, false }),
			with(func(r *llm.Report) { r.Form, r.Tries = llm.ByPrompt, 5 })},
		"no JSON at all": {change(func(l *local) { l.schema, l.tools, l.obeys = false, false, false }),
			llm.Report{Provider: llm.OpenAI, Model: "m", Tries: 5, Code: llm.Malformed}},
		"names no model": {change(func(l *local) { l.model = "" }),
			llm.Report{Provider: llm.OpenAI, Model: "m", Tries: 1, Code: llm.Model}},
		"ollama, loaded": {change(func(l *local) {
			l.pages = map[string]string{"GET /api/ps": `{"models":[{"name":"o","context_length":1},{"name":"m:latest","context_length":4096}]}`}
		}), with(func(r *llm.Report) { r.Context, r.CutsPrompts, r.ContextFrom = 4096, true, "ollama, the loaded model" })},
		"ollama, num_ctx": {change(func(l *local) {
			l.pages = map[string]string{"GET /api/ps": `{"models":[{"name":"other","context_length":1}]}`, "POST /api/show": `{"parameters":"stop \"x\"\nnum_ctx    8192\ntop_k 1"}`}
		}), with(func(r *llm.Report) {
			r.Context, r.CutsPrompts, r.ContextFrom = 8192, true, "ollama, num_ctx of the model"
		})},
		"ollama that does not say": {change(func(l *local) {
			l.pages = map[string]string{"GET /api/ps": `[]`, "POST /api/show": `{"parameters":""}`}
		}), with(func(r *llm.Report) { r.CutsPrompts = true })},
		"llama.cpp": {change(func(l *local) {
			l.pages = map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":2048}}`}
		}), with(func(r *llm.Report) { r.Context, r.ContextFrom = 2048, "llama.cpp" })},
		"vllm": {change(func(l *local) {
			l.pages = map[string]string{"GET /props": `[]`, "GET /v1/models": `{"data":[{"id":"x","max_model_len":1},{"id":"m","max_model_len":32768}]}`}
		}), with(func(r *llm.Report) { r.Context, r.ContextFrom = 32768, "vllm" })},
		"pages that are none": {change(func(l *local) {
			l.pages = map[string]string{"POST /api/show": `x`, "GET /v1/models": `<html>`}
		}), with(func(r *llm.Report) { r.CutsPrompts = true })},
	} {
		server := httptest.NewServer(c.server)
		got, err := llm.Probe(t.Context(), config(llm.OpenAI, server.URL), newClock().system())
		server.Close()
		if (got.Error != "") != (got.Code != "") || strings.Contains(got.Error, canary) {
			t.Errorf("%s: code %q, error %q", name, got.Code, got.Error)
		}
		c.want.Endpoint, got.Error = server.URL+"/v1", ""
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %+v\nwant %+v", name, err, got, c.want)
		}
	}
}

// TestProbeOthers: the other APIs, with what they say of their context.
func TestProbeOthers(t *testing.T) {
	for p, c := range map[llm.Provider]struct {
		answer, page string
		context      int
	}{
		llm.Responses: {`{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{\"answer\":\"yes\"}"}]}]}`, ``, 0},
		llm.Anthropic: {`{"type":"message","model":"m","content":[{"type":"tool_use","name":"probe","input":{"answer":"yes"}}],"stop_reason":"tool_use"}`, ``, 0},
		llm.Gemini:    {`{"modelVersion":"m","candidates":[{"content":{"parts":[{"text":"{\"answer\":\"yes\"}"}]},"finishReason":"STOP"}]}`, `{"inputTokenLimit":1048576}`, 1048576},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				fmt.Fprint(w, c.answer)
			} else if r.URL.Path == "/v1/models/m" {
				fmt.Fprint(w, c.page)
			}
		}))
		got, err := llm.Probe(t.Context(), config(p, server.URL), newClock().system())
		server.Close()
		if err != nil || got.Code != "" || got.Reports != "m" || got.Form != "" || got.Context != c.context || !got.Temperature {
			t.Errorf("%s: %+v, %v", p, got, err)
		}
	}
}

// TestProbeStops: a failure that no other form mends is reported at once.
func TestProbeStops(t *testing.T) {
	for status, want := range map[int]llm.Code{401: llm.Auth, 402: llm.Quota} {
		server := serve(t, reply{status: status})
		got, err := llm.Probe(t.Context(), config(llm.OpenAI, server.URL), newClock().system())
		if err != nil || got.Code != want || got.Tries != 1 || len(server.asked) != 1 {
			t.Errorf("%d: %+v, %v", status, got, err)
		}
	}
}
