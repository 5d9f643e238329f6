package contract

import "github.com/licet-dev/licet/internal/yamlwalk"

// The words of each place of the language.
var (
	contractWords = yamlwalk.Words{Place: "a contract",
		Known: []string{"version", "name", "catalogs", "agents", "approvals", "evidence"},
		Later: []string{"labels", "judge"}}
	catalogWords = yamlwalk.Words{Place: "a catalog", Known: []string{"pin", "tools", "resolve"}}
	resolveWords = yamlwalk.Words{Place: "resolve", Known: []string{"none"}}
	agentWords   = yamlwalk.Words{Place: "an agent", Known: []string{"tools", "limits"}, Later: []string{"authenticate", "extends", "mode"}}
	shorthands   = yamlwalk.Words{Place: "a tool rule", Known: []string{"allow", "approve", "block"}, Later: []string{"judge"}}
	ruleWords    = yamlwalk.Words{Place: "a tool rule",
		Known: []string{"allow", "approve", "never", "limits"}, Later: []string{"judge", "extra_arguments"}}
	conditionWords = yamlwalk.Words{Place: "a clause", Later: []string{"$session", "$request", "$signal", "$when"}}
	limitWords     = yamlwalk.Words{Place: "a limit", Known: []string{"calls", "sum", "max", "per"}, Later: []string{"by", "over"}}
	approvalWords  = yamlwalk.Words{Place: "approvals", Known: []string{"expire", "approvers", "quorum"}}
	evidenceWords  = yamlwalk.Words{Place: "evidence", Known: []string{"redact"}}
)
