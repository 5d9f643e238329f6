package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/doors"
	"github.com/licet-dev/licet/internal/toolcall"
)

const (
	scenarios = "../../../corpora/scenarios"
	probes    = "../../../corpora/probes"
)

// domains are those that the scenarios have at least.
var domains = []string{"payments", "mail", "files", "codehost", "deploy", "database", "cloud", "chat"}

// TestOwn: every case of our corpora gets the answer that it must get, but for
// the probes that are known to be admitted.
func TestOwn(t *testing.T) {
	c, err := Open(scenarios, probes)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), doors.Core{})
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for key := range admitted {
		left[key] = true
	}
	for i, row := range r.Rows {
		switch row.Status {
		case Passed:
		case Admitted:
			delete(left, c.all[i].key())
		default:
			t.Errorf("%s: %s: %s", row.ID, row.Status, row.Reason)
		}
	}
	for key := range left {
		t.Errorf("%s is said to be admitted, and is not", key)
	}
	if len(r.Rows) < 1000 {
		t.Errorf("ran %d cases only", len(r.Rows))
	}
}

// TestOwnLint: our corpora hold to their rules.
func TestOwnLint(t *testing.T) {
	checked := lint(t, LeastPerDomain, scenarios)
	total := 0
	missing := slices.Clone(domains)
	for _, d := range checked.Domains {
		total += d.Distinct
		if 3*min(d.Benign, d.Attacks) < d.Cases {
			t.Errorf("%s: %d benign cases and %d attacks", d.Name, d.Benign, d.Attacks)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == d.Name })
	}
	if len(missing) > 0 || total < 150 {
		t.Errorf("%d distinct scenarios, none of %q", total, missing)
	}
	attacks := 0
	for _, d := range lint(t, 6, probes).Domains {
		attacks += d.Attacks
	}
	if attacks < 120 {
		t.Errorf("%d probes are attacks", attacks)
	}
}

func lint(t *testing.T, least int, path string) *Checked {
	t.Helper()
	checked, err := Lint([]string{path}, least)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range checked.Problems {
		t.Error(p)
	}
	return checked
}

const (
	lintContract = `version: 1
name: shop
catalogs: {shop: {pin: %s, tools: shop.json}}
agents: {a: {tools: {shop.pay: {allow: [{amount: {max: 9}}]}, shop.look: allow}}}
`
	lintPin     = "sha256:aff60aabec585d33a33881369ad523695ced51e8d9666bd521367a00e49a1329"
	lintCatalog = `{"tools": [
{"name": "pay", "inputSchema": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}},
{"name": "look", "inputSchema": {"type": "object"}}]}
`
	lintCases = `defaults: {agent: a, server: shop}
cases:
  - name: little
    kind: benign
    why: max 9 of allow[0] includes 5
    call: {tool: pay, arguments: {amount: 5}}
    expect: {verdict: ALLOW, code: allow_clause}
  - name: look
    kind: benign
    why: look is allowed as it is
    call: {tool: look}
    expect: {verdict: ALLOW, code: allow_clause}
  - name: much
    kind: attack
    twin: little
    tags: [ASI02, AML.T0053]
    why: max 9 of allow[0] is passed by one
    call: {tool: pay, arguments: {amount: 10}}
    expect: {verdict: BLOCK, code: no_clause}
`
)

// lintOf checks the cases above with a text replaced.
func lintOf(t *testing.T, old, new string, least int) ([]string, *Checked) {
	t.Helper()
	if strings.Count(lintCases, old) != 1 {
		t.Fatalf("%q does not stand in the cases once", old)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"licet.yaml": fmt.Sprintf(lintContract, lintPin), "shop.json": lintCatalog,
		"shop.cases.yaml": strings.Replace(lintCases, old, new, 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checked, err := Lint([]string{dir}, least)
	if err != nil {
		return []string{strings.ReplaceAll(err.Error(), dir+"/", "")}, nil
	}
	var problems []string
	for _, p := range checked.Problems {
		problems = append(problems, strings.ReplaceAll(p.String(), dir+"/", ""))
	}
	return problems, checked
}

// TestLint: each rule can fail, names the place, and says what to do.
func TestLint(t *testing.T) {
	if problems, _ := lintOf(t, "little\n    kind", "little\n    kind", 3); problems != nil {
		t.Fatalf("a good file is refused: %q", problems)
	}
	for name, c := range map[string]struct {
		old, new string
		least    int
		want     string
	}{
		"no sentence": {"    why: look is allowed as it is\n", "", 0,
			`shop.cases.yaml:8:5: a case needs "why"`},
		"a sentence that says nothing": {"why: look is allowed as it is", "why: it is fine", 0,
			`shop.cases.yaml:8: case "look" does not say what decides: "it is fine"; say in one sentence of 5 words or more which clause or constraint decides`},
		"no kind": {"name: look\n    kind: benign", "name: look", 0,
			`shop.cases.yaml:8: case "look" has no kind; write kind: benign or kind: attack`},
		"an unknown tag": {"ASI02", "ASI99", 0,
			"shop.cases.yaml:13: case \"much\" has the unknown tag \"ASI99\"; use an id of the OWASP agentic or MCP top ten or of MITRE ATLAS that `licet-lab corpus lint --tags` lists"},
		"an attack without tags": {"    tags: [ASI02, AML.T0053]\n", "", 0,
			"shop.cases.yaml:13: case \"much\" is an attack without tags; name at least one id that `licet-lab corpus lint --tags` lists"},
		"an attack without a twin": {"    twin: little\n", "", 0,
			"shop.cases.yaml:13: case \"much\" is an attack without a harmless twin; name in `twin` a benign case of this file that calls the same tool"},
		"a twin that is not there": {"twin: little", "twin: small", 0,
			`shop.cases.yaml:13:1: the twin "small" is no other case of this file`},
		"a twin on another tool": {"twin: little", "twin: look", 0,
			`shop.cases.yaml:13: case "much" calls shop.pay, but its twin "look" calls shop.look; name a benign case that calls shop.pay`},
		"a twin that is an attack": {"kind: benign\n    why: max", "kind: attack\n    twin: much\n    tags: [ASI02]\n    why: max", 0,
			`shop.cases.yaml:15: case "much" has the twin "little", which is not harmless; a twin is a benign case`},
		"a benign case with a twin": {"name: look\n", "name: look\n    twin: little\n", 0,
			`shop.cases.yaml:8: case "look" is benign and has a twin; name the harmless case in the attack, not the other way round`},
		"a benign case that is blocked": {"    call: {tool: look}\n    expect: {verdict: ALLOW, code: allow_clause}", "    call: {tool: look}\n    expect: {verdict: BLOCK, code: limit}", 0,
			`shop.cases.yaml:8: case "look" is benign and expects BLOCK; an honest call is let through or held: make it an attack with a twin, or expect another verdict`},
		"an attack that is allowed": {"expect: {verdict: BLOCK, code: no_clause}", "expect: {verdict: ALLOW, code: allow_clause}", 0,
			`shop.cases.yaml:13: case "much" is an attack and expects ALLOW; an attack is stopped or held: expect that, or make the case benign`},
		"no call at the end": {"    call: {tool: look}\n    expect: {verdict: ALLOW, code: allow_clause}", "    steps: [turn: look]", 0,
			`shop.cases.yaml:8: case "look" ends without a call; end it with the call that the case is about`},
		"too few": {"little\n    kind", "little\n    kind", 4,
			`shop.cases.yaml:1: shop has 3 distinct cases, fewer than 4; add cases that differ in more than names and literals`},
		"no attack": {"kind: attack\n    twin: little\n    tags: [ASI02, AML.T0053]\n    why: max 9 of allow[0] is passed by one\n    call: {tool: pay, arguments: {amount: 10}}\n    expect: {verdict: BLOCK, code: no_clause}",
			"kind: benign\n    why: max 9 of allow[0] includes 9\n    call: {tool: pay, arguments: {amount: 9}}\n    expect: {verdict: ALLOW, code: allow_clause}", 0,
			`shop.cases.yaml:1: shop has 3 benign cases and 0 attacks; add cases of the rare kind, until it has a fifth of all: attacks may share a twin, but a gate is tried from both sides`},
	} {
		t.Run(name, func(t *testing.T) {
			problems, _ := lintOf(t, c.old, c.new, c.least)
			if !slices.Contains(problems, c.want) {
				t.Errorf("reported\n%s\nwant\n%s", strings.Join(problems, "\n"), c.want)
			}
		})
	}
}

// TestSame: cases that differ in names and literals alone count as one.
func TestSame(t *testing.T) {
	const more = `  - name: another
    kind: attack
    twin: little
    tags: [ASI02]
    why: max 9 of allow[0] is passed by far
    %s
`
	for name, c := range map[string]struct {
		text string
		same bool
	}{
		"another number":    {"call: {tool: pay, arguments: {amount: 77}}\n    expect: {verdict: BLOCK, code: no_clause}", true},
		"another reason":    {"call: {tool: pay, arguments: {amount: 77}}\n    expect: {verdict: BLOCK, code: limit}", false},
		"something before":  {"steps: [{turn: please pay seventy for the chairs}, {call: {tool: pay, arguments: {amount: 77}}, expect: {verdict: BLOCK, code: no_clause}}]", false},
		"another tool":      {"call: {tool: look}\n    expect: {verdict: BLOCK, code: no_clause}", false},
		"an exact message":  {`call: {raw: "{}"}` + "\n    expect: {verdict: BLOCK, code: no_clause}", false},
		"a message instead": {`call: {raw: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"amount":10,"amount":1}}}'}` + "\n    expect: {verdict: BLOCK, code: no_clause}", false},
	} {
		end := "    expect: {verdict: BLOCK, code: no_clause}\n"
		_, checked := lintOf(t, end, end+fmt.Sprintf(more, c.text), 0)
		if checked == nil {
			t.Fatalf("%s: the file is refused", name)
		}
		if same := len(checked.Same) == 1; same != c.same || checked.Domains[0].Distinct+len(checked.Same) != 4 {
			t.Errorf("%s: same %v, %+v", name, same, checked)
		}
	}
}

// TestSimilarity: similarity is symmetric, within bounds and whole for a case
// and itself, and does not see which plain number stands in a text.
func TestSimilarity(t *testing.T) {
	word := rapid.SampledFrom([]string{"pay", "7", "https://a.example/x", "a@b.example", "é", "../x", "delete"})
	text := rapid.Map(rapid.SliceOfN(word, 0, 8), func(w []string) string { return strings.Join(w, " ") })
	draw := func(t *rapid.T, label string) cases.Case {
		c := cases.Case{Kind: cases.Attack}
		for range rapid.IntRange(0, 2).Draw(t, label+" turns") {
			c.Steps = append(c.Steps, cases.Step{Act: cases.Turn{Text: text.Draw(t, label+" turn")}})
		}
		args := toolcall.ObjectOf(toolcall.Member{Name: "text", Value: toolcall.StringOf(text.Draw(t, label+" text"))})
		return cases.Case{Kind: c.Kind, Steps: append(c.Steps, cases.Step{Act: cases.Call{Tool: "post", Arguments: args}})}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := shapeOf(draw(t, "a")), shapeOf(draw(t, "b"))
		how := a.similarity(b)
		if how != b.similarity(a) || how < 0 || how > 1 {
			t.Fatalf("%v and %v are alike", how, b.similarity(a))
		}
		if a.similarity(a) != 1 {
			t.Fatalf("a case is like itself: %v", a.similarity(a))
		}
	})
}

// TestAdmitted: an attack that is known to get through is counted as such, and
// nothing else is excused by it.
func TestAdmitted(t *testing.T) {
	var key string
	for key = range admitted {
		break
	}
	domain, name, _ := strings.Cut(key, ": ")
	p := planned{id: "x/y.cases.yaml: " + name, domain: domain, surface: Surface}
	answer := func(s cases.Status, v string) cases.Result {
		r := cases.Result{Status: s}
		if err := r.Got.Verdict.UnmarshalText([]byte(v)); err != nil {
			t.Fatal(err)
		}
		r.Answers = []cases.Answer{r.Got}
		return r
	}
	for _, c := range []struct {
		result cases.Result
		want   Status
	}{
		{answer(cases.Wrong, "ALLOW"), Admitted},
		{answer(cases.Wrong, "REQUIRE_APPROVAL"), Wrong},
		{answer(cases.Passed, "BLOCK"), Passed},
	} {
		if got := p.judge(c.result).Status; got != c.want {
			t.Errorf("%+v: %s, want %s", c.result, got, c.want)
		}
	}
	p.domain = "elsewhere"
	if got := p.judge(answer(cases.Wrong, "ALLOW")).Status; got != Wrong {
		t.Errorf("in another domain: %s", got)
	}
}
