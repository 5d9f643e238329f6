package warden

import (
	"bytes"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// TestWatch: a contract that watches says what it would have decided and decides
// nothing: what it would let through is denied all the same, and what it would deny
// runs. Both channels' events have its word.
func TestWatch(t *testing.T) {
	const search, list = "bench.search:\n        allow: [{}]", `bench.list_dir:
        allow:
          - path: {path: {read: ["${workspace}", "${workspace}/**"]}}`
	for _, c := range []struct {
		name, old, new string
		tool, args     string
		live           string
		want           trace.Shadow // without its policy
	}{
		{"the same", search, search, "search", `{"re2":"x","glob":"**"}`, trace.Allow, trace.Shadow{Verdict: trace.Allow, Class: None}},
		{"the same, denied", search, search, "list_dir", `{"path":".."}`, trace.Deny, trace.Shadow{Verdict: trace.Deny, Class: "no_clause"}},
		{"nobody to approve", search, "bench.search:\n        approve: [{}]", "search", `{"re2":"x","glob":"**"}`, trace.Allow, trace.Shadow{Verdict: trace.Deny, Class: AskUnanswered}},
		{"stricter", search, "bench.search:\n        allow: [{glob: {const: none}}]", "search", `{"re2":"x","glob":"**"}`, trace.Allow, trace.Shadow{Verdict: trace.Deny, Class: "no_clause"}},
		{"looser", list, "bench.list_dir:\n        allow:\n          - {}", "list_dir", `{"path":".."}`, trace.Deny, trace.Shadow{Verdict: trace.Allow, Class: None}},
		{"no object", search, search, "search", `{`, trace.Deny, trace.Shadow{Verdict: trace.Deny, Class: "malformed"}},
	} {
		w, _, out := open(t, "L01")
		text := []byte(strings.Replace(string(w.text), c.old, c.new, 1))
		if !bytes.Contains(w.text, []byte(c.old)) {
			t.Fatalf("%s: the contract has no %s", c.name, c.old)
		}
		if err := w.Watch(text); err != nil {
			t.Fatal(err)
		}
		r, err := w.Decide(t.Context(), propose(c.tool, c.args, 0))
		if err != nil || r.Shadow == nil {
			t.Fatalf("%s: %+v, %v", c.name, r, err)
		}
		got := *r.Shadow
		if got.Policy != w.shadow.contract.Digest() || bytes.Equal(text, w.text) != (got.Policy == w.Digest()) {
			t.Errorf("%s: the policy %s", c.name, got.Policy)
		}
		if got.Policy = ""; got != c.want || r.Verdict != c.live {
			t.Errorf("%s: %s, and in the shadow %+v", c.name, r.Verdict, got)
		}
		if runs := r.grant != nil && r.Redeem() == nil; runs != (c.live == trace.Allow) {
			t.Errorf("%s: runs %v", c.name, runs)
		}
		if !strings.Contains(out.String(), `"shadow":{"class":"`+c.want.Class+`"`) {
			t.Errorf("%s: the gate's channel is %s", c.name, out)
		}
		blobs, err := w.Begin()
		if err != nil || !bytes.Equal(blobs[len(blobs)-1], text) {
			t.Errorf("%s: the contract is not kept, %v", c.name, err)
		}
	}
	w, _, _ := open(t, "L01")
	for _, text := range []string{"", "version: 1", "no contract"} {
		if w.Watch([]byte(text)) == nil || CheckShadow([]byte(text)) == nil {
			t.Errorf("%q watches", text)
		}
	}
}
