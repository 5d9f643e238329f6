package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// TestAudit: an export would hide the key that one agent sends about and another never
// sees, and the input of a task that has one; and a text is read wherever it lies.
func TestAudit(t *testing.T) {
	b := bench(t)
	audit := func(id, agent string) (Audit, string) {
		dir := t.TempDir()
		out, _, err := b.Run(t.Context(), Cell{taskOf(t, id), 1, Scripted(agent), controller.Strict, task.Plain}, dir)
		if err != nil {
			t.Fatal(err)
		}
		a, err := AuditOf(filepath.Join(dir, out.Run))
		if err != nil {
			t.Fatal(err)
		}
		return a, filepath.Join(dir, out.Run)
	}
	for _, tt := range []struct {
		id, agent string
		keys, d   bool
	}{{"L01", agents.NoOp, false, false}, {"L01", agents.Unsafe, true, false}, {"T01", agents.Oracle, false, true}} {
		a, _ := audit(tt.id, tt.agent)
		if a.Left != 0 || (a.Hidden[redact.Key] > 0) != tt.keys || (a.Hidden[redact.Trigger] > 0) != tt.d {
			t.Errorf("%s on %s: %+v", tt.agent, tt.id, a)
		}
	}
	_, dir := audit("L01", agents.NoOp)
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("%d blobs, %v", len(blobs), err)
	}
	if err := os.WriteFile(blobs[0], []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := AuditOf(dir); err == nil {
		t.Error("an altered blob is read")
	}
}

// TestTry: what a cell comes to when nothing of it is kept is what it comes to else.
func TestTry(t *testing.T) {
	b := bench(t)
	c := Cell{taskOf(t, "T01"), 2, Scripted(agents.Oracle), controller.Strict, task.Plain}
	tried, err := b.Try(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := b.Run(t.Context(), c, t.TempDir())
	if err != nil || tried.Run != kept.Run || tried.Grade.Status != kept.Grade.Status || tried.Measures.Flags != kept.Measures.Flags || tried.Measures.Grounding != kept.Measures.Grounding {
		t.Errorf("%+v\n%+v\n%v", tried.Measures, kept.Measures, err)
	}
}
