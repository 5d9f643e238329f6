package stats

import "math/big"

// Agreement counts pairs of opinions of two raters on the same things.
type Agreement map[[2]string]int

// Kappa returns Cohen's kappa, nil where chance alone agrees always or nothing was
// rated.
func (a Agreement) Kappa() *big.Rat {
	n, same := 0, 0
	first, second := map[string]int{}, map[string]int{}
	for opinions, times := range a {
		n += times
		first[opinions[0]] += times
		second[opinions[1]] += times
		if opinions[0] == opinions[1] {
			same += times
		}
	}
	chance := 0
	for opinion, times := range first {
		chance += times * second[opinion]
	}
	if n*n == chance {
		return nil
	}
	return big.NewRat(int64(n*same-chance), int64(n*n-chance))
}

// Repeats says how tasks fare that are tried k times, as a mean over tasks.
type Repeats struct {
	Any, All *big.Rat // P(at least one of k runs succeeds), P(all k do); nil of no task
	Tasks    int
	Short    int // tasks with fewer than k runs, which drop out
}

// Repeat returns the unbiased estimates pass@k and pass^k over tasks, each with the
// number of its successes and of its runs.
func Repeat(tasks []Ratio, k int) Repeats {
	r := Repeats{Any: new(big.Rat), All: new(big.Rat)}
	for _, t := range tasks {
		if t.Of < k {
			r.Short++
			continue
		}
		r.Tasks++
		r.Any.Add(r.Any, new(big.Rat).Sub(one, chosen(t.Of-t.N, t.Of, k)))
		r.All.Add(r.All, chosen(t.N, t.Of, k))
	}
	if r.Tasks == 0 {
		return Repeats{Short: r.Short}
	}
	share := big.NewRat(1, int64(r.Tasks))
	r.Any.Mul(r.Any, share)
	r.All.Mul(r.All, share)
	return r
}

// chosen is the probability that k of n runs, drawn without replacement, are all
// among c of them.
func chosen(c, n, k int) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).Binomial(int64(c), int64(k)), new(big.Int).Binomial(int64(n), int64(k)))
}
