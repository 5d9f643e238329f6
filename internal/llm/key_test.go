package llm_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/llm"
)

// TestKeyIsNotPrinted: in no way that a value gets into a log.
func TestKeyIsNotPrinted(t *testing.T) {
	cfg := config(llm.OpenAI, "http://127.0.0.1")
	client, err := llm.New(cfg, newClock().system())
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(cfg.Key)
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "key", cfg.Key)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "key", cfg.Key, "config", cfg)
	for _, text := range []string{
		fmt.Sprint(cfg.Key), fmt.Sprintf("%v %+v %#v %s %q", cfg, cfg, cfg, cfg.Key, cfg.Key), fmt.Sprintf("%#v", cfg.Key), string(asJSON), logged.String(),
		fmt.Sprintf("%v %+v [key]", client, client), fmt.Sprintf("%#v", client) + "[key]",
	} {
		if strings.Contains(text, canary) || !strings.Contains(text, "[key]") {
			t.Errorf("printed %s", text)
		}
	}
}

// TestEnvKey: from the variable that is named, and of a form that is told from
// other text.
func TestEnvKey(t *testing.T) {
	env := []string{"SHORT=short", "SPACE=" + canary + " x", "QUOTE=" + canary + `"`, "LINE=" + canary + "\n", "KEY=" + canary, "=" + canary}
	for _, name := range []string{"SHORT", "SPACE", "QUOTE", "LINE", "NONE", "", "key"} {
		if _, err := llm.EnvKey(env, name); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if k, err := llm.EnvKey(env, "KEY"); err != nil || k == (llm.Key{}) {
		t.Error(err)
	}
}

// TestEscapedKey: a server that repeats the key in an answer, with its characters
// escaped as some encoders do, does not get it past the transport.
func TestEscapedKey(t *testing.T) {
	k, err := llm.EnvKey([]string{"K=aA0+/=-._~0123456789"}, "K")
	if err != nil {
		t.Fatal(err)
	}
	for _, echo := range []string{
		`aA0+/=-._~0123456789`, `aA0\u002b\/\u003D-._~0123456789`, `aA0\u002B/\u003d\u002d\u002e\u005f\u007e0123456789`, `\u0061\u00410+/=-._~012345678\u0039`,
	} {
		server := serve(t, reply{body: `{"model":"m","choices":[{"message":{"content":"so: ` + echo + `"},"finish_reason":"stop"}]}`})
		cfg, q := config(llm.OpenAI, server.URL), question()
		cfg.Key, q.Schema = k, nil
		if a, f := ask(t, cfg, newClock().system(), q); f != nil || a.Text != "so: [key]" {
			t.Errorf("%s: %q, %v", echo, a.Text, f)
		}
	}
}
