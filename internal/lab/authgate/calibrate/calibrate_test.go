package calibrate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/lab/authgate/calibrate"
)

// of makes points of "0.9+ 0.2-": a probability and whether allow is right.
func of(t testing.TB, text string) (all []calibrate.Point) {
	t.Helper()
	for _, word := range strings.Fields(text) {
		var p float64
		for i, c := range word[:len(word)-1] {
			if c != '.' {
				p += float64(c-'0') * math.Pow10(-max(0, i-1))
			}
		}
		all = append(all, calibrate.Point{P: p, Allow: word[len(word)-1] == '+'})
	}
	return all
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestMeasure(t *testing.T) {
	m := calibrate.Measure(of(t, "0.1- 0.4- 0.35+ 0.8+"))
	// Of the four pairs of labels one is in the wrong order.
	if !near(m.AUROC, 0.75) || !near(m.Brier, (0.01+0.16+0.4225+0.04)/4) {
		t.Errorf("%+v", m)
	}
	// Each point is a bin here: the mean distance is that of the points.
	if !near(m.ECE, (0.1+0.4+0.65+0.2)/4) || len(m.Bins) != 4 {
		t.Errorf("%+v", m)
	}
	// From the surest: 0.1 and 0.8 right, 0.35 wrong, 0.4 right.
	want := []calibrate.Risk{{Wrong: 0, Covered: 1}, {Wrong: 0, Covered: 2}, {Wrong: 1, Covered: 3}, {Wrong: 1, Covered: 4}}
	for i, r := range m.Risks {
		if r != want[i] {
			t.Errorf("risk %d is %+v, want %+v", i, r, want[i])
		}
	}
	if ties := calibrate.Measure(of(t, "0.5+ 0.5- 0.5- 0.5+")); !near(ties.AUROC, 0.5) || len(ties.Bins) != 1 || ties.ECE != 0 {
		t.Errorf("of one probability: %+v", ties)
	}
	if one := calibrate.Measure(of(t, "0.5+ 0.9+")); !math.IsNaN(one.AUROC) {
		t.Errorf("of one label: %+v", one)
	}
	if none := calibrate.Measure(nil); none.N != 0 || none.Bins != nil {
		t.Errorf("of nothing: %+v", none)
	}
}

// TestBins: a hundred points in ten bins of ten, and no tie is torn.
func TestBins(t *testing.T) {
	var points []calibrate.Point
	for i := range 100 {
		points = append(points, calibrate.Point{P: float64(i) / 100, Allow: i%2 == 0})
	}
	m := calibrate.Measure(points)
	if len(m.Bins) != 10 || m.Bins[0].N != 10 || m.Bins[9].N != 10 || m.Bins[3].Allow != 5 {
		t.Errorf("%+v", m.Bins)
	}
	for i := range 45 {
		points[i].P = 0.1
	}
	if m = calibrate.Measure(points); len(m.Bins) != 7 || m.Bins[0].N != 45 || m.Bins[1].N != 5 {
		t.Errorf("with a tie of 45: %+v", m.Bins)
	}
}

func TestIsotonic(t *testing.T) {
	m, err := calibrate.Fit(of(t, "0.1- 0.2+ 0.3- 0.6+ 0.6- 0.9+"), calibrate.Isotonic)
	if err != nil {
		t.Fatal(err)
	}
	// 0.2 and 0.3 violate the order and are pooled with the tie at 0.6.
	for stated, want := range map[float64]float64{0: 0, 0.1: 0, 0.19: 0, 0.2: 0.5, 0.5: 0.5, 0.6: 0.5, 0.8: 0.5, 0.9: 1, 1: 1} {
		if got := m.P(stated); !near(got, want) {
			t.Errorf("%v: %v, want %v", stated, got, want)
		}
	}
}

// TestPlatt recovers the sigmoid that points were drawn from.
func TestPlatt(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var points []calibrate.Point
	for range 20_000 {
		p := random.Float64()
		points = append(points, calibrate.Point{P: p, Allow: random.Float64() < 1/(1+math.Exp(-6*p+2))})
	}
	m, err := calibrate.Fit(points, calibrate.Platt)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{0, 0.3, 0.7, 1} {
		if want := 1 / (1 + math.Exp(-6*p+2)); math.Abs(m.P(p)-want) > 0.02 {
			t.Errorf("%v: %v, want about %v", p, m.P(p), want)
		}
	}
	if separated, err := calibrate.Fit(of(t, "0.1- 0.2- 0.8+ 0.9+"), calibrate.Platt); err != nil || separated.P(0.9) <= 0.5 || separated.P(0.1) >= 0.5 {
		t.Errorf("separated: %+v, %v", separated, err)
	}
}

// TestMonotone: no map turns an order round, and on the points that it was learned
// from isotonic regression is calibrated and no worse than what was stated.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) calibrate.Point {
			return calibrate.Point{P: float64(rapid.IntRange(0, 100).Draw(rt, "p")) / 100, Allow: rapid.Bool().Draw(rt, "allow")}
		}), 2, 60).Draw(rt, "points")
		for _, method := range []calibrate.Method{calibrate.Isotonic, calibrate.Platt} {
			m, err := calibrate.Fit(points, method)
			if err != nil {
				return // all of one label
			}
			up := m.P(1) >= m.P(0)
			for i := range 100 {
				a, b := m.P(float64(i)/100), m.P(float64(i+1)/100)
				if a < 0 || b > 1 || up && a > b || !up && a < b {
					rt.Errorf("%s: %v then %v at %d", method, a, b, i)
				}
			}
			if method == calibrate.Isotonic {
				var mapped []calibrate.Point
				for _, p := range points {
					mapped = append(mapped, calibrate.Point{P: m.P(p.P), Allow: p.Allow})
				}
				if before, after := calibrate.Measure(points), calibrate.Measure(mapped); after.Brier > before.Brier+1e-5 {
					rt.Errorf("Brier %v, was %v", after.Brier, before.Brier)
				}
			}
		}
	})
}

func TestFile(t *testing.T) {
	var f calibrate.File
	f.Dataset, f.Split, f.Scoring = "sha256:x", "dev", "raw"
	for _, method := range []calibrate.Method{calibrate.Isotonic, calibrate.Platt} {
		m, err := calibrate.Fit(of(t, "0.1- 0.2+ 0.3- 0.9+"), method)
		if err != nil {
			t.Fatal(err)
		}
		f.Maps = append(f.Maps, calibrate.Entry{Policy: "rules", Model: string(method), Source: "stated", Points: 4, Map: m})
	}
	text, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := calibrate.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := got.Of("rules", "platt", "stated"); !ok || m.P(0.4) != f.Maps[1].Map.P(0.4) {
		t.Errorf("%+v", got)
	}
	if _, ok := got.Of("rules", "platt", "votes"); ok {
		t.Error("a map of another source is none")
	}
	for name, change := range map[string]func(string) string{
		"another number": func(s string) string { return strings.Replace(s, `"points": 4`, `"points": 5`, 1) },
		"a member":       func(s string) string { return strings.Replace(s, `"split"`, `"more": 1, "split"`, 1) },
		"no digest":      func(s string) string { return strings.Replace(s, got.Digest, "", 1) },
	} {
		changed := change(strings.ReplaceAll(string(text), "\t", " "))
		if changed == strings.ReplaceAll(string(text), "\t", " ") {
			t.Fatalf("%s: nothing is changed", name)
		}
		if _, err := calibrate.Read([]byte(changed)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	f.Maps[0].Map.Steps[0].P = "2"
	if text, err = f.Bytes(); err != nil {
		t.Fatal(err)
	}
	if _, err := calibrate.Read(text); err == nil {
		t.Error("a probability of 2 is read")
	}
}

func TestFitRefuses(t *testing.T) {
	for _, points := range []string{"", "0.1+", "0.1- 0.9-"} {
		if m, err := calibrate.Fit(of(t, points), calibrate.Isotonic); err == nil {
			t.Errorf("%q: %+v", points, m)
		}
	}
	if _, err := calibrate.Fit(of(t, "0.1- 0.9+"), "guess"); err == nil {
		t.Error("a method that is none")
	}
}

// FuzzRead: what is read is written and read again the same.
func FuzzRead(f *testing.F) {
	m, err := calibrate.Fit(of(f, "0.1- 0.9+"), calibrate.Isotonic)
	if err != nil {
		f.Fatal(err)
	}
	text, err := calibrate.File{Dataset: "x", Maps: []calibrate.Entry{{Policy: "p", Model: "m", Source: "s", Map: m}}}.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		file, err := calibrate.Read([]byte(text))
		if err != nil {
			return
		}
		again, err := file.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if other, err := calibrate.Read(again); err != nil || other.Digest != file.Digest {
			t.Errorf("%+v, and again %+v, %v", file, other, err)
		}
		for _, e := range file.Maps {
			if p := e.Map.P(0.5); !(p >= 0 && p <= 1) {
				t.Errorf("%+v gives %v", e.Map, p)
			}
		}
	})
}
