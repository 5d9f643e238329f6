package adapter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
	"github.com/licet-dev/licet/internal/llm"
)

// Player returns the model as a player. Nothing is asked yet.
func (c Config) Player(key llm.Key, s llm.System) (run.Player, error) {
	c.Client.Key = key
	client, err := llm.New(c.Client, s)
	if err != nil {
		return run.Player{}, fmt.Errorf("the model %s: %w", c.Name, err)
	}
	return run.Player{
		Name: c.Name, Served: c.Client.Model, Lineage: c.Lineage, Engine: c.Engine, Encoding: c.Encoding,
		Model: func(seed int) model.Model { return asked{client, c, seed} },
	}, nil
}

// asked is a model in one run.
type asked struct {
	client *llm.Client
	config Config
	seed   int
}

// maxAnswer bounds the text and calls of an answer, in bytes: many times what a turn's
// tokens can be. Written twice, with six bytes for one, it still fits into a trace.
const maxAnswer = 256 << 10

// Ask implements model.Model.
func (a asked) Ask(ctx context.Context, q model.Request) (model.Answer, error) {
	hash, err := q.Hash()
	if err != nil {
		return model.Answer{}, err
	}
	question, err := a.question(q)
	if err != nil {
		return model.Answer{}, err
	}
	said, err := a.client.Ask(ctx, question)
	if f := (*llm.Failure)(nil); errors.As(err, &f) && f.Code == llm.Filter {
		said.Finish, said.Refused, err = "content_filter", true, nil // the provider held the conversation back
	}
	if err != nil {
		return model.Answer{}, a.unanswered(err, len(q.Turns))
	}
	if scripted := a.config.Engine.Name == trace.Scripted; said.Scripted != scripted {
		return model.Answer{}, fmt.Errorf("%w: the engine of %s is %q in the file of models, and a script answers: %v", model.ErrStop, a.config.Name, a.config.Engine.Name, said.Scripted)
	}
	if a.config.Encoding == model.Text && len(said.Calls) > 0 {
		return model.Answer{}, errors.New("the server made calls of tools that it was not offered")
	}
	answer := a.answer(bounded(said))
	answer.Request = hash
	return answer, nil
}

// unanswered says what a question without an answer, after so many turns, means for
// its run. Before the first answer, and where there is no connection at all, it says
// nothing of the run. Later a server may fail at what was said so far, as at a
// conversation that it is too slow for: a run that was played again for that until it
// comes out well would be a choice, so it is an error of the bench. That what was
// said does not fit the model's window any more is the model's own end.
func (a asked) unanswered(err error, turns int) error {
	var f *llm.Failure
	var network *net.OpError
	full := errors.As(err, &f) && f.Code == llm.Overflow
	switch {
	case full && turns > 0:
		return fmt.Errorf("%w: %s: %w", model.ErrFull, a.config.Name, err)
	case full:
		return fmt.Errorf("%w: the first question to %s does not fit: serve it with a longer context: %w", model.ErrUnreached, a.config.Name, err)
	case errors.As(err, &f) && (f.Code == llm.Auth || f.Code == llm.Quota || f.Code == llm.Budget):
		return fmt.Errorf("%w: %w", model.ErrStop, err) // as all other questions would be
	case turns == 0, errors.As(err, &network) && network.Op == "dial":
		return fmt.Errorf("%w: %s: %w", model.ErrUnreached, a.config.Name, err)
	}
	return err
}

// question puts a request as the next turn of a conversation.
func (a asked) question(q model.Request) (llm.Question, error) {
	talk := &llm.Talk{TopP: a.config.TopP}
	again := textTurn
	if a.config.Encoding == model.Native {
		again = nativeTurn
		var err error
		if talk.Tools, err = toolsOf(q.Tools); err != nil {
			return llm.Question{}, err
		}
	}
	for _, t := range q.Turns {
		talk.Turns = append(talk.Turns, again(t))
	}
	if a.config.Engine.SamplerSeed != trace.Unsupported {
		talk.Seed = &a.seed
	}
	return llm.Question{
		User: q.Prompt, Talk: talk, MaxTokens: warden.Output, Temperature: a.config.Temperature,
		Epoch: a.seed, Round: len(q.Turns) + 1,
	}, nil
}

// answer puts what was said, of which something was cut or not, as an answer.
func (a asked) answer(said llm.Answer, cut bool) model.Answer {
	out := model.Answer{Text: said.Text, Stop: said.Finish, Refused: said.Refused, Tokens: tokens(said.Usage), MS: int(said.Took.Milliseconds()), Cut: cut}
	if a.config.Encoding == model.Text {
		out.Written = said.Text
		out.Text, out.Calls = model.FromText(said.Text)
		return out
	}
	for _, c := range said.Calls {
		out.Calls = append(out.Calls, model.Call(c))
	}
	return out
}

// tokens are what a server says that it counted, nil where it did not.
func tokens(u llm.Usage) trace.Tokens {
	if u.Estimated || u == (llm.Usage{}) {
		return trace.Tokens{}
	}
	count := func(n int64, untold bool) *int {
		if untold {
			return nil
		}
		i := int(n)
		return &i
	}
	return trace.Tokens{
		In: count(u.Input, false), CacheRead: count(u.Cached, u.CachedUntold), CacheWrite: count(u.Written, u.WrittenUntold), Out: count(u.Output, false),
	}
}

// bounded cuts an answer that no turn's tokens can be. Arguments that are cut are no
// object any more.
func bounded(said llm.Answer) (short llm.Answer, cut bool) {
	left := maxAnswer
	take := func(text string) string {
		if len(text) > left {
			text, cut = strings.ToValidUTF8(text[:left], ""), true // without the half of a character
		}
		left -= len(text)
		return text
	}
	short = said
	short.Text, short.Calls = take(said.Text), nil
	for _, c := range said.Calls {
		short.Calls = append(short.Calls, llm.Call{Name: take(c.Name), Arguments: take(c.Arguments)})
	}
	return short, cut
}
