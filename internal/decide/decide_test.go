package decide_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

// world answers every question of a call as if the values in stated were stated
// in the session, nothing of any limit were used up, and no file existed.
func world(c *contract.Contract, call toolcall.Call, stated ...string) decide.Facts {
	f := decide.Facts{Caller: contract.Caller{Session: "s"}, Live: catalog.Pinned, Used: map[authz.TakeKey]toolcall.Decimal{}}
	f.Answers = constraint.Answers{Stated: map[string]bool{}, Files: map[string]constraint.File{}}
	rule := c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool)
	if rule == nil {
		return f
	}
	for _, q := range rule.Questions(call.Arguments) {
		if q.Stated != nil {
			for _, s := range stated {
				f.Answers.Stated[q.Key] = f.Answers.Stated[q.Key] || q.Stated.Value.Text() == s
			}
		}
	}
	if takes, err := rule.Takes(f.Caller, call.Arguments); err == nil {
		for _, t := range takes {
			f.Used[t.Key()] = toolcall.Decimal{}
		}
	}
	return f
}

func decimal(t testing.TB, text string) toolcall.Decimal {
	t.Helper()
	d, err := toolcall.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDecide(t *testing.T) {
	c := testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	used := func(counter, amount string) func(*decide.Facts) {
		return func(f *decide.Facts) {
			for k := range f.Used {
				if strings.HasPrefix(k.Counter, counter) {
					f.Used[k] = decimal(t, amount)
				}
			}
		}
	}
	approval := func(a decide.Approval) func(*decide.Facts) { return func(f *decide.Facts) { f.Approval = a } }
	live := func(s catalog.State) func(*decide.Facts) { return func(f *decide.Facts) { f.Live = s } }
	tests := []struct {
		name, agent, tool, args string
		change                  func(*decide.Facts)
		verdict                 authz.Verdict
		code                    authz.Code
		clause                  string
	}{
		{"small, stated", "buyer", "pay", `{"amount": 50, "to": "ann"}`, nil, authz.Allow, authz.AllowClause, "allow[0]"},
		{"small, not stated", "buyer", "pay", `{"amount": 50, "to": "bob"}`, nil, authz.RequireApproval, authz.ApproveClause, "approve[0]"},
		{"small, to nobody", "buyer", "pay", `{"amount": 50}`, nil, authz.RequireApproval, authz.ApproveClause, "approve[0]"},
		{"large", "buyer", "pay", `{"amount": 500, "to": "ann"}`, nil, authz.RequireApproval, authz.ApproveClause, "approve[0]"},
		{"too large", "buyer", "pay", `{"amount": 5000, "to": "ann"}`, nil, authz.Block, authz.NoClause, ""},
		{"negative", "buyer", "pay", `{"amount": -5000, "to": "ann"}`, nil, authz.Block, authz.NoClause, ""},
		{"never", "buyer", "pay", `{"amount": 50, "to": "EVIL"}`, nil, authz.Block, authz.NeverClause, "never[0]"},
		{"never, in disguise", "buyer", "pay", `{"amount": 50, "to": "e\u200bv il"}`, nil, authz.Block, authz.NeverClause, "never[0]"},
		{"never, one element", "buyer", "pay", `{"amount": 50, "to": "ann", "ids": [1, 7.0]}`, nil, authz.Block, authz.NeverClause, "never[1]"},
		{"undeclared argument", "buyer", "pay", `{"amount": 50, "to": "ann", "force": true}`, nil, authz.Block, authz.InvalidArguments, ""},
		{"missing argument", "buyer", "pay", `{"to": "ann"}`, nil, authz.Block, authz.InvalidArguments, ""},
		{"wrong type", "buyer", "pay", `{"amount": "50", "to": "ann"}`, nil, authz.Block, authz.InvalidArguments, ""},
		{"not listed", "buyer", "sell", `{}`, nil, authz.Block, authz.NotListed, ""},
		{"blocked", "buyer", "wipe", `{}`, nil, authz.Block, authz.BlockedTool, ""},
		{"no such agent", "nobody", "pay", `{}`, nil, authz.Block, authz.UnknownAgent, ""},
		{"no constraints", "buyer", "accounts", `{}`, nil, authz.Allow, authz.AllowClause, "allow[0]"},
		{"changed tool", "buyer", "accounts", `{}`, live(catalog.Quarantined), authz.Block, authz.Quarantined, ""},
		{"new tool", "buyer", "accounts", `{}`, live(catalog.New), authz.Block, authz.Quarantined, ""},
		{"not compared", "buyer", "accounts", `{}`, live(catalog.Unverified), authz.Block, authz.CatalogUnverified, ""},
		{"state out of range", "buyer", "accounts", `{}`, live(99), authz.Block, authz.Quarantined, ""},
		{"last call of the limit", "buyer", "pay", `{"amount": 50, "to": "ann"}`, used("calls", "4"), authz.Allow, authz.AllowClause, "allow[0]"},
		{"one call too many", "buyer", "pay", `{"amount": 50, "to": "ann"}`, used("calls", "5"), authz.Block, authz.LimitReached, "limits[0]"},
		{"sum just fits", "buyer", "pay", `{"amount": 50, "to": "ann"}`, used("sum", "1950"), authz.Allow, authz.AllowClause, "allow[0]"},
		{"sum a cent too much", "buyer", "pay", `{"amount": 50, "to": "ann"}`, used("sum", "1950.01"), authz.Block, authz.LimitReached, "limits[1]"},
		{"limit before a person", "buyer", "pay", `{"amount": 500, "to": "ann"}`, used("sum", "1950"), authz.Block, authz.LimitReached, "limits[1]"},
		{"limit not known", "buyer", "pay", `{"amount": 50, "to": "ann"}`, func(f *decide.Facts) { f.Used = nil }, authz.Block, authz.FactsFailed, "limits[0]"},
		{"approved", "buyer", "pay", `{"amount": 500, "to": "ann"}`, approval(decide.Approval{Granted: true}), authz.Allow, authz.Approved, "approve[0]"},
		{"approved, but never", "buyer", "pay", `{"amount": 500, "to": "EVIL"}`, approval(decide.Approval{Granted: true}), authz.Block, authz.NeverClause, "never[0]"},
		{"approved, but no clause", "buyer", "pay", `{"amount": 5000, "to": "ann"}`, approval(decide.Approval{Granted: true}), authz.Block, authz.NoClause, ""},
		{"denied", "buyer", "pay", `{"amount": 500, "to": "ann"}`, approval(decide.Approval{Denied: true}), authz.Block, authz.ApprovalDenied, "approve[0]"},
		{"denied outweighs granted", "buyer", "pay", `{"amount": 500}`, approval(decide.Approval{Denied: true, Granted: true}), authz.Block, authz.ApprovalDenied, "approve[0]"},
		{"a denial holds no allowed call", "buyer", "pay", `{"amount": 50, "to": "ann"}`, approval(decide.Approval{Denied: true}), authz.Allow, authz.AllowClause, "allow[0]"},
		{"misfit", "buyer", "pay", `{"amount": 500}`, approval(decide.Approval{Misfit: authz.ApprovalUsed, Granted: true}), authz.Block, authz.ApprovalUsed, ""},
		{"misfit of an allowed call", "buyer", "pay", `{"amount": 50, "to": "ann"}`, approval(decide.Approval{Misfit: authz.ApprovalMismatch}), authz.Block, authz.ApprovalMismatch, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := testkit.Call(t, tt.agent, tt.tool, tt.args)
			f := decide.Facts{Live: catalog.Pinned}
			if c.Agent(tt.agent) != nil {
				f = world(c, call, "ann")
			}
			if tt.change != nil {
				tt.change(&f)
			}
			d := decide.Decide(c, call, f)
			if d.Verdict != tt.verdict || d.Code() != tt.code || !strings.HasSuffix(d.Reasons[0].Clause, tt.clause) {
				t.Errorf("got %v %+v, want %v %s at %s", d.Verdict, d.Reasons, tt.verdict, tt.code, tt.clause)
			}
			if d.Verdict == authz.Block && len(d.Takes) > 0 {
				t.Errorf("a BLOCK takes %v", d.Takes)
			}
			if again := decide.Decide(c, call, f); fmt.Sprint(again) != fmt.Sprint(d) {
				t.Errorf("the same facts gave %v, then %v", d, again)
			}
		})
	}
}

func TestNoContract(t *testing.T) {
	if d := decide.Decide(nil, testkit.Call(t, "buyer", "pay", `{}`), decide.Facts{Live: catalog.Pinned}); d.Code() != authz.NoContract {
		t.Errorf("without a contract: %+v", d)
	}
}

func TestUncountable(t *testing.T) {
	text := strings.Replace(testkit.ShopContract, "shop.pay: approve", "shop.pay: {approve: [{amount: {max: 10}}], limits: [{sum: amount, max: 5, per: 1h}]}", 1)
	c := testkit.Contract(t, text, testkit.ShopCatalog)
	call := testkit.Call(t, "other", "pay", `{"amount": -1}`)
	if d := decide.Decide(c, call, world(c, call)); d.Verdict != authz.Block || d.Code() != authz.LimitUncountable {
		t.Errorf("a negative amount under a sum: %+v", d)
	}
}

func TestFits(t *testing.T) {
	tests := []struct {
		amount, max, used string
		fits, err         bool
	}{
		{"1", "1", "0", true, false}, {"1", "1", "0.0000000000000000000000001", false, false},
		{"0", "0", "0", true, false}, {"-1", "5", "0", false, false},
		{"0.1", "0.3", "0.2", true, false}, // as float64 the sum is 0.30000000000000004
		{"x", "1", "0", false, true}, {"1", "", "0", false, true},
	}
	for _, tt := range tests {
		fits, err := decide.Fits(authz.Take{Amount: tt.amount, Max: tt.max}, decimal(t, tt.used))
		if fits != tt.fits || (err != nil) != tt.err {
			t.Errorf("%+v: got %v, %v", tt, fits, err)
		}
	}
	take := authz.Take{Amount: "3", Max: "10"}
	if got := decide.Reached(take, decimal(t, "8")); got != "8 of 10 are used up, this call takes 3" {
		t.Errorf("got %q", got)
	}
}

// drawClause draws one clause as YAML flow text.
func drawClause(t *rapid.T) string {
	amount := rapid.SampledFrom([]string{
		"{max: 100}", "{min: 0, max: 50}", "{in: [1, 2, 3]}", "{not_in: [5]}", "{multiple_of: 5}", "{const: 7}",
	}).Draw(t, "amount")
	parts := []string{"amount: " + amount}
	if rapid.Bool().Draw(t, "to") {
		parts = append(parts, "to: "+rapid.SampledFrom([]string{
			"{in: [ann, bob]}", "{pattern: '[a-c].*'}", "{length: {max: 3}}", "{const: eve}",
		}).Draw(t, "of"))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// drawRule draws the clauses of one tool, each kind at least once.
func drawRule(t *rapid.T) (never, allow, approve []string) {
	some := func(name string) []string { return rapid.SliceOfN(rapid.Custom(drawClause), 1, 3).Draw(t, name) }
	return some("never"), some("allow"), some("approve")
}

func ruleText(never, allow, approve []string) string {
	list := func(c []string) string { return "[" + strings.Join(c, ", ") + "]" }
	rule := fmt.Sprintf("shop.pay: {never: %s, allow: %s, approve: %s}", list(never), list(allow), list(approve))
	return strings.Replace(testkit.ShopContract, "shop.pay: approve", rule, 1)
}

func drawCall(t *rapid.T, tb testing.TB) toolcall.Call {
	amount := rapid.SampledFrom([]string{"0", "1", "5", "7", "20", "49.99", "100", "100.01", "-1"}).Draw(t, "amount")
	to := rapid.SampledFrom([]string{`"ann"`, `"bob"`, `"eve"`, `"EVE"`, `null`, `"c"`, `""`}).Draw(t, "to")
	if to == "null" {
		return testkit.Call(tb, "other", "pay", `{"amount": `+amount+`}`)
	}
	return testkit.Call(tb, "other", "pay", `{"amount": `+amount+`, "to": `+to+`}`)
}

// TestOrderOfClauses: moving clauses changes nothing (contract.md, rule 1).
func TestOrderOfClauses(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		never, allow, approve := drawRule(r)
		call := drawCall(r, t)
		before := testkit.Contract(t, ruleText(never, allow, approve), testkit.ShopCatalog)
		shuffle := func(c []string) []string { return rapid.Permutation(c).Draw(r, "order") }
		after := testkit.Contract(t, ruleText(shuffle(never), shuffle(allow), shuffle(approve)), testkit.ShopCatalog)
		a, b := decide.Decide(before, call, world(before, call)), decide.Decide(after, call, world(after, call))
		if a.Verdict != b.Verdict || a.Code() != b.Code() {
			r.Fatalf("%s: %v %s, with the clauses moved %v %s", call.Arguments.Canonical(), a.Verdict, a.Code(), b.Verdict, b.Code())
		}
	})
}

// TestAddingClauses: another allow or approve clause can only widen, another
// never clause can only narrow (contract.md, rule 1).
func TestAddingClauses(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		never, allow, approve := drawRule(r)
		call, extra := drawCall(r, t), drawClause(r)
		verdict := func(text string) authz.Verdict {
			c := testkit.Contract(t, text, testkit.ShopCatalog)
			return decide.Decide(c, call, world(c, call)).Verdict
		}
		before := verdict(ruleText(never, allow, approve))
		if v := verdict(ruleText(never, append(allow[:len(allow):len(allow)], extra), approve)); v < before {
			r.Fatalf("another allow clause turned %v into %v", before, v)
		}
		if v := verdict(ruleText(never, allow, append(approve[:len(approve):len(approve)], extra))); v < before {
			r.Fatalf("another approve clause turned %v into %v", before, v)
		}
		if v := verdict(ruleText(append(never[:len(never):len(never)], extra), allow, approve)); v > before {
			r.Fatalf("another never clause turned %v into %v", before, v)
		}
	})
}

// TestMissingFacts: a fact that is not known never gives more than the fact
// itself; without any of them nothing that needs one is allowed.
func TestMissingFacts(t *testing.T) {
	c := testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	rapid.Check(t, func(r *rapid.T) {
		amount := rapid.IntRange(-10, 1100).Draw(r, "amount")
		call := testkit.Call(t, "buyer", "pay", fmt.Sprintf(`{"amount": %d, "to": "ann", "ids": [1]}`, amount))
		full := world(c, call, "ann")
		less := full
		if rapid.Bool().Draw(r, "no provenance") {
			less.Answers = constraint.Answers{}
		}
		if rapid.Bool().Draw(r, "no limits") {
			less.Used = nil
		}
		if rapid.Bool().Draw(r, "no live definition") {
			less.Live = catalog.Unverified
		}
		a, b := decide.Decide(c, call, full), decide.Decide(c, call, less)
		if b.Verdict > a.Verdict {
			r.Fatalf("with fewer facts %v became %v", a.Verdict, b.Verdict)
		}
	})
	call := testkit.Call(t, "buyer", "pay", `{"amount": 1, "to": "ann"}`)
	if d := decide.Decide(c, call, decide.Facts{}); d.Verdict != authz.Block {
		t.Errorf("the zero facts gave %+v", d)
	}
}

// TestOneMoreElement: another element never turns a never clause off.
func TestOneMoreElement(t *testing.T) {
	c := testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	rapid.Check(t, func(r *rapid.T) {
		ids := rapid.SliceOfN(rapid.IntRange(5, 9), 1, 4).Draw(r, "ids")
		more := append(ids[:len(ids):len(ids)], rapid.IntRange(5, 9).Draw(r, "more"))
		code := func(ids []int) authz.Code {
			text := strings.ReplaceAll(fmt.Sprint(ids), " ", ",")
			call := testkit.Call(t, "buyer", "pay", `{"amount": 1, "to": "ann", "ids": `+text+`}`)
			return decide.Decide(c, call, world(c, call, "ann")).Code()
		}
		if code(ids) == authz.NeverClause && code(more) != authz.NeverClause {
			r.Fatalf("%v is never, %v is not", ids, more)
		}
	})
}
