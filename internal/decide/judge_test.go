package decide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

// judged is a contract with a judge clause between the others. SETTINGS stands
// for those of the judge.
const judged = `
version: 1
name: judged
catalogs:
  shop: {pin: PIN, tools: shop.json}
agents:
  buyer:
    tools:
      shop.pay:
        never: [{to: {in: [EVIL]}}]
        allow: [{amount: {max: 10}}]
        judge: [{amount: {max: 100}}]
        approve: [{amount: {max: 1000}}]
        limits: [{calls: 5, per: 1h}]
      shop.wipe: judge
      shop.accounts:
        judge: [{}]
        limits: [{calls: 1, per: 1h, over: approve}]
  junior:
    extends: buyer
    tools:
      shop.pay: {approve: [{amount: {max: 1000}}]}
      shop.wipe: judge
  shadow:
    mode: shadow
    tools: {shop.wipe: judge}
approvals: {approvers: [ann], quorum: 1}
judge: SETTINGS
`

// TestJudged: who is handed to the judge, and what follows from each opinion
// (contract.md, section 2, rule 1; judge.md, sections 1 and 7).
func TestJudged(t *testing.T) {
	const strict, open = "{model: builtin/grounded}", "{on_block: approve, on_no_verdict: approve}"
	opinion := func(o authz.Opinion) decide.Judged {
		return decide.Judged{Asked: true, Opinion: o, Reachable: true, Soft: true}
	}
	alone := func(o authz.Opinion) decide.Judged { return decide.Judged{Asked: true, Opinion: o, Soft: true} }
	for _, tt := range []struct {
		name, settings, agent, tool, args string
		j                                 decide.Judged
		change                            func(*decide.Facts)
		verdict                           authz.Verdict
		code                              authz.Code
	}{
		{"allow stands before judge", strict, "buyer", "pay", `{"amount": 5}`, opinion(authz.OpinionBlock), nil, authz.Allow, authz.AllowClause},
		{"never stands before judge", strict, "buyer", "pay", `{"amount": 50, "to": "EVIL"}`, opinion(authz.OpinionAllow), nil, authz.Block, authz.NeverClause},
		{"judge stands before approve", strict, "buyer", "pay", `{"amount": 50}`, opinion(authz.OpinionBlock), nil, authz.Block, authz.JudgeBlock},
		{"approve is not judged", strict, "buyer", "pay", `{"amount": 500}`, opinion(authz.OpinionAllow), nil, authz.RequireApproval, authz.ApproveClause},
		{"no clause is not judged", strict, "buyer", "pay", `{"amount": 5000}`, opinion(authz.OpinionAllow), nil, authz.Block, authz.NoClause},
		{"allow", strict, "buyer", "pay", `{"amount": 50}`, opinion(authz.OpinionAllow), nil, authz.Allow, authz.JudgeAllow},
		{"the word", strict, "buyer", "wipe", `{}`, opinion(authz.OpinionAllow), nil, authz.Allow, authz.JudgeAllow},
		{"not asked", open, "buyer", "wipe", `{}`, decide.Judged{Opinion: authz.OpinionAllow, Reachable: true, Soft: true}, nil, authz.Block, authz.JudgeNoVerdict},
		{"block, a person", open, "buyer", "wipe", `{}`, alone(authz.OpinionBlock), nil, authz.RequireApproval, authz.JudgeBlock},
		{"unsure", strict, "buyer", "wipe", `{}`, opinion(authz.OpinionUnsure), nil, authz.RequireApproval, authz.JudgeUnsure},
		{"unsure, nobody there", open, "buyer", "wipe", `{}`, alone(authz.OpinionUnsure), nil, authz.Block, authz.JudgeUnsure},
		{"no verdict", strict, "buyer", "wipe", `{}`, opinion(authz.NoVerdict), nil, authz.Block, authz.JudgeNoVerdict},
		{"no verdict, a person", open, "buyer", "wipe", `{}`, opinion(authz.NoVerdict), nil, authz.RequireApproval, authz.JudgeNoVerdict},
		{"no verdict, nobody there", open, "buyer", "wipe", `{}`, alone(authz.NoVerdict), nil, authz.Block, authz.JudgeNoVerdict},
		{"a defect", open, "buyer", "wipe", `{}`, decide.Judged{Asked: true, Reachable: true}, nil, authz.Block, authz.JudgeNoVerdict},
		{"an opinion outside the list", strict, "buyer", "wipe", `{}`, opinion(77), nil, authz.Block, authz.JudgeNoVerdict},
		{"a limit that is used up", strict, "buyer", "pay", `{"amount": 50}`, opinion(authz.OpinionAllow), usedUp, authz.Block, authz.LimitReached},
		{"a limit that asks", strict, "buyer", "accounts", `{}`, opinion(authz.OpinionAllow), usedUp, authz.RequireApproval, authz.LimitReached},
		{"a limit that asks, and block", strict, "buyer", "accounts", `{}`, opinion(authz.OpinionBlock), usedUp, authz.Block, authz.JudgeBlock},
		{"a limit that asks, and unsure", strict, "buyer", "accounts", `{}`, opinion(authz.OpinionUnsure), usedUp, authz.RequireApproval, authz.JudgeUnsure},
		{"breaker", strict, "buyer", "wipe", `{}`, decide.Judged{Breaker: true, Reachable: true}, nil, authz.RequireApproval, authz.JudgeBreaker},
		{"breaker, nobody there", open, "buyer", "wipe", `{}`, decide.Judged{Breaker: true}, nil, authz.Block, authz.JudgeBreaker},
		{"breaker, and an opinion", open, "buyer", "wipe", `{}`, decide.Judged{Asked: true, Breaker: true, Opinion: authz.OpinionAllow}, nil, authz.Block, authz.JudgeBreaker},
		{"breaker, never", strict, "buyer", "pay", `{"amount": 50, "to": "EVIL"}`, decide.Judged{Breaker: true, Reachable: true}, nil, authz.Block, authz.NeverClause},
		{"breaker, allow", strict, "buyer", "pay", `{"amount": 5}`, decide.Judged{Breaker: true, Reachable: true}, nil, authz.Allow, authz.AllowClause},
		{"breaker, approved", strict, "buyer", "wipe", `{}`, decide.Judged{Breaker: true}, granted, authz.Allow, authz.Approved},
		{"breaker, shadow", strict, "shadow", "wipe", `{}`, decide.Judged{Breaker: true}, nil, authz.Allow, authz.JudgeBreaker},
		{"approved", strict, "buyer", "wipe", `{}`, opinion(authz.OpinionBlock), granted, authz.Allow, authz.Approved},
		{"approved, not asked", strict, "buyer", "wipe", `{}`, decide.Judged{}, granted, authz.Allow, authz.Approved},
		{"denied", strict, "buyer", "wipe", `{}`, opinion(authz.OpinionAllow), func(f *decide.Facts) { f.Approval.Denied = true }, authz.Block, authz.ApprovalDenied},
		{"a ticket that does not fit", strict, "buyer", "wipe", `{}`, opinion(authz.OpinionAllow), func(f *decide.Facts) { f.Approval.Misfit = authz.ApprovalUsed }, authz.Block, authz.ApprovalUsed},
		{"an extension that asks a person", strict, "junior", "pay", `{"amount": 50}`, opinion(authz.OpinionAllow), nil, authz.RequireApproval, authz.ApproveClause},
		{"an extension that judges too", strict, "junior", "wipe", `{}`, opinion(authz.OpinionAllow), nil, authz.Allow, authz.JudgeAllow},
		{"shadow, block", strict, "shadow", "wipe", `{}`, opinion(authz.OpinionBlock), nil, authz.Allow, authz.JudgeBlock},
		{"shadow, no verdict", open, "shadow", "wipe", `{}`, opinion(authz.NoVerdict), nil, authz.Allow, authz.JudgeNoVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testkit.Contract(t, strings.ReplaceAll(judged, "SETTINGS", tt.settings), testkit.ShopCatalog)
			call := testkit.Call(t, tt.agent, tt.tool, tt.args)
			f := world(c, call)
			f.Judged = tt.j
			if tt.change != nil {
				tt.change(&f)
			}
			d := decide.Decide(c, call, f)
			if d.Verdict != tt.verdict || d.Code() != tt.code {
				t.Errorf("got %v %+v, want %v %s", d.Verdict, d.Reasons, tt.verdict, tt.code)
			}
			if d.Judge == tt.j.Asked && d.Code() == authz.JudgeNoVerdict {
				t.Errorf("handed over: %t, asked: %t", d.Judge, tt.j.Asked)
			}
			if asks := d.Verdict == authz.RequireApproval; asks != (len(d.Panels) > 0) || d.Verdict == authz.Block && len(d.Takes) > 0 {
				t.Errorf("%v with panels %v, takes %v", d.Verdict, d.Panels, d.Takes)
			}
		})
	}
}

var five, _ = toolcall.ParseDecimal("5")

func usedUp(f *decide.Facts) {
	for k := range f.Used {
		f.Used[k] = five
	}
}

func granted(f *decide.Facts) { f.Approval.Granted = true }

// TestJudgeNeverLiftsABlock: over random contracts, calls and opinions, the judge
// decides only calls that no never clause blocks, no allow clause allows and a
// judge clause hands over; every other decision is the same whatever it thinks. So
// it is with a breaker that is open, and with a release by the user, which stands in
// for the judge and for nothing else.
func TestJudgeNeverLiftsABlock(t *testing.T) {
	handed, blocked, released := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		never, allow, approve := drawRule(r)
		never, allow = never[:1], allow[:1] // more of them leave little to a judge
		judges := rapid.SliceOfN(rapid.Custom(drawClause), 1, 3).Draw(r, "judge")
		call := drawCall(r, t)
		rule := func(with ...string) string {
			text := ruleText(never, allow, approve)
			text = strings.Replace(text, "never: ", strings.Join(append(with, "never: "), ""), 1)
			settings := "judge: {on_block: " + rapid.SampledFrom([]string{"block", "approve"}).Draw(r, "on") + ", on_no_verdict: approve}\n"
			return strings.Replace(text, "approvals:", settings+"approvals:", 1)
		}
		without := testkit.Contract(t, rule(), testkit.ShopCatalog)
		c := testkit.Contract(t, rule("judge: ["+strings.Join(judges, ", ")+"], "), testkit.ShopCatalog)
		f := world(c, call)
		pending := decide.Decide(c, call, f)
		f.Judged = decide.Judged{Asked: rapid.Bool().Draw(r, "asked"), Opinion: authz.Opinion(rapid.IntRange(0, 5).Draw(r, "opinion")),
			Soft: rapid.Bool().Draw(r, "soft"), Reachable: rapid.Bool().Draw(r, "reachable"), Breaker: rapid.Bool().Draw(r, "breaker")}
		f.Approval.Granted = rapid.IntRange(0, 2).Draw(r, "released") == 0
		d := decide.Decide(c, call, f)
		plain := decide.Decide(without, call, world(without, call))
		switch {
		case !pending.Judge && f.Approval.Granted && pending.Verdict == authz.RequireApproval:
			if d.Code() != authz.Approved {
				r.Fatalf("%v is approved, and became %v", pending, d)
			}
		case !pending.Judge:
			if fmt.Sprint(d) != fmt.Sprint(pending) || d.Verdict != plain.Verdict {
				r.Fatalf("the call is not handed over, and %v became %v", pending, d)
			}
			if pending.Verdict == authz.Block {
				blocked++
			}
		case pending.Verdict != authz.Block:
			r.Fatalf("without an opinion: %v", pending)
		case plain.Code() == authz.NeverClause || plain.Code() == authz.AllowClause:
			r.Fatalf("%v is handed over", plain)
		case f.Approval.Granted:
			if d.Code() != authz.Approved {
				r.Fatalf("released, and decided as %v", d)
			}
			released++
		case d.Verdict == authz.Allow && !(f.Judged.Asked && !f.Judged.Breaker && f.Judged.Opinion == authz.OpinionAllow):
			r.Fatalf("%+v gives %v", f.Judged, d)
		default:
			handed++
		}
	})
	if handed == 0 || blocked == 0 || released == 0 {
		t.Errorf("only %d calls were handed over, %d blocked, %d released: the test is not looking", handed, blocked, released)
	}
}

// TestOrderOfJudgeClauses: moving them changes no verdict.
func TestOrderOfJudgeClauses(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		judges := rapid.SliceOfN(rapid.Custom(drawClause), 2, 3).Draw(r, "judge")
		call := drawCall(r, t)
		verdict := func(all []string) authz.Verdict {
			text := strings.Replace(testkit.ShopContract, "shop.pay: approve", "shop.pay: {judge: ["+strings.Join(all, ", ")+"]}", 1)
			c := testkit.Contract(t, text, testkit.ShopCatalog)
			f := world(c, call)
			f.Judged = decide.Judged{Asked: true, Opinion: authz.OpinionAllow}
			return decide.Decide(c, call, f).Verdict
		}
		back := slices.Clone(judges)
		slices.Reverse(back)
		if a, b := verdict(judges), verdict(back); a != b {
			r.Fatalf("%v, in reverse %v", a, b)
		}
	})
}
