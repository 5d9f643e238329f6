package gate_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestTold: an agent is told not to repeat a call exactly where only another
// call, or another contract, can have another answer; and a finding about the
// user's words, a rule that no words lift and no finding at all cannot be taken for
// each other.
func TestTold(t *testing.T) {
	final := []authz.Code{
		authz.UnknownAgent, authz.Unauthenticated, authz.NotListed, authz.InvalidArguments,
		authz.NoClause, authz.EvaluationError, authz.LimitUncountable,
		authz.ApprovalDenied, authz.ApprovalExpired, authz.ApprovalUsed, authz.ApprovalVoid, authz.ApprovalMismatch,
		authz.ApprovalUnknown, authz.Malformed, authz.UnknownMethod,
	}
	const forbidden = "Forbidden (%s). The call did not run: policy forbids this whatever the user says."
	forms := map[authz.Code]string{
		authz.NeverClause: forbidden, authz.BlockedTool: forbidden,
		authz.JudgeBlock:     "Blocked (%s). The call did not run: not authorized by the user's words; do not retry unchanged, ask the user.",
		authz.JudgeUnsure:    "Blocked (%s). The call did not run: whether the user's words authorize it cannot be told; do not retry unchanged, ask the user.",
		authz.JudgeBreaker:   "Blocked (%s). The call did not run: too many calls were not authorized by the user's words, and no more are judged before the user writes again; ask the user.",
		authz.JudgeNoVerdict: "Not decided (%s). The call did not run: no verdict was reached; this is not a finding against the action. A retry makes no sense before an operator has looked.",
	}
	permitting := []authz.Code{authz.AllowClause, authz.Approved, authz.ApproveClause, authz.JudgeAllow}
	for _, code := range authz.Codes() {
		if slices.Contains(permitting, code) {
			continue
		}
		want := "BLOCK (%s). The call did not run. It may be repeated later."
		if slices.Contains(final, code) {
			want = "BLOCK (%s). The call did not run. Repeating it unchanged will not help."
		}
		if form, is := forms[code]; is {
			want = form
		}
		a := gate.Answer{Reasons: []authz.Reason{{Code: code, Clause: "SECRET", Detail: "SECRET"}}}
		if text := a.Told(); text != "licet: "+fmt.Sprintf(want, code) {
			t.Errorf("%s: %s", code, text)
		}
	}
	if text := (gate.Answer{Verdict: authz.Allow}).Told(); text != "" {
		t.Errorf("of an allowed call: %s", text)
	}
}

// TestToldTicket: a held call is told with its ticket, whatever held it.
func TestToldTicket(t *testing.T) {
	a := gate.Answer{Verdict: authz.RequireApproval, Reasons: []authz.Reason{{Code: authz.JudgeBlock}}, Ticket: &gate.TicketRef{ID: "t-1"}, Evidence: gate.EvidenceRef{ID: "d-1"}}
	const want = "licet: REQUIRE_APPROVAL (judge_block), decision d-1. The call did not run. " +
		"Ask your user to approve ticket t-1 with `licet approvals approve t-1`, then repeat this exact call."
	if text := a.Told(); text != want {
		t.Errorf("got %s", text)
	}
}

// TestToldUncovered: an agent is told what of its call nothing authorizes, bounded.
func TestToldUncovered(t *testing.T) {
	a := gate.Answer{Uncovered: []string{"/w/build", "-f"}, Reasons: []authz.Reason{{Code: authz.JudgeBlock}}}
	if text := a.Told(); !strings.HasSuffix(text, "ask the user. They do not name /w/build, -f.") {
		t.Errorf("got %s", text)
	}
	a.Uncovered = make([]string, 500)
	for i := range a.Uncovered {
		a.Uncovered[i] = strings.Repeat("x", 1<<20)
	}
	if text := a.Told(); !strings.HasSuffix(text, " and 480 more.") || len(text) > 64<<10 {
		t.Errorf("%d bytes, ending in %s", len(text), text[len(text)-40:])
	}
}

// failuresOfThePage returns the table of docs/spec/reasons.md by failure: whether a
// person is asked, and when one retry makes sense.
func failuresOfThePage(t *testing.T) map[judge.NoVerdict][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/spec/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[judge.NoVerdict][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(nv_\\w+)` \\| [^|]+ \\| (\\w+) \\| ([^|]+) \\|$").FindAllStringSubmatch(string(page), -1) {
		rows[judge.NoVerdict(row[1])] = row[2:]
	}
	return rows
}

// TestNoVerdict: what a failure of the judge leads to, where an approver can be
// reached and where none can (judge.md, section 7, columns A and B), how it is
// recorded, that it never counts, and whether the user may override it.
func TestNoVerdict(t *testing.T) {
	rows := failuresOfThePage(t)
	if len(rows) < 21 {
		t.Fatalf("the page has %d failures: the test is not looking", len(rows))
	}
	for code, row := range rows {
		for column, more := range map[string]string{"A": "", "B": alone} {
			b := newJudged(t, &scripted{says: judge.None(code, "SECRET")})
			b.contract = testkit.Contract(t, judgedContract+more, judgedCatalog)
			want, soft := authz.Block, row[0] == "yes"
			if soft && column == "A" {
				want = authz.RequireApproval
			}
			for range 5 { // as often as would open the breaker
				a := b.want(b.check(b.look("x", "Hm")), want, authz.JudgeNoVerdict)
				if a.NoVerdict != code || strings.Contains(a.Told(), "SECRET") || b.opinion()["no_verdict"] != string(code) {
					t.Errorf("%s in column %s is told as %s: %s", code, column, a.NoVerdict, a.Told())
				}
				if a.Overridable != (soft && want == authz.Block) {
					t.Errorf("%s in column %s can be overridden: %t", code, column, a.Overridable)
				}
			}
			if counted, err := b.store.Breaker(t.Context(), "buyer", "s1"); err != nil || len(counted) > 0 {
				t.Errorf("%s counts: %v, %v", code, counted, err)
			}
		}
	}
}

// TestToldRetry: for each failure, whether and when one retry makes sense, as
// docs/spec/reasons.md has it. A code outside the list is a defect.
func TestToldRetry(t *testing.T) {
	rows := failuresOfThePage(t)
	const (
		never    = "A retry makes no sense; ask the user."
		operator = "A retry makes no sense before an operator has looked."
		once     = "One retry makes sense, at once."
		soon     = "One retry makes sense, after 30 seconds."
	)
	words := map[string]string{never: "no", operator: "once an operator has looked", once: "at once", soon: "after 30 s",
		"One retry makes sense, after 1 min.": "after 1 min", "One retry makes sense, after 5 min.": "after 5 min"}
	all := map[judge.NoVerdict]string{
		judge.Timeout: soon, judge.Transport: soon, judge.Server: soon, judge.Rate: "One retry makes sense, after 1 min.",
		judge.Quota: operator, judge.Auth: operator, judge.Request: operator,
		judge.Malformed: once, judge.Schema: once, judge.Length: once, judge.Votes: once,
		judge.Refusal: never, judge.Filter: never, judge.Overflow: never, judge.Clipped: never,
		judge.Outage: "One retry makes sense, after 5 min.",
		judge.Fence:  operator, judge.Model: operator, judge.Budget: operator, judge.Policy: operator, judge.Internal: operator,
	}
	if len(rows) != len(all) {
		t.Errorf("the page has %d failures, there are %d", len(rows), len(all))
	}
	for code, want := range all {
		if row := rows[code]; !slices.Equal(row, []string{map[bool]string{true: "yes", false: "no"}[code.Soft()], words[want]}) {
			t.Errorf("%s: the page says %q", code, row)
		}
	}
	all["nv_other"], all[""] = operator, operator
	for code, want := range all {
		a := gate.Answer{NoVerdict: code, Reasons: []authz.Reason{{Code: authz.JudgeNoVerdict}}}
		form := fmt.Sprintf("licet: Not decided (%s)", cmp.Or(code, "judge_no_verdict"))
		if text := a.Told(); !strings.HasPrefix(text, form) || !strings.HasSuffix(text, "against the action. "+want) {
			t.Errorf("%q: %s", code, text)
		}
		if after, again := code.Retry(); again != strings.HasPrefix(want, "One") || after > 5*time.Minute {
			t.Errorf("%q: retry %t after %v", code, again, after)
		}
	}
}
