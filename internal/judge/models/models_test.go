package models_test

import (
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/llm"
)

const good = `
models:
  main:
    provider: anthropic
    endpoint: https://models.example.com/v1
    model: large-1
    reports: large-1-2026
    context: 8192
    key_env: MODEL_KEY
    deadline: 15s
    try: 10s
    tries: 2
    max_output: 900
    temperature: 0.5
    limit: {tries: 100, tokens: 2000000, cost: 5.25}
    price: {input: 3, cached: 0.3, written: 3.75, output: 15}
    alternate: local
  local:
    provider: openai
    endpoint: http://127.0.0.1:11434/v1
    model: small
    form: prompt
    key_file: keys/local
    temperature: own
    limit: {tries: 5, tokens: 10}
policies: {rules: own/rules.md}
`

// TestParse reads all that a file can say.
func TestParse(t *testing.T) {
	f, err := models.Parse("models.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Of("main")
	want := llm.Config{
		Provider: llm.Anthropic, Endpoint: "https://models.example.com/v1", Model: "large-1", Reports: "large-1-2026", Context: 8192,
		Deadline: 15 * time.Second, TryTime: 10 * time.Second, Tries: 2,
		Limit: llm.Limit{Tries: 100, Tokens: 2000000, Cost: 5_250_000_000_000},
		Price: llm.Price{Input: 3_000_000, Cached: 300_000, Written: 3_750_000, Output: 15_000_000},
	}
	if err != nil || m.Config != want || m.KeyEnv != "MODEL_KEY" || m.MaxTokens != 900 || *m.Temperature != 0.5 || m.Alternate != "local" {
		t.Errorf("main: %+v (%v)", m, err)
	}
	l, err := f.Of("local")
	if err != nil || l.Temperature != nil || l.KeyFile != "keys/local" || l.Config.Form != llm.ByPrompt || f.Policies["rules"] != "own/rules.md" {
		t.Errorf("local: %+v, policies %v (%v)", l, f.Policies, err)
	}
	if _, err := f.Of("other"); err == nil {
		t.Error("a model that is not there")
	}
	small, err := models.Parse("models.yaml", []byte("models: {m: {provider: openai, endpoint: u, model: v, limit: {tries: 1, tokens: 1}}}"))
	if err != nil || *small.Models["m"].Temperature != 0 {
		t.Errorf("a model without a temperature: %+v (%v)", small, err)
	}
}

// problems are files with one mistake each, and what is said of it.
var problems = []struct{ name, old, new, says string }{
	{"nothing", good, "", "empty"},
	{"no models", good, "policies: {rules: a}", `needs "models"`},
	{"unknown word", "reports:", "report:", `unknown word "report" in a model`},
	{"a key", "key_env: MODEL_KEY", "key: abc", `unknown word "key" in a model`},
	{"two keys", "key_file: keys/local", "{key_env: A, key_file: B}", ""},
	{"a name", "  local:", "  lo/cal:", "is no name of a judge"},
	{"a provider", "provider: openai", "provider: open", `did you mean "openai"`},
	{"no limit", "    limit: {tries: 5, tokens: 10}\n", "", `needs "limit"`},
	{"half a limit", "{tries: 5, tokens: 10}", "{tries: 5}", `limit needs "tokens"`},
	{"no tries", "tries: 5", "tries: 0", "whole number from 1"},
	{"a price without a limit", ", cost: 5.25", "", "nothing may be spent unless limit has a cost"},
	{"a negative price", "input: 3,", "input: -3,", "dollars from 0"},
	{"a fine price", "input: 3,", "input: 0.0000001,", "finer than the smallest part"},
	{"a price as a text", "input: 3,", `input: "3",`, "a number of dollars"},
	{"too long a deadline", "deadline: 15s", "deadline: 3m", "longer than an answer may take"},
	{"a temperature", "temperature: 0.5", "temperature: 3", "a number from 0 to 2"},
	{"a temperature as a word", "temperature: 0.5", "temperature: warm", "a number from 0 to 2"},
	{"an alternate that is not there", "alternate: local", "alternate: other", `"other" is no other model`},
	{"an alternate of itself", "alternate: local", "alternate: main", `"main" is no other model`},
	{"a policy", "{rules: own/rules.md}", "{mine: own/rules.md}", `unknown word "mine" in policies`},
	{"the same twice", "    context: 8192\n", "    context: 8192\n    context: 8192\n", "context"},
}

// TestProblems: each is refused, and said to be where it is.
func TestProblems(t *testing.T) {
	for _, tt := range problems {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if _, err := models.Parse("models.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), tt.says) || !strings.HasPrefix(err.Error(), "models.yaml:") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// FuzzParse: what is read has a place to ask, a model, and an end of what it may
// use up.
func FuzzParse(f *testing.F) {
	f.Add(good)
	for _, tt := range problems {
		f.Add(strings.Replace(good, tt.old, tt.new, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := models.Parse("models.yaml", []byte(text))
		if err != nil && len(file.Models)+len(file.Policies) > 0 {
			t.Error("a file with a mistake is read all the same")
		}
		for name, m := range file.Models {
			c := m.Config
			if c.Provider == "" || c.Endpoint == "" || c.Model == "" || c.Limit.Tries <= 0 || c.Limit.Tokens <= 0 || c.Deadline > models.MaxDeadline {
				t.Errorf("%s: %+v", name, m)
			}
			if c.Price != (llm.Price{}) && c.Limit.Cost <= 0 {
				t.Errorf("%s spends without an end", name)
			}
		}
	})
}
