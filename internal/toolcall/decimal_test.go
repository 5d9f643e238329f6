package toolcall_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

func decimal(t interface{ Fatalf(string, ...any) }, s string) toolcall.Decimal {
	d, err := toolcall.ParseDecimal(s)
	if err != nil {
		t.Fatalf("ParseDecimal(%q): %v", s, err)
	}
	return d
}

// rat is the exact value of a decimal, by the standard library.
func rat(t interface{ Fatalf(string, ...any) }, s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("big.Rat does not read %q", s)
	}
	return r
}

// decimalTexts are numbers and their canonical text.
var decimalTexts = []struct{ text, want string }{
	{"0", "0"}, {"-0", "0"}, {"0.000", "0"}, {"0e5", "0"}, {"-0.0e-5", "0"},
	{"1", "1"}, {"-1", "-1"}, {"10", "10"}, {"1.0", "1"}, {"1e0", "1"}, {"100e-2", "1"}, {"0.01E+2", "1"},
	{"12.50", "12.5"}, {"-12.5e1", "-125"}, {"1234567", "1234567"},
	{"0.000001", "0.000001"}, {"0.0000001", "1e-7"}, {"0.00000123", "0.00000123"}, {"-0.000000123", "-1.23e-7"},
	{"100000000000000000000", "100000000000000000000"}, {"999999999999999999999", "999999999999999999999"},
	{"1000000000000000000000", "1e+21"}, {"1234567890123456789012", "1.234567890123456789012e+21"},
	{"9223372036854775807", "9223372036854775807"}, {"9223372036854775808", "9223372036854775808"},
	{"-9223372036854775808", "-9223372036854775808"}, {"-9223372036854775809", "-9223372036854775809"},
	{"12345678901234567890.12345678901234567890", "12345678901234567890.1234567890123456789"},
	{"1e399", "1e+399"}, {"1e-399", "1e-399"},
	{strings.Repeat("9", 400), "9." + strings.Repeat("9", 399) + "e+399"},
}

func TestDecimalString(t *testing.T) {
	for _, c := range decimalTexts {
		d := decimal(t, c.text)
		if got := d.String(); got != c.want {
			t.Errorf("%.50s is written %s, want %s", c.text, got, c.want)
		}
		if got := toolcall.NumberOf(d).Canonical(); got != c.want {
			t.Errorf("%.50s as a value is written %s, want %s", c.text, got, c.want)
		}
		if got := parse(t, c.text).Number(); got.Cmp(d) != 0 {
			t.Errorf("%.50s is read from JSON as %s", c.text, got)
		}
	}
	if got := (toolcall.Decimal{}).String(); got != "0" {
		t.Errorf("the zero Decimal is written %s", got)
	}
}

// badDecimals are no numbers, or too long ones.
var badDecimals = []string{
	"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1e-", "1E1.5", "1 ", " 1", "1x", "1ex", "0x10", "1_000", "1,5",
	"NaN", "Infinity", "-Infinity", "null", "\"1\"", "１",
	"1e400", "1e-400", "1e99999999999999999999", "1e-99999999999999999999", "0e400",
	"1" + strings.Repeat("0", 400), "1." + strings.Repeat("0", 400),
}

func TestParseDecimalRefuses(t *testing.T) {
	for _, s := range badDecimals {
		if d, err := toolcall.ParseDecimal(s); err == nil || d.Sign() != 0 {
			t.Errorf("%.50q is read as %s, error %v", s, d, err)
		}
	}
}

func TestDecimalInt64(t *testing.T) {
	for _, c := range []struct {
		text  string
		isInt bool
		n     int64
		fits  bool
	}{
		{"0", true, 0, true},
		{"-7", true, -7, true},
		{"1.50e1", true, 15, true},
		{"1.5", false, 0, false},
		{"1e-5", false, 0, false},
		{"12e17", true, 12e17, true},
		{"9223372036854775807", true, math.MaxInt64, true},
		{"-9223372036854775808", true, math.MinInt64, true},
		{"9223372036854775808", true, 0, false},
		{"1e19", true, 0, false},
		{"1e300", true, 0, false},
		{"12345678901234567890.5", false, 0, false},
	} {
		d := decimal(t, c.text)
		if d.IsInt() != c.isInt {
			t.Errorf("IsInt(%s) is %v", c.text, d.IsInt())
		}
		if n, fits := d.Int64(); n != c.n || fits != c.fits {
			t.Errorf("Int64(%s) is %d, %v; want %d, %v", c.text, n, fits, c.n, c.fits)
		}
	}
}

func TestMultipleOf(t *testing.T) {
	for _, c := range []struct {
		d, m string
		want bool
	}{
		{"0.3", "0.1", true}, // not so in float64
		{"19.99", "0.01", true},
		{"19.995", "0.01", false},
		{"0", "5", true},
		{"-15", "5", true},
		{"15", "-5", true},
		{"7", "5", false},
		{"1e300", "3", false},
		{"1e300", "1e-300", true},
		{"5", "0", false},
		{"0", "0", false},
	} {
		if got := decimal(t, c.d).MultipleOf(decimal(t, c.m)); got != c.want {
			t.Errorf("%s multiple of %s: %v, want %v", c.d, c.m, got, c.want)
		}
	}
}

// sameAsRat compares all operations on two numbers with those of math/big.
func sameAsRat(t interface{ Fatalf(string, ...any) }, a, b string) {
	d, e := decimal(t, a), decimal(t, b)
	x, y := rat(t, a), rat(t, b)
	if rat(t, d.String()).Cmp(x) != 0 {
		t.Fatalf("%s is written %s", a, d)
	}
	if got, want := d.Cmp(e), x.Cmp(y); got != want {
		t.Fatalf("Cmp(%s, %s) is %d, want %d", a, b, got, want)
	}
	if (d.String() == e.String()) != (d.Cmp(e) == 0) {
		t.Fatalf("%s and %s are written %s and %s", a, b, d, e)
	}
	if d.Sign() != x.Sign() || d.IsInt() != x.IsInt() {
		t.Fatalf("%s: sign %d, integer %v", a, d.Sign(), d.IsInt())
	}
	if n, ok := d.Int64(); ok != (x.IsInt() && x.Num().IsInt64()) || ok && n != x.Num().Int64() {
		t.Fatalf("Int64(%s) is %d, %v", a, n, ok)
	}
	if sum := d.Add(e); rat(t, sum.String()).Cmp(new(big.Rat).Add(x, y)) != 0 {
		t.Fatalf("%s + %s is %s", a, b, sum)
	}
	want := y.Sign() != 0 && new(big.Rat).Quo(x, nonZero(y)).IsInt()
	if got := d.MultipleOf(e); got != want {
		t.Fatalf("%s multiple of %s: %v, want %v", a, b, got, want)
	}
}

func nonZero(r *big.Rat) *big.Rat {
	if r.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return r
}

func TestDecimalAgainstRat(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,22})?(e[+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		sameAsRat(t, number.Draw(t, "a"), number.Draw(t, "b"))
	})
}

// FuzzDecimal: a text is accepted exactly if it is a JSON number within the
// bound, and then every operation gives what exact fractions give.
func FuzzDecimal(f *testing.F) {
	for i, c := range decimalTexts {
		f.Add(c.text, decimalTexts[(i+7)%len(decimalTexts)].text)
	}
	for _, s := range badDecimals {
		f.Add(s, "1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		_, err := toolcall.ParseDecimal(a)
		isNumber := a != "" && strings.Trim(a, "-+.eE0123456789") == "" && json.Valid([]byte(a))
		switch {
		case err != nil && isNumber && !strings.Contains(err.Error(), "digits"):
			t.Fatalf("%q is a JSON number, but refused: %v", a, err)
		case err == nil && !isNumber:
			t.Fatalf("%q is no JSON number, but accepted", a)
		case err == nil:
			if _, err := toolcall.ParseDecimal(b); err == nil {
				sameAsRat(t, a, b)
			}
		}
	})
}
