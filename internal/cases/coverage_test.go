package cases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cases"
)

// measure returns what the cases of a text behind head do not exercise, and how
// many items there are.
func measure(t *testing.T, text string) (missing []string, all int) {
	t.Helper()
	results := play(t, text)
	want(t, cases.Passed, results)
	items, err := cases.Measure(t.Context(), results)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		if !it.Exercised {
			missing = append(missing, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", it.Line, it.Kind, strings.TrimPrefix(it.Clause, "agents."), it.Part)))
		}
	}
	return missing, len(items)
}

// everything exercises all of the shop's contract but what single tests take
// away.
var everything = []string{
	`{name: accounts, why: w, call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}`,
	`{name: wipe, why: w, call: {tool: wipe}, expect: {verdict: BLOCK, code: blocked_tool}}`,
	`{name: read, why: w, call: {tool: read, arguments: {path: "${workspace}/a"}}, expect: {verdict: ALLOW, code: allow_clause}}`,
	`{name: read elsewhere, why: w, call: {tool: read, arguments: {path: "${home}/a"}}, expect: {verdict: BLOCK, code: no_clause}}`,
	`{name: known, why: w, call: {tool: pay, arguments: {amount: 1, to: X1}, history: [{tool: accounts}]}, expect: {verdict: ALLOW, code: allow_clause}}`,
	`{name: too much, why: w, call: {tool: pay, arguments: {amount: 101, to: X1}, history: [{tool: accounts}]}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}`,
	`{name: unknown, why: w, call: {tool: pay, arguments: {amount: 1, to: X9}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}`,
	`{name: far too much, why: w, call: {tool: pay, arguments: {amount: 1001}}, expect: {verdict: BLOCK, code: no_clause}}`,
	`{name: nothing, why: w, call: {tool: pay, arguments: {amount: 0}}, expect: {verdict: BLOCK, code: no_clause}}`,
	`{name: nothing to a known account, why: w, call: {tool: pay, arguments: {amount: 0, to: X1}, history: [{tool: accounts}]}, expect: {verdict: BLOCK, code: no_clause}}`,
	`{name: evil, why: w, call: {tool: pay, arguments: {amount: 1, to: EVIL}, request: [EVIL]}, expect: {verdict: BLOCK, code: never_clause}}`,
	`{name: the seventh, why: w, call: {tool: pay, arguments: {amount: 1, ids: [1, 7]}}, expect: {verdict: BLOCK, code: never_clause}}`,
	`{name: the first, why: w, call: {tool: pay, arguments: {amount: 1, ids: [1]}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}`,
	`{name: often, why: w, steps: [{call: {tool: pay, arguments: {amount: 1, to: X1}, history: [{tool: accounts}]}, repeat: 5, expect: {verdict: ALLOW, code: allow_clause}}, ` +
		`{call: {tool: pay, arguments: {amount: 1, to: X1}, history: [{tool: accounts}]}, expect: {verdict: BLOCK, code: limit}}]}`,
	`{name: other, why: w, call: {tool: pay, agent: other, arguments: {amount: 1}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}`,
}

// sums exhausts the sum of a day.
const sums = `{name: a day, why: w, steps: [{call: {tool: pay, arguments: {amount: 1000}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}, {approve: ann}, ` +
	`{call: {tool: pay, arguments: {amount: 1000}}, expect: {verdict: ALLOW, code: approved}}, ` +
	`{call: {tool: pay, arguments: {amount: 999}}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}, {approve: ann}, ` +
	`{call: {tool: pay, arguments: {amount: 999}}, expect: {verdict: ALLOW, code: approved}}, ` +
	`{call: {tool: pay, arguments: {amount: 2}}, expect: {verdict: BLOCK, code: limit, clause: 'limits[1]'}}]}`

func list(cases []string) string { return "- " + strings.Join(cases, "\n- ") + "\n" }

// Without one case, exactly what it alone exercises is missing.
func TestMeasure(t *testing.T) {
	all := append(slices.Clone(everything), sums)
	if missing, n := measure(t, list(all)); len(missing) > 0 || n != 18 {
		t.Fatalf("of %d items these are not exercised:\n%s", n, strings.Join(missing, "\n"))
	}
	for name, lost := range map[string]string{
		"read elsewhere":             `13 constraint buyer.tools["shop.read"].allow[0] path path`,
		"too much":                   `16 constraint buyer.tools["shop.pay"].allow[0] amount max`,
		"nothing to a known account": `16 constraint buyer.tools["shop.pay"].allow[0] amount min`,
		"often":                      `24 limit buyer.tools["shop.pay"].limits[0]`,
		"a day":                      `25 limit buyer.tools["shop.pay"].limits[1]`,
	} {
		rest := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return strings.HasPrefix(c, "{name: "+name+",") })
		if len(rest) != len(all)-1 {
			t.Fatalf("no case %q", name)
		}
		if missing, _ := measure(t, list(rest)); len(missing) != 1 || missing[0] != lost {
			t.Errorf("without %q these are not exercised:\n%s\nwant\n%s", name, strings.Join(missing, "\n"), lost)
		}
	}
}

// A case that changes the contract is measured with its change.
func TestMeasureWithContractEdit(t *testing.T) {
	missing, _ := measure(t, list([]string{`{name: x, why: w, steps: [{contract: {replace: "max: 100}", with: "max: 10}"}}, ` +
		`{call: {tool: pay, arguments: {amount: 11, to: X1}, history: [{tool: accounts}]}, expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}}]}`}))
	if slices.ContainsFunc(missing, func(m string) bool { return strings.HasSuffix(m, "allow[0] amount max") }) {
		t.Errorf("not exercised:\n%s", strings.Join(missing, "\n"))
	}
}

// What is not played exercises nothing.
func TestMeasureNothing(t *testing.T) {
	if items, err := cases.Measure(t.Context(), nil); err != nil || len(items) > 0 {
		t.Errorf("measured %+v, %v", items, err)
	}
	results := play(t, list([]string{`{name: x, why: w, steps: [{approve: ann}, {call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}]}`}))
	items, err := cases.Measure(t.Context(), results)
	if err != nil || len(items) != 18 || slices.ContainsFunc(items, func(it cases.Item) bool { return it.Exercised }) {
		t.Errorf("measured %+v, %v", items, err)
	}
}

// Groups, conditions and agents that extend others are measured, too; who
// answers is no constraint. An agent in shadow mode answers as if enforced.
func TestMeasureWide(t *testing.T) {
	s := load(t, `contract: wide.yaml
defaults: {agent: clerk, server: shop}
cases:
  - name: a group
    why: the group lists accounts
    call: {tool: accounts}
    expect: {verdict: ALLOW, code: allow_clause, clause: "allow[0]"}
  - name: after looking
    why: the accounts were looked up
    steps:
      - call: {tool: accounts}
        expect: {verdict: ALLOW, code: allow_clause, clause: 'agents.clerk.tools["shop.a*"].allow[0]'}
      - call: {tool: pay, arguments: {amount: 1}}
        expect: {verdict: REQUIRE_APPROVAL, code: approve_clause}
      - approve: ann
      - call: {tool: pay, arguments: {amount: 1}}
        expect: {verdict: ALLOW, code: approved}
      - call: {tool: pay, arguments: {amount: 11}}
        expect: {verdict: BLOCK, code: no_clause}
  - name: a trainee
    why: a trainee pays nothing
    call: {tool: pay, agent: trainee, arguments: {amount: 1}}
    expect: {verdict: BLOCK, code: blocked_tool}
`)
	results, err := cases.Run(t.Context(), cases.Core{}, []*cases.Suite{s}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, cases.Passed, results)
	items, err := cases.Measure(t.Context(), results)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range items {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %v", strings.TrimPrefix(it.Clause, "agents."), it.Kind, it.Part, it.Exercised)))
	}
	wanted := []string{
		`clerk.tools["shop.a*"].allow[0] clause  true`,
		`clerk.tools["shop.pay"].approve[0] clause  true`,
		`clerk.tools["shop.pay"].approve[0] constraint amount max true`,
		`clerk.tools["shop.pay"].approve[0] constraint $session called false`,
		`trainee.tools["shop.pay"] clause  true`,
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("measured\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}
