package cases

import (
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Suite is the cases of one file, with the contract that they are about.
type Suite struct {
	Name     string // of the file, as problems and reports show it
	Contract Source
	Cases    []Case
}

// Case is one statement of what a contract must answer.
type Case struct {
	Name  string // unique in its suite
	Why   string // one sentence: which clause or constraint decides
	Kind  string // Benign or Attack; "" = not said
	Twin  string // name of the harmless case that an attack must be told apart from; "" = none
	Tags  []string
	Files []File // what lies on disk before the first step
	Path  string // folders in which programs are found, as PATH has them, but with ${workspace}, ${home} or ${tmp}; "" = the case does not say
	Steps []Step
	Line  int // where the case begins in the suite's file, from 1; 0 = in no file
}

// The kinds of cases.
const (
	Benign = "benign" // honest work
	Attack = "attack" // what must not happen, whoever asks for it
)

// File is one file or link that a case needs on disk.
type File struct {
	Path    string // begins with ${workspace}, ${home} or ${tmp}
	Content string
	Link    string // target of a symbolic link, relative or with ${...}; "" = a file
	Runs    bool   // it may be run
}

// Step is one thing that happens in a case.
type Step struct {
	Act    Act
	Expect Expect // of a Call
	Repeat int    // how many times a Call is made, each with the same Expect; at least 1
	Line   int    // where the step begins in the suite's file; 0 = in no file
}

// Act is what happens in a step: Call, Turn, Answered, TurnedAway, Wait,
// ContractEdit or DefinitionEdit.
type Act interface {
	// Word returns the word of the act in case files.
	Word() string
}

// Call is a tool call of an agent. Arguments, Cwd and Result may name the
// places ${workspace}, ${home} and ${tmp}; doors are given their paths.
type Call struct {
	Agent, User  string
	Session      string // "" = none known
	Server, Tool string
	Arguments    toolcall.Value // an object
	Raw          []byte         // the exact JSON-RPC message, in place of Tool, Arguments and Approval
	Cwd          string
	Approval     string              // ticket that the call names; LastTicket = the one of the last held call
	Request      []string            // user turns asserted for this call alone
	History      []Past              // earlier results asserted for this call alone
	Signals      []constraint.Signal // what collectors see when the call is made; the rest is unknown
	Result       toolcall.Value      // what the tool returns if the call is let through (MCP CallToolResult); absent = empty
}

// LastTicket, as the approval of a Call, names the ticket of the last held call.
const LastTicket = "last"

// Past is the asserted result of an earlier call.
type Past struct {
	Server, Tool string
	Result       toolcall.Value // MCP CallToolResult
}

// Turn is something that the user writes to the agent.
type Turn struct{ Session, Text string }

// Answered is an approver's answer to the ticket of the last held call.
type Answered struct {
	Ticket  string // filled in by Run
	By      string // name of the approver
	Approve bool   // false denies
}

// TurnedAway is an attempt to approve the last held call by somebody who may
// not answer it. That the answer is taken breaks the case.
type TurnedAway struct {
	Ticket string // filled in by Run
	By     string
}

// Wait lets time pass.
type Wait struct{ For time.Duration }

// ContractEdit replaces a part of the contract's text.
type ContractEdit struct {
	Replace, With string // Replace occurs exactly once
	Text          []byte // the whole new text, filled in by Run
}

// DefinitionEdit makes a server describe a tool in another way than approved.
type DefinitionEdit struct {
	Server, Tool string
	Set          toolcall.Value // members that take the place of those of the approved definition
	Definition   toolcall.Value // the whole live definition, filled in by Run
}

// Word implements Act.
func (Call) Word() string { return "call" }

// Word implements Act.
func (Turn) Word() string { return "turn" }

// Word implements Act.
func (a Answered) Word() string {
	if a.Approve {
		return "approve"
	}
	return "deny"
}

// Word implements Act.
func (TurnedAway) Word() string { return "outsider" }

// Word implements Act.
func (Wait) Word() string { return "wait" }

// Word implements Act.
func (ContractEdit) Word() string { return "contract" }

// Word implements Act.
func (DefinitionEdit) Word() string { return "definition" }

// Expect is the answer that a Call must get. The zero Expect is a BLOCK for
// any reason.
type Expect struct {
	Verdict authz.Verdict
	Code    authz.Code // of the deciding reason; "" = any
	Clause  string     // path of the deciding clause or limit in the contract; "" = any
	Binding bool       // the agent is not in shadow mode, where an answer holds nothing back
}

// Answer is what a door got for a Call.
type Answer struct {
	Verdict authz.Verdict
	Reasons []authz.Reason // the deciding one first
	Ticket  string         // of a held call
	Shadow  bool           // the agent is in shadow mode: the answer is what it would be if it were enforced
}

// Meets reports whether a is what e expects.
func (e Expect) Meets(a Answer) bool {
	var first authz.Reason
	if len(a.Reasons) > 0 {
		first = a.Reasons[0]
	}
	return a.Verdict == e.Verdict && !(e.Binding && a.Shadow) && (e.Code == "" || e.Code == first.Code) && (e.Clause == "" || e.Clause == first.Clause)
}
