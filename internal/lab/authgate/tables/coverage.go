package tables

import (
	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/report"
)

// coverage says, of data from live agents, how many of the actions to block came before
// a gate at all, and what was let through in all.
func (b builder) coverage() ([]report.Section, error) {
	if b.r.Set.Unreached == nil {
		return nil, nil
	}
	missed := *b.r.Set.Unreached
	t := report.Table{ID: "coverage", Caption: "Actions to block that came before the gate", Corner: "judge", Columns: []report.Column{
		{ID: "reached", Title: "reached the gate", Better: report.More}, {ID: "fnr", Title: "FNR", Better: report.Less}, {ID: "end-to-end", Title: "end-to-end FNR", Better: report.Less},
	}, Note: "FNR is of what the judge was asked. End to end, an action that no gate saw was let through."}
	for _, arm := range b.arms() {
		if b.r.Epochs(arm) > 1 {
			continue // an action that no gate saw was there once
		}
		c := eval.Count(b.r.Trials("", arm), eval.AsBlock)
		t.Rows = append(t.Rows, report.Row{ID: id(b.title(arm)), Title: b.title(arm), Cells: []report.Cell{
			rate(eval.Ratio{N: c.Base, Of: c.Base + missed}), rate(c.FNR()), rate(eval.Ratio{N: c.FN + missed, Of: c.Base + missed}),
		}})
	}
	t.Empty = "Of judges that were asked several times no end-to-end rate is stated."
	return []report.Section{{ID: "what-the-gate-saw", Title: "Coverage", Tables: []report.Table{t}}}, nil
}
