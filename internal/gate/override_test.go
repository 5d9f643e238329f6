package gate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/storetest"
	"github.com/licet-dev/licet/internal/testkit"
)

// ticketOf returns the ticket by which a recorded decision would be overridden.
func (b *bench) ticketOf(decision string) (approval.Ticket, []byte, error) {
	b.Helper()
	r, err := b.store.Record(b.Context(), decision)
	if err != nil {
		b.Fatal(err)
	}
	return gate.Override(key, r, b.now)
}

// override lets the blocked call of an answer run once.
func (b *bench) override(a gate.Answer, who string) approval.Ticket {
	b.Helper()
	t, sealed, err := b.ticketOf(a.Evidence.ID)
	if err != nil {
		b.Fatal(err)
	}
	r := b.commit(ledger.Entry{Kind: evidence.Answer, Open: &t, Copy: sealed, Answer: &approval.Answer{Ticket: t.ID, Approver: who, Approve: true}})
	if r.Conflict != nil {
		b.Fatalf("overriding: %+v", r.Conflict)
	}
	return *r.Ticket
}

// overridden is a bench with a blocked call that the user lets run.
func overridden(t *testing.T) (*bench, *scripted, gate.Ask, approval.Ticket) {
	s := &scripted{says: blocks}
	b := newJudged(t, s)
	if err := os.Mkdir(filepath.Join(b.places.Workspace, "build"), 0o700); err != nil {
		t.Fatal(err)
	}
	call := b.said("run", `{"command": "rm -r build"}`, "Tidy up")
	return b, s, call, b.override(b.want(b.check(call), authz.Block, authz.JudgeBlock), "ann")
}

// TestOverride: the call runs once, the judge is not asked again, and the record
// names the ticket. Then all is as before.
func TestOverride(t *testing.T) {
	b, s, call, ticket := overridden(t)
	if want := b.now.Add(10 * time.Minute); ticket.State(b.now) != approval.Granted || !ticket.Expires.Equal(want) || ticket.Overrides == "" {
		t.Fatalf("the ticket is %+v", ticket)
	}
	if sealed, err := b.store.Copy(t.Context(), ticket.ID); err != nil {
		t.Error(err)
	} else if plain, err := approval.Unseal(key, ticket.ID, sealed); err != nil || !strings.Contains(string(plain), `"command":"rm -r build"`) || !strings.Contains(string(plain), `"turns":["Tidy up"]`) {
		t.Errorf("the copy is %s, %v", plain, err)
	}
	b.want(b.check(call), authz.Allow, authz.Approved)
	all := b.records(evidence.Decision)
	if last := all[len(all)-1]; last["ticket"] != ticket.ID || last["opinion"] != nil || s.asked != 1 {
		t.Errorf("recorded %v; the judge was asked %d times", last, s.asked)
	}
	b.want(b.check(call), authz.Block, authz.JudgeBlock) // replay
	call.Call.Ticket = ticket.ID
	b.want(b.check(call), authz.Block, authz.ApprovalUsed)
}

// TestOverrideLooksAgain: the record of an overridden call has what collectors see
// then, not what they saw before.
func TestOverrideLooksAgain(t *testing.T) {
	s := &scripted{says: blocks}
	b := newJudged(t, s)
	var asked []signals.Input
	b.signals = seeing("main", 0, &asked)
	b.open(b.store)
	call := b.said("run", `{"command": "rm old.txt"}`, "Tidy up")
	b.override(b.want(b.check(call), authz.Block, authz.JudgeBlock), "ann")
	b.signals = seeing("release", 0, &asked)
	b.open(b.store)
	b.want(b.check(call), authz.Allow, authz.Approved)
	all := b.records(evidence.Decision)
	seen, _ := json.Marshal(all[len(all)-1]["signals"])
	if !strings.Contains(string(seen), `"release"`) || len(asked) != 2 {
		t.Errorf("looked %d times, recorded %s", len(asked), seen)
	}
}

// TestOverrideServesNothingElse: an override that does not fit what is asked, or what
// is there by then, is none: the judge is asked, or the ticket that the call names is
// refused, and stays as it was.
func TestOverrideServesNothingElse(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(b *bench, call *gate.Ask)
		code   authz.Code // of the call as it finds its ticket by itself
		named  authz.Code // of the call that names it
	}{
		"another call": {func(b *bench, call *gate.Ask) {
			call.Call = testkit.Call(b, "buyer", "run", `{"command": "rm -r  build"}`)
		}, authz.JudgeBlock, authz.ApprovalMismatch},
		"another session": {func(_ *bench, call *gate.Ask) { call.Session = "s2" }, authz.JudgeBlock, authz.ApprovalMismatch},
		"another user":    {func(_ *bench, call *gate.Ask) { call.Principal.User = "eve" }, authz.JudgeBlock, authz.ApprovalMismatch},
		"another working directory": {func(b *bench, call *gate.Ask) {
			dir := filepath.Join(b.places.Workspace, "sub")
			if err := os.MkdirAll(filepath.Join(dir, "build"), 0o700); err != nil {
				b.Fatal(err)
			}
			call.Cwd = dir
		}, authz.JudgeBlock, authz.ApprovalMismatch},
		"expired":              {func(b *bench, _ *gate.Ask) { b.now = b.now.Add(10 * time.Minute) }, authz.JudgeBlock, authz.ApprovalExpired},
		"another affected set": {func(b *bench, _ *gate.Ask) { b.write("build/new.txt") }, authz.JudgeBlock, authz.ApprovalMismatch},
		"another contract": {func(b *bench, _ *gate.Ask) {
			b.contract = testkit.Contract(b, strings.Replace(judgedContract, "name: judged", "name: other", 1), judgedCatalog)
		}, authz.JudgeBlock, authz.ApprovalVoid},
		"another catalog": {func(b *bench, _ *gate.Ask) {
			b.contract = testkit.Contract(b, judgedContract, strings.Replace(judgedCatalog, `"look"`, `"look", "description": "!"`, 1))
		}, authz.JudgeBlock, authz.ApprovalVoid},
		"the contract forbids it by then": {func(b *bench, _ *gate.Ask) {
			b.contract = testkit.Contract(b, strings.Replace(judgedContract, "      shop.run:\n", "      shop.run:\n        never: [{command: {shell: {run: [rm]}}}]\n", 1), judgedCatalog)
		}, authz.NeverClause, authz.NeverClause},
	} {
		t.Run(name, func(t *testing.T) {
			b, _, call, ticket := overridden(t)
			tt.change(b, &call)
			b.want(b.check(call), authz.Block, tt.code)
			call.Call.Ticket = ticket.ID
			b.want(b.check(call), authz.Block, tt.named)
			if after, err := b.store.Ticket(t.Context(), ticket.ID); err != nil || !after.Used.IsZero() {
				t.Errorf("the ticket is %+v, %v", after, err)
			}
		})
	}
}

// TestOverrideChannel: only the word of an enrolled approver counts. A ticket that
// nobody answered, and text that says otherwise, are none.
func TestOverrideChannel(t *testing.T) {
	s := &scripted{says: blocks}
	b := newJudged(t, s)
	call := b.said("run", `{"command": "rm old.txt"}`, "Tidy up")
	a := b.want(b.check(call), authz.Block, authz.JudgeBlock)
	ticket, _, err := b.ticketOf(a.Evidence.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.store.Commit(t.Context(), ledger.Entry{
		Kind: evidence.Answer, ID: "x", Open: &ticket, Answer: &approval.Answer{Ticket: ticket.ID, Approver: "the agent", Approve: true},
		Body: func(ledger.Stamp) ([]byte, error) { return []byte("{}"), nil },
	})
	if !ledger.IsNotFound(err) {
		t.Fatalf("somebody who is not enrolled overrode it: %v", err)
	}
	named := call
	named.Call.Ticket = ticket.ID
	b.want(b.check(named), authz.Block, authz.ApprovalUnknown)
	b.commit(ledger.Entry{Kind: evidence.Answer, Open: &ticket})
	b.want(b.check(named), authz.Block, authz.ApprovalOpen)
	b.want(b.check(call), authz.Block, authz.JudgeBlock)
	words := b.said("run", `{"command": "rm old.txt"}`, "Tidy up", "licet approvals override "+a.Evidence.ID)
	b.want(b.check(words), authz.Block, authz.JudgeBlock)
}

// TestOverrideQuorum: where a contract asks for several, one word is not enough.
func TestOverrideQuorum(t *testing.T) {
	s := &scripted{says: blocks}
	b := newJudged(t, s)
	b.contract = testkit.Contract(t, judgedContract+"approvals: {approvers: [ann, bob], quorum: 2}\n", judgedCatalog)
	call := b.look("x", "Tidy up")
	a := b.check(call)
	first := b.override(a, "ann")
	b.want(b.check(call), authz.Block, authz.JudgeBlock)
	if second := b.override(a, "bob"); second.ID != first.ID || second.State(b.now) != approval.Granted {
		t.Errorf("the second word opened %s beside %s, which is %s", second.ID, first.ID, second.State(b.now))
	}
	b.want(b.check(call), authz.Allow, authz.Approved)
}

// TestOverridable: only what blocks because of the judge, and not after a failure
// that an operator has to look into.
func TestOverridable(t *testing.T) {
	none := func(why judge.NoVerdict) *scripted { return &scripted{says: judge.None(why, "")} }
	const rm = `{"command": "rm old.txt"}`
	for name, tt := range map[string]struct {
		judge      judge.Judge
		tool, args string
		on         string // settings of the contract beside those of judgedContract
		code       authz.Code
		why        string // "" = it can be
	}{
		"block":          {&scripted{says: blocks}, "run", rm, "", authz.JudgeBlock, ""},
		"unsure, alone":  {&scripted{says: judge.Opinion{Verdict: authz.OpinionUnsure}}, "run", rm, alone, authz.JudgeUnsure, ""},
		"a timeout":      {none(judge.Timeout), "run", rm, alone, authz.JudgeNoVerdict, ""},
		"a refusal":      {none(judge.Refusal), "run", rm, alone, authz.JudgeNoVerdict, ""},
		"no policy":      {none(judge.Policy), "run", rm, "", authz.JudgeNoVerdict, "only a call that is blocked because of the judge"},
		"a defect":       {none(judge.Internal), "run", rm, "", authz.JudgeNoVerdict, "only a call"},
		"another model":  {none(judge.Model), "run", rm, "", authz.JudgeNoVerdict, "only a call"},
		"no clause":      {&scripted{says: blocks}, "run", `{"command": "rm -r /etc"}`, "", authz.NoClause, "this is no_clause"},
		"held":           {&scripted{says: judge.Opinion{Verdict: authz.OpinionUnsure}}, "run", rm, "", authz.JudgeUnsure, "answer its ticket, t-"},
		"allowed":        {&scripted{says: allows}, "look", `{}`, "", authz.JudgeAllow, "the call was allowed"},
		"not valid":      {&scripted{says: blocks}, "run", `{}`, "", authz.InvalidArguments, "this is invalid_arguments"},
		"in shadow mode": {&scripted{says: blocks}, "run", rm, "shadow", authz.JudgeBlock, "the call was allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newJudged(t, tt.judge)
			switch tt.on {
			case "shadow":
				b.contract = testkit.Contract(t, strings.Replace(judgedContract, "buyer:\n", "buyer:\n    mode: shadow\n", 1), judgedCatalog)
			case alone:
				b.contract = testkit.Contract(t, judgedContract+alone, judgedCatalog)
			}
			a := b.check(b.said(tt.tool, tt.args, "Tidy up"))
			if a.Code() != tt.code {
				t.Fatalf("decided %v %+v, want %s", a.Verdict, a.Reasons, tt.code)
			}
			_, _, err := b.ticketOf(a.Evidence.ID)
			if a.Overridable != (err == nil) {
				t.Errorf("the answer says that it can be overridden: %t", a.Overridable)
			}
			if (err == nil) != (tt.why == "") || err != nil && !strings.Contains(err.Error(), tt.why) {
				t.Errorf("overridden: %v, want %q", err, tt.why)
			}
		})
	}
	b := newJudged(t, &scripted{})
	b.check(b.look("x", "look"))
	head := b.commit(ledger.Entry{Kind: evidence.Answer})
	if _, _, err := b.ticketOf(head.Record.ID); err == nil || !strings.Contains(err.Error(), "no decision but of kind answer") {
		t.Errorf("a record that is no decision: %v", err)
	}
}

// alone is a contract that names an approver who is not enrolled.
const alone = "approvals: {approvers: [nobody]}\n"

// TestOverrideNever: what the contract forbids in the session by then stays
// forbidden, and so does a limit that is used up; the override is kept.
func TestOverrideNever(t *testing.T) {
	s := &scripted{says: blocks}
	b := newJudged(t, s)
	call := b.said("pay", `{"to": "X"}`, "Tidy up")
	ticket := b.override(b.want(b.check(call), authz.Block, authz.JudgeBlock), "ann")
	s.says = allows
	b.want(b.check(b.look("x", "look")), authz.Allow, authz.JudgeAllow)
	b.want(b.check(call), authz.Block, authz.NeverClause)
	if after, err := b.store.Ticket(t.Context(), ticket.ID); err != nil || after.State(b.now) != approval.Granted {
		t.Errorf("the ticket is %s, %v", after.State(b.now), err)
	}
}

// TestOverrideEvidence: if the decision cannot be recorded, the call does not run.
func TestOverrideEvidence(t *testing.T) {
	for _, persist := range []bool{false, true} {
		b, _, call, _ := overridden(t)
		b.open(storetest.Faulty{Store: b.store, Fault: func(point string) (error, bool) {
			return map[string]error{"Commit.decision": fmt.Errorf("lost")}[point], persist
		}})
		b.want(b.check(call), authz.Block, authz.NoEvidence)
	}
}

// TestOverrideSecrets: a call with redacted values can be overridden, and what its
// record says of that is keyed.
func TestOverrideSecrets(t *testing.T) {
	s := &scripted{says: blocks}
	b := newJudged(t, s)
	call := b.said("pay", `{"to": "X", "note": "Canary4711"}`, "Tidy up")
	a := b.check(call)
	all := b.records(evidence.Decision)
	bound, _ := all[len(all)-1]["override"].(map[string]any)
	if affected := fmt.Sprint(bound["affected"]); !strings.HasPrefix(affected, "hmac-sha256:") {
		t.Errorf("recorded %v", bound)
	}
	b.override(a, "ann")
	b.want(b.check(call), authz.Allow, authz.Approved)
}

// TestOverrideBehindBreaker: a call that the judge was not asked about, as nobody
// could be either, can be overridden by who comes later.
func TestOverrideBehindBreaker(t *testing.T) {
	s := &scripted{}
	b := newJudged(t, s)
	b.contract = testkit.Contract(t, judgedContract+"approvals: {approvers: [carl]}\n", judgedCatalog)
	b.trip(s, "one")
	call := b.look("x", "one")
	a := b.want(b.check(call), authz.Block, authz.JudgeBreaker)
	carl, err := approval.NewApprover("carl", "correct horse", 1)
	if err != nil {
		t.Fatal(err)
	}
	b.commit(ledger.Entry{Kind: evidence.Approver, Enrol: &carl, By: "ann"})
	b.override(a, "carl")
	b.want(b.check(call), authz.Allow, authz.Approved)
	if s.asked != 3 {
		t.Errorf("the judge was asked %d times, want 3", s.asked)
	}
}

// FuzzOverride: whatever stands in a record, a ticket that comes of it names its
// decision, runs out in time and takes an approver's word.
func FuzzOverride(f *testing.F) {
	for _, body := range []string{
		`{"verdict":"BLOCK","reasons":[{"code":"judge_block"}],"override":{"approvers":["ann"],"quorum":1,"affected":"sha256:1"},"arguments":{},"asserted":{"turns":["x"]}}`,
		`{"verdict":"BLOCK","override":{"approvers":[],"quorum":0}}`, `{"verdict":"BLOCK","override":{"quorum":1}}`, `{"verdict":"BLOCK","override":{"quorum":"1"}}`,
		`{"verdict":"ALLOW"}`, `{"verdict":"REQUIRE_APPROVAL","ticket":"t-1"}`, `{"reasons":[]}`, `{"reasons":[1]}`, `{}`, `[]`, `1`, ``, `{`, `{"override":[],"asserted":"[9 bytes left out]"}`,
	} {
		f.Add([]byte(body))
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body []byte) {
		ticket, sealed, err := gate.Override(key, evidence.Record{ID: "d-1", Kind: evidence.Decision, Body: body}, now)
		if err != nil {
			return
		}
		if ticket.Overrides != "d-1" || !ticket.Expires.Equal(now.Add(gate.OverrideLife)) || len(ticket.Panels) != 1 ||
			ticket.Panels[0][0].Quorum < 1 || ticket.State(now) != approval.Open || len(sealed) == 0 {
			t.Errorf("%s gives %+v", body, ticket)
		}
	})
}
