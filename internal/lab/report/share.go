package report

import (
	"fmt"
	"math"

	"github.com/licet-dev/licet/internal/lab/stats"
)

// Share writes a count's share and interval: "7.5 %, 2.6 to 19.9". A share is
// never alone: 0.0 % of few cases says little.
func (c Count) Share() string {
	if c.Of == 0 {
		return "no case"
	}
	i := c.interval()
	return fmt.Sprintf("%.1f %%, %.1f to %.1f", 100*float64(c.N)/float64(c.Of), 100*i.Low, 100*i.High)
}

// interval is the one that is stated, or that of Wilson.
func (c Count) interval() Estimate {
	if c.Interval != nil {
		return *c.Interval
	}
	low, high := stats.Wilson(c.N, c.Of)
	return Estimate{Low: low, High: high, By: "Wilson"}
}

// String writes a measure with three digits.
func (m Measure) String() string {
	digits := 0
	for v := math.Abs(m.Value); v != 0 && v < 100 && digits < 3; v *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f %s", min(digits, 2), m.Value, m.Unit)
}

// String writes an amount with its digits.
func (a Amount) String() string { return a.text(a.Value) }

func (a Amount) text(x float64) string {
	if a.Signed {
		return fmt.Sprintf("%+.*f", a.Digits, x)
	}
	return fmt.Sprintf("%.*f", a.Digits, x)
}

// interval writes the interval of an amount, "" if none is stated.
func (a Amount) interval() string {
	if a.Interval == nil {
		return ""
	}
	return a.text(a.Interval.Low) + " to " + a.text(a.Interval.High)
}
