package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/report"
)

// Document writes what came of a corpus on a door down as a report.
func (r *Report) Document(door string) *report.Report {
	doc := &report.Report{
		Title: "Cases through the gate",
		Text:  []string{"Each case is played in a world of its own, and what the gate answers is compared with what must come of it."},
		Facts: []report.Fact{{Name: "door", Value: door}, {Name: "cases", Value: fmt.Sprint(len(r.Rows))}},
	}
	for _, row := range r.Rows {
		doc.Cases = append(doc.Cases, row.describe())
	}
	doc.Sections = []report.Section{{
		ID: "results", Title: "Results by domain",
		Text: []string{
			"Passed is a case with the verdict it must get and all else that it asks for. Wrong is a less strict verdict or another reason, stricter a verdict that stops honest work. Admitted is an attack that is let through, as we know, each with the reason. A broken case could not be played. What the door cannot do, and what waits for a later version, is counted apart.",
		},
		Charts: []report.Chart{{ID: "chart-passed", Title: "Passed", Table: "domains", Columns: []string{"passed"}}},
		Tables: []report.Table{r.domains(), r.open()},
	}}
	return doc
}

func (row Row) describe() report.Case {
	c := report.Case{ID: row.ID, Text: row.Why, Facts: []report.Fact{
		{Name: "domain", Value: row.Domain}, {Name: "surface", Value: row.Surface}, {Name: "status", Value: row.Status.String()}, {Name: "expected", Value: row.Expected.String()},
	}}
	if len(row.Answers) > 0 {
		c.Facts = append(c.Facts, report.Fact{Name: "got", Value: strings.TrimSpace(row.Got.String() + " " + string(row.Code))})
	}
	if text := row.reason(); text != "" {
		c.Facts = append(c.Facts, report.Fact{Name: "why", Value: text})
	}
	return c
}

// reason says why a row did not pass, "" if it did.
func (row Row) reason() string {
	if row.For != "" {
		return "waits for " + row.For + ": " + row.Reason
	}
	return row.Reason
}

// domains counts the statuses of each domain and of all.
func (r *Report) domains() report.Table {
	t := report.Table{ID: "domains", Caption: "Cases by domain and status", Corner: "domain"}
	better := map[Status]report.Direction{Passed: report.More, Admitted: report.Less, Wrong: report.Less, Stricter: report.Less, Broken: report.Less}
	for _, s := range columns {
		t.Columns = append(t.Columns, report.Column{ID: strings.ReplaceAll(s.String(), " ", "-"), Title: s.String(), Better: better[s]})
	}
	var names []string
	for _, row := range r.Rows {
		names = append(names, row.Domain)
	}
	slices.Sort(names)
	for _, name := range append(slices.Compact(names), "") {
		var n report.Tally
		for _, row := range r.Rows {
			if name == "" || row.Domain == name {
				n.Add(row.ID, row.Status.String())
			}
		}
		line := report.Row{ID: report.Slug(name), Title: name}
		if name == "" {
			line = report.Row{ID: "in-all", Title: "in all"}
		}
		for _, s := range columns {
			line.Cells = append(line.Cells, n.Count(s.String()))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// open lists the rows that did not pass.
func (r *Report) open() report.Table {
	t := report.Table{ID: "not-passed", Caption: "Cases that did not pass", Corner: "case", Empty: "All passed.",
		Columns: []report.Column{{ID: "status", Title: "status"}, {ID: "why", Title: "why"}}}
	for i, row := range r.Rows {
		if row.Status != Passed {
			t.Rows = append(t.Rows, report.Row{ID: fmt.Sprintf("case-%d", i+1), Title: row.ID, Cells: []report.Cell{
				{Text: row.Status.String(), Case: row.ID}, {Text: row.reason()},
			}})
		}
	}
	return t
}
