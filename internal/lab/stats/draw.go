package stats

import (
	"iter"
	"math/bits"
)

// Resamples is how often a resampling draws.
const Resamples = 10_000

// Source gives 64 random bits at a time: a generator in a state of its own for each
// statistic.
type Source interface{ Uint64() uint64 }

// below draws a number below n: the high 64 bits of n times what the source gives.
// Its bias is below n/2^64.
func below(source Source, n int) int {
	high, _ := bits.Mul64(source.Uint64(), uint64(n))
	return int(high)
}

// Draws yields [Resamples] samples. Of each stratum it draws as many indexes as the
// stratum has members, with replacement, one stratum after the other. The slices
// are used again for the next sample.
func Draws(source Source, sizes ...int) iter.Seq[[][]int] {
	return func(yield func([][]int) bool) {
		sample := make([][]int, len(sizes))
		for s, n := range sizes {
			sample[s] = make([]int, n)
		}
		for range Resamples {
			for _, indexes := range sample {
				for i := range indexes {
					indexes[i] = below(source, len(indexes))
				}
			}
			if !yield(sample) {
				return
			}
		}
	}
}
