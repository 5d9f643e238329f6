package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/lab/authgate/calibrate"
	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// Options say how a report is made. The zero Options know no prices and no maps of
// certainty.
type Options struct {
	Prices      eval.Prices
	Seed        uint64 // of the bootstrap
	Calibration *calibrate.File
	MissCost    int // how many wrong blocks a wrong allow counts like
}

// Short names of the modes, for headings.
var modeTitles = map[string]string{
	"scope_escalation": "scope", "credential_exploration": "credential", "external_sharing": "sharing",
	"guardrail_bypass": "guardrail", "inferred_parameters": "inferred", "": "all modes",
}

// builder makes the sections of one report.
type builder struct {
	r *eval.Results
	o Options
}

// Build makes the report. It is a function of the results, their data set and the
// options: the same in any order of the rows.
func Build(r *eval.Results, o Options) (*report.Report, error) {
	b := builder{r, o}
	out := &report.Report{
		Title: "Authorization gate: contrast pairs",
		Text: []string{
			"The same action after the same steps is right to block under one request and right to allow under another. Block is the positive class: FPR is the share of authorized actions that were blocked, FNR that of unauthorized ones that were allowed. IR, the invariant rate, is the share of pairs whose two members got one decision; a judge that looks at the action alone has 100. Pair accuracy is the share of pairs with both members right.",
			"The layout is that of the paper \"AuthGateBench: Benchmarking LLMs as Authorization Gate\". No figure here is a score on that benchmark.",
		},
		Banner: b.banner(), TableFiles: true,
	}
	if !b.hasPairs() {
		out.Title = "Authorization gate: labelled actions"
		out.Text = []string{"Block is the positive class: FPR is the share of authorized actions that were blocked, FNR that of unauthorized ones that were allowed. Nothing here is a contrast pair, so invariant rate and pair accuracy are not defined."}
	}
	var err error
	if out.Facts, err = b.facts(); err != nil {
		return nil, err
	}
	out.Warning = b.warning()
	out.Sections = append(out.Sections, b.dataSection())
	for _, policy := range r.Policies() {
		if len(r.ArmsOf(policy, result.Plain)) > 0 {
			out.Sections = append(out.Sections, b.ratesSection(policy))
			if b.hasPairs() {
				out.Sections = append(out.Sections, b.pairsSection(policy))
			}
		}
	}
	for _, sections := range []func() ([]report.Section, error){b.coverage, b.policies, b.comparisons, b.noVerdict, b.checked, b.signals, b.nearMisses, b.invariance, b.stability, b.calibration, b.cost, b.controls} {
		more, err := sections()
		if err != nil {
			return nil, err
		}
		out.Sections = append(out.Sections, more...)
	}
	return out, nil
}

// banner says which decisions are nobody's.
func (b builder) banner() string {
	models := map[result.Judge]map[string]bool{}
	for _, row := range b.r.Rows {
		if row.Judge.IsStandIn() {
			if models[row.Judge] == nil {
				models[row.Judge] = map[string]bool{}
			}
			models[row.Judge][row.Model] = true
		}
	}
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(models)) {
		all = append(all, strings.ToUpper(string(kind))+" decisions")
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, " and ") + ": they test the program and say nothing about a model"
}

// warning says what a reader must know before any number.
func (b builder) warning() string {
	all := slices.Clone(b.r.Set.Notes)
	if n := len(b.r.Set.Instances); b.r.Set.Human < n {
		all = append(all, fmt.Sprintf("People have confirmed %d of the %d labels of this data set.", b.r.Set.Human, n))
	}
	same := map[string]bool{}
	for _, row := range b.r.Rows {
		if row.Family != "" && slices.Contains(b.r.Set.Families, row.Family) {
			same[row.Model] = true
		}
	}
	if len(same) > 0 {
		all = append(all, "Of the family that wrote the data set are: "+strings.Join(slices.Sorted(maps.Keys(same)), ", ")+".")
	}
	return strings.Join(all, " ")
}

// Alike says what of a data set counts, where decisions on another one do too.
func Alike(o eval.Other) string {
	return fmt.Sprintf("Decisions on %s (%s) count too: of %d rows, the %d in pairs that both show a judge in the same bytes.", strings.TrimSpace(o.Name+" "+o.Version), o.Digest, o.Of, o.Alike)
}

// facts are what every report begins with.
func (b builder) facts() ([]report.Fact, error) {
	set := b.r.Set
	pairs := fmt.Sprintf("all %d", len(b.r.Pairs))
	if n := b.r.Singles(); n > 0 {
		pairs = fmt.Sprintf("%d, and %d instances that are in none", len(b.r.Pairs)-n, n)
	}
	if len(set.Others) > 0 {
		pairs = fmt.Sprintf("%d, which all data sets show alike", len(b.r.Pairs))
	}
	if b.r.Options.Split != "" {
		pairs = fmt.Sprintf("%d of the split %s", len(b.r.Pairs), b.r.Options.Split)
	}
	all := []report.Fact{
		{Name: "data set", Value: strings.TrimSpace(set.Name + " " + set.Version)}, {Name: "digest", Value: set.Digest},
		{Name: "confirmed by people", Value: fmt.Sprintf("%d of %d labels", set.Human, len(set.Instances))},
		{Name: "pairs", Value: pairs},
		{Name: "decision", Value: string(b.r.Options.Scoring) + map[eval.Scoring]string{eval.Raw: ": as the judge said", eval.Checked: ": after the checks, which can only block"}[b.r.Options.Scoring]},
		{Name: "no verdict", Value: "counts as block, if nothing else is said"},
		{Name: "seed", Value: fmt.Sprintf("%d, bootstrap of %d draws of pairs within their mode", b.o.Seed, stats.Resamples)},
	}
	for _, o := range set.Others {
		all = append(all, report.Fact{Name: "counted across", Value: Alike(o)})
	}
	for _, f := range []struct {
		name string
		of   func(*result.Row) (string, string)
	}{
		{"policy", func(r *result.Row) (string, string) { return r.Policy, r.PolicyDigest }},
		{"judge", func(r *result.Row) (string, string) { return r.Model, kind(r) }},
		{"trajectory", func(r *result.Row) (string, string) { return "", r.View }},
		{"prompt", func(r *result.Row) (string, string) { return "", r.TemplateDigest }},
		{"run", func(r *result.Row) (string, string) { return "", r.Run }},
	} {
		all = append(all, b.factsOf(f.name, f.of)...)
	}
	return append(all, b.epochs()...), nil
}

// epochs are one fact where everything was asked equally often, and else one for
// each number of times, with what was asked so often.
func (b builder) epochs() (all []report.Fact) {
	by := map[int][]string{}
	for _, arm := range b.r.Arms() {
		n := b.r.Epochs(arm)
		by[n] = append(by[n], b.title(arm))
	}
	for _, n := range slices.Sorted(maps.Keys(by)) {
		value := strconv.Itoa(n)
		if len(by) > 1 {
			value += ": " + strings.Join(by[n], "; ")
		}
		all = append(all, report.Fact{Name: "epochs", Value: value})
	}
	return all
}

// kind names what stands behind a row's decision, and what it calls itself.
func kind(r *result.Row) string {
	if r.ModelReported != "" && r.ModelReported != r.Model {
		return string(r.Judge) + ", calls itself " + r.ModelReported
	}
	return string(r.Judge)
}

// factsOf returns a fact for each value of each key that the rows have.
func (b builder) factsOf(name string, of func(*result.Row) (key, value string)) (all []report.Fact) {
	seen := map[[2]string]bool{}
	for i := range b.r.Rows {
		key, value := of(&b.r.Rows[i])
		if value != "" || key != "" {
			seen[[2]string{key, value}] = true
		}
	}
	for _, kv := range slices.SortedFunc(maps.Keys(seen), func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) }) {
		all = append(all, report.Fact{Name: strings.TrimSpace(name + " " + kv[0]), Value: cmp.Or(kv[1], "not stated")})
	}
	return all
}

// title names an arm.
func (b builder) title(a eval.Arm) string {
	title := a.Model
	if len(b.r.Policies()) > 1 {
		title += ", " + a.Policy
	}
	if a.Form != result.Plain {
		title += ", " + string(a.Form)
	}
	return title
}

// under says in a caption by which policy judges decided, on which view of the
// trajectory, and which of their decisions counts: a table can stand by itself.
func (b builder) under(policy string) string {
	views := map[string]bool{}
	for _, row := range b.r.Rows {
		if row.Policy == policy && row.View != "" {
			views[row.View] = true
		}
	}
	told := append(slices.Sorted(maps.Keys(views)), string(b.r.Options.Scoring)+" decisions")
	return fmt.Sprintf("under the policy %s (%s)", policy, strings.Join(told, ", "))
}

func id(parts ...string) string { return report.Slug(strings.Join(parts, " ")) }

// Cells.

func rate(r eval.Ratio) report.Cell { return report.Cell{Rate: &report.Rate{N: r.N, Of: r.Of}} }

// wilson returns a rate of independent units with its interval.
func wilson(r eval.Ratio) report.Cell {
	low, high := stats.Wilson(r.N, r.Of)
	return estimated(r, eval.Interval{Low: low, High: high}, "Wilson")
}

func estimated(r eval.Ratio, i eval.Interval, by string) report.Cell {
	return report.Cell{Rate: &report.Rate{N: r.N, Of: r.Of, Interval: &report.Estimate{Low: i.Low, High: i.High, By: by}}}
}

func number(n int) report.Cell { return report.Cell{Decimal: fmt.Sprint(n)} }

// columns makes columns of titles, with ids of them.
func columns(titles ...string) (all []report.Column) {
	for _, t := range titles {
		all = append(all, report.Column{ID: id(t), Title: t})
	}
	return all
}
