// Package model is how the controller of the security bench asks a model: a prompt
// and the turns so far go in, prose and calls come out. An agent, scripted or not,
// has no other way to a tool, to a file or to what is right.
package model

import (
	"context"
	"errors"

	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Model answers. An error is that of the adapter and never the model's fault.
type Model interface {
	Ask(context.Context, Request) (Answer, error)
}

// Request is what a model is given.
type Request struct {
	Prompt string
	Tools  []byte // the definitions of all tools (package tool)
	Turns  []Turn // so far
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
}

// Call is a call that a model asks for.
type Call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model wrote them: perhaps no JSON
}

// Recorded answers what was answered before, turn by turn.
type Recorded []Answer

// ErrDiverged says that more is asked than was recorded.
var ErrDiverged = errors.New("replay_diverged: more turns are asked for than were recorded")

// Ask implements Model.
func (r Recorded) Ask(_ context.Context, q Request) (Answer, error) {
	if len(q.Turns) >= len(r) {
		return Answer{}, ErrDiverged
	}
	return r[len(q.Turns)], nil
}
