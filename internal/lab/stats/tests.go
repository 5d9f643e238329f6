package stats

import (
	"cmp"
	"math/big"
	"slices"
)

var one = big.NewRat(1, 1)

// McNemar returns the exact two-sided p value of McNemar's test of b pairs that go
// one way and c that go the other: min(1, 2 P[Bin(b+c, 1/2) <= min(b,c)]), and 1 if
// there is none.
func McNemar(b, c int) *big.Rat {
	n := int64(b + c)
	sum := new(big.Int)
	for k := range int64(min(b, c)) + 1 {
		sum.Add(sum, new(big.Int).Binomial(n, k))
	}
	p := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	if p.Cmp(one) > 0 {
		return one
	}
	return p
}

// maxExact is of how many differences [SignFlip] looks at every choice of signs.
const maxExact = 20

// Flips is the result of a test by flips of signs: Hits of Of choices of signs give
// a sum at least as far from 0 as the observed one.
type Flips struct {
	Exact    bool // every choice was looked at
	Hits, Of int
}

// SignFlip tests whether the sum of the tasks' differences is as far from 0 as
// chance takes it, had each difference the other sign as well. It looks at every
// choice of signs of up to 20 differences that are not 0, of more at [Resamples]
// random ones, where a difference is turned if the top bit that was drawn for it
// is 1.
func SignFlip(source Source, differences []int) Flips {
	moved := slices.DeleteFunc(slices.Clone(differences), func(d int) bool { return d == 0 })
	observed := 0
	for _, d := range moved {
		observed += d
	}
	if len(moved) <= maxExact {
		return Flips{true, farSums(moved, abs(observed)), 1 << len(moved)}
	}
	f := Flips{Of: Resamples}
	for range Resamples {
		sum := 0
		for _, d := range moved {
			if source.Uint64()>>63 == 1 {
				d = -d
			}
			sum += d
		}
		if abs(sum) >= abs(observed) {
			f.Hits++
		}
	}
	return f
}

// farSums returns how many choices of signs give a sum of at least so much, or so
// little.
func farSums(moved []int, least int) (hits int) {
	ways := map[int]int{0: 1} // by sum
	for _, d := range moved {
		next := map[int]int{}
		for sum, n := range ways {
			next[sum+d] += n
			next[sum-d] += n
		}
		ways = next
	}
	for sum, n := range ways {
		if abs(sum) >= least {
			hits += n
		}
	}
	return hits
}

func abs(n int) int { return max(n, -n) }

// P is the p value. The observed signs count as one of the random choices.
func (f Flips) P() *big.Rat {
	if f.Exact {
		return big.NewRat(int64(f.Hits), int64(f.Of))
	}
	return big.NewRat(int64(f.Hits)+1, int64(f.Of)+1)
}

// Holm returns p values adjusted for their number, in the same order (step-down:
// the i-th smallest of m times m-i+1, never less than the one before).
func Holm(ps []*big.Rat) []*big.Rat {
	byValue := make([]int, len(ps))
	for i := range byValue {
		byValue[i] = i
	}
	slices.SortStableFunc(byValue, func(a, b int) int { return cmp.Compare(ps[a].Cmp(ps[b]), 0) })
	adjusted := make([]*big.Rat, len(ps))
	least := new(big.Rat)
	for rank, i := range byValue {
		p := new(big.Rat).Mul(ps[i], big.NewRat(int64(len(ps)-rank), 1))
		if p.Cmp(one) > 0 {
			p = one
		}
		if p.Cmp(least) < 0 {
			p = least
		}
		adjusted[i], least = p, p
	}
	return adjusted
}
