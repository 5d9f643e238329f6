package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/llm"
)

var busy = reply{status: 429, body: `{"error":{"code":"rate_limit_exceeded"}}`}

// good is the normal answer of the chat API.
var good = reply{body: samples[llm.OpenAI][0].body}

// TestWaits: how long a client waits between tries, and when it does not.
func TestWaits(t *testing.T) {
	const half = 375 * time.Millisecond // 500 ms, less half of its half
	now := time.Now()
	for name, c := range map[string]struct {
		header string
		value  string
		tries  int
		want   []time.Duration
	}{
		"backoff":                   {"", "", 4, []time.Duration{half, 2 * half, 4 * half}},
		"seconds":                   {"Retry-After", "3", 3, []time.Duration{3 * time.Second, 3 * time.Second}},
		"milliseconds":              {"Retry-After-Ms", "1500", 2, []time.Duration{1500 * time.Millisecond}},
		"less than the backoff":     {"Retry-After", "0", 2, []time.Duration{half}},
		"a date that has passed":    {"Retry-After", now.Add(-time.Hour).UTC().Format(http.TimeFormat), 2, []time.Duration{half}},
		"longer than the deadline":  {"Retry-After", "21", 3, nil},
		"a date after the deadline": {"Retry-After", now.Add(time.Hour).UTC().Format(http.TimeFormat), 3, nil},
		"past all bounds":           {"Retry-After", "1e300", 3, nil},
		"nonsense":                  {"Retry-After", "soon", 2, []time.Duration{half}},
		"no number":                 {"Retry-After", "NaN", 2, []time.Duration{half}},
		"the deadline runs out":     {"Retry-After", "8", 9, []time.Duration{8 * time.Second, 8 * time.Second}},
	} {
		busy := busy
		busy.header = map[string]string{c.header: c.value}
		if c.header == "" {
			busy.header = nil
		}
		server, k := serve(t, busy), newClock()
		cfg := config(llm.OpenAI, server.URL)
		cfg.Tries = c.tries
		a, f := ask(t, cfg, k.system(), question())
		if codeOf(f) != llm.Rate || !slices.Equal(k.waits, c.want) || a.Tries != len(c.want)+1 {
			t.Errorf("%s: %v after %d tries and waits %v, want %v", name, f, a.Tries, k.waits, c.want)
		}
	}
}

// TestGeminiSaysWhen: its way to ask for a wait is in the body.
func TestGeminiSaysWhen(t *testing.T) {
	server, k := serve(t, reply{429, nil, samples[llm.Gemini][10].body}, reply{body: samples[llm.Gemini][0].body}), newClock()
	a, f := ask(t, config(llm.Gemini, server.URL), k.system(), question())
	if f != nil || a.Tries != 2 || !slices.Equal(k.waits, []time.Duration{2 * time.Second}) {
		t.Errorf("%+v, %v, waits %v", a, f, k.waits)
	}
}

// TestRecovery: a later try can give the answer; all tries are counted.
func TestRecovery(t *testing.T) {
	server := serve(t, busy, reply{status: 500}, good)
	a, f := ask(t, config(llm.OpenAI, server.URL), newClock().system(), question())
	if f != nil || a.Text != verdict || a.Tries != 3 {
		t.Errorf("%+v, %v", a, f)
	}
}

// TestLongerAnswer: one that hit the limit is asked for once more with twice the
// limit, and not a third time.
func TestLongerAnswer(t *testing.T) {
	cut := reply{body: `{"model":"m","choices":[{"message":{"content":"{"},"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":100}}`}
	server := serve(t, cut, good)
	a, f := ask(t, config(llm.OpenAI, server.URL), newClock().system(), question())
	if f != nil || a.Tries != 2 || !strings.Contains(server.bodies[1], `"max_completion_tokens":200`) {
		t.Errorf("%+v, %v: %q", a, f, server.bodies)
	}
	if want := (llm.Usage{Input: 25, Cached: 10, Output: 107, CachedUntold: true, WrittenUntold: true}); a.Usage != want {
		t.Errorf("used %+v: what the first try cost is missing", a.Usage)
	}
	server = serve(t, cut)
	cfg := config(llm.OpenAI, server.URL)
	cfg.Tries = 9
	if a, f := ask(t, cfg, newClock().system(), question()); codeOf(f) != llm.Length || a.Tries != 2 {
		t.Errorf("%+v, %v", a, f)
	}
}

// TestLost: what happens to connections.
func TestLost(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	handlers := map[string]struct {
		handle http.HandlerFunc
		want   llm.Code
		tries  int
	}{
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			fmt.Fprint(w, `{"model"`)
		}, llm.Transport, 3},
		"dropped":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, llm.Transport, 3},
		"too long": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, good.body, strings.Repeat(" ", 4<<20)) }, llm.Malformed, 1},
		"hanging":  {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body); <-r.Context().Done() }, llm.Timeout, 3},
		"quotes the key in no HTTP": {func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprint(c, r.Header.Get("Authorization"), "\r\n\r\n")
				c.Close()
			}
		}, llm.Transport, 3},
	}
	for name, h := range handlers {
		server := httptest.NewServer(h.handle)
		cfg := config(llm.OpenAI, server.URL)
		if name == "hanging" {
			cfg.TryTime = 20 * time.Millisecond
		}
		a, f := ask(t, cfg, newClock().system(), question())
		if codeOf(f) != h.want || a.Tries != h.tries {
			t.Errorf("%s: %v after %d tries", name, f, a.Tries)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", f, errors.Unwrap(f)), canary) {
			t.Errorf("%s: the key is in %v", name, f)
		}
		server.CloseClientConnections()
		server.Close()
	}
	if _, f := ask(t, config(llm.OpenAI, "http://"+closed.Addr().String()), newClock().system(), question()); codeOf(f) != llm.Transport {
		t.Errorf("nobody there: %v", f)
	}
	if _, f := ask(t, config(llm.OpenAI, "https://"+closed.Addr().String()), newClock().system(), question()); codeOf(f) != llm.Transport {
		t.Errorf("nobody there, over TLS: %v", f)
	}
}

// TestLate: a failure says which time was over, and not how a context words it.
func TestLate(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	for want, change := range map[string]func(*llm.Config){
		"no answer within the 20ms that one try may take":             func(c *llm.Config) { c.TryTime, c.Tries = 20*time.Millisecond, 1 },
		"no answer within the 20ms that all tries together may take:": func(c *llm.Config) { c.Deadline = 20 * time.Millisecond },
	} {
		cfg := config(llm.OpenAI, server.URL)
		change(&cfg)
		if _, f := ask(t, cfg, newClock().system(), question()); codeOf(f) != llm.Timeout || !strings.Contains(f.Error(), want) {
			t.Errorf("%v, want %s", f, want)
		}
	}
}

// TestGivenUp: when the caller gives up, no further try is made.
func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	client, err := llm.New(config(llm.OpenAI, server.URL), newClock().system())
	if err != nil {
		t.Fatal(err)
	}
	a, err := client.Ask(ctx, question())
	var f *llm.Failure
	if !errors.As(err, &f) || f.Code != llm.Timeout || a.Tries != 1 || !strings.Contains(f.Error(), "the caller did not wait") {
		t.Errorf("%v after %d tries", err, a.Tries)
	}
	// The deadline of the caller's context is one for the tries as well.
	k := newClock()
	limited, stop := context.WithDeadline(t.Context(), k.now.Add(time.Hour))
	defer stop()
	k.now = k.now.Add(time.Hour)
	client, err = llm.New(config(llm.OpenAI, serve(t, busy).URL), k.system())
	if err != nil {
		t.Fatal(err)
	}
	if a, err := client.Ask(limited, question()); !errors.As(err, &f) || f.Code != llm.Rate || a.Tries != 1 {
		t.Errorf("%v after %d tries", err, a.Tries)
	}
}

// TestRefusedUnsent: some questions never leave.
func TestRefusedUnsent(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*llm.Config, *llm.Question)
		want   llm.Code
	}{
		"key in the system text": {func(_ *llm.Config, q *llm.Question) { q.System = "x" + canary }, llm.Internal},
		"key in the user text":   {func(_ *llm.Config, q *llm.Question) { q.User = canary + "x" }, llm.Internal},
		"no limit of output":     {func(_ *llm.Config, q *llm.Question) { q.MaxTokens = 0 }, llm.Internal},
		"schema that is no JSON": {func(_ *llm.Config, q *llm.Question) { q.Schema = &llm.Schema{Name: "x", JSON: []byte("{")} }, llm.Internal},
		"may be cut silently":    {func(c *llm.Config, q *llm.Question) { c.Context = 1000; q.User = strings.Repeat("x", 1000) }, llm.Overflow},
		"no tries":               {func(c *llm.Config, _ *llm.Question) { c.Limit.Tries = 0 }, llm.Budget},
		"no tokens":              {func(c *llm.Config, _ *llm.Question) { c.Limit.Tokens = 0 }, llm.Budget},
		"no money":               {func(c *llm.Config, _ *llm.Question) { c.Limit.Cost, c.Price.Input = 0, 1 }, llm.Budget},
	} {
		server := serve(t, good)
		cfg, q := config(llm.OpenAI, server.URL), question()
		c.change(&cfg, &q)
		if _, f := ask(t, cfg, newClock().system(), q); codeOf(f) != c.want || len(server.asked) > 0 {
			t.Errorf("%s: %v, %d requests", name, f, len(server.asked))
		}
	}
}

// TestCutPrompt: a server that reports a full context has probably cut.
func TestCutPrompt(t *testing.T) {
	for used, want := range map[int]llm.Code{1000: llm.Overflow, 999: ""} {
		server := serve(t, reply{body: fmt.Sprintf(`{"model":"m","choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":1}}`, used)})
		cfg := config(llm.OpenAI, server.URL)
		cfg.Context = 1000
		if _, f := ask(t, cfg, newClock().system(), question()); codeOf(f) != want {
			t.Errorf("%d tokens: %v", used, f)
		}
	}
}

// TestLongerAnswerFits: the larger limit is held against the context, too.
func TestLongerAnswerFits(t *testing.T) {
	server := serve(t, reply{body: `{"model":"m","choices":[{"message":{"content":"{"},"finish_reason":"length"}]}`})
	cfg := config(llm.OpenAI, server.URL)
	cfg.Context = 400
	if _, f := ask(t, cfg, newClock().system(), question()); codeOf(f) != llm.Overflow || len(server.asked) != 1 {
		t.Errorf("%v, %d requests", f, len(server.asked))
	}
}

// TestLimit: a client stops when what it may use is used, whatever servers say
// that they used.
func TestLimit(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		limit llm.Limit
		asks  int
	}{
		"tries":                {good.body, llm.Limit{Tries: 2, Tokens: 1 << 40, Cost: 1 << 60}, 2},
		"tokens":               {good.body, llm.Limit{Tries: 9, Tokens: 38, Cost: 1 << 60}, 2},
		"money":                {good.body, llm.Limit{Tries: 9, Tokens: 1 << 40, Cost: 80}, 3}, // 37 a question
		"tokens below nothing": {strings.Replace(good.body, `"prompt_tokens":30`, `"prompt_tokens":-99999`, 1), llm.Limit{Tries: 9, Tokens: 100, Cost: 1 << 60}, 1},
		"tokens past counting": {strings.Replace(good.body, `"prompt_tokens":30`, `"prompt_tokens":9000000000000000000`, 1), llm.Limit{Tries: 9, Tokens: 100, Cost: 1 << 60}, 1},
	} {
		server := serve(t, reply{body: c.body})
		cfg := config(llm.OpenAI, server.URL)
		cfg.Limit, cfg.Price = c.limit, llm.Price{Input: 1, Cached: 1, Output: 1}
		client, err := llm.New(cfg, newClock().system())
		if err != nil {
			t.Fatal(err)
		}
		var f *llm.Failure
		for i := 0; i < 9 && f == nil; i++ {
			if _, err := client.Ask(t.Context(), question()); err != nil && !errors.As(err, &f) {
				t.Fatal(err)
			}
		}
		if codeOf(f) != llm.Budget || len(server.asked) != c.asks {
			t.Errorf("%s: %v after %d requests, want %d", name, f, len(server.asked), c.asks)
		}
	}
}

// TestTogether: one client for many askers; the race detector watches, and the
// limit of tries holds.
func TestTogether(t *testing.T) {
	server := serve(t, good)
	cfg := config(llm.OpenAI, server.URL)
	cfg.Limit.Tries = 10
	client, err := llm.New(cfg, newClock().system())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	answers := 0
	for range 20 {
		wg.Go(func() {
			if _, err := client.Ask(t.Context(), question()); err == nil {
				mu.Lock()
				answers++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if answers != 10 || len(server.asked) != 10 {
		t.Errorf("%d answers, %d requests of 10", answers, len(server.asked))
	}
}

// TestNew: what is no safe or whole configuration is refused, and the message
// does not repeat what may be a secret.
func TestNew(t *testing.T) {
	for name, change := range map[string]func(*llm.Config){
		"provider":                   func(c *llm.Config) { c.Provider = "oracle" },
		"no endpoint":                func(c *llm.Config) { c.Endpoint = "" },
		"no URL":                     func(c *llm.Config) { c.Endpoint = "https://" + canary + ":x/%zz" },
		"plain http":                 func(c *llm.Config) { c.Endpoint = "http://example.com/v1" },
		"plain http to the network":  func(c *llm.Config) { c.Endpoint = "http://192.168.0.1/v1" },
		"a name like this machine's": func(c *llm.Config) { c.Endpoint = "http://localhost.example.com/v1" },
		"another scheme":             func(c *llm.Config) { c.Endpoint = "ftp://127.0.0.1/v1" },
		"user":                       func(c *llm.Config) { c.Endpoint = "https://" + canary + "@example.com/v1" },
		"query":                      func(c *llm.Config) { c.Endpoint = "https://example.com/v1?key=" + canary },
		"fragment":                   func(c *llm.Config) { c.Endpoint = "https://example.com/v1#x" },
		"no model":                   func(c *llm.Config) { c.Model = "" },
		"no key":                     func(c *llm.Config) { c.Endpoint, c.Key = "https://example.com/v1", llm.Key{} },
		"test header":                func(c *llm.Config) { c.Endpoint, c.TestHeader = "https://example.com/v1", "x" },
		"form":                       func(c *llm.Config) { c.Form = "xml" },
		"form of another":            func(c *llm.Config) { c.Provider, c.Form = llm.Gemini, llm.ByTool },
		"negative time":              func(c *llm.Config) { c.Deadline = -1 },
		"negative price":             func(c *llm.Config) { c.Price.Cached = -1 },
	} {
		cfg := config(llm.OpenAI, "http://127.0.0.1:1")
		change(&cfg)
		if _, err := llm.New(cfg, newClock().system()); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := llm.Probe(t.Context(), cfg, newClock().system()); err == nil {
			t.Errorf("%s: a probe takes it", name)
		}
	}
	for _, endpoint := range []string{"https://example.com", "http://localhost:8080/v1/", "http://[::1]:80/v1", "http://127.9.9.9/v1"} {
		cfg := config(llm.OpenAI, "")
		cfg.Endpoint = endpoint
		if _, err := llm.New(cfg, newClock().system()); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	if _, err := llm.New(config(llm.OpenAI, "http://127.0.0.1"), llm.System{}); err == nil {
		t.Error("a client without a clock")
	}
}

// TestRealSystem: its wait ends with its context.
func TestRealSystem(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := llm.RealSystem()
	if err := s.Wait(ctx, time.Nanosecond); err != nil {
		t.Error(err)
	}
	cancel()
	if err := s.Wait(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if c := s.Chance(); c < 0 || c >= 1 || s.Now().IsZero() {
		t.Error(c)
	}
}

// TestDeadline: whatever a server asks for, waits stay within the deadline, and
// tries within their number.
func TestDeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		after := rapid.SliceOfN(rapid.IntRange(-5, 40), 1, 6).Draw(t, "after")
		n := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", fmt.Sprint(after[min(n, len(after)-1)]))
			n++
			w.WriteHeader(429)
		}))
		defer server.Close()
		cfg := config(llm.OpenAI, server.URL)
		cfg.Tries = rapid.IntRange(1, 6).Draw(t, "tries")
		cfg.Deadline = time.Duration(rapid.IntRange(1, 60).Draw(t, "deadline")) * time.Second
		k := newClock()
		client, err := llm.New(cfg, k.system())
		if err != nil {
			t.Fatal(err)
		}
		a, err := client.Ask(context.Background(), question())
		var f *llm.Failure
		if !errors.As(err, &f) || f.Code != llm.Rate || a.Tries > cfg.Tries || a.Tries != n {
			t.Fatalf("%v after %d tries, %d requests", err, a.Tries, n)
		}
		var sum time.Duration
		for i, w := range k.waits {
			sum += w
			if w < time.Duration(after[min(i, len(after)-1)])*time.Second {
				t.Fatalf("waited %v where %d s were asked for", w, after[min(i, len(after)-1)])
			}
		}
		if sum > cfg.Deadline {
			t.Fatalf("waits of %v within %v", k.waits, cfg.Deadline)
		}
	})
}
