package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/licet-dev/licet/internal/lab/stats"
)

// Format names the form of the numbers as JSON.
const Format = "licet.report/1"

// Numbers are all numbers of a report, as report.json has them.
type Numbers struct {
	Format  string   `json:"format"`
	Title   string   `json:"title"`
	Banner  string   `json:"banner,omitempty"`
	Facts   []Fact   `json:"facts"`
	Numbers []Number `json:"numbers"`
	Cases   []Case   `json:"cases"`
}

// Number is one cell of a table.
type Number struct {
	ID     string   `json:"id"` // table/row/column
	Title  string   `json:"title"`
	Better string   `json:"better,omitempty"` // less or more
	N      *int     `json:"n,omitempty"`
	Of     *int     `json:"of,omitempty"`
	Low    *float64 `json:"low,omitempty"` // interval, 95 %
	High   *float64 `json:"high,omitempty"`
	By     string   `json:"by,omitempty"` // how the interval was estimated; "" of a count is Wilson's
	Cases  []string `json:"cases,omitempty"`

	Percent string `json:"percent,omitempty"` // of a rate, which has no cases; with two decimals
	Decimal string `json:"decimal,omitempty"`

	Value  *float64 `json:"value,omitempty"` // of a measure
	Unit   string   `json:"unit,omitempty"`
	Banner string   `json:"banner,omitempty"` // of the report, at each number
}

// Numbers returns all numbers, in the order of the report.
func (r *Report) Numbers() Numbers {
	all := Numbers{Format: Format, Title: r.Title, Banner: r.Banner, Facts: r.Facts, Numbers: []Number{}, Cases: r.Cases}
	for _, s := range r.Sections {
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				for i, cell := range row.Cells {
					n := Number{ID: t.ID + "/" + row.ID + "/" + t.Columns[i].ID, Title: row.Title + ": " + t.Columns[i].whole(), Banner: r.bannerOf(t)}
					if n.fill(cell, t.Columns[i]) {
						all.Numbers = append(all.Numbers, n)
					}
				}
			}
		}
	}
	return all
}

// fill takes the number of a cell, if it has one.
func (n *Number) fill(cell Cell, c Column) bool {
	switch {
	case cell.Count != nil:
		i := cell.Count.interval()
		low, high := round(i.Low), round(i.High)
		if cell.Count.Interval != nil {
			n.By = i.By
		}
		n.Better, n.N, n.Of, n.Low, n.High = c.Better.String(), &cell.Count.N, &cell.Count.Of, &low, &high
		n.Cases = slices.Sorted(slices.Values(cell.Count.Cases))
	case cell.Rate != nil:
		n.Better, n.N, n.Of, n.Percent = c.Better.String(), &cell.Rate.N, &cell.Rate.Of, cell.Rate.Percent()
		if i := cell.Rate.Interval; i != nil {
			low, high := round(i.Low), round(i.High)
			n.Low, n.High, n.By = &low, &high, i.By
		}
	case cell.Amount != nil:
		n.Decimal = cell.Amount.String()
		if i := cell.Amount.Interval; i != nil {
			low, high := round(i.Low), round(i.High)
			n.Low, n.High, n.By = &low, &high, i.By
		}
	case cell.Decimal != "":
		n.Decimal = cell.Decimal
	case cell.Measure != nil:
		n.Value, n.Unit = &cell.Measure.Value, cell.Measure.Unit
	default:
		return false
	}
	return true
}

// Interval returns the interval of a share as files have it: with six digits, so
// that no machine's last bit is in them.
func Interval(n, of int) (low, high float64) {
	low, high = stats.Wilson(n, of)
	return round(low), round(high)
}

func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// ReadNumbers reads what report.json holds.
func ReadNumbers(text []byte) (Numbers, error) {
	var n Numbers
	if err := json.Unmarshal(text, &n); err != nil {
		return n, fmt.Errorf("reading the numbers of a report: %w", err)
	}
	if n.Format != Format {
		return n, fmt.Errorf("the format is %q, not %q", n.Format, Format)
	}
	ids := map[string]bool{}
	for _, x := range n.Numbers {
		if ids[x.ID] {
			return n, fmt.Errorf("the number %q stands twice", x.ID)
		}
		ids[x.ID] = true
		if (x.N == nil) != (x.Of == nil) || x.N != nil && (*x.N < 0 || *x.N > *x.Of || x.Percent == "" && *x.N != len(x.Cases)) {
			return n, fmt.Errorf("the number %q does not add up", x.ID)
		}
	}
	return n, nil
}
