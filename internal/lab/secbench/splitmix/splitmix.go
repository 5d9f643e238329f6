// Package splitmix is the random generator of the security bench: SplitMix64
// (Steele, Lea and Flood, OOPSLA 2014), in code of our own, so that variants of
// tasks and resampled statistics do not depend on a release of Go.
package splitmix

import "math/bits"

// Generator is one stream of numbers. Its value is the whole state; the zero
// Generator is that of seed 0.
type Generator uint64

// Seed is that of every statistic of the bench, and of what is handed in at random
// (specification, section 12). Each has a fresh generator.
const Seed = 20260519

// Uint64 returns the next 64 bits.
func (g *Generator) Uint64() uint64 {
	*g += 0x9E3779B97F4A7C15
	z := uint64(*g)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below returns an index from 0 to n-1: the high 64 bits of the next times n. n must
// be positive.
func (g *Generator) Below(n int) int {
	if n <= 0 {
		panic("splitmix: no index below 0")
	}
	high, _ := bits.Mul64(g.Uint64(), uint64(n))
	return int(high)
}
