package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/llm"
)

// canary is a key that must be in one header, and nowhere else.
const canary = "sk-canary-0123456789abcdef"

const verdict = `{"decision":"block"}`

// clock is a System whose waits take no time, and are kept.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func (c *clock) system() llm.System {
	return llm.System{
		Now: func() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.now = c.now.Add(d)
			c.waits = append(c.waits, d)
			return ctx.Err()
		},
		Chance: func() float64 { return 0.5 },
	}
}

func newClock() *clock { return &clock{now: time.Now()} }

// config is that of a client of a test server.
func config(p llm.Provider, endpoint string) llm.Config {
	key, err := llm.EnvKey([]string{"K=" + canary}, "K")
	if err != nil {
		panic(err)
	}
	return llm.Config{
		Provider: p, Endpoint: endpoint + "/v1", Key: key, Model: "m",
		Limit: llm.Limit{Tries: 100, Tokens: 1 << 40, Cost: math.MaxInt64},
	}
}

func question() llm.Question {
	return llm.Question{
		System: "judge", User: "NONCE aa\nmay it?", MaxTokens: 100, Nonce: "aa",
		Schema: &llm.Schema{Name: "verdict", JSON: []byte(`{"type":"object"}`)},
	}
}

// answering serves the replies in turn, the last one for ever, and keeps what it
// was asked.
type answering struct {
	*httptest.Server
	mu      sync.Mutex
	replies []reply
	asked   []*http.Request
	bodies  []string
}

type reply struct {
	status int // 0: 200
	header map[string]string
	body   string
}

func serve(t *testing.T, replies ...reply) *answering {
	t.Helper()
	a := &answering{replies: replies}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		defer a.mu.Unlock()
		out := a.replies[min(len(a.asked), len(a.replies)-1)]
		a.asked, a.bodies = append(a.asked, r), append(a.bodies, string(body))
		for k, v := range out.header {
			w.Header().Set(k, v)
		}
		if out.status != 0 {
			w.WriteHeader(out.status)
		}
		_, _ = io.WriteString(w, out.body)
	}))
	t.Cleanup(a.Close)
	return a
}

func ask(t *testing.T, c llm.Config, s llm.System, q llm.Question) (llm.Answer, *llm.Failure) {
	t.Helper()
	client, err := llm.New(c, s)
	if err != nil {
		t.Fatal(err)
	}
	a, err := client.Ask(t.Context(), q)
	var f *llm.Failure
	if err != nil && !errors.As(err, &f) {
		t.Fatalf("an untyped error: %v", err)
	}
	if f != nil && (a.Text != "" || a.LogProbs != nil) {
		t.Errorf("%v: text beside a failure: %q", f, a.Text)
	}
	if f == nil && a.Text == "" {
		t.Error("neither text nor a failure")
	}
	return a, f
}

// sample is one recorded answer of an API and what must become of it.
type sample struct {
	name   string
	status int
	body   string
	code   llm.Code // "" for an answer
	tries  int      // 0: 1
}

// quoted is the verdict inside a JSON text.
const quoted = `{\"decision\":\"block\"}`

// samples are answers in the form that the API documents, shortened.
var samples = map[llm.Provider][]sample{
	llm.OpenAI: {
		{"normal", 0, `{"id":"x","object":"chat.completion","model":"m","system_fingerprint":"fp_1","choices":[{"index":0,"message":{"role":"assistant","content":"` + quoted + `","refusal":null},"finish_reason":"stop","logprobs":{"content":[{"token":"{","logprob":-0.5,"top_logprobs":[{"token":"[","logprob":-2}]}]}}],"usage":{"prompt_tokens":30,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":10}}}`, "", 0},
		{"as a tool call", 0, `{"model":"m","choices":[{"message":{"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"verdict","arguments":"` + quoted + `"}}]},"finish_reason":"tool_calls"}]}`, "", 0},
		{"of another tool", 0, `{"model":"m","choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"run","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, llm.Malformed, 0},
		{"text beside the tool call", 0, `{"model":"m","choices":[{"message":{"content":"so:","tool_calls":[{"function":{"name":"verdict","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, llm.Malformed, 0},
		{"refusal", 0, `{"model":"m","choices":[{"message":{"content":null,"refusal":"I can't"},"finish_reason":"stop"}]}`, llm.Refusal, 0},
		{"filter", 0, `{"model":"m","choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`, llm.Filter, 0},
		{"filter of the prompt", 400, `{"error":{"message":"filtered","code":"content_filter","param":"prompt","status":400}}`, llm.Filter, 0},
		{"length", 0, `{"model":"m","choices":[{"message":{"content":"{\"dec"},"finish_reason":"length"}]}`, llm.Length, 2},
		{"rate limit", 429, `{"error":{"message":"Rate limit","type":"requests","code":"rate_limit_exceeded","param":null}}`, llm.Rate, 3},
		{"quota", 429, `{"error":{"message":"You exceeded","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.Quota, 0},
		{"no money", 402, `{"error":{"message":"pay","code":402}}`, llm.Quota, 0},
		{"overload", 503, `{"error":{"message":"overloaded","type":"server_error"}}`, llm.Server, 3},
		{"wrong key", 401, `{"error":{"message":"Incorrect API key provided: ` + canary + `","code":"invalid_api_key"}}`, llm.Auth, 0},
		{"context", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded","param":"messages"}}`, llm.Overflow, 0},
		{"context of llama.cpp", 400, `{"error":{"code":400,"message":"request (4476 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error"}}`, llm.Overflow, 0},
		{"context of vLLM", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`, llm.Overflow, 0},
		{"other request", 400, `{"error":{"message":"no","type":"invalid_request_error","param":"response_format"}}`, llm.Request, 0},
		{"error that is a text", 404, `{"error":"model not found"}`, llm.Request, 0},
		{"redirect", 307, ``, llm.Request, 0},
		{"other success", 202, `{}`, llm.Request, 0},
		{"late", 408, ``, llm.Timeout, 3},
		{"conflict", 409, ``, llm.Server, 3},
		{"other model", 0, `{"model":"m2","choices":[{"message":{"content":"` + quoted + `"},"finish_reason":"stop"}]}`, llm.Model, 0},
		{"other model that refuses", 0, `{"model":"m2","choices":[{"message":{"refusal":"no"},"finish_reason":"stop"}]}`, llm.Model, 0},
		{"no model", 0, `{"choices":[{"message":{"content":"` + quoted + `"},"finish_reason":"stop"}]}`, llm.Model, 0},
		{"error with 200", 0, `{"error":{"message":"upstream"}}`, llm.Server, 3},
		{"two choices", 0, `{"model":"m","choices":[{"message":{"content":"{}"},"finish_reason":"stop"},{"message":{"content":"{}"},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"unknown finish", 0, `{"model":"m","choices":[{"message":{"content":"{}"},"finish_reason":"because I say so"}]}`, llm.Malformed, 0},
		{"no finish", 0, `{"model":"m","choices":[{"message":{"content":"{}"},"finish_reason":null}]}`, llm.Malformed, 0},
		{"prose", 0, `{"model":"m","choices":[{"message":{"content":"Sure: {}"},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"reasoning tags", 0, `{"model":"m","choices":[{"message":{"content":"<think>x</think>{}"},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"two objects", 0, `{"model":"m","choices":[{"message":{"content":"{}{}"},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"duplicate members", 0, `{"model":"m","choices":[{"message":{"content":"{\"a\":1,\"a\":2}"},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"duplicate in the envelope", 0, `{"model":"m","choices":[{"message":{"content":"{}"},"finish_reason":"length","finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"no object", 0, `{"model":"m","choices":[{"message":{"content":"\"allow\""},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"parts in the place of text", 0, `{"model":"m","choices":[{"message":{"content":[{"type":"text","text":"{}"}]},"finish_reason":"stop"}]}`, llm.Malformed, 0},
		{"a page", 0, `<html>`, llm.Malformed, 0},
		{"two envelopes", 0, `{"model":"m"}{"model":"m"}`, llm.Malformed, 0},
		{"nothing", 0, ``, llm.Malformed, 0},
	},
	llm.Responses: {
		{"normal", 0, `{"id":"r","object":"response","model":"m","status":"completed","error":null,"incomplete_details":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"` + quoted + `","logprobs":[{"token":"{","logprob":-0.5,"top_logprobs":[{"token":"[","logprob":-2}]}]}]}],"usage":{"input_tokens":30,"output_tokens":7,"input_tokens_details":{"cached_tokens":10}}}`, "", 0},
		{"refusal", 0, `{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}`, llm.Refusal, 0},
		{"filter", 0, `{"model":"m","status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`, llm.Filter, 0},
		{"length", 0, `{"model":"m","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, llm.Length, 2},
		{"cut, and completed all the same", 0, `{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{\"decis"}]}]}`, llm.Malformed, 0},
		{"failed", 0, `{"model":"m","status":"failed","error":{"code":"server_error","message":"x"},"output":[]}`, llm.Server, 3},
		{"failed by rate", 0, `{"model":"m","status":"failed","error":{"code":"rate_limit_exceeded","message":"x"}}`, llm.Rate, 3},
		{"not done", 0, `{"model":"m","status":"in_progress","output":[]}`, llm.Malformed, 0},
		{"two messages", 0, `{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"{}"}]},{"type":"message","content":[{"type":"output_text","text":"{}"}]}]}`, llm.Malformed, 0},
		{"a call", 0, `{"model":"m","status":"completed","output":[{"type":"function_call","name":"run","arguments":"{}"}]}`, llm.Malformed, 0},
		{"rate limit", 429, `{"error":{"message":"x","type":"tokens","code":"rate_limit_exceeded"}}`, llm.Rate, 3},
		{"quota", 429, `{"error":{"code":"insufficient_quota"}}`, llm.Quota, 0},
		{"overload", 500, `{"error":{"message":"x"}}`, llm.Server, 3},
		{"other model", 0, `{"model":"m2","status":"completed","output":[]}`, llm.Model, 0},
		{"redirect", 301, ``, llm.Request, 0},
		{"cut", 0, `{"model":"m","status":`, llm.Malformed, 0},
	},
	llm.Anthropic: {
		{"normal", 0, `{"id":"msg","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"x"},{"type":"tool_use","id":"t","name":"verdict","input":` + verdict + `}],"stop_reason":"tool_use","usage":{"input_tokens":20,"cache_creation_input_tokens":3,"cache_read_input_tokens":10,"output_tokens":7}}`, "", 0},
		{"refusal", 0, `{"type":"message","model":"m","content":[],"stop_reason":"refusal","stop_details":{"category":"x"}}`, llm.Refusal, 0},
		{"refusal with a call", 0, `{"type":"message","model":"m","content":[{"type":"tool_use","name":"verdict","input":{}}],"stop_reason":"refusal"}`, llm.Refusal, 0},
		{"length", 0, `{"type":"message","model":"m","content":[],"stop_reason":"max_tokens"}`, llm.Length, 2},
		{"context", 0, `{"type":"message","model":"m","content":[],"stop_reason":"model_context_window_exceeded"}`, llm.Overflow, 0},
		{"prompt too long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 211180 tokens > 200000 maximum"},"request_id":"r"}`, llm.Overflow, 0},
		{"credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, llm.Quota, 0},
		{"pause", 0, `{"type":"message","model":"m","content":[],"stop_reason":"pause_turn"}`, llm.Malformed, 0},
		{"text in the place of the call", 0, `{"type":"message","model":"m","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"}`, llm.Malformed, 0},
		{"text beside the call", 0, `{"type":"message","model":"m","content":[{"type":"text","text":"so"},{"type":"tool_use","name":"verdict","input":{}}],"stop_reason":"tool_use"}`, llm.Malformed, 0},
		{"another tool", 0, `{"type":"message","model":"m","content":[{"type":"tool_use","name":"run","input":{}}],"stop_reason":"tool_use"}`, llm.Malformed, 0},
		{"two calls", 0, `{"type":"message","model":"m","content":[{"type":"tool_use","name":"verdict","input":{}},{"type":"tool_use","name":"verdict","input":{}}],"stop_reason":"tool_use"}`, llm.Malformed, 0},
		{"duplicate members", 0, `{"type":"message","model":"m","content":[{"type":"tool_use","name":"verdict","input":{"a":1,"a":2}}],"stop_reason":"tool_use"}`, llm.Malformed, 0},
		{"input that is no object", 0, `{"type":"message","model":"m","content":[{"type":"tool_use","name":"verdict","input":"allow"}],"stop_reason":"tool_use"}`, llm.Malformed, 0},
		{"rate limit", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"x"}}`, llm.Rate, 3},
		{"quota", 402, `{"type":"error","error":{"type":"billing_error","message":"x"}}`, llm.Quota, 0},
		{"overload", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Server, 3},
		{"overload with 200", 0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Server, 3},
		{"other model", 0, `{"type":"message","model":"m2","content":[{"type":"tool_use","name":"verdict","input":{}}],"stop_reason":"tool_use"}`, llm.Model, 0},
		{"redirect", 308, ``, llm.Request, 0},
		{"too large", 413, `{"type":"error","error":{"type":"request_too_large"}}`, llm.Request, 0},
		{"cut", 0, `{"type":"mess`, llm.Malformed, 0},
	},
	llm.Gemini: {
		{"normal", 0, `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"{\"decision\":"},{"text":"\"block\"}","thoughtSignature":"x"}]},"finishReason":"STOP","logprobsResult":{"chosenCandidates":[{"token":"{","logProbability":-0.5}],"topCandidates":[{"candidates":[{"token":"[","logProbability":-2}]}]}}],"modelVersion":"m","usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":10,"candidatesTokenCount":4,"thoughtsTokenCount":3}}`, "", 0},
		{"blocked prompt", 0, `{"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"m"}`, llm.Filter, 0},
		{"no candidates", 0, `{"modelVersion":"m","candidates":[]}`, llm.Filter, 0},
		{"filter", 0, `{"candidates":[{"finishReason":"PROHIBITED_CONTENT"}],"modelVersion":"m"}`, llm.Filter, 0},
		{"length", 0, `{"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}],"modelVersion":"m"}`, llm.Length, 2},
		{"refusal in text", 0, `{"candidates":[{"content":{"parts":[{"text":"I can't"}]},"finishReason":"STOP"}],"modelVersion":"m"}`, llm.Malformed, 0},
		{"other finish", 0, `{"candidates":[{"content":{"parts":[{"text":"{}"}]},"finishReason":"OTHER"}],"modelVersion":"m"}`, llm.Malformed, 0},
		{"no finish", 0, `{"candidates":[{"content":{"parts":[{"text":"{}"}]}}],"modelVersion":"m"}`, llm.Malformed, 0},
		{"two candidates", 0, `{"candidates":[{"content":{"parts":[{"text":"{}"}]},"finishReason":"STOP"},{"content":{"parts":[{"text":"{}"}]},"finishReason":"STOP"}],"modelVersion":"m"}`, llm.Malformed, 0},
		{"a call", 0, `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"run"}}]},"finishReason":"STOP"}],"modelVersion":"m"}`, llm.Malformed, 0},
		{"rate limit", 429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}}`, llm.Rate, 3},
		{"quota of the day", 429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`, llm.Quota, 0},
		{"overload", 503, `{"error":{"code":503,"status":"UNAVAILABLE"}}`, llm.Server, 3},
		{"wrong key", 403, `{"error":{"code":403,"status":"PERMISSION_DENIED"}}`, llm.Auth, 0},
		{"context", 400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}`, llm.Overflow, 0},
		{"other model", 0, `{"candidates":[{"content":{"parts":[{"text":"{}"}]},"finishReason":"STOP"}],"modelVersion":"m2"}`, llm.Model, 0},
		{"redirect", 302, ``, llm.Request, 0},
		{"cut", 0, `{"candidates":[`, llm.Malformed, 0},
	},
}

// TestSamples: each answer of an API becomes the one answer, or its code after
// as many tries as that code is worth. No failure says a word of the key.
func TestSamples(t *testing.T) {
	for p, list := range samples {
		for _, s := range list {
			t.Run(fmt.Sprintf("%s/%s", p, s.name), func(t *testing.T) {
				server := serve(t, reply{s.status, map[string]string{"Location": "/elsewhere"}, s.body})
				q := question()
				q.TopLogProbs = 1
				a, f := ask(t, config(p, server.URL), newClock().system(), q)
				got := llm.Code("")
				if f != nil {
					got = f.Code
					if s.status != 0 && f.Status != s.status {
						t.Errorf("status %d", f.Status)
					}
					if strings.Contains(fmt.Sprintf("%v %+v %#v", f, *f, *f), canary) {
						t.Errorf("the key is in %+v", f)
					}
				}
				if tries := max(s.tries, 1); got != s.code || a.Tries != tries || len(server.asked) != tries {
					t.Errorf("%v after %d tries, %d requests; want %q after %d", f, a.Tries, len(server.asked), s.code, tries)
				}
				if s.code == "" && a.Text != verdict {
					t.Errorf("answered %q", a.Text)
				}
			})
		}
	}
}

// TestAnswer: what else an answer carries.
func TestAnswer(t *testing.T) {
	for _, p := range llm.Providers() {
		server := serve(t, reply{body: samples[p][0].body})
		c := config(p, server.URL)
		c.Price = llm.Price{Input: 1_000_000, Cached: 100_000, Written: 2_000_000, Output: 10_000_000}
		q := question()
		q.TopLogProbs = 1
		a, f := ask(t, c, newClock().system(), q)
		if f != nil {
			t.Fatal(f)
		}
		written := int64(0)
		if p == llm.Anthropic {
			written = 3
		}
		if want := (llm.Usage{Input: 20, Cached: 10, Written: written, Output: 7, WrittenUntold: p != llm.Anthropic}); a.Usage != want || a.Usage.Tokens() != 37+written {
			t.Errorf("%s: used %+v", p, a.Usage)
		}
		if want := llm.Cost(20*1_000_000 + 10*100_000 + written*2_000_000 + 7*10_000_000); a.Cost != want {
			t.Errorf("%s: cost %d, want %d", p, a.Cost, want)
		}
		if a.Scripted || a.Model != "m" || a.Finish == "" || (p == llm.OpenAI) != (a.Fingerprint == "fp_1") {
			t.Errorf("%s: %+v", p, a)
		}
		if p != llm.Anthropic && (len(a.LogProbs) != 1 || a.LogProbs[0].Token != "{" || a.LogProbs[0].LogProb != -0.5 ||
			len(a.LogProbs[0].Top) != 1 || a.LogProbs[0].Top[0].LogProb != -2) {
			t.Errorf("%s: log-probabilities %+v", p, a.LogProbs)
		}
	}
	if got := llm.Cost(1_234_567_890_123).String(); got != "$1.234567" {
		t.Error(got)
	}
}

// TestRequests: what goes over the wire in each dialect, header for header and
// byte for byte; the key is in one header only.
func TestRequests(t *testing.T) {
	zero := 0.0
	full := question()
	full.Temperature, full.Stop, full.Epoch, full.Round = &zero, []string{"END"}, 2, 3
	for name, c := range map[string]struct {
		p        llm.Provider
		form     llm.Form
		q        llm.Question
		path     string
		header   string
		contains []string
	}{
		"chat": {llm.OpenAI, "", full, "/v1/chat/completions", "Authorization", []string{
			`{"model":"m","messages":[{"role":"system","content":"judge"},{"role":"user","content":"NONCE aa\nmay it?"}],"max_completion_tokens":100,"max_tokens":100,"temperature":0,"stop":["END"],"response_format":{"type":"json_schema","json_schema":{"name":"verdict","strict":true,"schema":{"type":"object"}}}}`,
		}},
		"chat by tool": {llm.OpenAI, llm.ByTool, question(), "/v1/chat/completions", "Authorization", []string{
			`"tools":[{"type":"function","function":{"name":"verdict","parameters":{"type":"object"},"strict":true}}],"tool_choice":{"type":"function","function":{"name":"verdict"}},"parallel_tool_calls":false}`,
		}},
		"chat by prompt": {llm.OpenAI, llm.ByPrompt, question(), "/v1/chat/completions", "Authorization", []string{`"max_tokens":100}`}},
		"responses": {llm.Responses, "", question(), "/v1/responses", "Authorization", []string{
			`{"model":"m","instructions":"judge","input":"NONCE aa\nmay it?","max_output_tokens":100,"store":false,"truncation":"disabled","text":{"format":{"type":"json_schema","name":"verdict","strict":true,"schema":{"type":"object"}}}}`,
		}},
		"anthropic": {llm.Anthropic, "", full, "/v1/messages", "X-Api-Key", []string{
			`{"model":"m","max_tokens":100,"system":[{"type":"text","text":"judge","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"NONCE aa\nmay it?"}],"temperature":0,"stop_sequences":["END"],"tools":[{"name":"verdict","description":"Give the answer.","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"verdict","disable_parallel_tool_use":true}}`,
		}},
		"gemini": {llm.Gemini, "", full, "/v1/models/m:generateContent", "X-Goog-Api-Key", []string{
			`{"systemInstruction":{"parts":[{"text":"judge"}]},"contents":[{"role":"user","parts":[{"text":"NONCE aa\nmay it?"}]}],"generationConfig":{"maxOutputTokens":100,"temperature":0,"stopSequences":["END"],"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}}`,
		}},
	} {
		server := serve(t, reply{body: samples[c.p][0].body})
		cfg := config(c.p, server.URL)
		cfg.Form, cfg.TestHeader = c.form, "drill"
		if _, f := ask(t, cfg, newClock().system(), c.q); f != nil {
			t.Errorf("%s: %v", name, f)
		}
		r, body := server.asked[0], server.bodies[0]
		if r.Method != "POST" || r.URL.Path != c.path || r.Proto != "HTTP/1.1" {
			t.Errorf("%s: %s %s %s", name, r.Method, r.URL.Path, r.Proto)
		}
		for _, want := range c.contains {
			if !strings.Contains(body, want) {
				t.Errorf("%s: sent %s\nwant %s", name, body, want)
			}
		}
		for h := range r.Header {
			if strings.Contains(r.Header.Get(h), canary) != (h == c.header) {
				t.Errorf("%s: header %s: %q", name, h, r.Header.Get(h))
			}
		}
		if r.Header.Get("X-Licet-Test") != "drill" || r.Header.Get("X-Licet-Try") != "1" || (c.p == llm.Anthropic) != (r.Header.Get("Anthropic-Version") == "2023-06-01") {
			t.Errorf("%s: headers %v", name, r.Header)
		}
		if strings.Contains(body+r.URL.String(), canary) {
			t.Errorf("%s: the key is in the body or the URL", name)
		}
	}
}

// TestPlainText: without a schema, text is an answer, and no text is none.
func TestPlainText(t *testing.T) {
	for p, body := range map[llm.Provider]string{
		llm.OpenAI:    `{"model":"m","choices":[{"message":{"content":"%s"},"finish_reason":"stop"}]}`,
		llm.Responses: `{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"%s"}]}]}`,
		llm.Anthropic: `{"type":"message","model":"m","content":[{"type":"text","text":"%s"}],"stop_reason":"end_turn"}`,
		llm.Gemini:    `{"modelVersion":"m","candidates":[{"content":{"parts":[{"text":"%s"}]},"finishReason":"STOP"}]}`,
	} {
		for text, want := range map[string]llm.Code{"A": "", "": llm.Malformed} {
			server := serve(t, reply{body: fmt.Sprintf(body, text)})
			q := question()
			q.Schema, q.System = nil, ""
			a, f := ask(t, config(p, server.URL), newClock().system(), q)
			if got := codeOf(f); got != want || a.Text != text {
				t.Errorf("%s %q: %q, %v", p, text, a.Text, f)
			}
			if !a.Usage.Estimated || a.Usage.Output != 100 || a.Usage.Input == 0 {
				t.Errorf("%s: an answer without usage is counted as %+v", p, a.Usage)
			}
		}
	}
	q := question()
	q.Stop = []string{"END"}
	if _, f := ask(t, config(llm.Responses, "http://127.0.0.1:9"), newClock().system(), q); codeOf(f) != llm.Request {
		t.Errorf("a question that the API can't put: %v", f)
	}
}

func codeOf(f *llm.Failure) llm.Code {
	if f == nil {
		return ""
	}
	return f.Code
}
