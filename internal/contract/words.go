package contract

// words are the words of one place of the language. Those of a later version
// are refused by name: silence about them would look like enforcement.
type words struct {
	place string
	known []string
	later []string
}

var (
	contractWords = words{"a contract",
		[]string{"version", "name", "catalogs", "agents", "approvals", "evidence"},
		[]string{"labels", "judge"}}
	catalogWords = words{"a catalog", []string{"pin", "tools", "resolve"}, nil}
	resolveWords = words{"resolve", []string{"none"}, nil}
	agentWords   = words{"an agent", []string{"tools", "limits"},
		[]string{"authenticate", "extends", "mode"}}
	shorthands = words{"a tool rule", []string{"allow", "approve", "block"}, []string{"judge"}}
	ruleWords  = words{"a tool rule", []string{"allow", "approve", "never", "limits"},
		[]string{"judge", "extra_arguments"}}
	conditionWords = words{"a clause", nil, []string{"$session", "$request", "$signal", "$when"}}
	limitWords     = words{"a limit", []string{"calls", "sum", "max", "per"}, []string{"by", "over"}}
	approvalWords  = words{"approvals", []string{"expire", "approvers", "quorum"}, nil}
	evidenceWords  = words{"evidence", []string{"redact"}, nil}
)
