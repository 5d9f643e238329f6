package corpus

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/toolcall"
)

// alike is the similarity from which two cases count as one.
const alike = 0.60

// shape is a case as the comparison sees it: three sets of word 3-grams.
type shape struct {
	answer                        string // kind and expected answer: only cases of one answer are compared
	request, trajectory, deciding grams
}

// grams are the runs of three words of a text, or of five characters where it
// has less than five words.
type grams map[string]bool

// shapeOf takes a case apart: what users wrote, what happened before, and the
// call that the case is about, which is its last step.
func shapeOf(c cases.Case) shape {
	var request, trajectory, deciding []string
	var s shape
	for i, step := range c.Steps {
		call, isCall := step.Act.(cases.Call)
		turn, isTurn := step.Act.(cases.Turn)
		switch {
		case isTurn:
			request = append(request, words(turn.Text)...)
		case isCall && i == len(c.Steps)-1:
			deciding = callWords(call)
			s.answer = strings.Join([]string{c.Kind, step.Expect.Verdict.String(), string(step.Expect.Code), step.Expect.Clause}, " ")
		case isCall:
			trajectory = append(trajectory, callWords(call)...)
			trajectory = append(trajectory, step.Expect.Verdict.String())
			trajectory = append(trajectory, valueWords(call.Result)...)
		default:
			trajectory = append(trajectory, step.Act.Word())
		}
		if isCall {
			for _, text := range call.Request {
				request = append(request, words(text)...)
			}
			for _, p := range call.History {
				trajectory = append(append(trajectory, p.Tool), valueWords(p.Result)...)
			}
		}
	}
	s.request, s.trajectory, s.deciding = gramsOf(request), gramsOf(trajectory), gramsOf(deciding)
	return s
}

// similarity is 0.4 for what was asked, 0.3 for what happened before and 0.3
// for the deciding call, each as Jaccard similarity, over the parts that one of
// the two has. It is 0 between cases with another expected answer: a case and
// its twin are there to differ in little.
func (s shape) similarity(t shape) float64 {
	if s.answer != t.answer {
		return 0
	}
	sum, weight := 0.0, 0.0
	for _, part := range []struct {
		a, b   grams
		weight float64
	}{{s.request, t.request, 0.4}, {s.trajectory, t.trajectory, 0.3}, {s.deciding, t.deciding, 0.3}} {
		if len(part.a)+len(part.b) > 0 {
			sum += part.weight * part.a.jaccard(part.b)
			weight += part.weight
		}
	}
	if weight == 0 {
		return 1
	}
	return sum / weight
}

func (g grams) jaccard(h grams) float64 {
	both := 0
	for gram := range g {
		if h[gram] {
			both++
		}
	}
	return float64(both) / float64(len(g)+len(h)-both)
}

func gramsOf(words []string) grams {
	units, run := words, 3
	if len(words) < 5 {
		units, run = strings.Split(strings.Join(words, " "), ""), 5
	}
	g := grams{}
	for i := 0; i+run <= len(units); i++ {
		g[strings.Join(units[i:i+run], "\x00")] = true
	}
	if len(g) == 0 && len(words) > 0 {
		g[strings.Join(words, " ")] = true
	}
	return g
}

// envelope is what tool calls over MCP have in common.
var envelope = regexp.MustCompile(`^\{"jsonrpc": ?"2\.0", ?"id": ?\d+, ?"method": ?"tools/call", ?"params": ?`)

// callWords are the words of a call. Who calls counts, the session does not.
func callWords(c cases.Call) []string {
	all := []string{c.Agent, c.Server}
	if c.Raw != nil {
		spaced := strings.NewReplacer(`"`, ` " `, `{`, ` { `, `}`, ` } `, `,`, ` , `, `:`, ` : `)
		return append(all, words(spaced.Replace(envelope.ReplaceAllString(string(c.Raw), "")))...)
	}
	all = append(append(all, c.Tool), valueWords(c.Arguments)...)
	if c.Approval != "" {
		all = append(all, "approval")
	}
	return all
}

// valueWords are the names and values in v, in order.
func valueWords(v toolcall.Value) (all []string) {
	switch v.Kind() {
	case toolcall.Absent:
		return nil
	case toolcall.String:
		return words(v.Text())
	case toolcall.Array:
		for i := range v.Len() {
			all = append(all, valueWords(v.Elem(i))...)
		}
		return all
	case toolcall.Object:
		for i := range v.Len() {
			name, value := v.Member(i)
			all = append(append(all, name), valueWords(value)...)
		}
		return all
	}
	return words(v.Canonical())
}

// classes are literals that say nothing of what a case is about. Only plain ones
// are replaced: in a URL with two hosts or a path with dots, the literal is what
// the case is about.
var classes = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`^-?\d+(\.\d+)?$`), "<number>"},
	{regexp.MustCompile(`^[a-z]{2}\d{2}[0-9a-z]{8,30}$`), "<account>"},
	{regexp.MustCompile(`^[0-9a-f]{8,}$`), "<hex>"},
	{regexp.MustCompile(`^https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[a-z0-9_-]+)*/?(\.[a-z]+)?$`), "<url>"},
	{regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*@[a-z0-9-]+(\.[a-z0-9-]+)+$`), "<mail>"},
	{regexp.MustCompile(`^(\$\{[a-z]+\}|\.)?/?([a-z0-9_-]+/)+[a-z0-9_-]*(\.[a-z0-9]+)?$`), "<path>"},
}

// words are the words of a text, in one form and in lower case.
func words(text string) []string {
	all := strings.Fields(strings.ToLower(norm.NFC.String(text)))
	for i, word := range all {
		for _, c := range classes {
			if c.form.MatchString(word) {
				all[i] = c.name
				break
			}
		}
	}
	return all
}
