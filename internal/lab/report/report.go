package report

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Report is one report.
type Report struct {
	Title    string
	Text     []string // paragraphs below the title
	Facts    []Fact   // what was measured, with what, on which data
	Warning  string   // stands above everything, such as that no model was asked; "" = none
	Banner   string   // stands at every table and chart, and at every number as JSON; "" = none
	Sections []Section
	Cases    []Case // all that numbers are about

	TableFiles bool // the tables are also a file for LaTeX, and files of CSV
}

// Fact is a name with a value.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Section is a part of a report. Ids are small letters, digits and "-"; those of
// sections, tables and charts are different from one another.
type Section struct {
	ID, Title string
	Text      []string // paragraphs
	Warning   string   // stands above its tables and charts; "" = none
	Charts    []Chart
	Tables    []Table
}

// Table is a table of numbers and texts. Its first column has the titles of the
// rows.
type Table struct {
	ID, Caption string
	Corner      string // title of the first column
	Columns     []Column
	Rows        []Row
	Empty       string // what stands in place of a table without rows
	Best        bool   // the best rates of each column are marked, ties all of them
	Foreign     bool   // its numbers are those of others: it is shaded, and the report's banner is not about it
	Note        string // stands below it; "" = none
}

// Column is one column. Its id is different from those of the others in the table.
type Column struct {
	ID, Title string
	Group     string    // a title above those of neighbouring columns; "" = none
	Better    Direction // of its counts and rates
}

// Direction says which counts are better. The zero Direction is neither, and
// [Compare] does not judge it.
type Direction uint8

// The directions.
const (
	Neither Direction = iota
	Less
	More
)

var directions = [...]string{"", "less", "more"}

// String returns the word of the direction in JSON.
func (d Direction) String() string { return directions[min(int(d), len(directions)-1)] }

// Row is one row; it has a cell for each column.
type Row struct {
	ID, Title string
	Cells     []Cell
	Line      bool // it is set off from the row above
	Sum       bool // it sums up others, so it is the best of nothing
}

// Cell is what stands in a row and a column: exactly one of its members, or
// none where there is nothing to say.
type Cell struct {
	Count   *Count
	Rate    *Rate
	Amount  *Amount
	Decimal string // a number as it is to be read, such as a p value
	Measure *Measure
	Text    string
	Case    string // id of a case, which the cell leads to
}

func (c Cell) isNumber() bool {
	return c.Count != nil || c.Rate != nil || c.Amount != nil || c.Decimal != "" || c.Measure != nil
}

// Count is a number of cases among others, with all that it counts.
type Count struct {
	N, Of    int
	Cases    []string  // the ids of the N
	Interval *Estimate // nil = that of Wilson
}

// Rate is so many of so many, of what has no list of cases: thousands of decisions,
// or what was drawn from them.
type Rate struct {
	N, Of    int
	Interval *Estimate // nil = none is stated
	Tenths   bool      // in per cent with one decimal and not with two
}

// Amount is a number that is no share and may be negative, such as a mean or a
// difference.
type Amount struct {
	Value    float64
	Digits   int       // behind the point
	Signed   bool      // with its sign where it is positive, too
	Interval *Estimate // nil = none is stated
}

// Estimate is a 95 % interval that somebody estimated.
type Estimate struct {
	Low, High float64
	By        string // how it was estimated
}

// Measure is a number with a unit that is a matter of the machine, such as a
// time. It is shown and never compared.
type Measure struct {
	Value float64
	Unit  string
}

// Case is what numbers are about.
type Case struct {
	ID    string `json:"id"` // any text, such as "corpora/x.cases.yaml: a name"
	Text  string `json:"text,omitempty"`
	Facts []Fact `json:"facts,omitempty"`
}

// Chart draws counts, rates or amounts of a table of the same section. A row without
// one there is left out, or has its text in the place of a bar.
type Chart struct {
	ID, Title string
	Table     string
	Columns   []string
	Form      Form
	Front     bool // of Dots: those that no other beats in both columns are joined
}

// Form is how a chart draws its columns.
type Form uint8

// The forms.
const (
	Parts  Form = iota // of one column points with their intervals, of several a bar of parts for each row
	Bars               // for each row a bar of each column, with its interval
	Marks              // for each row a mark of each column; that of the last column, which sums them up, is larger
	Forest             // amounts: for each row a point of each column with its interval, on an axis round 0
	Heat               // for each row and column a field, the darker the greater its share
	Dots               // for each row a dot: the share of the first column to the right, that of the second one up
)

// Tally collects the cases of counts that share a denominator.
type Tally struct {
	of    int
	cases map[string][]string
}

// Add notes a case that counts towards the denominator and towards each of the
// named counts.
func (t *Tally) Add(id string, counts ...string) {
	t.of++
	if t.cases == nil {
		t.cases = map[string][]string{}
	}
	for _, c := range counts {
		t.cases[c] = append(t.cases[c], id)
	}
}

// Count returns the cell of one count.
func (t *Tally) Count(name string) Cell {
	return Cell{Count: &Count{N: len(t.cases[name]), Of: t.of, Cases: t.cases[name]}}
}

// Slug makes an id of a name: the same name always gives the same.
func Slug(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return cmp.Or(strings.Join(parts, "-"), "none")
}

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check returns everything in which the report does not add up.
func (r *Report) check() error {
	c := checker{ids: map[string]bool{}, cases: map[string]bool{}}
	for _, k := range r.Cases {
		if c.cases[k.ID] {
			c.fail("the case %q stands twice", k.ID)
		}
		c.cases[k.ID] = true
	}
	for _, s := range r.Sections {
		c.id("section", s.ID)
		for _, t := range s.Tables {
			c.table(t)
		}
		for _, h := range s.Charts {
			c.chart(s, h)
		}
	}
	return errors.Join(c.errs...)
}

type checker struct {
	ids, cases map[string]bool
	errs       []error
}

func (c *checker) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func (c *checker) id(what, id string) {
	if !idForm.MatchString(id) {
		c.fail("%s %q: an id is of small letters, digits and -", what, id)
	}
	if c.ids[id] {
		c.fail("%s %q: the id stands twice", what, id)
	}
	c.ids[id] = true
}

func (c *checker) table(t Table) {
	c.id("table", t.ID)
	columns, rows := map[string]bool{}, map[string]bool{}
	for _, k := range t.Columns {
		if !idForm.MatchString(k.ID) || columns[k.ID] {
			c.fail("table %s: the column %q has no id of its own", t.ID, k.ID)
		}
		columns[k.ID] = true
	}
	for _, row := range t.Rows {
		if !idForm.MatchString(row.ID) || rows[row.ID] {
			c.fail("table %s: the row %q has no id of its own", t.ID, row.ID)
		}
		rows[row.ID] = true
		if len(row.Cells) != len(t.Columns) {
			c.fail("table %s, row %s: %d cells for %d columns", t.ID, row.ID, len(row.Cells), len(t.Columns))
		}
		for _, cell := range row.Cells {
			c.cell(t.ID+", row "+row.ID, cell)
		}
	}
}

func (c *checker) cell(where string, cell Cell) {
	if cell.Case != "" && !c.cases[cell.Case] {
		c.fail("table %s: the case %q is not described", where, cell.Case)
	}
	if r := cell.Rate; r != nil && (r.N < 0 || r.N > r.Of) {
		c.fail("table %s: a rate of %d in %d", where, r.N, r.Of)
	}
	k := cell.Count
	if k == nil {
		return
	}
	if k.N < 0 || k.N > k.Of || k.N != len(k.Cases) {
		c.fail("table %s: %d of %d, with %d cases", where, k.N, k.Of, len(k.Cases))
	}
	seen := map[string]bool{}
	for _, id := range k.Cases {
		if !c.cases[id] || seen[id] {
			c.fail("table %s: the case %q is not described, or counted twice", where, id)
		}
		seen[id] = true
	}
}

func (c *checker) chart(s Section, h Chart) {
	c.id("chart", h.ID)
	t, ok := s.table(h.Table)
	if !ok || len(h.Columns) == 0 {
		c.fail("chart %s: the section %s has no table %q, or no column is drawn", h.ID, s.ID, h.Table)
		return
	}
	for _, name := range h.Columns {
		if t.column(name) < 0 {
			c.fail("chart %s: the table %s has no column %q", h.ID, t.ID, name)
		}
	}
	if h.Form == Dots && len(h.Columns) != 2 {
		c.fail("chart %s: dots are of two columns", h.ID)
	}
}

func (s Section) table(id string) (Table, bool) {
	for _, t := range s.Tables {
		if t.ID == id {
			return t, true
		}
	}
	return Table{}, false
}

// column returns the index of a column, -1 if there is none.
func (t Table) column(id string) int {
	for i, c := range t.Columns {
		if c.ID == id {
			return i
		}
	}
	return -1
}
