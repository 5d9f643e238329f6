package models

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/llm"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// FileName is the file's name in a state directory.
const FileName = "models.yaml"

// MaxDeadline is the longest that an opinion may take.
const MaxDeadline = 2 * time.Minute

// File is what a file of models says.
type File struct {
	Models   map[string]Model
	Policies map[string]string // by the name of a policy: a file of the operator's own text for it
}

// Model is one model at one server.
type Model struct {
	Config      llm.Config // without its key
	KeyEnv      string     // the environment variable with the key
	KeyFile     string     // or the file; both "" = none
	Temperature *float64   // nil = the provider's own
	MaxTokens   int        // of one answer; 0 = what package model takes
	Alternate   string     // the name of the model that is asked where this one refuses; "" = none
}

// The words of the file.
var (
	limitWords  = yamlwalk.Words{Place: "limit", Known: []string{"tries", "tokens", "cost"}}
	priceWords  = yamlwalk.Words{Place: "price", Known: []string{"input", "cached", "written", "output"}}
	policyWords = yamlwalk.Words{Place: "policies", Known: []string{"rules", "implicit"}}
	formWords   = yamlwalk.Words{Place: "form", Known: []string{string(llm.BySchema), string(llm.ByTool), string(llm.ByPrompt)}}
)

// Kind is a kind of file of models: what it may say. Programs that ask models for
// something else than an opinion have words of their own beside some of these.
type Kind struct {
	Providers []llm.Provider
	Policies  bool          // may it name policies
	Words     []string      // of a model
	Longest   time.Duration // that an answer may take

	// Own reads the words that are none of this package's, of the model of a name.
	Own func(r *yamlwalk.Reader, model, word string, value *yamlwalk.Node)
}

// judges is the kind that this package is about.
var judges = Kind{
	Providers: llm.Providers(), Policies: true, Longest: MaxDeadline,
	Words: []string{"provider", "endpoint", "model", "reports", "form", "context",
		"key_env", "key_file", "deadline", "try", "tries", "max_output", "temperature", "limit", "price", "alternate", "test_header"},
}

// Parse reads a file of judges. name stands for it in problems; the error is
// [yamlwalk.Problems].
func Parse(name string, text []byte) (File, error) { return judges.Parse(name, text) }

// Parse reads a file of a kind.
func (k Kind) Parse(name string, text []byte) (File, error) {
	p := &parser{Reader: yamlwalk.Reader{File: name, What: "file of models"}, kind: k}
	p.fileWords = yamlwalk.Words{Place: "a file of models", Known: []string{"models"}}
	if k.Policies {
		p.fileWords.Known = append(p.fileWords.Known, "policies")
	}
	p.modelWords = yamlwalk.Words{Place: "a model", Known: k.Words}
	p.providerWords = yamlwalk.Words{Place: "provider"}
	for _, known := range k.Providers {
		p.providerWords.Known = append(p.providerWords.Known, string(known))
	}
	f := File{Models: map[string]Model{}, Policies: map[string]string{}}
	if root := p.Reader.Parse(text); root != nil && p.Mapping(root, p.fileWords) {
		p.file(&f, root)
	}
	if len(p.Problems) > 0 {
		return File{}, p.Problems.Sorted()
	}
	return f, nil
}

type parser struct {
	yamlwalk.Reader
	kind                                 Kind
	fileWords, modelWords, providerWords yamlwalk.Words
}

func (p *parser) file(f *File, root *yamlwalk.Node) {
	list := p.Need(root, "models", p.fileWords)
	if p.Is(list, toolcall.Object, "models by name") {
		for _, m := range list.Members {
			name := p.Name(m.Key, "name of a judge")
			f.Models[name] = p.model(name, m.Value)
		}
		for _, m := range list.Members {
			to := m.Value.Get("alternate")
			if to == nil || to.Broken {
				continue
			}
			if other, known := f.Models[to.Text]; !known || to.Text == m.Key.Text || other.Alternate != "" {
				p.Report(to, "", "%q is no other model of this file that has no alternate itself", to.Text)
			}
		}
	}
	if n := root.Get("policies"); n != nil && p.Mapping(n, policyWords) {
		for _, m := range n.Members {
			f.Policies[m.Key.Text] = p.text(m.Value)
		}
	}
}

func (p *parser) model(name string, n *yamlwalk.Node) Model {
	zero := 0.0
	m := Model{Temperature: &zero}
	if !p.Mapping(n, p.modelWords) {
		return m
	}
	m.Config.Provider = llm.Provider(p.word(p.Need(n, "provider", p.modelWords), p.providerWords))
	m.Config.Endpoint = p.text(p.Need(n, "endpoint", p.modelWords))
	m.Config.Model = p.text(p.Need(n, "model", p.modelWords))
	m.Config.Limit = p.limit(p.Need(n, "limit", p.modelWords))
	for _, member := range n.Members {
		p.member(&m, name, member.Key.Text, member.Value)
	}
	if env, file := n.Get("key_env"), n.Get("key_file"); env != nil && file != nil {
		p.Report(file, "", "a key comes from one place, the environment or a file")
	}
	if m.Config.Price != (llm.Price{}) && m.Config.Limit.Cost == 0 {
		p.Report(n.Get("price"), "add cost to limit", "with a price nothing may be spent unless limit has a cost")
	}
	return m
}

// member reads what may be left out, and what only this kind of file has.
func (p *parser) member(m *Model, name, word string, n *yamlwalk.Node) {
	switch word {
	case "provider", "endpoint", "model", "limit": // what must be there
	case "reports":
		m.Config.Reports = p.text(n)
	case "form":
		m.Config.Form = llm.Form(p.word(n, formWords))
	case "context":
		m.Config.Context = int(p.Count(n, "a number of tokens", 100_000_000))
	case "key_env":
		m.KeyEnv = p.text(n)
	case "key_file":
		m.KeyFile = p.text(n)
	case "deadline":
		m.Config.Deadline = p.duration(n)
	case "try":
		m.Config.TryTime = p.duration(n)
	case "tries":
		m.Config.Tries = int(p.Count(n, "a number of tries", 10))
	case "max_output":
		m.MaxTokens = int(p.Count(n, "a number of tokens", 1_000_000))
	case "temperature":
		m.Temperature = Sampling(&p.Reader, n, 2)
	case "price":
		m.Config.Price = p.price(n)
	case "alternate":
		m.Alternate = p.text(n)
	case "test_header":
		m.Config.TestHeader = p.text(n)
	default:
		if slices.Contains(p.kind.Words, word) {
			p.kind.Own(&p.Reader, name, word, n)
		}
	}
}

// Sampling reads a setting of a sampler: a number from 0 to most, or the word for
// leaving it out, which is nil.
func Sampling(r *yamlwalk.Reader, n *yamlwalk.Node, most int64) *float64 {
	if n.Kind == toolcall.String && n.Text == "own" {
		return nil
	}
	number, ok := ratio(n)
	if !ok || number.Sign() < 0 || number.Cmp(big.NewRat(most, 1)) > 0 {
		r.Report(n, "", `expected a number from 0 to %d, or own for the provider's own, found %s`, most, n.Describe())
		return nil
	}
	t, _ := number.Float64()
	return &t
}

func (p *parser) limit(n *yamlwalk.Node) (l llm.Limit) {
	if !p.Mapping(n, limitWords) {
		return l
	}
	l.Tries = p.Count(p.Need(n, "tries", limitWords), "a number of requests", 1<<40)
	l.Tokens = p.Count(p.Need(n, "tokens", limitWords), "a number of tokens", 1<<50)
	if c := n.Get("cost"); c != nil {
		l.Cost = llm.Cost(p.dollars(c, 1_000_000_000_000))
	}
	return l
}

// price reads dollars for a million tokens.
func (p *parser) price(n *yamlwalk.Node) (price llm.Price) {
	if !p.Mapping(n, priceWords) {
		return price
	}
	to := map[string]*int64{"input": &price.Input, "cached": &price.Cached, "written": &price.Written, "output": &price.Output}
	for _, m := range n.Members {
		if at := to[m.Key.Text]; at != nil {
			*at = p.dollars(m.Value, 1_000_000)
		}
	}
	return price
}

// maxDollars is more than any price or limit.
const maxDollars = 1_000_000

// dollars reads an amount in parts of a dollar.
func (p *parser) dollars(n *yamlwalk.Node, parts int64) int64 {
	if !p.Is(n, toolcall.Number, "a number of dollars") {
		return 0
	}
	amount, ok := ratio(n)
	if !ok || amount.Sign() < 0 || amount.Cmp(big.NewRat(maxDollars, 1)) > 0 {
		p.Report(n, "", "expected dollars from 0 to %d, found %s", maxDollars, n.Text)
		return 0
	}
	amount.Mul(amount, big.NewRat(parts, 1))
	if !amount.IsInt() {
		p.Report(n, "", "%s is finer than the smallest part that is counted", n.Text)
		return 0
	}
	return amount.Num().Int64()
}

// ratio returns a number, exactly.
func ratio(n *yamlwalk.Node) (*big.Rat, bool) {
	d, err := toolcall.ParseDecimal(n.Text) // bounds its digits
	if n.Kind != toolcall.Number || err != nil {
		return nil, false
	}
	return new(big.Rat).SetString(d.String())
}

func (p *parser) duration(n *yamlwalk.Node) time.Duration {
	d := p.Duration(n)
	if d > p.kind.Longest {
		p.Report(n, "", "longer than an answer may take, %v", p.kind.Longest)
	}
	return d
}

// text reads a text that says something.
func (p *parser) text(n *yamlwalk.Node) string {
	if p.Is(n, toolcall.String, "a text") && n.Text == "" {
		p.Report(n, "leave it out", "an empty text")
	}
	return n.Text
}

func (p *parser) word(n *yamlwalk.Node, w yamlwalk.Words) string {
	if p.Is(n, toolcall.String, "a word") {
		p.Word(n, w)
	}
	return n.Text
}

// Of returns the model of a name, or says which names there are.
func (f File) Of(name string) (Model, error) {
	m, ok := f.Models[name]
	if !ok {
		return Model{}, fmt.Errorf("the file of models has no %q: it has %s", name, cmp.Or(strings.Join(slices.Sorted(maps.Keys(f.Models)), ", "), "none"))
	}
	return m, nil
}
