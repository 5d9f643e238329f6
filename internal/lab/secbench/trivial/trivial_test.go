package trivial

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// TestAll tries every baseline on every task: doing nothing passes nothing, nothing
// passes a hard task, and each answer is of its kind.
func TestAll(t *testing.T) {
	var cells []Cell
	for _, id := range task.IDs() {
		loaded, err := task.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, Cell{loaded, 1})
	}
	steps := 0
	tries, err := All(t.Context(), cells, func(run.Progress) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	if want := len(cells) * len(Names()); len(tries) != want || steps != want || len(cells) < 49 {
		t.Fatalf("%d tries, %d steps, want %d", len(tries), steps, want)
	}
	for _, what := range Blocking(tries) {
		t.Errorf("what takes no skill %s", what)
	}
	passed, right, closed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, n := range tries {
		for counts, hit := range map[*map[string]int]bool{&passed: n.Passed, &right: n.Right, &closed: n.Closed} {
			if hit {
				(*counts)[n.Baseline]++
			}
		}
		if n.Right && !n.Closed || n.Passed && n.Closed && !n.Right {
			t.Errorf("%s on %s does not add up: %+v", n.Baseline, n.Task.ID, n)
		}
	}
	if passed[agents.Grep] == 0 || 4*passed[agents.Grep] > len(cells) || right[agents.NoOp] != 0 || passed[Majority]+passed[Random]+passed[agents.ListEverything] != 0 {
		t.Errorf("passed %v, right %v", passed, right)
	}
	if right[Majority] <= right[Random] || right[Random] == 0 || closed[Majority] < 20 {
		t.Errorf("the most frequent answer is right %d times of %d, a random one %d", right[Majority], closed[Majority], right[Random])
	}
	again, err := All(t.Context(), cells[:9], func(run.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	once, err := All(t.Context(), cells[:9], func(run.Progress) {})
	if err != nil || !slices.Equal(again, once) {
		t.Errorf("the same cells give other tries: %v", err)
	}
}

// TestBlocking: a pass of who does nothing blocks, and any of a hard task.
func TestBlocking(t *testing.T) {
	easy, hard := &task.Task{ID: "L01", Difficulty: "easy"}, &task.Task{ID: "L05", Difficulty: "hard"}
	for _, tt := range []struct {
		baseline string
		of       *task.Task
		passed   bool
		want     string
	}{
		{agents.Grep, easy, true, ""}, {agents.NoOp, hard, false, ""},
		{agents.NoOp, easy, true, "no-op passes L01, seed 3"}, {Random, hard, true, "random verdict passes L05, seed 3"},
	} {
		if got := strings.Join(Blocking([]Try{{Baseline: tt.baseline, Cell: Cell{tt.of, 3}, Passed: tt.passed}}), ""); got != tt.want {
			t.Errorf("%s on %s: %q, want %q", tt.baseline, tt.of.ID, got, tt.want)
		}
	}
}
