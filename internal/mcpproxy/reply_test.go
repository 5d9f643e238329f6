package mcpproxy

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/gate"
)

// TestExplain: an agent is told not to repeat a call exactly where only another
// call, or another contract, can have another answer.
func TestExplain(t *testing.T) {
	final := []authz.Code{
		authz.UnknownAgent, authz.Unauthenticated, authz.NotListed, authz.BlockedTool, authz.InvalidArguments,
		authz.NeverClause, authz.NoClause, authz.EvaluationError, authz.LimitUncountable,
		authz.ApprovalDenied, authz.ApprovalExpired, authz.ApprovalUsed, authz.ApprovalVoid, authz.ApprovalMismatch,
		authz.ApprovalUnknown, authz.Malformed, authz.UnknownMethod,
	}
	judged := map[authz.Code]string{
		authz.JudgeBlock: "Do not repeat it unchanged; ask your user.", authz.JudgeUnsure: "Do not repeat it unchanged; ask your user.",
		authz.JudgeNoVerdict: "Repeat it once at most, later.",
	}
	permitting := []authz.Code{authz.AllowClause, authz.Approved, authz.ApproveClause, authz.JudgeAllow}
	for _, code := range authz.Codes() {
		if slices.Contains(permitting, code) {
			continue
		}
		want := "It may be repeated later."
		if slices.Contains(final, code) {
			want = "Repeating it unchanged will not help."
		}
		if says, is := judged[code]; is {
			want = says
		}
		text := explain(gate.Answer{Reasons: []authz.Reason{{Code: code, Detail: "SECRET"}}})
		if !strings.HasSuffix(text, want) || strings.Contains(text, "SECRET") {
			t.Errorf("%s: %s", code, text)
		}
	}
}

// TestExplainUncovered: an agent is told what of its call nothing authorizes, and
// nothing else that the judge says.
func TestExplainUncovered(t *testing.T) {
	text := explain(gate.Answer{Uncovered: []string{"/w/build", "-f"}, Reasons: []authz.Reason{{Code: authz.JudgeBlock, Detail: "SECRET"}}})
	if !strings.Contains(text, "nothing they wrote names /w/build, -f. Do not repeat it unchanged") || strings.Contains(text, "SECRET") {
		t.Errorf("got %s", text)
	}
}
