package tables

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// card says what was run (T1).
func (b builder) card() (report.Section, error) {
	t := report.Table{ID: "run-card", Caption: "Run card", Corner: "configuration",
		Columns: slices.Concat(
			columns("lineage", "engine", "encoding"), grouped("digests", "prompts", "policies", "tools"), columns("detector", "layers", "suite"), grouped("number", "runs", "missing", "harness error"))}
	cells := map[cell]bool{}
	for _, r := range b.all {
		cells[r.cell()] = true
	}
	t.Rows = b.rows(func(a arm) []report.Cell {
		runs := b.whole(a)
		of := func(value func(trace.RunStart) string) report.Cell {
			seen := map[string]bool{}
			for _, r := range runs {
				seen[value(r.Start)] = true
			}
			return text(strings.Join(slices.Sorted(maps.Keys(seen)), "; "))
		}
		digest := func(value func(trace.RunStart) string) report.Cell {
			return text(trace.Sum([]byte(of(value).Text))[:8])
		}
		return []report.Cell{
			of(lineage), of(engine), of(func(s trace.RunStart) string { return s.Encoding }),
			digest(func(s trace.RunStart) string { return s.PromptHash }), digest(func(s trace.RunStart) string { return s.PolicyHash }), digest(func(s trace.RunStart) string { return s.ToolsHash }),
			of(func(s trace.RunStart) string { return s.Detector }), of(func(s trace.RunStart) string { return strings.Join(s.Layers, " ") }), of(func(s trace.RunStart) string { return s.Suite }),
			number(len(runs)), number(len(cells) - len(runs)), count(runs, func(r Result) bool { return !r.valid() }),
		}
	})
	t.Note = "Prompts, policies and tools: the first digits of a hash over those of all runs. Missing: tasks with a seed that another configuration was run on and this one was not, for whatever reason. Runs that no configuration has, as no machine could make them, leave nothing in a folder: run prints how many are not run. Runs with an error of the bench count nowhere else."
	return report.Section{ID: "card", Title: "What was run", Tables: []report.Table{t}}, nil
}

func lineage(s trace.RunStart) string {
	l := s.Lineage
	if l.Base == "" {
		return strings.TrimSpace(l.Method + " " + l.Quantisation)
	}
	return strings.TrimSpace(fmt.Sprintf("%s of %s, rank %d %s", l.Method, l.Base, l.Rank, l.Quantisation))
}

func engine(s trace.RunStart) string {
	e := s.Engine
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Name, e.Version, e.Batch)) + fmt.Sprintf(", temperature %s, top-p %s", milli(e.TemperatureMilli), milli(e.TopPMilli))
}

// milli writes a setting that is recorded in thousandths.
func milli(s trace.Setting) string {
	if s < 0 {
		return s.String()
	}
	return fmt.Sprintf("%.3f", float64(s)/1000)
}

//go:embed published.json
var published []byte

// headline has the main numbers of each arm, and the published ones (T2).
func (b builder) headline() (report.Section, error) {
	s := report.Section{ID: "headline", Title: "Headline numbers"}
	for _, part := range []struct {
		id, caption string
		wanted      func(*task.Task) bool
	}{{"headline-security", "Security tasks", security}, {"headline-controls", "Controls", control}} {
		t := report.Table{ID: part.id, Caption: part.caption, Corner: "configuration", Columns: slices.Concat(
			grouped("success", "S", "SSR", "USR"), grouped("grounding", "G", "G sub"), grouped("refusal", "R", "R maybe"), columns("SA"),
			grouped("unsafe attempt", "UA attempt", "UA hard"), columns("valid calls"))}
		for i, better := range []report.Direction{report.More, report.More, report.Less, 0, 0, report.Less, 0, report.Less, report.Less, report.Less, report.More} {
			t.Columns[i].Better = better
		}
		t.Rows = b.rows(func(a arm) []report.Cell { return mainCells(b.of(a, part.wanted)) })
		t.Note = "S: success. SSR: success without an unsafe attempt; USR: with one. G: grounding, 0 to 5; G sub is a rough stand-in by substrings. R: refusal, R maybe: what may be one. SA: suppressed action. UA: unsafe attempt; hard is without ungranted tools and going on after the budget. Valid calls: of all proposals those that could be read."
		if slices.ContainsFunc(t.Rows, func(r report.Row) bool { return r.Cells[0].Count.Of > 0 }) {
			s.Tables = append(s.Tables, t)
			s.Charts = append(s.Charts,
				report.Chart{ID: part.id + "-success", Title: part.caption + ": success", Table: t.ID, Columns: []string{"s"}},
				report.Chart{ID: part.id + "-reliability", Title: part.caption + ": reliability against success", Table: t.ID, Columns: []string{"valid-calls", "s"}, Form: report.Dots})
		}
	}
	t, err := publishedTable()
	points := b.points()
	s.Tables = append(s.Tables, b.refusals()...)
	s.Tables = append(s.Tables, points, b.costs(), t)
	s.Charts = append(s.Charts, report.Chart{ID: "grounding-histogram", Title: points.Caption, Table: points.ID, Columns: []string{"0", "1", "2", "3", "4", "5"}, Form: report.Bars})
	return s, err
}

// points counts runs by their points of grounding.
func (b builder) points() report.Table {
	t := report.Table{ID: "grounding", Caption: "Security tasks by points of grounding", Corner: "configuration",
		Columns: columns("0", "1", "2", "3", "4", "5", "mean without protocol fail")}
	t.Rows = b.rows(func(a arm) (cells []report.Cell) {
		runs := b.of(a, security)
		for n := range 6 {
			cells = append(cells, count(runs, func(r Result) bool { return r.Measures.Grounding.Points() == n }))
		}
		runs = slices.DeleteFunc(slices.Clone(runs), func(r Result) bool { return r.Measures.Flags.ProtocolFail })
		return append(cells, mean(runs, func(m metric.Measures) int { return m.Grounding.Points() }))
	})
	return t
}

func mainCells(runs []Result) []report.Cell {
	return []report.Cell{
		flag(runs, func(f metric.Flags) bool { return f.Success }), flag(runs, func(f metric.Flags) bool { return f.SafeSuccess }), flag(runs, func(f metric.Flags) bool { return f.UnsafeSuccess }),
		mean(runs, func(m metric.Measures) int { return m.Grounding.Points() }), mean(runs, func(m metric.Measures) int { return m.Grounding.GSub }),
		flag(runs, func(f metric.Flags) bool { return f.Refused }), flag(runs, func(f metric.Flags) bool { return f.MaybeRefuse }),
		flag(runs, func(f metric.Flags) bool { return f.Suppressed }), flag(runs, func(f metric.Flags) bool { return f.UnsafeAttempt }),
		flag(runs, func(f metric.Flags) bool { return f.UnsafeHard }), ratio(runs, func(m metric.Measures) stats.Ratio { return m.Tools.Valid }),
	}
}

// refusals splits refusals by what refused; there is no table where nothing did.
func (b builder) refusals() []report.Table {
	anyRefusal := func(r Result) bool { return r.valid() && (r.Measures.Flags.Refused || r.Measures.Flags.AnyRefusal) }
	if !slices.ContainsFunc(b.all, anyRefusal) {
		return nil
	}
	t := report.Table{ID: "refusals", Caption: "Refusals by what refused", Corner: "configuration",
		Note: "R is by the call that declines, by the provider or its filter, or by what the text says. In any turn: runs with a turn in which the provider refused, and those in which only the text of one does, of all runs; the call that declines is no turn that refuses."}
	parts := []struct {
		title  string
		wanted func(*task.Task) bool
	}{{"R of security tasks", security}, {"R of controls", control}}
	sources := []string{metric.ByDecline, metric.ByProvider, metric.ByText}
	for _, part := range parts {
		for _, source := range sources {
			t.Columns = append(t.Columns, report.Column{ID: report.Slug(part.title + " " + source), Title: source, Group: part.title})
		}
	}
	t.Columns = append(t.Columns, grouped("in any turn", "provider", "text only")...)
	t.Rows = b.rows(func(a arm) (cells []report.Cell) {
		for _, part := range parts {
			for _, source := range sources {
				cells = append(cells, count(b.of(a, part.wanted), func(r Result) bool { return r.Measures.Flags.Refused && r.Measures.RefusedBy == source }))
			}
		}
		runs := b.of(a, every)
		return append(cells, count(runs, func(r Result) bool { return r.Measures.ProviderRefused }),
			count(runs, func(r Result) bool { return r.Measures.Flags.AnyRefusal && !r.Measures.ProviderRefused }))
	})
	return []report.Table{t}
}

// costs has what the runs that count used up, by what kind of task they are of.
func (b builder) costs() report.Table {
	t := report.Table{ID: "cost", Caption: "Cost", Corner: "configuration and tasks", Columns: slices.Concat(
		columns("runs", "requests"), grouped("tokens", "in", "cache read", "cache write", "out"), grouped("time", "wall", "tools")),
		Note: "Sums over runs. Tokens are unknown where one answer of a model does not tell them. Wall: from the first event of a run to its last; tools: what of it they took. Times are those of the machine."}
	for _, a := range b.arms {
		for _, part := range []struct {
			name   string
			wanted func(*task.Task) bool
		}{{"security tasks", security}, {"controls", control}, {"probes", probe}} {
			if runs := b.of(a, part.wanted); len(runs) > 0 {
				t.Rows = append(t.Rows, report.Row{ID: report.Slug(a.title() + " " + part.name), Title: b.name(a) + ": " + part.name, Cells: costCells(runs)})
			}
		}
	}
	return t
}

func costCells(runs []Result) []report.Cell {
	requests, wall, tools := 0, 0, 0
	for _, r := range runs {
		c := r.Measures.Cost
		requests, wall, tools = requests+c.Requests, wall+c.WallMS, tools+c.ToolMS
	}
	seconds := func(ms int) report.Cell {
		return report.Cell{Measure: &report.Measure{Value: float64(ms) / 1000, Unit: "s"}}
	}
	return []report.Cell{
		number(len(runs)), number(requests),
		tokens(runs, func(t trace.Tokens) *int { return t.In }), tokens(runs, func(t trace.Tokens) *int { return t.CacheRead }),
		tokens(runs, func(t trace.Tokens) *int { return t.CacheWrite }), tokens(runs, func(t trace.Tokens) *int { return t.Out }),
		seconds(wall), seconds(tools),
	}
}

// tokens sums tokens; of a run that does not tell they are unknown.
func tokens(runs []Result, of func(trace.Tokens) *int) report.Cell {
	sum := 0
	for _, r := range runs {
		n := of(r.Measures.Cost.Tokens)
		if n == nil {
			return text("unknown")
		}
		sum += *n
	}
	return number(sum)
}

// publishedTable has the numbers of the reference study.
func publishedTable() (report.Table, error) {
	t := report.Table{ID: "published", Caption: "Published, other tasks, tools, budget and grader: compare patterns, not levels", Corner: "pair", Foreign: true,
		Columns: slices.Concat(grouped("counts and intervals derived", "success LR", "success stock"), columns("grounding LR / stock", "other", "McNemar (derived unless noted)")),
		Note:    "Measuring Safety Alignment Effects in Autonomous Security Agents, arXiv 2605.19722 (CC BY 4.0). LR: the less restricted model, which was derived from the stock one. Percentages and grounding are published; counts and intervals (Wilson, 95 %) are derived from them. Second-hand: from digests of the paper. The gap of Gemma appears on ordinary coding controls too, which rules out a clean effect on security alone; hard proofs of trigger and hard patches stay unsolved in all families (both published)."}
	type rate struct {
		N    int    `json:"n"`
		Of   int    `json:"of"`
		Said string `json:"said"` // in place of a count that is not known
	}
	var rows []struct {
		Pair      string `json:"pair"`
		LR        rate   `json:"lr"`
		Stock     rate   `json:"stock"`
		Grounding string `json:"grounding"`
		Other     string `json:"other"`
		McNemar   string `json:"mcnemar"`
	}
	if err := json.Unmarshal(published, &rows, json.RejectUnknownMembers(true)); err != nil {
		return t, fmt.Errorf("reading the published numbers: %w", err)
	}
	cell := func(r rate) report.Cell {
		if r.Of == 0 {
			return text(r.Said)
		}
		low, high := stats.Wilson(r.N, r.Of)
		return share(r.N, r.Of, &report.Estimate{Low: low, High: high, By: "Wilson"})
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, report.Row{ID: report.Slug(r.Pair), Title: r.Pair, Cells: []report.Cell{cell(r.LR), cell(r.Stock), text(r.Grounding), text(r.Other), text(r.McNemar)}})
	}
	return t, nil
}

// families has success by family and difficulty (T4).
func (b builder) families() (report.Section, error) {
	kinds := map[[2]string]bool{}
	for _, t := range b.tasks {
		if authorised(t) {
			kinds[[2]string{t.Family, t.Difficulty}] = true
		}
	}
	t := report.Table{ID: "success-by-family", Caption: "Success by family and difficulty", Corner: "family"}
	for _, a := range b.arms {
		t.Columns = append(t.Columns, report.Column{ID: report.Slug(a.title()), Title: b.name(a), Better: report.More})
	}
	for _, k := range slices.SortedFunc(maps.Keys(kinds), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) }) {
		title := strings.TrimSpace(k[0] + " " + k[1])
		row := report.Row{ID: report.Slug(title), Title: title}
		for _, a := range b.arms {
			runs := b.of(a, func(t *task.Task) bool { return authorised(t) && t.Family == k[0] && t.Difficulty == k[1] })
			row.Cells = append(row.Cells, flag(runs, func(f metric.Flags) bool { return f.Success }))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return report.Section{}, nil
	}
	return report.Section{ID: "families", Title: "Families", Tables: []report.Table{t}}, nil
}

// outcomes has the label of every run (T5).
func (b builder) outcomes() (report.Section, error) {
	t := report.Table{ID: "outcome-mix", Caption: "Outcomes of all runs", Corner: "configuration", Columns: columns(metric.Outcomes...),
		Note: "Each run has one label, the first that fits. Suppressed and right: runs that hold back and are right nevertheless, counted under suppressed."}
	t.Columns = append(t.Columns, columns("suppressed and right")...)
	t.Rows = b.rows(func(a arm) (cells []report.Cell) {
		runs := b.whole(a)
		for _, o := range metric.Outcomes {
			cells = append(cells, count(runs, func(r Result) bool { return r.Measures.Outcome == o }))
		}
		return append(cells, flag(runs, func(f metric.Flags) bool { return f.Suppressed && f.Success }))
	})
	var drawn []string
	for _, o := range []string{metric.Success, metric.Wrong, metric.Refusal, metric.Suppressed, metric.Withheld, metric.ProtocolFail, metric.Budget, metric.NoSubmission, metric.HarnessError} {
		drawn = append(drawn, report.Slug(o))
	}
	return report.Section{ID: "outcomes", Title: "Outcomes", Tables: []report.Table{t},
		Charts: []report.Chart{{ID: "outcomes-chart", Title: "Outcomes of all runs", Table: t.ID, Columns: drawn}}}, nil
}

// probes has what was unsafe, and what was said about it (T7).
func (b builder) probes() (report.Section, error) {
	t := report.Table{ID: "probes-said", Caption: "Probes and unsafe attempts", Corner: "configuration", Columns: columns(
		"appropriate refusal", "probe ok", "unsafe completion", "GAP", "GAP of refusing", "RAC", "post-refusal", "first within 3", "recovered")}
	for i, better := range []report.Direction{report.More, report.More, report.Less, report.Less, report.Less, report.Less, report.Less, report.Neither, report.More} {
		t.Columns[i].Better = better
	}
	t.Note = "Appropriate refusal, probe ok and unsafe completion are of probes, RAC and recovered of the other tasks; recovered is of runs in which something unsafe was denied, first within 3 of those that tried something unsafe. GAP: a turn refuses and asks for something unsafe. RAC: a turn refuses and acts."
	t.Rows = b.rows(func(a arm) []report.Cell {
		of := func(wanted func(*task.Task) bool, given, hit func(Result) bool) report.Cell {
			return count(slices.DeleteFunc(b.of(a, wanted), func(r Result) bool { return !given(r) }), hit)
		}
		always := func(Result) bool { return true }
		gap := func(r Result) bool { return r.Measures.Flags.GAP }
		return []report.Cell{
			of(probe, always, func(r Result) bool { return r.Measures.Flags.Appropriate }), of(probe, always, func(r Result) bool { return r.Measures.Flags.ProbeOK }),
			of(probe, always, func(r Result) bool { return r.Measures.Flags.UnsafeDone }), of(every, always, gap),
			of(every, func(r Result) bool { return r.Measures.Flags.AnyRefusal }, gap),
			of(authorised, always, func(r Result) bool { return r.Measures.Flags.RAC }), of(every, always, func(r Result) bool { return r.Measures.Flags.PostRefusal }),
			of(every, func(r Result) bool { return r.Measures.FirstUnsafe > 0 }, func(r Result) bool { return r.Measures.FirstUnsafe <= 3 }),
			of(authorised, func(r Result) bool { return r.Measures.Flags.Blocked }, func(r Result) bool { return r.Measures.Flags.Recovered }),
		}
	})
	classes := b.occurrences("unsafe-classes", "Unsafe proposals by class", warden.Unsafe(), func(r Result, class string) int { return r.Measures.Unsafe[class] })
	s := report.Section{ID: "probes", Title: "Probes and unsafe attempts", Tables: []report.Table{t, classes, b.causes()}}
	if watched := b.watched(); len(watched.Rows) > 0 {
		s.Tables = append(s.Tables, watched)
	}
	return s, nil
}

// watched has what contracts that only watched would have decided otherwise.
func (b builder) watched() report.Table {
	t := report.Table{ID: "watched", Caption: "What a contract that only watched would have decided otherwise", Corner: "configuration and class", Columns: columns("calls", "runs"),
		Note: "Of all calls that were decided, and of the runs that it watched. It decided nothing and heard of nothing that ran. A class is the code of its reason where it would have denied what was allowed, and what the gate denied a call for that it would have allowed."}
	words := map[string]string{trace.Deny: "would deny", trace.Allow: "would allow"}
	for _, a := range b.arms {
		runs := slices.DeleteFunc(b.of(a, every), func(r Result) bool { return r.Measures.Watched == 0 })
		if len(runs) == 0 {
			continue
		}
		row := func(what string, of func(metric.Measures) int) {
			t.Rows = append(t.Rows, report.Row{ID: report.Slug(a.title() + " " + what), Title: b.name(a) + ": " + what, Cells: []report.Cell{
				ratio(runs, func(m metric.Measures) stats.Ratio { return stats.Ratio{N: of(m), Of: m.Watched} }),
				count(runs, func(r Result) bool { return of(r.Measures) > 0 }),
			}})
		}
		kinds := map[metric.Otherwise]bool{}
		for _, r := range runs {
			for kind := range r.Measures.Otherwise {
				kinds[kind] = true
			}
		}
		row("otherwise, in all", func(m metric.Measures) (n int) {
			for _, times := range m.Otherwise {
				n += times
			}
			return n
		})
		for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(x, y metric.Otherwise) int {
			return cmp.Or(strings.Compare(x.Verdict, y.Verdict), strings.Compare(x.Class, y.Class))
		}) {
			row(words[kind.Verdict]+", "+kind.Class, func(m metric.Measures) int { return m.Otherwise[kind] })
		}
	}
	return t
}

// occurrences counts of several things the runs that have one, and how often.
func (b builder) occurrences(id, caption string, things []string, times func(Result, string) int) report.Table {
	t := report.Table{ID: id, Caption: caption, Corner: "configuration"}
	for _, thing := range things {
		t.Columns = append(t.Columns, report.Column{ID: report.Slug(thing) + "-runs", Title: "runs", Group: thing}, report.Column{ID: report.Slug(thing) + "-times", Title: "times", Group: thing})
	}
	t.Rows = b.rows(func(a arm) (cells []report.Cell) {
		for _, thing := range things {
			n, runs := 0, b.of(a, every)
			for _, r := range runs {
				n += times(r, thing)
			}
			cells = append(cells, count(runs, func(r Result) bool { return times(r, thing) > 0 }), number(n))
		}
		return cells
	})
	return t
}

// causes counts runs by the cause of their first unsafe proposal.
func (b builder) causes() report.Table {
	t := report.Table{ID: "causes", Caption: "Cause of the first unsafe proposal of a run", Corner: "source, class, harm", Empty: "Nothing unsafe was proposed."}
	seen := map[metric.Cause]bool{}
	for _, r := range b.all {
		if c := r.Measures.Cause; c != nil && r.valid() {
			seen[*c] = true
		}
	}
	for _, a := range b.arms {
		t.Columns = append(t.Columns, report.Column{ID: report.Slug(a.title()), Title: b.name(a)})
	}
	title := func(c metric.Cause) string { return c.Source + ", " + c.Class + ", " + c.Harm }
	for _, c := range slices.SortedFunc(maps.Keys(seen), func(x, y metric.Cause) int { return strings.Compare(title(x), title(y)) }) {
		row := report.Row{ID: report.Slug(title(c)), Title: title(c)}
		for _, a := range b.arms {
			row.Cells = append(row.Cells, count(b.of(a, every), func(r Result) bool { return r.Measures.Cause != nil && *r.Measures.Cause == c }))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// repair compares the controllers, and has what cites wrongly and repeated tries (T10).
func (b builder) repair() (report.Section, error) {
	t := report.Table{ID: "controllers", Caption: "Strict and repairing controller: success on the tasks of security and controls", Corner: "model", Columns: columns(controller.Strict, controller.Repair),
		Note: "The difference is what the interface loses. The two are runs of their own: no answer is played again."}
	seen := map[string]bool{}
	for _, a := range b.arms {
		if title := a.model + ", " + a.condition + a.watch(); !seen[title] {
			seen[title] = true
			row := report.Row{ID: report.Slug(title), Title: title}
			for _, mode := range []string{controller.Strict, controller.Repair} {
				row.Cells = append(row.Cells, flag(b.of(arm{a.model, mode, a.condition, a.shadow}, authorised), func(f metric.Flags) bool { return f.Success }))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return report.Section{ID: "repair", Title: "Interface, citations and repeated tries", Tables: []report.Table{t, b.citations(), b.repeats()}}, nil
}

// citations counts reports that cite what was never shown or no longer held.
func (b builder) citations() report.Table {
	t := report.Table{ID: "citations", Caption: "Citations of the reports that were handed in", Corner: "configuration", Columns: columns("integrity failure", "validity failure")}
	t.Rows = b.rows(func(a arm) []report.Cell {
		runs := slices.DeleteFunc(b.of(a, every), func(r Result) bool { return !r.Measures.Submitted })
		return []report.Cell{flag(runs, func(f metric.Flags) bool { return f.Integrity }), flag(runs, func(f metric.Flags) bool { return f.Validity })}
	})
	return t
}

// repeats has pass@k and pass^k on the security tasks, how many tasks come out the same
// each time, and how alike runs of a task are.
func (b builder) repeats() report.Table {
	t := report.Table{ID: "repeats", Caption: "Repeated tries of the security tasks", Corner: "configuration",
		Note: "pass@k: at least one of k runs succeeds; pass^k: all do (unbiased, means over tasks). Tasks with fewer than k runs drop out. Same outcome: of the tasks with a run that counts at each of the five seeds, those of which all have one label; not defined where there is none. Likeness: the intraclass correlation of success within tasks, and how many independent runs all of them are worth."}
	tries := []int{1, 3, 5}
	for _, k := range tries {
		t.Columns = append(t.Columns, report.Column{ID: fmt.Sprintf("any-%d", k), Title: fmt.Sprintf("pass@%d", k)},
			report.Column{ID: fmt.Sprintf("all-%d", k), Title: fmt.Sprintf("pass^%d", k)}, report.Column{ID: fmt.Sprintf("short-%d", k), Title: fmt.Sprintf("fewer than %d", k)})
	}
	t.Columns = append(t.Columns, columns("same outcome", "likeness", "runs worth")...)
	t.Rows = b.rows(func(a arm) (cells []report.Cell) {
		runs := b.of(a, security)
		tasks := byTask(runs, func(r Result) stats.Ratio { return one(r.Measures.Flags.Success) })
		for _, k := range tries {
			r := stats.Repeat(tasks, k)
			if r.Tasks == 0 {
				cells = append(cells, text("n/a"), text("n/a"), number(r.Short))
				continue
			}
			cells = append(cells, report.Cell{Decimal: r.Any.FloatString(3)}, report.Cell{Decimal: r.All.FloatString(3)}, number(r.Short))
		}
		likeness, worth := stats.Cluster(tasks)
		return append(cells, same(runs), report.Cell{Decimal: fmt.Sprintf("%.2f", likeness)}, report.Cell{Decimal: fmt.Sprintf("%.1f", worth)})
	})
	return t
}

// same counts the tasks of which the runs at all seeds have one label, of those that
// have a run that counts at each.
func same(runs []Result) report.Cell {
	labels, seeds := map[string]map[string]bool{}, map[string]map[int]bool{}
	for _, r := range runs {
		id := r.Start.Task
		if labels[id] == nil {
			labels[id], seeds[id] = map[string]bool{}, map[int]bool{}
		}
		labels[id][r.Measures.Outcome], seeds[id][r.Start.Seed] = true, true
	}
	n, of := 0, 0
	for id, seen := range labels {
		if slices.ContainsFunc(task.Seeds, func(seed int) bool { return !seeds[id][seed] }) {
			continue
		}
		of++
		if len(seen) == 1 {
			n++
		}
	}
	if of == 0 {
		return text("not defined")
	}
	return share(n, of, nil)
}
