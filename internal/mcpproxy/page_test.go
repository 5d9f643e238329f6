package mcpproxy

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

// row is a method as docs/spec/mcp.md shows it.
func (m Method) row() string {
	what := "passes"
	if m.Judged {
		what = "judged"
	}
	return fmt.Sprintf("| %s | `%s` | %s | %s | %s |", m.From, m.Name, what, cmp.Or(m.Since, "–"), cmp.Or(m.Until, "–"))
}

// TestPage: docs/spec/mcp.md has the table of methods as it is.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/spec/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range Methods() {
		rows = append(rows, m.row())
	}
	if table := strings.Join(rows, "\n"); len(rows) < 30 || !strings.Contains(string(page), "|---|---|---|---|---|\n"+table+"\n\n") {
		t.Errorf("docs/spec/mcp.md does not have the methods as they are:\n%s", table)
	}
}
