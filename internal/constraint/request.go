package constraint

import (
	"strings"
	"unicode"

	"github.com/licet-dev/licet/internal/toolcall"
)

// mentions is the only member of $request.
const mentions = "mentions"

// requestCondition is `$request`: some user turn of the session contains one of
// the phrases as whole tokens. Where no user turns are known it permits nothing
// and forbids.
type requestCondition struct {
	phrases []string // sorted, each once
	spec    toolcall.Value
}

func newRequestCondition(spec toolcall.Value) (*requestCondition, *SpecError) {
	if spec.Kind() != toolcall.Object || spec.Len() == 0 {
		return nil, refuse(`expected {mentions: [pay, "send money"]}, got %s`, describe(spec))
	}
	for i := range spec.Len() {
		if word, _ := spec.Member(i); word != mentions {
			return nil, unknown("member", word, mentions).under(member(word))
		}
	}
	list := spec.Get(mentions)
	if list.Kind() != toolcall.Array || list.Len() == 0 {
		return nil, refuse("expected a list of words and phrases, got %s", describe(list)).under(member(mentions))
	}
	var values []toolcall.Value
	for i := range list.Len() {
		phrase := list.Elem(i)
		if !strings.ContainsFunc(phrase.Text(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return nil, refuse("expected a word or phrase, got %s", cut(phrase.Canonical())).under(member(mentions) + element(i))
		}
		values = append(values, phrase)
	}
	c := &requestCondition{spec: toolcall.ArrayOf(sorted(values)...)}
	for i := range c.spec.Len() {
		c.phrases = append(c.phrases, c.spec.Elem(i).Text())
	}
	return c, nil
}

func (c *requestCondition) key() string { return "mentioned " + c.spec.Canonical() }

func (c *requestCondition) Permits(_ toolcall.Value, a Answers) (bool, Miss, error) {
	switch mentioned, known := a.Mentioned[c.key()]; {
	case !known:
		return false, missing(requestWord, "no user turns are known"), nil
	case !mentioned:
		return false, missing(requestWord, "no user turn mentions "+strings.Join(c.phrases, ", ")), nil
	}
	return true, Miss{}, nil
}

func (c *requestCondition) Forbids(_ toolcall.Value, a Answers) (bool, Miss, error) {
	switch mentioned, known := a.Mentioned[c.key()]; {
	case !known:
		return true, missing(requestWord, "no user turns are known"), nil
	case mentioned:
		return true, missing(requestWord, "a user turn mentions "+strings.Join(c.phrases, " or ")), nil
	}
	return false, Miss{}, nil
}

func (c *requestCondition) Questions(toolcall.Value) []Question {
	return []Question{{Key: c.key(), Mention: &MentionQuestion{Phrases: c.phrases}}}
}

func (c *requestCondition) NeverUsable() error { return nil }
func (c *requestCondition) Watches() []Watch   { return nil }

func (c *requestCondition) Canonical() toolcall.Value {
	return toolcall.ObjectOf(toolcall.Member{Name: mentions, Value: c.spec})
}
