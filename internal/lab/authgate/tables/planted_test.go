package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/result/resulttest"
	"github.com/licet-dev/licet/internal/lab/report"
)

// published is the part of testdata/published.json that the tests read. Percentages
// are compared as the text in which they were printed.
type published struct {
	Cells   []cell `json:"cells"`
	ByMode  []cell `json:"derived_by_mode"`
	ByModel []cell `json:"derived_by_model"`
}

type cell struct {
	Policy, Model, Mode string
	Acc, FPR, FNR, IR   json.Number
	PairAcc             json.Number `json:"pair_acc"`
	Wrong               int
	Counts              struct{ BB, AA, C, R int }
}

func readPublished(t *testing.T) (p published) {
	t.Helper()
	text, err := os.ReadFile("testdata/published.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Cells) != 40 || len(p.ByMode) != 10 || len(p.ByModel) != 8 {
		t.Fatalf("%d cells, %d by mode, %d by model", len(p.Cells), len(p.ByMode), len(p.ByModel))
	}
	return p
}

// figures are all published percentages by the id of the number in report.json,
// with the sums that were computed from them.
func (p published) figures() map[string]string {
	all := map[string]string{}
	add := func(c cell, row, group string) {
		prefix := id("rates", c.Policy) + "/" + id(row) + "/" + id(group)
		all[prefix+"-acc"], all[prefix+"-fpr"], all[prefix+"-fnr"] = c.Acc.String(), c.FPR.String(), c.FNR.String()
		all[id("ir", c.Policy)+"/"+id(row)+"/"+id(group)] = c.IR.String()
	}
	for _, c := range p.Cells {
		add(c, c.Model, modeTitles[c.Mode])
	}
	for _, c := range p.ByMode {
		add(c, pooled, modeTitles[c.Mode])
	}
	for _, c := range p.ByModel {
		add(c, c.Model, modeTitles[""])
	}
	return all
}

const perMode = 70

// standIn is a data set of ids and labels.
func standIn() eval.Set {
	s := eval.Set{Name: "stand-in", Version: "0", Digest: "sha256:stand-in", Observed: map[string]bool{}}
	for _, mode := range eval.Modes {
		for n := range perMode {
			pair := pairID(mode, n)
			for role, suffix := range map[item.Role]string{item.Base: "-base", item.Inverted: "-inv"} {
				s.Instances = append(s.Instances, eval.Instance{ID: pair + suffix, Pair: pair, Mode: mode, Split: "test", Role: role})
			}
		}
	}
	return s
}

func pairID(mode string, n int) string { return fmt.Sprintf("ag1-%s-%03d", mode[:2], n+1) }

// planted writes the rows of all cells, and reads them as any results.
func planted(t *testing.T, p published) []result.Row {
	t.Helper()
	var rows []result.Row
	for _, c := range p.Cells {
		for n := range perMode {
			base, inverted := result.Block, result.Allow // right
			switch k := c.Counts; {
			case n < k.BB:
				inverted = result.Block
			case n < k.BB+k.AA:
				base = result.Allow
			case n < k.BB+k.AA+k.R:
				base, inverted = result.Allow, result.Block
			}
			rows = append(rows, plant(c, pairID(c.Mode, n)+"-base", base), plant(c, pairID(c.Mode, n)+"-inv", inverted))
		}
	}
	rows, err := result.Read(strings.NewReader(resulttest.Text(t, rows)))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5600 {
		t.Fatalf("%d rows", len(rows))
	}
	return rows
}

func plant(c cell, instance string, d result.Decision) result.Row {
	return result.Row{
		Schema: result.Schema, Run: "planted", Dataset: "sha256:stand-in", Instance: instance, Item: result.Item(instance, result.Plain), Form: result.Plain,
		Policy: c.Policy, Model: c.Model, Epoch: 1, CallKey: "planted", Outcome: result.Verdict, RawDecision: d, Judge: result.Planted,
	}
}

func evaluate(t *testing.T, rows []result.Row) *eval.Results {
	t.Helper()
	r, err := eval.New(standIn(), rows, eval.Options{Scoring: eval.Raw})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rateTables renders the rates and nothing else.
func rateTables(t *testing.T, rows []result.Row) *report.Report {
	b := builder{evaluate(t, rows), Options{}}
	out := &report.Report{Title: "rates", Banner: b.banner()}
	for _, policy := range b.r.Policies() {
		out.Sections = append(out.Sections, b.ratesSection(policy))
	}
	return out
}

// percents are the rates of report.json.
func percents(n report.Numbers) map[string]string {
	all := map[string]string{}
	for _, x := range n.Numbers {
		if x.Percent != "" {
			all[x.ID] = x.Percent
		}
	}
	return all
}

func files(t *testing.T, r *report.Report) map[string][]byte {
	t.Helper()
	all, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// different returns the published figures that a report does not have.
func different(want, got map[string]string) (ids []string) {
	for id, text := range want {
		if got[id] != text {
			ids = append(ids, fmt.Sprintf("%s: %q, published %q", id, got[id], text))
		}
	}
	slices.Sort(ids)
	return ids
}

// TestPublished plants decisions with the counts behind the published figures, and
// finds every figure in what is rendered, to the last digit.
func TestPublished(t *testing.T) {
	p := readPublished(t)
	rows := planted(t, p)
	built, err := Build(evaluate(t, rows), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, built)
	written, err := report.ReadNumbers(got["report.json"])
	if err != nil {
		t.Fatal(err)
	}
	rates, want := percents(written), p.figures()
	if len(want) != 160+4*18 {
		t.Fatalf("%d figures to look for", len(want))
	}
	for _, d := range different(want, rates) {
		t.Error(d)
	}
	for _, c := range slices.Concat(p.ByMode, p.ByModel) {
		row := pooled
		if c.Model != "" {
			row = c.Model
		}
		key := id("pairs", c.Policy) + "/" + id(row, modeTitles[c.Mode]) + "/pair-acc"
		if have := rates[key]; have != c.PairAcc.String() {
			t.Errorf("%s: %q, derived %q", key, have, c.PairAcc)
		}
	}
	lines := publishedLines(p)
	if len(lines) != 16 {
		t.Fatalf("%d lines", len(lines))
	}
	for name, marks := range map[string][2]string{"report.md": {"|", "*"}, "tables.tex": {"&", `\textbf{}`}} {
		text := plainCells(string(got[name]), marks)
		for _, line := range lines {
			if !strings.Contains(text, line) {
				t.Errorf("%s has no line %q", name, line)
			}
		}
	}

	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
	built, err = Build(evaluate(t, shuffled), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files(t, built) {
		if !bytes.Equal(text, got[name]) {
			t.Errorf("%s: other bytes from the same rows in another order", name)
		}
	}
}

// publishedLines are the lines of Tables 2 to 5: the percentages of a judge.
func publishedLines(p published) (all []string) {
	rates, irs := map[string]string{}, map[string]string{}
	for _, c := range p.Cells {
		key := c.Policy + c.Model
		rates[key] += fmt.Sprintf(" %s %s %s", c.Acc, c.FPR, c.FNR)
		irs[key] += " " + c.IR.String()
	}
	return append(slices.Collect(maps.Values(rates)), slices.Collect(maps.Values(irs))...)
}

// plainCells leaves the numbers with two decimals of a table's lines.
func plainCells(text string, marks [2]string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		for _, c := range strings.Split(line, marks[0]) {
			c = strings.TrimPrefix(strings.TrimSpace(c), `\ratecell{`)
			c = strings.TrimLeft(c, marks[1])
			if i := strings.Index(c, "."); i > 0 && len(c) >= i+3 {
				b.WriteString(" " + c[:i+3])
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestFlipped changes one decision at a time: a figure must be another.
func TestFlipped(t *testing.T) {
	p := readPublished(t)
	rows, want := planted(t, p), p.figures()
	if d := different(want, percents(rateTables(t, rows).Numbers())); len(d) > 0 {
		t.Fatal(d)
	}
	random := rand.New(rand.NewPCG(8, 200))
	for range 200 {
		place := random.IntN(len(rows))
		flipped := slices.Clone(rows)
		r := &flipped[place]
		r.RawDecision = map[result.Decision]result.Decision{result.Allow: result.Block, result.Block: result.Allow}[r.RawDecision]
		if d := different(want, percents(rateTables(t, flipped).Numbers())); len(d) == 0 {
			t.Errorf("%s of %s under %s is another decision, and no figure is another", r.Item, r.Model, r.Policy)
		}
	}
}

// TestSwapped gives the rates of one policy the invariant rates of the other: in 37
// of 40 cells no pairs have both.
func TestSwapped(t *testing.T) {
	p := readPublished(t)
	other := map[string]cell{}
	for _, c := range p.Cells {
		other[c.Policy+c.Model+c.Mode] = c
	}
	swap := map[string]string{"T2T3": "T4T5", "T4T5": "T2T3"}
	impossible := 0
	for _, c := range p.Cells {
		k, o := c.Counts, other[swap[c.Policy]+c.Model+c.Mode].Counts
		got, err := eval.Solve(perMode, k.BB+k.R, k.AA+k.R, k.BB+k.AA)
		if err != nil || got.BB != k.BB || got.AA != k.AA || got.C != k.C || got.R != k.R {
			t.Errorf("%+v: solved as %+v, %v", c, got, err)
		}
		if _, err := eval.Solve(perMode, k.BB+k.R, k.AA+k.R, o.BB+o.AA); err != nil {
			impossible++
		}
	}
	if impossible != 37 {
		t.Errorf("%d cells cannot exist under the swap, want 37", impossible)
	}
}
