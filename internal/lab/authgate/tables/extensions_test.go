package tables

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// TestExtensions plants all that a report can have, and reads a number of each
// table that no golden case has.
func TestExtensions(t *testing.T) {
	set := setOf(4)
	set.Families, set.Human = []string{"maker"}, 3
	set.Observed = map[string]bool{"p000": true, "p001": true}
	set.Controls = []item.Control{{Name: "action_only", Sees: "action", Right: 4, Of: 8, Same: 4, Pairs: 4, Bound: "50.00", Holds: true}}
	for _, pair := range []string{"p000", "p001"} {
		set.Instances = append(set.Instances, eval.Instance{ID: pair + "-near", Pair: pair, Mode: eval.Modes[0], Split: "dev", Role: item.NearMiss})
	}
	blocked, right := mix{4, result.Block, result.Block}, mix{4, result.Block, result.Allow}
	rows := slices.Concat(
		rowsOf("m", result.Live, result.Plain, blocked),
		rowsOf("m", result.Live, result.Signals, mix{3, result.Block, result.Allow}, mix{1, result.Block, result.Block}),
		rowsOf("m", result.Live, result.Without("path_facts"), mix{1, result.Block, result.Allow}, mix{3, result.Block, result.Block}))
	for i := range rows {
		rows[i].Family = "maker"
		rows[i].Tokens, rows[i].LatencyMS = &result.Tokens{Input: 1000, Output: 100}, new(int64(10*i))
	}
	second := rowsOf("m", result.Live, result.Plain, right)
	for i := range second {
		second[i].Epoch, second[i].Cost = 2, "0.001"
	}
	near := rowsOf("m", result.Live, result.Plain, mix{2, result.Allow, result.Block})
	near = slices.DeleteFunc(near, func(r result.Row) bool { return strings.HasSuffix(r.Instance, "-inv") })
	for i := range near {
		near[i].Instance = strings.Replace(near[i].Instance, "-base", "-near", 1)
		near[i].Item = result.Item(near[i].Instance, near[i].Form)
		again := near[i]
		again.Epoch, again.RawDecision = 2, result.Block
		near = append(near, again)
	}
	rows = slices.Concat(rows, second, near)
	prices := eval.Prices{Date: "2026-11-01", Currency: "USD", Models: map[string]eval.Price{"m": {Input: "1", Cached: "1", Output: "2"}}}
	got := numbers(t, set, rows, Options{Seed: 1, Prices: prices})
	expect(t, got, map[string]string{
		"data/scope-escalation/with-signals": "4", "data/total/total": "12", "data/total/near-misses-apart": "2",
		"shift-judge-rules/m/c": "3", "shift-rules/scope/n": "8", // the epoch that both forms have
		"shift-collector-rules/path-facts/c": "2", "shift-collector-rules/path-facts/corrected": "66.67",
		"near-miss/m/miss-scope": "50.00", "near-miss/m/triple": "50.00",
		"stability/m/flip-rate": "50.00", "stability/m-allow/flip-rate": "100.00", "stability/m/any-right": "100.00", "stability/m/kappa": "-0.3333",
		"controls/action-only/ir": "100.00", "controls/action-only/acc": "50.00",
		// eight decisions at 0.0012 and eight at 0.001, of which the latter state no tokens
		"cost/m/thousand": "1.1000", "cost/m/pair": "0.0044", "cost/m-signals/output": "800", "cost/m-signals/calls": "8",
		"forms-compared/m-rules/scope-b-c": "0:3",
	})
	r, err := eval.New(set, rows, eval.Options{Scoring: eval.Raw})
	if err != nil {
		t.Fatal(err)
	}
	built, err := Build(r, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if w := built.Warning; !strings.Contains(w, "confirmed 3 of the 10 labels") || !strings.Contains(w, "family that wrote the data set are: m.") {
		t.Errorf("the warning is %q", w)
	}
}
