package tables

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
)

// signals says what observations of the environment change: for each policy a table
// and a figure, by mode and pooled over judges, and a table by gold label.
func (b builder) signals() ([]report.Section, error) {
	var all []report.Section
	for _, policy := range b.r.Policies() {
		from, to := b.r.Shifted(policy, result.Plain, result.Signals)
		if len(from) == 0 {
			continue
		}
		s := report.Section{ID: id("signals", policy), Title: "Observations of the environment under the policy " + policy}
		whole, err := b.shifts(policy, from, to)
		if err != nil {
			return nil, err
		}
		s.Tables = append(s.Tables, whole)
		s.Charts = append(s.Charts, report.Chart{ID: id("chart shift", policy), Title: whole.Caption, Table: whole.ID, Columns: []string{"corrected", "misled"}, Form: report.Bars})
		for _, make := range []func(string, []eval.Arm, []eval.Arm) (report.Table, error){b.shiftsByJudge, b.shiftsByGold, b.shiftsByCollector} {
			t, err := make(policy, from, to)
			if err != nil {
				return nil, err
			}
			if len(t.Rows) > 0 {
				s.Tables = append(s.Tables, t)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

const shiftNote = "Of N items W were wrong without observations; c of these became right (corrected, c/W), and m of the others wrong (misled, m/(N-W)). Break-even is the ratio of misled to corrected at which nothing would be gained. No verdict counts as block. Intervals are a bootstrap of pairs."

func shiftTable(name, caption, corner string) report.Table {
	t := report.Table{ID: name, Caption: caption, Corner: corner, Note: shiftNote, Columns: []report.Column{
		{ID: "n", Title: "N"}, {ID: "w", Title: "W"}, {ID: "c", Title: "c"}, {ID: "m", Title: "m"},
		{ID: "corrected", Title: "corrected", Better: report.More}, {ID: "misled", Title: "misled", Better: report.Less},
		{ID: "change", Title: "change of Acc, points"}, {ID: "wrong-after", Title: "wrong with"}, {ID: "break-even", Title: "break-even"}, {ID: "no-verdict", Title: "no verdict"},
	}}
	return t
}

// shifts has a row for each mode, pooled over judges.
func (b builder) shifts(policy string, from, to []eval.Arm) (report.Table, error) {
	t := shiftTable(id("shift", policy), "Corrected and misled by observations under the policy "+policy, "mode")
	for _, mode := range modesAndAll {
		row, err := b.shift(id(modeTitles[mode]), modeTitles[mode], from, to, mode, eval.None)
		if err != nil {
			return t, err
		}
		row.Line, row.Sum = mode == "", mode == ""
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// shiftsByJudge has a row for each judge, over all modes.
func (b builder) shiftsByJudge(policy string, from, to []eval.Arm) (report.Table, error) {
	t := shiftTable(id("shift judge", policy), "The same by judge", "judge")
	for i := range from {
		row, err := b.shift(id(from[i].Model), from[i].Model, from[i:i+1], to[i:i+1], "", eval.None)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

func (b builder) shiftsByGold(policy string, from, to []eval.Arm) (report.Table, error) {
	t := shiftTable(id("shift gold", policy), "The same by gold label", "mode and label")
	for _, mode := range modesAndAll {
		for _, gold := range []eval.Decision{eval.Block, eval.Allow} {
			title := fmt.Sprintf("%s, %s", modeTitles[mode], map[eval.Decision]string{eval.Block: "block", eval.Allow: "allow"}[gold])
			row, err := b.shift(id(title), title, from, to, mode, gold)
			if err != nil {
				return t, err
			}
			row.Line = gold == eval.Block && len(t.Rows) > 0
			t.Rows = append(t.Rows, row)
		}
	}
	return t, nil
}

// shiftsByCollector says what each collector changes beside all others.
func (b builder) shiftsByCollector(policy string, _, _ []eval.Arm) (report.Table, error) {
	t := shiftTable(id("shift collector", policy), "What each collector adds to the others", "collector")
	for _, form := range b.r.Forms() {
		collector, is := form.Collector()
		if !is {
			continue
		}
		from, to := b.r.Shifted(policy, form, result.Signals)
		if len(from) == 0 {
			continue
		}
		row, err := b.shift(id(collector), collector, from, to, "", eval.None)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// shift is one row.
func (b builder) shift(name, title string, from, to []eval.Arm, mode string, gold eval.Decision) (report.Row, error) {
	s, err := b.r.ShiftOf(from, to, mode, gold)
	if err != nil {
		return report.Row{}, err
	}
	drawn := b.r.ShiftIntervals(b.o.Seed, from, to, mode, gold)
	return report.Row{ID: name, Title: title, Cells: slices.Concat(
		[]report.Cell{number(s.N), number(s.Wrong), number(s.Corrected), number(s.Misled)},
		[]report.Cell{ofSome(s.CorrectedRate(), drawn[0], "n/a (W=0)"), ofSome(s.MisledRate(), drawn[1], "n/a (W=N)")},
		[]report.Cell{points(s.Corrected-s.Misled, s.N), number(s.WrongAfter()), breakEven(s), number(s.NoVerdict)},
	)}, nil
}

func ofSome(r eval.Ratio, i eval.Interval, none string) report.Cell {
	if r.Of == 0 {
		return report.Cell{Text: none}
	}
	return estimated(r, i, "bootstrap")
}

// points writes a difference of shares in points with its sign, as rates are
// rounded.
func points(n, of int) report.Cell {
	switch {
	case of == 0:
		return report.Cell{Text: "n/a"}
	case n < 0:
		return report.Cell{Decimal: "-" + report.Rate{N: -n, Of: of}.Percent()}
	}
	return report.Cell{Decimal: "+" + report.Rate{N: n, Of: of}.Percent()}
}

func breakEven(s eval.Shift) report.Cell {
	if s.N == s.Wrong {
		return report.Cell{Text: "n/a (W=N)"}
	}
	return decimals(big.NewRat(int64(s.Wrong), int64(s.N-s.Wrong)), 3)
}
