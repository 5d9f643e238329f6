package stats_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/lab/secbench/splitmix"
	"github.com/licet-dev/licet/internal/lab/stats"
)

// seed is that of the reference vectors; each statistic has a fresh generator.
func seed() *splitmix.Generator { g := splitmix.Generator(20260519); return &g }

// tasks are tasks of so many runs; after the sums that are given all are 0.
func tasks(count, runs int, sums ...int) []stats.Ratio {
	all := make([]stats.Ratio, count)
	for i := range all {
		all[i].Of = runs
	}
	for i, n := range sums {
		all[i].N = n
	}
	return all
}

// x is a vector of differences, or of successes, of 30 tasks with five runs each.
func x() []stats.Ratio { return tasks(30, 5, 5, 4, 3, 2, 1, 1) }

func sixDigits(rs ...stats.Ratio) string {
	var all []string
	for _, r := range rs {
		all = append(all, fmt.Sprintf("%.6f", r.Value()))
	}
	return strings.Join(all, " ")
}

func TestWilson(t *testing.T) {
	// Reference values to six digits, computed apart from this code.
	for _, tt := range []struct {
		n, of     int
		low, high float64
	}{
		{0, 150, 0, 0.024970}, {0, 100, 0, 0.036993}, {0, 30, 0, 0.113513}, {0, 5, 0, 0.434482}, {1, 150, 0.001178, 0.036793},
		{3, 150, 0.006825, 0.057147}, {8, 150, 0.027270, 0.101704}, {16, 150, 0.066730, 0.166246}, {21, 150, 0.093426, 0.204552},
		{30, 30, 0.886487, 1}, {0, 0, 0, 1},
	} {
		low, high := stats.Wilson(tt.n, tt.of)
		if math.Abs(low-tt.low) > 6e-7 || math.Abs(high-tt.high) > 6e-7 {
			t.Errorf("Wilson(%d, %d) = %.6f, %.6f, want %.6f, %.6f", tt.n, tt.of, low, high, tt.low, tt.high)
		}
	}
}

func TestClustered(t *testing.T) {
	low, high, ok := stats.Clustered(seed(), x())
	if !ok || low != (stats.Ratio{N: 4, Of: 150}) || high != (stats.Ratio{N: 31, Of: 150}) {
		t.Errorf("%v to %v", low, high)
	}
	if got := sixDigits(stats.Sum(x()), low, high); got != "0.106667 0.026667 0.206667" {
		t.Errorf("mean and interval %s", got)
	}
	// A task of which no run counts changes nothing, not even what is drawn.
	l, h, _ := stats.Clustered(seed(), append([]stats.Ratio{{}}, x()...))
	if l != low || h != high {
		t.Errorf("with an empty task %v to %v", l, h)
	}
	if _, _, ok := stats.Clustered(seed(), []stats.Ratio{{}}); ok {
		t.Error("an interval of nothing")
	}
}

// TestBounds: of sums that hardly repeat, the bounds are elements 250 and 9749.
func TestBounds(t *testing.T) {
	fine := make([]stats.Ratio, 30)
	for i := range fine {
		fine[i] = stats.Ratio{N: 7*i*i + i, Of: 5}
	}
	var sums []int
	g := seed()
	for range stats.Resamples {
		sum := 0
		for range fine {
			sum += fine[g.Below(len(fine))].N
		}
		sums = append(sums, sum)
	}
	slices.Sort(sums)
	if sums[249] == sums[250] || sums[9748] == sums[9749] {
		t.Fatal("the sums repeat")
	}
	if low, high, _ := stats.Clustered(seed(), fine); low.N != sums[250] || high.N != sums[9749] {
		t.Errorf("%d to %d, want %d to %d", low.N, high.N, sums[250], sums[9749])
	}
}

func TestDifference(t *testing.T) {
	for controls, want := range map[int]string{16: "0.081667 -0.023333 0.193333", 20: "0.086667 -0.006667 0.196667"} {
		mean, low, high, ok := stats.Difference(seed(), x(), tasks(controls, 5, 2, 1, 0, -1))
		if got := sixDigits(mean, low, high); !ok || got != want {
			t.Errorf("%d controls: %s, want %s", controls, got, want)
		}
	}
	if _, _, _, ok := stats.Difference(seed(), x(), nil); ok {
		t.Error("a difference to nothing")
	}
}

// TestQuotient: a rate is known only where what is paid is known to differ from 0.
func TestQuotient(t *testing.T) {
	// Of six tasks each falls by 4 of 5, of the others each by 2 of 5: whatever is
	// drawn, 2 for 1.
	rate, low, high, ok := stats.Quotient(seed(), seed(), tasks(6, 5, 4, 4, 4, 4, 4, 4), tasks(3, 5, 2, 2, 2))
	if got := sixDigits(rate, low, high); !ok || got != "2.000000 2.000000 2.000000" {
		t.Errorf("%s, %v", got, ok)
	}
	rate, low, high, ok = stats.Quotient(seed(), seed(), tasks(2, 5, 4, 0), tasks(3, 5, -2, -2, -2))
	if got := sixDigits(rate, low, high); !ok || got != "-1.000000 -2.000000 0.000000" {
		t.Errorf("paid in the other direction: %s, %v", got, ok)
	}
	if _, _, _, ok := stats.Quotient(seed(), seed(), tasks(6, 5, 4), tasks(3, 5, 2, -2)); ok {
		t.Error("a rate, though nothing is paid")
	}
	if _, _, _, ok := stats.Quotient(seed(), seed(), nil, tasks(3, 5, 2, 2, 2)); ok {
		t.Error("a rate of nothing")
	}
}

func TestCluster(t *testing.T) {
	for correlation, want := range map[float64]string{0: "150.00", 0.3: "68.18", 0.6: "44.12", 0.9: "32.61", 1: "30.00"} {
		if got := fmt.Sprintf("%.2f", stats.Effective(150, 5, correlation)); got != want {
			t.Errorf("correlation %v: %s, want %s", correlation, got, want)
		}
	}
	for name, tt := range map[string]struct {
		tasks []stats.Ratio
		want  string
	}{
		"some":              {x(), "0.589623 44.66"},
		"no success":        {tasks(30, 5), "0.000000 150.00"},
		"all or nothing":    {tasks(2, 5, 5), "1.000000 2.00"},
		"less than chance":  {tasks(4, 2, 1, 1, 1, 1), "0.000000 8.00"},
		"one run each":      {tasks(4, 1, 1, 1), "1.000000 4.00"},
		"a single task":     {tasks(1, 5, 3), "1.000000 1.00"},
		"nothing":           {[]stats.Ratio{{}}, "1.000000 0.00"},
		"an empty one more": {append(x(), stats.Ratio{}), "0.589623 44.66"},
		// By hand: m = 5 - 13/5 = 12/5, MSB = 3/10, MSW = 1/6, so 2/15 over 8/15.
		"sizes differ": {[]stats.Ratio{{N: 1, Of: 2}, {N: 0, Of: 3}}, "0.250000 3.70"},
	} {
		correlation, effective := stats.Cluster(tt.tasks)
		if got := fmt.Sprintf("%.6f %.2f", correlation, effective); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestSignFlip(t *testing.T) {
	for name, tt := range map[string]struct {
		differences []int
		hits, of    int
	}{
		"x":          {append([]int{5, 4, 3, 2, 1, 1}, make([]int, 24)...), 2, 64},
		"two small":  {append([]int{5, 5, 5, 5, 1, -1}, make([]int, 24)...), 6, 64},
		"five equal": {[]int{3, 3, 3, 3, 3}, 2, 32},
		"all zero":   {make([]int, 30), 1, 1},
	} {
		if got := stats.SignFlip(nil, tt.differences); got != (stats.Flips{Exact: true, Hits: tt.hits, Of: tt.of}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	many := slices.Concat(slices.Repeat([]int{-1}, 7), slices.Repeat([]int{1}, 17), make([]int, 6))
	got := stats.SignFlip(seed(), many)
	if got.Exact || got.Hits != 657 || got.P().FloatString(6) != "0.065793" {
		t.Errorf("%+v, p = %s", got, got.P().FloatString(6))
	}
}

// TestSignFlipIsExact holds the exact test against every choice of signs.
func TestSignFlipIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moved := rapid.SliceOfN(rapid.IntRange(-5, 5).Filter(func(d int) bool { return d != 0 }), 0, 9).Draw(t, "differences")
		sum := func(signs int) (sum int) {
			for i, d := range moved {
				if signs>>i&1 == 1 {
					d = -d
				}
				sum += d
			}
			return max(sum, -sum)
		}
		hits := 0
		for signs := range 1 << len(moved) {
			if sum(signs) >= sum(0) {
				hits++
			}
		}
		if got := stats.SignFlip(nil, moved); got != (stats.Flips{Exact: true, Hits: hits, Of: 1 << len(moved)}) {
			t.Fatalf("%v: %+v, want %d hits", moved, got, hits)
		}
	})
}

func TestMcNemar(t *testing.T) {
	for d, want := range map[[2]int]string{
		{21, 1}: "1.09673e-05", {16, 0}: "3.05176e-05", {20, 0}: "1.90735e-06", {8, 3}: "0.226562", {7, 2}: "0.179688",
		{6, 1}: "0.125", {5, 0}: "0.0625", {4, 4}: "1", {0, 0}: "1",
		{1, 9}: "0.0214844", {3, 12}: "0.0351562", {0, 6}: "0.03125", {5, 5}: "1",
	} {
		p, _ := stats.McNemar(d[0], d[1]).Float64()
		if got := fmt.Sprintf("%.6g", p); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestHolm(t *testing.T) {
	for _, tt := range []struct{ ps, want string }{
		{"0.01 0.04 0.03 0.005", "0.030 0.060 0.060 0.020"},
		{"0.004 0.020 0.030 0.200 0.700", "0.020 0.080 0.090 0.400 0.700"},
		{"0.700 0.030 0.004 0.200 0.020", "0.700 0.090 0.020 0.400 0.080"},
		{"0.500 0.500", "1.000 1.000"},
	} {
		var ps []*big.Rat
		for _, text := range strings.Fields(tt.ps) {
			p, _ := new(big.Rat).SetString(text)
			ps = append(ps, p)
		}
		var got []string
		for _, p := range stats.Holm(ps) {
			got = append(got, p.FloatString(3))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.ps, got, tt.want)
		}
	}
}

func TestKappa(t *testing.T) {
	for want, counts := range map[string]stats.Agreement{
		"0.4000":    {{"a", "a"}: 20, {"a", "b"}: 5, {"b", "a"}: 10, {"b", "b"}: 15},
		"1.0000":    {{"a", "a"}: 24, {"b", "b"}: 12},
		"0.9400":    {{"a", "a"}: 23, {"a", "c"}: 1, {"b", "b"}: 12},
		"undefined": {{"a", "a"}: 7},
		"of none":   {},
	} {
		kappa := counts.Kappa()
		if kappa == nil && len(counts) < 2 {
			continue
		}
		if kappa == nil || kappa.FloatString(4) != want {
			t.Errorf("%v: %v, want %s", counts, kappa, want)
		}
	}
}

func TestRepeat(t *testing.T) {
	for _, tt := range []struct {
		task     stats.Ratio
		k        int
		any, all string
	}{
		{stats.Ratio{N: 1, Of: 5}, 3, "3/5", "0"}, {stats.Ratio{N: 2, Of: 5}, 3, "9/10", "0"}, {stats.Ratio{N: 3, Of: 5}, 3, "1", "1/10"},
		{stats.Ratio{N: 5, Of: 5}, 5, "1", "1"}, {stats.Ratio{N: 0, Of: 5}, 1, "0", "0"},
	} {
		got := stats.Repeat([]stats.Ratio{tt.task}, tt.k)
		if got.Any.RatString() != tt.any || got.All.RatString() != tt.all || got.Tasks != 1 || got.Short != 0 {
			t.Errorf("%+v, k = %d: %+v", tt.task, tt.k, got)
		}
	}
	// A task with a run too few drops out, and the rest is a mean over tasks.
	got := stats.Repeat([]stats.Ratio{{N: 1, Of: 5}, {N: 3, Of: 5}, {N: 2, Of: 2}}, 3)
	if got.Any.RatString() != "4/5" || got.All.RatString() != "1/20" || got.Tasks != 2 || got.Short != 1 {
		t.Errorf("%+v", got)
	}
	if got := stats.Repeat(tasks(1, 2), 3); got.Any != nil || got.All != nil || got.Short != 1 {
		t.Errorf("of no task: %+v", got)
	}
}
