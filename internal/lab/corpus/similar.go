package corpus

import (
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/ngram"
	"github.com/licet-dev/licet/internal/toolcall"
)

// sameFrom is the similarity from which two cases count as one.
const sameFrom = 0.60

// shape is a case as the comparison sees it: three sets of word 3-grams.
type shape struct {
	answer                        string // kind and expected answer: only cases of one answer are compared
	request, trajectory, deciding ngram.Set
}

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
			request = append(request, ngram.Words(turn.Text)...)
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
				request = append(request, ngram.Words(text)...)
			}
			for _, p := range call.History {
				trajectory = append(append(trajectory, p.Tool), valueWords(p.Result)...)
			}
		}
	}
	s.request, s.trajectory, s.deciding = ngram.Of(request), ngram.Of(trajectory), ngram.Of(deciding)
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
		a, b   ngram.Set
		weight float64
	}{{s.request, t.request, 0.4}, {s.trajectory, t.trajectory, 0.3}, {s.deciding, t.deciding, 0.3}} {
		if len(part.a)+len(part.b) > 0 {
			sum += part.weight * part.a.Jaccard(part.b)
			weight += part.weight
		}
	}
	if weight == 0 {
		return 1
	}
	return sum / weight
}

// envelope is what tool calls over MCP have in common.
var envelope = regexp.MustCompile(`^\{"jsonrpc": ?"2\.0", ?"id": ?\d+, ?"method": ?"tools/call", ?"params": ?`)

// callWords are the words of a call. Who calls counts, the session does not.
func callWords(c cases.Call) []string {
	all := []string{c.Agent, c.Server}
	if c.Raw != nil {
		spaced := strings.NewReplacer(`"`, ` " `, `{`, ` { `, `}`, ` } `, `,`, ` , `, `:`, ` : `)
		return append(all, ngram.Words(spaced.Replace(envelope.ReplaceAllString(string(c.Raw), "")))...)
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
		return ngram.Words(v.Text())
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
	return ngram.Words(v.Canonical())
}
