package contract

import (
	"slices"

	"github.com/licet-dev/licet/internal/yamlfmt"
)

// Format returns the text of a contract in its canonical layout: keys in the
// order of this package's words, an indentation of two spaces, one clause or
// limit an entry, short constraints in one line. Comments are kept, and so is
// the digest. name stands for the text in problems. A text need not load, but
// its YAML must be clean; otherwise the error is [Problems].
func Format(name string, text []byte) ([]byte, error) {
	return yamlfmt.Format(name, "contract", text, layout)
}

// layout is how contracts are written. Rules, clauses and limits have lines of
// their own; what they say is short.
func layout(path []string) (block bool, order []string) {
	switch {
	case len(path) == 0:
		return true, contractWords.Known
	case path[0] == "catalogs":
		return len(path) <= 2, catalogWords.Known
	case path[0] == "approvals":
		return false, approvalWords.Known
	case path[0] == "agents" && len(path) > 1:
		return agentLayout(path[2:])
	}
	return path[0] == "agents" || path[0] == "labels" && len(path) == 1, nil
}

// agentLayout is how an agent is written; path begins at the agent.
func agentLayout(path []string) (block bool, order []string) {
	switch {
	case len(path) == 0:
		return true, agentWords.Known
	case path[0] == "limits":
		return limitLayout(path[1:])
	case path[0] != "tools":
		return false, nil
	case len(path) == 2:
		return true, slices.Concat(ruleWords.Known, ruleWords.Later)
	case len(path) > 2 && path[2] == "limits":
		return limitLayout(path[3:])
	}
	return len(path) <= 4, nil
}

// limitLayout is how limits are written; path begins at their list.
func limitLayout(path []string) (block bool, order []string) {
	if len(path) == 1 {
		return false, limitWords.Known
	}
	return len(path) == 0, nil
}
