package adapter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/adapter"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/llm"
)

const good = `
models:
  stock:
    provider: openai
    endpoint: http://127.0.0.1:8000/v1
    model: small-7b
    limit: {tries: 10, tokens: 1000}
    engine: {name: vllm, version: "0.12", batch: "1"}
    lineage: {method: none, quantisation: q4}
  freed:
    provider: anthropic
    endpoint: https://models.example.com/v1
    model: small-7b-freed
    reports: small-7b-freed-2026
    context: 32768
    key_env: MODEL_KEY
    deadline: 5m
    try: 1m
    temperature: 0.7
    top_p: 0.95
    limit: {tries: 10, tokens: 1000, cost: 5}
    price: {input: 3, output: 15}
    encoding: text
    engine: {name: own, version: unknown, batch: unknown}
    lineage: {method: rank-k, rank: 4, base: stock, quantisation: q4}
`

// TestParse reads all that a file can say.
func TestParse(t *testing.T) {
	all, err := adapter.Parse("models.yaml", []byte(good))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d models, %v", len(all), err)
	}
	stock, freed := all["stock"], all["freed"]
	if want := (trace.Engine{Name: "vllm", Adapter: "openai", Version: "0.12", Batch: "1", TopPMilli: trace.Own}); stock.Engine != want {
		t.Errorf("stock: %+v", stock.Engine)
	}
	if stock.Name != "stock" || stock.Encoding != model.Native || stock.Client.Tries != 4 || stock.Client.Deadline != 10*time.Minute || stock.Client.TryTime != 5*time.Minute ||
		stock.Lineage != (trace.Lineage{Method: "none", Quantisation: "q4"}) || *stock.Temperature != 0 || stock.TopP != nil {
		t.Errorf("stock: %+v", stock)
	}
	if want := (trace.Engine{Name: "own", Adapter: "anthropic", Version: "unknown", Batch: "unknown", TemperatureMilli: 700, TopPMilli: 950, SamplerSeed: trace.Unsupported}); freed.Engine != want {
		t.Errorf("freed: %+v", freed.Engine)
	}
	if freed.KeyEnv != "MODEL_KEY" || freed.Encoding != model.Text || freed.Client.Provider != llm.Anthropic || freed.Client.Context != 32768 || freed.Client.TryTime != time.Minute ||
		freed.Lineage != (trace.Lineage{Method: "rank-k", Rank: 4, Base: "stock", Quantisation: "q4"}) || *freed.TopP != 0.95 {
		t.Errorf("freed: %+v", freed)
	}
}

// problems are files with one mistake each, and what is said of it.
var problems = []struct{ name, old, new, says string }{
	{"a key", "key_env: MODEL_KEY", "key: abc", `unknown word "key" in a model`},
	{"a key in a file", "key_env: MODEL_KEY", "key_file: abc", `unknown word "key_file" in a model`},
	{"policies", "models:", "policies: {rules: a}\nmodels:", `unknown word "policies" in a file of models`},
	{"a dialect that has no conversations", "provider: openai", "provider: gemini", `unknown word "gemini" in provider`},
	{"no engine", `    engine: {name: vllm, version: "0.12", batch: "1"}`, "", "needs engine and lineage"},
	{"half an engine", `, batch: "1"}`, "}", `engine needs "batch"`},
	{"no lineage", "    lineage: {method: none, quantisation: q4}", "", "needs engine and lineage"},
	{"a lineage without a method", "method: none, ", "", `lineage needs "method"`},
	{"another method", "method: none", "method: magic", `unknown word "magic" in method`},
	{"a base of what was not derived", "method: none,", "method: none, base: x,", "has no base"},
	{"no base", ", base: stock", "", `lineage needs "base"`},
	{"no rank", ", rank: 4", "", "rank stands beside the method rank-k"},
	{"a rank too many", "method: none", "method: none, rank: 1", "rank stands beside the method rank-k"},
	{"an encoding", "encoding: text", "encoding: xml", `unknown word "xml" in encoding`},
	{"a seed", "encoding: text", "seed: 5", "expected a word"},
	{"a top-p", "top_p: 0.95", "top_p: 1.5", "a number from 0 to 1"},
	{"a fine temperature", "temperature: 0.7", "temperature: 0.0005", "more than three decimals"},
	{"too long", "deadline: 5m", "deadline: 2h", "longer than an answer may take"},
	{"no limit", "    limit: {tries: 10, tokens: 1000}\n", "", `needs "limit"`},
}

// TestProblems: each is refused, in the name of the file.
func TestProblems(t *testing.T) {
	for _, tt := range problems {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if _, err := adapter.Parse("models.yaml", []byte(text)); text == good || err == nil || !strings.Contains(err.Error(), tt.says) || !strings.HasPrefix(err.Error(), "models.yaml:") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// FuzzParse: what is read can be asked within limits, and says of itself what a trace
// needs.
func FuzzParse(f *testing.F) {
	f.Add(good)
	for _, tt := range problems {
		f.Add(strings.Replace(good, tt.old, tt.new, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := adapter.Parse("models.yaml", []byte(text))
		if err != nil && len(all) > 0 {
			t.Error("a file with a mistake is read all the same")
		}
		for name, c := range all {
			e := c.Engine
			if c.Name != name || c.Client.Limit.Tries <= 0 || c.Client.TryTime <= 0 || c.Client.TryTime > time.Hour || e.Name == "" || e.Version == "" || e.Batch == "" ||
				c.Lineage.Method == "" || c.Lineage.Quantisation == "" || c.Encoding != model.Native && c.Encoding != model.Text {
				t.Errorf("%s: %+v", name, c)
			}
			if e.Adapter == "anthropic" && e.SamplerSeed != trace.Unsupported || e.Adapter != "anthropic" && e.Adapter != "openai" {
				t.Errorf("%s: %+v", name, e)
			}
		}
	})
}
