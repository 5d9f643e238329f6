package gate_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/storetest"
	"github.com/licet-dev/licet/internal/testkit"
)

// steps notes what the gate asks of others, and panics at one of these steps.
type steps struct {
	taken []string
	boom  int // which one panics, from 1; 0 = none
}

func (s *steps) take(name string) {
	s.taken = append(s.taken, name)
	if len(s.taken) == s.boom {
		panic("boom at " + name)
	}
}

// Judge implements judge.Judge.
func (s *steps) Judge(context.Context, judge.Case) judge.Opinion {
	s.take("judge")
	return allows
}

// Digest implements judge.Judge.
func (s *steps) Digest() string {
	s.take("digest")
	return "sha256:steps"
}

const steppedContract = `
version: 1
name: stepped
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  buyer:
    tools:
      shop.look:
        never: [{$session: {called: [shop.pay]}}]
        judge: [{what: {from: [request]}}]
        limits: [{calls: 5, per: 1h}]
      shop.pay: judge
`

// stepped is a bench whose gate takes its steps through s.
func stepped(t *testing.T, s *steps) *bench {
	b := newJudged(t, s)
	b.contract = testkit.Contract(t, steppedContract, judgedCatalog)
	var err error
	b.gate, err = gate.New(gate.Options{
		Contract: func() *contract.Contract { s.take("contract"); return b.contract },
		Store:    storetest.Faulty{Store: b.store, Fault: func(point string) (error, bool) { s.take(point); return nil, false }},
		Key:      key, Places: b.places, Judge: s, Deadline: time.Minute,
		Now: func() time.Time { s.take("clock"); return b.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPanicAtEachStep: a defect at any step of a judged call, the question to the
// judge and the record among them, ends in BLOCK without a grant.
func TestPanicAtEachStep(t *testing.T) {
	whole := &steps{}
	b := stepped(t, whole)
	b.want(b.check(b.look("X1", "Look at X1")), authz.Allow, authz.JudgeAllow)
	for _, name := range []string{"contract", "Observations", "Marks", "Used", "clock", "Now", "Latest", "Breaker", "judge", "digest", "Approvers", "Commit.decision"} {
		if !slices.Contains(whole.taken, name) {
			t.Errorf("no step is %s: %q", name, whole.taken)
		}
	}
	for i, name := range whole.taken {
		b := stepped(t, &steps{boom: i + 1})
		a := b.check(b.look("X1", "Look at X1"))
		if a.Verdict != authz.Block || a.Grant != nil {
			t.Errorf("a panic at step %d, %s, gives %v %+v", i+1, name, a.Verdict, a.Reasons)
		}
		if want := authz.Internal; a.Code() != want && (name != "judge" && name != "digest" || a.Code() != authz.JudgeNoVerdict) {
			t.Errorf("a panic at step %d, %s, is told as %s", i+1, name, a.Code())
		}
		all := b.records(evidence.Decision)
		if last := all[len(all)-1]; last["verdict"] != "BLOCK" {
			t.Errorf("a panic at step %d, %s, is recorded as %v", i+1, name, last["verdict"])
		}
	}
	if n := len(whole.taken); n < 15 {
		t.Errorf("%d steps: the test is not looking", n)
	}
}
