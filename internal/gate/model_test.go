package gate_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
)

// story tells what becomes of judged calls, in the plainest words.
type story struct {
	session string
	turn    int
	looked  bool                 // a look was granted, after which the contract forbids to pay
	open    map[string]time.Time // tickets by call, with their end
	granted map[string]time.Time // answered ones
	last    map[string]string    // decision on the last soft block of a call

	opened  bool // the breaker
	at      int  // turn of the last opinion that counted
	row     int
	blocks  int
	counted []string // opinions that counted, with turn and call
}

// opine counts an opinion.
func (s *story) opine(call string, o authz.Opinion) {
	if s.opened && s.at != s.turn {
		s.opened, s.row, s.blocks, s.counted = false, 0, 0, nil
	}
	key := fmt.Sprint(s.turn, call, o)
	if o == authz.NoVerdict || slices.Contains(s.counted, key) {
		return
	}
	s.at, s.counted = s.turn, append(s.counted, key)
	switch o {
	case authz.OpinionBlock:
		s.row++
		s.blocks++
	case authz.OpinionAllow:
		s.row = 0
	}
	s.opened = s.row >= 3 || s.blocks >= 10
}

// decide says what a call gets, and counts what the judge says of it. The judge is
// asked only if nothing stands before it.
func (s *story) decide(b *bench, tool, call string, says judge.Opinion) (authz.Verdict, authz.Code) {
	switch until, is := s.granted[call]; {
	case tool == "etc":
		return authz.Block, authz.NoClause
	case tool == "pay" && s.looked:
		return authz.Block, authz.NeverClause
	case is && b.now.Before(until):
		delete(s.granted, call)
		return authz.Allow, authz.Approved
	case s.opened && s.at == s.turn:
		return authz.RequireApproval, authz.JudgeBreaker
	}
	o := says.Verdict
	if o == authz.OpinionAllow && tool != "look" {
		o = authz.OpinionBlock // a check finds that no words are quoted
	}
	s.opine(call, o)
	switch o {
	case authz.OpinionAllow:
		return authz.Allow, authz.JudgeAllow
	case authz.OpinionBlock:
		return authz.Block, authz.JudgeBlock
	case authz.OpinionUnsure:
		return authz.RequireApproval, authz.JudgeUnsure
	}
	return authz.RequireApproval, authz.JudgeNoVerdict
}

// play takes one random step: a call, mostly; the user's word on one; a new turn; time.
func (s *story) play(r *rapid.T, b *bench, j *scripted) (code authz.Code) {
	tool := rapid.SampledFrom([]string{"run", "etc", "pay", "look", "look"}).Draw(r, "tool")
	args := map[string]string{"run": `{"command": "rm old.txt"}`, "etc": `{"command": "rm /etc/hosts"}`, "pay": `{"to": "X"}`}[tool]
	name := map[string]string{"etc": "run"}[tool]
	if tool == "look" {
		args = fmt.Sprintf(`{"what": "%d"}`, rapid.IntRange(1, 4).Draw(r, "what"))
	}
	if name == "" {
		name = tool
	}
	call := name + args
	switch step := rapid.IntRange(0, 9).Draw(r, "step"); {
	case step == 0:
		s.turn++
		return ""
	case step == 1:
		b.now = b.now.Add(time.Duration(rapid.IntRange(1, 9).Draw(r, "minutes")) * time.Minute)
		return ""
	case step == 2 && s.last[call] != "":
		ticket := b.override(gate.Answer{Evidence: gate.EvidenceRef{ID: s.last[call]}}, "ann")
		s.granted[call] = b.now.Add(10 * time.Minute)
		if until := s.open[call]; until.After(b.now) && !until.After(s.granted[call]) {
			s.granted[call] = until
		}
		delete(s.open, call)
		if !ticket.Expires.Equal(s.granted[call]) {
			r.Fatalf("the override of %s lasts until %v, want %v", call, ticket.Expires, s.granted[call])
		}
		return ""
	}
	j.says = rapid.SampledFrom([]judge.Opinion{allows, blocks, blocks, {Verdict: authz.OpinionUnsure}, judge.None(judge.Refusal, "")}).Draw(r, "says")
	asked := j.asked
	verdict, code := s.decide(b, tool, call, j.says)
	ask := b.said(name, args, fmt.Sprint("turn ", s.turn))
	ask.Session = s.session
	a := b.check(ask)
	if a.Verdict != verdict || a.Code() != code || (a.Grant != nil) != (verdict == authz.Allow) {
		r.Fatalf("%s is %v %+v, want %v %s", call, a.Verdict, a.Reasons, verdict, code)
	}
	if judged := code != authz.JudgeBreaker && code[:5] == "judge"; judged != (j.asked > asked) {
		r.Fatalf("%s is %s, and the judge was asked: %t", call, code, !judged)
	}
	s.after(r, b, call, tool, a)
	return code
}

// after notes what a decision leaves behind, and answers some tickets.
func (s *story) after(r *rapid.T, b *bench, call, tool string, a gate.Answer) {
	switch {
	case a.Verdict == authz.Allow && tool == "look":
		s.looked = true
	case a.Code() == authz.JudgeBlock:
		s.last[call] = a.Evidence.ID
	case a.Ticket != nil:
		if until := s.open[call]; !until.After(b.now) {
			s.open[call] = b.now.Add(15 * time.Minute)
		}
		if !a.Ticket.Expires.Equal(s.open[call]) {
			r.Fatalf("the ticket of %s lasts until %v, want %v", call, a.Ticket.Expires, s.open[call])
		}
		if rapid.IntRange(0, 3).Draw(r, "answer") == 0 {
			b.answer(a.Ticket.ID, "ann", true)
			s.granted[call] = s.open[call]
			delete(s.open, call)
		}
	}
}

// TestStory plays random calls, opinions, turns and words of the user: each call gets
// what the story says. So neither a judge nor an open breaker nor an override ever
// turns a BLOCK of the contract into anything else.
func TestStory(t *testing.T) {
	seen, sessions := map[authz.Code]int{}, 0
	j := &scripted{}
	b := newJudged(t, j)
	rapid.Check(t, func(r *rapid.T) {
		sessions++
		b.now = b.now.Add(time.Hour) // tickets of the session before have expired
		s := &story{session: fmt.Sprint("s", sessions), open: map[string]time.Time{}, granted: map[string]time.Time{}, last: map[string]string{}}
		for range rapid.IntRange(1, 80).Draw(r, "steps") {
			seen[s.play(r, b, j)]++
		}
	})
	for _, code := range []authz.Code{authz.NoClause, authz.NeverClause, authz.Approved, authz.JudgeAllow, authz.JudgeBlock, authz.JudgeUnsure, authz.JudgeNoVerdict, authz.JudgeBreaker} {
		if seen[code] == 0 {
			t.Errorf("no call was %s: the test is not looking", code)
		}
	}
}
