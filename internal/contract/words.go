package contract

import "github.com/licet-dev/licet/internal/yamlwalk"

// The words of each place of the language.
var (
	contractWords = yamlwalk.Words{Place: "a contract",
		Known: []string{"version", "name", "catalogs", "labels", "agents", "approvals", "evidence"},
		Later: []string{"judge"}}
	catalogWords = yamlwalk.Words{Place: "a catalog", Known: []string{"pin", "tools", "resolve"}}
	resolveWords = yamlwalk.Words{Place: "resolve", Known: []string{"none"}}
	agentWords   = yamlwalk.Words{Place: "an agent",
		Known: []string{"authenticate", "extends", "mode", "tools", "limits"}}
	authenticateWords = yamlwalk.Words{Place: "authenticate", Known: []string{"token"}}
	modeWords         = yamlwalk.Words{Place: "mode", Known: []string{"shadow"}}
	shorthands        = yamlwalk.Words{Place: "a tool rule", Known: []string{"allow", "approve", "block"}, Later: []string{"judge"}}
	ruleWords         = yamlwalk.Words{Place: "a tool rule",
		Known: []string{"allow", "approve", "never", "limits", "extra_arguments"}, Later: []string{"judge"}}
	extraWords     = yamlwalk.Words{Place: "extra_arguments", Known: []string{"allow"}}
	conditionWords = yamlwalk.Words{Place: "a clause",
		Known: []string{"$session", "$request", "$when", approversWord, quorumWord}, Later: []string{"$signal"}}
	limitWords      = yamlwalk.Words{Place: "a limit", Known: []string{"calls", "sum", "max", "per", "by", "over"}}
	byWords         = yamlwalk.Words{Place: "by", Known: []string{byAgent, byUser, bySession, byTool}}
	byArgumentWords = yamlwalk.Words{Place: "an entry of by", Known: []string{byArgument}}
	overWords       = yamlwalk.Words{Place: "over", Known: []string{"approve"}}
	approvalWords   = yamlwalk.Words{Place: "approvals", Known: []string{"expire", "approvers", "quorum"}}
	evidenceWords   = yamlwalk.Words{Place: "evidence", Known: []string{"redact"}}
)

// Who answers the calls of one approve clause.
const (
	approversWord = "$approvers"
	quorumWord    = "$quorum"
)

// How a limit splits its count.
const (
	byAgent    = "agent"
	byUser     = "user"
	bySession  = "session"
	byTool     = "tool"
	byArgument = "argument" // {argument: NAME}
)
