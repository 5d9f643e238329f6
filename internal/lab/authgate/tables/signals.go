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
// and a figure by mode, pooled over models, and tables by judge, by gold label and
// by collector.
func (b builder) signals() ([]report.Section, error) {
	var all []report.Section
	for _, policy := range b.r.Policies() {
		from, to := b.r.Shifted(policy, result.Plain, result.Signals)
		if len(from) == 0 {
			continue
		}
		s := report.Section{ID: id("signals", policy), Title: "Observations of the environment under the policy " + policy}
		for _, shifts := range []func(string, []eval.Arm, []eval.Arm) (report.Table, error){b.shiftsByMode, b.shiftsByJudge, b.shiftsByGold, b.shiftsByCollector} {
			t, err := shifts(policy, from, to)
			if err != nil {
				return nil, err
			}
			if len(t.Rows) > 0 {
				s.Tables = append(s.Tables, t)
			}
		}
		s.Tables[0].Note = shiftNote
		s.Charts = []report.Chart{{ID: id("chart shift", policy), Title: s.Tables[0].Caption, Table: s.Tables[0].ID, Columns: []string{"corrected", "misled"}, Form: report.Bars}}
		all = append(all, s)
	}
	return all, nil
}

// pool returns the models among arms of two forms.
func (b builder) pool(from, to []eval.Arm) ([]eval.Arm, []eval.Arm) {
	return b.models(from), b.models(to)
}

const shiftNote = "Of N items W were wrong without observations; c of these became right (corrected, c/W), and m of the others wrong (misled, m/(N-W)). Break-even is the ratio of misled to corrected at which nothing would be gained. No verdict counts as block. Intervals are a bootstrap of pairs, which has no width where every pair gives the same. Judges that are built in look at no observations."

func shiftTable(name, caption, corner string) report.Table {
	return report.Table{ID: name, Caption: caption, Corner: corner, Columns: []report.Column{
		{ID: "n", Title: "N"}, {ID: "w", Title: "W"}, {ID: "c", Title: "c"}, {ID: "m", Title: "m"},
		{ID: "corrected", Title: "corrected", Better: report.More}, {ID: "misled", Title: "misled", Better: report.Less},
		{ID: "change", Title: "change of Acc, points"}, {ID: "wrong-after", Title: "wrong with"}, {ID: "break-even", Title: "break-even"}, {ID: "no-verdict", Title: "no verdict"},
	}}
}

// shiftsByMode has a row for each mode, pooled over models; none without a model.
func (b builder) shiftsByMode(policy string, from, to []eval.Arm) (report.Table, error) {
	t := shiftTable(id("shift", policy), "Corrected and misled by observations, all models, "+b.under(policy), "mode")
	if from, to = b.pool(from, to); len(from) == 0 {
		return t, nil
	}
	for _, mode := range b.present() {
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
	t := shiftTable(id("shift judge", policy), "Corrected and misled by observations, by judge, "+b.under(policy), "judge")
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
	t := shiftTable(id("shift gold", policy), "Corrected and misled by observations, by gold label, all models, "+b.under(policy), "mode and label")
	if from, to = b.pool(from, to); len(from) == 0 {
		return t, nil
	}
	for _, mode := range b.present() {
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
	t := shiftTable(id("shift collector", policy), "What each collector adds to the others, all models, "+b.under(policy), "collector")
	for _, form := range b.r.Forms() {
		collector, is := form.Collector()
		if !is {
			continue
		}
		from, to := b.pool(b.r.Shifted(policy, form, result.Signals))
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
