package trace

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Version is that of the envelope.
const Version = 1

// Type says what an event is about.
type Type string

// The events of channel 1, each with the type of its data.
const (
	TypeRunStart   Type = "run_start"  // RunStart
	TypeSnapshot   Type = "snapshot"   // Snapshot
	TypeAssistant  Type = "assistant"  // Assistant
	TypeProposal   Type = "proposal"   // Proposal
	TypeDecision   Type = "decision"   // Decided; in channel 2 Ruling
	TypeReceipt    Type = "receipt"    // Receipt
	TypeSubmission Type = "submission" // Submission
	TypeDecline    Type = "decline"    // Decline
	TypeGrade      Type = "grade"      // Grade
	TypeRunEnd     Type = "run_end"    // RunEnd
	TypeRedaction  Type = "redaction"  // Redaction; in a public form only
)

// The events of channel 2 beside TypeDecision.
const (
	TypeGateOpen  Type = "gate_open"  // GateOpen
	TypeEffect    Type = "effect"     // Effect
	TypeGateClose Type = "gate_close" // GateClose
)

// Event is one line of a channel.
type Event struct {
	V        int
	Seq      int // from 0
	Run      string
	TS       time.Time // UTC, in milliseconds
	Type     Type
	Call     string    // id of the call that the event is about; "" = none
	Decision *Decision // on that call; nil before there is one
	Data     toolcall.Value
	Prev     string
	Hash     string
	Orig     string // in a public form the hash of the event that it was made of; "" = of none
}

// Verdicts of a decision.
const (
	Allow = "allow"
	Deny  = "deny"
)

// Decision is what was decided about a call before anything ran.
type Decision struct {
	ID       string  `json:"id"`
	Verdict  string  `json:"verdict"`  // Allow or Deny
	Class    string  `json:"class"`    // package warden
	Rule     string  `json:"rule"`     // the gate's reason code with the clause
	Contract string  `json:"contract"` // digest
	Shadow   *Shadow `json:"shadow"`   // what a second policy would have said
}

// Shadow is the answer of a policy that only watches.
type Shadow struct {
	Policy  string `json:"policy"`
	Verdict string `json:"verdict"`
	Class   string `json:"class"`
}

// timeForm is that of ts: RFC 3339 in UTC with milliseconds.
const timeForm = "2006-01-02T15:04:05.000Z"

// members returns the event as it is hashed: all members but hash.
func (e Event) members() ([]toolcall.Member, error) {
	decision := toolcall.NullValue
	if e.Decision != nil {
		var err error
		if decision, err = ValueOf(e.Decision); err != nil {
			return nil, err
		}
	}
	call := toolcall.NullValue
	if e.Call != "" {
		call = toolcall.StringOf(e.Call)
	}
	v, err := ValueOf(struct {
		V   int `json:"v"`
		Seq int `json:"seq"`
	}{e.V, e.Seq})
	if err != nil {
		return nil, err
	}
	members := []toolcall.Member{
		{Name: "v", Value: v.Get("v")},
		{Name: "seq", Value: v.Get("seq")},
		{Name: "run", Value: toolcall.StringOf(e.Run)},
		{Name: "ts", Value: toolcall.StringOf(e.TS.UTC().Format(timeForm))},
		{Name: "type", Value: toolcall.StringOf(string(e.Type))},
		{Name: "call", Value: call},
		{Name: "decision", Value: decision},
		{Name: "data", Value: e.Data},
		{Name: "prev", Value: toolcall.StringOf(e.Prev)},
	}
	if e.Orig != "" {
		members = append(members, toolcall.Member{Name: "orig", Value: toolcall.StringOf(e.Orig)})
	}
	return members, nil
}

// sealed returns the event with its hash, and its line.
func (e Event) sealed() (Event, []byte, error) {
	members, err := e.members()
	if err != nil {
		return e, nil, err
	}
	e.Hash = Sum([]byte(toolcall.ObjectOf(members...).Canonical()))
	members = append(members, toolcall.Member{Name: "hash", Value: toolcall.StringOf(e.Hash)})
	return e, append(toolcall.ObjectOf(members...).AppendCanonical(nil), '\n'), nil
}

// ValueOf returns v, a struct with JSON tags, as a value of canonical form.
func ValueOf(v any) (toolcall.Value, error) {
	text, err := json.Marshal(v, json.FormatNilSliceAsNull(false))
	if err != nil {
		return toolcall.Value{}, fmt.Errorf("writing %T: %w", v, err)
	}
	value, err := toolcall.Parse(text, toolcall.Bounds{})
	if err != nil {
		return toolcall.Value{}, fmt.Errorf("writing %T: %w", v, err)
	}
	return value, nil
}

// Decode reads the data of an event, strictly: a member that T does not know is
// an error.
func Decode[T any](e Event) (T, error) {
	var data T
	if err := json.Unmarshal([]byte(e.Data.Canonical()), &data, json.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(false)); err != nil {
		return data, fmt.Errorf("event %d (%s): %w", e.Seq, e.Type, err)
	}
	return data, nil
}
