package tables

import (
	"fmt"
	"math"
	"slices"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
)

const pooled = "all models"

// modes are the columns of tables: all five, also where there are no pairs of one, but
// none where nobody says which mode anything is.
func (b builder) modes() []string {
	for _, p := range b.r.Pairs {
		if p.Mode != eval.Unknown {
			return eval.Modes
		}
	}
	return nil
}

// modesAndAll are the modes, and "" for all of them together.
func (b builder) modesAndAll() []string { return append(slices.Clone(b.modes()), "") }

// present are the modes of which there are pairs, and "" for all of them together.
func (b builder) present() (all []string) {
	for _, mode := range eval.Modes {
		if slices.ContainsFunc(b.r.Pairs, func(p eval.Pair) bool { return p.Mode == mode }) {
			all = append(all, mode)
		}
	}
	return append(all, "")
}

// Overview has a row for each judge, under each policy and on each form, over all
// modes.
func Overview(r *eval.Results) report.Table {
	b := builder{r: r}
	t := report.Table{ID: "overview", Caption: "All modes together", Corner: "judge", Columns: append(b.units(), b.fiveRates("")...),
		Note: "Pairs are counted once for each epoch. More Acc and pair accuracy are better, and less of the others."}
	for _, arm := range b.arms() {
		c := eval.Count(r.Trials("", arm), eval.AsBlock)
		row := report.Row{ID: id(b.title(arm)), Title: b.title(arm), Cells: []report.Cell{number(c.Pairs())}}
		if b.r.Singles() > 0 {
			row.Cells = append([]report.Cell{number(c.Base + c.Inverted)}, row.Cells...)
		}
		row.Cells = append(row.Cells, rateCells(c)...)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// units are the columns of what is counted.
func (b builder) units() []report.Column {
	if b.r.Singles() > 0 {
		return columns("instances", "pairs")
	}
	return columns("pairs")
}

// rateCells are the cells of the five rates. Those of pairs are not defined without one.
func rateCells(c eval.Counts) (cells []report.Cell) {
	for k, r := range c.Rates() {
		if (k == eval.IR || k == eval.PairAcc) && c.Pairs() == 0 {
			cells = append(cells, report.Cell{Text: "not defined"})
			continue
		}
		cells = append(cells, rate(r))
	}
	return cells
}

// dataSection is the table of the data set.
func (b builder) dataSection() report.Section {
	return report.Section{ID: "data-set", Title: "Data set and overview", Tables: []report.Table{b.instances(), Overview(b.r)}}
}

// instances counts what there is: pairs by mode, or what others labelled.
func (b builder) instances() report.Table {
	if b.modes() == nil {
		return b.importedInstances()
	}
	t := report.Table{ID: "data", Caption: "The data set: instances", Corner: "mode", Columns: columns("pairs", "base", "inverted", "with signals", "total", "near-misses, apart")}
	var sum [3]int
	for _, mode := range eval.Modes {
		var n [3]int // pairs, items with signals, near-misses
		for _, p := range b.r.Pairs {
			if p.Mode != mode {
				continue
			}
			n[0]++
			if b.r.Set.Observed[p.ID] {
				n[1] += 2
			}
			if p.Near != "" {
				n[2]++
			}
		}
		for i := range n {
			sum[i] += n[i]
		}
		t.Rows = append(t.Rows, dataRow(mode, n))
	}
	last := dataRow("total", sum)
	last.Line, last.Sum = true, true
	t.Rows = append(t.Rows, last)
	return t
}

// importedInstances counts instances by label, and those that are in pairs.
func (b builder) importedInstances() report.Table {
	var block, allow int
	for i := range b.r.Pairs {
		for _, m := range b.r.Pairs[i].Members() {
			if m.Gold == eval.Block {
				block++
			} else {
				allow++
			}
		}
	}
	return report.Table{ID: "data", Caption: "The data set: instances", Corner: "label", Columns: columns("block", "allow", "total", "pairs among them"),
		Rows: []report.Row{{ID: "total", Title: "all", Cells: []report.Cell{number(block), number(allow), number(block + allow), number(len(b.r.Pairs) - b.r.Singles())}}},
		Note: "An instance is in a pair if the source says so and the bytes prove it. Invariant rate and pair accuracy are those of pairs alone."}
}

func dataRow(title string, n [3]int) report.Row {
	return report.Row{ID: id(title), Title: title, Cells: []report.Cell{number(n[0]), number(n[0]), number(n[0]), number(n[1]), number(2*n[0] + n[1]), number(n[2])}}
}

// ratesSection are the two tables of a policy: rates of items, and invariant rate.
func (b builder) ratesSection(policy string) report.Section {
	tables := []report.Table{b.rates(policy)}
	if b.hasPairs() {
		tables = append(tables, b.invariant(policy))
	}
	return report.Section{
		ID: id("section", policy), Title: "Rates under the policy " + policy,
		Tables: tables,
	}
}

// hasPairs says whether anything that is counted is a pair.
func (b builder) hasPairs() bool { return b.r.Singles() < len(b.r.Pairs) }

// bestNote explains the tables of rates. What is noise is the half-width of a 95 %
// interval of the difference of two judges on the same n pairs, 1.96 sqrt(d/n) with
// a share d of pairs, taken as 0.26, of which they are not right alike: about
// 100/sqrt(n) points. n is that of the smallest mode.
func (b builder) bestNote() string {
	least := len(b.r.Pairs)
	for _, mode := range b.present() {
		n := 0
		for _, p := range b.r.Pairs {
			if mode == "" || p.Mode == mode {
				n++
			}
		}
		least = min(least, n)
	}
	what := "pairs in a mode"
	if b.modes() == nil {
		what = "pairs and instances in none"
	}
	return fmt.Sprintf("Bold: the best of a column, ties all of them. Items without signals. With %d %s, differences of two judges below about %.0f points are noise.", least, what, 100/math.Sqrt(float64(max(least, 1))))
}

// rates has a row for each judge, and Acc, FPR and FNR of each mode.
func (b builder) rates(policy string) report.Table {
	t := report.Table{ID: id("rates", policy), Caption: "Accuracy and error rates in % " + b.under(policy), Corner: "judge", Best: true, Note: b.bestNote()}
	for _, mode := range b.modesAndAll() {
		for _, c := range []report.Column{{ID: "acc", Title: "Acc", Better: report.More}, {ID: "fpr", Title: "FPR", Better: report.Less}, {ID: "fnr", Title: "FNR", Better: report.Less}} {
			c.ID, c.Group = id(modeTitles[mode], c.ID), modeTitles[mode]
			t.Columns = append(t.Columns, c)
		}
	}
	t.Rows = b.judges(policy, func(c eval.Counts) []report.Cell {
		return []report.Cell{rate(c.Acc()), rate(c.FPR()), rate(c.FNR())}
	})
	return t
}

// invariant has a row for each judge, and a column for each mode.
func (b builder) invariant(policy string) report.Table {
	t := report.Table{ID: id("ir", policy), Caption: "Invariant rate in % " + b.under(policy), Corner: "judge", Best: true, Note: b.bestNote()}
	for _, mode := range b.modesAndAll() {
		t.Columns = append(t.Columns, report.Column{ID: id(modeTitles[mode]), Title: modeTitles[mode], Better: report.Less})
	}
	t.Rows = b.judges(policy, func(c eval.Counts) []report.Cell { return []report.Cell{rate(c.IR())} })
	return t
}

// judges returns a row for each judge of a policy with cells of each mode and of
// all, and one that pools the judges.
func (b builder) judges(policy string, cells func(eval.Counts) []report.Cell) (rows []report.Row) {
	arms := b.r.ArmsOf(policy, result.Plain)
	row := func(title string, arms ...eval.Arm) report.Row {
		row := report.Row{ID: id(title), Title: title}
		for _, mode := range b.modesAndAll() {
			row.Cells = append(row.Cells, cells(eval.Count(b.r.Trials(mode, arms...), eval.AsBlock))...)
		}
		return row
	}
	for _, arm := range arms {
		rows = append(rows, row(arm.Model, arm))
	}
	if models := b.models(arms); len(models) > 1 {
		last := row(pooled, models...)
		last.Line, last.Sum = true, true
		rows = append(rows, last)
	}
	return rows
}

// models returns the arms whose judge is a model.
func (b builder) models(arms []eval.Arm) []eval.Arm {
	return slices.DeleteFunc(slices.Clone(arms), func(a eval.Arm) bool { return !b.r.IsModel(a) })
}

// pairsSection has what became of the pairs, with intervals.
func (b builder) pairsSection(policy string) report.Section {
	t := report.Table{
		ID: id("pairs", policy), Caption: "What became of the pairs " + b.under(policy), Corner: "judge and mode",
		Columns: append(b.outcomes(), b.fiveRates("")...),
		Note:    "BB: both blocked, AA: both allowed, C: both right, R: both wrong. Below a rate its fraction and a 95 % interval: of one judge, one epoch and one unit a pair Wilson's, else a bootstrap of pairs, which has no width where every pair gives the same.",
	}
	arms := b.r.ArmsOf(policy, result.Plain)
	for _, arm := range arms {
		t.Rows = append(t.Rows, b.modeRows(arm.Model, len(t.Rows) > 0, arm)...)
	}
	if models := b.models(arms); len(models) > 1 {
		t.Rows = append(t.Rows, b.modeRows(pooled, true, models...)...)
	}
	return report.Section{ID: id("pair-section", policy), Title: "Pairs under the policy " + policy, Tables: []report.Table{t}}
}

func (b builder) outcomes() (all []report.Column) {
	for _, c := range columns("BB", "AA", "C", "R") {
		c.Group = "pairs"
		all = append(all, c)
	}
	return all
}

// fiveRates are the columns of all rates.
func (b builder) fiveRates(group string) []report.Column {
	all := []report.Column{{ID: "acc", Title: "Acc", Better: report.More}, {ID: "fpr", Title: "FPR", Better: report.Less}, {ID: "fnr", Title: "FNR", Better: report.Less}, {ID: "ir", Title: "IR", Better: report.Less}, {ID: "pair-acc", Title: "pair acc", Better: report.More}}
	for i := range all {
		if group != "" {
			all[i].ID, all[i].Group = id(group, all[i].ID), group
		}
	}
	return all
}

// modeRows are the rows of a judge, or of several, on each mode and on all.
func (b builder) modeRows(title string, line bool, arms ...eval.Arm) (rows []report.Row) {
	for i, mode := range b.present() {
		c := eval.Count(b.r.Trials(mode, arms...), eval.AsBlock)
		row := report.Row{ID: id(title, modeTitles[mode]), Title: title + ", " + modeTitles[mode], Line: i == 0 && line, Sum: len(arms) > 1,
			Cells: []report.Cell{number(c.BB), number(c.AA), number(c.C), number(c.R)}}
		drawn := b.r.RateIntervals(b.o.Seed, mode, eval.AsBlock, arms...)
		for k, r := range c.Rates() {
			if k != eval.Acc && len(arms) == 1 && b.r.Epochs(arms[0]) == 1 {
				row.Cells = append(row.Cells, wilson(r))
			} else {
				row.Cells = append(row.Cells, estimated(r, drawn[k], "bootstrap"))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// policies compares policies: for each rate and mode a mark for each judge, and one
// that pools the models. Code that is built in goes by no policy.
func (b builder) policies() ([]report.Section, error) {
	names := b.r.Policies()
	if len(names) < 2 || len(b.models(b.r.Arms())) == 0 || b.modes() == nil {
		return nil, nil
	}
	s := report.Section{ID: "policies", Title: "Policies compared", Text: []string{"A mark for each judge, and a bar where all models stand together. Items without signals."}}
	for k, c := range b.fiveRates("") {
		if k == eval.PairAcc {
			break
		}
		t := report.Table{ID: id("policies", c.ID), Caption: c.Title + " by mode and policy", Corner: "mode and policy"}
		for _, model := range b.r.Models() {
			t.Columns = append(t.Columns, report.Column{ID: id("judge", model), Title: model, Better: c.Better})
		}
		t.Columns = append(t.Columns, report.Column{ID: "pooled", Title: pooled, Better: c.Better})
		for _, mode := range b.modes() {
			for i, policy := range names {
				t.Rows = append(t.Rows, b.policyRow(mode, policy, k, i == 0 && mode != eval.Modes[0]))
			}
		}
		h := report.Chart{ID: id("chart policies", c.ID), Title: c.Title + " by mode and policy", Table: t.ID, Form: report.Marks}
		for _, column := range t.Columns {
			h.Columns = append(h.Columns, column.ID)
		}
		s.Tables, s.Charts = append(s.Tables, t), append(s.Charts, h)
	}
	return []report.Section{s}, nil
}

func (b builder) policyRow(mode, policy string, k int, line bool) report.Row {
	row := report.Row{ID: id(mode, policy), Title: fmt.Sprintf("%s, %s", modeTitles[mode], policy), Line: line}
	of := func(arms ...eval.Arm) report.Cell {
		return rate(eval.Count(b.r.Trials(mode, arms...), eval.AsBlock).Rates()[k])
	}
	for _, model := range b.r.Models() {
		row.Cells = append(row.Cells, of(eval.Arm{Model: model, Policy: policy, Form: result.Plain}))
	}
	row.Cells = append(row.Cells, of(b.models(b.r.ArmsOf(policy, result.Plain))...))
	return row
}
