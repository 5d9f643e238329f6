package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestPageExamples loads every contract of the page. One that is followed by
// "is refused" and a text is refused with that text.
func TestPageExamples(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n(?:\nis refused:\n\n```text\n(.*?)\n```)?").FindAllStringSubmatch(page(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("the page has %d examples: the test is not looking", len(blocks))
	}
	for _, b := range blocks {
		said := ""
		if _, err := Load("licet.yaml", []byte(b[1]), openTestdata); err != nil {
			said = err.Error()
		}
		if said != b[2] {
			t.Errorf("%s\nis refused with %q, want %q", b[1], said, b[2])
		}
	}
}

// TestSpecificationExample loads the worked example of the specification, which
// uses a catalog of a later version, and a policy in a file, which stands in the
// operator's file of models and not in a contract: nothing else is wrong with it.
func TestSpecificationExample(t *testing.T) {
	text, err := openTestdata("specification/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := openTestdata("catalogs/bank.json")
	if err != nil {
		t.Fatal(err)
	}
	bank, err := catalog.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Load("example.yaml", []byte(strings.ReplaceAll(string(text), "BANK", bank.Digest())), openTestdata)
	const want = "example.yaml:7:9: the catalog \"builtin/1\" is not in this version of licet\n" +
		"example.yaml:55:40: unknown word \"policies/rules.md\" in policy: expected rules or implicit"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestPageNamesEveryWord(t *testing.T) {
	text := page(t)
	all := []yamlwalk.Words{contractWords, catalogWords, resolveWords, agentWords, authenticateWords, modeWords,
		shorthands, ruleWords, extraWords, conditionWords, limitWords, byWords, byArgumentWords, overWords,
		approvalWords, judgeWords, outcomeWords, policyWords, viewWords, evidenceWords, {Place: "a clause", Known: constraint.Conditions()}, {Place: "a constraint", Known: constraint.Kinds()}}
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
	refused := 0
	for _, row := range table {
		args, err := toolcall.Parse([]byte(row[1]), toolcall.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		allow := tableRule(t, bank, approved.Digest(), "allow: ["+flow(row[0])+"]").Allow[0]
		permits, _, err := allow.Permits(args, constraint.Answers{})
		if err != nil || permits != (row[2] == "yes") {
			t.Errorf("%s permits %s: %v, %v", row[0], row[1], permits, err)
		}
		never := tableRule(t, bank, approved.Digest(), "allow: [{}], never: ["+flow(row[0])+"]")
		if (never == nil) != (row[3] == "refused") {
			t.Errorf("%s in never: refused is %v", row[0], never == nil)
		}
		if never == nil {
			refused++
			continue
		}
		forbids, _, err := never.Never[0].Forbids(args, constraint.Answers{})
		if err != nil || forbids != (row[3] == "yes") {
			t.Errorf("%s forbids %s: %v, %v", row[0], row[1], forbids, err)
		}
	}
	if refused < 10 {
		t.Errorf("only %d rows are refused in never", refused)
	}
}

// flow returns a clause of the page in braces.
func flow(clause string) string {
	if clause == "{}" {
		return clause
	}
	argument, constraints, _ := strings.Cut(clause, ": ")
	if strings.HasPrefix(argument, "$when") {
		constraints = "'" + constraints + "'"
	}
	return fmt.Sprintf("{%q: %s}", argument, constraints)
}

// tableRule loads a rule for bank.send_batch; nil if it is refused.
func tableRule(t *testing.T, bank []byte, pin, rule string) *Rule {
	t.Helper()
	text := fmt.Sprintf("version: 1\nname: table\ncatalogs: {bank: {pin: %q, tools: bank.json}}\nagents: {a: {tools: {bank.send_batch: {%s}}}}\n", pin, rule)
	c, err := Load("t", []byte(text), func(string) ([]byte, error) { return bank, nil })
	if err != nil {
		if strings.HasPrefix(rule, "allow: [{}]") {
			return nil
		}
		t.Fatalf("%s: %v", rule, err)
	}
	return c.Agent("a").Rule("bank", ToolsCall, "send_batch")
}

// TestPageListsMethods compares the table of methods with their schemas.
func TestPageListsMethods(t *testing.T) {
	table := rows(t, page(t), "method")
	var names []string
	for _, row := range table {
		names = append(names, row[0])
		properties := methods()[row[0]].InputSchema().Get("properties")
		for i := range properties.Len() {
			if name, _ := properties.Member(i); !strings.Contains(row[1], name) {
				t.Errorf("the page does not list %s of %s", name, row[0])
			}
		}
	}
	if !slices.Equal(names, Methods()) {
		t.Errorf("the page lists %v", names)
	}
}
