package tables

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// pair is a model, and one that was derived from it, run alike.
type pair struct{ stock, derived arm }

// title names a pair in full.
func (p pair) title() string {
	return p.derived.model + " and " + p.stock.title()
}

// names names a pair in this report.
func (b builder) names(p pair) string { return p.derived.model + " and " + b.name(p.stock) }

// paired returns the pairs of arms: the lineage of a derived model names its base, or
// whoever asks for the report does.
func (b builder) paired() (all []pair) {
	for _, d := range b.arms {
		for _, s := range b.arms {
			if d.alike(s) && (slices.Contains(b.named, Pair{d.model, s.model}) || b.base(d) == s.model) {
				all = append(all, pair{s, d})
			}
		}
	}
	return all
}

// base is what the model of an arm was derived from, "" if that is not known.
func (b builder) base(a arm) (base string) {
	for _, r := range b.all {
		if r.arm() == a {
			base = r.Start.Lineage.Base
		}
	}
	return base
}

// twins are the same cell of both models.
type twins struct{ stock, derived Result }

// runs returns the cells of a pair in which both runs count.
func (b builder) runs(p pair, wanted func(*task.Task) bool) (all []twins) {
	stock := map[cell]Result{}
	for _, r := range b.of(p.stock, wanted) {
		stock[r.cell()] = r
	}
	for _, r := range b.of(p.derived, wanted) {
		if s, ok := stock[r.cell()]; ok {
			all = append(all, twins{s, r})
		}
	}
	return all
}

// differences returns by how much more the derived model has, task by task.
func differences(runs []twins, value func(Result) int) (tasks []stats.Ratio) {
	derived := make([]Result, len(runs))
	stock := map[string]Result{}
	for i, t := range runs {
		derived[i], stock[t.derived.Run] = t.derived, t.stock
	}
	return byTask(derived, func(r Result) stats.Ratio { return stats.Ratio{N: value(r) - value(stock[r.Run]), Of: 1} })
}

// compared are the measures that pairs are tested on.
var compared = []struct {
	name  string
	value func(Result) int
}{
	{"S", func(r Result) int { return one(r.Measures.Flags.Success).N }},
	{"G", func(r Result) int { return r.Measures.Grounding.Points() }},
	{"R", func(r Result) int { return one(r.Measures.Flags.Refused).N }},
	{"SA", func(r Result) int { return one(r.Measures.Flags.Suppressed).N }},
	{"UA", func(r Result) int { return one(r.Measures.Flags.UnsafeAttempt).N }},
}

// pairs tests whether derived models differ from their bases (T3). Points have a table
// of their own: they are another scale.
func (b builder) pairs() (report.Section, error) {
	shares := report.Table{ID: "pairs", Caption: "Derived model less stock", Corner: "pair and measure", Columns: slices.Concat(
		grouped("security tasks", "runs", "difference", "p", "Holm"), grouped("cells", "b", "c", "McNemar p"), grouped("controls K01 to K16", "control runs", "controls"),
		columns("DiD", "security-specific", "clean pair")),
		Note: "Difference of means over the runs that both models made, with its interval by resampled tasks; what is behind it stands in the table of the pair's tasks. p by flips of the signs of tasks, exact for up to 20 tasks that differ; Holm over all rows, those of grounding with them. b and c: cells in which the derived model has more, or less; McNemar takes them as independent (of points, it is a test of signs) and is there to be compared with what others print. Controls: the difference on K01 to K16. DiD: what is left of the difference without that; an effect is called security-specific only if its interval excludes 0. An interval takes two tasks."}
	points := report.Table{ID: "pairs-grounding", Caption: "The same of grounding, 0 to 5 points", Corner: shares.Corner, Columns: shares.Columns}
	var ps []*big.Rat
	var adjusted []*report.Cell // of each p, where it stands when Holm has seen all
	for _, p := range b.paired() {
		on, controls := b.runs(p, security), b.runs(p, comparable)
		if len(on) == 0 {
			continue
		}
		for _, m := range compared {
			cells, value := pairCells(on, controls, m.value)
			ps = append(ps, value)
			row := report.Row{ID: report.Slug(p.title() + " " + m.name), Title: m.name + ": " + b.names(p), Cells: append(cells, text(clean(slices.Concat(on, controls)))), Line: m.name == "S"}
			adjusted = append(adjusted, &row.Cells[3])
			if m.name == "G" {
				points.Rows = append(points.Rows, row)
			} else {
				shares.Rows = append(shares.Rows, row)
			}
		}
	}
	if len(ps) == 0 {
		return report.Section{}, nil
	}
	for i, p := range stats.Holm(ps) {
		*adjusted[i] = pValue(p)
	}
	forest := func(t report.Table) report.Chart {
		return report.Chart{ID: t.ID + "-forest", Title: t.Caption + ", beside controls", Table: t.ID, Columns: []string{"difference", "controls"}, Form: report.Forest}
	}
	return report.Section{ID: "pairs-compared", Title: "Pairs", Tables: []report.Table{shares, points}, Charts: []report.Chart{forest(shares), forest(points)}}, nil
}

// comparable are the controls that are like security tasks: K01 to K16.
func comparable(t *task.Task) bool { return control(t) && t.ID <= "K16" }

// pairCells returns the cells of a row but the last, that of Holm empty, and p.
func pairCells(on, controls []twins, value func(Result) int) ([]report.Cell, *big.Rat) {
	tasks, others := differences(on, value), differences(controls, value)
	moves := make([]int, len(tasks))
	for i, t := range tasks {
		moves[i] = t.N
	}
	p := stats.SignFlip(generator(), moves).P()
	more := moved(on, func(t twins) bool { return value(t.derived) > value(t.stock) })
	less := moved(on, func(t twins) bool { return value(t.derived) < value(t.stock) })
	beside := text("n/a")
	if len(others) > 0 {
		beside = amount(others, difference)
	}
	cells := []report.Cell{
		number(len(on)), amount(tasks, difference), pValue(p), {},
		more, less, pValue(stats.McNemar(more.Count.N, less.Count.N)), number(len(controls)), beside,
	}
	return append(cells, specific(tasks, others)...), p
}

// moved is the cell of the derived model's runs of the twins of which something is
// true.
func moved(all []twins, hit func(twins) bool) report.Cell {
	c := report.Count{Of: len(all)}
	for _, t := range all {
		if hit(t) {
			c.N++
			c.Cases = append(c.Cases, t.derived.Run)
		}
	}
	return report.Cell{Count: &c}
}

// specific are the cells of what is left of a difference without that on the
// controls. A single task says nothing of others.
func specific(tasks, controls []stats.Ratio) []report.Cell {
	did, low, high, ok := stats.Difference(generator(), tasks, controls)
	if !ok || len(tasks) < 2 || len(controls) < 2 {
		return []report.Cell{text("n/a"), text("n/a")}
	}
	word := "no"
	if low.N > 0 || high.N < 0 {
		word = "yes"
	}
	left := difference
	left.Value, left.Interval = did.Value(), resampled(low, high)
	return []report.Cell{{Amount: &left}, text(word)}
}

// pValue writes a p value with three digits.
func pValue(p *big.Rat) report.Cell {
	x, _ := p.Float64()
	return report.Cell{Decimal: fmt.Sprintf("%.3g", x)}
}

// clean says whether the members of a pair differ in weights only, and else in what.
func clean(runs []twins) string {
	other := map[string]bool{}
	for _, t := range runs {
		for _, what := range unlike(t.stock.Start, t.derived.Start) {
			other[what] = true
		}
	}
	if len(other) == 0 {
		return "yes"
	}
	return "not a clean pair: " + strings.Join(slices.Sorted(maps.Keys(other)), ", ")
}

// unlike says in what two runs of a cell differ beside their models and what names them.
func unlike(s, d trace.RunStart) []string {
	return named(map[string]bool{
		"engine": s.Engine != d.Engine, "encoding": s.Encoding != d.Encoding, "variant": s.Variant != d.Variant, "policy": s.PolicyHash != d.PolicyHash,
		"tools": s.ToolsHash != d.ToolsHash, "prompt": s.PromptHash != d.PromptHash, "budget": s.Budget != d.Budget, "suite": s.Suite != d.Suite,
		"detector": s.Detector != d.Detector, "layers": !slices.Equal(s.Layers, d.Layers), "quantisation": s.Lineage.Quantisation != d.Lineage.Quantisation,
	})
}

// otherEntry says in what two runs of one model, with whatever tasks and seeds, differ
// that a file of models says of it.
func otherEntry(x, y trace.RunStart) []string {
	for _, s := range []*trace.RunStart{&x, &y} {
		if s.Engine.SamplerSeed != trace.Unsupported {
			s.Engine.SamplerSeed = 0 // that of the cell
		}
	}
	return named(map[string]bool{"engine": x.Engine != y.Engine, "encoding": x.Encoding != y.Encoding, "lineage": x.Lineage != y.Lineage, "served": x.Served != y.Served})
}

// named returns what is true, sorted.
func named(is map[string]bool) []string {
	maps.DeleteFunc(is, func(_ string, differs bool) bool { return !differs })
	return slices.Sorted(maps.Keys(is))
}

// differing is a part of an error that names differences; "" if there are none.
func differing(what []string) string {
	if len(what) == 0 {
		return ""
	}
	return " and differ in " + strings.Join(what, ", ")
}

// perTask has each task of each pair (T6).
func (b builder) perTask() (report.Section, error) {
	s := report.Section{ID: "tasks", Title: "Tasks of the pairs"}
	for _, p := range b.paired() {
		t := report.Table{ID: report.Slug("tasks " + p.title()), Caption: b.names(p), Corner: "task", Columns: columns("derived", "stock", "difference")}
		for i := range 2 {
			t.Columns[i].Better = report.More
		}
		for _, id := range slices.Sorted(maps.Keys(b.tasks)) {
			var derived, stock []Result
			for _, r := range b.runs(p, func(t *task.Task) bool { return authorised(t) && t.ID == id }) {
				derived, stock = append(derived, r.derived), append(stock, r.stock)
			}
			if len(derived) > 0 {
				success := func(f metric.Flags) bool { return f.Success }
				d, s := flag(derived, success), flag(stock, success)
				t.Rows = append(t.Rows, report.Row{ID: report.Slug(id), Title: id, Cells: []report.Cell{d, s, {Decimal: fmt.Sprintf("%+d", d.Count.N-s.Count.N)}}})
			}
		}
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return s, nil
}

// taskMap has how often each configuration succeeds at each task.
func (b builder) taskMap() (report.Section, error) {
	t := report.Table{ID: "task-map", Caption: "Success by task and configuration", Corner: "task"}
	chart := report.Chart{ID: "task-map-heat", Title: t.Caption, Table: t.ID, Form: report.Heat}
	for _, a := range b.arms {
		t.Columns = append(t.Columns, report.Column{ID: report.Slug(a.title()), Title: b.name(a), Better: report.More})
		chart.Columns = append(chart.Columns, report.Slug(a.title()))
	}
	for _, id := range slices.Sorted(maps.Keys(b.tasks)) {
		if !authorised(b.tasks[id]) {
			continue
		}
		row := report.Row{ID: report.Slug(id), Title: strings.TrimSpace(id + " " + b.tasks[id].Difficulty)}
		for _, a := range b.arms {
			row.Cells = append(row.Cells, flag(b.of(a, func(t *task.Task) bool { return t.ID == id }), func(f metric.Flags) bool { return f.Success }))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 {
		return report.Section{}, nil
	}
	return report.Section{ID: "task-map-section", Title: "Tasks and configurations", Tables: []report.Table{t}, Charts: []report.Chart{chart}}, nil
}
