package replay

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/report"
)

// Report says what contracts make of files. It is a function of the contracts, the
// options and the files: no time is in it.
func (r Run) Report(files []File) *report.Report {
	out := &report.Report{
		Title: "Replay of recorded tool calls",
		Text: []string{
			"Each trace is a session of its own. Its calls are decided in order, with the user turns before them and the results of the calls that were let through. What the agent would have done after a call that was stopped is not known.",
		},
		Facts: r.facts(),
	}
	counts := report.Table{ID: "traces", Caption: "Traces", Corner: "file", Columns: []report.Column{
		{ID: "allowed", Title: "allowed"}, {ID: "held", Title: "held"}, {ID: "blocked", Title: "blocked"}, {ID: "left", Title: "not replayed"},
	}}
	stopped := report.Table{ID: "stopped", Caption: "Traces with a call that was stopped, and the first one", Corner: "trace", Empty: "None.", Columns: []report.Column{
		{ID: "call", Title: "call"}, {ID: "verdict", Title: "verdict"}, {ID: "why", Title: "why"},
	}}
	for i, f := range files {
		rows, cases, first := f.report(i+1, r.By)
		counts.Rows = append(counts.Rows, rows...)
		out.Cases = append(out.Cases, cases...)
		stopped.Rows = append(stopped.Rows, first...)
	}
	out.Sections = []report.Section{{
		ID: "counts", Title: "Counts", Text: []string{"A trace counts as blocked if one of its calls is, else as held if one is. Traces without calls count as nothing."},
		Tables: []report.Table{counts},
		Charts: []report.Chart{{ID: "verdicts", Title: "Traces by verdict", Table: "traces", Columns: []string{"allowed", "held", "blocked"}}},
	}, {ID: "what-was-stopped", Title: "What was stopped", Tables: []report.Table{stopped}}}
	return out
}

// facts names contracts and options.
func (r Run) facts() (all []report.Fact) {
	for _, j := range r.Judges.All {
		all = append(all, report.Fact{Name: "contract " + j.Contract.Name, Value: j.loaded.Digest()})
	}
	rest, turns := "the rest of the trace is decided as it was recorded", "told to the gate"
	if r.Options.End {
		rest = "it ends the trace"
	}
	if r.Options.NoTurns {
		turns = "left out"
	}
	return append(all, report.Fact{Name: "a call that was stopped", Value: rest}, report.Fact{Name: "user turns", Value: turns})
}

// report returns the counts of a file, whole and for each value of a label if one is
// named, the cases that they are about, and a row for each that was stopped. Files
// are told apart by number: names need not differ.
func (f File) report(number int, label string) (counts []report.Row, cases []report.Case, stopped []report.Row) {
	name := fmt.Sprintf("%d. %s", number, filepath.Base(f.Name))
	whole, parts := &report.Tally{}, map[string]*report.Tally{}
	for k, o := range f.Outcomes {
		if len(o.Calls) == 0 {
			continue
		}
		c := o.Case(fmt.Sprintf("%s, trace %d", name, k+1))
		cases = append(cases, c)
		whole.Add(c.ID, o.Verdict().String())
		part := cmp.Or(o.Labels[label], "(none)")
		if parts[part] == nil {
			parts[part] = &report.Tally{}
		}
		parts[part].Add(c.ID, o.Verdict().String())
		if d, is := o.Stopped(); is {
			stopped = append(stopped, d.Row(fmt.Sprintf("trace-%d-%d", number, k+1), c.ID, c.ID))
		}
	}
	id := fmt.Sprintf("file-%d", number)
	counts = []report.Row{verdicts(id, name, whole, f.remarks())}
	if label == "" {
		return counts, cases, stopped
	}
	for i, part := range slices.Sorted(maps.Keys(parts)) {
		counts = append(counts, verdicts(fmt.Sprintf("%s-%d", id, i+1), fmt.Sprintf("%s, %s %s", name, label, part), parts[part], ""))
	}
	return counts, cases, stopped
}

// verdicts is the row of the traces in a tally.
func verdicts(id, title string, n *report.Tally, remarks string) report.Row {
	return report.Row{ID: id, Title: title, Cells: []report.Cell{
		n.Count(authz.Allow.String()), n.Count(authz.RequireApproval.String()), n.Count(authz.Block.String()), {Text: remarks},
	}}
}

// remarks says what of a file is not in its counts.
func (f File) remarks() string {
	empty := f.Count().Empty
	all := []string{}
	if empty > 0 {
		all = append(all, fmt.Sprintf("%d without calls", empty))
	}
	if f.LeftOut > 0 {
		all = append(all, fmt.Sprintf("%d of a suite that no contract is for", f.LeftOut))
	}
	if len(f.Problems) > 0 {
		all = append(all, fmt.Sprintf("%d that could not be read", len(f.Problems)))
	}
	for _, kind := range slices.Sorted(maps.Keys(f.Unread)) {
		all = append(all, fmt.Sprintf("parts passed over: %s (%d)", kind, f.Unread[kind]))
	}
	return strings.Join(all, "; ")
}

// Stopped returns the first call that was held or blocked, and whether there is one.
func (o Outcome) Stopped() (Decision, bool) {
	for _, d := range o.Calls {
		if d.Verdict != authz.Allow {
			return d, true
		}
	}
	return Decision{}, false
}

// long bounds what a report shows of one text.
const long = 400

// Case describes an outcome for a report, with every call that was stopped. prefix
// makes its id one of its own.
func (o Outcome) Case(prefix string) report.Case {
	c := report.Case{ID: prefix + ": " + o.ID}
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		c.Facts = append(c.Facts, report.Fact{Name: name, Value: cut(o.Labels[name])})
	}
	for i, d := range o.Calls {
		if d.Verdict != authz.Allow {
			c.Facts = append(c.Facts, report.Fact{Name: fmt.Sprintf("call %d", i+1), Value: d.String()})
		}
	}
	c.Facts = append(c.Facts, report.Fact{Name: "calls", Value: fmt.Sprint(len(o.Calls))})
	return c
}

// Row returns a call, its verdict and the reason as a row that leads to a case.
func (d Decision) Row(id, title, leads string) report.Row {
	return report.Row{ID: id, Title: title, Cells: []report.Cell{{Text: d.text(), Case: leads}, {Text: d.Verdict.String()}, {Text: cut(d.why())}}}
}

// String returns verdict, call and reason in one line.
func (d Decision) String() string { return d.Verdict.String() + ": " + d.text() + ": " + cut(d.why()) }

func (d Decision) text() string { return d.Tool + " " + cut(d.Args) }

func (d Decision) why() string {
	if d.Detail == "" {
		return string(d.Code)
	}
	return string(d.Code) + ": " + d.Detail
}

func cut(text string) string {
	if r := []rune(text); len(r) > long {
		return string(r[:long]) + " …"
	}
	return text
}
