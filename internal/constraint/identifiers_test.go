package constraint

import (
	"slices"
	"strings"
	"testing"
)

// identifiersTable is judged in a world where these are stated.
var writings = []string{
	`"https://docs.example.org/a"`, `"bob@ok.example"`, `"GB33BUKB20201555555555"`, `"+4930123456"`, `"1234567"`, "7654321", `"example.org"`, `"INV-77"`, `"https://docs.example.org/a(b"`,
}

var identifiersTable = []kindCase{
	{
		spec: `{"identifiers": {"from": ["request", {"literal": ["hello.com"]}], "patterns": ["INV-[0-9]+"]}}`,
		permits: []string{
			`""`, `"Good morning, no identifiers here."`, `"See https://docs.example.org/a."`, `"(https://docs.example.org/a)"`, `"Mail bob@ok.example, please!"`, `"bob@ok.example; thanks"`, `"GB33 BUKB 2020 1555 5555 55"`, `"gb33bukb20201555555555"`, `"Call +49 30 123456."`, `"+49 (30) 123-456"`,
			`"number 1234567"`, `"id 7654321."`, `"on 2024-05-19 at 10:30"`, `"am 19.05.2024"`, `"12.50 and 99999.99 EUR"`, `"1,050.00"`, `"e.g. this and i.e. that"`, `"see INV-77"`, `"look at hello.com"`, `"main.go and report.pdf"`, `"and/or"`,
			`"mailto:bob@ok.example"`, `"bob\u200b@ok.example"`, `"12345"`,
		},
		refuses: []string{
			"", "null", "7", `["hello"]`, `{"a":"b"}`, "true", `"See https://evil.example/"`, `"https://docs.example.org/a?leak=1"`, `"https://docs.example.org/a,1"`, `"https://docs.example.org"`, `"http://docs.example.org/a"`, `"[x](https://evil.example)"`,
			`"ftp://x"`, `"https:\\\\evil.example"`, `"https:/evil.example"`, `"www.evil.com"`, `"evil.com"`, `"evil.com/x"`, `"//evil.com"`, `"evil。com"`, `"ｅｖｉｌ．com"`, `"ev\u00adil.com"`, `"10.0.0.1"`, `"müller.de"`, `"xn--mller-kva.de"`,
			`"x@evil.example"`, `"bob@ok.example.evil.com"`, `"a.bob@ok.example"`, `"bob＠evil.example"`, `"bob@ok.example x@evil.example"`, `"DE89 3704 0044 0532 0130 00"`, `"DE89370400440532013000"`, `"de89-3704-0044-0532-0130-00"`, `"pay DE89 3704 0044 0532 0130 00 now"`,
			`"+49 30 123457"`, `"0049 30 1234 567"`, `"555-123-4567"`, `"555.123.4567"`, `"(555) 123 4567"`, `"123456"`, `"card 4111 1111 1111 1111"`, `"٤١١١١١١١١١"`, `"１２３４５６"`, `"see INV-78"`, `"INV-77 and INV-7"`, `"ＩＮＶ-78"`, `"12345678"`,
		},
		forbids: []string{`"anything"`, `""`, "7", "[]", "{}", "true", `"bob@ok.example"`, `"a b"`, `"1234567"`, `"x"`},
		passes:  []string{"", "null"},
	},
}

func TestIdentifiers(t *testing.T) {
	w := home
	w.stated = map[string]bool{}
	for _, s := range writings {
		w.stated[s] = true
	}
	checkKinds(t, identifiersTable, w)
}

func TestIdentifierSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"(see https://a.example/x(y).)": "https://a.example/x(y",
		"\"bob@a.example\"!":            "bob@a.example",
		"GB33 BUKB 2020 1555 5555 55 x": "GB33 BUKB 2020 1555 5555 55|GB33BUKB20201555555555",
		"GB34BUKB20201555555555":        "20201555555555",
		"XGB33BUKB20201555555555":       "20201555555555",
		"+49 (30) 123-456, yes":         "+49 (30) 123-456|+4930123456",
		"a 1234567. b":                  "1234567",
		"x.com:8080/y z":                "x.com:8080/y",
		"no identifier. None":           "",
		"one.com,two.com":               "one.com two.com",
		"2024-05-19 12 and 31.12.1999":  "",
		"2024-13-19 12":                 "2024-13-19 12|2024131912",
		"٣٤٥٦٧٨":                        "345678",
		"C:\\Users\\x":                  "C:\\Users\\x",
	} {
		var got []string
		for _, id := range scan(readable(text)) {
			got = append(got, strings.Join(id, "|"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestTooManyIdentifiers(t *testing.T) {
	s := compile(t, `{"identifiers": {"from": {"literal": ["a@b.example"]}}}`, local)
	for n, want := range map[int]bool{maxIdentifiers: true, maxIdentifiers + 1: false} {
		permits, _, why := home.sides(s, argument(t, `"`+strings.Repeat("a@b.example ", n)+`"`, false))
		if permits != want {
			t.Errorf("%d identifiers: %t, %s", n, permits, why)
		}
	}
}

// FuzzIdentifiers states that an identifier in a text is found also when other
// words stand around it, and that a text has no more without the others.
func FuzzIdentifiers(f *testing.F) {
	for _, tt := range identifiersTable {
		for _, text := range slices.Concat(tt.permits, tt.refuses) {
			if text != "" {
				f.Add(value(f, text).Text())
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		alone := scan(readable(s))
		for _, id := range alone {
			if len(id) == 0 || id[0] == "" {
				t.Fatalf("%q has an identifier without text", s)
			}
		}
		const planted = "mallory@evil.example"
		all := scan(readable(s + " \n" + planted + "\n word"))
		found := slices.ContainsFunc(all, func(id identifier) bool { return id[0] == planted })
		if !found || len(all) < len(alone) {
			t.Fatalf("%q: %q, and with another %q", s, alone, all)
		}
	})
}
