package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/splitmix"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// Seed is that of every statistic, each of which has a fresh generator.
const Seed = 20260519

// tooManyErrors is the share of errors of the bench, in per cent, above which a
// configuration says nothing.
const tooManyErrors = 2

// Result is a run with what it was measured to be.
type Result struct {
	Run      string
	Start    trace.RunStart
	Measures metric.Measures
}

// valid says whether the run counts.
func (r Result) valid() bool { return r.Measures.Outcome != metric.HarnessError }

// arm is a configuration: what is compared with what.
type arm struct{ model, controller, condition string }

func (r Result) arm() arm { return arm{r.Start.Model, r.Start.Controller, r.Start.Condition} }

func (a arm) title() string { return a.model + ", " + a.controller + ", " + a.condition }

func (a arm) compare(o arm) int {
	return cmp.Or(cmp.Compare(a.model, o.model), cmp.Compare(a.controller, o.controller), cmp.Compare(a.condition, o.condition))
}

// cell is what the arms of a comparison share.
type cell struct {
	task      string
	seed, rep int
}

func (r Result) cell() cell { return cell{r.Start.Task, r.Start.Seed, r.Start.Rep} }

func (c cell) compare(o cell) int {
	return cmp.Or(cmp.Compare(c.task, o.task), c.seed-o.seed, c.rep-o.rep)
}

type builder struct {
	all   []Result // by cell and arm
	arms  []arm
	tasks map[string]*task.Task
}

// Build makes the report: a function of the results, in any order. A run of a task
// that there is not, or two of one cell, are an error.
func Build(results []Result) (*report.Report, error) {
	b := builder{all: slices.Clone(results), tasks: map[string]*task.Task{}}
	slices.SortFunc(b.all, func(x, y Result) int {
		return cmp.Or(x.cell().compare(y.cell()), x.arm().compare(y.arm()), cmp.Compare(x.Run, y.Run))
	})
	out := &report.Report{
		Title: "Security-agent traces",
		Text: []string{
			"Success, grounding, refusal, suppressed action, unsafe action and reliability of tools are told apart and never added up. An unsafe attempt is a call that the gate denied for what it was; none took effect.",
			"Intervals of counts resample tasks with all their runs. Where all runs agree, or there is one task, they are Wilson's.",
		},
		Banner: b.banner(), Warning: b.warning(),
		Facts: []report.Fact{{Name: "runs", Value: fmt.Sprint(len(results))}, {Name: "seed", Value: fmt.Sprintf("%d, %d resamples", Seed, stats.Resamples)}},
	}
	for _, r := range b.all {
		if b.tasks[r.Start.Task] == nil {
			t, err := task.Get(r.Start.Task)
			if err != nil {
				return nil, fmt.Errorf("run %s: %w", r.Run, err)
			}
			b.tasks[t.ID] = t
		}
		b.arms = append(b.arms, r.arm())
		out.Cases = append(out.Cases, describe(r))
	}
	for i := 1; i < len(b.all); i++ {
		if x, y := b.all[i-1], b.all[i]; x.cell() == y.cell() && x.arm() == y.arm() {
			return nil, fmt.Errorf("the runs %s and %s are of one cell", x.Run, y.Run)
		}
	}
	slices.SortFunc(b.arms, arm.compare)
	b.arms = slices.Compact(b.arms)
	for _, section := range []func() (report.Section, error){b.card, b.headline, b.pairs, b.families, b.outcomes, b.perTask, b.probes, b.repair} {
		s, err := section()
		if err != nil {
			return nil, err
		}
		if len(s.Tables) > 0 {
			out.Sections = append(out.Sections, s)
		}
	}
	return out, nil
}

// describe is the case of a run.
func describe(r Result) report.Case {
	flags := []string{}
	named, err := r.Measures.Flags.Named()
	if err == nil {
		for name, set := range named {
			if set {
				flags = append(flags, name)
			}
		}
	}
	slices.Sort(flags)
	return report.Case{ID: r.Run, Text: fmt.Sprintf("%s, seed %d, repetition %d: %s", r.Start.Task, r.Start.Seed, r.Start.Rep, r.Measures.Outcome), Facts: []report.Fact{
		{Name: "configuration", Value: r.arm().title()}, {Name: "flags", Value: strings.Join(flags, " ")},
		{Name: "grounding", Value: fmt.Sprint(r.Measures.Grounding.Points())},
	}}
}

// banner says that no model was asked.
func (b builder) banner() string {
	if !slices.ContainsFunc(b.all, func(r Result) bool { return r.Start.Engine.Name == trace.Scripted }) {
		return ""
	}
	return "SCRIPTED agents: they test the program and say nothing about a model"
}

// warning names the configurations that say nothing.
func (b builder) warning() string {
	errors, all := map[arm]int{}, map[arm]int{}
	for _, r := range b.all {
		all[r.arm()]++
		if !r.valid() {
			errors[r.arm()]++
		}
	}
	var bad []string
	for a, n := range errors {
		if 100*n > tooManyErrors*all[a] {
			bad = append(bad, fmt.Sprintf("%s (%d of %d)", a.title(), n, all[a]))
		}
	}
	if bad == nil {
		return ""
	}
	slices.Sort(bad)
	return fmt.Sprintf("More than %d %% of the runs ended in an error of the bench, so these say nothing: %s.", tooManyErrors, strings.Join(bad, "; "))
}

// of returns the runs of an arm that count, of tasks that are wanted.
func (b builder) of(a arm, wanted func(*task.Task) bool) (all []Result) {
	for _, r := range b.all {
		if r.arm() == a && r.valid() && wanted(b.tasks[r.Start.Task]) {
			all = append(all, r)
		}
	}
	return all
}

// Which tasks.

func security(t *task.Task) bool   { return t.Kind == task.Security }
func control(t *task.Task) bool    { return t.Kind == task.Control }
func probe(t *task.Task) bool      { return t.Kind == task.Probe }
func authorised(t *task.Task) bool { return !probe(t) }
func every(*task.Task) bool        { return true }

// generator is a fresh one.
func generator() *splitmix.Generator {
	g := splitmix.Generator(Seed)
	return &g
}

// byTask sums what runs add, task by task in their order.
func byTask(runs []Result, of func(Result) stats.Ratio) (tasks []stats.Ratio) {
	last := ""
	for _, r := range runs {
		if r.Start.Task != last {
			tasks, last = append(tasks, stats.Ratio{}), r.Start.Task
		}
		t, n := &tasks[len(tasks)-1], of(r)
		t.N, t.Of = t.N+n.N, t.Of+n.Of
	}
	return tasks
}

// one is what a run adds of which something is true.
func one(hit bool) stats.Ratio {
	if hit {
		return stats.Ratio{N: 1, Of: 1}
	}
	return stats.Ratio{Of: 1}
}

// Cells.

// count is the cell of runs of which something is true.
func count(runs []Result, hit func(Result) bool) report.Cell {
	c := report.Count{Of: len(runs), Interval: clustered(byTask(runs, func(r Result) stats.Ratio { return one(hit(r)) }))}
	for _, r := range runs {
		if hit(r) {
			c.N++
			c.Cases = append(c.Cases, r.Run)
		}
	}
	return report.Cell{Count: &c}
}

// flag is the cell of a flag.
func flag(runs []Result, is func(metric.Flags) bool) report.Cell {
	return count(runs, func(r Result) bool { return is(r.Measures.Flags) })
}

// ratio is the cell of something that runs have several of.
func ratio(runs []Result, of func(metric.Measures) stats.Ratio) report.Cell {
	tasks := byTask(runs, func(r Result) stats.Ratio { return of(r.Measures) })
	sum := stats.Sum(tasks)
	return report.Cell{Rate: &report.Rate{N: sum.N, Of: sum.Of, Interval: clustered(tasks)}}
}

// clustered is the interval of a share by its tasks, nil where that of Wilson says
// more.
func clustered(tasks []stats.Ratio) *report.Estimate {
	sum := stats.Sum(tasks)
	low, high, ok := stats.Clustered(generator(), tasks)
	if !ok || len(tasks) < 2 || sum.N == 0 || sum.N == sum.Of {
		return nil
	}
	return &report.Estimate{Low: low.Value(), High: high.Value(), By: "tasks resampled"}
}

// mean is the cell of a mean over runs, and that of its interval.
func mean(runs []Result, of func(metric.Measures) int) (value, interval report.Cell) {
	tasks := byTask(runs, func(r Result) stats.Ratio { return stats.Ratio{N: of(r.Measures), Of: 1} })
	if len(tasks) == 0 {
		return report.Cell{}, report.Cell{}
	}
	return report.Cell{Decimal: fmt.Sprintf("%.2f", stats.Sum(tasks).Value())}, spread("%.2f", tasks)
}

// spread is the cell of the interval of a mean. A single task says nothing of others.
func spread(format string, tasks []stats.Ratio) report.Cell {
	low, high, ok := stats.Clustered(generator(), tasks)
	if !ok || len(tasks) < 2 {
		return text("n/a")
	}
	return between(format, low, high)
}

func between(format string, low, high stats.Ratio) report.Cell {
	return text(fmt.Sprintf(format+" to "+format, low.Value(), high.Value()))
}

func number(n int) report.Cell { return report.Cell{Decimal: fmt.Sprint(n)} }

func text(s string) report.Cell { return report.Cell{Text: s} }

// columns makes columns of titles.
func columns(titles ...string) (all []report.Column) {
	for _, t := range titles {
		all = append(all, report.Column{ID: report.Slug(t), Title: t})
	}
	return all
}

// rows makes a row of each arm.
func (b builder) rows(cells func(arm) []report.Cell) (all []report.Row) {
	for _, a := range b.arms {
		all = append(all, report.Row{ID: report.Slug(a.title()), Title: a.title(), Cells: cells(a)})
	}
	return all
}
