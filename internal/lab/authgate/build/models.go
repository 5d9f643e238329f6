package build

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/llm"
)

// Settings are what a model is asked with, beside the question.
type Settings struct {
	Temperature *float64 // nil: the provider's own
	MaxTokens   int      // of one answer
	Priced      bool     // does the configuration have a price, so that a cost is known
}

// Params are the settings that make an answer another one, as a plan has them.
func (s Settings) Params() map[string]string {
	params := map[string]string{"max_tokens": strconv.Itoa(s.MaxTokens)}
	if s.Temperature != nil {
		params["temperature"] = strconv.FormatFloat(*s.Temperature, 'f', -1, 64)
	}
	return params
}

// question puts a call. It has no schema: an answer that is no JSON is for the
// validators, and to be repaired.
func (s Settings) question(c Call) llm.Question {
	return llm.Question{System: c.System, User: c.User, MaxTokens: s.MaxTokens, Temperature: s.Temperature, Epoch: epoch, Round: c.Round}
}

// read says what came of a question. A refusal is an answer, and so is one that was
// cut off or empty; what the network or the server lost is none.
func (s Settings) read(a llm.Answer, err error, origin Origin) (Answer, error) {
	if a.Scripted {
		origin = Scripted
	}
	said := Answer{
		Text: a.Text, Model: a.Model, Origin: origin, Latency: a.Took.Milliseconds(), Retries: max(0, a.Tries-1),
		Tokens: Tokens{a.Usage.Input + a.Usage.Written, a.Usage.Cached, a.Usage.Output},
	}
	if s.Priced {
		said.Cost = strings.TrimPrefix(a.Cost.String(), "$")
	}
	f, failed := errors.AsType[*llm.Failure](err)
	if !failed {
		return said, err
	}
	switch f.Code {
	case llm.Malformed:
		if a.Model == "" { // no answer of a model at all
			return Answer{}, &LostError{string(f.Code), said.Cost}
		}
		fallthrough
	case llm.Refusal, llm.Filter, llm.Length:
		said.Refused = string(f.Code)
		return said, nil
	case llm.Timeout, llm.Transport, llm.Rate, llm.Server:
		return Answer{}, &LostError{string(f.Code), said.Cost}
	}
	return Answer{}, err
}

// LiveModel is a [Generator] that asks a model through its API.
type LiveModel struct {
	Client *llm.Client // which tries again by itself
	Settings
}

// Ask puts one call to the model.
func (l LiveModel) Ask(ctx context.Context, c Call) (Answer, error) {
	a, err := l.Client.Ask(ctx, l.question(c))
	if ctx.Err() != nil { // whatever it says, the run ends
		return Answer{}, ctx.Err()
	}
	return l.read(a, err, Live)
}
