package authz

// Code says why a verdict was given. The list is closed: agents, dashboards
// and tests match on it, so a code is never renamed and never reused.
type Code string

// Codes of permitted and held calls.
const (
	AllowClause   Code = "allow_clause"   // an allow clause holds
	Approved      Code = "approved"       // a person approved exactly this call
	ApproveClause Code = "approve_clause" // an approve clause holds: a person is asked
)

// Codes of calls that a judge clause hands over.
const (
	JudgeAllow     Code = "judge_allow"      // the judge finds every effect authorized by the user's words
	JudgeBlock     Code = "judge_block"      // the judge does not
	JudgeUnsure    Code = "judge_unsure"     // the judge cannot tell
	JudgeNoVerdict Code = "judge_no_verdict" // there is no usable opinion; this says nothing about the call
	JudgeBreaker   Code = "judge_breaker"    // the judge is not asked: it has blocked too many calls since the user wrote
)

// Codes of calls that the contract refuses.
const (
	UnknownAgent     Code = "unknown_agent"     // the contract does not know this agent
	Unauthenticated  Code = "unauthenticated"   // the door has not the credential that may speak as the agent
	NotListed        Code = "not_listed"        // the agent's contract does not name this tool or method
	BlockedTool      Code = "blocked_tool"      // the contract says `block` for the tool
	InvalidArguments Code = "invalid_arguments" // not valid against, or not closed by, the pinned inputSchema
	NeverClause      Code = "never_clause"      // a never clause holds
	NoClause         Code = "no_clause"         // no clause permits these arguments
	EvaluationError  Code = "evaluation_error"  // a clause could not be evaluated
	LimitReached     Code = "limit"             // a rate or budget is used up
	LimitUncountable Code = "limit_uncountable" // a value that a sum must count is absent, negative or no number
)

// Codes of the catalog.
const (
	Quarantined       Code = "quarantined"        // the live definition differs from the approved copy
	CatalogUnverified Code = "catalog_unverified" // the live definition could not be compared with the approved copy
)

// Codes of approvals.
const (
	ApprovalOpen     Code = "approval_open"     // the named ticket is not answered yet
	ApprovalDenied   Code = "approval_denied"   // a person refused this call
	ApprovalExpired  Code = "approval_expired"  // the named ticket ran out: silence is no
	ApprovalUsed     Code = "approval_used"     // the named ticket was used before
	ApprovalVoid     Code = "approval_void"     // contract or tool definition changed since the named ticket was made
	ApprovalMismatch Code = "approval_mismatch" // the named ticket is for another call, agent or session
	ApprovalUnknown  Code = "approval_unknown"  // no ticket of that name
	TooManyTickets   Code = "too_many_tickets"  // the agent has too many open tickets
)

// Codes of input and of failures. Each is a BLOCK.
const (
	Malformed      Code = "malformed"       // not one strict JSON message
	UnknownMethod  Code = "unknown_method"  // a protocol method that neither passes nor is listed
	NoContract     Code = "no_contract"     // no contract is loaded
	FactsFailed    Code = "facts_failed"    // a fact could not be gathered
	NoEvidence     Code = "no_evidence"     // the decision could not be recorded
	OperandChanged Code = "operand_changed" // a file was exchanged between decision and grant
	Timeout        Code = "timeout"         // the deadline passed
	Internal       Code = "internal"        // a defect of licet, caught
)

// Codes lists every code once, in the order of this file. A test checks that
// docs/spec/reasons.md explains each.
func Codes() []Code {
	return []Code{
		AllowClause, Approved, ApproveClause,
		JudgeAllow, JudgeBlock, JudgeUnsure, JudgeNoVerdict, JudgeBreaker,
		UnknownAgent, Unauthenticated, NotListed, BlockedTool, InvalidArguments, NeverClause, NoClause,
		EvaluationError, LimitReached, LimitUncountable,
		Quarantined, CatalogUnverified,
		ApprovalOpen, ApprovalDenied, ApprovalExpired, ApprovalUsed, ApprovalVoid, ApprovalMismatch,
		ApprovalUnknown, TooManyTickets,
		Malformed, UnknownMethod, NoContract, FactsFailed, NoEvidence, OperandChanged, Timeout, Internal,
	}
}

// Reason explains a verdict.
type Reason struct {
	Code   Code   `json:"code"`
	Clause string `json:"clause,omitzero"` // path of the clause or limit in the contract: agents.support.tools["bank.pay"].allow[0]
	Detail string `json:"detail,omitzero"` // for operators: what matched or failed; never shown to the agent
}
