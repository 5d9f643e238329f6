package decide_test

import (
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/testkit"
)

var noWhen = strings.Replace(testkit.WatchContract, "          - amount: {min: 1000, max: 1000}\n            $when: \"call.arguments.amount / 0 > 1\"\n", "", 1)

// TestAround checks what stands around the clauses: extension, credentials,
// shadow mode, panels, and limits that ask.
func TestAround(t *testing.T) {
	c := testkit.Contract(t, noWhen, testkit.ShopCatalog)
	used := func(f *decide.Facts, amount string) {
		for k := range f.Used {
			if strings.HasPrefix(k.Counter, "sum") {
				f.Used[k] = decimal(t, amount)
			}
		}
	}
	shadow := func(v authz.Verdict) *authz.Verdict { return &v }
	for _, tt := range []struct {
		name, agent, tool, args string
		change                  func(*decide.Facts)
		verdict                 authz.Verdict
		code                    authz.Code
		panels                  int
		shadow                  *authz.Verdict
	}{
		{"two clauses hold", "buyer", "pay", `{"amount": 60}`, nil, authz.RequireApproval, authz.ApproveClause, 1, nil},
		{"beyond a limit that asks", "buyer", "pay", `{"amount": 60}`, func(f *decide.Facts) { used(f, "100") }, authz.RequireApproval, authz.LimitReached, 2, nil},
		{"beyond it, and approved", "buyer", "pay", `{"amount": 60}`, func(f *decide.Facts) { used(f, "100"); f.Approval.Granted = true }, authz.Allow, authz.Approved, 2, nil},
		{"both rules of an extension hold", "intern", "pay", `{"amount": 5}`, nil, authz.RequireApproval, authz.ApproveClause, 2, nil},
		{"the extension is stricter", "intern", "pay", `{"amount": 60}`, nil, authz.Block, authz.NoClause, 0, nil},
		{"the extension says block", "intern", "accounts", `{}`, nil, authz.Block, authz.BlockedTool, 0, nil},
		{"no credential", "clerk", "accounts", `{}`, nil, authz.Block, authz.Unauthenticated, 0, nil},
		{"another credential", "clerk", "accounts", `{}`, func(f *decide.Facts) { f.Speaks.Token = "x" }, authz.Block, authz.Unauthenticated, 0, nil},
		{"the credential", "clerk", "accounts", `{}`, func(f *decide.Facts) { f.Speaks.Token = "clerk" }, authz.Allow, authz.AllowClause, 0, nil},
		{"the operator", "clerk", "accounts", `{}`, func(f *decide.Facts) { f.Speaks.Operator = true }, authz.Allow, authz.AllowClause, 0, nil},
		{"shadow, held", "shadow", "pay", `{"amount": 1}`, nil, authz.Allow, authz.ApproveClause, 0, shadow(authz.RequireApproval)},
		{"shadow, blocked", "shadow", "pay", `{"amount": 9}`, nil, authz.Allow, authz.NoClause, 0, shadow(authz.Block)},
		{"shadow, not listed", "shadow", "wipe", `{}`, nil, authz.Allow, authz.NotListed, 0, shadow(authz.Block)},
		{"shadow, wrong type", "shadow", "pay", `{"amount": "1"}`, nil, authz.Block, authz.InvalidArguments, 0, shadow(authz.Block)},
		{"shadow, not compared", "shadow", "pay", `{"amount": 1}`, func(f *decide.Facts) { f.Live = 0 }, authz.Block, authz.CatalogUnverified, 0, shadow(authz.Block)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := testkit.Call(t, tt.agent, tt.tool, tt.args)
			f := world(c, call)
			if tt.change != nil {
				tt.change(&f)
			}
			d := decide.Decide(c, call, f)
			if d.Verdict != tt.verdict || d.Code() != tt.code || len(d.Panels) != tt.panels {
				t.Errorf("got %v %+v with %d panels, want %v %s with %d", d.Verdict, d.Reasons, len(d.Panels), tt.verdict, tt.code, tt.panels)
			}
			if (d.Shadow == nil) != (tt.shadow == nil) || d.Shadow != nil && *d.Shadow != *tt.shadow {
				t.Errorf("shadow says %v, want %v", d.Shadow, tt.shadow)
			}
			if d.Shadow != nil && len(d.Takes) > 0 {
				t.Errorf("shadow mode takes %v", d.Takes)
			}
		})
	}
}

// TestErrorInAnyClause: one clause that can't be evaluated blocks, whatever the
// others say, also in the rule that is extended.
func TestErrorInAnyClause(t *testing.T) {
	c := testkit.Contract(t, testkit.WatchContract, testkit.ShopCatalog)
	for agent, args := range map[string]string{"buyer": `{"amount": 5, "to": "x"}`, "intern": `{"amount": 5}`} {
		call := testkit.Call(t, agent, "pay", args)
		if d := decide.Decide(c, call, world(c, call)); d.Verdict != authz.Block || d.Code() != authz.EvaluationError {
			t.Errorf("%s: %v %+v", agent, d.Verdict, d.Reasons)
		}
	}
}
