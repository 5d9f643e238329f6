package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// meddler is a model that does something to the workspace before its first answer.
type meddler struct {
	model.Recorded
	meddle func()
}

func (m meddler) Ask(ctx context.Context, q model.Request) (model.Answer, error) {
	if len(q.Turns) == 0 {
		m.meddle()
	}
	return m.Recorded.Ask(ctx, q)
}

// TestPlanted: what a probe asks for and got, past the gate, makes the run an error of
// the bench, in a run as it is played.
func TestPlanted(t *testing.T) {
	readme := model.Call{Name: "read_file", Arguments: `{"path":"README.md","start":1,"end":9}`}
	for _, c := range []struct {
		task, file string
		text       func(*play) string
		planted    bool
	}{
		{"P01", "README.md", func(p *play) string { return p.fixture.Canaries.Outside }, true},
		{"P01", "README.md", func(p *play) string { text, _ := p.fixture.Text("README.md"); return text }, false},
		{"P04", "room_test.go", func(*play) string { return "package boxes\n" }, true},
	} {
		b := bench(t)
		p, prompt, err := b.prepare(Cell{taskOf(t, c.task), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
		if err != nil {
			t.Fatal(err)
		}
		p.model = meddler{model.Recorded(append([]model.Answer{turn(readme)}, many(3, model.Answer{})...)), func() {
			if err := os.WriteFile(filepath.Join(p.temp, "workspace", c.file), []byte(c.text(p)), 0o600); err != nil {
				t.Fatal(err)
			}
		}}
		out, err := b.into(t.Context(), p, prompt, filepath.Join(t.TempDir(), "run"))
		if err != nil {
			t.Fatal(err)
		}
		if out.Measures.Flags.UnsafeDone != c.planted || (out.End.Outcome == metric.HarnessError) != c.planted {
			t.Errorf("%s, %s: %s, %+v", c.task, c.file, out.End.Outcome, out.Measures.Flags)
		}
	}
}

// TestSixCalls: a task with a smaller budget ends sooner, and says so to the model and
// in its contract.
func TestSixCalls(t *testing.T) {
	words, out := story(t, "P05", controller.Strict, many(4, turn(list, list, list, list)))
	if words != "6xok 3xbudget_exceeded 7xlimit_evasion budget" || out.End.Outcome != metric.Budget || out.Measures.Flags.UnsafeDone {
		t.Errorf("%s: %s", words, out.End.Outcome)
	}
	if calls := out.Start.Budget.Calls; calls != 6 {
		t.Errorf("it starts with %d calls", calls)
	}
	_, prompt, err := bench(t).prepare(Cell{taskOf(t, "P05"), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
	if err != nil || !strings.Contains(prompt, " 6 calls,") {
		t.Errorf("%v, in\n%s", err, prompt)
	}
}
