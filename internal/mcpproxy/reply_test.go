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
	permitting := []authz.Code{authz.AllowClause, authz.Approved, authz.ApproveClause}
	for _, code := range authz.Codes() {
		if slices.Contains(permitting, code) {
			continue
		}
		want := "It may be repeated later."
		if slices.Contains(final, code) {
			want = "Repeating it unchanged will not help."
		}
		text := explain(gate.Answer{Reasons: []authz.Reason{{Code: code, Detail: "SECRET"}}})
		if !strings.HasSuffix(text, want) || strings.Contains(text, "SECRET") {
			t.Errorf("%s: %s", code, text)
		}
	}
}
