package report

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/lab/stats"
)

// Percent writes a share in per cent with two decimals, or with one, from the exact
// fraction, rounded half up; of nothing there is none.
func (r Rate) Percent() string {
	if r.Of == 0 {
		return "n/a"
	}
	if r.Tenths {
		tenths := (2*1_000*r.N + r.Of) / (2 * r.Of)
		return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	}
	hundredths := (2*10_000*r.N + r.Of) / (2 * r.Of)
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// share writes what stands beside a rate: "35/70", with its interval "35/70, 38.60
// to 61.40".
func (r Rate) share() string {
	text := fmt.Sprintf("%d/%d", r.N, r.Of)
	if r.Interval != nil && r.Of > 0 {
		digits := 2
		if r.Tenths {
			digits = 1
		}
		text += fmt.Sprintf(", %.*f to %.*f", digits, 100*r.Interval.Low, digits, 100*r.Interval.High)
	}
	return text
}

// rate returns the count or the rate of a cell, with its interval, and whether it
// has one. A rate whose interval is not stated has that of Wilson.
func (c Cell) rate() (Rate, bool) {
	var r Rate
	switch {
	case c.Count != nil:
		r = Rate{N: c.Count.N, Of: c.Count.Of, Interval: c.Count.Interval}
	case c.Rate != nil:
		r = *c.Rate
	default:
		return r, false
	}
	if r.Interval == nil {
		low, high := stats.Wilson(r.N, r.Of)
		r.Interval = &Estimate{Low: low, High: high, By: "Wilson"}
	}
	return r, true
}

// whole is the title of a column with that of its group.
func (c Column) whole() string {
	if c.Group == "" {
		return c.Title
	}
	return c.Group + ": " + c.Title
}

// place is a row and a column.
type place struct{ row, column int }

// best returns where the best rates of each column stand, ties all of them.
func (t Table) best() map[place]bool {
	all := map[place]bool{}
	if !t.Best {
		return all
	}
	for k, c := range t.Columns {
		var top *Rate
		for _, row := range t.Rows {
			if r := row.Cells[k].Rate; r != nil && r.Of > 0 && !row.Sum && c.Better != Neither && (top == nil || r.beats(*top, c.Better)) {
				top = r
			}
		}
		for i, row := range t.Rows {
			if r := row.Cells[k].Rate; top != nil && r != nil && r.Of > 0 && !row.Sum && !top.beats(*r, c.Better) {
				all[place{i, k}] = true
			}
		}
	}
	return all
}

// beats compares fractions exactly.
func (r Rate) beats(o Rate, better Direction) bool {
	mine, other := r.N*o.Of, o.N*r.Of
	if better == Less {
		return mine < other
	}
	return mine > other
}

// how says how the numbers of a report are to be read: those that it has.
func (r *Report) how() string {
	counts, rates, own := false, false, false
	for _, s := range r.Sections {
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				for _, c := range row.Cells {
					counts, rates = counts || c.Count != nil, rates || c.Rate != nil
					own = own || c.Count != nil && c.Count.Interval != nil
				}
			}
		}
	}
	by := "Wilson"
	if own {
		by += ", or as its table says"
	}
	var all []string
	if counts || !rates {
		all = append(all, "Each number is a count of cases: so many of so many, the share in per cent, and the 95 % interval of that share ("+by+"). It leads to its cases.")
	}
	if rates {
		all = append(all, "A rate is in per cent, rounded half up from the exact fraction, which stands beside it; an interval is one of 95 %.")
	}
	return strings.Join(all, " ")
}
