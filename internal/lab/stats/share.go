package stats

import (
	"cmp"
	"math"
	"slices"
)

// Ratio is so many of so many. As a task it is the sum over its runs and their
// number: successes of runs, points of runs, or differences of pairs of runs.
type Ratio struct{ N, Of int }

// Value is the quotient. Of nothing it is no number.
func (r Ratio) Value() float64 { return float64(r.N) / float64(r.Of) }

// compare compares quotients exactly; Of is positive.
func (r Ratio) compare(o Ratio) int { return cmp.Compare(r.N*o.Of, o.N*r.Of) }

// minus is the difference of two ratios over their common denominator.
func (r Ratio) minus(o Ratio) Ratio { return Ratio{r.N*o.Of - o.N*r.Of, r.Of * o.Of} }

// Sum adds up tasks.
func Sum(tasks []Ratio) (sum Ratio) {
	for _, t := range tasks {
		sum.N += t.N
		sum.Of += t.Of
	}
	return sum
}

// z is the 97.5th percentile of the standard normal distribution.
const z = 1.959963984540054

// Wilson returns the 95 % score interval of a share (E. B. Wilson, Probable
// inference, the law of succession, and statistical inference, JASA 22, 1927):
// which shares of a large population are compatible with n of of. Of nothing
// everything is.
func Wilson(n, of int) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	p, m := float64(n)/float64(of), float64(of)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m)) / (1 + z*z/m)
	low, high = centre-half, centre+half
	if n == 0 { // exact, where rounding would leave a trace
		low = 0
	}
	if n == of {
		high = 1
	}
	return low, high
}

// Clustered returns the 95 % interval of the mean over all runs by resampling tasks
// with their runs: the 251st and the 9,750th of the sorted means. Tasks without
// runs are not drawn. It reports false where there is none with any.
func Clustered(source Source, tasks []Ratio) (low, high Ratio, ok bool) {
	tasks = counted(tasks)
	if len(tasks) == 0 {
		return Ratio{}, Ratio{}, false
	}
	means := make([]Ratio, 0, Resamples)
	for sample := range Draws(source, len(tasks)) {
		means = append(means, sumOf(tasks, sample[0]))
	}
	low, high = bounds(means)
	return low, high, true
}

// Difference returns how much greater the mean of a is than that of b (difference
// in differences, if the tasks hold differences), and its 95 % interval by
// resampling the tasks of each; those of a are drawn first. It reports false where
// one of them has no runs.
func Difference(source Source, a, b []Ratio) (mean, low, high Ratio, ok bool) {
	a, b = counted(a), counted(b)
	if len(a) == 0 || len(b) == 0 {
		return Ratio{}, Ratio{}, Ratio{}, false
	}
	means := make([]Ratio, 0, Resamples)
	for sample := range Draws(source, len(a), len(b)) {
		means = append(means, sumOf(a, sample[0]).minus(sumOf(b, sample[1])))
	}
	low, high = bounds(means)
	return Sum(a).minus(Sum(b)), low, high, true
}

func counted(tasks []Ratio) []Ratio {
	return slices.DeleteFunc(slices.Clone(tasks), func(t Ratio) bool { return t.Of == 0 })
}

func sumOf(tasks []Ratio, drawn []int) (sum Ratio) {
	for _, i := range drawn {
		sum.N += tasks[i].N
		sum.Of += tasks[i].Of
	}
	return sum
}

func bounds(means []Ratio) (low, high Ratio) {
	slices.SortFunc(means, Ratio.compare)
	return means[Resamples/40], means[Resamples-Resamples/40-1]
}

// Cluster returns how alike the runs of a task are, for runs that succeed or not,
// and of how many independent runs all of them are worth: the intraclass
// correlation by one-way analysis of variance, cut to between 0 and 1, and the
// number of runs over 1 + (m-1) times that. m is the size of a task; where sizes
// differ, that of Donner (1986). Nothing that differs has correlation 0. Of a
// single task nothing is known, so its runs count as one.
func Cluster(tasks []Ratio) (correlation, effective float64) {
	tasks = counted(tasks)
	all, k := Sum(tasks), float64(len(tasks))
	if len(tasks) < 2 {
		return 1, min(k, 1)
	}
	n, squares, between, within := float64(all.Of), 0.0, 0.0, 0.0
	for _, t := range tasks {
		size, off := float64(t.Of), t.Value()-all.Value()
		squares += size * size
		between += size * off * off
		within += size * t.Value() * (1 - t.Value())
	}
	m := (n - squares/n) / (k - 1)
	between /= k - 1
	if within > 0 { // else each task has one run, or all of its runs are alike
		within /= n - k
	}
	if all := between + (m-1)*within; all > 0 {
		correlation = min(max((between-within)/all, 0), 1)
	}
	return correlation, Effective(all.Of, m, correlation)
}

// Effective returns of how many independent runs n runs in tasks of m are worth.
func Effective(n int, m, correlation float64) float64 {
	return float64(n) / (1 + (m-1)*correlation)
}

// Quotient returns the mean of a over that of b, as of a gain over what it costs, and
// its 95 % interval by resampling the tasks of each; those of a are drawn first.
// Samples in which the mean of b is 0 are left out. It reports false where one of them
// has no runs, or the interval of the mean of b has 0 in it: then nothing is known to
// be divided by.
func Quotient(source, again Source, a, b []Ratio) (quotient, low, high Ratio, ok bool) {
	a, b = counted(a), counted(b)
	least, most, ok := Clustered(source, b)
	if !ok || len(a) == 0 || least.N <= 0 && most.N >= 0 {
		return Ratio{}, Ratio{}, Ratio{}, false
	}
	var all []Ratio
	for sample := range Draws(again, len(a), len(b)) {
		if cost := sumOf(b, sample[1]); cost.N != 0 {
			all = append(all, sumOf(a, sample[0]).over(cost))
		}
	}
	slices.SortFunc(all, Ratio.compare)
	return Sum(a).over(Sum(b)), all[len(all)/40], all[len(all)-len(all)/40-1], true
}

// over is the quotient of two ratios, the second of which is not 0, over a positive
// number.
func (r Ratio) over(o Ratio) Ratio {
	q := Ratio{r.N * o.Of, r.Of * o.N}
	if q.Of < 0 {
		q = Ratio{-q.N, -q.Of}
	}
	return q
}
