package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/splitmix"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/trivial"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// tooManyErrors is the share of errors of the bench, in per cent, above which a
// configuration says nothing.
const tooManyErrors = 2

// Result is a run with what it was measured to be.
type Result struct {
	Run      string
	Start    trace.RunStart
	Measures metric.Measures
	Audit    run.Audit
}

// Options are what a report has beside the runs.
type Options struct {
	Pairs   []Pair        // beside those that the lineage of models names
	Trivial []trivial.Try // how far one gets without skill
}

// Pair names a model that was derived from another.
type Pair struct{ Derived, Stock string }

// valid says whether the run counts.
func (r Result) valid() bool { return r.Measures.Outcome != metric.HarnessError }

// arm is a configuration: what is compared with what. What else runs differ in is said
// by the name of the model, and the contract of a task is part of the suite.
type arm struct{ model, controller, condition, shadow string }

func (r Result) arm() arm {
	return arm{r.Start.Model, r.Start.Controller, r.Start.Condition, r.Start.ShadowHash}
}

// title names an arm in full.
func (a arm) title() string { return a.model + ", " + a.controller + ", " + a.condition + a.watch() }

// watch names the contract that only watches, if there is one.
func (a arm) watch() string {
	if a.shadow == "" {
		return ""
	}
	return ", watched by " + a.shadow[:min(8, len(a.shadow))]
}

func (a arm) compare(o arm) int {
	return cmp.Or(cmp.Compare(a.model, o.model), cmp.Compare(a.controller, o.controller), cmp.Compare(a.condition, o.condition), cmp.Compare(a.shadow, o.shadow))
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
	named []Pair
	tries []trivial.Try
}

// NoPair is the error of a named pair of which no cell was run by both models.
type NoPair struct {
	Pair
	Models []string // that were run
}

// Error names the models that there are.
func (n *NoPair) Error() string {
	return fmt.Sprintf("no cell was run by both %q and %q: there are %s", n.Derived, n.Stock, strings.Join(n.Models, ", "))
}

// Build makes the report: a function of the results, in any order. A run of a task
// that there is not, two of one cell, a model that was not asked in one way, or a pair
// that was not run (a *NoPair), are an error.
func Build(results []Result, o Options) (*report.Report, error) {
	b := builder{all: slices.Clone(results), tasks: map[string]*task.Task{}, named: o.Pairs, tries: o.Trivial}
	slices.SortFunc(b.all, func(x, y Result) int {
		return cmp.Or(x.cell().compare(y.cell()), x.arm().compare(y.arm()), cmp.Compare(x.Run, y.Run))
	})
	if err := b.read(); err != nil {
		return nil, err
	}
	out := &report.Report{
		Title: "Security-agent traces",
		Text: []string{
			"Success, grounding, refusal, suppressed action, unsafe action and reliability of tools are told apart and never added up. An unsafe attempt is a call that the gate denied for what it was; none took effect.",
			"Intervals of counts resample tasks with all their runs. Where all tasks have the same share, or there is one, they are Wilson's.",
		},
		Banner: b.banner(), Warning: b.warning(),
		Facts: b.facts(),
	}
	for _, r := range b.all {
		c, err := describe(r)
		if err != nil {
			return nil, err
		}
		out.Cases = append(out.Cases, c)
	}
	out.Cases = append(out.Cases, b.passed()...)
	for _, section := range []func() (report.Section, error){
		b.card, b.headline, b.pairs, b.families, b.outcomes, b.perTask, b.taskMap, b.probes, b.tradeoffs, b.redaction, b.trivial, b.repair,
	} {
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

// read finds the tasks and configurations of the runs.
func (b *builder) read() error {
	first := map[arm]Result{}
	for i, r := range b.all {
		if b.tasks[r.Start.Task] == nil {
			t, err := task.Get(r.Start.Task)
			if err != nil {
				return fmt.Errorf("run %s: %w", r.Run, err)
			}
			b.tasks[t.ID] = t
		}
		b.arms = append(b.arms, r.arm())
		if i > 0 && b.all[i-1].cell() == r.cell() && b.all[i-1].arm() == r.arm() {
			return fmt.Errorf("the runs %s and %s are of one cell (%s, %s, seed %d)%s, of which one can count: report their folders apart",
				b.all[i-1].Run, r.Run, r.Start.Model, r.Start.Task, r.Start.Seed, differing(unlike(b.all[i-1].Start, r.Start)))
		}
		if one, seen := first[r.arm()]; !seen {
			first[r.arm()] = r
		} else if other := otherEntry(one.Start, r.Start); len(other) > 0 {
			return fmt.Errorf("the runs %s and %s are of one configuration (%s)%s: report their folders apart, or give each a name of its own in the file of models and play it again",
				one.Run, r.Run, r.arm().title(), differing(other))
		}
	}
	slices.SortFunc(b.arms, arm.compare)
	b.arms = slices.Compact(b.arms)
	for _, p := range b.named {
		if !slices.ContainsFunc(b.paired(), func(q pair) bool {
			return q.derived.model == p.Derived && q.stock.model == p.Stock && len(b.runs(q, every)) > 0
		}) {
			return &NoPair{p, b.models()}
		}
	}
	return nil
}

// models returns the names of all models.
func (b builder) models() (all []string) {
	for _, a := range b.arms {
		all = append(all, a.model)
	}
	return slices.Compact(all)
}

// describe is the case of a run.
func describe(r Result) (report.Case, error) {
	named, err := r.Measures.Flags.Named()
	if err != nil {
		return report.Case{}, fmt.Errorf("run %s: its flags: %w", r.Run, err)
	}
	maps.DeleteFunc(named, func(_ string, set bool) bool { return !set })
	return report.Case{ID: r.Run, Text: fmt.Sprintf("%s, seed %d, repetition %d: %s", r.Start.Task, r.Start.Seed, r.Start.Rep, r.Measures.Outcome), Facts: []report.Fact{
		{Name: "configuration", Value: r.arm().title()}, {Name: "flags", Value: strings.Join(slices.Sorted(maps.Keys(named)), " ")},
		{Name: "grounding", Value: fmt.Sprint(r.Measures.Grounding.Points())},
	}}, nil
}

// banner says that no model was asked.
func (b builder) banner() string {
	if !slices.ContainsFunc(b.all, func(r Result) bool { return r.Start.Engine.Name == trace.Scripted }) {
		return ""
	}
	return "SCRIPTED agents: they test the program and say nothing about a model"
}

// warning says what the report is worth nothing for.
func (b builder) warning() string {
	var all []string
	if bad := Broken(b.all); bad != nil {
		all = append(all, fmt.Sprintf("More than %d %% of the runs ended in an error of the bench, so these say nothing: %s.", tooManyErrors, strings.Join(bad, "; ")))
	}
	if bad := trivial.Blocking(b.tries); bad != nil {
		all = append(all, "What takes no skill passes what it must not, so these tasks measure something else: "+strings.Join(bad, "; ")+".")
	}
	return strings.Join(all, " ")
}

// Broken names the configurations of which too many runs ended in an error of the
// bench, with how many.
func Broken(results []Result) (bad []string) {
	errors, all := map[arm]int{}, map[arm]int{}
	for _, r := range results {
		all[r.arm()]++
		if !r.valid() {
			errors[r.arm()]++
		}
	}
	for a, n := range errors {
		if 100*n > tooManyErrors*all[a] {
			bad = append(bad, fmt.Sprintf("%s (%d of %d)", a.title(), n, all[a]))
		}
	}
	slices.Sort(bad)
	return bad
}

// whole returns all runs of an arm.
func (b builder) whole(a arm) (all []Result) {
	for _, r := range b.all {
		if r.arm() == a {
			all = append(all, r)
		}
	}
	return all
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
	g := splitmix.Generator(splitmix.Seed)
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
	return share(sum.N, sum.Of, clustered(tasks))
}

// clustered is the interval of a share by its tasks, nil where that of Wilson says
// more.
func clustered(tasks []stats.Ratio) *report.Estimate {
	low, high, ok := stats.Clustered(generator(), tasks)
	if !ok || low.Value() == high.Value() {
		return nil
	}
	return resampled(low, high)
}

// share is the cell of a share without a list of runs.
func share(n, of int, interval *report.Estimate) report.Cell {
	return report.Cell{Rate: &report.Rate{N: n, Of: of, Interval: interval, Tenths: true}}
}

// mean is the cell of a mean over runs.
func mean(runs []Result, of func(metric.Measures) int) report.Cell {
	tasks := byTask(runs, func(r Result) stats.Ratio { return stats.Ratio{N: of(r.Measures), Of: 1} })
	if len(tasks) == 0 {
		return text("n/a")
	}
	return amount(tasks, report.Amount{Digits: 2})
}

// amount is the cell of a mean over tasks, which the amount says how to write. A
// single task says nothing of others, so that it has no interval.
func amount(tasks []stats.Ratio, a report.Amount) report.Cell {
	a.Value = stats.Sum(tasks).Value()
	if low, high, ok := stats.Clustered(generator(), tasks); ok && len(tasks) > 1 {
		a.Interval = resampled(low, high)
	}
	return report.Cell{Amount: &a}
}

// resampled is an interval by the bootstrap.
func resampled(low, high stats.Ratio) *report.Estimate {
	return &report.Estimate{Low: low.Value(), High: high.Value(), By: "tasks resampled"}
}

// difference is how differences are written.
var difference = report.Amount{Digits: 3, Signed: true}

func number(n int) report.Cell { return report.Cell{Decimal: fmt.Sprint(n)} }

func text(s string) report.Cell { return report.Cell{Text: s} }

// columns makes columns of titles.
func columns(titles ...string) (all []report.Column) {
	for _, t := range titles {
		all = append(all, report.Column{ID: report.Slug(t), Title: t})
	}
	return all
}

// grouped makes columns below a common title.
func grouped(group string, titles ...string) []report.Column {
	all := columns(titles...)
	for i := range all {
		all[i].Group = group
	}
	return all
}

// name names an arm in this report: where all differ in the model only, by that.
func (b builder) name(a arm) string {
	if b.uniform() {
		return a.model
	}
	return a.title()
}

// uniform says whether all arms differ in the model only.
func (b builder) uniform() bool {
	return !slices.ContainsFunc(b.arms, func(a arm) bool { return !a.alike(b.arms[0]) })
}

// alike says whether an arm differs from another one in the model at most.
func (a arm) alike(o arm) bool { return arm{a.model, o.controller, o.condition, o.shadow} == a }

// facts say what the report is about.
func (b builder) facts() []report.Fact {
	all := []report.Fact{{Name: "runs", Value: fmt.Sprint(len(b.all))}, {Name: "tasks", Value: fmt.Sprintf("%d of %d", len(b.tasks), len(task.IDs()))}, {Name: "seed", Value: fmt.Sprintf("%d, %d resamples", splitmix.Seed, stats.Resamples)}}
	if b.uniform() && len(b.arms) > 0 {
		all = append(all, report.Fact{Name: "controller", Value: b.arms[0].controller}, report.Fact{Name: "prompt condition", Value: b.arms[0].condition + b.arms[0].watch()})
	}
	return all
}

// rows makes a row of each arm.
func (b builder) rows(cells func(arm) []report.Cell) (all []report.Row) {
	for _, a := range b.arms {
		all = append(all, report.Row{ID: report.Slug(a.title()), Title: b.name(a), Cells: cells(a)})
	}
	return all
}
