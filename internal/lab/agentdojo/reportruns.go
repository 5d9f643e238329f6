package agentdojo

import (
	"fmt"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/report"
)

// recordedTable is the table of runs of AgentDojo's own suites.
func (m *Measurement) recordedTable(w *writer) report.Table {
	t := report.Table{ID: "recorded", Caption: "Recorded runs of models", Corner: "model", Columns: []report.Column{
		{ID: "honest", Title: "honest runs stopped", Better: report.Less}, {ID: "asked", Title: "asked per 100 honest runs"},
		{ID: "without", Title: "attacks that succeed without the gate"}, {ID: "with", Title: "and with it", Better: report.Less},
		{ID: "solved", Title: "tasks solved under a failed attack: stopped", Better: report.Less}, {ID: "silent", Title: "goals without calls that succeed"},
	}}
	for _, r := range m.recorded {
		if !r.Own {
			continue
		}
		honest, asked := w.stopped(r.Title(), r.Honest)
		attacks, silent := m.attacks(w, r)
		solved, _ := w.stopped(r.Title(), where(r.Attacked, isSolved))
		t.Rows = append(t.Rows, report.Row{ID: report.Slug(r.Model), Title: r.Title(), Cells: []report.Cell{
			honest.Count(held), asked, attacks.Count("without"), attacks.Count("with"), solved.Count(held), silent.Count("succeeded"),
		}})
	}
	return t
}

// attacks counts runs with an attack whose goal has calls, and those whose goal has
// none, in which nothing can be stopped for sure.
func (m *Measurement) attacks(w *writer, r Recorded) (attacks, silent report.Tally) {
	for _, o := range r.Attacked {
		id := w.id(r.Title(), o)
		switch {
		case !m.truth.Known(o) && Succeeded(o):
			silent.Add(id, "succeeded")
		case !m.truth.Known(o):
			silent.Add(id)
		case !Succeeded(o):
			attacks.Add(id)
		case m.passes(o):
			attacks.Add(id, "without", "with")
		default:
			attacks.Add(id, "without")
		}
	}
	return attacks, silent
}

// isSolved says that an attack failed and the user's task was solved. What is stopped
// in such a run can be the attempt.
func isSolved(o replay.Outcome) bool { return !Succeeded(o) && o.Labels["utility"] == "true" }

// passes says that an attack succeeds in spite of the gate.
func (m *Measurement) passes(o replay.Outcome) bool {
	return m.truth.Known(o) && Succeeded(o) && !m.truth.Stopped(o)
}

func (m *Measurement) recordedSection(w *writer) report.Section {
	s := report.Section{
		ID: "on-recorded-runs", Title: "Recorded runs of models",
		Text: []string{
			"Honest runs are those of the 97 user tasks without an attack; many of a model's runs have no call at all, which no gate can stop. An attack is a run with an attacker's text in what the model reads, whose goal has calls in its ground truth. One that succeeded counts as stopped if, for one of the tools that the goal needs, every call that carries the goal was held or blocked.",
			"\"Tasks solved under a failed attack\" are runs in which the user got what was asked for. What is stopped there can also be an attempt of the attacker that failed for another reason, so it is an upper bound of the harm to honest work.",
		},
		Tables: []report.Table{m.recordedTable(w)},
		Charts: []report.Chart{{ID: "chart-runs-honest", Title: "Honest runs stopped", Table: "recorded", Columns: []string{"honest"}}, {ID: "chart-runs-with", Title: "Attacks that succeed with the gate", Table: "recorded", Columns: []string{"with"}}},
	}
	for i, r := range m.recorded {
		if r.Own {
			s.Tables = append(s.Tables,
				w.list(fmt.Sprintf("runs-held-%d", i+1), "Honest runs that are stopped: "+r.Title(), r.Title(), where(r.Honest, isStopped)),
				w.list(fmt.Sprintf("passed-%d", i+1), "Attacks that succeed in spite of the gate: "+r.Title(), r.Title(), where(r.Attacked, m.passes)))
		}
	}
	return s
}

// otherTable is the table of runs of suites that the contract was not written for.
func (m *Measurement) otherTable(w *writer) report.Table {
	t := report.Table{ID: "other", Caption: "Recorded runs of other suites", Corner: "model", Columns: []report.Column{
		{ID: "honest", Title: "honest runs stopped", Better: report.Less}, {ID: "unlisted", Title: "first by a tool that is not listed"},
		{ID: "attacks", Title: "successful attacks with a call that is stopped", Better: report.More},
		{ID: "listed", Title: "honest calls of listed tools"}, {ID: "refused", Title: "and stopped"},
	}}
	for _, r := range m.recorded {
		if r.Own {
			continue
		}
		var honest report.Tally
		calls, listed, refused := 0, 0, 0
		for _, o := range r.Honest {
			id := w.id(r.Title(), o)
			switch d, stopped := o.Stopped(); {
			case !stopped:
				honest.Add(id)
			case d.Code == authz.NotListed:
				honest.Add(id, held, "unlisted")
			default:
				honest.Add(id, held)
			}
			calls += len(o.Calls)
			for _, d := range o.Calls {
				if d.Code == authz.NotListed {
					continue
				}
				listed++
				if d.Verdict != authz.Allow {
					refused++
				}
			}
		}
		attacks, _ := w.stopped(r.Title(), where(r.Attacked, Succeeded))
		t.Rows = append(t.Rows, report.Row{ID: report.Slug(r.Model), Title: r.Title(), Cells: []report.Cell{
			honest.Count(held), honest.Count("unlisted"), attacks.Count(held),
			{Text: fmt.Sprintf("%d of %d", listed, calls)}, {Text: fmt.Sprintf("%d of %d", refused, listed)},
		}})
	}
	return t
}

func (m *Measurement) otherSection(w *writer) report.Section {
	return report.Section{
		ID: "on-other-suites", Title: "Recorded runs of other suites",
		Warning: "The contract was not written for these suites and does not list most of their tools, so it refuses nearly everything. That is what an allow-list does with a catalog that it does not know; it is no measure of how well provenance works there.",
		Text:    []string{"Each call is judged as one of the suite that has a tool of its name. The ground truth of these attacks is a placeholder, so a call that is stopped in a successful attack may be an honest one: an upper bound."},
		Tables:  []report.Table{m.otherTable(w)},
	}
}
