package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/licet-dev/licet/internal/clikit"
)

// Print writes a table for a terminal: counts as "3/40" and rates
// in per cent, without their intervals.
func (t Table) Print(out io.Writer) error {
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(out, clikit.Printable(t.Empty))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	titles := []string{t.Corner}
	for _, c := range t.Columns {
		titles = append(titles, c.whole())
	}
	fmt.Fprintln(w, strings.Join(titles, "\t"))
	for _, row := range t.Rows {
		line := clikit.Printable(row.Title)
		for _, cell := range row.Cells {
			line += "\t" + cell.print()
		}
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

func (c Cell) print() string {
	switch {
	case c.Count != nil:
		return fmt.Sprintf("%d/%d", c.Count.N, c.Count.Of)
	case c.Rate != nil:
		return c.Rate.Percent()
	case c.Amount != nil:
		return c.Amount.String()
	case c.Decimal != "":
		return c.Decimal
	case c.Measure != nil:
		return c.Measure.String()
	}
	return clikit.Printable(c.Text)
}
