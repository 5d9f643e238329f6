package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// lists are the clauses of bank.send_money by their word, as flow YAML.
type lists map[string][]string

// clause draws one clause.
var clause = rapid.Custom(func(t *rapid.T) string {
	constraints := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"amount: {min: 1}", "amount: {max: 10}", "amount: {in: [1, 5, 50]}", `recipient: {pattern: "DE.*"}`,
		"recipient: {not_in: [DE1, DE2]}", "note: {length: {max: 5}}", "urgent: {const: true}",
		`note: {url: {hosts: [a.example]}}`, `recipient: {email: {domains: [a.example]}}`,
		`$when: "has(call.arguments.urgent) && call.arguments.urgent == true"`, "$request: {mentions: [pay]}", "$session: {called: [bank.get_balance]}",
	}), 0, 3, func(c string) string { return strings.SplitN(c, ":", 2)[0] }).Draw(t, "constraints")
	return "{" + strings.Join(constraints, ", ") + "}"
})

func drawLists(t *rapid.T) lists {
	return lists{
		"allow":   rapid.SliceOfN(clause, 1, 3).Draw(t, "allow"),
		"approve": rapid.SliceOfN(clause, 1, 3).Draw(t, "approve"),
		"never":   rapid.SliceOfN(clause, 1, 3).Draw(t, "never"),
	}
}

// drawCall draws arguments, some of them of the wrong type.
func drawCall(t *rapid.T) toolcall.Value {
	member := func(name string, values ...string) string {
		return fmt.Sprintf("%q: %s", name, rapid.SampledFrom(values).Draw(t, name))
	}
	return args(t, "{"+strings.Join([]string{
		member("amount", "0.5", "1", "5.0", "50", `"5"`, "null"),
		member("recipient", `"DE1"`, `"DE3"`, `"FR1"`, `"x@a.example"`, "7", "null"),
		member("note", `"hi"`, `"https://a.example/"`, `"good morning"`, "null"),
		member("urgent", "true", "false", "null"),
	}, ", ")+"}")
}

// rule loads a contract with these clauses.
func (l lists) rule(t rapid.TB) *contract.Rule {
	text := "version: 1\nname: drawn\ncatalogs: {bank: {pin: BANK, tools: catalogs/bank.json}}\n" +
		"agents: {a: {tools: {bank.send_money: {"
	for _, word := range slices.Sorted(maps.Keys(l)) {
		text += fmt.Sprintf("%s: [%s], ", word, strings.Join(l[word], ", "))
	}
	return load(t, text+"}}}}\n").Agent("a").Rule("bank", contract.ToolsCall, "send_money")
}

// with returns l with one more clause under word.
func (l lists) with(word, clause string) lists {
	more := maps.Clone(l)
	more[word] = append(slices.Clone(l[word]), clause)
	return more
}

// verdict applies the order of rule 1 to the clauses of a rule.
func verdict(t rapid.TB, r *contract.Rule, call toolcall.Value) authz.Verdict {
	holds := func(clauses []*contract.Clause, side func(*contract.Clause, toolcall.Value, constraint.Answers) (bool, contract.Miss, error)) bool {
		return slices.ContainsFunc(clauses, func(k *contract.Clause) bool {
			ok, _, err := side(k, call, constraint.Answers{})
			if err != nil {
				t.Fatalf("%s: %v", k.Path(), err)
			}
			return ok
		})
	}
	switch {
	case holds(r.Never, (*contract.Clause).Forbids):
		return authz.Block
	case holds(r.Allow, (*contract.Clause).Permits):
		return authz.Allow
	case holds(r.Approve, (*contract.Clause).Permits):
		return authz.RequireApproval
	}
	return authz.Block
}

func TestClausesAreUnordered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, call := drawLists(t), drawCall(t)
		moved := lists{}
		for _, word := range slices.Sorted(maps.Keys(l)) {
			moved[word] = rapid.Permutation(l[word]).Draw(t, "moved "+word)
		}
		if a, b := verdict(t, l.rule(t), call), verdict(t, moved.rule(t), call); a != b {
			t.Errorf("%v gives %s, %v gives %s for %s", l, a, moved, b, call.Canonical())
		}
	})
}

func TestClausesWidenAndNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, call, more := drawLists(t), drawCall(t), clause.Draw(t, "more")
		before := verdict(t, l.rule(t), call)
		for _, word := range []string{"allow", "approve"} {
			if after := verdict(t, l.with(word, more).rule(t), call); after < before {
				t.Errorf("%s %s turns %s into %s", word, more, before, after)
			}
		}
		if after := verdict(t, l.with("never", more).rule(t), call); after > before {
			t.Errorf("never %s turns %s into %s", more, before, after)
		}
	})
}

// TestAbsentPermitsNothing checks that a clause about some argument never holds
// for a call without arguments.
func TestAbsentPermitsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := clause.Filter(func(c string) bool { return c != "{}" }).Draw(t, "clause")
		l := lists{"allow": {asked}}
		if v := verdict(t, l.rule(t), args(t, "{}")); v != authz.Block {
			t.Errorf("%s gives %s for a call without arguments", asked, v)
		}
	})
}

// TestExtendsNeverWidens draws an agent and one that extends it: whatever the
// extension says, a call gets no wider verdict, no argument that the other
// refuses, and is counted by every limit of the other.
func TestExtendsNeverWidens(t *testing.T) {
	rules := func(t *rapid.T, name string) string {
		key := rapid.SampledFrom([]string{"bank.send_money", `"bank.*"`, `"bank.send_*"`}).Draw(t, name+" key")
		limits := rapid.SampledFrom([]string{"", ", limits: [{calls: 3, per: 1d}]", ", limits: [{sum: amount, max: 5, per: 1d, by: [tool]}]"}).Draw(t, name+" limits")
		if key == `"bank.*"` { // its tools have no argument in common
			return key + ": " + rapid.SampledFrom([]string{"allow", "approve", "block"}).Draw(t, name+" word")
		}
		if key == `"bank.send_*"` {
			return key + ": {allow: [{}], limits: [{calls: 2, per: 1h}]}"
		}
		text, drawn := "", drawLists(t)
		for _, word := range slices.Sorted(maps.Keys(drawn)) {
			text += fmt.Sprintf("%s: [%s], ", word, strings.Join(drawn[word], ", "))
		}
		return key + ": {" + strings.TrimSuffix(text, ", ") + limits + "}"
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "version: 1\nname: drawn\ncatalogs: {bank: {pin: BANK, tools: catalogs/bank.json}}\nagents:\n"
		text += "  b: {extends: a, tools: {" + rules(t, "b") + "}}\n  a: {tools: {" + rules(t, "a") + "}, limits: [{calls: 9, per: 1d}]}\n"
		c := load(t, text)
		call := drawCall(t)
		base := c.Agent("a").Rule("bank", contract.ToolsCall, "send_money")
		extension := c.Agent("b").Rule("bank", contract.ToolsCall, "send_money")
		if extension == nil {
			t.Fatalf("not listed any more in\n%s", text)
		}
		if after, before := chain(t, extension, call), chain(t, base, call); after > before {
			t.Errorf("%s becomes %s in\n%s", before, after, text)
		}
		if base.Check(call) != nil && extension.Check(call) == nil {
			t.Errorf("arguments are taken that a refuses in\n%s", text)
		}
		limits := map[string]bool{}
		if takes, err := extension.Takes(contract.Caller{}, call); err == nil {
			for _, take := range takes {
				limits[take.Clause] = true
			}
			takes, err = base.Takes(contract.Caller{}, call)
			for _, take := range takes {
				if !limits[take.Clause] {
					t.Errorf("%s does not count in\n%s", take.Clause, text)
				}
			}
			if err != nil {
				t.Errorf("b counts what a cannot: %v", err)
			}
		}
	})
}

// chain returns the strictest verdict of a rule and those that it extends.
func chain(t rapid.TB, r *contract.Rule, call toolcall.Value) authz.Verdict {
	v := authz.Allow
	for ; r != nil; r = r.Base() {
		if r.Blocked {
			return authz.Block
		}
		v = min(v, verdict(t, r, call))
	}
	return v
}
