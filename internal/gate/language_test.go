package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/storetest"
	"github.com/licet-dev/licet/internal/testkit"
)

func watchBench(t *testing.T) *bench {
	b := newBench(t)
	b.contract = testkit.Contract(t, testkit.WatchContract, testkit.ShopCatalog)
	return b
}

// as is a call of another agent.
func (b *bench) as(agent, tool, arguments string) gate.Ask {
	b.Helper()
	a := b.ask(tool, arguments)
	a.Call.Agent, a.Principal.Agent = agent, agent
	return a
}

func TestRequestCondition(t *testing.T) {
	b := watchBench(t)
	a := b.ask("read", `{"path": "/a"}`)
	answer := b.want(b.check(a), authz.Block, authz.NoClause) // no turns are known
	if last := answer.Reasons[len(answer.Reasons)-1].Detail; !strings.Contains(last, "no user turns are known here") {
		t.Errorf("the reasons do not say how to supply turns: %+v", answer.Reasons)
	}
	a.Asserted.Turns = []string{"Please readjust the looks"}
	answer = b.want(b.check(a), authz.Block, authz.NoClause) // not as whole tokens
	if last := answer.Reasons[len(answer.Reasons)-1].Detail; strings.Contains(last, "no user turns") {
		t.Errorf("turns are known, and the reasons say otherwise: %+v", answer.Reasons)
	}
	a.Asserted.Turns = []string{"Please look  at it."}
	b.want(b.check(a), authz.Allow, authz.AllowClause)
}

func TestSessionCondition(t *testing.T) {
	b := watchBench(t)
	b.want(b.check(b.ask("wipe", `{}`)), authz.Allow, authz.AllowClause)
	b.want(b.check(b.ask("accounts", `{}`)), authz.Allow, authz.AllowClause)
	b.want(b.check(b.ask("wipe", `{}`)), authz.Block, authz.NeverClause) // after a labelled source
	other := b.ask("wipe", `{}`)
	other.Session = "s2"
	b.want(b.check(other), authz.Allow, authz.AllowClause)
	other.Session = ""
	b.want(b.check(other), authz.Block, authz.NeverClause) // an unknown session may have read it
}

// TestMarksComeBeforeTheWatch: what ran before a contract asked for it counts.
func TestMarksComeBeforeTheWatch(t *testing.T) {
	b := watchBench(t)
	watching := b.contract
	b.contract = testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog) // asks nothing of the session
	b.want(b.check(b.ask("accounts", `{}`)), authz.Allow, authz.AllowClause)
	b.contract = watching
	b.want(b.check(b.ask("wipe", `{}`)), authz.Block, authz.NeverClause)
}

// TestDistinct: the number of different values counts this call, and no more
// than the bound get through, however many ask at once.
func TestDistinct(t *testing.T) {
	b := watchBench(t)
	b.contract = testkit.Contract(t, withoutWhen, testkit.ShopCatalog)
	pay := func(to string) gate.Ask { return b.ask("pay", `{"amount": 1, "to": "`+to+`"}`) }
	b.want(b.check(pay("x")), authz.Allow, authz.AllowClause)
	b.want(b.check(pay("y")), authz.Allow, authz.AllowClause)
	b.want(b.check(pay("z")), authz.RequireApproval, authz.ApproveClause)
	b.want(b.check(pay("x")), authz.Allow, authz.AllowClause)

	b = watchBench(t)
	b.contract = testkit.Contract(t, withoutWhen, testkit.ShopCatalog)
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if b.check(pay(fmt.Sprint("to", i))).Verdict == authz.Allow {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := allowed.Load(); n != 2 {
		t.Errorf("%d different recipients got through, want 2", n)
	}
}

// restless leaves a mark of its own whenever a session is looked at, as a busy
// neighbour would, for a number of times.
type restless struct {
	gate.Store
	times int
}

func (r *restless) Marks(ctx context.Context, session string) ([]ledger.Mark, error) {
	marks, err := r.Store.Marks(ctx, session)
	if r.times--; err == nil && r.times >= 0 {
		_, err = r.Commit(ctx, ledger.Entry{
			Kind: evidence.Outcome, ID: approval.NewID("n-"),
			Marks: []ledger.Mark{{Session: session, Server: "shop", Tool: fmt.Sprint("tool", r.times)}},
			Body:  func(ledger.Stamp) ([]byte, error) { return []byte("{}"), nil },
		})
	}
	return marks, err
}

// TestStale: a session that changes while it is judged is judged again, and one
// that never stands still is a recorded BLOCK.
func TestStale(t *testing.T) {
	b := watchBench(t)
	b.open(&restless{Store: b.store, times: 3})
	b.want(b.check(b.ask("wipe", `{}`)), authz.Allow, authz.AllowClause)
	b.open(&restless{Store: b.store, times: 1000})
	answer := b.want(b.check(b.ask("wipe", `{}`)), authz.Block, authz.FactsFailed)
	if got := b.records(evidence.Decision); len(got) != 2 || answer.Evidence.ID == "" {
		t.Errorf("recorded as %v", got)
	}
	b.open(storetest.Faulty{Store: b.store, Fault: func(p string) (error, bool) {
		return map[bool]error{true: errors.New("lost")}[p == "Marks"], false
	}})
	b.want(b.check(b.ask("wipe", `{}`)), authz.Block, authz.FactsFailed)
}

// TestStaleJudge: a judge that fails is asked once, however often its session changes
// while the decision is made. One that answers is asked about what there is now.
func TestStaleJudge(t *testing.T) {
	for _, tt := range []struct {
		says  judge.Opinion
		again bool
		code  authz.Code
	}{
		{judge.None(judge.Internal, "a bug"), false, authz.JudgeNoVerdict},
		{blocks, true, authz.JudgeBlock},
	} {
		s := &scripted{says: tt.says}
		b := newJudged(t, s)
		b.open(&restless{Store: b.store, times: 3})
		b.want(b.check(b.said("pay", `{"to": "X"}`, "one")), authz.Block, tt.code)
		if again := s.asked > 1; again != tt.again || s.asked == 0 {
			t.Errorf("%s: asked %d times", tt.code, s.asked)
		}
	}
}

func TestEvaluationErrorBlocks(t *testing.T) {
	b := watchBench(t)
	b.want(b.check(b.ask("pay", `{"amount": 5, "to": "x"}`)), authz.Block, authz.EvaluationError) // though a clause would allow it
}

// TestPanels: any approve clause that holds may be satisfied.
func TestPanels(t *testing.T) {
	b := watchBench(t)
	b.contract = testkit.Contract(t, withoutWhen, testkit.ShopCatalog)
	a := b.ask("pay", `{"amount": 60}`) // both clauses hold: ann alone, or ann and bob
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "bob", true)
	b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "ann", true)
	b.want(b.check(a), authz.Allow, authz.Approved)

	a = b.ask("pay", `{"amount": 110}`) // only the second: two are needed
	held = b.want(b.check(a), authz.RequireApproval, authz.LimitReached)
	b.answer(held.Ticket.ID, "ann", true)
	b.want(b.check(a), authz.RequireApproval, authz.LimitReached)
	b.answer(held.Ticket.ID, "bob", true)
	b.want(b.check(a), authz.Allow, authz.Approved)
}

var withoutWhen = strings.Replace(testkit.WatchContract, "          - amount: {min: 1000, max: 1000}\n            $when: \"call.arguments.amount / 0 > 1\"\n", "", 1)

// TestOverApprove: beyond the bound a person is asked, and an approval given for
// less does not cover it.
func TestOverApprove(t *testing.T) {
	b := watchBench(t)
	b.contract = testkit.Contract(t, withoutWhen, testkit.ShopCatalog)
	first, second := b.ask("pay", `{"amount": 90}`), b.ask("pay", `{"amount": 80}`)
	one := b.want(b.check(first), authz.RequireApproval, authz.ApproveClause)
	two := b.want(b.check(second), authz.RequireApproval, authz.ApproveClause)
	b.answer(one.Ticket.ID, "ann", true)
	b.answer(two.Ticket.ID, "ann", true)
	b.want(b.check(first), authz.Allow, authz.Approved)
	// 90 of 120 are spent: the second now goes beyond, which nobody approved.
	beyond := b.want(b.check(second), authz.RequireApproval, authz.LimitReached)
	if beyond.Ticket.ID == two.Ticket.ID {
		t.Fatal("an approval within the limit was taken for one beyond it")
	}
	b.answer(beyond.Ticket.ID, "ann", true)
	b.want(b.check(second), authz.Allow, authz.Approved)
	small := b.want(b.check(b.ask("pay", `{"amount": 1, "to": "x"}`)), authz.RequireApproval, authz.LimitReached)
	if ticket, err := b.store.Ticket(t.Context(), small.Ticket.ID); err != nil || len(ticket.Panels) != 1 {
		t.Errorf("an allowed call beyond a limit asks %+v, %v", ticket.Panels, err)
	}
}

// TestExtends: of a rule and the one that it extends the stricter counts, and
// where both hold the call, both must be approved.
func TestExtends(t *testing.T) {
	b := watchBench(t)
	b.contract = testkit.Contract(t, withoutWhen, testkit.ShopCatalog)
	b.want(b.check(b.as("intern", "accounts", `{}`)), authz.Block, authz.BlockedTool)
	b.want(b.check(b.as("intern", "pay", `{"amount": 50}`)), authz.Block, authz.NoClause)
	b.want(b.check(b.as("intern", "wipe", `{}`)), authz.Allow, authz.AllowClause) // not mentioned: as extended
	a := b.as("intern", "pay", `{"amount": 5}`)                                   // to is absent: the base asks too
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "ann", true)
	b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "bob", true)
	b.want(b.check(a), authz.Allow, authz.Approved)
	if ticket, err := b.store.Ticket(t.Context(), held.Ticket.ID); err != nil || ticket.State(b.now) != approval.Used {
		t.Errorf("the ticket is %v, %v", ticket.State(b.now), err)
	}
}

func TestAuthenticate(t *testing.T) {
	b := watchBench(t)
	a := b.as("clerk", "accounts", `{}`)
	b.want(b.check(a), authz.Block, authz.Unauthenticated)
	a.Speaks.Token = "other"
	b.want(b.check(a), authz.Block, authz.Unauthenticated)
	a.Speaks.Token = "clerk"
	b.want(b.check(a), authz.Allow, authz.AllowClause)
	a.Speaks = authz.Credential{Operator: true}
	b.want(b.check(a), authz.Allow, authz.AllowClause)
}

// TestShadow: nothing is held, nothing is taken, and every record says what
// would have been.
func TestShadow(t *testing.T) {
	b := watchBench(t)
	for i, tt := range []struct {
		tool, args string
		would      authz.Verdict
		code       authz.Code
	}{
		{"pay", `{"amount": 1}`, authz.RequireApproval, authz.ApproveClause},
		{"pay", `{"amount": 1}`, authz.RequireApproval, authz.ApproveClause}, // the limit of one call took nothing
		{"pay", `{"amount": 9}`, authz.Block, authz.NoClause},
		{"wipe", `{}`, authz.Block, authz.NotListed},
	} {
		answer := b.want(b.check(b.as("shadow", tt.tool, tt.args)), authz.Allow, tt.code)
		if answer.Shadow == nil || *answer.Shadow != tt.would {
			t.Errorf("call %d: shadow says %v, want %v", i, answer.Shadow, tt.would)
		}
		if got := b.records(evidence.Decision)[i]; got["shadow"] != tt.would.String() || got["verdict"] != "ALLOW" || got["ticket"] != nil || got["takes"] != nil {
			t.Errorf("call %d is recorded as %v", i, got)
		}
	}
	// What clauses and limits do not say is enforced all the same.
	changed := b.as("shadow", "pay", `{"amount": 1}`)
	changed.Live = 0
	b.want(b.check(changed), authz.Block, authz.CatalogUnverified)
	b.want(b.check(b.as("shadow", "pay", `{"amount": "1"}`)), authz.Block, authz.InvalidArguments)
	b.want(b.gate.Refuse(t.Context(), b.as("shadow", "pay", `{}`), authz.Malformed, "", nil), authz.Block, authz.Malformed)
	b.open(storetest.Faulty{Store: b.store, Fault: func(string) (error, bool) { return errors.New("lost"), false }})
	b.want(b.check(b.as("shadow", "pay", `{"amount": 1}`)), authz.Block, authz.NoEvidence)
	if tickets, err := b.store.Tickets(t.Context(), 10); err != nil || len(tickets) > 0 {
		t.Errorf("shadow mode made tickets: %v, %v", tickets, err)
	}
	if !b.gate.Lists("shadow", "shop", "wipe") {
		t.Error("shadow mode hides a tool")
	}
}

// forgetfulContract asks for all that a session remembers.
const forgetfulContract = `
version: 1
name: shop
catalogs:
  shop: {pin: PIN, tools: shop.json}
agents:
  buyer:
    tools:
      shop.accounts: {allow: [{}], limits: [{calls: 258, per: session}]}
      shop.pay:
        allow:
          - to: {from: [{result: shop.accounts, at: "accounts[].iban"}]}
            $session: {distinct: {argument: to, max: 2}}
      shop.wipe:
        allow:
          - $session: {not_called: [shop.accounts]}
      shop.read:
        allow: [{}]
        never:
          - $session: {called: [shop.accounts]}
`

// TestForgottenResults: what an old result stated is stated no more once the
// session has too many, and nothing else that the session did is forgotten.
func TestForgottenResults(t *testing.T) {
	b := newBench(t)
	b.contract = testkit.Contract(t, forgetfulContract, testkit.ShopCatalog)
	pay := func(to string) gate.Answer { return b.check(b.ask("pay", `{"amount": 1, "to": "`+to+`"}`)) }
	look := func(iban string) {
		t.Helper()
		a := b.want(b.check(b.ask("accounts", `{}`)), authz.Allow, authz.AllowClause)
		result := testkit.Value(t, `{"content": [], "structuredContent": {"accounts": [{"iban": "`+iban+`"}]}}`)
		if err := b.gate.Done(t.Context(), a.Grant, gate.Outcome{Status: gate.Succeeded, Result: result}); err != nil {
			t.Fatal(err)
		}
	}
	b.want(b.check(b.ask("wipe", `{}`)), authz.Allow, authz.AllowClause)
	look("OLD")
	for range ledger.MaxObservations - 1 {
		look("NEW")
	}
	b.want(pay("OLD"), authz.Allow, authz.AllowClause)
	look("NEW")
	b.want(pay("OLD"), authz.Block, authz.NoClause)
	b.want(pay("NEW"), authz.Allow, authz.AllowClause)

	look("THIRD")
	b.want(pay("THIRD"), authz.Block, authz.NoClause) // a third recipient, though the first is stated no more
	b.want(b.check(b.ask("wipe", `{}`)), authz.Block, authz.NoClause)
	b.want(b.check(b.ask("read", `{"path": "/a"}`)), authz.Block, authz.NeverClause)
	b.want(b.check(b.ask("accounts", `{}`)), authz.Block, authz.LimitReached)
}
