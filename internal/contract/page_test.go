package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// page returns the page that describes the language to its users.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "spec", "contract.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rows returns the cells of the table whose header begins with header, with
// the backquotes of code taken off.
func rows(t *testing.T, text, header string) [][]string {
	t.Helper()
	_, rest, found := strings.Cut(text, "\n| "+header+" |")
	if !found {
		t.Fatalf("no table with the header %s", header)
	}
	lines := strings.Split(rest, "\n")[2:]
	var all [][]string
	for _, line := range lines {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], "`")
		}
		all = append(all, cells)
	}
	return all
}

func openTestdata(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join("testdata", filepath.FromSlash(path)))
}

func TestPageExamplesLoad(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(blocks) < 2 {
		t.Fatalf("the page has %d examples: the test is not looking", len(blocks))
	}
	for _, b := range blocks {
		if _, err := Load("contract.md", []byte(b[1]), openTestdata); err != nil {
			t.Errorf("%v\n%s", err, b[1])
		}
	}
}

func TestPageNamesEveryWord(t *testing.T) {
	text := page(t)
	all := []yamlwalk.Words{contractWords, catalogWords, resolveWords, agentWords, shorthands, ruleWords, conditionWords,
		limitWords, approvalWords, evidenceWords, {Place: "a constraint", Known: constraint.Kinds(), Later: constraint.Later()}}
	seen := 0
	for _, w := range all {
		for _, word := range w.Known {
			seen++
			if !regexp.MustCompile("[`{ ]" + regexp.QuoteMeta(word) + "[`:]").MatchString(text) {
				t.Errorf("the page does not explain %q of %s", word, w.Place)
			}
		}
	}
	reserved := fmt.Sprint(rows(t, text, "where"))
	for _, w := range all {
		for _, word := range w.Later {
			seen++
			if !strings.Contains(reserved, word) {
				t.Errorf("the page does not reserve %q of %s", word, w.Place)
			}
		}
	}
	if seen < 50 {
		t.Errorf("looked at %d words only", seen)
	}
}

func TestPageListsGuardedFiles(t *testing.T) {
	var want [][]string
	for _, g := range constraint.GuardedPatterns() {
		want = append(want, []string{g.Pattern, g.Why})
	}
	if got := rows(t, page(t), "files"); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("the page lists\n%q\nwant\n%q", got, want)
	}
}

// TestPageSafeSide runs the table of values on both sides.
func TestPageSafeSide(t *testing.T) {
	bank, err := openTestdata("catalogs/bank.json")
	if err != nil {
		t.Fatal(err)
	}
	table := rows(t, page(t), "clause")
	if len(table) < 20 {
		t.Fatalf("the table has %d rows: the test is not looking", len(table))
	}
	approved, err := catalog.Parse(bank)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table {
		text := strings.NewReplacer("PIN", approved.Digest(), "CLAUSE", row[0]).Replace(`version: 1
name: table
catalogs: {bank: {pin: PIN, tools: bank.json}}
agents:
  a:
    tools:
      bank.send_batch:
        allow:
          - CLAUSE
        never:
          - CLAUSE
`)
		c, err := Load("t", []byte(text), func(string) ([]byte, error) { return bank, nil })
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		args, err := toolcall.Parse([]byte(row[1]), toolcall.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		r := c.Agent("a").Rule("bank", ToolsCall, "send_batch")
		permits, _, err := r.Allow[0].Permits(args, constraint.Answers{})
		if err != nil || permits != (row[2] == "yes") {
			t.Errorf("%s permits %s: %v, %v", row[0], row[1], permits, err)
		}
		forbids, _, err := r.Never[0].Forbids(args, constraint.Answers{})
		if err != nil || forbids != (row[3] == "yes") {
			t.Errorf("%s forbids %s: %v, %v", row[0], row[1], forbids, err)
		}
	}
}
