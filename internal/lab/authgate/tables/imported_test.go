package tables

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// singles are three instances of others to block and one to allow, of which one pair
// more may be known, and what a judge decided on them: one of each wrong.
func singles(pair bool) (eval.Set, []result.Row) {
	s := eval.Set{Name: "others", Digest: "sha256:mix", Notes: []string{"Imported: somewhere."}}
	decisions := map[string]result.Decision{"b1": result.Block, "b2": result.Block, "b3": result.Allow, "a1": result.Block}
	for id := range decisions {
		role := item.Base
		if id == "a1" {
			role = item.Inverted
		}
		s.Instances = append(s.Instances, eval.Instance{ID: id, Mode: eval.Unknown, Role: role})
	}
	if pair {
		s.Instances = append(s.Instances, eval.Instance{ID: "p-base", Pair: "p", Mode: eval.Unknown, Role: item.Base}, eval.Instance{ID: "p-inv", Pair: "p", Mode: eval.Unknown, Role: item.Inverted})
		decisions["p-base"], decisions["p-inv"] = result.Block, result.Allow
	}
	var rows []result.Row
	for id, d := range decisions {
		for _, model := range []string{"m", "n"} {
			r := plant(cell{Policy: "rules", Model: model}, id, d)
			r.Form, r.Item, r.Judge, r.Dataset = result.Plain, result.Item(id, result.Plain), result.BuiltIn, "sha256:mix"
			rows = append(rows, r)
		}
	}
	return s, rows
}

// TestSingles: rates are those of instances, and those of pairs are not defined where
// there is none, which is another thing than 0.
func TestSingles(t *testing.T) {
	set, rows := singles(false)
	got := numbers(t, set, rows, Options{Seed: 1})
	expect(t, got, map[string]string{
		"overview/m/instances": "4", "overview/m/pairs": "0", "overview/m/acc": "50.00", "overview/m/fpr": "100.00", "overview/m/fnr": "33.33",
		"data/total/block": "3", "data/total/allow": "1", "data/total/pairs-among-them": "0", "rates-rules/m/all-modes-acc": "50.00",
		"judges-compared/m-and-n-rules/all-modes-p": "1.0000",
	})
	for id := range got {
		if strings.HasSuffix(id, "/ir") || strings.HasSuffix(id, "-ir") || strings.Contains(id, "pair-acc") || strings.HasPrefix(id, "ir-") || strings.HasPrefix(id, "pairs-") || strings.Contains(id, "scope") {
			t.Errorf("%s is a number, and there is no pair and no mode", id)
		}
	}
	r, err := eval.New(set, rows, eval.Options{Scoring: eval.Raw})
	if err != nil {
		t.Fatal(err)
	}
	built, err := Build(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if page := string(files(t, built)["report.md"]); !strings.Contains(page, "not defined") || !strings.Contains(page, "Imported\\: somewhere") {
		t.Error("the page does not say that the rates of pairs are not defined, or where the data are from")
	}
}

// TestCoverage: what no gate saw was let through.
func TestCoverage(t *testing.T) {
	set, rows := singles(false)
	set.Unreached = new(5)
	expect(t, numbers(t, set, rows, Options{Seed: 1}), map[string]string{"coverage/m/reached": "37.50", "coverage/m/fnr": "33.33", "coverage/m/end-to-end": "75.00"})
}

// TestSinglesAndPairs: IR and pair accuracy are of the pairs alone.
func TestSinglesAndPairs(t *testing.T) {
	set, rows := singles(true)
	got := numbers(t, set, rows, Options{Seed: 1})
	expect(t, got, map[string]string{
		"overview/m/instances": "6", "overview/m/pairs": "1", "overview/m/acc": "66.67", "overview/m/fpr": "50.00", "overview/m/fnr": "25.00",
		"overview/m/ir": "0.00", "overview/m/pair-acc": "100.00", "data/total/total": "6", "data/total/pairs-among-them": "1",
	})
	var paired []eval.Instance
	for _, i := range set.Instances {
		if i.Pair != "" {
			paired = append(paired, i)
		}
	}
	set.Instances = paired
	rows = slices.DeleteFunc(rows, func(r result.Row) bool { return !strings.HasPrefix(r.Instance, "p-") })
	expect(t, numbers(t, set, rows, Options{Seed: 1}), map[string]string{"data/total/block": "1", "data/total/pairs-among-them": "1", "overview/m/pairs": "1", "ir-rules/m/all-modes": "0.00"})
	if n := got["overview/m/pair-acc"]; n.Of == nil || *n.Of != 1 {
		t.Errorf("pair accuracy is of %+v", n)
	}
}
