package constraint

import (
	"net/mail"
	"strings"
	"testing"
)

// emailTable has the tricks by which a list of addresses seems to name others.
var emailTable = []kindCase{
	{
		spec: `{"email": {"domains": ["ok.example", "*.sub.example", "bücher.example"], "addresses": ["Boss@other.example"]}}`,
		permits: []string{
			`"a@ok.example"`, `"A.B@OK.Example"`, `"a+tag@ok.example"`, `"Ann <a@ok.example>"`, `"\"Smith, John\" <a@ok.example>"`, `"a@ok.example, b@ok.example"`,
			`"a@ok.example,Boss@other.example"`, `"<a@ok.example>"`, `"x@a.sub.example"`, `"o'neil@ok.example"`, `"a@bücher.example"`, `"a@xn--bcher-kva.example"`, `"Änn <a@ok.example>"`, `" a@ok.example "`,
		},
		refuses: []string{
			"", "null", `""`, "7", `["a@ok.example"]`, `"a"`, `"@ok.example"`, `"a@"`, `"a@evil.example"`, `"a@ok.example, b@evil.example"`, `"a@ok.example.evil.example"`, `"a@xok.example"`,
			`"boss@other.example"`, `"Boss+x@other.example"`, `"x@sub.example"`, `"\"a@ok.example\" <b@evil.example>"`, `"a@ok.example <b@evil.example>"`, `"\"x, b@evil.example\" <a@ok.example>"`,
			`"b@evil.example <a@ok.example>"`, `"b＠evil.example <a@ok.example>"`, `"=?utf-8?q?b=40evil.example?= <a@ok.example>"`, `"a@ok.example; b@evil.example"`, `"a@ok.example b@evil.example"`,
			`"team: a@ok.example, b@evil.example;"`, `"team: a@ok.example;"`, `"a@ok.example (b@evil.example)"`, `"a(x)@ok.example"`, `"\"a b\"@ok.example"`, `"\"b@evil.example\"@ok.example"`, `"b@evil.example@ok.example"`,
			`"<@evil.example:a@ok.example>"`, `"b%evil.example@ok.example"`, `"evil.example!b@ok.example"`, `"a@[10.0.0.1]"`, `"a@ok.example\nBcc: b@evil.example"`, `"a@ok.example\r\n"`, `"a@ok.example\u0000"`, `"a@ok.example\t"`,
			`"a@ok.example."`, `"a@оk.example"`, `"a@ｏk.example"`, `"a@ok。example"`, `"а@ok.example"`, `"a@ok.exa\u200bmple"`, `"a@ok.example,"`, `",a@ok.example"`, `"a@ok.example,,b@ok.example"`, `".a@ok.example"`, `"a..b@ok.example"`,
			`"a@ok.example>"`, `"<a@ok.example"`, `"a <<a@ok.example>>"`, `"\"a <a@ok.example>"`, `"a @ok.example"`, `"mailto:a@ok.example"`, `"a\\,b@ok.example"`,
		},
		forbids: []string{
			`"a@ok.example"`, `"x@good.example, a@OK.example"`, `"boss@other.example"`, `"BOSS+spam@other.example"`, `"a@ok.example; x@good.example"`, `"x@good.example (y)"`, `"\"a@ok.example\" <x@good.example>"`,
			`"a@ok.example."`, `"a@ｏk.example"`, `""`, `"nobody"`, "7", "[]", `["x@good.example"]`, "{}", "true", `"x@good.example\nBcc: a@ok.example"`,
		},
		passes: []string{
			"", "null", `"x@good.example"`, `"x@good.example, y@good.example"`, `"Ann <x@good.example>"`, `"ok.example@good.example"`, `"x@ok.example.good.example"`, `"x@sub.example"`, `"other@other.example"`,
			`"\"ok.example\" <x@good.example>"`, `"bos@other.example"`, `"x@xok.example"`,
		},
	},
}

func TestEmail(t *testing.T) { checkKinds(t, emailTable, home) }

// FuzzEmail states that a list which is read has the same addresses for the
// mail package of Go, and that cutting it at every comma and semicolon finds no
// other address.
func FuzzEmail(f *testing.F) {
	for _, tt := range emailTable {
		for _, list := range [][]string{tt.permits, tt.refuses, tt.forbids, tt.passes} {
			for _, text := range list {
				if text != "" {
					f.Add(value(f, text).Text())
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, ok := parseAddresses(s)
		if !ok {
			return
		}
		if ats := strings.Count(s, "@"); ats != len(list) {
			t.Fatalf("%q: %v, and %d @", s, list, ats)
		}
		theirs, err := mail.ParseAddressList(s)
		if err != nil {
			return // stricter about display names
		}
		if len(theirs) != len(list) {
			t.Fatalf("%q: %v and %v", s, list, theirs)
		}
		for i, a := range theirs {
			if b, ok := parseAddress(a.Address); !ok || b != list[i] {
				t.Fatalf("%q: %v and %v", s, list[i], a)
			}
		}
	})
}
