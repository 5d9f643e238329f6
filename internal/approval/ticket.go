package approval

import (
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

// MaxOpen is how many open tickets one agent may have (contract.md, rule 8).
const MaxOpen = 20

// Subject names the call that a ticket is about. Two calls with equal Subjects
// are the same call.
type Subject struct {
	Agent   string `json:"agent"`
	User    string `json:"user,omitzero"`
	Session string `json:"session,omitzero"`
	Server  string `json:"server"`
	Method  string `json:"method"`
	Tool    string `json:"tool,omitzero"` // "" for another method than tools/call
	Call    string `json:"call_digest"`   // digest of the canonical call, keyed where the contract redacts
	Cwd     string `json:"cwd,omitzero"`  // working directory by identity: facts.Directory

	// Operands is a digest of the files and hosts that a command of the call is
	// about, and of what the files say that it would run: facts.Operands.
	Operands string `json:"operands,omitzero"`

	// Affected is a digest of all that a call which is handed to a judge would do:
	// judge.Case.Affected. The answer is about that; "" for any other call.
	Affected string `json:"affected,omitzero"`
}

// Ref names what is called, as contracts write it: server.tool, server:method.
func (s Subject) Ref() string {
	if s.Tool == "" {
		return s.Server + ":" + s.Method
	}
	return s.Server + "." + s.Tool
}

// Terms are what else held when the ticket was made; a change voids it.
type Terms struct {
	Contract   string `json:"contract_digest"`
	Definition string `json:"tool_digest"`   // of the tool's pinned definition
	Over       string `json:"over,omitzero"` // limits that the call goes beyond: another question than without
}

// Ticket is a held call that waits for people, or a blocked one that the user lets
// run all the same.
type Ticket struct {
	ID        string         `json:"id"`
	Subject   Subject        `json:"call"`
	Terms     Terms          `json:"terms"`
	Opened    time.Time      `json:"opened"`
	Overrides string         `json:"overrides,omitzero"` // decision on a blocked call that the user lets run; "" = a held call
	Expires   time.Time      `json:"expires"`            // covers answer and use
	Panels    []authz.Panels `json:"panels,omitzero"`    // who must approve: one panel of each; empty = any one enrolled approver
	Answers   []Answer       `json:"answers,omitzero"`
	Used      time.Time      `json:"used,omitzero"` // when a grant used it up; zero = not yet
}

// Answer is one approver's word on one ticket.
type Answer struct {
	Ticket   string    `json:"ticket"`
	Approver string    `json:"approver"`
	Approve  bool      `json:"approve"` // false, also by default, denies
	Note     string    `json:"note,omitzero"`
	At       time.Time `json:"at"`
}

// State of a ticket at a moment. The zero State is Expired: never usable.
type State uint8

// The states of a ticket.
const (
	Expired State = iota
	Open
	Granted // approved and not used yet
	Denied
	Used
)

var stateNames = [...]string{Expired: "expired", Open: "open", Granted: "approved", Denied: "denied", Used: "used"}

// String returns the state's word.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return stateNames[Expired]
}

// Closed says whether nothing more can come of the ticket.
func (s State) Closed() bool { return s != Open && s != Granted }

// MarshalText writes the state's word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// State says where the ticket stands at the given time. One denial outweighs
// every approval.
func (t Ticket) State(now time.Time) State {
	approved := map[string]bool{}
	denied := false
	for _, a := range t.Answers {
		denied = denied || !a.Approve
		approved[a.Approver] = true
	}
	switch {
	case !t.Used.IsZero():
		return Used
	case !now.Before(t.Expires):
		return Expired
	case denied:
		return Denied
	case t.agreed(approved):
		return Granted
	default:
		return Open
	}
}

// agreed says whether of each Panels one panel is complete.
func (t Ticket) agreed(approved map[string]bool) bool {
	complete := func(p authz.Panel) bool {
		n := 0
		for name := range approved {
			if sits(p, name) {
				n++
			}
		}
		return n >= max(1, p.Quorum)
	}
	for _, alternatives := range t.panels() {
		if !slices.ContainsFunc(alternatives, complete) {
			return false
		}
	}
	return true
}

// panels returns the ticket's panels, spelled out where none are named.
func (t Ticket) panels() []authz.Panels {
	if len(t.Panels) == 0 {
		return []authz.Panels{{{Quorum: 1}}}
	}
	return t.Panels
}

// sits says whether an approver's word counts on a panel.
func sits(p authz.Panel, name string) bool {
	return len(p.Approvers) == 0 || slices.Contains(p.Approvers, name)
}

// MayAnswer says whether the named approver is one whom the ticket asks.
func (t Ticket) MayAnswer(name string) bool {
	return slices.ContainsFunc(t.panels(), func(alternatives authz.Panels) bool {
		return slices.ContainsFunc(alternatives, func(p authz.Panel) bool { return sits(p, name) })
	})
}

// Misfit says why the ticket can't serve a call that names it, as a code for a
// BLOCK; it is empty when the ticket fits and is approved.
func (t Ticket) Misfit(s Subject, terms Terms, now time.Time) authz.Code {
	if t.Subject != s {
		return authz.ApprovalMismatch
	}
	switch t.State(now) {
	case Used:
		return authz.ApprovalUsed
	case Expired:
		return authz.ApprovalExpired
	case Denied:
		return authz.ApprovalDenied
	}
	if t.Terms != terms {
		return authz.ApprovalVoid
	}
	if t.State(now) != Granted {
		return authz.ApprovalOpen
	}
	return ""
}
