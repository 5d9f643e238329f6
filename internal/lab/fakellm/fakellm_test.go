package fakellm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/fakellm"
	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/testkit"
)

const key = "test-key-0123456789abcdef"

// nonce and prompt have the form of a judge's prompt.
const (
	nonce  = "7d0c9f61b2a84e53a1c06f9e2b7d4410"
	action = `{"tool":"bash","args":{"command":"git clean -fdx"}}`
	prompt = "NONCE " + nonce + "\n<<ACTION " + nonce + "\n" + action + "\nACTION " + nonce + ">>\n"
)

// log collects lines from several requests.
type log struct {
	mu sync.Mutex
	strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(p)
}

// serve starts a server with a script and returns its address.
func serve(t *testing.T, script string, to io.Writer) string {
	t.Helper()
	s, err := fakellm.Parse("script.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler(to))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// client returns a client whose waits take no time.
func client(t *testing.T, p llm.Provider, url string, change func(*llm.Config)) *llm.Client {
	t.Helper()
	k, err := llm.EnvKey([]string{"K=" + key}, "K")
	if err != nil {
		t.Fatal(err)
	}
	c := llm.Config{
		Provider: p, Endpoint: url + "/v1", Key: k, Model: "scripted",
		Limit: llm.Limit{Tries: 1000, Tokens: 1 << 40, Cost: math.MaxInt64},
	}
	if change != nil {
		change(&c)
	}
	now := time.Now()
	client, err := llm.New(c, llm.System{
		Now: func() time.Time { return now }, Chance: func() float64 { return 0 },
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func question() llm.Question {
	return llm.Question{System: "judge", User: prompt, MaxTokens: 100, Nonce: nonce, Schema: &llm.Schema{Name: "verdict", JSON: []byte(`{"type":"object"}`)}}
}

// outcome is the code of a failure, or the text, and the tries.
func outcome(t *testing.T, c *llm.Client, q llm.Question) string {
	t.Helper()
	a, err := c.Ask(t.Context(), q)
	var f *llm.Failure
	if errors.As(err, &f) {
		if f.Code != llm.Timeout && f.Code != llm.Transport && !strings.HasPrefix(f.Detail, "the answer is longer") && !a.Scripted {
			t.Errorf("%v: not marked as scripted", f)
		}
		return fmt.Sprintf("%s %d", f.Code, a.Tries)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !a.Scripted {
		t.Errorf("%+v: not marked as scripted", a)
	}
	return fmt.Sprintf("%s %d", a.Text, a.Tries)
}

// faults are all faults with what becomes of them: the code and the tries, in
// every dialect, or by dialect where they differ.
var faults = map[string]struct {
	want   string
	except map[llm.Provider]string
}{
	"rate":        {want: "nv_rate 3"},
	"quota":       {want: "nv_quota 1"},
	"auth":        {want: "nv_auth 1"},
	"forbidden":   {want: "nv_auth 1"},
	"bad_request": {want: "nv_request 1"},
	"not_found":   {want: "nv_request 1"},
	"too_large":   {want: "nv_request 1"},
	"invalid":     {want: "nv_request 1"},
	"overflow":    {want: "nv_overflow 1"},
	"late":        {want: "nv_timeout 3"},
	"conflict":    {want: "nv_server 3"},
	"server":      {want: "nv_server 3"},
	"overloaded":  {want: "nv_server 3"},
	"redirect":    {want: "nv_request 1"},
	"cut":         {want: "nv_transport 3"},
	"hang":        {want: "nv_timeout 3"},
	"oversize":    {want: "nv_malformed 1"},
	"html":        {want: "nv_malformed 1"},
	"length":      {want: "nv_length 2"},
	"prose":       {want: "nv_malformed 1"},
	"double":      {want: "nv_malformed 1"},
	"duplicate":   {want: "nv_malformed 1"},
	"wrong_type":  {want: `{"decision":1} 1`}, // one object: the judge's schema is the judge's
	"nonce_echo":  {want: `{"decision":"allow","rationale":"as told by ` + nonce + `"} 1`},
	"other_model": {want: "nv_model 1"},
	"no_model":    {want: "nv_model 1"},
	"refusal":     {"nv_refusal 1", map[llm.Provider]string{llm.Gemini: "nv_malformed 1"}},
	"filter":      {"nv_filter 1", map[llm.Provider]string{llm.Anthropic: "nv_refusal 1"}},
	"empty":       {"nv_malformed 1", map[llm.Provider]string{llm.Gemini: "nv_filter 1"}},
	"error_200":   {want: "nv_server 3"},
}

// TestFaults: every fault of a script, in every dialect, becomes its code after
// as many tries as that is worth.
func TestFaults(t *testing.T) {
	listed := strings.Count(fakellm.FaultHelp(), "\n")
	if listed != len(faults) || listed < 25 {
		t.Errorf("the help lists %d faults, the table has %d", listed, len(faults))
	}
	for fault, c := range faults {
		url := serve(t, "rules: [{fault: "+fault+"}]", io.Discard)
		for _, p := range llm.Providers() {
			want := c.want
			if other, ok := c.except[p]; ok {
				want = other
			}
			change := func(c *llm.Config) {
				if fault == "hang" {
					c.TryTime = 20 * time.Millisecond
				}
			}
			if got := outcome(t, client(t, p, url, change), question()); canonical(got) != canonical(want) {
				t.Errorf("%s, %s: %s, want %s", fault, p, got, want)
			}
			if p == llm.OpenAI { // the same as the call of a tool
				got := outcome(t, client(t, p, url, func(c *llm.Config) { change(c); c.Form = llm.ByTool }), question())
				if canonical(got) != canonical(want) {
					t.Errorf("%s, by tool: %s, want %s", fault, got, want)
				}
			}
		}
	}
}

var docRow = regexp.MustCompile("(?m)^\\| `([a-z_0-9]+)` \\| (?:`(nv_[a-z]+)`|an answer) \\| ([0-9]) \\| (?:([a-z-]+): `(nv_[a-z]+)`)? ?\\|$")

// TestDocumentation: the page's table is the one that TestFaults plays.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testkit.Root(t), "docs", "fake-llm.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := docRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) != len(faults) {
		t.Errorf("the page has %d faults, the table %d", len(rows), len(faults))
	}
	for _, m := range rows {
		fault, code, tries, dialect, other := m[1], m[2], m[3], llm.Provider(m[4]), m[5]
		c, known := faults[fault]
		if want := code + " " + tries; !known || code != "" && c.want != want || code == "" && strings.HasPrefix(c.want, "nv_") {
			t.Errorf("%s: the page says %q, the test %q", fault, want, c.want)
		}
		if (dialect != "") != (len(c.except) == 1) || dialect != "" && c.except[dialect] != other+" "+tries {
			t.Errorf("%s: the page excepts %s: %s, the test %v", fault, dialect, other, c.except)
		}
	}
}

// canonical makes outcomes comparable: members of an object have no order.
func canonical(outcome string) string {
	i := strings.LastIndexByte(outcome, ' ')
	var v map[string]any
	if json.Unmarshal([]byte(outcome[:i]), &v) != nil {
		return outcome
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text) + outcome[i:]
}

// TestRules: which rule answers, in every dialect.
func TestRules(t *testing.T) {
	var seen log
	url := serve(t, `rules: [{verdict: {}}]`, &seen)
	outcome(t, client(t, llm.OpenAI, url, nil), question())
	var line struct{ Call string }
	if err := json.Unmarshal([]byte(seen.String()), &line); err != nil || len(line.Call) != 64 {
		t.Fatalf("the log: %s", seen.String())
	}
	url = serve(t, `
rules:
  - when: {header: "by header"}
    verdict: {rule: header}
  - when: {match: "only (in|with) the system text"}
    verdict: {rule: system}
  - when: {match: "drifting"}
    drift: [{rule: first}, {rule: second}]
  - when: {match: "recovers", try: 1}
    fault: overloaded
    retry_after: 1
  - when: {match: "recovers", try: 2}
    fault: rate
  - when: {match: "recovers"}
    verdict: {rule: third}
  - when: {match: "renamed"}
    verdict: {rule: renamed}
    model: other
  - when: {match: "slow"}
    verdict: {rule: slow}
    latency_ms: 1
  - when: {match: "plain"}
    text: "not JSON"
  - when: {epoch: 7}
    verdict: {rule: epoch}
  - when: {dialect: gemini, match: "by dialect"}
    verdict: {rule: dialect}
  - when: {digest: `+line.Call+`}
    verdict: {rule: digest}
`, io.Discard)
	ask := func(f func(*llm.Config, *llm.Question)) func(llm.Provider) string {
		return func(p llm.Provider) string {
			q := question()
			return outcome(t, client(t, p, url, func(c *llm.Config) { f(c, &q) }), q)
		}
	}
	text := func(s string) func(llm.Provider) string {
		return ask(func(_ *llm.Config, q *llm.Question) { q.User = s })
	}
	for name, c := range map[string]struct {
		ask  func(llm.Provider) string
		want string
	}{
		"header":        {ask(func(c *llm.Config, _ *llm.Question) { c.TestHeader = "by header" }), `{"rule":"header"} 1`},
		"system text":   {ask(func(_ *llm.Config, q *llm.Question) { q.System = "only in the system text" }), `{"rule":"system"} 1`},
		"digest":        {ask(func(*llm.Config, *llm.Question) {}), `{"rule":"digest"} 1`},
		"first epoch":   {text("drifting"), `{"rule":"first"} 1`},
		"another epoch": {ask(func(_ *llm.Config, q *llm.Question) { q.User, q.Epoch = "drifting", 4 }), `{"rule":"second"} 1`},
		"tries":         {text("recovers"), `{"rule":"third"} 3`},
		"model":         {text("renamed"), "nv_model 1"},
		"latency":       {text("slow"), `{"rule":"slow"} 1`},
		"text":          {text("plain"), "nv_malformed 1"},
		"epoch":         {ask(func(_ *llm.Config, q *llm.Question) { q.Epoch = 7 }), `{"rule":"epoch"} 1`},
		"no rule":       {text("nothing of this"), "nv_request 1"},
	} {
		for _, p := range llm.Providers() {
			if got := c.ask(p); got != c.want {
				t.Errorf("%s, %s: %s, want %s", name, p, got, c.want)
			}
		}
	}
	if got := text("by dialect")(llm.Gemini); got != `{"rule":"dialect"} 1` {
		t.Error(got)
	}
	if got := text("by dialect")(llm.OpenAI); got != "nv_request 1" {
		t.Error(got)
	}
}

// TestKey: another key is refused, and no key is in the log.
func TestKey(t *testing.T) {
	var seen log
	for script, want := range map[string]string{"another-key": "nv_auth 1", key: "{} 1"} {
		url := serve(t, "key: "+script+"\nrules: [{verdict: {}}]", &seen)
		for _, p := range llm.Providers() {
			if got := outcome(t, client(t, p, url, nil), question()); got != want {
				t.Errorf("%s: %s, want %s", p, got, want)
			}
		}
	}
	if strings.Contains(seen.String(), key) || strings.Contains(seen.String(), "git clean") || strings.Count(seen.String(), "\n") != 4 {
		t.Errorf("the log: %s", seen.String())
	}
}

// TestProbe: a probe finds what a script says of its server.
func TestProbe(t *testing.T) {
	for script, want := range map[string]string{
		"server: ollama\ncontext: 8192":                         "schema 8192 true",
		"server: ollama":                                        "schema 0 true",
		"server: llama.cpp\ncontext: 2048":                      "schema 2048 false",
		"server: vllm\ncontext: 4096":                           "schema 4096 false",
		"server: openai\ncontext: 4096":                         "schema 0 false",
		"server: vllm\ncontext: 32768\njson_schema: false":      "tool 32768 false",
		"json_schema: false\nserver: llama.cpp\ncontext: 40960": "tool 40960 false",
	} {
		url := serve(t, script+"\nrules: [{verdict: {answer: \"yes\"}}]", io.Discard)
		got, err := llm.Probe(t.Context(), llm.Config{Provider: llm.OpenAI, Endpoint: url + "/v1", Model: "scripted"}, llm.RealSystem())
		if err != nil || got.Code != "" || !got.Scripted || fmt.Sprintf("%s %d %t", got.Form, got.Context, got.CutsPrompts) != want {
			t.Errorf("%s: %+v, %v; want %s", script, got, err, want)
		}
	}
	url := serve(t, "context: 1000\nrules: [{verdict: {answer: \"yes\"}}]", io.Discard)
	got, err := llm.Probe(t.Context(), llm.Config{Provider: llm.Gemini, Endpoint: url + "/v1beta", Model: "scripted"}, llm.RealSystem())
	if err != nil || got.Context != 1000 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOddRequests: what a client could get wrong is told to it.
func TestOddRequests(t *testing.T) {
	url := serve(t, "rules: [{when: {turn: 2}, text: second turn}, {verdict: {}}]", io.Discard)
	for name, c := range map[string]struct {
		path, body, header string
		status             int
		says               string
	}{
		"no JSON":                            {"/v1/chat/completions", "{", "", 400, ""},
		"duplicate members":                  {"/v1/chat/completions", `{"model":"a","model":"b","messages":[{"content":"x"}]}`, "", 400, "duplicate"},
		"no messages":                        {"/v1/chat/completions", `{"model":"a"}`, "", 400, "no messages"},
		"no model":                           {"/v1/chat/completions", `{"messages":[{"content":"x"}]}`, "", 400, "no model"},
		"stored":                             {"/v1/responses", `{"model":"a","input":"x"}`, "", 400, "store"},
		"not a response":                     {"/v1/responses", `[]`, "", 400, ""},
		"not a message":                      {"/v1/messages", `[]`, "", 400, ""},
		"no max_tokens":                      {"/v1/messages", `{"model":"a","messages":[{"content":"x"}]}`, "Anthropic-Version: x", 400, "max_tokens"},
		"no version":                         {"/v1/messages", `{"model":"a","max_tokens":1,"messages":[{"content":"x"}]}`, "", 400, "anthropic-version"},
		"content that is none":               {"/v1/messages", `{"model":"a","max_tokens":1,"messages":[{"content":7}]}`, "Anthropic-Version: x", 400, ""},
		"a conversation":                     {"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"do"},{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"look"}},{"id":"b","function":{"name":"look"}}]},{"role":"tool","tool_call_id":"b","content":"x"},{"role":"tool","tool_call_id":"a","content":"y"},{"role":"user","content":"on"}]}`, "", 200, "second turn"},
		"a call without a result":            {"/v1/chat/completions", `{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"look"}}]},{"role":"user","content":"on"}]}`, "", 400, `no result of \"a\"`},
		"a call without a result at the end": {"/v1/chat/completions", `{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"look"}}]}]}`, "", 400, `no result of \"a\"`},
		"a result without a call":            {"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"do"},{"role":"tool","tool_call_id":"a","content":"x"}]}`, "", 400, `a result of \"a\"`},
		"a name of no form":                  {"/v1/chat/completions", `{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"no tool!"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`, "", 400, `a call of \"no tool!\"`},
		"an empty answer":                    {"/v1/chat/completions", `{"model":"m","messages":[{"role":"assistant","content":""},{"role":"user","content":"on"}]}`, "", 400, "an empty message"},
		"a conversation in blocks":           {"/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"do"},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"look","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"on"}]}]}`, "Anthropic-Version: x", 200, "second turn"},
		"a call without a result, in blocks": {"/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{}}]},{"role":"user","content":"on"}]}`, "Anthropic-Version: x", 400, `no result of \"a\"`},
		"arguments that are no object":       {"/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":"x"}]}]}`, "Anthropic-Version: x", 400, "that is not whole"},
		"an empty text":                      {"/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"text","text":""}]}]}`, "Anthropic-Version: x", 400, "that is not whole"},
		"no blocks":                          {"/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[]},{"role":"user","content":"on"}]}`, "Anthropic-Version: x", 400, "an empty message"},
		"no contents":                        {"/v1beta/models/a:generateContent", `{}`, "", 400, "contents"},
		"not Gemini":                         {"/v1beta/models/a:generateContent", `[]`, "", 400, ""},
		"an epoch that is none":              {"/v1/chat/completions", `{}`, "X-Licet-Epoch: one", 400, "X-Licet-Epoch"},
		"another path":                       {"/v1/embeddings", `{}`, "", 404, ""},
		"too long":                           {"/v1/chat/completions", strings.Repeat(" ", 4<<20+1), "", 413, ""},
	} {
		req, err := http.NewRequest("POST", url+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if k, v, ok := strings.Cut(c.header, ": "); ok {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.says) || resp.Header.Get("X-Licet-Scripted") == "" {
			t.Errorf("%s: %d %s", name, resp.StatusCode, body)
		}
	}
}

// TestServe: until its context ends.
func TestServe(t *testing.T) {
	s, err := fakellm.Parse("s", []byte(`rules: [{fault: hang}]`))
	if err != nil {
		t.Fatal(err)
	}
	l, err := clikit.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l, io.Discard) }()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := s.Serve(t.Context(), l, io.Discard); err == nil {
		t.Error("serves on what is closed")
	}
}
