package adapter

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/judge/models"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Config is a model of the file: whom to ask and how, and what a trace says of it.
type Config struct {
	Name   string
	Client llm.Config // without its key
	KeyEnv string     // the environment variable with the key; "" = none

	Temperature, TopP *float64 // nil = the server's own
	Encoding          string   // one of package model
	Engine            trace.Engine
	Lineage           trace.Lineage
}

// What a turn may take unless the file says otherwise. A model on a small machine
// writes a few tokens a second.
const (
	turnTime = 10 * time.Minute
	tryTime  = 5 * time.Minute
	longest  = time.Hour
)

// tries of a turn: one, and three more where it may help (specification, section 14).
const tries = 4

// The words of the file beside those of package models.
var (
	engineWords   = yamlwalk.Words{Place: "engine", Known: []string{"name", "version", "batch"}}
	lineageWords  = yamlwalk.Words{Place: "lineage", Known: []string{"method", "rank", "base", "quantisation"}}
	methodWords   = yamlwalk.Words{Place: "method", Known: []string{"projection", "rank-k", "LoRA", "merge", "none", "unknown"}}
	encodingWords = yamlwalk.Words{Place: "encoding", Known: []string{model.Native, model.Text}}
	seedWords     = yamlwalk.Words{Place: "seed", Known: []string{"cell", trace.Unsupported.String()}}
)

// Parse reads a file of models. name stands for it in problems.
func Parse(name string, text []byte) (map[string]Config, error) {
	own := map[string]*Config{}
	kind := models.Kind{
		Providers: []llm.Provider{llm.OpenAI, llm.Anthropic}, Longest: longest,
		Words: []string{"provider", "endpoint", "model", "reports", "context", "key_env", "deadline", "try", "temperature", "limit", "price",
			"top_p", "seed", "encoding", "engine", "lineage"},
		Own: func(r *yamlwalk.Reader, name, word string, n *yamlwalk.Node) {
			if own[name] == nil {
				own[name] = &Config{Encoding: model.Native}
			}
			own[name].member(r, word, n)
		},
	}
	file, err := kind.Parse(name, text)
	if err != nil {
		return nil, err
	}
	all := map[string]Config{}
	for _, m := range slices.Sorted(maps.Keys(file.Models)) {
		c := own[m]
		if c == nil || c.Engine.Name == "" || c.Lineage.Method == "" {
			return nil, fmt.Errorf("%s: the model %s needs engine and lineage: a trace says what served it, and what it was made from", name, m)
		}
		c.Name = m
		if err := c.complete(file.Models[m]); err != nil {
			return nil, fmt.Errorf("%s: the model %s: %w", name, m, err)
		}
		all[m] = *c
	}
	return all, nil
}

// member reads a word of the bench.
func (c *Config) member(r *yamlwalk.Reader, word string, n *yamlwalk.Node) {
	switch word {
	case "top_p":
		c.TopP = models.Sampling(r, n, 1)
	case "seed":
		if wordOf(r, n, seedWords) == trace.Unsupported.String() {
			c.Engine.SamplerSeed = trace.Unsupported
		}
	case "encoding":
		c.Encoding = wordOf(r, n, encodingWords)
	case "engine":
		if r.Mapping(n, engineWords) {
			c.Engine.Name = textOf(r, r.Need(n, "name", engineWords))
			c.Engine.Version = textOf(r, r.Need(n, "version", engineWords))
			c.Engine.Batch = textOf(r, r.Need(n, "batch", engineWords))
		}
	case "lineage":
		c.lineage(r, n)
	}
}

// lineage reads what a model was made from. The base is the name of a model of the
// file, where that is run, too: the two are a pair then.
func (c *Config) lineage(r *yamlwalk.Reader, n *yamlwalk.Node) {
	if !r.Mapping(n, lineageWords) {
		return
	}
	c.Lineage.Method = wordOf(r, r.Need(n, "method", lineageWords), methodWords)
	c.Lineage.Quantisation = textOf(r, r.Need(n, "quantisation", lineageWords))
	base, rank := n.Get("base"), n.Get("rank")
	switch {
	case base != nil && c.Lineage.Method == "none":
		r.Report(base, "", "a model that was not derived has no base")
	case base == nil && c.Lineage.Method != "none" && c.Lineage.Method != "unknown":
		r.Report(n, "", `lineage needs "base" beside the method %s`, c.Lineage.Method)
	case base != nil:
		c.Lineage.Base = textOf(r, base)
	}
	switch {
	case (rank != nil) != (c.Lineage.Method == "rank-k"):
		r.Report(n, "", "rank stands beside the method rank-k, and only there")
	case rank != nil:
		c.Lineage.Rank = int(r.Count(rank, "a number of directions", 1_000_000))
	}
}

func wordOf(r *yamlwalk.Reader, n *yamlwalk.Node, w yamlwalk.Words) string {
	if r.Is(n, toolcall.String, "a word") {
		r.Word(n, w)
	}
	return n.Text
}

func textOf(r *yamlwalk.Reader, n *yamlwalk.Node) string {
	if r.Is(n, toolcall.String, "a text") && n.Text == "" {
		r.Report(n, "write unknown where it is not known", "an empty text")
	}
	return n.Text
}

// complete takes what package models read.
func (c *Config) complete(m models.Model) error {
	c.Client, c.KeyEnv, c.Temperature = m.Config, m.KeyEnv, m.Temperature
	c.Client.Tries = tries
	if c.Client.Deadline == 0 {
		c.Client.Deadline = turnTime
	}
	if c.Client.TryTime == 0 {
		c.Client.TryTime = min(tryTime, c.Client.Deadline)
	}
	c.Engine.Adapter = string(c.Client.Provider)
	if c.Client.Provider == llm.Anthropic {
		c.Engine.SamplerSeed = trace.Unsupported
	}
	var err error
	if c.Engine.TemperatureMilli, err = milli(c.Temperature); err != nil {
		return fmt.Errorf("temperature: %w", err)
	}
	if c.Engine.TopPMilli, err = milli(c.TopP); err != nil {
		return fmt.Errorf("top_p: %w", err)
	}
	return nil
}

// milli returns a setting in thousandths, as a trace has it.
func milli(x *float64) (trace.Setting, error) {
	if x == nil {
		return trace.Own, nil
	}
	n := math.Round(*x * 1000)
	if math.Abs(*x*1000-n) > 1e-6 {
		return 0, fmt.Errorf("%v has more than three decimals", *x)
	}
	return trace.Setting(n), nil
}
