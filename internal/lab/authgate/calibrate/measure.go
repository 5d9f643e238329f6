package calibrate

import (
	"cmp"
	"math"
	"slices"
)

// Measures say how good probabilities are.
type Measures struct {
	N     int
	Brier float64 // mean squared distance from 0 or 1
	ECE   float64 // mean distance of a bin's mean from its share, weighted by count
	AUROC float64 // chance that of two decisions the one to be allowed has the higher probability; ties count half
	Bins  []Bin
	Risks []Risk
}

// Bin is a tenth of the decisions, by probability. Equal probabilities are in one
// bin, so there can be fewer.
type Bin struct {
	Mean     float64
	Allow, N int
}

// Risk is how many of the surest decisions are wrong: those whose probability is
// farthest from a half.
type Risk struct{ Wrong, Covered int }

const bins = 10

// Measure measures probabilities. Of no points all is zero.
func Measure(points []Point) (m Measures) {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.P, b.P) })
	if m.N = len(points); m.N == 0 {
		return m
	}
	for _, p := range points {
		d := p.P - label(p)
		m.Brier += d * d / float64(m.N)
	}
	for _, b := range cut(points, func(a, b Point) bool { return a.P == b.P }) {
		bin := Bin{N: len(b)}
		for _, p := range b {
			bin.Mean += p.P / float64(len(b))
			bin.Allow += int(label(p))
		}
		m.ECE += math.Abs(bin.Mean-float64(bin.Allow)/float64(bin.N)) * float64(bin.N) / float64(m.N)
		m.Bins = append(m.Bins, bin)
	}
	m.AUROC = auroc(points)
	m.Risks = risks(points)
	return m
}

func label(p Point) float64 {
	if p.Allow {
		return 1
	}
	return 0
}

// cut cuts sorted points into ten parts of equal count, and nowhere between points
// that are the same.
func cut(points []Point, same func(a, b Point) bool) (parts [][]Point) {
	from, tenths := 0, 0
	for i := range points {
		last := i+1 == len(points)
		if last || (i+1)*bins >= (tenths+1)*len(points) && !same(points[i], points[i+1]) {
			parts = append(parts, points[from:i+1])
			from, tenths = i+1, (i+1)*bins/len(points)
		}
	}
	return parts
}

// auroc counts pairs of sorted points of different labels.
func auroc(points []Point) float64 {
	allow, block, wins := 0, 0, 0 // wins in halves
	for i := 0; i < len(points); {
		k, here := i, [2]int{}
		for ; k < len(points) && points[k].P == points[i].P; k++ {
			here[int(label(points[k]))]++
		}
		wins += here[1] * (2*block + here[0])
		block, allow, i = block+here[0], allow+here[1], k
	}
	if allow == 0 || block == 0 {
		return math.NaN()
	}
	return float64(wins) / float64(2*allow*block)
}

// risks are those of the surest tenth, of the surest two tenths, and so on.
func risks(points []Point) (all []Risk) {
	sure := func(p Point) float64 { return math.Abs(p.P - 0.5) }
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(sure(b), sure(a)) })
	var r Risk
	for _, part := range cut(points, func(a, b Point) bool { return sure(a) == sure(b) }) {
		for _, p := range part {
			if r.Covered++; (p.P >= 0.5) != p.Allow {
				r.Wrong++
			}
		}
		all = append(all, r)
	}
	return all
}
