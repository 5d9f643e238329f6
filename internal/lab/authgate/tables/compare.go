package tables

import (
	"fmt"
	"math/big"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// comparisons tests, by mode, whether two judges, two policies or two forms differ.
func (b builder) comparisons() ([]report.Section, error) {
	s := report.Section{ID: "comparisons", Title: "Comparisons", Text: []string{
		"On the same pairs, b are right under the first alone and c under the second alone. p is that of McNemar's test, exact and two-sided, and beside it p adjusted by Holm for the five modes of the line. Of several epochs the first counts.",
	}}
	if b.r.Singles() > 0 {
		s.Text = append(s.Text, "An instance that is in no pair counts like one.")
	}
	for _, t := range []report.Table{b.judgesCompared(), b.policiesCompared(), b.formsCompared()} {
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	if len(s.Tables) == 0 {
		return nil, nil
	}
	return []report.Section{s}, nil
}

// comparison is an empty table of comparisons.
func (b builder) comparison(name, caption string) report.Table {
	t := report.Table{ID: name, Caption: caption, Corner: "first and second"}
	for _, mode := range b.modes() {
		for _, title := range []string{"b:c", "p", "Holm"} {
			t.Columns = append(t.Columns, report.Column{ID: id(modeTitles[mode], title), Group: modeTitles[mode], Title: title})
		}
	}
	for _, title := range []string{"b:c", "p"} {
		t.Columns = append(t.Columns, report.Column{ID: id("all modes", title), Group: "all modes", Title: title})
	}
	return t
}

// compared is the row of two arms.
func (b builder) compared(title string, first, second eval.Arm) report.Row {
	row := report.Row{ID: id(title), Title: title}
	var ps []*big.Rat
	var counts []eval.Discordant
	for _, mode := range b.modes() {
		d := b.r.Compare(first, second, mode)
		ps, counts = append(ps, d.P()), append(counts, d)
	}
	adjusted := stats.Holm(ps)
	for i, d := range counts {
		row.Cells = append(row.Cells, discordant(d), pValue(ps[i]), pValue(adjusted[i]))
	}
	all := b.r.Compare(first, second, "")
	row.Cells = append(row.Cells, discordant(all), pValue(all.P()))
	return row
}

func discordant(d eval.Discordant) report.Cell {
	return report.Cell{Decimal: fmt.Sprintf("%d:%d", d.B, d.C)}
}

// pValue writes a p value; a small one is not written as if it were nothing.
func pValue(p *big.Rat) report.Cell {
	if least := big.NewRat(1, 10_000); p.Cmp(least) < 0 {
		return report.Cell{Decimal: "<0.0001"}
	}
	return decimals(p, 4)
}

// decimals writes a number with so many decimals; what is not known is no number.
func decimals(r *big.Rat, n int) report.Cell {
	if r == nil {
		return report.Cell{Text: "n/a"}
	}
	return report.Cell{Decimal: r.FloatString(n)}
}

func (b builder) judgesCompared() report.Table {
	t := b.comparison("judges-compared", "Judges compared")
	for _, policy := range b.r.Policies() {
		arms := b.r.ArmsOf(policy, result.Plain)
		for i, first := range arms {
			for _, second := range arms[i+1:] {
				t.Rows = append(t.Rows, b.compared(first.Model+" and "+second.Model+", "+policy, first, second))
			}
		}
	}
	return t
}

func (b builder) policiesCompared() report.Table {
	t := b.comparison("policies-compared", "Policies compared")
	policies := b.r.Policies()
	for _, model := range b.r.Models() {
		for i, first := range policies {
			for _, second := range policies[i+1:] {
				x, y := eval.Arm{Model: model, Policy: first, Form: result.Plain}, eval.Arm{Model: model, Policy: second, Form: result.Plain}
				if b.r.Has(x) && b.r.Has(y) {
					t.Rows = append(t.Rows, b.compared(model+": "+first+" and "+second, x, y))
				}
			}
		}
	}
	return t
}

func (b builder) formsCompared() report.Table {
	t := b.comparison("forms-compared", "Without and with observations of the environment")
	for _, policy := range b.r.Policies() {
		from, to := b.r.Shifted(policy, result.Plain, result.Signals)
		for i := range from {
			t.Rows = append(t.Rows, b.compared(from[i].Model+", "+policy, from[i], to[i]))
		}
	}
	return t
}
