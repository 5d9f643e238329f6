// Package ticket follows the questions of readers.
package ticket

import (
	"errors"
	"strconv"
	"strings"
)

// ErrStep says that a step cannot be taken now.
var ErrStep = errors.New("that step cannot be taken")

// State is where a question is.
type State string

// States.
const (
	New      State = "new"
	Assigned State = "assigned"
	Answered State = "answered"
	Closed   State = "closed"
	Archived State = "archived"
)

// Keep is for how many days a closed question can be opened again.
const Keep = 30

// Ticket is one question.
type Ticket struct {
	State State
	Clerk string
	quiet int // days since it was closed
}

// Replay takes steps with a new question.
func Replay(steps string) (*Ticket, error) {
	t := &Ticket{State: New}
	for step := range strings.Lines(steps) {
		word, rest, _ := strings.Cut(strings.TrimSpace(step), " ")
		if err := t.take(word, rest); err != nil {
			return t, err
		}
	}
	return t, nil
}

// take takes one step.
func (t *Ticket) take(word, rest string) error {
	switch {
	case word == "assign" && t.State == New && rest != "":
		t.State, t.Clerk = Assigned, rest
	case word == "answer" && t.State == Assigned:
		t.State = Answered
	case word == "reopen" && (t.State == Answered || t.State == Closed):
		t.State, t.quiet = Assigned, 0
	case word == "close" && t.State == Answered:
		t.State = Closed
	case word == "wait" && t.State == Closed:
		days, err := strconv.Atoi(rest)
		if err != nil || days < 1 || days > 7 {
			return ErrStep
		}
		t.quiet += days
	default:
		return ErrStep
	}
	return nil
}
