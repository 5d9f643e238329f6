package eval

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/licet-dev/licet/internal/lab/stats"
)

// Interval is a 95 % interval of a share.
type Interval struct{ Low, High float64 }

// Unit is what one pair adds to ratios: all its rows together, as they depend on
// each other.
type Unit []Ratio

// Bootstrap returns percentile intervals of the ratios of the sums: units are drawn
// with replacement within each stratum, [stats.Resamples] times, and the bounds stand
// at ranks 250 and 9,750. A draw of which nothing is to count is left out, and the
// ranks move with it. name and seed choose the draws, so that they do not depend on
// what was drawn before.
func Bootstrap(seed uint64, name string, strata [][]Unit) []Interval {
	h := fnv.New64a()
	h.Write([]byte(name))
	var width int
	sizes := make([]int, len(strata))
	for i, s := range strata {
		sizes[i] = len(s)
		for _, u := range s {
			width = len(u)
		}
	}
	values := make([][]float64, width)
	sums := make([]Ratio, width)
	for sample := range stats.Draws(rand.NewPCG(seed, h.Sum64()), sizes...) {
		clear(sums)
		for i, drawn := range sample {
			for _, at := range drawn {
				for k, r := range strata[i][at] {
					sums[k].N += r.N
					sums[k].Of += r.Of
				}
			}
		}
		for k, s := range sums {
			if s.Of > 0 {
				values[k] = append(values[k], float64(s.N)/float64(s.Of))
			}
		}
	}
	all := make([]Interval, width)
	for k, v := range values {
		slices.Sort(v)
		if n := len(v); n > 0 {
			all[k] = Interval{v[max(n*250/stats.Resamples, 1)-1], v[max(n*9750/stats.Resamples, 1)-1]}
		}
	}
	return all
}

// Rates are the ratios of a cell in the order of [Counts.Rates].
const (
	Acc = iota
	FPR
	FNR
	IR
	PairAcc
)

// Rates returns Acc, FPR, FNR, IR and PairAcc.
func (c Counts) Rates() []Ratio { return []Ratio{c.Acc(), c.FPR(), c.FNR(), c.IR(), c.PairAcc()} }

// RateIntervals returns bootstrap intervals of the rates of arms on a mode, "" for
// all. Pairs are drawn within their mode, with what all arms decided on them.
func (r *Results) RateIntervals(seed uint64, mode string, how Treatment, arms ...Arm) []Interval {
	name := mode + "/" + how.String()
	for _, a := range arms {
		name += "/" + a.Model + "/" + a.Policy + "/" + string(a.Form)
	}
	return Bootstrap(seed, name, r.strata(r.Trials(mode, arms...), func(trials []Trial) Unit { return Count(trials, how).Rates() }))
}

// ShiftIntervals returns bootstrap intervals of corrected and misled, of what
// [Results.ShiftOf] counts.
func (r *Results) ShiftIntervals(seed uint64, from, to []Arm, mode string, gold Decision) []Interval {
	var before []Trial
	after := map[*Pair][]Trial{}
	for i := range from {
		plain, observed := r.both(mode, from[i], to[i])
		before = append(before, plain...)
		for _, t := range observed {
			after[t.Pair] = append(after[t.Pair], t)
		}
	}
	name := fmt.Sprintf("shift/%s/%d", mode, gold)
	for _, a := range slices.Concat(from, to) {
		name += "/" + a.Model + "/" + a.Policy + "/" + string(a.Form)
	}
	return Bootstrap(seed, name, r.strata(before, func(before []Trial) Unit {
		var s Shift
		for i, t := range before {
			for _, m := range members(t, after[t.Pair][i]) {
				s.addOf(m, gold)
			}
		}
		return Unit{s.CorrectedRate(), s.MisledRate()}
	}))
}

// strata returns the units of each mode.
func (r *Results) strata(trials []Trial, unit func([]Trial) Unit) [][]Unit {
	of := map[*Pair][]Trial{}
	for _, t := range trials {
		of[t.Pair] = append(of[t.Pair], t)
	}
	all := make([][]Unit, len(allModes))
	for i := range r.Pairs {
		if p := &r.Pairs[i]; len(of[p]) > 0 {
			all[order(p.Mode)] = append(all[order(p.Mode)], unit(of[p]))
		}
	}
	return all
}
