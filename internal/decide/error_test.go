package decide_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestErrorAfterTheDecision lets a clause fail behind others that have decided
// the call by then (rule 3 of the language).
func TestErrorAfterTheDecision(t *testing.T) {
	const failing = `{$when: "10 / int(call.arguments.amount) > 100"}`
	for name, rule := range map[string]string{
		"never behind never":   `{never: [{to: {in: [ann]}}, FAILING], allow: [{amount: {max: 5}}]}`,
		"allow behind never":   `{never: [{to: {in: [ann]}}], allow: [{amount: {max: 5}}, FAILING]}`,
		"allow behind allow":   `{allow: [{amount: {max: 5}}, FAILING]}`,
		"approve behind never": `{never: [{to: {in: [ann]}}], approve: [FAILING]}`,
		"approve behind allow": `{allow: [{amount: {max: 5}}], approve: [FAILING]}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := testkit.Contract(t, fmt.Sprintf("version: 1\nname: failing\ncatalogs: {shop: {pin: PIN, tools: shop.json}}\nagents: {buyer: {tools: {shop.pay: %s}}}\n",
				strings.ReplaceAll(rule, "FAILING", failing)), testkit.ShopCatalog)
			call := testkit.Call(t, "buyer", "pay", `{"amount": 0, "to": "ann"}`)
			if d := decide.Decide(c, call, world(c, call)); d.Verdict != authz.Block || d.Code() != authz.EvaluationError {
				t.Errorf("the decision is %s %s, want BLOCK %s", d.Verdict, d.Code(), authz.EvaluationError)
			}
		})
	}
}
