package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tokenTable maps a text to its tokens; one that reads as a number carries the
// number after a "=".
var tokenTable = []struct{ text, want string }{
	{"", ""},
	{" \t\n\u00a0\u2003", ""},
	{"... !? …", ""},
	{"Pay Bob.", "PAY|BOB"},
	{"mail a.b@x.org", "MAIL|A.B@X.ORG"},
	{"mail b@x.org.", "MAIL|B@X.ORG"},
	{"b@x.org, c@x.org; d@x.org", "B@X.ORG|C@X.ORG|D@X.ORG"},
	{"b@x.org,c@x.org", "B@X.ORG|C@X.ORG"},
	{"Bob <b@x.org> (home) [old] {x}", "BOB|B@X.ORG|HOME|OLD|X"},
	{`say "hello there," now`, "SAY|HELLO|THERE|NOW"},
	{"«Привет» „Ende“ 「東京」", "ПРИВЕТ|ENDE|東京"},
	{"東京、大阪，名古屋", "東京|大阪|名古屋"},
	{"完成。", "完成"},
	{"file:///a/b?c=d#e", "FILE:///A/B?C=D#E"},
	{"../up and /etc/passwd", "../UP|AND|/ETC/PASSWD"},
	{"what?! really…", "WHAT|REALLY"},
	{"a|b@x.org", "A|B@X.ORG"},
	{"• first\n• second", "FIRST|SECOND"},
	// Letter case and normalization.
	{"CAFE\u0301 caf\u00e9", "CAF\u00c9|CAF\u00c9"},
	{"straße STRASSE", "STRA\u00dfE|STRASSE"},
	{"\u212aelvin ſee", "KELVIN|SEE"},
	{"αι Αι α\u0345", "ΑΙ|ΑΙ|\u1fb3"},
	{"βόλος ΒΌΛΟΣ βόλοσ.", "Β\u038cΛΟΣ|Β\u038cΛΟΣ|Β\u038cΛΟΣ"},
	{"info@βόλος.gr info@βόλοσ.gr", "INFO@Β\u038cΛΟς.GR|INFO@Β\u038cΛΟΣ.GR"},
	{"http://ẞς/ http://ßσ/", "HTTP://ẞς/|HTTP://\u00dfΣ/"},
	// Apostrophes.
	{"Dora's page", "DORA|S|PAGE"},
	{"the users' 'quoted' text", "THE|USERS|QUOTED|TEXT"},
	{"o'neil@x.org, O’Neil’s", "O'NEIL@X.ORG|O’NEIL|S"},
	{"0's'!0 a's's b's@x.org 's", "0=0|S|!0|A|S|S|B'S@X.ORG|S"},
	{"{'message': 'sent'}", "MESSAGE|SENT"},
	{"run `ls -l`.", "RUN|LS|-L"},
	// Numbers.
	{"pay 1,050.00 now", "PAY|1,050.00=1050|NOW"},
	{"1,050.00, 7.", "1,050.00=1050|7=7"},
	{"0 -0 0.50 1.5", "0=0|-0=0|0.50=0.5|1.5=1.5"},
	{"$100 100€ -5 −5 -$5 $-5 (5)", "$100=100|100€=100|-5=-5|−5=-5|-$5=-5|$-5=-5|5=5"},
	{"1,234,567 12,345 123,456.7", "1,234,567=1234567|12,345=12345|123,456.7=123456.7"},
	{"1,05 1,0500 1234,567 ,5", "1|05|1|0500|1234|567|5=5"},
	{"1.050,00", "1.050|00"},
	{"7,8,9 and 7, 8, 9", "7|8|9|AND|7=7|8=8|9=9"},
	{"007 050.00 0,050", "007|050.00|0|050"},
	{"1e3 0x10 5% 5k --5 -$-5 1.2.3 .5 +5 ٥", "1E3|0X10|5%|5K|--5|-$-5|1.2.3|.5|+5|٥"},
	{"2026-11-29 10:30", "2026-11-29|10:30"},
	{"9007199254740993", "9007199254740993=9007199254740993"},
}

func show(text string) string {
	var parts []string
	for t := range tokens(text) {
		if t.number != "" {
			t.text += "=" + t.number
		}
		parts = append(parts, t.text)
	}
	return strings.Join(parts, "|")
}

func TestTokens(t *testing.T) {
	for _, tt := range tokenTable {
		if got := show(tt.text); got != tt.want {
			t.Errorf("tokens of %q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
	long := strings.Repeat("9", 401)
	if got := show(long); got != long {
		t.Errorf("a number over the digit bound reads as one")
	}
}

// TestTokensStop reads no further than asked, so that a bound on tokens is a
// bound on work.
func TestTokensStop(t *testing.T) {
	for _, text := range []string{"a b c", "a,b,c", "1 2 3", "1,2,3"} {
		n := 0
		for range tokens(text) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("%q: %d tokens after a break, want 1", text, n)
		}
	}
}

// words draws texts that are rich in what parts tokens.
var words = rapid.StringOf(rapid.OneOf(
	rapid.RuneFrom([]rune("ab1 0,.'’\"()<;@-$\u0301")),
	rapid.Rune(),
))

func TestTokensOfJoinedTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		space := rapid.SampledFrom([]string{" ", "\n", "\t", "\u2028"}).Draw(t, "space")
		want := slices.AppendSeq(slices.Collect(tokens(a)), tokens(b))
		if got := slices.Collect(tokens(a + space + b)); !slices.Equal(got, want) {
			t.Errorf("tokens of %q and %q change when joined: %v, want %v", a, b, got, want)
		}
	})
}

// TestGroupedNumbers reads every integer back from the way English writes it.
func TestGroupedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64().Draw(t, "n")
		text := fmt.Sprint(n)
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		if got := readNumber(text); got != fmt.Sprint(n) {
			t.Errorf("%s reads as %q", text, got)
		}
	})
}

// FuzzTokens states that a token never contains what parts it, and that reading
// a token again gives the same token: so a value that is one token of a text is
// stated there.
func FuzzTokens(f *testing.F) {
	for _, tt := range tokenTable {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for tok := range tokens(text) {
			if tok.text == "" || strings.ContainsFunc(tok.text, isSeparator) {
				t.Fatalf("%q has the token %q", text, tok.text)
			}
			again := slices.Collect(tokens(tok.text))
			if len(again) != 1 || again[0].text != tok.text {
				t.Fatalf("%q: token %q reads again as %q", text, tok.text, again)
			}
		}
	})
}
