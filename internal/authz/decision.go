package authz

// Principal is who asks: an agent, with the user it acts for where one was
// verified. Its members come from the door's credential, never from the call.
type Principal struct {
	Agent string `json:"agent"`
	User  string `json:"user,omitzero"`
}

// Credential is by what right a caller speaks as an agent. The zero Credential
// is a door that was started locally without one, which is enough for agents
// that the contract asks no credential of.
type Credential struct {
	Token    string // name of the credential that the door was given and verified
	Operator bool   // the operator's own command, which needs none
}

// Decision is what the rules say of one call under given facts. The zero
// Decision blocks.
type Decision struct {
	Verdict Verdict
	Reasons []Reason // at least one in every Decision made by package decide
	Takes   []Take   // what a grant of this call would use up
	Panels  []Panels // who must approve a held call: all of them
	Judge   bool     // a judge clause hands the call over, and no opinion was among the facts: it blocks until one is
	Shadow  *Verdict // the agent is in shadow mode: what the verdict would have been; nil = enforced
}

// Panels are alternatives: one of them must approve.
type Panels []Panel

// Panel is a number of approvers who must agree.
type Panel struct {
	Approvers []string `json:"approvers,omitzero"` // who counts, sorted; empty = every enrolled approver
	Quorum    int      `json:"quorum"`             // how many different ones must approve, at least 1
}

// Blocked returns a blocking Decision with one reason.
func Blocked(code Code, clause, detail string) Decision {
	return Decision{Reasons: []Reason{{Code: code, Clause: clause, Detail: detail}}}
}

// Code returns the code of the first, deciding reason; Internal if there is none.
func (d Decision) Code() Code {
	if len(d.Reasons) == 0 {
		return Internal
	}
	return d.Reasons[0].Code
}

// Take is what one grant uses up of one limit.
type Take struct {
	Counter string // identity of what is counted: scope, kind and split; independent of bound and window
	Session string // the session where the window is one session, else empty
	Window  int64  // length of the window in nanoseconds; 0 = one session
	Amount  string // exact decimal, positive or zero
	Max     string // exact decimal bound of the window
	Ask     bool   // beyond the bound a person is asked; false blocks
	Lifted  bool   // a person let this take go beyond the bound
	Clause  string // path of the limit in the contract
}

// TakeKey names what has been used up of one limit so far. It leaves out bound
// and amount, so that a changed bound applies to what was already granted.
type TakeKey struct {
	Counter string
	Session string
	Window  int64 // nanoseconds; 0 = one session
}

// Key returns the key of what t counts.
func (t Take) Key() TakeKey {
	return TakeKey{Counter: t.Counter, Session: t.Session, Window: t.Window}
}
