package report

import (
	"fmt"
	"math"
)

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

// Share writes a count's share and interval: "7.5 %, 2.6 to 19.9". A share is
// never alone: 0.0 % of few cases says little.
func (c Count) Share() string {
	if c.Of == 0 {
		return "no case"
	}
	low, high := Wilson(c.N, c.Of)
	return fmt.Sprintf("%.1f %%, %.1f to %.1f", 100*float64(c.N)/float64(c.Of), 100*low, 100*high)
}

// String writes a measure with three digits.
func (m Measure) String() string {
	digits := 0
	for v := math.Abs(m.Value); v != 0 && v < 100 && digits < 3; v *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f %s", min(digits, 2), m.Value, m.Unit)
}
