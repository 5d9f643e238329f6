package judge

import (
	"time"

	"github.com/licet-dev/licet/internal/authz"
)

// Opinion is what a judge thinks of a case. The zero Opinion is none: a judge
// that failed within.
type Opinion struct {
	Verdict       authz.Opinion
	NoVerdict     NoVerdict // why there is none; "" of a zero Opinion is [Internal]
	Spans         []Span    // the user's words that authorize effects
	Uncovered     []string  // ids of effects that no words authorize
	Authorization Authorization
	FailureMode   FailureMode
	Risk          Risk
	Rationale     string // for the user's own log; never shown to the agent

	// What only a model's answer has.
	Saw        []string // what it takes the call to do
	Confidence string   // from 0 to 1, as it was written
	Signals    []string // ids of the observations that it used
	Omitted    Turns    // turns of the user that the model was not shown
	Echoed     bool     // the marks that fence the data stand in the answer
	Asked      *Asked   // how it came about

	// What Check adds.
	Raw    authz.Opinion // the verdict before the checks
	Failed []Code        // checks that do not hold, in their order
}

// Span is a part of one user turn that authorizes effects.
type Span struct {
	Turn    int      // from 1
	Quote   string   // byte for byte a part of the turn
	Effects []string // ids
}

// NoVerdict says why there is no usable opinion (judge.md, section 7).
type NoVerdict string

// The codes, in the order of the table. Those that come of asking a model's server
// are the codes of package llm.
const (
	Timeout   NoVerdict = "nv_timeout"   // the deadline passed
	Transport NoVerdict = "nv_transport" // connection, TLS, name resolution
	Rate      NoVerdict = "nv_rate"      // the server wants to be asked later
	Server    NoVerdict = "nv_server"    // the server failed
	Quota     NoVerdict = "nv_quota"     // the quota or the money is spent
	Auth      NoVerdict = "nv_auth"      // the server refuses the key
	Request   NoVerdict = "nv_request"   // the server refuses the request
	Malformed NoVerdict = "nv_malformed" // the answer is not one JSON object
	Schema    NoVerdict = "nv_schema"    // a member is missing, unknown, or beyond its values
	Refusal   NoVerdict = "nv_refusal"   // the model refused
	Filter    NoVerdict = "nv_filter"    // the provider's filter held back question or answer
	Length    NoVerdict = "nv_length"    // the answer hit the limit of output
	Overflow  NoVerdict = "nv_overflow"  // the question does not fit into the context
	Clipped   NoVerdict = "nv_clipped"   // the call, or what the user wrote, would have to be cut to be judged
	Fence     NoVerdict = "nv_fence"     // the data hold the mark that fences them
	Model     NoVerdict = "nv_model"     // another model answered
	Votes     NoVerdict = "nv_votes"     // too few valid votes
	Outage    NoVerdict = "nv_outage"    // the judge has failed so often that it is not asked now
	Budget    NoVerdict = "nv_budget"    // calls, tokens or money for the judge are spent
	Policy    NoVerdict = "nv_policy"    // the policy can't be read
	Internal  NoVerdict = "nv_internal"  // a defect, caught, or a judge that is missing
)

// failure is what follows from a code.
type failure struct {
	soft, outage, alert bool
	again               bool          // whether one retry of the call makes sense
	after               time.Duration // the least time before it
}

// failures says what follows from each code. A code that is not listed is a defect
// and has the row of [Internal]: it blocks. When to retry leaves a server the time
// that the judge's own tries did not: half a minute, or until an outage is over.
var failures = map[NoVerdict]failure{
	Timeout:   {soft: true, outage: true, again: true, after: 30 * time.Second},
	Transport: {soft: true, outage: true, again: true, after: 30 * time.Second},
	Rate:      {soft: true, outage: true, again: true, after: time.Minute},
	Server:    {soft: true, outage: true, again: true, after: 30 * time.Second},
	Quota:     {soft: true, outage: true, alert: true},
	Auth:      {soft: true, outage: true, alert: true},
	Request:   {soft: true, outage: true, alert: true},
	Malformed: {again: true},
	Schema:    {again: true},
	Refusal:   {soft: true},
	Filter:    {soft: true},
	Length:    {again: true},
	Overflow:  {soft: true},
	Clipped:   {soft: true},
	Fence:     {alert: true},
	Model:     {alert: true},
	Votes:     {soft: true, again: true},
	Outage:    {soft: true, outage: true, again: true, after: 5 * time.Minute},
	Budget:    {alert: true},
	Policy:    {alert: true},
	Internal:  {alert: true},
}

// Soft reports whether the contract may ask a person after this failure.
func (n NoVerdict) Soft() bool { return failures[n].soft }

// Outage reports whether the failure counts towards the state in which the judge
// is not asked.
func (n NoVerdict) Outage() bool { return failures[n].outage }

// Alert reports whether an operator has to look.
func (n NoVerdict) Alert() bool {
	f, known := failures[n]
	return f.alert || !known
}

// Retry reports whether one retry of the same call makes sense, and the least time
// before it.
func (n NoVerdict) Retry() (after time.Duration, again bool) {
	return failures[n].after, failures[n].again
}

// None returns the opinion that there is none.
func None(why NoVerdict, detail string) Opinion {
	return Opinion{NoVerdict: why, Rationale: detail}
}

// Authorization says how the user's words stand to the call.
type Authorization string

// The words of authorization.
const (
	NotAuthorized Authorization = "none"
	Implied       Authorization = "implied"  // the target is named, and not what is to be done with it
	Explicit      Authorization = "explicit" // every effect is named
	Contradicted  Authorization = "contradicted"
)

// FailureMode says in which way a call goes beyond the user's words.
type FailureMode string

// The five modes (authgate-bench.md, section 2), and none.
const (
	NoFailure             FailureMode = "none"
	ScopeEscalation       FailureMode = "scope_escalation"
	CredentialExploration FailureMode = "credential_exploration"
	ExternalSharing       FailureMode = "external_sharing"
	GuardrailBypass       FailureMode = "guardrail_bypass"
	InferredParameters    FailureMode = "inferred_parameters"
)

// Risk is how much is at stake. The zero Risk is the highest.
type Risk uint8

// The risks, the highest first.
const (
	Critical Risk = iota
	High
	Medium
	Low
)

var riskNames = [...]string{Critical: "critical", High: "high", Medium: "medium", Low: "low"}

// String returns the word of records. A value outside the list reads critical.
func (r Risk) String() string {
	if int(r) < len(riskNames) {
		return riskNames[r]
	}
	return riskNames[Critical]
}

// AtLeastHigh reports whether consent must name every effect.
func (r Risk) AtLeastHigh() bool { return r != Medium && r != Low }
