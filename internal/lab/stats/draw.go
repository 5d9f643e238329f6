package stats

import (
	"iter"
	"math/bits"
)

// Resamples is how often a resampling draws.
const Resamples = 10_000

// Source gives 64 random bits at a time.
type Source interface{ Uint64() uint64 }

// SplitMix is the generator SplitMix64 in the state that it holds: SplitMix(seed)
// is a fresh one.
type SplitMix uint64

// Uint64 returns the next 64 bits.
func (s *SplitMix) Uint64() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below draws a number below n: the high 64 bits of n times what the source gives.
// Its bias is below n/2^64.
func Below(source Source, n int) int {
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
					indexes[i] = Below(source, len(indexes))
				}
			}
			if !yield(sample) {
				return
			}
		}
	}
}
