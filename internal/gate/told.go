package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/judge"
)

// passing are the codes of refusals that end without another call: by
// themselves, or because somebody answers a ticket, approves a definition or
// loads a contract.
var passing = []authz.Code{
	authz.ApprovalOpen, authz.TooManyTickets, authz.LimitReached, authz.CatalogUnverified, authz.Quarantined,
	authz.NoContract, authz.FactsFailed, authz.NoEvidence, authz.OperandChanged, authz.Timeout, authz.Internal,
}

// Told is what an agent is told of a call that does not run: what became of it,
// code, decision, ticket and what to do, the same at every door. What the contract
// and the judge say, and why, is for operators. It is empty for an ALLOW.
//
// Three forms must not be taken for each other (judge.md, section 8): Blocked is
// about the user's words, Forbidden about rules that no words lift, Not decided
// about neither.
func (a Answer) Told() string {
	if a.Verdict == authz.Allow {
		return ""
	}
	word, code, rest := a.Verdict.String(), string(a.Code()), ""
	switch why := a.Code(); {
	case a.Ticket != nil:
		rest = fmt.Sprintf(". Ask your user to approve ticket %s with `licet approvals approve %s`, then repeat this exact call", a.Ticket.ID, a.Ticket.ID)
	case why == authz.JudgeBlock:
		word, rest = "Blocked", ": not authorized by the user's words; do not retry unchanged, ask the user"+named(a.Uncovered)
	case why == authz.JudgeUnsure:
		word, rest = "Blocked", ": whether the user's words authorize it cannot be told; do not retry unchanged, ask the user"
	case why == authz.JudgeBreaker:
		word, rest = "Blocked", ": too many calls were not authorized by the user's words, and no more are judged before the user writes again; ask the user"
	case why == authz.NeverClause || why == authz.BlockedTool:
		word, rest = "Forbidden", ": policy forbids this whatever the user says"
	case why == authz.JudgeNoVerdict:
		word, code, rest = "Not decided", cmp.Or(string(a.NoVerdict), code), ": no verdict was reached; this is not a finding against the action. "+retry(a.NoVerdict)
	case slices.Contains(passing, why):
		rest = ". It may be repeated later"
	default:
		rest = ". Repeating it unchanged will not help"
	}
	decision := ""
	if a.Evidence.ID != "" {
		decision = ", decision " + a.Evidence.ID
	}
	return fmt.Sprintf("licet: %s (%s)%s. The call did not run%s.", word, code, decision, rest)
}

// retry says whether and when one retry makes sense.
func retry(n judge.NoVerdict) string {
	switch after, again := n.Retry(); {
	case again && after == 0:
		return "One retry makes sense, at once"
	case again && after < time.Minute:
		return fmt.Sprintf("One retry makes sense, after %d seconds", after/time.Second)
	case again:
		return fmt.Sprintf("One retry makes sense, after %d min", after/time.Minute)
	case n.Alert():
		return "A retry makes no sense before an operator has looked"
	}
	return "A retry makes no sense; ask the user"
}

// maxNamed is how many effects an agent is told of.
const maxNamed = 20

// named says what of a call no words of the user name. The texts are of the
// agent's own call, and bounded.
func named(uncovered []string) string {
	if len(uncovered) == 0 {
		return ""
	}
	told, more := uncovered, ""
	if n := len(told) - maxNamed; n > 0 {
		told, more = told[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	lines := make([]string, len(told))
	for i, target := range told {
		lines[i] = evidence.Line(target)
	}
	return ". They do not name " + strings.Join(lines, ", ") + more
}
