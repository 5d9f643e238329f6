package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
)

// csvFiles returns each table as a file csv/ID.csv (RFC 4180), and csv/facts.csv with
// what the report begins with. A count or a rate is several columns: per cent,
// numerator, denominator and interval. The banner of the report stands in each row.
func (r *Report) csvFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	facts := [][]string{{"name", "value"}}
	for _, f := range r.Facts {
		facts = append(facts, []string{harmless(f.Name), harmless(f.Value)})
	}
	if r.Warning != "" {
		facts = append(facts, []string{"note", harmless(r.Warning)})
	}
	all, foreign := map[string][][]string{"facts": facts}, map[string]bool{}
	for _, s := range r.Sections {
		for _, t := range s.Tables {
			if all[t.ID] != nil {
				return nil, fmt.Errorf("a table is named like the file %s.csv", t.ID)
			}
			all[t.ID], foreign[t.ID] = t.csv(), t.Foreign
		}
	}
	for name, rows := range all {
		if r.Banner != "" && !foreign[name] {
			for i := range rows {
				rows[i] = append([]string{harmless(r.Banner)}, rows[i]...)
			}
			rows[0][0] = "banner"
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.UseCRLF = true
		if err := w.WriteAll(rows); err != nil {
			return nil, fmt.Errorf("writing %s.csv: %w", name, err)
		}
		files["csv/"+name+".csv"] = b.Bytes()
	}
	return files, nil
}

// shareColumns follow the title of a column of counts or rates.
var shareColumns = []string{"%", "n", "of", "low %", "high %"}

// csv returns the header and the rows of a table.
func (t Table) csv() [][]string {
	shares := make([]bool, len(t.Columns))
	header := []string{harmless(t.Corner)}
	for i, c := range t.Columns {
		for _, row := range t.Rows {
			_, is := row.Cells[i].rate()
			shares[i] = shares[i] || is
		}
		if !shares[i] {
			header = append(header, harmless(c.whole()))
			continue
		}
		for _, part := range shareColumns {
			header = append(header, harmless(c.whole()+" "+part))
		}
	}
	rows := [][]string{header}
	for _, row := range t.Rows {
		line := []string{harmless(row.Title)}
		for i, cell := range row.Cells {
			line = append(line, cell.csv(shares[i])...)
		}
		rows = append(rows, line)
	}
	return rows
}

// csv returns the fields of a cell: one, or those of shareColumns.
func (c Cell) csv(share bool) []string {
	r, is := c.rate()
	if is {
		low, high := "", ""
		if i := r.Interval; i != nil && r.Of > 0 && (c.Count != nil || c.Rate.Interval != nil) {
			low, high = fmt.Sprintf("%.2f", 100*i.Low), fmt.Sprintf("%.2f", 100*i.High)
		}
		return []string{r.Percent(), strconv.Itoa(r.N), strconv.Itoa(r.Of), low, high}
	}
	text := c.Text
	switch {
	case c.Amount != nil:
		text = strings.TrimSuffix(c.Amount.String()+", "+c.Amount.interval(), ", ")
	case c.Decimal != "":
		text = c.Decimal
	case c.Measure != nil:
		text = c.Measure.String()
	}
	fields := []string{harmless(text)}
	if share {
		fields = append(fields, "", "", "", "")
	}
	return fields
}

var numbers = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)

// harmless returns a text that no spreadsheet takes for a formula: an apostrophe
// stands before what begins like one (CWE-1236), numbers aside.
func harmless(text string) string {
	text = clikit.Printable(strings.Join(strings.Fields(text), " "))
	if text != "" && strings.Contains("=+-@\uff1d\uff0b\uff0d\uff20", string([]rune(text)[0])) && !numbers.MatchString(text) {
		return "'" + text
	}
	return text
}
