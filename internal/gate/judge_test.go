package gate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/testkit"
	"github.com/licet-dev/licet/internal/toolcall"
)

const judgedCatalog = `{"tools": [
  {"name": "run", "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}},
  {"name": "pay", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}, "note": {"type": "string"}}, "required": ["to"]}},
  {"name": "look", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}}}
]}`

const judgedContract = `
version: 1
name: judged
catalogs: {shop: {pin: PIN, tools: shop.json}}
agents:
  buyer:
    tools:
      shop.run:
        judge: [{command: {shell: {run: [rm], write: ["${workspace}/**"]}}}]
      shop.pay:
        never: [{$session: {called: [shop.look]}}]
        judge: [{}]
      shop.look: judge
judge: {on_block: block, on_no_verdict: approve}
evidence: {redact: {shop.pay: [note]}}
`

// newJudged is a bench with a contract that hands calls to a judge.
func newJudged(t *testing.T, j judge.Judge) *bench {
	b := newBench(t)
	b.judge = j
	b.contract = testkit.Contract(t, judgedContract, judgedCatalog)
	dir := t.TempDir()
	b.places = constraint.Places{Workspace: dir}
	b.write("old.txt")
	b.open(b.store)
	return b
}

func (b *bench) write(name string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.places.Workspace, name), nil, 0o600); err != nil {
		b.Fatal(err)
	}
}

// said is a call with turns of the user.
func (b *bench) said(tool, arguments string, turns ...string) gate.Ask {
	a := b.ask(tool, arguments)
	a.Asserted.Turns, a.Cwd = turns, b.places.Workspace
	return a
}

// scripted is a judge that does something and then says what it is told to.
type scripted struct {
	says  judge.Opinion
	does  func()
	asked int
}

func (s *scripted) Judge(context.Context, judge.Case) judge.Opinion {
	s.asked++
	if s.does != nil {
		s.does()
	}
	return s.says
}

func (*scripted) Digest() string { return "sha256:scripted" }

// opinion returns the opinion in the last decision that was recorded.
func (b *bench) opinion() map[string]any {
	b.Helper()
	all := b.records(evidence.Decision)
	o, _ := all[len(all)-1]["opinion"].(map[string]any)
	return o
}

func TestJudgeAllowsAndBlocks(t *testing.T) {
	b := newJudged(t, judge.Grounded{})
	rm := `{"command": "rm old.txt"}`
	b.want(b.check(b.said("run", rm, "Delete old.txt")), authz.Allow, authz.JudgeAllow)
	if o := b.opinion(); o["raw"] != "allow" || o["checked"] != "allow" || o["policy_digest"] != judge.Digest() || o["model"] != "builtin/grounded" {
		t.Errorf("recorded %v", o)
	}
	a := b.want(b.check(b.said("run", rm, "Tidy up")), authz.Block, authz.JudgeBlock)
	if len(a.Uncovered) != 1 || !strings.HasSuffix(a.Uncovered[0], "old.txt") {
		t.Errorf("told that %q is uncovered", a.Uncovered)
	}
	if o := b.opinion(); o["checked"] != "block" || len(o["uncovered"].([]any)) != 1 || len(o["failed"].([]any)) == 0 {
		t.Errorf("recorded %v", o)
	}
	b.want(b.check(b.said("run", `{"command": "rm -r /etc"}`, "Delete /etc")), authz.Block, authz.NoClause)
	if o := b.opinion(); o != nil {
		t.Errorf("a call that is not handed over has the opinion %v", o)
	}
	b.want(b.check(b.said("look", `{"what": "weather"}`, "How is it?")), authz.Allow, authz.JudgeAllow)
}

// TestNoTurns: a door that carries no user turns says why nothing is authorized.
func TestNoTurns(t *testing.T) {
	b := newJudged(t, judge.Grounded{})
	a := b.want(b.check(b.said("look", `{}`)), authz.Block, authz.JudgeBlock)
	if !strings.Contains(a.Reasons[0].Detail, "no user turns are known here") {
		t.Errorf("the reason is %q", a.Reasons[0].Detail)
	}
}

// TestFailuresOfTheJudge: each ends in BLOCK, or a person where the contract and
// the failure permit it and one can be reached.
func TestFailuresOfTheJudge(t *testing.T) {
	boom := &scripted{does: func() { panic("boom") }}
	for name, tt := range map[string]struct {
		judge   judge.Judge
		alone   bool // nobody can answer
		verdict authz.Verdict
		says    string
	}{
		"panic":                {boom, false, authz.Block, "nv_internal: panic: boom"},
		"missing":              {nil, false, authz.Block, "nv_internal"},
		"the zero opinion":     {&scripted{}, false, authz.Block, "nv_internal"},
		"outside of the list":  {&scripted{says: judge.Opinion{Verdict: 9}}, false, authz.Block, "nv_internal"},
		"timeout":              {&scripted{says: judge.None(judge.Timeout, "slow")}, false, authz.RequireApproval, "nv_timeout: slow"},
		"timeout, nobody":      {&scripted{says: judge.None(judge.Timeout, "slow")}, true, authz.Block, "No approver can be reached"},
		"too many, a person":   {&scripted{says: judge.None(judge.Clipped, "")}, false, authz.RequireApproval, "nv_clipped"},
		"an unchecked allow":   {&scripted{says: judge.Opinion{Verdict: authz.OpinionAllow}}, false, authz.Block, "no_consent"},
		"unsure":               {&scripted{says: judge.Opinion{Verdict: authz.OpinionUnsure}}, false, authz.RequireApproval, ""},
		"unsure, nobody there": {&scripted{says: judge.Opinion{Verdict: authz.OpinionUnsure}}, true, authz.Block, "No approver can be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newJudged(t, tt.judge)
			if tt.alone {
				b.contract = testkit.Contract(t, judgedContract+"approvals: {approvers: [nobody]}\n", judgedCatalog)
			}
			a := b.check(b.said("run", `{"command": "rm old.txt"}`, "Delete old.txt"))
			if a.Verdict != tt.verdict || !strings.Contains(a.Reasons[0].Detail, tt.says) {
				t.Errorf("got %v %+v, want %v with %q", a.Verdict, a.Reasons, tt.verdict, tt.says)
			}
			if o := b.opinion(); o == nil || fmt.Sprint(o["no_verdict"]) != string(a.NoVerdict) && a.Code() == authz.JudgeNoVerdict {
				t.Errorf("told %q, recorded %v", a.NoVerdict, o)
			}
		})
	}
}

// TestSlowJudge: the judge has a deadline of its own, and its time is no part of
// what the gate has to look at the facts.
func TestSlowJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		takes time.Duration
		code  authz.Code
	}{
		"in time":  {gate.DefaultJudgeDeadline - time.Second, authz.JudgeAllow},
		"too late": {gate.DefaultJudgeDeadline + time.Second, authz.JudgeNoVerdict},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newJudged(t, nil)
				g, err := gate.New(gate.Options{
					Contract: func() *contract.Contract { return b.contract }, Store: b.store, Key: key,
					Now: func() time.Time { return b.now }, Judge: slow(tt.takes),
				})
				if err != nil {
					t.Fatal(err)
				}
				if a := g.Check(t.Context(), b.said("look", `{}`, "look around")); a.Code() != tt.code {
					t.Errorf("got %v %+v, want %s", a.Verdict, a.Reasons, tt.code)
				}
			})
		})
	}
}

// slow is a judge that takes its time to allow what is harmless.
type slow time.Duration

func (s slow) Judge(ctx context.Context, _ judge.Case) judge.Opinion {
	select {
	case <-time.After(time.Duration(s)):
	case <-ctx.Done():
		return judge.None(judge.Timeout, ctx.Err().Error())
	}
	return judge.Opinion{Verdict: authz.OpinionAllow, Authorization: judge.Implied, FailureMode: judge.NoFailure, Risk: judge.Low}
}

func (slow) Digest() string { return "sha256:slow" }

// TestWorldChangesMeanwhile: what the contract forbids by the end of an opinion
// is forbidden, and an opinion on other files does not count.
func TestWorldChangesMeanwhile(t *testing.T) {
	allow := judge.Opinion{Verdict: authz.OpinionAllow, Authorization: judge.Explicit, FailureMode: judge.NoFailure,
		Spans: []judge.Span{{Turn: 1, Quote: "Delete build", Effects: []string{"f1", "f2"}}}}
	s := &scripted{says: allow}
	b := newJudged(t, s)
	if err := os.Mkdir(filepath.Join(b.places.Workspace, "build"), 0o700); err != nil {
		t.Fatal(err)
	}
	call := b.said("run", `{"command": "rm -r build"}`, "Delete build")
	b.want(b.check(call), authz.Allow, authz.JudgeAllow)
	s.does = func() { b.write("build/new.txt") }
	a := b.want(b.check(call), authz.Block, authz.JudgeBlock)
	if !strings.Contains(a.Reasons[0].Detail, "stale") {
		t.Errorf("reasons %+v", a.Reasons)
	}

	s.does = func() {
		s.does = nil
		s.says = judge.Opinion{Verdict: authz.OpinionAllow, Authorization: judge.Implied, FailureMode: judge.NoFailure, Risk: judge.Low}
		b.want(b.check(b.said("look", `{}`, "look")), authz.Allow, authz.JudgeAllow)
	}
	b.want(b.check(b.said("pay", `{"to": "X1"}`, "Pay X1")), authz.Block, authz.NeverClause)
	if o := b.opinion(); o["checked"] == "allow" || !strings.Contains(strings.Join(texts(o["failed"]), " "), "hard_deny") {
		t.Errorf("recorded %v", o)
	}
}

func texts(v any) (all []string) {
	for _, one := range v.([]any) {
		all = append(all, one.(string))
	}
	return all
}

// TestApprovalStandsInForTheJudge: the judge is not asked again, and the person
// sees what it said.
func TestApprovalStandsInForTheJudge(t *testing.T) {
	s := &scripted{says: judge.Opinion{Verdict: authz.OpinionUnsure, Authorization: judge.Implied,
		Spans: []judge.Span{{Turn: 1, Quote: "old.txt", Effects: []string{"f2"}}}}}
	b := newJudged(t, s)
	call := b.said("run", `{"command": "rm old.txt"}`, "There is old.txt")
	held := b.want(b.check(call), authz.RequireApproval, authz.JudgeUnsure)
	sealed, err := b.store.Copy(t.Context(), held.Ticket.ID)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := approval.Unseal(key, held.Ticket.ID, sealed)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := toolcall.Parse(plain, toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	if copied.Get("opinion").Get("checked").Text() != "unsure" || copied.Get("turns").Elem(0).Text() != "There is old.txt" {
		t.Errorf("the approver sees %s", plain)
	}
	b.answer(held.Ticket.ID, "ann", true)
	b.want(b.check(call), authz.Allow, authz.Approved)
	if s.asked != 1 {
		t.Errorf("the judge was asked %d times", s.asked)
	}
}

// TestOpinionKeepsSecretsOut: where arguments are redacted, neither quotes nor
// targets are recorded, as they may hold them.
func TestOpinionKeepsSecretsOut(t *testing.T) {
	b := newJudged(t, judge.Grounded{})
	const canary = "Canary4711"
	b.check(b.said("pay", `{"to": "X1", "note": "`+canary+`"}`, "Pay X1, never say it"))
	o := b.opinion()
	if o["checked"] != "block" || o["rationale"] != nil {
		t.Errorf("recorded %v", o)
	}
	err := b.store.Records(t.Context(), 0, 100, func(r evidence.Record) error {
		if strings.Contains(string(r.Body), canary) {
			t.Errorf("the record holds the canary: %s", r.Body)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOpine: an opinion without a decision leaves nothing behind.
func TestOpine(t *testing.T) {
	b := newJudged(t, judge.Grounded{})
	before := len(b.records(evidence.Decision))
	for _, tt := range []struct {
		tool, args, turn string
		handed           bool
		opinion          authz.Opinion
		code             authz.Code
	}{
		{"run", `{"command": "rm old.txt"}`, "Delete old.txt", true, authz.OpinionAllow, authz.JudgeAllow},
		{"run", `{"command": "rm old.txt"}`, "Why?", true, authz.OpinionBlock, authz.JudgeBlock},
		{"run", `{"command": "rm /etc/hosts"}`, "Delete /etc/hosts", false, authz.OpinionAllow, authz.NoClause},
	} {
		j, err := b.gate.Opine(t.Context(), b.said(tt.tool, tt.args, tt.turn))
		if err != nil || j.Handed != tt.handed || j.Opinion.Verdict != tt.opinion || j.Decision.Code() != tt.code {
			t.Errorf("%s: %v, %+v, %v", tt.args, err, j.Opinion, j.Decision)
		}
	}
	if _, err := b.gate.Opine(t.Context(), b.said("nothing", `{}`)); err == nil {
		t.Error("a tool that is not listed has an opinion")
	}
	if n := len(b.records(evidence.Decision)); n != before {
		t.Errorf("%d records were written", n-before)
	}
}

// TestLargeOpinion: of a call with very many effects the record keeps what was
// decided, and leaves out words.
func TestLargeOpinion(t *testing.T) {
	b := newJudged(t, judge.Grounded{})
	var names []string
	for i := range 400 {
		names = append(names, fmt.Sprintf("%s%d", strings.Repeat("x", 200), i))
	}
	a := b.check(b.said("run", `{"command": "rm `+strings.Join(names, " ")+`"}`, "Tidy up. "+strings.Repeat("Never push! ", 150)))
	b.want(a, authz.Block, authz.JudgeBlock)
	o := b.opinion()
	if n := len(o["effects"].([]any)); n < 400 || o["checked"] != "block" || o["rationale"] != nil || len(o["boundaries"].([]any)) > 100 {
		t.Errorf("%d effects, checked %v, rationale %v", n, o["checked"], o["rationale"])
	}
	many := make([]string, 600)
	for i := range many {
		many[i] = fmt.Sprint("f", i)
	}
	a = b.check(b.said("run", `{"command": "rm `+strings.Join(many, " ")+`"}`, "Delete "+strings.Join(many, " ")))
	b.want(a, authz.RequireApproval, authz.JudgeNoVerdict)
	if o := b.opinion(); o["no_verdict"] != "nv_clipped" {
		t.Errorf("recorded %v", o["no_verdict"])
	}
}
