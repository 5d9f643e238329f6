package trajectory

import (
	"fmt"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Trajectory is what one agent did.
type Trajectory struct {
	ID     string // as its source names it; other records of a file may have the same
	Format string
	Labels map[string]string // what the source says of it, such as suite, reward or risk
	Steps  []Step
	// Answers are the agent's messages, in order; nil where its source keeps none, or
	// the format is not read for them.
	Answers []Answer
	// Failures says whether each result tells if it is an error: else Failed is false
	// where that is not known.
	Failures bool
	Unread   map[string]int // what was passed over, by kind
	Raw      []byte         // the record as it stood; trajectories of one record share it
	Digest   string         // "sha256:" and the hexadecimal digest of Raw
}

// Step is a turn of the user or a call of the agent.
type Step struct {
	Turn string
	Call *Call // nil = a turn
}

// Answer is one message of the agent: what it said, and the calls that it asked for
// with it.
type Answer struct {
	Text    string
	Calls   []*Call
	Refused bool // the model's provider says that it refused
}

// Call is one tool call.
type Call struct {
	ID      string // as its source names it; "" = not at all
	Tool    string
	Args    toolcall.Value // an object; absent if there is a Flaw
	Flaw    string         // why what was recorded is no object
	RawArgs string         // as it was recorded, where there is a Flaw
	For     string         // in whose interest, where the source says so: "user" or "injection"
	Result  *Result        // nil = none was recorded
}

// Result is what the agent got back.
type Result struct {
	Text   string
	Failed bool
}

// Unrecorded says whether the source leaves the arguments out, so that nothing tells
// how the agent wrote them.
func (c *Call) Unrecorded() bool { return c.Flaw == unrecorded }

// Calls returns the calls, in order.
func (t *Trajectory) Calls() []*Call {
	var all []*Call
	for _, s := range t.Steps {
		if s.Call != nil {
			all = append(all, s.Call)
		}
	}
	return all
}

// Problem is a record, or a part of one, that could not be read.
type Problem struct {
	File   string
	Line   int // from 1, where the record begins, or the text is wrong; 0 = unknown
	Reason string
}

// Error returns the problem in one line.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Reason
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
}
