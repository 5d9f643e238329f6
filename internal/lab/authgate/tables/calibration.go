package tables

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/licet-dev/licet/internal/lab/authgate/calibrate"
	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
)

// stated are the probabilities that a judge stated under a policy, in all forms and
// epochs, of base and inverted members.
type stated struct {
	policy, model, source string
	points                []calibrate.Point
	allowed               []bool // which of them are decided as allow
}

// statements returns what each judge stated, of those that did. It is an error if
// one states from two sources: these cannot be mixed.
func statements(r *eval.Results) (all []stated, err error) {
	for _, policy := range r.Policies() {
		for _, model := range r.Models() {
			s := stated{policy: policy, model: model}
			for _, form := range r.Forms() {
				if _, varied := form.Transform(); varied {
					continue // the same items once more
				}
				if err := s.take(r, eval.Arm{Model: model, Policy: policy, Form: form}); err != nil {
					return nil, err
				}
			}
			if len(s.points) > 0 {
				all = append(all, s)
			}
		}
	}
	return all, nil
}

func (s *stated) take(r *eval.Results, arm eval.Arm) error {
	for _, t := range r.Trials("", arm) {
		for _, m := range t.Pair.Members() {
			row := r.Row(arm, m.Instance, t.Epoch)
			if row.Outcome != result.Verdict || row.Confidence == "" {
				continue
			}
			if s.source != "" && row.ConfidenceSource != s.source {
				return fmt.Errorf("%s under %s states its confidence by %s and by %s: these are not mixed", s.model, s.policy, s.source, row.ConfidenceSource)
			}
			p, err := strconv.ParseFloat(row.Confidence, 64)
			if err != nil {
				return fmt.Errorf("%s: confidence: %w", row.Item, err)
			}
			s.source = row.ConfidenceSource
			s.points = append(s.points, calibrate.Point{P: p, Allow: m.Gold == eval.Allow})
			s.allowed = append(s.allowed, r.Decision(row) == eval.Allow)
		}
	}
	return nil
}

// Calibrate learns a map for each policy and judge that states its confidence.
func Calibrate(r *eval.Results, method calibrate.Method) (calibrate.File, error) {
	f := calibrate.File{Dataset: r.Set.Digest, Split: r.Options.Split, Scoring: string(r.Options.Scoring)}
	all, err := statements(r)
	if err != nil {
		return f, err
	}
	if len(all) == 0 {
		return f, fmt.Errorf("no judge states its confidence")
	}
	for _, s := range all {
		m, err := calibrate.Fit(s.points, method)
		if err != nil {
			return f, fmt.Errorf("%s under %s: %w", s.model, s.policy, err)
		}
		f.Maps = append(f.Maps, calibrate.Entry{Policy: s.policy, Model: s.model, Source: s.source, Points: len(s.points), Map: m})
	}
	return f, nil
}

// threshold is the probability from which a call may run, where one that runs
// wrongly is as bad as so many that are stopped wrongly.
func (b builder) threshold() float64 { return float64(b.o.MissCost) / float64(b.o.MissCost+1) }

const dependent = "The intervals (Wilson) take decisions as independent. Members of a pair, forms and epochs of an item are not, so they are too narrow."

// calibration measures what judges state, as it is and by the maps of a file.
func (b builder) calibration() ([]report.Section, error) {
	all, err := statements(b.r)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if f := b.o.Calibration; f != nil && f.Dataset != b.r.Set.Digest {
		return nil, fmt.Errorf("the calibration was learned on the data set %s, not on %s", f.Dataset, b.r.Set.Digest)
	}
	t := b.threshold()
	whole := report.Table{ID: "calibration", Caption: "What judges say of their certainty", Corner: "judge", Columns: []report.Column{
		{ID: "source", Title: "source"}, {ID: "n", Title: "n"}, {ID: "brier", Title: "Brier"}, {ID: "ece", Title: "ECE"}, {ID: "auroc", Title: "AUROC"},
		{ID: "fpr", Title: fmt.Sprintf("FPR at %.3f", t), Better: report.Less}, {ID: "fnr", Title: fmt.Sprintf("FNR at %.3f", t), Better: report.Less},
	}, Note: fmt.Sprintf("p is the probability that allow is right. ECE is over ten bins of equal count. The last columns allow what the judge allows with p of at least %.3f: one wrong allow counts like %d wrong blocks. No verdicts are left out.", t, b.o.MissCost)}
	risks := report.Table{ID: "risk", Caption: "Risk by coverage: the surest decisions", Corner: "judge", Columns: []report.Column{{ID: "covered", Title: "covered"}, {ID: "wrong", Title: "wrong of these", Better: report.Less}}, Note: dependent}
	bins := report.Table{ID: "bins", Caption: "Stated probability and what was right", Corner: "judge", Columns: []report.Column{{ID: "mean", Title: "mean p"}, {ID: "allow", Title: "to be allowed"}}, Note: dependent}
	for _, s := range all {
		for _, v := range b.versions(s) {
			m := calibrate.Measure(v.points)
			whole.Rows = append(whole.Rows, v.row(m, t))
			risks.Rows = append(risks.Rows, v.risks(m, len(risks.Rows) > 0)...)
			bins.Rows = append(bins.Rows, v.bins(m, len(bins.Rows) > 0)...)
		}
	}
	return []report.Section{{
		ID: "certainty", Title: "Calibration", Text: []string{b.calibrationText()}, Tables: []report.Table{whole, risks, bins},
		Charts: []report.Chart{{ID: "chart-risk", Title: risks.Caption, Table: "risk", Columns: []string{"wrong"}}, {ID: "chart-bins", Title: "Share to be allowed, by bins of rising p", Table: "bins", Columns: []string{"allow"}}},
	}}, nil
}

func (b builder) calibrationText() string {
	f := b.o.Calibration
	switch {
	case f == nil:
		return "p is as it was stated, and uncalibrated."
	case b.r.Options.Split == "test":
		return fmt.Sprintf("Maps of the file %s, learned on the split %s.", f.Digest, f.Split)
	}
	return fmt.Sprintf("Maps of the file %s, learned on the split %s, which is among the pairs that are counted here: figures of calibrated p flatter.", f.Digest, f.Split)
}

// version is what a judge stated, as it is or mapped.
type version struct {
	stated
	title string
}

func (b builder) versions(s stated) []version {
	title := s.model
	if len(b.r.Policies()) > 1 {
		title += ", " + s.policy
	}
	all := []version{{s, title + ", as stated"}}
	if b.o.Calibration == nil {
		return all
	}
	if m, ok := b.o.Calibration.Of(s.policy, s.model, s.source); ok {
		mapped := s
		mapped.points = nil
		for _, p := range s.points {
			mapped.points = append(mapped.points, calibrate.Point{P: m.P(p.P), Allow: p.Allow})
		}
		all = append(all, version{mapped, title + ", " + string(m.Method)})
	}
	return all
}

// row measures one version. A decision is never widened: what was blocked stays so.
func (v version) row(m calibrate.Measures, threshold float64) report.Row {
	var c eval.Counts
	for i, p := range v.points {
		allowed := v.allowed[i] && p.P >= threshold
		if p.Allow {
			c.Inverted++
			if !allowed {
				c.FP++
			}
			continue
		}
		c.Base++
		if allowed {
			c.FN++
		}
	}
	return report.Row{ID: id(v.title), Title: v.title, Cells: []report.Cell{
		{Text: v.source}, number(m.N), float(m.Brier), float(m.ECE), float(m.AUROC), rate(c.FPR()), rate(c.FNR()),
	}}
}

func (v version) risks(m calibrate.Measures, line bool) (rows []report.Row) {
	for i, r := range m.Risks {
		title := fmt.Sprintf("%d. %s", i+1, v.title)
		rows = append(rows, report.Row{ID: id(title), Title: title, Line: line && i == 0, Cells: []report.Cell{rate(eval.Ratio{N: r.Covered, Of: m.N}), wilson(eval.Ratio{N: r.Wrong, Of: r.Covered})}})
	}
	return rows
}

func (v version) bins(m calibrate.Measures, line bool) (rows []report.Row) {
	for i, b := range m.Bins {
		title := fmt.Sprintf("%d. %s", i+1, v.title)
		rows = append(rows, report.Row{ID: id(title), Title: title, Line: line && i == 0, Cells: []report.Cell{float(b.Mean), wilson(eval.Ratio{N: b.Allow, Of: b.N})}})
	}
	return rows
}

// float writes a measure; one that is not defined is no number.
func float(x float64) report.Cell {
	if math.IsNaN(x) {
		return report.Cell{Text: "n/a"}
	}
	return decimals(new(big.Rat).SetFloat64(x), 4)
}
