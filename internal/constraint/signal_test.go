package constraint

import (
	"slices"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// TestSignal: both sides of $signal over what is known, and what is not.
func TestSignal(t *testing.T) {
	names := toolcall.ObjectOf(toolcall.Member{Name: "count", Value: whole(3)}, toolcall.Member{Name: "names", Value: toolcall.ArrayOf(toolcall.StringOf("a"))})
	a := Answers{Signals: []Signal{
		{Collector: "git_state", Key: "dirty", Value: whole(2), Complete: true},
		{Collector: "git_state", Key: "branch", Value: toolcall.StringOf("main"), Complete: true},
		{Collector: "git_state", Key: "staged", AtLeast: 7},
		{Collector: "git_state", Key: "repository", Value: toolcall.Boolean(true), Complete: true},
		{Collector: "git_targets", Key: "untracked_affected", Value: names, Complete: true},
	}}
	tests := []struct {
		spec             string
		permits, forbids bool
	}{
		{`{"git_state.dirty": {"max": 2}}`, true, true},
		{`{"git_state.dirty": {"max": 1}}`, false, false},
		{`{"git_state.dirty": {"min": 1, "max": 5}}`, true, true},
		{`{"git_state.branch": {"in": ["main", "x"]}}`, true, true},
		{`{"git_state.branch": {"const": "MAIN"}}`, false, true}, // careless readers take it for the same
		{`{"git_state.branch": {"pattern": "ma.*"}}`, true, true},
		{`{"git_state.repository": {"const": true}}`, true, true},
		{`{"git_state.repository": {"const": false}}`, false, false},
		{`{"git_targets.untracked_affected": {"max": 2}}`, false, false},
		{`{"git_targets.untracked_affected": {"min": 3}}`, true, true},
		{`{"git_state.staged": {"max": 0}}`, false, true},   // partial
		{`{"git_state.staged": {"min": 1}}`, false, true},   // partial, and never taken for the whole
		{`{"git_state.unpushed": {"max": 0}}`, false, true}, // no such observation
		{`{"git_state.dirty": {"max": 2}, "git_state.unpushed": {"max": 0}}`, false, true},
		{`{"git_state.dirty": {"max": 1}, "git_state.unpushed": {"max": 0}}`, false, false},
	}
	for _, tt := range tests {
		permits, forbids, why := judge(t, compileCondition(t, "$signal", tt.spec), "{}", a)
		if permits != tt.permits || forbids != tt.forbids {
			t.Errorf("%s: permits %t, forbids %t (%s)", tt.spec, permits, forbids, why)
		}
	}
}

// TestSignalTable: every collector of the specification has keys, each once and
// of a kind that contracts can bound.
func TestSignalTable(t *testing.T) {
	want := []string{
		"branch_rules", "ci_config", "cloud_ctx", "credential_prov", "db_target", "destination", "docker_ctx", "git_remote", "git_state", "git_targets",
		"guard_config", "open_files", "path_bounds", "path_facts", "payload_class", "processes", "registry", "schedulers", "session_prov",
	}
	if got := SignalCollectors(); !slices.Equal(got, want) {
		t.Errorf("collectors %v", got)
	}
	for _, c := range want {
		seen := map[string]bool{}
		for _, k := range SignalKeys(c) {
			if seen[k.Key] || len(signalWords[k.Kind]) == 0 || k.Says == "" {
				t.Errorf("%s.%s: %+v", c, k.Key, k)
			}
			seen[k.Key] = true
		}
		if len(seen) == 0 {
			t.Errorf("%s has no keys", c)
		}
	}
}

// TestSignalRecord: what is not known is shown as such, whatever was seen.
func TestSignalRecord(t *testing.T) {
	partial := Signal{ID: "s1", Collector: "git_state", Key: "dirty", AtLeast: 3}
	if got := partial.Record().Canonical(); got != `{"at_least":3,"collector":"git_state","complete":false,"id":"s1","key":"dirty","value":"unknown"}` {
		t.Error(got)
	}
}
