package toolcall

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is an exact decimal number; the zero value is 0. Decimals are
// compared with [Decimal.Cmp], not with ==.
type Decimal struct {
	// The value is (big, or coef where big is nil) × 10^exp. The coefficient
	// has no trailing zero, and big is set only for one beyond an int64.
	coef int64
	big  *big.Int
	exp  int
}

// ParseDecimal reads a number in the grammar of JSON (RFC 8259, section 6)
// with at most [DefaultDigits] digits written out.
func ParseDecimal(s string) (Decimal, error) {
	n, ok := scanNumber(s)
	if !ok {
		return Decimal{}, fmt.Errorf("%.40q is not a JSON number", s)
	}
	if n.width() > DefaultDigits {
		return Decimal{}, fmt.Errorf("number has more than %d digits written out", DefaultDigits)
	}
	return n.decimal(), nil
}

// Sign returns -1, 0 or +1.
func (d Decimal) Sign() int {
	if d.big != nil {
		return d.big.Sign()
	}
	return cmp.Compare(d.coef, 0)
}

// Cmp returns -1, 0 or +1 as d is less than, equal to or greater than e.
func (d Decimal) Cmp(e Decimal) int {
	exp := min(d.exp, e.exp)
	if x, ok := d.scaled(exp); ok {
		if y, ok := e.scaled(exp); ok {
			return cmp.Compare(x, y)
		}
	}
	return d.bigScaled(exp).Cmp(e.bigScaled(exp))
}

// Add returns the exact sum of d and e.
func (d Decimal) Add(e Decimal) Decimal {
	exp := min(d.exp, e.exp)
	sum := d.bigScaled(exp)
	return normal(sum.Add(sum, e.bigScaled(exp)), exp)
}

// MultipleOf reports whether d is m times some integer. Nothing is a multiple
// of 0.
func (d Decimal) MultipleOf(m Decimal) bool {
	if m.Sign() == 0 {
		return false
	}
	exp := min(d.exp, m.exp)
	rest := new(big.Int).Rem(d.bigScaled(exp), m.bigScaled(exp))
	return rest.Sign() == 0
}

// IsInt reports whether d is an integer; 1.0 and 1e3 are.
func (d Decimal) IsInt() bool { return d.exp >= 0 }

// Int64 returns d as an int64, and whether d is one.
func (d Decimal) Int64() (int64, bool) {
	if !d.IsInt() {
		return 0, false
	}
	return d.scaled(0)
}

// String returns the canonical JSON text of d: the layout of ECMAScript's
// Number::toString (as in RFC 8785) with all digits of d.
func (d Decimal) String() string {
	coef := strconv.FormatInt(d.coef, 10)
	if d.big != nil {
		coef = d.big.String()
	}
	digits, neg := strings.CutPrefix(coef, "-")
	return string(appendNumber(nil, neg, digits, len(digits)+d.exp))
}

// scaled returns the coefficient of d for an exponent exp <= d.exp, if it is
// an int64.
func (d Decimal) scaled(exp int) (int64, bool) {
	if d.big != nil {
		return 0, false
	}
	c := d.coef
	for range d.exp - exp {
		if c*10/10 != c { // overflow
			return 0, false
		}
		c *= 10
	}
	return c, true
}

// bigScaled returns a new coefficient of d for an exponent exp <= d.exp.
func (d Decimal) bigScaled(exp int) *big.Int {
	ten := big.NewInt(10)
	power := ten.Exp(ten, big.NewInt(int64(d.exp-exp)), nil)
	if d.big != nil {
		return power.Mul(power, d.big)
	}
	return power.Mul(power, big.NewInt(d.coef))
}

// normal returns coef × 10^exp.
func normal(coef *big.Int, exp int) Decimal {
	digits, neg := strings.CutPrefix(coef.String(), "-")
	return number{neg: neg, whole: digits, exp: exp}.decimal()
}

// number is a JSON number as it is written: whole.frac × 10^exp.
type number struct {
	neg         bool
	whole, frac string
	exp         int
}

// scanNumber takes the text of a JSON number apart (RFC 8259, section 6), and
// reports whether it is one. An exponent beyond a million counts as a million:
// every bound on digits has refused it by then.
func scanNumber(s string) (n number, ok bool) {
	s, n.neg = strings.CutPrefix(s, "-")
	n.whole, s = cutDigits(s)
	if n.whole == "" || len(n.whole) > 1 && n.whole[0] == '0' {
		return number{}, false
	}
	if rest, found := strings.CutPrefix(s, "."); found {
		if n.frac, s = cutDigits(rest); n.frac == "" {
			return number{}, false
		}
	}
	if s == "" {
		return n, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return number{}, false
	}
	s = s[1:]
	negExp := strings.HasPrefix(s, "-")
	if negExp || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	digits, rest := cutDigits(s)
	if digits == "" || rest != "" {
		return number{}, false
	}
	for _, c := range []byte(digits) {
		n.exp = min(n.exp*10+int(c-'0'), maxExponent)
	}
	if negExp {
		n.exp = -n.exp
	}
	return n, true
}

// smallDecimal returns the value of a text of at most 18 digits, which most
// numbers are, without taking it apart.
func smallDecimal(digits string) (d Decimal, ok bool) {
	if digits == "" || len(digits) > 18 {
		return Decimal{}, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return Decimal{}, false
		}
		d.coef = d.coef*10 + int64(c-'0')
	}
	for d.coef != 0 && d.coef%10 == 0 {
		d.coef, d.exp = d.coef/10, d.exp+1
	}
	return d, true
}

const maxExponent = 1_000_000

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// width returns how many digits n has when it is written without exponent:
// those before the point, at least one, and those after it.
func (n number) width() int {
	return max(1, len(n.whole)+n.exp) + max(0, len(n.frac)-n.exp)
}

// significant returns the digits of n from the first to the last that is not
// zero, and where the point stands among them: 0.025 has "25" and -1. Zero has
// no digits.
func (n number) significant() (digits string, point int) {
	digits = n.whole + n.frac
	point = len(n.whole) + n.exp
	trimmed := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	return strings.TrimRight(trimmed, "0"), point
}

// decimal returns the value of n.
func (n number) decimal() Decimal {
	digits, point := n.significant()
	if digits == "" {
		return Decimal{}
	}
	if n.neg {
		digits = "-" + digits
		point++
	}
	exp := point - len(digits)
	if coef, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return Decimal{coef: coef, exp: exp}
	}
	coef, _ := new(big.Int).SetString(digits, 10) // digits are digits
	return Decimal{big: coef, exp: exp}
}

// appendCanonical appends the canonical text of n to b.
func (n number) appendCanonical(b []byte) []byte {
	digits, point := n.significant()
	if digits == "" {
		return append(b, '0') // also for -0, as in RFC 8785
	}
	return appendNumber(b, n.neg, digits, point)
}

// appendNumber appends the number 0.digits × 10^point in the layout of
// ECMAScript's Number::toString: written out from 1e-6 to below 1e21, else
// with one digit before the point and an exponent.
func appendNumber(b []byte, neg bool, digits string, point int) []byte {
	if neg {
		b = append(b, '-')
	}
	switch {
	case point > 21 || point <= -6:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		b = append(b, 'e')
		if point > 0 {
			b = append(b, '+')
		}
		return strconv.AppendInt(b, int64(point-1), 10)
	case point <= 0:
		b = append(b, "0."...)
		b = append(b, "000000"[:-point]...)
		return append(b, digits...)
	case point < len(digits):
		b = append(append(b, digits[:point]...), '.')
		return append(b, digits[point:]...)
	default:
		b = append(b, digits...)
		for range point - len(digits) {
			b = append(b, '0')
		}
		return b
	}
}
