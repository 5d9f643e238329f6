package fakellm

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Script says what a server answers.
type Script struct {
	Server     string // whose pages beside the API it has: openai, ollama, vllm or llama.cpp
	Context    int    // tokens that those pages name; 0: they name none
	Key        string // a request with another gets 401; "": any is taken
	JSONSchema bool   // does it take response_format
	Usage      bool   // does it say how many tokens an answer took
	Rules      []Rule // the first that matches answers
}

// Rule is one rule. All conditions must hold; those left out hold always.
type Rule struct {
	Line    int // in the script
	Match   *regexp.Regexp
	Digest  string // of the call that is judged
	Header  string // of X-Licet-Test
	Dialect string
	Try     int // of one question, from 1
	Epoch   int // from 1
	Turn    int // of a conversation, from 1

	Text       string   // what is answered
	Calls      []call   // of tools, beside the text
	Drift      []string // the same, by epoch, over and over; nil: Text
	Fault      string   // what goes wrong, "" nothing
	Latency    time.Duration
	RetryAfter int    // seconds; 0: not said
	Model      string // the reported name; "": the one asked for
}

// The words of scripts.
var (
	scriptWords = yamlwalk.Words{Place: "a script", Known: []string{"server", "context", "key", "json_schema", "usage", "rules"}}
	ruleWords   = yamlwalk.Words{Place: "a rule", Known: []string{"when", "verdict", "text", "calls", "drift", "fault", "latency_ms", "retry_after", "model"}}
	whenWords   = yamlwalk.Words{Place: "when", Known: []string{"match", "digest", "header", "dialect", "try", "epoch", "turn"}}
	serverWords = yamlwalk.Words{Place: "server", Known: []string{"openai", "ollama", "vllm", "llama.cpp"}}
	faultWords  = yamlwalk.Words{Place: "fault", Known: faultNames()}
	callWords   = yamlwalk.Words{Place: "a call", Known: []string{"name", "arguments"}}
	dialectName = yamlwalk.Words{Place: "dialect", Known: []string{"openai", "openai-responses", "anthropic", "gemini"}}
)

// call is a call of a tool.
type call struct{ name, arguments string }

// allow is the verdict of a fault that needs one and has none.
const allow = `{"decision":"allow"}`

// Parse reads a script. name stands for it in problems; the error is
// [yamlwalk.Problems].
func Parse(name string, text []byte) (*Script, error) {
	p := &parser{yamlwalk.Reader{File: name, What: "script"}}
	s := &Script{Server: "openai", JSONSchema: true, Usage: true}
	if root := p.Reader.Parse(text); root != nil && p.Mapping(root, scriptWords) {
		p.script(s, root)
	}
	if len(p.Problems) > 0 {
		return nil, p.Problems.Sorted()
	}
	return s, nil
}

type parser struct{ yamlwalk.Reader }

func (p *parser) script(s *Script, root *yamlwalk.Node) {
	for _, m := range root.Members {
		switch m.Key.Text {
		case "server":
			s.Server = p.word(m.Value, serverWords)
		case "context":
			s.Context = p.number(m.Value, "a number of tokens", 100_000_000)
		case "key":
			s.Key = p.text(m.Value)
		case "json_schema":
			s.JSONSchema = p.yes(m.Value)
		case "usage":
			s.Usage = p.yes(m.Value)
		}
	}
	if list := p.Need(root, "rules", scriptWords); p.Is(list, toolcall.Array, "a list of rules") {
		for _, n := range p.Elements(list, "rules") {
			s.Rules = append(s.Rules, p.rule(n))
		}
	}
}

// together are ways to answer that may stand beside one another: a fault does its work
// on what is beside it, and a model may write and call.
var together = [][]string{{"fault", "verdict"}, {"calls", "fault"}, {"calls", "text"}}

// rule reads one rule: conditions, and the ways to answer.
func (p *parser) rule(n *yamlwalk.Node) Rule {
	r := Rule{Line: n.Line, Text: allow}
	if !p.Mapping(n, ruleWords) {
		return r
	}
	var ways []string
	for _, m := range n.Members {
		switch m.Key.Text {
		case "when":
			p.when(&r, m.Value)
			continue
		case "verdict":
			r.Text = p.json(m.Value)
		case "text":
			r.Text = p.text(m.Value)
		case "calls":
			r.Calls = p.calls(m.Value)
			if n.Get("text") == nil {
				r.Text = ""
			}
		case "drift":
			r.Drift = p.drift(m.Value)
		case "fault":
			r.Fault = p.word(m.Value, faultWords)
		case "latency_ms":
			r.Latency = time.Duration(p.number(m.Value, "milliseconds", 3_600_000)) * time.Millisecond
			continue
		case "retry_after":
			r.RetryAfter = p.number(m.Value, "seconds", 86400)
			continue
		case "model":
			r.Model = p.text(m.Value)
			continue
		}
		ways = append(ways, m.Key.Text)
	}
	slices.Sort(ways)
	switch {
	case len(ways) == 0:
		p.Report(n, "", "a rule answers with one of verdict, text, drift or fault")
	case len(ways) > 1 && !slices.ContainsFunc(together, func(set []string) bool { return slices.Equal(ways, set) }):
		p.Report(n, "only a verdict or calls may stand beside a fault, and calls beside a text", "a rule answers in one way, and this one has %s", yamlwalk.OneOf(ways))
	}
	if answer, known := faults[r.Fault]; r.RetryAfter > 0 && (!known || answer.status < 400) {
		p.Report(n, "", "retry_after stands beside a fault with an error status only")
	}
	return r
}

func (p *parser) when(r *Rule, n *yamlwalk.Node) {
	if !p.Mapping(n, whenWords) {
		return
	}
	for _, m := range n.Members {
		switch m.Key.Text {
		case "match":
			r.Match = p.pattern(m.Value)
		case "digest":
			r.Digest = p.text(m.Value)
			if !digestForm.MatchString(r.Digest) {
				p.Report(m.Value, "the server's log has it as call", "expected 64 digits 0-9a-f, found %s", m.Value.Describe())
			}
		case "header":
			r.Header = p.text(m.Value)
		case "dialect":
			r.Dialect = p.word(m.Value, dialectName)
		case "try":
			r.Try = p.number(m.Value, "the number of a try", 1000)
		case "epoch":
			r.Epoch = p.number(m.Value, "the number of an epoch", 1_000_000)
		case "turn":
			r.Turn = p.number(m.Value, "the number of a turn", 1000)
		}
	}
}

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// calls reads calls of tools. Arguments are a mapping, or a text for those that are no
// object.
func (p *parser) calls(n *yamlwalk.Node) []call {
	if !p.Is(n, toolcall.Array, "a list of calls") {
		return nil
	}
	var list []call
	for _, item := range p.Elements(n, "calls") {
		if !p.Mapping(item, callWords) {
			continue
		}
		c := call{name: p.text(p.Need(item, "name", callWords))}
		arguments := p.Need(item, "arguments", callWords)
		if arguments.Kind == toolcall.String {
			c.arguments = arguments.Text
		} else if p.Is(arguments, toolcall.Object, "arguments as a mapping or a text") {
			c.arguments = p.json(arguments)
		}
		list = append(list, c)
	}
	return list
}

func (p *parser) drift(n *yamlwalk.Node) []string {
	if !p.Is(n, toolcall.Array, "a list of verdicts, one for each epoch") {
		return nil
	}
	var list []string
	for _, item := range p.Elements(n, "drift") {
		list = append(list, p.json(item))
	}
	return list
}

// text reads a text that says something.
func (p *parser) text(n *yamlwalk.Node) string {
	if p.Is(n, toolcall.String, "a text") && n.Text == "" {
		p.Report(n, "leave it out", "an empty text")
	}
	return n.Text
}

func (p *parser) pattern(n *yamlwalk.Node) *regexp.Regexp {
	pattern, err := regexp.Compile(p.text(n))
	if wrong := (*syntax.Error)(nil); errors.As(err, &wrong) {
		p.Report(n, "", "not a pattern: %s in %q", wrong.Code, wrong.Expr)
	}
	return pattern
}

func (p *parser) word(n *yamlwalk.Node, w yamlwalk.Words) string {
	if p.Is(n, toolcall.String, "a word") {
		p.Word(n, w)
	}
	return n.Text
}

func (p *parser) yes(n *yamlwalk.Node) bool {
	return p.Is(n, toolcall.Bool, "true or false") && n.Text == "true"
}

func (p *parser) number(n *yamlwalk.Node, what string, most int64) int {
	return int(p.Count(n, what, most))
}

// json reads a mapping and returns it as JSON.
func (p *parser) json(n *yamlwalk.Node) string {
	if !p.Is(n, toolcall.Object, "a verdict as a mapping") {
		return ""
	}
	v, ok := p.Value(n)
	if !ok {
		return ""
	}
	return v.Canonical()
}
