package trivial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/grade"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/splitmix"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Baselines that are no agents: reports without a look at the files.
const (
	Majority = "majority verdict"
	Random   = "random verdict"
)

// Names returns the names of all baselines.
func Names() []string {
	return []string{agents.NoOp, agents.ListEverything, agents.Grep, Majority, Random}
}

// Cell is a task with the seed of a variant.
type Cell struct {
	Task *task.Task
	Seed int
}

// Try is a cell that a baseline was tried on.
type Try struct {
	Baseline string
	Cell
	Passed bool // every predicate holds
	Closed bool // the task asks for a verdict or a CWE
	Right  bool // and that is right, whatever the rest
}

// All tries every baseline on some cells, in their order.
func All(ctx context.Context, cells []Cell, progress func(run.Progress)) ([]Try, error) {
	reports, err := newReporter()
	if err != nil {
		return nil, err
	}
	var all []Try
	for _, name := range Names() {
		for _, c := range cells {
			g, gold, err := reports.grade(ctx, name, c)
			if err != nil {
				return nil, fmt.Errorf("%s on %s, seed %d: %w", name, c.Task.ID, c.Seed, err)
			}
			t := Try{Baseline: name, Cell: c, Passed: g.Status == trace.Pass, Closed: slices.ContainsFunc(gold.Predicate, closed)}
			t.Right = slices.ContainsFunc(g.Checks, func(k trace.Check) bool { return closed(k.ID) && k.Status == trace.Pass })
			all = append(all, t)
			progress(run.Progress{Done: len(all), All: len(cells) * len(Names())})
		}
	}
	return all, nil
}

// closed are the predicates of which there are few answers.
func closed(predicate string) bool { return predicate == "verdict" || predicate == "cwe" }

// Blocking returns what stops a release: whatever was passed by doing nothing, and
// every hard task that was passed.
func Blocking(tries []Try) (all []string) {
	for _, t := range tries {
		if t.Passed && (t.Baseline == agents.NoOp || t.Task.Difficulty == "hard") {
			all = append(all, fmt.Sprintf("%s passes %s, seed %d", t.Baseline, t.Task.ID, t.Seed))
		}
	}
	return all
}

// still answers for the tests of files that nobody changed: none is reported as
// passed.
type still struct{}

// Run implements harness.Runner.
func (still) Run(_ context.Context, j harness.Job) (harness.Output, error) {
	return harness.Output{Job: j.Digest(), Status: harness.Ended, Tests: map[string]string{}}, nil
}

// Layers implements harness.Runner.
func (still) Layers() []string { return nil }

// reporter makes the reports of baselines that are no agents.
type reporter struct {
	verdicts, cwes map[string]map[string]int // by family: how many tasks of the suite it is right for
	all            []string                  // every CWE that is right for a task
	chance         splitmix.Generator
}

func newReporter() (*reporter, error) {
	r := &reporter{verdicts: map[string]map[string]int{}, cwes: map[string]map[string]int{}, chance: splitmix.Seed}
	seen := map[string]bool{}
	for _, id := range task.IDs() {
		t, err := task.Get(id)
		if err != nil {
			return nil, err
		}
		f, err := t.Fixture(0)
		if err != nil {
			return nil, err
		}
		gold, err := f.Gold()
		if err != nil {
			return nil, err
		}
		count(r.verdicts, t.Family, gold.Accept.Verdict)
		count(r.cwes, t.Family, gold.Accept.CWE)
		seen[gold.Accept.CWE[0]] = true
	}
	r.all = slices.Sorted(maps.Keys(seen))
	return r, nil
}

// count notes the first accepted answer of a task.
func count(all map[string]map[string]int, family string, accepted []string) {
	if all[family] == nil {
		all[family] = map[string]int{}
	}
	if len(accepted) > 0 {
		all[family][accepted[0]]++
	}
}

// grade grades what a baseline does on a cell.
func (r *reporter) grade(ctx context.Context, name string, c Cell) (trace.Grade, task.Gold, error) {
	f, err := c.Task.Fixture(c.Seed)
	if err != nil {
		return trace.Grade{}, task.Gold{}, err
	}
	gold, err := f.Gold()
	if err != nil {
		return trace.Grade{}, gold, err
	}
	s := &trace.Submission{Status: trace.Solved}
	switch name {
	case Majority:
		s.Verdict = most(c.Task.Verdicts, r.verdicts[c.Task.Family])
		s.CWE = most(slices.Sorted(maps.Keys(r.cwes[c.Task.Family])), r.cwes[c.Task.Family])
	case Random:
		s.Verdict, s.CWE = c.Task.Verdicts[r.chance.Below(len(c.Task.Verdicts))], r.all[r.chance.Below(len(r.all))]
	default:
		b := run.Bench{Runner: still{}, Now: func() time.Time { return time.Unix(0, 0).UTC() }}
		out, err := b.Try(ctx, run.Cell{Task: c.Task, Seed: c.Seed, Player: run.Scripted(name), Controller: controller.Strict, Condition: task.Plain})
		if err == nil {
			err = out.Trouble
		}
		return out.Grade, gold, err
	}
	g, err := grade.Grade(ctx, grade.Case{Fixture: f, Gold: gold, Submission: s, Blobs: trace.Memory{}, Runner: still{}})
	return g, gold, err
}

// most returns the answer that is right most often, the first of those that are.
func most(offered []string, right map[string]int) string {
	best := offered[0]
	for _, answer := range offered {
		if right[answer] > right[best] {
			best = answer
		}
	}
	return best
}
