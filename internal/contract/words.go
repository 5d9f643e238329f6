package contract

import "github.com/licet-dev/licet/internal/yamlwalk"

// The words of each place of the language.
var (
	contractWords = yamlwalk.Words{Place: "a contract",
		Known: []string{"version", "name", "catalogs", "labels", "agents", "approvals", "judge", "evidence"}}
	catalogWords = yamlwalk.Words{Place: "a catalog", Known: []string{"pin", "tools", "resolve"}}
	resolveWords = yamlwalk.Words{Place: "resolve", Known: []string{"none"}}
	agentWords   = yamlwalk.Words{Place: "an agent",
		Known: []string{"authenticate", "extends", "mode", "tools", "limits"}}
	authenticateWords = yamlwalk.Words{Place: "authenticate", Known: []string{"token"}}
	modeWords         = yamlwalk.Words{Place: "mode", Known: []string{"shadow"}}
	shorthands        = yamlwalk.Words{Place: "a tool rule", Known: []string{"allow", "judge", "approve", "block"}}
	ruleWords         = yamlwalk.Words{Place: "a tool rule",
		Known: []string{"allow", "judge", "approve", "never", "limits", "extra_arguments"}}
	extraWords     = yamlwalk.Words{Place: "extra_arguments", Known: []string{"allow"}}
	conditionWords = yamlwalk.Words{Place: "a clause",
		Known: []string{"$session", "$request", "$signal", "$when", approversWord, quorumWord}}
	limitWords      = yamlwalk.Words{Place: "a limit", Known: []string{"calls", "sum", "max", "per", "by", "over"}}
	byWords         = yamlwalk.Words{Place: "by", Known: []string{byAgent, byUser, bySession, byTool}}
	byArgumentWords = yamlwalk.Words{Place: "an entry of by", Known: []string{byArgument}}
	overWords       = yamlwalk.Words{Place: "over", Known: []string{"approve"}}
	approvalWords   = yamlwalk.Words{Place: "approvals", Known: []string{"expire", "approvers", "quorum"}}
	judgeWords      = yamlwalk.Words{Place: "judge", Known: append([]string{"model", "on_block", "on_no_verdict"}, modelWords...)}
	policyWords     = yamlwalk.Words{Place: "policy", Known: []string{RulesPolicy, ImplicitPolicy}}
	viewWords       = yamlwalk.Words{Place: "view", Known: []string{"+results", "-facts", "-signals"}, Later: []string{"+prose"}}
	outcomeWords    = yamlwalk.Words{Place: "an outcome of the judge", Known: []string{"block", "approve"}}
	evidenceWords   = yamlwalk.Words{Place: "evidence", Known: []string{"redact"}}
)

// modelWords are the words of judge that are about a model.
var modelWords = []string{"policy", "votes", "two_stage", "view"}

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
