package mutate

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// moved returns a number moved by some units of its last digit that is
// written, and multiplied.
func moved(number string, units, factor int64) string {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	digits := 0
	if i := strings.IndexByte(number, '.'); i >= 0 && !strings.ContainsAny(number, "eE") {
		digits = len(number) - i - 1
	}
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	r.Mul(r, new(big.Rat).SetInt64(factor))
	r.Add(r, unit.Mul(unit, new(big.Rat).SetInt64(units)))
	return r.FloatString(digits)
}

// tenth returns a tenth of a number: all its multiples are multiples of that,
// and others are.
func tenth(number string) string {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return number
	}
	_, fraction, _ := strings.Cut(number, ".")
	return strings.TrimSuffix(r.Mul(r, big.NewRat(1, 10)).FloatString(len(fraction)+1), ".0")
}

// far is a number so much larger that no call is near both.
func far(number string) string {
	if r, ok := new(big.Rat).SetString(number); ok && r.Sign() > 0 {
		return moved(number, 0, 1000)
	}
	return moved(number, 1_000_000, 1)
}

// less returns a number less another.
func less(number, by string) string {
	r, ok := new(big.Rat).SetString(number)
	s, also := new(big.Rat).SetString(by)
	if !ok || !also {
		return number
	}
	return r.Sub(r, s).FloatString(2)
}

// farBelow is far in the other direction: nothing near zero is a thousand times
// smaller.
func farBelow(number string) string { return moved(number, -1_000_000, 1) }

// bound lists the changes that move a number so that more is permitted: up for
// direction 1, down for -1.
func (l *lister) bound(op Operator, kind string, at place, direction int64) {
	n := at.from(l.root)
	if n == nil {
		return
	}
	l.add(op, kind, at, numberNode(moved(n.Text, direction, 1)))
	if direction > 0 {
		l.add(op, kind, at, numberNode(far(n.Text)))
	} else {
		l.add(op, kind, at, numberNode(farBelow(n.Text)))
	}
}

// units are those of durations in contracts.
var units = map[byte]time.Duration{
	's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
}

// duration returns the length of a duration as contracts write it; 0 for a word.
func duration(text string) time.Duration {
	var n int64
	var unit byte
	if _, err := fmt.Sscanf(text, "%d%c", &n, &unit); err != nil {
		return 0
	}
	return time.Duration(n) * units[unit]
}

// scaled returns a duration multiplied, at least a second.
func scaled(text string, factor float64) string {
	d := time.Duration(float64(duration(text)) * factor)
	return fmt.Sprintf("%ds", max(1, int64(d/time.Second)))
}
