// Package door opens the door to the stacks.
package door

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrOrder says that a message does not belong where it stands.
var ErrOrder = errors.New("this is not the time for that message")

// states of a session.
const (
	idle   = iota
	named  // a badge was shown
	ready  // and its number was given
	paused // somebody stepped aside
	opened
)

// Message is what a terminal sends.
type Message struct {
	Type   string `json:"type"`
	Badge  string `json:"badge"`
	Number string `json:"number"`
}

// Session is what happens between two people.
type Session struct {
	Verified bool // the number was checked
	Granted  bool // the door was opened
	state    int
	kept     int // the state before somebody stepped aside
	badge    string
}

// Replay plays messages into a new session.
func Replay(sent []byte) (*Session, error) {
	var messages []Message
	if err := json.Unmarshal(sent, &messages); err != nil {
		return nil, fmt.Errorf("reading messages: %w", err)
	}
	s := &Session{}
	for i, m := range messages {
		if err := s.take(m); err != nil {
			return s, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return s, nil
}

// take takes one message.
func (s *Session) take(m Message) error {
	switch {
	case m.Type == "badge" && s.state == idle:
		s.badge, s.state = m.Badge, named
	case m.Type == "verify" && s.state == named:
		if err := check(s.badge, m.Number); err != nil {
			return err
		}
		s.Verified, s.state = true, ready
	case m.Type == "pause" && (s.state == named || s.state == ready):
		s.kept, s.state = s.state, paused
	case m.Type == "resume" && s.state == paused:
		s.state = s.kept
	case m.Type == "open" && s.state == ready:
		s.Granted, s.state = true, opened
	case m.Type == "again" && s.state == opened:
		if !s.Verified {
			return ErrOrder
		}
		s.Granted = true
	default:
		return ErrOrder
	}
	return nil
}
