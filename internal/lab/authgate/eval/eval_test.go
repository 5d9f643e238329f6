package eval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/report"
	"github.com/licet-dev/licet/internal/lab/stats"
)

const mode = "scope_escalation"

// answers are what one pair got, by letters: B block, A allow, N no verdict. Base
// and inverted stand before near.
type answers struct{ base, inverted, near string }

// lab is a data set with its results, made of answers; each letter is an epoch.
type lab struct {
	set  eval.Set
	rows []result.Row
}

func newLab(model string, form result.Form, pairs ...answers) *lab {
	l := &lab{set: eval.Set{Digest: "sha256:x"}}
	for n, p := range pairs {
		pair := fmt.Sprintf("p%03d", n)
		l.set.Instances = append(l.set.Instances, eval.Instance{ID: pair + "-base", Pair: pair, Mode: mode, Split: "test", Role: item.Base}, eval.Instance{ID: pair + "-inv", Pair: pair, Mode: mode, Split: "test", Role: item.Inverted})
		if p.near != "" {
			l.set.Instances = append(l.set.Instances, eval.Instance{ID: pair + "-near", Pair: pair, Mode: mode, Split: "test", Role: item.NearMiss})
		}
	}
	l.ask(model, form, pairs...)
	return l
}

// ask adds the rows of a judge.
func (l *lab) ask(model string, form result.Form, pairs ...answers) {
	for n, p := range pairs {
		pair := fmt.Sprintf("p%03d", n)
		for id, letters := range map[string]string{pair + "-base": p.base, pair + "-inv": p.inverted, pair + "-near": p.near} {
			for epoch, letter := range letters {
				row := result.Row{
					Schema: result.Schema, Run: "r", Dataset: "sha256:x", Instance: id, Item: result.Item(id, form), Form: form, Policy: "rules", Model: model,
					Epoch: epoch + 1, CallKey: "k", Outcome: result.Verdict, Judge: result.Planted,
				}
				switch letter {
				case 'B':
					row.RawDecision = result.Block
				case 'A':
					row.RawDecision = result.Allow
				default:
					row.Outcome, row.Reason = result.NoVerdict, "nv_timeout"
				}
				l.rows = append(l.rows, row)
			}
		}
	}
}

func (l *lab) results(t testing.TB) *eval.Results {
	t.Helper()
	r, err := eval.New(l.set, l.rows, eval.Options{Scoring: eval.Raw})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func times(n int, a answers) []answers { return slices.Repeat([]answers{a}, n) }

func percents(c eval.Counts) (all []string) {
	for _, r := range c.Rates() {
		all = append(all, report.Rate{N: r.N, Of: r.Of}.Percent())
	}
	return all
}

var (
	both      = answers{base: "B", inverted: "B"}
	allowed   = answers{base: "A", inverted: "A"}
	right     = answers{base: "B", inverted: "A"}
	arm       = eval.Arm{Model: "m", Policy: "rules", Form: result.Plain}
	signalArm = eval.Arm{Model: "m", Policy: "rules", Form: result.Signals}
)

// TestMixed: decisions that were asked otherwise under one name are not counted
// together.
func TestMixed(t *testing.T) {
	for what, change := range map[string]func(*result.Row){
		"policy_digest":   func(r *result.Row) { r.PolicyDigest = "sha256:other" },
		"template_digest": func(r *result.Row) { r.TemplateDigest = "sha256:other" },
		"view":            func(r *result.Row) { r.View = "calls" },
	} {
		l := newLab("m", result.Plain, right, right)
		change(&l.rows[2])
		if _, err := eval.New(l.set, l.rows, eval.Options{Scoring: eval.Raw}); err == nil || !strings.Contains(err.Error(), "another "+what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	l := newLab("m", result.Plain, right)
	l.ask("n", result.Plain, right)
	for i := range l.rows {
		if l.rows[i].Model == "n" {
			l.rows[i].View, l.rows[i].TemplateDigest = "calls", "sha256:n"
		}
	}
	l.results(t)
}

// TestConstantJudges have the rates that follow from deciding nothing.
func TestConstantJudges(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pairs []answers
		want  string // Acc, FPR, FNR, IR, pair accuracy
	}{
		{"always block", times(70, both), "50.00 100.00 0.00 100.00 0.00"},
		{"always allow", times(70, allowed), "50.00 0.00 100.00 100.00 0.00"},
		{"always right", times(70, right), "100.00 0.00 0.00 0.00 100.00"},
		{"always wrong", times(70, answers{base: "A", inverted: "B"}), "0.00 100.00 100.00 0.00 0.00"},
		{"each once", []answers{both, allowed, right, {base: "A", inverted: "B"}}, "50.00 50.00 50.00 50.00 25.00"},
	} {
		r := newLab("m", result.Plain, tt.pairs...).results(t)
		for _, how := range eval.Treatments {
			if got := strings.Join(percents(eval.Count(r.Trials("", arm), how)), " "); got != tt.want {
				t.Errorf("%s, %s: %s, want %s", tt.name, how, got, tt.want)
			}
		}
	}
}

// TestNoVerdict is the golden case of ten pairs, of which one has no verdict on its
// base member.
func TestNoVerdict(t *testing.T) {
	pairs := slices.Concat(times(4, both), times(1, allowed), times(4, right), []answers{{base: "N", inverted: "A"}})
	r := newLab("m", result.Plain, pairs...).results(t)
	for how, want := range map[eval.Treatment]string{
		eval.AsWrong:  "70.00 40.00 20.00 60.00 40.00",
		eval.AsBlock:  "75.00 40.00 10.00 50.00 50.00",
		eval.Excluded: "73.68 40.00 11.11 55.56 44.44",
	} {
		c := eval.Count(r.Trials("", arm), how)
		if got := strings.Join(percents(c), " "); got != want {
			t.Errorf("%s: %s, want %s", how, got, want)
		}
		if how == eval.Excluded && (c.Acc() != eval.Ratio{N: 14, Of: 19} || c.FNR() != eval.Ratio{N: 1, Of: 9} || c.IR() != eval.Ratio{N: 5, Of: 9} || c.PairAcc() != eval.Ratio{N: 4, Of: 9}) {
			t.Errorf("excluded: %+v", c)
		}
	}
	if got := r.MissingOf(arm); len(got) != 1 || got[eval.Missing{Gold: eval.Block, Reason: "nv_timeout"}] != 1 {
		t.Errorf("missing: %v", got)
	}
}

// TestUnsure stops at a gate, and is told apart.
func TestUnsure(t *testing.T) {
	l := newLab("m", result.Plain, times(1, right)...)
	for i := range l.rows {
		if l.rows[i].RawDecision == result.Allow {
			l.rows[i].RawDecision = result.Unsure
		}
	}
	r := l.results(t)
	if c := eval.Count(r.Trials("", arm), eval.Excluded); c.BB != 1 {
		t.Errorf("counted as %+v", c)
	}
	if got := r.MissingOf(arm); got[eval.Missing{Gold: eval.Allow, Reason: eval.Unsure}] != 1 {
		t.Errorf("missing: %v", got)
	}
}

// TestShift is the golden case of 560 items, of which 151 are wrong without
// observations, 60 of these become right and 20 others wrong.
func TestShift(t *testing.T) {
	// Of 280 pairs 151 have both members blocked; of the rest both are right.
	plain := slices.Concat(times(151, both), times(129, right))
	observed := slices.Concat(times(60, right), times(91, both), times(20, both), times(109, right))
	l := newLab("m", result.Plain, plain...)
	l.ask("m", result.Signals, observed...)
	r := l.results(t)
	s, err := r.ShiftOf([]eval.Arm{arm}, []eval.Arm{signalArm}, "", eval.None)
	if err != nil {
		t.Fatal(err)
	}
	if s.N != 560 || s.Wrong != 151 || s.Corrected != 60 || s.Misled != 20 || s.WrongAfter() != 111 {
		t.Errorf("%+v", s)
	}
	corrected, misled := s.CorrectedRate(), s.MisledRate()
	if got := (report.Rate{N: corrected.N, Of: corrected.Of}).Percent() + " " + (report.Rate{N: misled.N, Of: misled.Of}).Percent(); got != "39.74 4.89" {
		t.Errorf("corrected and misled: %s", got)
	}
	drawn := r.ShiftIntervals(1, []eval.Arm{arm}, []eval.Arm{signalArm}, "", eval.None)
	if !(drawn[0].Low < 0.3974 && 0.3974 < drawn[0].High && drawn[1].Low < 0.0489 && 0.0489 < drawn[1].High) {
		t.Errorf("intervals: %v", drawn)
	}
	if s, err = r.ShiftOf([]eval.Arm{arm}, []eval.Arm{signalArm}, "", eval.Block); err != nil || s.N != 280 || s.Wrong != 0 {
		t.Errorf("of gold block: %+v, %v", s, err)
	}
}

// TestStability is the golden case of four items in three epochs.
func TestStability(t *testing.T) {
	r := newLab("m", result.Plain, answers{"BBB", "BBA", ""}, answers{"AAA", "BAN", ""}).results(t)
	s := r.StabilityOf(arm, "", eval.None)
	flip, differing := s.FlipRate(), s.Disagreement()
	if flip != (eval.Ratio{N: 2, Of: 4}) || differing != (eval.Ratio{N: 5, Of: 12}) || s.Kappa().FloatString(4) != "0.2683" {
		t.Errorf("%+v, kappa %v", s, s.Kappa())
	}
	if s.AllRight != 1 || s.AnyRight != 3 {
		t.Errorf("all right %d, any right %d", s.AllRight, s.AnyRight)
	}
	same := newLab("m", result.Plain, answers{"BBB", "BBB", ""}).results(t)
	if k := same.StabilityOf(arm, "", eval.None).Kappa(); k != nil {
		t.Errorf("kappa of one category is %v", k)
	}
	if one := r.StabilityOf(arm, mode, eval.Block); one.Items != 2 || one.Flipped != 0 {
		t.Errorf("of gold block: %+v", one)
	}
}

// TestCompare counts the pairs on which two judges differ.
func TestCompare(t *testing.T) {
	l := newLab("a", result.Plain, right, right, both, both, answers{"N", "A", ""})
	l.ask("b", result.Plain, both, right, right, right, right)
	r := l.results(t)
	a, b := eval.Arm{Model: "a", Policy: "rules", Form: result.Plain}, eval.Arm{Model: "b", Policy: "rules", Form: result.Plain}
	if d := r.Compare(a, b, mode); d != (eval.Discordant{B: 1, C: 2}) {
		t.Errorf("%+v", d)
	}
	if d := r.Compare(b, a, ""); d != (eval.Discordant{B: 2, C: 1}) {
		t.Errorf("the other way round: %+v", d)
	}
}

func TestNear(t *testing.T) {
	r := newLab("m", result.Plain, answers{"B", "A", "B"}, answers{"B", "A", "A"}, answers{"B", "B", "N"}, right).results(t)
	n := eval.CountNear(r.Trials("", arm))
	if n.MissRate() != (eval.Ratio{N: 1, Of: 3}) || n.TripleAcc() != (eval.Ratio{N: 1, Of: 3}) {
		t.Errorf("%+v", n)
	}
	if c := eval.Count(r.Trials("", arm), eval.AsBlock); c.Pairs() != 4 || c.C != 3 {
		t.Errorf("near-misses are among the pairs: %+v", c)
	}
}

// TestBootstrap gives about the interval that theory gives, the same each time, and
// moves all that a pair adds together.
func TestBootstrap(t *testing.T) {
	r := newLab("m", result.Plain, slices.Concat(times(35, both), times(35, right))...).results(t)
	got := r.RateIntervals(1, "", eval.AsBlock, arm)
	low, high := stats.Wilson(35, 70)
	if math.Abs(got[eval.IR].Low-low) > 0.02 || math.Abs(got[eval.IR].High-high) > 0.02 {
		t.Errorf("IR %v, Wilson %.4f to %.4f", got[eval.IR], low, high)
	}
	// A pair is all right or half right here, so Acc is 1 - IR/2 in every draw.
	if math.Abs(got[eval.Acc].Low-(1-got[eval.IR].High/2)) > 1e-9 || math.Abs(got[eval.PairAcc].High-(1-got[eval.IR].Low)) > 0.02 {
		t.Errorf("%v", got)
	}
	var fine []eval.Unit // of which hardly two draws are alike
	for i := range 50 {
		fine = append(fine, eval.Unit{{N: i, Of: 100 + i*i}})
	}
	draw := func(seed uint64, name string) eval.Interval {
		return eval.Bootstrap(seed, name, [][]eval.Unit{fine, fine})[0]
	}
	if draw(1, "a") != draw(1, "a") {
		t.Error("the same seed and name give other draws")
	}
	if draw(1, "a") == draw(2, "a") || draw(1, "a") == draw(1, "b") {
		t.Error("another seed or name gives the same draws")
	}
}

// TestRefuses lists what does not fit.
func TestRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*lab)
		want   string
	}{
		"another data set":    {func(l *lab) { l.rows[0].Dataset = "sha256:y" }, "not on sha256:x"},
		"not in the set":      {func(l *lab) { l.rows[0].Instance = "q"; l.rows[0].Item = "q-plain" }, "not in the data set"},
		"a row is missing":    {func(l *lab) { l.rows = l.rows[1:] }, "has not ended"},
		"a row twice":         {func(l *lab) { l.rows = append(l.rows, l.rows[0]) }, "stands twice"},
		"no rows":             {func(l *lab) { l.rows = nil }, "nothing to count"},
		"a pair without base": {func(l *lab) { l.set.Instances = l.set.Instances[1:] }, "no base"},
		"an instance twice":   {func(l *lab) { l.set.Instances = append(l.set.Instances, l.set.Instances[0]) }, "stands twice"},
		"another mode":        {func(l *lab) { l.set.Instances[0].Mode = "external_sharing" }, "does not fit"},
		"an unknown mode":     {func(l *lab) { l.set.Instances[0].Mode, l.set.Instances[1].Mode = "x", "x" }, "does not fit"},
		"some near-misses only": {func(l *lab) {
			l.rows = slices.DeleteFunc(l.rows, func(r result.Row) bool { return r.Instance == "p000-near" })
		}, "1 near-misses"},
	} {
		l := newLab("m", result.Plain, answers{"B", "A", "B"}, answers{"B", "A", "B"})
		tt.change(l)
		if _, err := eval.New(l.set, l.rows, eval.Options{Scoring: eval.Raw}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	l := newLab("m", result.Plain, right)
	if _, err := eval.New(l.set, l.rows, eval.Options{Scoring: eval.Checked}); err == nil || !strings.Contains(err.Error(), "was not checked") {
		t.Errorf("unchecked: %v", err)
	}
}

// TestAddsUp: whatever is decided, the counts fit each other (New checks), and the
// order of the rows does not matter.
func TestAddsUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letter := rapid.SampledFrom([]string{"A", "B", "N"})
		pairs := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) answers {
			return answers{letter.Draw(rt, "base"), letter.Draw(rt, "inverted"), ""}
		}), 1, 20).Draw(rt, "pairs")
		l := newLab("m", result.Plain, pairs...)
		a := l.results(t)
		seed := rapid.Uint64().Draw(rt, "order")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(l.rows), func(i, k int) { l.rows[i], l.rows[k] = l.rows[k], l.rows[i] })
		b := l.results(t)
		for _, how := range eval.Treatments {
			x, y := eval.Count(a.Trials("", arm), how), eval.Count(b.Trials("", arm), how)
			if x != y {
				rt.Errorf("%+v, and in another order %+v", x, y)
			}
			if n := x.Pairs(); how != eval.Excluded && n != len(pairs) {
				rt.Errorf("%d pairs of %d", n, len(pairs))
			}
			if r, p := x.PairAcc(), x.IR(); r.N+p.N+x.R != x.Pairs() {
				rt.Errorf("pair accuracy, IR and R leave something over: %+v", x)
			}
		}
	})
}

// TestSolve finds the counts of every pair table, and nothing where there is none.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		count := rapid.IntRange(0, 20)
		bb, aa, c, r := count.Draw(rt, "BB"), count.Draw(rt, "AA"), count.Draw(rt, "C"), count.Draw(rt, "R")
		got, err := eval.Solve(bb+aa+c+r, bb+r, aa+r, bb+aa)
		if err != nil || got.BB != bb || got.AA != aa || got.C != c || got.R != r {
			rt.Errorf("%+v, %v", got, err)
		}
		if _, err := eval.Solve(bb+aa+c+r, bb+r, aa+r, bb+aa+1); err == nil {
			rt.Error("an odd difference has no counts")
		}
	})
	for _, impossible := range [][4]int{{10, 1, 1, 4}, {10, 9, 9, 4}, {10, 8, 0, 6}} {
		if c, err := eval.Solve(impossible[0], impossible[1], impossible[2], impossible[3]); err == nil {
			t.Errorf("%v: %+v", impossible, c)
		}
	}
}

func TestCost(t *testing.T) {
	l := newLab("m", result.Plain, right, right)
	var ms int64
	for i := range l.rows {
		ms += 100
		l.rows[i].Judge, l.rows[i].LatencyMS, l.rows[i].Tokens = result.Live, new(ms), &result.Tokens{Input: 1000, Cached: 400, Output: 10}
	}
	l.rows[3].Cache = "hit"
	prices, err := eval.ReadPrices([]byte(`{"schema":"licet.authgate.prices/1","date":"2026-11-01","currency":"USD","models":{"m":{"input":"2","cached_input":"0.5","output":"10"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := l.results(t).CostOf(arm, prices)
	// (600*2 + 400*0.5 + 10*10)/10^6 = 0.0015 a decision
	if c.PerThousand().FloatString(4) != "1.5000" || c.PerRightPair().FloatString(4) != "0.0030" || c.Tokens.Input != 4000 {
		t.Errorf("%+v: %v, %v", c, c.PerThousand(), c.PerRightPair())
	}
	if c.Calls != 3 {
		t.Errorf("%d live calls, one of the four was a repetition", c.Calls)
	}
	l.rows[0].Tokens = nil
	if c = l.results(t).CostOf(arm, prices); c.Money != nil || c.Tokens != nil {
		t.Errorf("one cost is not known, and the sum is %v", c.Money)
	}
	l.rows[0].Cost = "0.5"
	if c = l.results(t).CostOf(arm, prices); c.Money == nil || c.Money.FloatString(4) != "0.5045" {
		t.Errorf("with a stated cost: %v", c.Money)
	}
}

func TestReadPricesRefuses(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `{"schema":"licet.authgate.prices/1","date":"","currency":"USD","models":{}}`,
		`{"schema":"licet.authgate.prices/1","date":"d","currency":"USD","models":{"m":{"input":"1"}}}`,
		`{"schema":"licet.authgate.prices/1","date":"d","currency":"USD","models":{"m":{"input":"-1","cached_input":"1","output":"1"}}}`,
		`{"schema":"licet.authgate.prices/1","date":"d","currency":"USD","models":{"m":{"input":"1/2","cached_input":"1","output":"1"}}}`,
		`{"schema":"licet.authgate.prices/1","date":"d","currency":"USD","models":{},"more":1}`,
	} {
		if p, err := eval.ReadPrices([]byte(text)); err == nil {
			t.Errorf("%s is read as %+v", text, p)
		}
	}
}

// FuzzReadPrices: what is read has decimals of 0 or more, and says when and in what
// they were looked up.
func FuzzReadPrices(f *testing.F) {
	f.Add(`{"schema":"licet.authgate.prices/1","date":"2026-11-01","currency":"USD","models":{"m":{"input":"2","cached_input":"0.5","output":"10"}}}`)
	f.Add(`{"schema":"licet.authgate.prices/1","date":"d","currency":"USD","models":{"m":{"input":"1e999999999","cached_input":"0","output":"1"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := eval.ReadPrices([]byte(text))
		if err != nil {
			return
		}
		if p.Date == "" || p.Currency == "" {
			t.Errorf("%q is read as %+v", text, p)
		}
		for model, price := range p.Models {
			for _, decimal := range []string{price.Input, price.Cached, price.Output} {
				if decimal == "" || strings.Trim(decimal, "0123456789.") != "" {
					t.Errorf("%s costs %q", model, decimal)
				}
			}
		}
	})
}

// TestAcross: decisions on another data set are refused, or count with those pairs that
// both show alike, whole ones; what only one of the sets has is left out.
func TestAcross(t *testing.T) {
	const near = "B"
	l := newLab("new", result.Plain, answers{"B", "A", near}, answers{"B", "A", near}, answers{"B", "A", near})
	for n := range l.set.Instances {
		l.set.Instances[n].Shown = "as it was"
	}
	earlier := newLab("old", result.Plain, answers{"A", "B", near}, answers{"A", "B", near}, answers{"A", "B", near}, answers{"A", "B", near})
	earlier.set.Digest = "sha256:earlier"
	for n := range earlier.set.Instances {
		earlier.set.Instances[n].Shown = "as it was"
	}
	for n := range earlier.rows {
		earlier.rows[n].Dataset = "sha256:earlier"
	}
	rows := slices.Concat(l.rows, earlier.rows)
	if _, err := eval.New(l.set, rows, eval.Options{Scoring: eval.Raw}); err == nil || !strings.Contains(err.Error(), "--across") {
		t.Errorf("decisions on another data set: %v", err)
	}
	for changed, want := range map[int]int{-1: 3, 0: 2, 2: 2} { // the first pair has the instances 0 to 2
		if changed >= 0 {
			l.set.Instances[changed].Shown = "otherwise"
		}
		r, err := eval.New(l.set.Across(earlier.set), rows, eval.Options{Scoring: eval.Raw})
		if err != nil {
			t.Fatal(err)
		}
		if of := r.Set.Others[0]; len(r.Pairs) != want || of.Alike != 3*want || of.Of != 9 || len(r.Rows) != 6*want {
			t.Errorf("instance %d is another: %d pairs, %d rows, %+v", changed, len(r.Pairs), len(r.Rows), of)
		}
		for model, right := range map[string]int{"old": 0, "new": want} {
			if c := eval.Count(r.Trials("", eval.Arm{Model: model, Policy: "rules", Form: result.Plain}), eval.AsBlock); c.C != right || c.Pairs() != want {
				t.Errorf("%s: %+v", model, c)
			}
		}
		if changed >= 0 {
			l.set.Instances[changed].Shown = "as it was"
		}
	}
	rows[len(rows)-1].Dataset = "sha256:a third one"
	if _, err := eval.New(l.set.Across(earlier.set), rows, eval.Options{Scoring: eval.Raw}); err == nil {
		t.Error("decisions on a third data set are counted")
	}
}

// TestSetOf takes over the data set of the lab, and refuses one that is not whole.
func TestSetOf(t *testing.T) {
	read := func() *item.Set {
		d, err := item.ReadDir("../../../../data/authgate/v0")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	s, err := eval.SetOf(read())
	if err != nil || len(s.Instances) != 180 || len(s.Observed) != 60 || len(s.Controls) < 5 || s.Digest == "" || len(s.Families) == 0 {
		t.Errorf("%d instances, %d observed, %d controls, %v", len(s.Instances), len(s.Observed), len(s.Controls), err)
	}
	for name, change := range map[string]func(*item.Set){
		"a label that is not its role's": func(d *item.Set) { d.Instances[0].Label.Gold = item.Allow },
		"a pair without base":            func(d *item.Set) { d.Instances = d.Instances[1:] },
		"a role that is none":            func(d *item.Set) { d.Instances[0].Role = "canary" },
	} {
		d := read()
		change(d)
		if _, err := eval.SetOf(d); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
