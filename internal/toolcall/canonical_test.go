package toolcall_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/toolcall"
)

// The example of RFC 8785, sections 3.2.2 and 3.2.4. Its first number is the
// one place where we differ: RFC 8785 rounds 333333333.33333329 to the float64
// that is written 333333333.3333333.
func TestCanonicalExample(t *testing.T) {
	const input = `{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`
	const want = `{"literals":[null,true,false],` +
		`"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],` +
		`"string":"€$\u000f\nA'B\"\\\\\"/"}`
	if got := parse(t, input).Canonical(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// The example of RFC 8785, section 3.2.3, with one character more beyond
// U+FFFF: members are ordered by UTF-16 code units, not by code points.
func TestCanonicalOrder(t *testing.T) {
	const input = `{"\u20ac":"Euro","\r":"Return","\ufb33":"Dalet","1":"One","\ud83d\ude00":"Face",` +
		`"\u0080":"Control","\u00f6":"O","\ud83d\ude01":"Grin","":"Empty","1\ufb33":0,"1\ud83d\ude00":0}`
	want := []string{"", "\r", "1", "1😀", "1\ufb33", "\u0080", "ö", "€", "😀", "😁", "\ufb33"}
	v := parse(t, input)
	for i, name := range want {
		if got, _ := v.Member(i); got != name {
			t.Errorf("member %d is %q, want %q", i, got, name)
		}
		if v.Get(name).Kind() == toolcall.Absent {
			t.Errorf("member %q is not found", name)
		}
	}
}

// The numbers of RFC 8785, appendix B, by their IEEE 754 bits.
func TestCanonicalNumbers(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0",
		0x8000000000000000: "0",
		0x0000000000000001: "5e-324",
		0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308",
		0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992",
		0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22",
		0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000",
		0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7",
		0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333",
		0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		shortest := strconv.FormatFloat(math.Float64frombits(bits), 'e', -1, 64)
		if got := parse(t, shortest).Canonical(); got != want {
			t.Errorf("%016x, written %s: canonical %s, want %s", bits, shortest, got, want)
		}
	}
}

// jcsText is what the peer implementation makes of a text; it takes arrays and
// objects only.
func jcsText(t interface{ Fatalf(string, ...any) }, text string) string {
	out, err := jcs.Transform([]byte("[" + text + "]"))
	if err != nil {
		t.Fatalf("jcs: %q: %v", text, err)
	}
	return string(out[1 : len(out)-1])
}

// Where RFC 8785 keeps the value of every number, our text is its text.
func TestCanonicalAgreesWithPeer(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) any {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = rapid.Float64().Draw(t, "finite")
		}
		return json.Number(strconv.FormatFloat(f, rapid.SampledFrom([]byte("ef")).Draw(t, "format"), -1, 64))
	})
	text := rapid.Map(rapid.String(), func(s string) any { return s })
	literal := rapid.SampledFrom([]any{nil, true, false})
	leaf := rapid.OneOf(number, text, literal)
	list := rapid.Map(rapid.SliceOfN(leaf, 0, 4), func(l []any) any { return l })
	object := rapid.Map(rapid.MapOfN(rapid.String(), rapid.OneOf(leaf, list), 0, 8), func(m map[string]any) any { return m })

	rapid.Check(t, func(t *rapid.T) {
		input, err := json.Marshal(rapid.OneOf(leaf, list, object).Draw(t, "value"))
		if err != nil {
			t.Fatalf("marshal: %v", err)
		}
		v, err := toolcall.Parse(input, toolcall.Bounds{})
		if err != nil {
			t.Fatalf("Parse(%s): %v", input, err)
		}
		if got, want := v.Canonical(), jcsText(t, string(input)); got != want {
			t.Fatalf("%s:\n got %s\nwant %s", input, got, want)
		}
	})
}

// What the decision on exact numbers is about: the peer gives one text to two
// numbers, and we give two.
func TestCanonicalKeepsWhatPeerLoses(t *testing.T) {
	for _, pair := range [][2]string{
		{"9007199254740992", "9007199254740993"},
		{"0.1", "0.10000000000000000001"},
		{"18446744073709551615", "18446744073709551616"},
	} {
		if jcsText(t, pair[0]) != jcsText(t, pair[1]) {
			t.Errorf("the peer tells %s from %s: this test shows nothing", pair[0], pair[1])
		}
		a, b := parse(t, pair[0]), parse(t, pair[1])
		if a.Canonical() == b.Canonical() || a.Equal(b) {
			t.Errorf("%s and %s have one canonical text: %s", pair[0], pair[1], a.Canonical())
		}
	}
}

// TestCanonicalText holds what is written without a look at each character
// against what is.
func TestCanonicalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		literal, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := toolcall.Parse(literal, toolcall.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Canonical(), toolcall.StringOf(text).Canonical(); got != want {
			t.Fatalf("%s is read as %s, want %s", literal, got, want)
		}
	})
}
