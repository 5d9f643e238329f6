package constraint

import (
	"github.com/licet-dev/licet/internal/toolcall"
)

// Condition is what a clause says of something else than one argument: the
// session, the request of the user, or anything at all in an expression.
type Condition interface {
	// Permits reports whether the condition certainly holds; if not, the Miss
	// says why. An error makes the call BLOCK (contract language, rule 3).
	Permits(args toolcall.Value, a Answers) (bool, Miss, error)
	// Forbids reports whether the condition holds or may hold; if so, the Miss
	// says why.
	Forbids(args toolcall.Value, a Answers) (bool, Miss, error)
	// Questions returns what must be known of the world before.
	Questions(args toolcall.Value) []Question
	// Canonical returns the operand in the spelling that all equal ones share.
	Canonical() toolcall.Value
	// NeverUsable returns a *SpecError if the condition may not stand in a never
	// clause.
	NeverUsable() error
	// Watches returns the tools whose granted calls must leave marks.
	Watches() []Watch
}

// Watch names a tool whose granted calls must leave a mark in their session,
// and the argument whose values must; the zero Path is none. All stands for
// every tool of every agent.
type Watch struct {
	All          bool
	Server, Tool string
	Argument     toolcall.Path
}

// Conditions returns the words of the conditions that NewCondition knows, sorted.
func Conditions() []string { return []string{requestWord, sessionWord, signalWord, whenWord} }

// The words of the conditions.
const (
	requestWord = "$request"
	sessionWord = "$session"
	signalWord  = "$signal"
	whenWord    = "$when"
)

// Surroundings is what compiling a Condition must know of the contract around it.
type Surroundings struct {
	Server, Tool string // what the clause is about
	// Tools returns the tools, as pairs of server and tool, that a name stands
	// for: a tool as server.tool, or a label.
	Tools func(name string) ([][2]string, error)
	// Argument returns an error unless a tool declares the argument.
	Argument func(server, tool string, path toolcall.Path) error
}

// NewCondition compiles the condition that stands beside a word with $. An
// error is a *SpecError.
func NewCondition(word string, spec toolcall.Value, in Surroundings) (Condition, error) {
	var c Condition
	var err *SpecError
	switch word {
	case requestWord:
		c, err = newRequestCondition(spec)
	case sessionWord:
		c, err = newSessionCondition(spec, in)
	case signalWord:
		c, err = newSignalCondition(spec)
	case whenWord:
		c, err = newWhen(spec, in)
	default:
		err = unknown("condition", word, Conditions()...)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// missing is the Miss of a condition: there is no value to show.
func missing(word, why string) Miss { return Miss{Kind: word, Want: why} }
