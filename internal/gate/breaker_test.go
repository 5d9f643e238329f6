package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/testkit"
)

var (
	blocks = judge.Opinion{Verdict: authz.OpinionBlock}
	allows = judge.Opinion{Verdict: authz.OpinionAllow, Authorization: judge.Implied, FailureMode: judge.NoFailure, Risk: judge.Low}
)

// look is a call of the harmless tool, which no check holds.
func (b *bench) look(what, turn string) gate.Ask {
	return b.said("look", fmt.Sprintf(`{"what": %q}`, what), turn)
}

// trip opens the breaker of the turn.
func (b *bench) trip(s *scripted, turn string) {
	b.Helper()
	s.says = blocks
	for _, what := range []string{"t1", "t2", "t3"} {
		b.want(b.check(b.look(what, turn)), authz.Block, authz.JudgeBlock)
	}
	s.says = allows
}

// TestBreakerOpens: after three blocks in a row a person is asked instead of the
// judge, at every door and after a restart, until the user writes again.
func TestBreakerOpens(t *testing.T) {
	s := &scripted{}
	b := newJudged(t, s)
	b.trip(s, "one")
	asked := s.asked
	held := b.want(b.check(b.look("x", "one")), authz.RequireApproval, authz.JudgeBreaker)
	b.want(b.check(b.said("pay", `{"to": "X"}`, "one")), authz.RequireApproval, authz.JudgeBreaker)
	b.open(b.store) // another process
	b.want(b.check(b.look("x", "one")), authz.RequireApproval, authz.JudgeBreaker)
	if s.asked != asked || b.opinion() != nil {
		t.Errorf("the judge was asked %d times behind an open breaker; recorded %v", s.asked-asked, b.opinion())
	}
	b.answer(held.Ticket.ID, "ann", true)
	b.want(b.check(b.look("x", "one")), authz.Allow, authz.Approved)

	b.want(b.check(b.said("run", `{"command": "rm -r /etc"}`, "one")), authz.Block, authz.NoClause)
	b.want(b.check(b.said("pay", `{"to": "X"}`, "one")), authz.Block, authz.NeverClause) // look was called
	other := b.look("x", "one")
	other.Session = "s2"
	b.want(b.check(other), authz.Allow, authz.JudgeAllow)
	b.want(b.check(b.look("x", "two")), authz.Allow, authz.JudgeAllow)
}

// TestBreakerAlone: where nobody can be asked, an open breaker blocks.
func TestBreakerAlone(t *testing.T) {
	s := &scripted{}
	b := newJudged(t, s)
	b.contract = testkit.Contract(t, judgedContract+"approvals: {approvers: [nobody]}\n", judgedCatalog)
	b.trip(s, "one")
	a := b.want(b.check(b.look("x", "one")), authz.Block, authz.JudgeBreaker)
	if !strings.Contains(a.Reasons[0].Detail, "No approver can be reached") || a.NoVerdict != "" {
		t.Errorf("answered %+v", a)
	}
}

// TestBreakerCounts: what counts and what does not. The judge of each call blocks
// (b), allows (a) or has no verdict (n); a letter that is said twice is the same call.
func TestBreakerCounts(t *testing.T) {
	for name, tt := range map[string]struct {
		script string
		open   bool
	}{
		"two blocks":               {"b1 b2", false},
		"an allow ends the row":    {"b1 b2 a3 b4 b5", false},
		"no verdict ends none":     {"b1 b2 n3 b4", true},
		"no verdict never counts":  {"n1 n2 n3 n4", false},
		"the same call":            {"b1 b1 b1 b1", false},
		"ten of fifteen":           {"b1 b2 a3 b4 b5 a6 b7 b8 a9 b10 b11 a12 b13 a14 b15", true},
		"the contract's own block": {"x1 x2 x3", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{}
			b := newJudged(t, s)
			for _, one := range strings.Fields(tt.script) {
				s.says = map[byte]judge.Opinion{'b': blocks, 'a': allows, 'n': judge.None(judge.Refusal, "")}[one[0]]
				call := b.look(one[1:], "turn")
				if one[0] == 'x' {
					call = b.said("run", `{"command": "rm -r /etc"}`, "turn")
				}
				b.check(call)
			}
			s.says = allows
			if a := b.check(b.look("last", "turn")); (a.Code() == authz.JudgeBreaker) != tt.open {
				t.Errorf("after %s: %v %s", tt.script, a.Verdict, a.Code())
			}
		})
	}
}

// TestBreakerMeanwhile: an opinion that comes after the breaker has opened does not
// count, also if it allows.
func TestBreakerMeanwhile(t *testing.T) {
	s := &scripted{}
	b := newJudged(t, s)
	s.does = func() {
		s.does = nil
		b.trip(s, "one")
	}
	b.want(b.check(b.look("late", "one")), authz.RequireApproval, authz.JudgeBreaker)
	if n := len(b.records(evidence.Decision)); n != 4 {
		t.Errorf("%d decisions are recorded, want 4: one that was made anew leaves no record", n)
	}
}

// TestBreakerShadow: in shadow mode nothing counts and nothing is held.
func TestBreakerShadow(t *testing.T) {
	s := &scripted{}
	b := newJudged(t, s)
	b.contract = testkit.Contract(t, strings.Replace(judgedContract, "buyer:\n", "buyer:\n    mode: shadow\n", 1), judgedCatalog)
	s.says = blocks
	for _, what := range []string{"1", "2", "3", "4"} {
		b.want(b.check(b.look(what, "one")), authz.Allow, authz.JudgeBlock)
	}
}

// TestOpineBehindBreaker: an opinion is shown also where the judge would not be
// asked, with what the call would get.
func TestOpineBehindBreaker(t *testing.T) {
	s := &scripted{}
	b := newJudged(t, s)
	b.trip(s, "one")
	j, err := b.gate.Opine(t.Context(), b.look("x", "one"))
	if err != nil || !j.Handed || j.Opinion.Verdict != authz.OpinionAllow || j.Decision.Code() != authz.JudgeBreaker {
		t.Errorf("%v, %+v", err, j)
	}
}
