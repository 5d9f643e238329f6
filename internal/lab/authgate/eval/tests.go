package eval

import (
	"cmp"
	"math/big"
	"slices"
)

// Discordant are the pairs that two judges treat differently: B are right under the
// first alone, C under the second alone.
type Discordant struct{ B, C int }

// Compare counts the pairs that two arms treat differently, in the first epoch: a
// later one is no new pair.
func (r *Results) Compare(a, b Arm, mode string) (d Discordant) {
	right := map[string]bool{}
	for _, t := range r.Trials(mode, a) {
		if t.Epoch == 1 {
			right[t.Pair.ID] = t.right()
		}
	}
	for _, t := range r.Trials(mode, b) {
		switch was := right[t.Pair.ID]; {
		case t.Epoch > 1 || was == t.right():
		case was:
			d.B++
		default:
			d.C++
		}
	}
	return d
}

// right says whether all members are, with no verdict as block.
func (t Trial) right() bool {
	for _, a := range t.answers() {
		if AsBlock.of(a.is, a.gold) != a.gold {
			return false
		}
	}
	return true
}

// P is the exact two-sided p value of McNemar's test: min(1, 2 P[Bin(b+c, 1/2) <=
// min(b,c)]), and 1 if no pair is discordant.
func (d Discordant) P() *big.Rat {
	n := int64(d.B + d.C)
	sum := new(big.Int)
	for k := range int64(min(d.B, d.C)) + 1 {
		sum.Add(sum, new(big.Int).Binomial(n, k))
	}
	p := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n)))
	if one := big.NewRat(1, 1); p.Cmp(one) > 0 {
		return one
	}
	return p
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
		if one := big.NewRat(1, 1); p.Cmp(one) > 0 {
			p = one
		}
		if p.Cmp(least) < 0 {
			p = least
		}
		adjusted[i], least = p, p
	}
	return adjusted
}
