package judge

import "github.com/licet-dev/licet/internal/authz"

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

// The failures of a judge that has no model.
const (
	Timeout  NoVerdict = "nv_timeout"  // the deadline passed
	Clipped  NoVerdict = "nv_clipped"  // more effects or sentences than are judged
	Internal NoVerdict = "nv_internal" // a defect, caught, or a judge that is missing
)

// Soft reports whether the contract may ask a person after this failure. A
// defect always blocks.
func (n NoVerdict) Soft() bool { return n == Timeout || n == Clipped }

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

// atLeastHigh reports whether consent must name every effect.
func (r Risk) atLeastHigh() bool { return r != Medium && r != Low }
