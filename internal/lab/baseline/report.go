package baseline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/report"
)

// arm is licet or a baseline with its answers, in the order of the outcomes.
type arm struct {
	id, name string
	given    []Given
}

// arms returns licet first.
func (r *Result) arms() []arm {
	all := []arm{{id: "licet", name: "licet"}}
	for _, o := range r.Outcomes {
		all[0].given = append(all[0].given, o.Licet)
	}
	for i, l := range Languages() {
		a := arm{id: report.Slug(l.Name), name: l.Name}
		for _, o := range r.Outcomes {
			a.given = append(a.given, o.Baselines[i])
		}
		all = append(all, a)
	}
	return all
}

// Report writes the result down.
func (r *Result) Report() *report.Report {
	out := &report.Report{
		Title: "licet and other ways to write the same rules",
		Text: []string{
			"The same cases are put to licet and to five baselines, whose rules are translated from the same contracts: as strict as the language can say it, the way it is usually written.",
			"An attack is a case that must be refused; a benign case must be allowed, or held for a person. Where a case turns on what a language cannot say, it counts as not expressible, neither for nor against it. Rules by tool name leave arguments out by design, and answer every case whose contract loads.",
		},
		Facts: []report.Fact{
			{Name: "cases", Value: fmt.Sprint(len(r.Outcomes))},
			{Name: "left out", Value: fmt.Sprintf("%d, which no gate alone can play", len(r.LeftOut))},
		},
	}
	for _, l := range Languages() {
		out.Facts = append(out.Facts, report.Fact{Name: l.Name, Value: l.About})
	}
	for _, o := range r.Outcomes {
		out.Cases = append(out.Cases, o.describe())
	}
	for _, row := range r.LeftOut {
		out.Cases = append(out.Cases, report.Case{ID: row.ID, Facts: []report.Fact{{Name: "left out", Value: cmp.Or(row.Reason, row.For)}}})
	}
	out.Sections = []report.Section{r.answersSection(), r.aheadSection(), r.surfaceSection(), extentSection(), r.leftOutSection()}
	return out
}

func (o Outcome) describe() report.Case {
	c := report.Case{ID: o.ID, Text: o.Why, Facts: []report.Fact{
		{Name: "surface", Value: o.Surface}, {Name: "expected", Value: o.Expected.String()}, {Name: "licet", Value: o.Licet.Verdict.String()},
	}}
	for i, l := range Languages() {
		g := o.Baselines[i]
		value := g.Verdict.String()
		switch {
		case !g.Counts() && g.Strict != g.Verdict:
			value = fmt.Sprintf("not expressible: %s; left out it is %s, refused it is %s", strings.Join(g.Unsaid, ", "), g.Verdict, g.Strict)
		case !g.Counts():
			value = fmt.Sprintf("not expressible: %s; it answers %s", strings.Join(g.Unsaid, ", "), g.Verdict)
		case g.Err != "":
			value += ": " + g.Err
		}
		c.Facts = append(c.Facts, report.Fact{Name: l.Name, Value: value})
	}
	return c
}

// tallies are the counts of one arm, each with its own denominator.
type tallies struct{ attacks, benign, ask, answered, all report.Tally }

func (r *Result) tally(a arm, on func(Outcome) bool) (t tallies) {
	for i, o := range r.Outcomes {
		if !on(o) {
			continue
		}
		g := a.given[i]
		t.all.Add(o.ID, g.side(o.Expected))
		if !g.Counts() {
			continue
		}
		t.answered.Add(o.ID, g.Verdict.String())
		switch {
		case o.Attack:
			t.attacks.Add(o.ID, g.Verdict.String())
		case o.Expected != authz.Block:
			t.benign.Add(o.ID, g.Verdict.String())
		}
		if o.Expected == authz.RequireApproval {
			t.ask.Add(o.ID, g.Verdict.String())
		}
	}
	return t
}

// The sides on which an answer can be.
const (
	right, tooLax, tooStrict, unsaid = "right", "lax", "strict", "unsaid"
)

func (g Given) side(expected authz.Verdict) string {
	switch {
	case !g.Counts():
		return unsaid
	case g.Verdict == expected:
		return right
	case g.Verdict > expected: // a smaller verdict is stricter
		return tooLax
	}
	return tooStrict
}

func every(Outcome) bool { return true }

// Answers is the first table: what each admits, stops and holds, and how long it
// takes if that was measured.
func (r *Result) Answers() report.Table {
	t := report.Table{ID: "answers", Caption: "Answers", Corner: "rules", Columns: []report.Column{
		{ID: "admitted", Title: "attacks admitted", Better: report.Less},
		{ID: "attacks-held", Title: "attacks held"},
		{ID: "stopped", Title: "benign stopped", Better: report.Less},
		{ID: "not-asked", Title: "nobody asked", Better: report.Less},
		{ID: "held", Title: "held in all"},
		{ID: "unsaid", Title: "not expressible"},
	}}
	timed := slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return o.Licet.Took > 0 })
	if timed {
		t.Columns = append(t.Columns, report.Column{ID: "time", Title: "time per decision"})
	}
	for _, a := range r.arms() {
		n := r.tally(a, every)
		row := report.Row{ID: a.id, Title: a.name, Cells: []report.Cell{
			n.attacks.Count(authz.Allow.String()), n.attacks.Count(authz.RequireApproval.String()), n.benign.Count(authz.Block.String()),
			n.ask.Count(authz.Allow.String()), n.answered.Count(authz.RequireApproval.String()), n.all.Count(unsaid),
		}}
		if timed {
			row.Cells = append(row.Cells, a.time())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// time is the median over the cases.
func (a arm) time() report.Cell {
	var all []time.Duration
	for _, g := range a.given {
		if g.Took > 0 {
			all = append(all, g.Took)
		}
	}
	if len(all) == 0 {
		return report.Cell{}
	}
	slices.Sort(all)
	return report.Cell{Measure: &report.Measure{Value: float64(all[len(all)/2].Nanoseconds()) / 1000, Unit: "µs"}}
}

func (r *Result) answersSection() report.Section {
	sides := report.Table{ID: "sides", Caption: "All cases, by the answer", Corner: "rules", Columns: []report.Column{
		{ID: right, Title: "as expected", Better: report.More}, {ID: tooLax, Title: "too lax", Better: report.Less},
		{ID: tooStrict, Title: "too strict", Better: report.Less}, {ID: unsaid, Title: "not expressible"},
	}}
	for _, a := range r.arms() {
		n := r.tally(a, every)
		sides.Rows = append(sides.Rows, report.Row{ID: a.id, Title: a.name, Cells: []report.Cell{
			n.all.Count(right), n.all.Count(tooLax), n.all.Count(tooStrict), n.all.Count(unsaid),
		}})
	}
	return report.Section{
		ID: "what-each-admits", Title: "What each admits, stops and holds",
		Text: []string{
			"Attacks and benign cases are counted among those that the rules can express. \"Nobody asked\" are cases that need a person and ran without one.",
			"A baseline is handed one call, as a host reads it with the usual JSON reader. What was said, called and used up before is not a matter of its language, so it counts as not expressible, whatever a host could keep beside it. What lies on the disk it does not see; it judges the text of a path, and that answer counts.",
			"Time is the median over the cases, each the shortest of several rounds, in one process. licet's is that of a whole decision with its record, kept in memory; that of a baseline is reading the message and asking the engine. docs/speed.md compares the same amount of work.",
		},
		Charts: []report.Chart{
			{ID: "chart-admitted", Title: "Attacks admitted", Table: "answers", Columns: []string{"admitted"}},
			{ID: "chart-stopped", Title: "Benign cases stopped", Table: "answers", Columns: []string{"stopped"}},
			{ID: "chart-sides", Title: "All cases, by the answer", Table: "sides", Columns: []string{right, tooLax, tooStrict, unsaid}},
		},
		Tables: []report.Table{r.Answers(), sides, r.unsaidTable()},
	}
}

// unsaidTable says what the cases that a language cannot express would come to.
func (r *Result) unsaidTable() report.Table {
	t := report.Table{ID: "unsaid-cases", Caption: "Cases that turn on what a language cannot say", Corner: "rules", Columns: []report.Column{
		{ID: "admitted", Title: "attacks admitted, if it is left out"}, {ID: "stopped", Title: "benign stopped, if it refuses"},
	}}
	for i, l := range Languages() {
		if l.byName {
			continue
		}
		var attacks, benign report.Tally
		for _, o := range r.Outcomes {
			switch g := o.Baselines[i]; {
			case g.Counts():
			case o.Attack:
				attacks.Add(o.ID, g.Verdict.String())
			case o.Expected != authz.Block:
				benign.Add(o.ID, g.Strict.String())
			}
		}
		t.Rows = append(t.Rows, report.Row{ID: report.Slug(l.Name), Title: l.Name, Cells: []report.Cell{
			attacks.Count(authz.Allow.String()), benign.Count(authz.Block.String()),
		}})
	}
	return t
}

// Ahead is the second table: the cases in which a baseline has the expected
// answer and licet has not.
func (r *Result) Ahead() report.Table {
	t := report.Table{ID: "ahead", Caption: "Cases in which a baseline is better than licet", Corner: "rules", Columns: []report.Column{
		{ID: "case", Title: "case"}, {ID: "expected", Title: "expected"}, {ID: "licet", Title: "licet"},
	}, Empty: fmt.Sprintf("None of %d: in no case has a baseline the expected answer and licet another.", len(r.Outcomes))}
	for _, a := range r.arms()[1:] {
		for i, o := range r.Outcomes {
			if a.given[i].side(o.Expected) == right && o.Licet.Verdict != o.Expected {
				t.Rows = append(t.Rows, report.Row{ID: fmt.Sprintf("%s-%d", a.id, i), Title: a.name, Cells: []report.Cell{
					{Text: o.ID, Case: o.ID}, {Text: o.Expected.String()}, {Text: o.Licet.Verdict.String()},
				}})
			}
		}
	}
	return t
}

// Figures lists the figures in which a baseline is ahead of licet, whatever the
// cases behind them.
func (r *Result) Figures() report.Table {
	t := report.Table{ID: "figures-ahead", Caption: "Figures in which a baseline is ahead of licet", Corner: "rules", Columns: []report.Column{
		{ID: "figure", Title: "figure"}, {ID: "baseline", Title: "baseline"}, {ID: "licet", Title: "licet"},
	}, Empty: "None."}
	answers := r.Answers()
	licet := answers.Rows[0]
	for _, row := range answers.Rows[1:] {
		for i, c := range answers.Columns {
			if ahead(c, row.Cells[i], licet.Cells[i]) {
				t.Rows = append(t.Rows, report.Row{ID: row.ID + "-" + c.ID, Title: row.Title, Cells: []report.Cell{{Text: c.Title}, row.Cells[i], licet.Cells[i]}})
			}
		}
	}
	return t
}

func ahead(c report.Column, a, b report.Cell) bool {
	if a.Measure != nil && b.Measure != nil {
		return a.Measure.Value < b.Measure.Value
	}
	return c.Better == report.Less && a.Count.N*b.Count.Of < b.Count.N*a.Count.Of
}

func (r *Result) aheadSection() report.Section {
	return report.Section{ID: "where-a-baseline-is-better", Title: "Where a baseline is better", Tables: []report.Table{r.Ahead(), r.Figures()}}
}

func (r *Result) surfaceSection() report.Section {
	s := report.Section{ID: "by-surface", Title: "By surface"}
	t := report.Table{ID: "surfaces", Caption: "Attacks admitted, by surface", Corner: "surface"}
	for _, a := range r.arms() {
		t.Columns = append(t.Columns, report.Column{ID: a.id, Title: a.name, Better: report.Less})
	}
	var surfaces []string
	for _, o := range r.Outcomes {
		if !slices.Contains(surfaces, o.Surface) {
			surfaces = append(surfaces, o.Surface)
		}
	}
	slices.Sort(surfaces)
	for _, surface := range surfaces {
		row := report.Row{ID: surface, Title: surface}
		for _, a := range r.arms() {
			n := r.tally(a, func(o Outcome) bool { return o.Surface == surface })
			row.Cells = append(row.Cells, n.attacks.Count(authz.Allow.String()))
		}
		t.Rows = append(t.Rows, row)
	}
	s.Tables = []report.Table{t}
	return s
}

// Extents is the table of what each language can say.
func Extents() report.Table {
	t := report.Table{ID: "extents", Caption: "What each language can say", Corner: "word"}
	for _, l := range Languages() {
		if !l.byName {
			t.Columns = append(t.Columns, report.Column{ID: report.Slug(l.Name), Title: l.Name})
		}
	}
	for _, word := range Words() {
		row := report.Row{ID: report.Slug(word), Title: word}
		for _, l := range Languages() {
			if l.byName {
				continue
			}
			n := l.Note(word)
			row.Cells = append(row.Cells, report.Cell{Text: strings.TrimSuffix(n.Extent.String()+": "+n.Missing, ": ")})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// PrintExtents writes for a terminal what each language cannot say, or says in
// part.
func PrintExtents(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range Languages() {
		if l.byName {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", l.Name, l.About)
		for _, word := range Words() {
			if n := l.Note(word); n.Extent != Full {
				fmt.Fprintf(w, "  %s\t%s\t%s\n", word, n.Extent, n.Missing)
			}
		}
	}
	return w.Flush()
}

func extentSection() report.Section {
	return report.Section{
		ID: "what-each-language-can-say", Title: "What each language can say",
		Text:   []string{"What is said in part is said as strictly as the language can, and its answers count. Rules by tool name say nothing of arguments."},
		Tables: []report.Table{Extents()},
	}
}

func (r *Result) leftOutSection() report.Section {
	t := report.Table{ID: "left-out", Caption: "Cases left out", Corner: "case", Columns: []report.Column{{ID: "why", Title: "why"}}, Empty: "None."}
	for i, row := range r.LeftOut {
		why := row.Reason
		if row.For != "" {
			why = "waits for " + row.For + ": " + why
		}
		t.Rows = append(t.Rows, report.Row{ID: fmt.Sprintf("case-%d", i+1), Title: row.ID, Cells: []report.Cell{{Text: why, Case: row.ID}}})
	}
	return report.Section{ID: "not-compared", Title: "Not compared", Text: []string{"What needs a server, a second process or a later version is no matter of rules alone."}, Tables: []report.Table{t}}
}
