package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/storetest"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

var key = []byte("0123456789abcdef0123456789abcdef")

// bench is a gate over a memory store with a clock of its own.
type bench struct {
	*testing.T
	store    ledger.Store
	contract *contract.Contract
	now      time.Time
	gate     *gate.Gate
	places   constraint.Places
	judge    judge.Judge
	signals  gate.Collect
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.store = memory.New(func() time.Time { return b.now })
	b.contract = testkit.Contract(t, testkit.ShopContract, testkit.ShopCatalog)
	b.open(b.store)
	for _, name := range []string{"ann", "bob"} {
		who, err := approval.NewApprover(name, "correct horse", 1)
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]string{"bob": "ann"}[name]
		b.commit(ledger.Entry{Kind: evidence.Approver, Enrol: &who, By: by})
	}
	return b
}

// open puts a gate over a store. How busy the machine is must not decide a test, so
// it has a minute.
func (b *bench) open(s gate.Store) {
	b.Helper()
	var err error
	b.gate, err = gate.New(gate.Options{
		Contract: func() *contract.Contract { return b.contract }, Store: s, Key: key,
		Places: b.places, Now: func() time.Time { return b.now }, Judge: b.judge, Signals: b.signals, Deadline: time.Minute,
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) commit(e ledger.Entry) ledger.Receipt {
	b.Helper()
	e.ID = approval.NewID("x-")
	e.Body = func(ledger.Stamp) ([]byte, error) { return []byte("{}"), nil }
	r, err := b.store.Commit(b.Context(), e)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// ask is a call of the buyer in session s1.
func (b *bench) ask(tool, arguments string) gate.Ask {
	b.Helper()
	return gate.Ask{
		Door: "test", Principal: authz.Principal{Agent: "buyer"}, Session: "s1",
		Call: testkit.Call(b, "buyer", tool, arguments), Live: catalog.Pinned,
	}
}

func (b *bench) check(a gate.Ask) gate.Answer {
	b.Helper()
	return b.gate.Check(b.Context(), a)
}

// want checks verdict and code, and that only an ALLOW has a grant.
func (b *bench) want(a gate.Answer, v authz.Verdict, code authz.Code) gate.Answer {
	b.Helper()
	if a.Verdict != v || a.Code() != code {
		b.Fatalf("got %v %+v, want %v %s", a.Verdict, a.Reasons, v, code)
	}
	if (a.Grant != nil) != (v == authz.Allow) || (a.Ticket != nil) != (v == authz.RequireApproval) {
		b.Fatalf("%v has grant %v and ticket %v", v, a.Grant, a.Ticket)
	}
	return a
}

func (b *bench) answer(ticket, who string, approve bool) {
	b.Helper()
	r := b.commit(ledger.Entry{Kind: evidence.Answer, Answer: &approval.Answer{Ticket: ticket, Approver: who, Approve: approve}})
	if r.Conflict != nil {
		b.Fatalf("answering: %+v", r.Conflict)
	}
}

// records returns all records of a kind, and verifies the chain on the way.
func (b *bench) records(kind evidence.Kind) (bodies []map[string]any) {
	b.Helper()
	var v evidence.Verifier
	err := b.store.Records(b.Context(), 0, 1<<20, func(r evidence.Record) error {
		if err := v.Next(r); err != nil {
			return err
		}
		body := map[string]any{}
		if r.Kind == kind {
			bodies = append(bodies, body)
		}
		return json.Unmarshal(r.Body, &body)
	})
	if err != nil {
		b.Fatal(err)
	}
	return bodies
}

func TestNewRefusesToStart(t *testing.T) {
	none := func() *contract.Contract { return nil }
	store := memory.New(nil)
	for name, o := range map[string]gate.Options{
		"zero options": {}, "no contract": {Store: store, Key: key}, "no store": {Contract: none, Key: key},
		"no key": {Contract: none, Store: store}, "short key": {Contract: none, Store: store, Key: key[:31]},
	} {
		if g, err := gate.New(o); err == nil || g != nil {
			t.Errorf("%s: a gate was made", name)
		}
	}
}

func TestCheckRecordsBeforeItAnswers(t *testing.T) {
	b := newBench(t)
	b.want(b.check(b.ask("accounts", `{}`)), authz.Allow, authz.AllowClause)
	held := b.want(b.check(b.ask("pay", `{"amount": 500, "to": "ann"}`)), authz.RequireApproval, authz.ApproveClause)
	b.want(b.check(b.ask("pay", `{"amount": 5000}`)), authz.Block, authz.NoClause)
	got := b.records(evidence.Decision)
	if len(got) != 3 {
		t.Fatalf("%d decisions are recorded, want 3", len(got))
	}
	for i, want := range []string{"ALLOW true accounts", "REQUIRE_APPROVAL false pay", "BLOCK false pay"} {
		if s := fmt.Sprint(got[i]["verdict"], " ", got[i]["granted"], " ", got[i]["tool"]); s != want {
			t.Errorf("record %d says %q, want %q", i, s, want)
		}
	}
	if got[1]["ticket"] != held.Ticket.ID || got[1]["call_digest"] != string(held.CallDigest) || got[1]["contract_digest"] != b.contract.Digest() {
		t.Errorf("the held call is recorded as %v, answered as %+v", got[1], held)
	}
	if want := b.now.Add(15 * time.Minute); !held.Ticket.Expires.Equal(want) {
		t.Errorf("the ticket expires at %v, want %v", held.Ticket.Expires, want)
	}
}

// TestFaults: whatever fails on the way, before or after it was written, is a
// BLOCK with its own reason and no grant.
func TestFaults(t *testing.T) {
	tests := []struct {
		point, tool, args string
		code              authz.Code
	}{
		{"Commit.decision", "accounts", `{}`, authz.NoEvidence},
		{"Commit.decision", "pay", `{"amount": 500}`, authz.NoEvidence},
		{"Used", "pay", `{"amount": 5}`, authz.FactsFailed},
		{"Observations", "pay", `{"amount": 5, "to": "ann"}`, authz.FactsFailed},
		{"Now", "pay", `{"amount": 500}`, authz.FactsFailed},
		{"Latest", "pay", `{"amount": 500}`, authz.FactsFailed},
		{"Ticket", "pay", `{"amount": 5}`, authz.FactsFailed},
	}
	for _, tt := range tests {
		for _, persist := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s/persist=%v", tt.point, tt.tool, persist), func(t *testing.T) {
				b := newBench(t)
				hit := false
				b.open(storetest.Faulty{Store: b.store, Fault: func(point string) (error, bool) {
					if point != tt.point {
						return nil, false
					}
					hit = true
					return errors.New("lost"), persist
				}})
				a := b.ask(tt.tool, tt.args)
				if tt.point == "Ticket" {
					a.Call.Ticket = "t-none"
				}
				answer := b.want(b.check(a), authz.Block, tt.code)
				if !hit {
					t.Fatal("the fault was never reached")
				}
				if want := tt.code != authz.NoEvidence; (answer.Evidence.ID != "") != want {
					t.Errorf("evidence %+v, want recorded = %v", answer.Evidence, want)
				}
				b.records(evidence.Decision) // the chain is whole
			})
		}
	}
}

// panicking fails one method with a panic.
type panicking struct {
	gate.Store
	commits atomic.Int32
	every   bool
}

func (p *panicking) Used(context.Context, []authz.TakeKey) ([]toolcall.Decimal, error) {
	panic("defect")
}

func (p *panicking) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	if p.every {
		panic("defect")
	}
	p.commits.Add(1)
	return p.Store.Commit(ctx, e)
}

func TestPanicBlocks(t *testing.T) {
	b := newBench(t)
	p := &panicking{Store: b.store}
	b.open(p)
	b.want(b.check(b.ask("pay", `{"amount": 5}`)), authz.Block, authz.Internal)
	if got := b.records(evidence.Decision); len(got) != 1 || got[0]["verdict"] != "BLOCK" {
		t.Errorf("the defect is recorded as %v", got)
	}
	p.every = true
	b.want(b.check(b.ask("accounts", `{}`)), authz.Block, authz.Internal)
}

// stuck is a store that answers nothing before the deadline.
type stuck struct{ gate.Store }

func (stuck) Used(ctx context.Context, _ []authz.TakeKey) ([]toolcall.Decimal, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (stuck) Commit(ctx context.Context, _ ledger.Entry) (ledger.Receipt, error) {
	<-ctx.Done()
	return ledger.Receipt{}, ctx.Err()
}

// late is stuck with a commit that works, as real ones do: not after the
// deadline of its context.
type late struct{ stuck }

func (l late) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	return l.Store.Commit(ctx, e)
}

func TestDeadlineBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open(late{stuck{b.store}})
		b.want(b.check(b.ask("pay", `{"amount": 5}`)), authz.Block, authz.Timeout)
		if got := b.records(evidence.Decision); len(got) != 1 {
			t.Errorf("the decision that came too late is recorded as %v", got)
		}
		b.open(stuck{b.store})
		b.want(b.check(b.ask("accounts", `{}`)), authz.Block, authz.NoEvidence)
	})
}

func TestNoContractBlocks(t *testing.T) {
	b := newBench(t)
	b.contract = nil
	b.want(b.check(b.ask("accounts", `{}`)), authz.Block, authz.NoContract)
	a := b.ask("accounts", `{}`)
	a.Call.Ticket = "t-none"
	b.want(b.check(a), authz.Block, authz.NoContract)
	if _, ok := b.gate.Approved("shop"); ok || b.gate.Lists("buyer", "shop", "pay") {
		t.Error("without a contract something is listed")
	}
}

func TestGrant(t *testing.T) {
	b := newBench(t)
	call := testkit.Call(t, "buyer", "accounts", `{}`)
	grant := func() *gate.Grant {
		return b.want(b.check(b.ask("accounts", `{}`)), authz.Allow, authz.AllowClause).Grant
	}
	if err := grant().Redeem(call); err != nil {
		t.Errorf("a fresh grant: %v", err)
	}
	g := grant()
	var redeemed atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if g.Redeem(call) == nil {
				redeemed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := redeemed.Load(); n != 1 {
		t.Errorf("one grant was redeemed %d times", n)
	}
	g = grant()
	other := call
	other.Arguments = testkit.Value(t, `{"x": 1}`)
	if err := g.Redeem(other); !errors.Is(err, gate.ErrOtherCall) {
		t.Errorf("for another call: %v", err)
	}
	if err := g.Redeem(call); !errors.Is(err, gate.ErrRedeemed) {
		t.Errorf("after another call was tried: %v", err)
	}
	g = grant()
	b.now = b.now.Add(gate.GrantLife)
	if err := g.Redeem(call); !errors.Is(err, gate.ErrGrantExpired) {
		t.Errorf("late: %v", err)
	}
	for name, g := range map[string]*gate.Grant{"nil": nil, "zero": {}} {
		if err := g.Redeem(call); !errors.Is(err, gate.ErrNoGrant) {
			t.Errorf("the %s grant: %v", name, err)
		}
		if err := b.gate.Done(t.Context(), g, gate.Outcome{}); !errors.Is(err, gate.ErrNoGrant) {
			t.Errorf("the outcome of the %s grant: %v", name, err)
		}
	}
}

// TestApproval walks a ticket through its life (contract.md, rule 8).
func TestApproval(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 500, "to": "ann"}`)
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	if again := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause); again.Ticket.ID != held.Ticket.ID {
		t.Error("the same call again did not share its open ticket")
	}
	named := a
	named.Call.Ticket = held.Ticket.ID
	b.want(b.check(named), authz.Block, authz.ApprovalOpen)

	b.answer(held.Ticket.ID, "ann", true)
	for name, change := range map[string]func(*gate.Ask){
		"arguments": func(a *gate.Ask) { a.Call.Arguments = testkit.Value(t, `{"amount": 501, "to": "ann"}`) },
		"session":   func(a *gate.Ask) { a.Session = "s2" },
		"cwd":       func(a *gate.Ask) { a.Cwd = os.TempDir() },
		"user":      func(a *gate.Ask) { a.Principal.User = "eve" },
		"params":    func(a *gate.Ask) { a.Call.Params = testkit.Value(t, `{"task": {"ttl": 1}}`) },
		"agent":     func(a *gate.Ask) { a.Call.Agent, a.Principal.Agent = "other", "other" },
	} {
		other := named
		change(&other)
		if got := b.check(other); got.Code() != authz.ApprovalMismatch {
			t.Errorf("with another %s the ticket gave %v %s", name, got.Verdict, got.Code())
		}
	}
	b.want(b.check(a), authz.Allow, authz.Approved) // the mismatches did not use it up
	b.want(b.check(named), authz.Block, authz.ApprovalUsed)
	if next := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause); next.Ticket.ID == held.Ticket.ID {
		t.Error("the used ticket was opened again")
	}
	named.Call.Ticket = "t-none"
	b.want(b.check(named), authz.Block, authz.ApprovalUnknown)
}

// TestApprovalBindsTheDirectory: a directory put in the place of the one where
// the call was approved is another one.
func TestApprovalBindsTheDirectory(t *testing.T) {
	b := newBench(t)
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	a := b.ask("pay", `{"amount": 500}`)
	a.Cwd = dir
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "ann", true)
	if err := errors.Join(os.Rename(dir, dir+".before"), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	named := a
	named.Call.Ticket = held.Ticket.ID
	b.want(b.check(named), authz.Block, authz.ApprovalMismatch)
	if again := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause); again.Ticket.ID == held.Ticket.ID {
		t.Error("the ticket of another directory was shared")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	b.want(b.check(a), authz.Block, authz.FactsFailed)
	if err := os.Rename(dir+".before", dir); err != nil {
		t.Fatal(err)
	}
	b.want(b.check(named), authz.Allow, authz.Approved) // it was not used up
}

func TestApprovalNamed(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 500}`)
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "bob", true)
	a.Call.Ticket = held.Ticket.ID
	b.want(b.check(a), authz.Allow, authz.Approved)
}

func TestApprovalDenied(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 500}`)
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "ann", false)
	b.want(b.check(a), authz.Block, authz.ApprovalDenied)
	b.now = b.now.Add(15 * time.Minute)
	b.want(b.check(a), authz.RequireApproval, authz.ApproveClause) // until the ticket expires
}

func TestApprovalExpires(t *testing.T) {
	for name, approve := range map[string]bool{"unanswered": false, "approved": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			a := b.ask("pay", `{"amount": 500}`)
			held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
			if approve {
				b.answer(held.Ticket.ID, "ann", true)
			}
			b.now = b.now.Add(15 * time.Minute)
			named := a
			named.Call.Ticket = held.Ticket.ID
			b.want(b.check(named), authz.Block, authz.ApprovalExpired)
			b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
		})
	}
}

func TestApprovalVoid(t *testing.T) {
	edited := strings.Replace(testkit.ShopContract, "max: 2000", "max: 1900", 1)
	redefined := strings.Replace(testkit.ShopCatalog, `"name": "pay"`, `"name": "pay", "description": "new"`, 1)
	for name, c := range map[string][2]string{
		"contract": {edited, testkit.ShopCatalog}, "definition": {testkit.ShopContract, redefined},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			a := b.ask("pay", `{"amount": 500}`)
			held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
			b.answer(held.Ticket.ID, "ann", true)
			b.contract = testkit.Contract(t, c[0], c[1])
			named := a
			named.Call.Ticket = held.Ticket.ID
			b.want(b.check(named), authz.Block, authz.ApprovalVoid)
			if next := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause); next.Ticket.ID == held.Ticket.ID {
				t.Error("a voided ticket was shared")
			}
		})
	}
}

// TestApprovedButSpent: a limit used up meanwhile blocks, and the approval stays.
func TestApprovedButSpent(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 900, "to": "x"}`)
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "ann", true)
	take := authz.Take{Counter: `sum agent="buyer" tool="shop.pay" argument="amount"`, Window: int64(24 * time.Hour), Amount: "1500", Max: "2000"}
	if r := b.commit(ledger.Entry{Kind: evidence.Outcome, Takes: []authz.Take{take}}); r.Conflict != nil {
		t.Fatalf("%+v", r.Conflict)
	}
	b.want(b.check(a), authz.Block, authz.LimitReached)
	ticket, err := b.store.Ticket(t.Context(), held.Ticket.ID)
	if err != nil || ticket.State(b.now) != approval.Granted {
		t.Errorf("the ticket is %v (%v), want approved", ticket.State(b.now), err)
	}
}

// TestTakenByAnother: what somebody else took between decision and commit makes
// a recorded BLOCK.
func TestTakenByAnother(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 500}`)
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	b.answer(held.Ticket.ID, "ann", true)
	var allowed, blocked atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			switch got := b.gate.Check(t.Context(), a); {
			case got.Verdict == authz.Allow:
				allowed.Add(1)
			case got.Code() == authz.ApprovalUsed:
				blocked.Add(1)
			}
		})
	}
	wg.Wait()
	if allowed.Load() != 1 {
		t.Errorf("one approval let %d calls through", allowed.Load())
	}
	granted := 0
	for _, r := range b.records(evidence.Decision) {
		if r["granted"] == true {
			granted++
		}
	}
	if granted != 1 {
		t.Errorf("%d granted decisions are recorded", granted)
	}
}

func TestLimitIsExact(t *testing.T) {
	b := newBench(t)
	b.contract = testkit.Contract(t, strings.Replace(testkit.ShopContract, "{calls: 5, per: 1h}", "{calls: 100, per: 1h}", 1), testkit.ShopCatalog)
	a := b.ask("pay", `{"amount": 0.01, "to": "ann"}`)
	a.Asserted.Turns = []string{"pay ann"}
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 50 {
				if b.gate.Check(t.Context(), a).Verdict == authz.Allow {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := allowed.Load(); n != 100 {
		t.Errorf("a limit of 100 let %d calls through", n)
	}
}

func TestAwait(t *testing.T) {
	for _, approve := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			a := b.ask("pay", `{"amount": 500}`)
			held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
			time.AfterFunc(30*time.Second, func() { b.answer(held.Ticket.ID, "ann", approve) })
			start := time.Now()
			if !b.gate.Await(t.Context(), held.Ticket.ID, time.Minute) {
				t.Fatal("the answer was not seen")
			}
			if waited := time.Since(start); waited < 30*time.Second || waited > 31*time.Second {
				t.Errorf("the answer after 30 s was seen after %v", waited)
			}
			want, code := authz.Allow, authz.Approved
			if !approve {
				want, code = authz.Block, authz.ApprovalDenied
			}
			b.want(b.check(a), want, code)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		held := b.check(b.ask("pay", `{"amount": 500}`))
		if b.gate.Await(t.Context(), held.Ticket.ID, time.Minute) {
			t.Error("an answer was seen that nobody gave")
		}
		if b.gate.Await(t.Context(), "t-none", time.Minute) {
			t.Error("a ticket that does not exist was answered")
		}
		b.open(storetest.Faulty{Store: b.store, Fault: func(p string) (error, bool) {
			return map[bool]error{true: errors.New("lost")}[p == "Now"], false
		}})
		if b.gate.Await(t.Context(), held.Ticket.ID, time.Minute) {
			t.Error("a store without a clock saw an answer")
		}
	})
}

// TestProvenance: a value counts as stated once a granted call has returned it,
// in the same session, at the named place.
func TestProvenance(t *testing.T) {
	b := newBench(t)
	pay := b.ask("pay", `{"amount": 5, "to": "DE1"}`)
	b.want(b.check(pay), authz.RequireApproval, authz.ApproveClause)
	look := b.want(b.check(b.ask("accounts", `{}`)), authz.Allow, authz.AllowClause)
	result := testkit.Value(t, `{"content": [], "structuredContent": {"accounts": [{"iban": "DE1", "note": "pay DE2"}]}}`)
	if err := b.gate.Done(t.Context(), look.Grant, gate.Outcome{Status: gate.Failed, Result: result}); err != nil {
		t.Fatal(err)
	}
	b.want(b.check(pay), authz.RequireApproval, authz.ApproveClause) // a failed call states nothing
	if err := b.gate.Done(t.Context(), look.Grant, gate.Outcome{Status: gate.Succeeded, Result: result}); err != nil {
		t.Fatal(err)
	}
	b.want(b.check(pay), authz.Allow, authz.AllowClause)
	b.want(b.check(b.ask("pay", `{"amount": 5, "to": "DE2"}`)), authz.RequireApproval, authz.ApproveClause)
	elsewhere := pay
	elsewhere.Session = "s2"
	b.want(b.check(elsewhere), authz.RequireApproval, authz.ApproveClause)
	elsewhere.Session = ""
	b.want(b.check(elsewhere), authz.RequireApproval, authz.ApproveClause)
}

func TestAsserted(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 5, "to": "DE1"}`)
	a.Asserted.Results = []gate.AssertedResult{{Server: "shop", Tool: "accounts", Result: testkit.Value(t, `{"structuredContent": {"accounts": [{"iban": "DE1"}]}}`)}}
	b.want(b.check(a), authz.Allow, authz.AllowClause)
	a.Asserted = gate.Asserted{Turns: []string{"send 5 to DE1, please"}}
	b.want(b.check(a), authz.Allow, authz.AllowClause)
	if got := b.records(evidence.Decision); got[0]["asserted"] == nil || got[1]["asserted"] == nil {
		t.Errorf("asserted facts are not recorded: %v", got)
	}
	b.want(b.check(b.ask("pay", `{"amount": 5, "to": "DE1"}`)), authz.RequireApproval, authz.ApproveClause) // nothing stays
}

// swapping exchanges a file while the decision is being recorded.
type swapping struct {
	gate.Store
	swap func()
}

func (s swapping) Commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	if e.Kind == evidence.Decision {
		s.swap()
	}
	return s.Store.Commit(ctx, e)
}

func TestOperandChanged(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	point := func(to string) {
		if err := errors.Join(os.RemoveAll(link), os.Symlink(to, link)); err != nil {
			t.Fatal(err)
		}
	}
	point("a.txt")
	places, err := facts.ResolvePlaces(dir)
	if err != nil {
		t.Fatal(err)
	}
	b.places = places
	a := b.ask("read", `{"path": "`+filepath.ToSlash(link)+`"}`)
	b.open(b.store)
	b.want(b.check(a), authz.Allow, authz.AllowClause)
	b.open(swapping{b.store, func() { point("b.txt") }})
	b.want(b.check(a), authz.Block, authz.OperandChanged)
	if out := b.records(evidence.Outcome); len(out) != 1 || out[0]["status"] != "withheld" {
		t.Errorf("the withheld grant is recorded as %v", out)
	}
	// When that can't be recorded either, the answer says so and stays BLOCK.
	point("a.txt")
	b.open(swapping{storetest.Faulty{Store: b.store, Fault: func(p string) (error, bool) {
		return map[bool]error{true: errors.New("lost")}[p == "Commit.outcome"], false
	}}, func() { point("b.txt") }})
	answer := b.want(b.check(a), authz.Block, authz.OperandChanged)
	if last := answer.Reasons[len(answer.Reasons)-1]; last.Code != authz.NoEvidence {
		t.Errorf("reasons are %+v", answer.Reasons)
	}
}

// TestOwnFiles: no pattern of a contract covers the gate's own files, for
// reading or writing, by whatever way they are named.
func TestOwnFiles(t *testing.T) {
	b := newBench(t)
	home := t.TempDir()
	own := filepath.Join(home, "state")
	for _, dir := range []string{own, filepath.Join(home, "work")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, filepath.Join(home, "work", "link")); err != nil {
		t.Fatal(err)
	}
	places, err := facts.ResolvePlaces(home)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Options{
		Contract: func() *contract.Contract { return b.contract }, Store: b.store, Key: key, Places: places,
		Own: []string{filepath.Join(places.Workspace, "state")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]authz.Verdict{
		"work/a.txt": authz.Allow, "state/key": authz.Block, "state": authz.Block, "STATE/key": authz.Block,
		"work/../state/key": authz.Block, "work/link/key": authz.Block, "statement": authz.Allow,
	} {
		a := b.ask("read", `{"path": "`+filepath.ToSlash(filepath.Join(home, "x"))[:len(home)+1]+path+`"}`)
		if got := g.Check(t.Context(), a); got.Verdict != want {
			t.Errorf("%s: %v %+v, want %v", path, got.Verdict, got.Reasons, want)
		}
	}
}

// TestSecretsStayOut plants canaries in every member that a record could take
// over, and looks for them in every record.
func TestSecretsStayOut(t *testing.T) {
	const token, note, password = "ghp_0123456789abcdefghijCANARY", "CANARY-in-a-redacted-note", "CANARY-password"
	b := newBench(t)
	calls := []string{
		`{"amount": 5, "to": "` + token + `"}`,
		`{"amount": 5, "note": "` + note + `"}`,
		`{"amount": 500, "to": "https://user:` + password + `@host.example/"}`,
		`{"amount": 5, "password": "` + password + `"}`,
		`{"amount": "` + token + `"}`,
	}
	digests := map[toolcall.Digest]bool{}
	for _, c := range calls {
		answer := b.check(b.ask("pay", c))
		if !strings.HasPrefix(string(answer.CallDigest), "hmac-sha256:") {
			t.Errorf("%s: the digest %s can be guessed", c, answer.CallDigest)
		}
		digests[answer.CallDigest] = true
	}
	a := b.ask("pay", `{"amount": 5, "to": "x"}`)
	a.Asserted.Turns = []string{"use " + token}
	a.Session, a.Call.Tool, a.Call.Ticket = "s "+token, "no "+token, "t "+token
	b.check(a)
	b.gate.Refuse(t.Context(), a, authz.Malformed, "got "+token, []byte(token))
	held := b.check(b.ask("pay", `{"amount": 6, "note": "`+note+`"}`))
	if len(digests) != len(calls) {
		t.Errorf("%d calls have %d digests", len(calls), len(digests))
	}
	seen := 0
	err := b.store.Records(t.Context(), 0, 1<<20, func(r evidence.Record) error {
		seen++
		if strings.Contains(string(r.Body), "CANARY") {
			t.Errorf("record %d holds a secret: %s", r.Index, r.Body)
		}
		return nil
	})
	if err != nil || seen < len(calls)+3 {
		t.Fatalf("looked at %d records (%v)", seen, err)
	}
	sealed, err := b.store.Copy(t.Context(), held.Ticket.ID)
	if err != nil || strings.Contains(string(sealed), "CANARY") {
		t.Errorf("the sealed copy: %v", err)
	}
	plain, err := approval.Unseal(key, held.Ticket.ID, sealed)
	if err != nil || !strings.Contains(string(plain), note) {
		t.Errorf("approvers see %s (%v), want the whole call", plain, err)
	}
}

// TestParamsAreKept: what a call carries beside its arguments is recorded, shown
// to approvers, and part of what they approve.
func TestParamsAreKept(t *testing.T) {
	b := newBench(t)
	a := b.ask("pay", `{"amount": 500}`)
	a.Call.Params = testkit.Value(t, `{"inputResponses": {"k": {"action": "accept"}}, "token": "CANARY"}`)
	held := b.want(b.check(a), authz.RequireApproval, authz.ApproveClause)
	got := b.records(evidence.Decision)[0]["params"]
	if text := fmt.Sprint(got); !strings.Contains(text, "inputResponses") || strings.Contains(text, "CANARY") {
		t.Errorf("recorded beside the arguments: %v", got)
	}
	sealed, err := b.store.Copy(t.Context(), held.Ticket.ID)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := approval.Unseal(key, held.Ticket.ID, sealed); err != nil || !strings.Contains(string(plain), "inputResponses") {
		t.Errorf("approvers see %s, %v", plain, err)
	}
}

func TestLargeCallIsRecorded(t *testing.T) {
	b := newBench(t)
	b.want(b.check(b.ask("pay", `{"amount": 5, "note": "`+strings.Repeat("a ", 1<<20)+`"}`)), authz.RequireApproval, authz.ApproveClause)
	ids := strings.Repeat("11111111,", 1<<17) + "1"
	b.want(b.check(b.ask("pay", `{"amount": 5, "ids": [`+ids+`]}`)), authz.RequireApproval, authz.ApproveClause)
}

func TestRefuse(t *testing.T) {
	b := newBench(t)
	answer := b.gate.Refuse(t.Context(), gate.Ask{Door: "test"}, authz.Malformed, "byte 3", []byte("{x"))
	b.want(answer, authz.Block, authz.Malformed)
	if got := b.records(evidence.Decision); len(got) != 1 || got[0]["input_digest"] == nil || got[0]["verdict"] != "BLOCK" {
		t.Errorf("recorded as %v", got)
	}
	b.open(storetest.Faulty{Store: b.store, Fault: func(string) (error, bool) { return errors.New("full disk"), false }})
	b.want(b.gate.Refuse(t.Context(), gate.Ask{}, authz.Malformed, "", nil), authz.Block, authz.NoEvidence)
}

// TestBodiesAreDocumented: docs/spec/evidence.md has every member that a record
// can have.
func TestBodiesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/spec/evidence.md")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	a := b.ask("pay", `{"amount": 500}`)
	a.Principal.User, a.Cwd, a.Asserted.Turns = "u", "/", []string{"turn"}
	held := b.check(a)
	b.answer(held.Ticket.ID, "ann", true)
	a.Call.Ticket = held.Ticket.ID
	allowed := b.want(b.check(a), authz.Allow, authz.Approved)
	if err := b.gate.Done(t.Context(), allowed.Grant, gate.Outcome{Status: gate.Failed, Detail: "x"}); err != nil {
		t.Fatal(err)
	}
	b.gate.Refuse(t.Context(), a, authz.Malformed, "x", []byte("x"))
	members := map[string]bool{}
	for _, kind := range []evidence.Kind{evidence.Decision, evidence.Outcome} {
		for _, body := range b.records(kind) {
			for name := range body {
				members[name] = true
				if !strings.Contains(string(page), "`"+name+"`") {
					t.Errorf("docs/spec/evidence.md does not mention %s of a %s", name, kind)
				}
			}
		}
	}
	if len(members) < 22 {
		t.Errorf("looked at %d members only: %v", len(members), members)
	}
}

func TestLists(t *testing.T) {
	b := newBench(t)
	for name, want := range map[string]bool{"pay": true, "accounts": true, "wipe": false, "unknown": false} {
		if got := b.gate.Lists("buyer", "shop", name); got != want {
			t.Errorf("the buyer sees %s: %v, want %v", name, got, want)
		}
	}
	if b.gate.Lists("nobody", "shop", "pay") || b.gate.Lists("buyer", "other", "pay") {
		t.Error("an unknown agent or server lists a tool")
	}
	if c, ok := b.gate.Approved("shop"); !ok || len(c.Tools) != 4 {
		t.Error("the approved copy is not the one of the contract")
	}
}
