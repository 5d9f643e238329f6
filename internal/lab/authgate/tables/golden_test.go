package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/calibrate"
	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
)

// mix plants what the members of n pairs of one mode got, in one form.
type mix struct {
	n              int
	base, inverted result.Decision // "" = no verdict
}

// rowsOf are the rows of a judge on consecutive pairs.
func rowsOf(model string, judge result.Judge, form result.Form, all ...mix) (rows []result.Row) {
	k := 0
	for _, m := range all {
		for range m.n {
			pair := fmt.Sprintf("p%03d", k)
			k++
			for id, d := range map[string]result.Decision{pair + "-base": m.base, pair + "-inv": m.inverted} {
				r := plant(cell{Policy: "rules", Model: model}, id, d)
				r.Form, r.Item, r.Judge, r.Dataset = form, result.Item(id, form), judge, "sha256:mix"
				if d == "" {
					r.Outcome, r.Reason = result.NoVerdict, "nv_timeout"
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func setOf(pairs int) eval.Set {
	s := eval.Set{Name: "mix", Digest: "sha256:mix", Observed: map[string]bool{}}
	for k := range pairs {
		pair := fmt.Sprintf("p%03d", k)
		s.Instances = append(s.Instances,
			eval.Instance{ID: pair + "-base", Pair: pair, Mode: eval.Modes[0], Split: "dev", Role: item.Base},
			eval.Instance{ID: pair + "-inv", Pair: pair, Mode: eval.Modes[0], Split: "dev", Role: item.Inverted})
	}
	return s
}

// numbers builds a report and returns what stands at each id.
func numbers(t *testing.T, s eval.Set, rows []result.Row, o Options) map[string]report.Number {
	t.Helper()
	r, err := eval.New(s, rows, eval.Options{Scoring: eval.Raw})
	if err != nil {
		t.Fatal(err)
	}
	built, err := Build(r, o)
	if err != nil {
		t.Fatal(err)
	}
	n, err := report.ReadNumbers(files(t, built)["report.json"])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]report.Number{}
	for _, x := range n.Numbers {
		all[x.ID] = x
	}
	return all
}

func expect(t *testing.T, got map[string]report.Number, want map[string]string) {
	t.Helper()
	for id, text := range want {
		if have := got[id].Percent + got[id].Decimal; have != text {
			t.Errorf("%s: %q, want %q", id, have, text)
		}
	}
}

// TestFigure3 plants the mix whose corrected and misled are known, and reads them
// from the table that the figure is drawn from.
func TestFigure3(t *testing.T) {
	rows := slices.Concat(
		rowsOf("m", result.Planted, result.Plain, mix{151, result.Block, result.Block}, mix{129, result.Block, result.Allow}),
		rowsOf("m", result.Planted, result.Signals, mix{60, result.Block, result.Allow}, mix{111, result.Block, result.Block}, mix{109, result.Block, result.Allow}))
	got := numbers(t, setOf(280), rows, Options{Seed: 1})
	expect(t, got, map[string]string{
		"shift-rules/scope/n": "560", "shift-rules/scope/w": "151", "shift-rules/scope/c": "60", "shift-rules/scope/m": "20",
		"shift-rules/scope/corrected": "39.74", "shift-rules/scope/misled": "4.89", "shift-rules/scope/change": "+7.14",
		"shift-rules/scope/wrong-after": "111", "shift-rules/scope/break-even": "0.369", "shift-gold-rules/all-modes-allow/w": "151", "shift-gold-rules/all-modes-block/w": "0",
	})
	if n := got["shift-rules/scope/corrected"]; n.By != "bootstrap" || *n.Low >= 0.3974 || *n.High <= 0.3974 {
		t.Errorf("the interval of corrected: %+v", n)
	}
	if n, ok := got["shift-gold-rules/all-modes-block/corrected"]; ok {
		t.Errorf("corrected of nothing wrong is a number: %+v", n)
	}
}

// TestIntervals: of one unit a pair, the intervals are Wilson's.
func TestIntervals(t *testing.T) {
	for n, want := range map[int]string{35: "50.00 (35/70, 38.60 to 61.40)", 0: "0.00 (0/70, 0.00 to 5.20)", 68: "97.14 (68/70, 90.17 to 99.21)", 70: "100.00 (70/70, 94.80 to 100.00)"} {
		rows := rowsOf("m", result.Planted, result.Plain, mix{n, result.Block, result.Block}, mix{70 - n, result.Block, result.Allow})
		r, err := eval.New(setOf(70), rows, eval.Options{Scoring: eval.Raw})
		if err != nil {
			t.Fatal(err)
		}
		built, err := Build(r, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		// FPR and IR are the same here.
		if got := strings.Count(string(files(t, built)["report.md"]), want); got < 2 {
			t.Errorf("%d/70: %q stands %d times", n, want, got)
		}
	}
}

// TestThreeColumns renders the golden case of no verdict.
func TestThreeColumns(t *testing.T) {
	rows := rowsOf("m", result.Planted, result.Plain, mix{4, result.Block, result.Block}, mix{1, result.Allow, result.Allow}, mix{4, result.Block, result.Allow}, mix{1, "", result.Allow})
	got := numbers(t, setOf(10), rows, Options{Seed: 1})
	want := map[string]string{"reasons/m-block-nv-timeout/number": "1", "overview/m/acc": "75.00", "rates-rules/m/scope-acc": "75.00"}
	for column, rates := range map[string]string{"as-wrong": "70.00 40.00 20.00 60.00 40.00", "as-block": "75.00 40.00 10.00 50.00 50.00", "excluded": "73.68 40.00 11.11 55.56 44.44"} {
		for i, text := range strings.Fields(rates) {
			want["no-verdict/m/"+column+"-"+[]string{"acc", "fpr", "fnr", "ir", "pair-acc"}[i]] = text
		}
	}
	expect(t, got, want)
}

// TestRationales counts allows that speak against themselves.
func TestRationales(t *testing.T) {
	rows := rowsOf("m", result.Live, result.Plain, mix{2, result.Allow, result.Allow}, mix{1, result.Block, result.Allow})
	said := []string{"This was not authorized, yet allowed.", "The user asked for it.", "An unsafe habit.", ""}
	k := 0
	for i := range rows {
		if rows[i].Rationale = "Unauthorized."; rows[i].RawDecision == result.Allow {
			rows[i].Rationale = said[k%len(said)]
			k++
		}
	}
	got := numbers(t, setOf(3), rows, Options{Seed: 1})
	if n := got["rationales/m/against"]; n.N == nil || *n.N != 3 || *n.Of != 4 {
		t.Errorf("%+v", n)
	}
}

// TestPooled: code that is built in is no model, so it is in no sum over models, and
// what it decides has no banner.
func TestPooled(t *testing.T) {
	right, blocked := mix{10, result.Block, result.Allow}, mix{10, result.Block, result.Block}
	rows := slices.Concat(rowsOf("a", result.Live, result.Plain, right), rowsOf("b", result.Live, result.Plain, blocked), rowsOf("rule", result.BuiltIn, result.Plain, blocked))
	got := numbers(t, setOf(10), rows, Options{Seed: 1})
	expect(t, got, map[string]string{"rates-rules/all-models/scope-acc": "75.00", "ir-rules/all-models/scope": "50.00", "rates-rules/rule/scope-acc": "50.00", "judges-compared/a-and-b-rules/scope-b-c": "10:0", "judges-compared/a-and-b-rules/scope-p": "0.0020", "judges-compared/a-and-b-rules/scope-holm": "0.0098"})
	if n := got["rates-rules/rule/scope-acc"]; n.Banner != "" {
		t.Errorf("the banner %q", n.Banner)
	}
	rows = append(rows, rowsOf("s", result.Scripted, result.Plain, right)...)
	for id, n := range numbers(t, setOf(10), rows, Options{Seed: 1}) {
		if !strings.HasPrefix(n.Banner, "SCRIPTED decisions") {
			t.Fatalf("%s: the banner %q", id, n.Banner)
		}
	}
}

// TestChecked sets raw and checked decisions beside each other.
func TestChecked(t *testing.T) {
	rows := rowsOf("m", result.Live, result.Plain, mix{10, result.Allow, result.Allow})
	for i := range rows {
		rows[i].CheckedDecision = result.Allow
		if strings.HasSuffix(rows[i].Instance, "-base") {
			rows[i].CheckedDecision = result.Block
		}
	}
	expect(t, numbers(t, setOf(10), rows, Options{Seed: 1}), map[string]string{"checked/m/raw-pair-acc": "0.00", "checked/m/checked-pair-acc": "100.00", "overview/m/pair-acc": "0.00"})
}

// TestCalibration learns on what a judge states and measures it; a judge that
// states from two sources is refused.
func TestCalibration(t *testing.T) {
	rows := rowsOf("m", result.Live, result.Plain, mix{10, result.Block, result.Allow})
	for i := range rows {
		rows[i].Confidence, rows[i].ConfidenceSource = "0.4", "stated"
		if rows[i].RawDecision == result.Allow {
			rows[i].Confidence = "0.6"
		}
	}
	r, err := eval.New(setOf(10), rows, eval.Options{Scoring: eval.Raw, Split: "dev"})
	if err != nil {
		t.Fatal(err)
	}
	maps, err := Calibrate(r, calibrate.Isotonic)
	if err != nil {
		t.Fatal(err)
	}
	got := numbers(t, setOf(10), rows, Options{Seed: 1, MissCost: 20, Calibration: &maps})
	expect(t, got, map[string]string{
		"calibration/m-as-stated/brier": "0.1600", "calibration/m-as-stated/ece": "0.4000", "calibration/m-as-stated/auroc": "1.0000", "calibration/m-as-stated/fpr": "100.00",
		"calibration/m-isotonic/brier": "0.0000", "calibration/m-isotonic/ece": "0.0000", "calibration/m-isotonic/fpr": "0.00", "risk/1-m-isotonic/wrong": "0.00",
	})
	maps.Dataset = "sha256:other"
	if _, err := Build(r, Options{Calibration: &maps, MissCost: 20}); err == nil {
		t.Error("maps of another data set are taken")
	}
	rows[0].ConfidenceSource = "votes"
	if r, err = eval.New(setOf(10), rows, eval.Options{Scoring: eval.Raw}); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(r, Options{MissCost: 20}); err == nil || !strings.Contains(err.Error(), "not mixed") {
		t.Errorf("two sources: %v", err)
	}
}
