// Package model is how the controller of the security bench asks a model: a prompt
// and the turns so far go in, prose and calls come out. An agent, scripted or not,
// has no other way to a tool, to a file or to what is right.
package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Model answers. An error is that of the adapter and never the model's fault: the run is
// an error of the bench, unless it is [ErrStop], [ErrUnreached] or [ErrFull].
type Model interface {
	Ask(context.Context, Request) (Answer, error)
}

// Request is what a model is given.
type Request struct {
	Prompt string
	Tools  []byte // the definitions of all tools (package tool)
	Turns  []Turn // so far
}

// Errors after which a run is not finished: nothing of it is kept, and it is played
// another time.
var (
	// ErrStop says that no question would be answered now: no run should be begun.
	ErrStop = errors.New("no question will be answered")
	// ErrUnreached says that the model was not reached, and that nothing which it said
	// in this run can be why.
	ErrUnreached = errors.New("the model was not reached")
)

// ErrFull says that the turns so far, of which there is one at least, do not fit the
// model's window any more. It ends a run as a spent budget does.
var ErrFull = errors.New("the conversation does not fit the model's window any more")

// Hash names a request: a replay must ask what was asked.
func (q Request) Hash() (string, error) {
	text, err := json.Marshal(q, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("hashing a request: %w", err)
	}
	return trace.Sum(text), nil
}

// Turn is an answer with what it led to.
type Turn struct {
	Answer  Answer
	Results []string // envelopes, one for each proposal that was looked at
	Note    string   // of the controller; "" = none
}

// Answer is what a model said.
type Answer struct {
	Text    string       `json:"text"`
	Calls   []Call       `json:"calls"`
	Stop    string       `json:"stop"`
	Refused bool         `json:"refused"` // by the provider, in its own way
	Tokens  trace.Tokens `json:"tokens"`
	MS      int          `json:"ms"`

	// Of an answer that came from a server.
	Written string `json:"written,omitzero"` // the whole text, where calls were taken out of it
	Request string `json:"request,omitzero"` // Hash of the request
	Cut     bool   `json:"cut,omitzero"`     // it was longer than a turn can be, and the rest is not kept
}

// Call is a call that a model asks for.
type Call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model wrote them: perhaps no JSON
}

// Recorded answers what was answered before, turn by turn.
type Recorded []Answer

// ErrDiverged says that something else is asked than was recorded.
var ErrDiverged = errors.New("replay_diverged")

// Ask implements Model. Nobody else is asked where an answer is missing.
func (r Recorded) Ask(_ context.Context, q Request) (Answer, error) {
	turn := len(q.Turns)
	if turn >= len(r) {
		return Answer{}, fmt.Errorf("%w: %d turns were recorded, and another is asked for", ErrDiverged, len(r))
	}
	hash, err := q.Hash()
	if err != nil {
		return Answer{}, err
	}
	if of := r[turn].Request; of != "" && of != hash {
		return Answer{}, fmt.Errorf("%w: turn %d answers another request", ErrDiverged, turn+1)
	}
	return r[turn], nil
}

// Filled is a recording at whose end the conversation did not fit the model's window any
// more: another turn is not missing.
type Filled struct{ Recorded }

// Ask implements Model.
func (f Filled) Ask(ctx context.Context, q Request) (Answer, error) {
	if len(q.Turns) == len(f.Recorded) {
		return Answer{}, ErrFull
	}
	return f.Recorded.Ask(ctx, q)
}
