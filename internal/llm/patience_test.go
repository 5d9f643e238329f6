package llm_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/llm"
)

// later is a server that wants to be asked in half a minute.
func later(status int) reply {
	return reply{status: status, header: map[string]string{"Retry-After": "30"}, body: busy.body}
}

// TestPatience: what a server asks to wait costs a question neither tries nor its
// deadline, as long as there is patience.
func TestPatience(t *testing.T) {
	// a pause has a quarter of half its length by chance on top: the clock's chance is a half
	const half, pause = 375 * time.Millisecond, 30*time.Second + 3750*time.Millisecond
	for name, c := range map[string]struct {
		replies  []reply
		patience time.Duration
		code     llm.Code
		waits    []time.Duration
	}{
		"none":                     {[]reply{later(429), good}, 0, llm.Rate, nil},
		"enough":                   {[]reply{later(429), later(429), later(503), good}, 2 * time.Minute, "", []time.Duration{pause, pause, pause}},
		"not enough for the third": {[]reply{later(429)}, 70 * time.Second, llm.Rate, []time.Duration{pause, pause}},
		"no time is named":         {[]reply{busy, busy, good}, time.Minute, "", []time.Duration{half + half/8, 2 * (half + half/8)}},
		"a fault counts":           {[]reply{{status: 500}, later(429), {status: 500}, good}, time.Minute, llm.Server, []time.Duration{half, pause}},
	} {
		server, k := serve(t, c.replies...), newClock()
		cfg := config(llm.OpenAI, server.URL)
		cfg.Patience, cfg.Tries = c.patience, 2
		a, f := ask(t, cfg, k.system(), question())
		if codeOf(f) != c.code || !slices.Equal(k.waits, c.waits) || a.Tries != len(server.asked) {
			t.Errorf("%s: %v after %d tries and waits %v, want %v", name, f, a.Tries, k.waits, c.waits)
		}
	}
}

// TestHeldBack: a question that was not told to wait waits, too, and is sent once the
// server wants it.
func TestHeldBack(t *testing.T) {
	server, k := serve(t, later(429), good), newClock()
	waiting, go1 := make(chan struct{}, 2), make(chan struct{})
	s := k.system()
	once := s.Wait
	s.Wait = func(ctx context.Context, d time.Duration) error {
		waiting <- struct{}{}
		<-go1
		return once(ctx, d)
	}
	cfg := config(llm.OpenAI, server.URL)
	cfg.Patience = time.Minute
	client, err := llm.New(cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := client.Ask(t.Context(), question()); err != nil {
				t.Error(err)
			}
		})
		<-waiting
	}
	server.mu.Lock()
	if n := len(server.asked); n != 1 {
		t.Errorf("%d requests while the server wants none", n)
	}
	server.mu.Unlock()
	close(go1)
	both.Wait()
	if len(server.asked) != 3 {
		t.Errorf("%d requests of 3", len(server.asked))
	}
}

// TestOffline: what is written into a file is what the API would be sent, and an
// answer from a file is read as one that came.
func TestOffline(t *testing.T) {
	server := serve(t, good)
	cfg := config(llm.OpenAI, "https://api.example.org")
	cfg.Key = llm.Key{}
	o, err := llm.NewOffline(cfg)
	if err != nil {
		t.Fatal(err)
	}
	q := question()
	body, err := o.Request(q)
	if err != nil {
		t.Fatal(err)
	}
	live, f := ask(t, config(llm.OpenAI, server.URL), newClock().system(), q)
	if f != nil {
		t.Fatal(f)
	}
	const local = `"max_tokens":100,` // said to servers of this machine only
	if sent := server.bodies[0]; len(sent) != len(body)+len(local) {
		t.Errorf("sent %s, written %s", sent, body)
	}
	got, err := o.Answer(q, []byte(good.body))
	got.Took, live.Took = 0, 0
	if err != nil || got.Text != live.Text || got.Usage != live.Usage || got.Model != live.Model || got.Tries != 1 {
		t.Errorf("%+v, %v, want %+v", got, err, live)
	}
	cfg.Reports = "another"
	if o, err = llm.NewOffline(cfg); err != nil {
		t.Fatal(err)
	}
	if got, err := o.Answer(q, []byte(good.body)); err == nil || got.Text != "" {
		t.Errorf("an answer of another model: %+v", got)
	}
	q.MaxTokens = 0
	if _, err := o.Request(q); err == nil {
		t.Error("a question without a limit of output")
	}
	cfg.Provider = llm.Gemini
	if _, err := llm.NewOffline(cfg); err == nil {
		t.Error("files of another dialect")
	}
}
