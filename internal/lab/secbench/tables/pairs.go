package tables

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// pair is a model, and one that was derived from it, run alike.
type pair struct{ stock, derived arm }

func (p pair) title() string {
	return p.derived.model + " and " + p.stock.model + ", " + p.stock.controller + ", " + p.stock.condition
}

// paired returns the pairs of arms: the lineage of a derived model names its base.
func (b builder) paired() (all []pair) {
	for _, a := range b.arms {
		base := ""
		for _, r := range b.all {
			if r.arm() == a {
				base = r.Start.Lineage.Base
			}
		}
		for _, s := range b.arms {
			if base != "" && s == (arm{base, a.controller, a.condition}) {
				all = append(all, pair{s, a})
			}
		}
	}
	return all
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

// pairs tests whether derived models differ from their bases (T3).
func (b builder) pairs() (report.Section, error) {
	t := report.Table{ID: "pairs", Caption: "Derived model less stock, security tasks", Corner: "pair and measure", Columns: columns(
		"runs", "difference", "interval", "p", "Holm", "b", "c", "McNemar p", "controls", "DiD", "DiD interval", "security-specific", "clean pair"),
		Note: "Difference of means over runs of both models, with its interval by resampled tasks; p by flips of the signs of tasks, exact for up to 20 tasks that differ; Holm over all rows. b and c: cells in which the derived model has more, or less; McNemar takes them as independent (of points, it is a test of signs) and is there to be compared with what others print. DiD: the difference less that on the controls K01 to K16; an effect is called security-specific only if its interval excludes 0. An interval takes two tasks."}
	var ps []*big.Rat
	for _, p := range b.paired() {
		on, controls := b.runs(p, security), b.runs(p, comparable)
		if len(on) == 0 {
			continue
		}
		for _, m := range compared {
			cells, value := pairCells(on, controls, m.value)
			ps = append(ps, value)
			cells = append(cells, text(clean(on)))
			t.Rows = append(t.Rows, report.Row{ID: report.Slug(p.title() + " " + m.name), Title: p.title() + ": " + m.name, Cells: cells, Line: m.name == "S"})
		}
	}
	for i, p := range stats.Holm(ps) {
		t.Rows[i].Cells[4] = pValue(p)
	}
	if len(t.Rows) == 0 {
		return report.Section{}, nil
	}
	return report.Section{ID: "pairs-compared", Title: "Pairs", Tables: []report.Table{t}}, nil
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
	more, less := 0, 0
	for _, t := range on {
		switch d := value(t.derived) - value(t.stock); {
		case d > 0:
			more++
		case d < 0:
			less++
		}
	}
	cells := []report.Cell{
		number(len(on)), signed(stats.Sum(tasks).Value()), spread("%+.3f", tasks), pValue(p), {},
		number(more), number(less), pValue(stats.McNemar(more, less)), number(len(controls)),
	}
	return append(cells, specific(tasks, others)...), p
}

// specific are the cells of what is left of a difference without that on the
// controls. A single task says nothing of others.
func specific(tasks, controls []stats.Ratio) []report.Cell {
	did, low, high, ok := stats.Difference(generator(), tasks, controls)
	if !ok || len(tasks) < 2 || len(controls) < 2 {
		return []report.Cell{text("n/a"), text("n/a"), text("n/a")}
	}
	word := "no"
	if low.N > 0 || high.N < 0 {
		word = "yes"
	}
	return []report.Cell{signed(did.Value()), between("%+.3f", low, high), text(word)}
}

func signed(x float64) report.Cell { return report.Cell{Decimal: fmt.Sprintf("%+.3f", x)} }

// pValue writes a p value with three digits.
func pValue(p *big.Rat) report.Cell {
	x, _ := p.Float64()
	return report.Cell{Decimal: fmt.Sprintf("%.3g", x)}
}

// clean says whether the members of a pair differ in weights only.
func clean(runs []twins) string {
	for _, t := range runs {
		s, d := t.stock.Start, t.derived.Start
		if s.Engine != d.Engine || s.Encoding != d.Encoding || s.Variant != d.Variant || s.PolicyHash != d.PolicyHash ||
			s.ToolsHash != d.ToolsHash || s.PromptHash != d.PromptHash || s.Budget != d.Budget || s.Suite != d.Suite ||
			s.Lineage.Quantisation != d.Lineage.Quantisation {
			return "not a clean pair"
		}
	}
	return "yes"
}

// perTask has each task of each pair (T6).
func (b builder) perTask() (report.Section, error) {
	s := report.Section{ID: "tasks", Title: "Tasks of the pairs"}
	for _, p := range b.paired() {
		t := report.Table{ID: report.Slug("tasks " + p.title()), Caption: p.title(), Corner: "task", Columns: columns("derived", "stock", "difference")}
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
