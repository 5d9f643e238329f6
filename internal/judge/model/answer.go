package model

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of an answer.
const (
	maxSaw       = 12  // texts of action_effects
	maxSawText   = 120 // characters of each
	maxRationale = 280 // characters
	maxList      = 500 // elements of any other list, as many as a case has effects
)

// Members of an answer and of its spans.
var (
	answerKeys = []string{
		"action_effects", "authorizing_spans", "uncovered_effects", "authorization", "failure_mode",
		"risk", "signals_used", "confidence", "rationale", "decision",
	}
	spanKeys = []string{"turn", "quote", "effects"}
)

var risks = map[string]judge.Risk{"low": judge.Low, "medium": judge.Medium, "high": judge.High, "critical": judge.Critical}

const notOneObject = "not exactly one JSON object"

// Read reads the answer of a model: exactly one JSON object of the schema, and
// nothing before or after it. Else the opinion is none, for [judge.Malformed] or
// [judge.Schema], and its Rationale says in words of ours what is wrong.
func Read(answer string) judge.Opinion {
	v, err := toolcall.Parse([]byte(answer), toolcall.Bounds{})
	if err != nil || v.Kind() != toolcall.Object {
		return judge.None(judge.Malformed, notOneObject)
	}
	r := reader{}
	r.keys(v, answerKeys)
	o := judge.Opinion{
		Saw:           r.texts(v, "action_effects"),
		Spans:         r.spans(v.Get("authorizing_spans")),
		Uncovered:     r.texts(v, "uncovered_effects"),
		Authorization: judge.Authorization(r.word(v, "authorization", "explicit", "implied", "none", "contradicted")),
		FailureMode: judge.FailureMode(r.word(v, "failure_mode",
			"scope_escalation", "credential_exploration", "external_sharing", "guardrail_bypass", "inferred_parameters", "none")),
		Risk:       risks[r.word(v, "risk", "low", "medium", "high", "critical")],
		Signals:    r.texts(v, "signals_used"),
		Confidence: r.confidence(v.Get("confidence")),
		Rationale:  r.text(v, "rationale"),
		Verdict:    authz.OpinionBlock,
	}
	if r.word(v, "decision", "allow", "block") == "allow" {
		o.Verdict = authz.OpinionAllow
	}
	if n := len(o.Saw); n < 1 || n > maxSaw {
		r.wrong("action_effects has not 1 to 12 texts")
	}
	if slices.ContainsFunc(o.Saw, func(s string) bool { return utf8.RuneCountInString(s) > maxSawText }) {
		r.wrong("a text of action_effects has more than 120 characters")
	}
	if utf8.RuneCountInString(o.Rationale) > maxRationale {
		r.wrong("rationale has more than 280 characters")
	}
	if len(r.problems) > 0 {
		return judge.None(judge.Schema, strings.Join(r.problems, "; "))
	}
	return o
}

// reader takes an answer apart and collects what is wrong, in words that repeat
// nothing of it.
type reader struct{ problems []string }

func (r *reader) wrong(what string) {
	if !slices.Contains(r.problems, what) {
		r.problems = append(r.problems, what)
	}
}

// keys checks that an object has the members of a list and no others.
func (r *reader) keys(v toolcall.Value, keys []string) {
	for _, key := range keys {
		if v.Get(key).Kind() == toolcall.Absent {
			r.wrong(key + " is missing")
		}
	}
	if v.Len() > len(keys) {
		r.wrong("there is a member that the schema does not have")
	}
	for i := range v.Len() {
		if name, _ := v.Member(i); !slices.Contains(keys, name) {
			r.wrong("there is a member that the schema does not have")
		}
	}
}

func (r *reader) text(v toolcall.Value, key string) string {
	if m := v.Get(key); m.Kind() == toolcall.String {
		return m.Text()
	}
	r.wrong(key + " is no text")
	return ""
}

func (r *reader) word(v toolcall.Value, key string, words ...string) string {
	w := r.text(v, key)
	if !slices.Contains(words, w) {
		r.wrong(key + " is none of its words")
	}
	return w
}

func (r *reader) texts(v toolcall.Value, key string) (all []string) {
	list := v.Get(key)
	if list.Kind() != toolcall.Array {
		r.wrong(key + " is no list")
		return nil
	}
	if list.Len() > maxList {
		r.wrong(key + " is too long")
		return nil
	}
	for i := range list.Len() {
		if list.Elem(i).Kind() != toolcall.String {
			r.wrong(key + " has an element that is no text")
		}
		all = append(all, list.Elem(i).Text())
	}
	return all
}

func (r *reader) spans(list toolcall.Value) (all []judge.Span) {
	if list.Kind() != toolcall.Array {
		r.wrong("authorizing_spans is no list")
		return nil
	}
	if list.Len() > maxList {
		r.wrong("authorizing_spans is too long")
		return nil
	}
	for i := range list.Len() {
		s := list.Elem(i)
		if s.Kind() != toolcall.Object {
			r.wrong("authorizing_spans has an element that is no object")
			continue
		}
		r.keys(s, spanKeys)
		all = append(all, judge.Span{Turn: r.turn(s.Get("turn")), Quote: r.text(s, "quote"), Effects: r.texts(s, "effects")})
	}
	return all
}

// turn reads the number of a turn. One that no session can have is turn 0, which
// no user has either.
func (r *reader) turn(v toolcall.Value) int {
	if v.Kind() != toolcall.Number {
		r.wrong("turn is no number")
		return 0
	}
	n, whole := v.Number().Int64()
	switch {
	case !whole:
		r.wrong("turn is no whole number")
		return 0
	case n < 0 || n > 1<<30:
		return 0
	}
	return int(n)
}

func (r *reader) confidence(v toolcall.Value) string {
	if v.Kind() != toolcall.Number {
		r.wrong("confidence is no number")
		return ""
	}
	zero, one := number(0).Number(), number(1).Number()
	if n := v.Number(); n.Cmp(zero) < 0 || n.Cmp(one) > 0 {
		r.wrong("confidence is not between 0 and 1")
	}
	return v.Number().String()
}
