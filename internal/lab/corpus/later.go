package corpus

import "github.com/go-json-experiment/json/jsontext"

// hookInput is the input of a hook row.
type hookInput struct {
	Event     jsontext.Value `json:"event"`
	StdinRaw  string         `json:"stdin_raw"`
	Gate      jsontext.Value `json:"gate"`
	Allow     []string       `json:"allow"`
	Approve   []string       `json:"approve"`
	DenyRules []string       `json:"deny_rules"`
	Rules     jsontext.Value `json:"rules"`
	Matcher   string         `json:"matcher"`
	BudgetMS  int            `json:"budget_ms"`
	Primed    bool           `json:"session_primed"`
}

func translateHook(input []byte) (play, error) {
	var in hookInput
	if err := strict(input, &in); err != nil {
		return play{}, err
	}
	return play{}, Waits{"hooks", "a coding agent's event"}
}
