package tables

import (
	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/vary"
	"github.com/licet-dev/licet/internal/lab/report"
)

// arms are those of the forms that all items have. What is written otherwise, or lacks
// a collector, is compared with what it is a variant of, and stands in no other table.
func (b builder) arms() (all []eval.Arm) {
	for _, arm := range b.r.Arms() {
		_, varied := arm.Form.Transform()
		if _, lacking := arm.Form.Collector(); !varied && !lacking {
			all = append(all, arm)
		}
	}
	return all
}

// invariance says how many decisions stayed where the same was written otherwise, and
// how many moved where what is right does.
func (b builder) invariance() ([]report.Section, error) {
	stayed := report.Table{ID: "invariance", Caption: "Decisions that stayed, in %, where the same is written otherwise", Corner: "judge and variant", Columns: b.stayColumns(),
		Note: "A variant changes nothing of what is right: members of arguments in reverse order, white space, a turn of the user about nothing, another name of the working directory. Items that it leaves as they are were not asked again. Chance moves some decisions too: see how far repeated ones agree. With near-misses; no verdict counts as block."}
	moved := report.Table{ID: "sensitivity", Caption: "Decisions that moved, in %, where what is right does", Corner: "judge", Columns: []report.Column{
		{ID: "flip", Title: "pairs with two decisions", Better: report.More}, {ID: "right", Title: "the right two", Better: report.More}, {ID: "near", Title: "near-misses blocked", Better: report.More},
	}, Note: "Without these a judge that always decides the same would look good above. No verdict counts as block."}
	for _, arm := range b.r.Arms() {
		if arm.Form != result.Plain {
			continue
		}
		rows := b.stayRows(arm, len(stayed.Rows) > 0)
		if len(rows) == 0 {
			continue
		}
		stayed.Rows = append(stayed.Rows, rows...)
		c, near := eval.Count(b.r.Trials("", arm), eval.AsBlock), eval.CountNear(b.r.Trials("", arm))
		moved.Rows = append(moved.Rows, report.Row{ID: id(b.title(arm)), Title: b.title(arm), Cells: []report.Cell{
			rate(eval.Ratio{N: c.C + c.R, Of: c.Pairs()}), rate(c.PairAcc()), rate(eval.Ratio{N: near.Of - near.Allowed, Of: near.Of}),
		}})
	}
	if len(stayed.Rows) == 0 {
		return nil, nil
	}
	return []report.Section{{ID: "variants", Title: "Invariance and sensitivity", Tables: []report.Table{stayed, moved}}}, nil
}

// stayCell is a column of the table of decisions that stayed.
type stayCell struct {
	title, mode string
	gold        eval.Decision
}

func (b builder) stayCells() []stayCell {
	all := []stayCell{{"all", "", eval.None}, {"block", "", eval.Block}, {"allow", "", eval.Allow}}
	for _, mode := range b.modes() {
		all = append(all, stayCell{modeTitles[mode], mode, eval.None})
	}
	return all
}

func (b builder) stayColumns() (all []report.Column) {
	for _, c := range b.stayCells() {
		all = append(all, report.Column{ID: id("stayed", c.title), Title: c.title, Better: report.More})
	}
	return append(all, report.Column{ID: "no-verdict", Title: "no verdict"})
}

// stayRows are the rows of an arm, one for each variant that was asked.
func (b builder) stayRows(plain eval.Arm, line bool) (rows []report.Row) {
	for _, t := range vary.Transforms {
		other := eval.Arm{Model: plain.Model, Policy: plain.Policy, Form: result.Varied(string(t))}
		if !b.r.Has(other) {
			continue
		}
		title := b.title(plain) + ", " + string(t)
		row := report.Row{ID: id(title), Title: title, Line: line && len(rows) == 0}
		for _, c := range b.stayCells() {
			row.Cells = append(row.Cells, rate(b.r.StayOf(plain, other, c.mode, c.gold).Rate()))
		}
		row.Cells = append(row.Cells, number(b.r.StayOf(plain, other, "", eval.None).NoVerdict))
		rows = append(rows, row)
	}
	return rows
}
