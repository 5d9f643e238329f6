package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/explain"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

// gather answers what a contract asks about calls: the given texts were stated,
// paths lead where they say, and this much is used up of each limit.
func gather(t testing.TB, c *contract.Contract, used string, stated ...string) func(toolcall.Call) (decide.Facts, error) {
	amount, err := toolcall.ParseDecimal(used)
	if err != nil {
		t.Fatal(err)
	}
	return func(call toolcall.Call) (decide.Facts, error) {
		f := decide.Facts{Caller: contract.Caller{Session: "s"}, Speaks: authz.Credential{Operator: true}, Live: catalog.Pinned, Used: map[authz.TakeKey]toolcall.Decimal{}}
		f.Answers = constraint.Answers{Stated: map[string]bool{}, Files: map[string]constraint.File{}, Places: constraint.Places{Workspace: "/w"},
			Session: constraint.Session{Known: true}, Digests: map[string][]string{}}
		if c.Agent(call.Agent) == nil || c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool) == nil {
			return f, nil
		}
		rule := c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool)
		for _, q := range rule.Questions(call.Arguments) {
			switch {
			case q.Stated != nil:
				f.Answers.Stated[q.Key] = slices.Contains(stated, q.Stated.Value.Text())
			case q.File != nil:
				f.Answers.Files[q.Key] = constraint.File{Path: q.File.Text}
			case q.Digest != nil:
				f.Answers.Digests[q.Key] = make([]string, len(q.Digest.Values))
			}
		}
		takes, err := rule.Takes(f.Caller, call.Arguments)
		if err != nil {
			return f, nil
		}
		for _, take := range takes {
			f.Used[take.Key()] = amount
		}
		return f, nil
	}
}

func explained(t testing.TB, c *contract.Contract, call toolcall.Call, world func(toolcall.Call) (decide.Facts, error)) explain.Explanation {
	t.Helper()
	facts, err := world(call)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(c, call, facts, world)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// words returns the changes in short: "amount 5000 -> 1000 REQUIRE_APPROVAL".
func words(e explain.Explanation) (all []string) {
	for _, c := range e.Changes {
		var edits []string
		for _, edit := range c.Edits {
			edits = append(edits, strings.TrimSpace(fmt.Sprintf("%s %s -> %s", edit.Argument, canonical(edit.Old), canonical(edit.New))))
		}
		all = append(all, strings.Join(edits, ", ")+" "+c.Verdict.String())
	}
	return all
}

func canonical(v toolcall.Value) string {
	if v.Kind() == toolcall.Absent {
		return "none"
	}
	return v.Canonical()
}

func TestChanges(t *testing.T) {
	shop := testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	tests := []struct {
		name, agent, tool, args, used string
		want                          []string
	}{
		{"allowed", "buyer", "pay", `{"amount": 50, "to": "ann"}`, "0", nil},
		{"held, too much", "buyer", "pay", `{"amount": 500, "to": "ann"}`, "0", []string{"amount 500 -> 100 ALLOW"}},
		{"held, to a stranger", "buyer", "pay", `{"amount": 50, "to": "eve"}`, "0", nil},
		{"far too much", "buyer", "pay", `{"amount": 5000, "to": "ann"}`, "0",
			[]string{"amount 5000 -> 1000 REQUIRE_APPROVAL", "amount 5000 -> 100 ALLOW"}},
		{"too little", "buyer", "pay", `{"amount": -1, "to": "ann"}`, "0", []string{"amount -1 -> 0.01 ALLOW"}},
		{"never", "buyer", "pay", `{"amount": 50, "to": "EVIL"}`, "0", []string{"to \"EVIL\" -> none REQUIRE_APPROVAL"}},
		{"never, in a list", "buyer", "pay", `{"amount": 50, "to": "ann", "ids": [1, 7]}`, "0", []string{"ids [1,7] -> none ALLOW"}},
		{"undeclared", "buyer", "pay", `{"amount": 50, "to": "ann", "force": true}`, "0", []string{"force true -> none ALLOW"}},
		{"two at once", "buyer", "pay", `{"amount": 5000, "to": "ann", "force": true}`, "0",
			[]string{"amount 5000 -> 1000, force true -> none REQUIRE_APPROVAL", "amount 5000 -> 100, force true -> none ALLOW"}},
		{"limit of calls", "buyer", "pay", `{"amount": 50, "to": "ann"}`, "5", nil},
		{"blocked", "buyer", "wipe", `{}`, "0", nil},
		{"not listed", "buyer", "sell", `{}`, "0", nil},
		{"no such agent", "nobody", "pay", `{}`, "0", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := explained(t, shop, testkit.Call(t, tt.agent, tt.tool, tt.args), gather(t, shop, tt.used, "ann"))
			if got := words(e); !slices.Equal(got, tt.want) {
				t.Errorf("%v %s: got %q, want %q", e.Decision.Verdict, e.Decision.Code(), got, tt.want)
			}
		})
	}
}

func TestMoreChanges(t *testing.T) {
	tests := []struct{ rule, args, used, want string }{
		{"allow: [{to: {in: [ann, bob]}, amount: {max: 10}}]", `{"amount": 5, "to": "eve"}`, "0", `to "eve" -> "ann" ALLOW`},
		{"allow: [{to: {const: ann}}]", `{"amount": 5}`, "0", `to none -> "ann" ALLOW`},
		{"allow: [{to: {from: {literal: [zoe]}}}]", `{"amount": 5, "to": "eve"}`, "0", `to "eve" -> "zoe" ALLOW`},
		{"allow: [{amount: {multiple_of: 2.5}}]", `{"amount": 9.99}`, "0", `amount 9.99 -> 7.5 ALLOW`},
		{"allow: [{amount: {multiple_of: 2.5, min: 5}}]", `{"amount": -3}`, "0", `amount -3 -> 5 ALLOW`},
		{"allow: [{ids: {items: {max: 2}}}]", `{"amount": 5, "ids": [1, 2, 3]}`, "0", `ids [1,2,3] -> [1,2] ALLOW`},
		{"allow: [{'ids[]': {max: 5}}]", `{"amount": 5, "ids": [9, 1]}`, "0", `ids [9,1] -> [5,1] ALLOW`},
		{"allow: [{to: {pattern: x}}]", `{"amount": 5, "to": "eve"}`, "0", ``},
		{"allow: [{}], limits: [{sum: amount, max: 100, per: 1d}]", `{"amount": 80}`, "30.5", `amount 80 -> 69.5 ALLOW`},
		{"allow: [{}], limits: [{sum: amount, max: 100, per: 1d}]", `{"amount": 80}`, "100", ``},
		{"allow: [{to: {const: ann}, amount: {max: 10}, note: {const: x}}]", `{"amount": 50}`, "0", ``}, // three changes are no small one
	}
	for _, tt := range tests {
		text := strings.Replace(testkit.ShopContract, "shop.pay: approve", "shop.pay: {"+tt.rule+"}", 1)
		c := testkit.Contract(t, text, testkit.ShopCatalog)
		e := explained(t, c, testkit.Call(t, "other", "pay", tt.args), gather(t, c, tt.used))
		if got := strings.Join(words(e), "; "); got != tt.want {
			t.Errorf("%s of %s (%v %s): got %q, want %q", tt.rule, tt.args, e.Decision.Verdict, e.Decision.Code(), got, tt.want)
		}
	}
}

func TestClausesAndLimits(t *testing.T) {
	c := testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	e := explained(t, c, testkit.Call(t, "buyer", "pay", `{"amount": 500, "to": "ann", "ids": [1, 2]}`), gather(t, c, "3", "ann"))
	var got []string
	for _, k := range e.Clauses {
		for _, f := range k.Findings {
			got = append(got, fmt.Sprintf("%s %s %s %t %s %s", k.Step, f.Argument, f.Kind, f.Holds, canonical(f.Value), f.Why))
		}
	}
	want := []string{
		`never to in false "ann" `, `never ids[] in false 1 `,
		`allow amount max false 500 is more than max 100`, `allow amount min true 500 `, `allow to from true "ann" `,
		`approve amount max true 500 `, `approve amount min true 500 `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(e.Limits) != 2 || e.Limits[0].Used != "3" || e.Limits[0].Max != "5" || e.Limits[1].Takes != "500" || !e.Limits[1].Fits {
		t.Errorf("limits %+v", e.Limits)
	}
}

func TestFailedFacts(t *testing.T) {
	c := testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	call := testkit.Call(t, "buyer", "pay", `{"amount": 5000, "to": "ann"}`)
	fails := func(toolcall.Call) (decide.Facts, error) { return decide.Facts{}, fmt.Errorf("the disk is gone") }
	facts, err := gather(t, c, "0", "ann")(call)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := explain.Explain(c, call, facts, fails); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("got %v", err)
	}
	if e, err := explain.Explain(c, call, facts, nil); err != nil || len(e.Changes) > 0 || len(e.Clauses) == 0 {
		t.Errorf("without facts of other calls: %+v, %v", e, err)
	}
	if e, err := explain.Explain(nil, call, facts, fails); err != nil || e.Decision.Code() != authz.NoContract {
		t.Errorf("without a contract: %+v, %v", e, err)
	}
}

// TestExplanationIsTheDecision: over random calls the clauses that are reported
// to hold lead to the verdict that is decided, and each proposed change, applied,
// gets the verdict that it promises.
func TestExplanationIsTheDecision(t *testing.T) {
	contracts := []*contract.Contract{
		testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog), testkit.Contract(t, testkit.WatchContract, testkit.ShopCatalog),
	}
	changes := 0
	rapid.Check(t, func(r *rapid.T) {
		for range 40 {
			changes += checkExplanation(t, r, rapid.SampledFrom(contracts).Draw(r, "contract"))
		}
	})
	if changes < 100 {
		t.Errorf("%d changes were proposed: the test is not looking", changes)
	}
}

// checkExplanation explains one random call and returns how many changes were
// proposed.
func checkExplanation(t *testing.T, r *rapid.T, c *contract.Contract) (changes int) {
	members := []string{fmt.Sprintf(`"amount": %s`, rapid.SampledFrom([]string{"-1", "0", "5", "10", "50", "75", "101", "500", "1000", "5000"}).Draw(r, "amount"))}
	for name, values := range map[string][]string{"to": {`"ann"`, `"EVIL"`, `"x"`}, "ids": {"[]", "[1]", "[1, 7]"}, "note": {`"n"`}, "force": {"true"}} {
		if rapid.IntRange(0, 2).Draw(r, name) == 0 {
			members = append(members, fmt.Sprintf("%q: %s", name, rapid.SampledFrom(values).Draw(r, "value")))
		}
	}
	agent := rapid.SampledFrom(append(c.Agents(), "nobody")).Draw(r, "agent")
	tool := rapid.SampledFrom([]string{"pay", "pay", "pay", "wipe", "accounts"}).Draw(r, "tool")
	args := "{" + strings.Join(members, ", ") + "}"
	if tool != "pay" {
		args = "{}"
	}
	call := testkit.Call(t, agent, tool, args)
	world := gather(t, c, rapid.SampledFrom([]string{"0", "4", "5", "119"}).Draw(r, "used"), "ann")
	e := explained(t, c, call, world)
	facts, err := world(call)
	if err != nil {
		t.Fatal(err)
	}
	if d := decide.Decide(c, call, facts); fmt.Sprint(d) != fmt.Sprint(e.Decision) {
		r.Fatalf("%s: decided %+v, explained %+v", args, d, e.Decision)
	}
	if implied, ok := impliedVerdict(c, call, e); ok && implied != explain.Verdict(e.Decision) {
		r.Fatalf("%s %s: decided %+v, but what is reported leads to %v: %+v %+v", agent, args, e.Decision, implied, e.Clauses, e.Limits)
	}
	for _, change := range e.Changes {
		changes++
		changed := call
		changed.Arguments = change.Arguments
		facts, err := world(changed)
		if err != nil {
			t.Fatal(err)
		}
		if v := explain.Verdict(decide.Decide(c, changed, facts)); v != change.Verdict || v <= explain.Verdict(e.Decision) {
			r.Fatalf("%s: the change to %s promised %v and gets %v", args, change.Arguments.Canonical(), change.Verdict, v)
		}
	}
	return changes
}

// impliedVerdict works out the verdict from an explanation alone; ok is false
// where the call was refused before its clauses counted.
func impliedVerdict(c *contract.Contract, call toolcall.Call, e explain.Explanation) (v authz.Verdict, ok bool) {
	if len(e.Clauses) == 0 {
		return authz.Block, false
	}
	v = authz.Allow
	for rule := c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool); rule != nil; rule = rule.Base() {
		own := authz.Block
		never := false
		for _, k := range e.Clauses {
			owned := strings.HasPrefix(k.Path, rule.Path()+".")
			never = never || k.Error != "" || owned && k.Step == "never" && k.Holds
			switch {
			case owned && k.Holds && k.Step == "allow":
				own = authz.Allow
			case owned && k.Holds && k.Step == "approve":
				own = max(own, authz.RequireApproval)
			}
		}
		if never {
			own = authz.Block
		}
		v = min(v, own)
	}
	if _, err := c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool).Takes(contract.Caller{Session: "s"}, call.Arguments); err != nil {
		return authz.Block, true
	}
	for _, l := range e.Limits {
		switch {
		case !l.Fits && !l.Asks:
			v = authz.Block
		case !l.Fits:
			v = min(v, authz.RequireApproval)
		}
	}
	return v, true
}
