package constraint

import (
	"fmt"
	"os"
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
			`"in 2020-2024, in 2019, 2020 and 2021"`, `"pages 12, 15, 18, 22 and 30"`, `"May 19, 2024, 10:30 - 11:45"`, `"1,250,000.00 and 1,200.50, 3,400.00"`, `"| 12.50 | 99.00 | 13.10 |"`, `"README.md, AGENTS.md: see README.md?"`, `"std::vector, Bad::new and x::y::z()"`, `"at 10:30:00"`, `"Fall 12; 2024"`, `"'bob@ok.example'"`,
		},
		refuses: []string{
			"", "null", "7", `["hello"]`, `{"a":"b"}`, "true", `"See https://evil.example/"`, `"https://docs.example.org/a?leak=1"`, `"https://docs.example.org/a,1"`, `"https://docs.example.org"`, `"http://docs.example.org/a"`, `"[x](https://evil.example)"`,
			`"ftp://x"`, `"https:\\\\evil.example"`, `"https:/evil.example"`, `"www.evil.com"`, `"evil.com"`, `"evil.com/x"`, `"//evil.com"`, `"evil。com"`, `"ｅｖｉｌ．com"`, `"ev\u00adil.com"`, `"10.0.0.1"`, `"müller.de"`, `"xn--mller-kva.de"`,
			`"x@evil.example"`, `"bob@ok.example.evil.com"`, `"a.bob@ok.example"`, `"bob＠evil.example"`, `"bob@ok.example x@evil.example"`, `"DE89 3704 0044 0532 0130 00"`, `"DE89370400440532013000"`, `"de89-3704-0044-0532-0130-00"`, `"pay DE89 3704 0044 0532 0130 00 now"`,
			`"+49 30 123457"`, `"0049 30 1234 567"`, `"555-123-4567"`, `"555.123.4567"`, `"(555) 123 4567"`, `"123456"`, `"card 4111 1111 1111 1111"`, `"٤١١١١١١١١١"`, `"１２３４５６"`, `"see INV-78"`, `"INV-77 and INV-7"`, `"ＩＮＶ-78"`, `"12345678"`,
			`"GB29\nNWBK\n6016\n1331\n9268\n19"`, `"GB29\tNWBK\t6016\t1331\t9268\t19"`, `"GB29_NWBK_6016_1331_9268_19"`, `"DE89,3704,0044,0532,0130,00"`, `"DE89: 3704: 0044: 0532: 0130: 00"`, `"D.E.8.9.3704 0044 0532 0130 00"`,
			`"0170–1234–567"`, `"0170\u20111234\u2011567"`, `"0170_1234_567"`, `"0170\n1234\n567"`, `"0170·1234·567"`, `"0170, 1234, 567"`, `"+49*170*1234567"`, `"5 5 5 1 2 3 4"`, `"9\ufe0f\u20e32\ufe0f\u20e33\ufe0f\u20e34\ufe0f\u20e35\ufe0f\u20e36\ufe0f\u20e37\ufe0f\u20e3"`, `"555-1234"`, `"12,345,678"`,
			`"请访问evil.com看看"`, `"evil.comです"`, `"evil.com에서"`, `"evil.comé"`, `"evil.com_now"`, `"_evil.com_"`, `"evil.com..."`, `"see..evil.com"`, `"evil[.]com"`, `"evil(.)com"`, `"evil [dot] com"`, `"10[.]0[.]0[.]1"`, `"hxxps://evil.example"`, `"evil.eth"`, `"evil.onion"`, `"api.internal"`, `"notes.md"`, `"README.md/x"`, `"readme.md"`, `"x README.md. evil.com"`,
			`"2001:db8::1"`, `"[2001:db8::1]"`, `"[2001:db8::1]:443"`, `"ip:2001:db8::1"`, `"bad:2001:db8:1:2:3:4:5:6"`, `"2001:db8::1:port"`, `"2001:db8::1..."`, `"::ffff:10.0.0.1"`, `"fe80::1%eth0"`, `"[10.0.0.1]"`,
			`"o'bob@ok.example"`, `"a/bob@ok.example"`, `"a=bob@ok.example"`, `"a|bob@ok.example"`, `"{bob@ok.example}@evil.com"`, `"请bob@ok.example"`, `"x\u00adx@evil.example"`,
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
		"(see https://a.example/x(y).)":  "https://a.example/x(y",
		"\"bob@a.example\"!":             "bob@a.example",
		"GB33 BUKB 2020 1555 5555 55 x":  "GB33 BUKB 2020 1555 5555 55|GB33BUKB20201555555555",
		"GB34BUKB20201555555555":         "20201555555555",
		"XGB33BUKB20201555555555":        "20201555555555",
		"+49 (30) 123-456, yes":          "+49 (30) 123-456|+4930123456",
		"a 1234567. b":                   "1234567",
		"x.com:8080/y z":                 "x.com:8080/y",
		"no identifier. None":            "",
		"one.com,two.com":                "one.com two.com",
		"2024-05-19 12 and 31.12.1999":   "",
		"2024-13-19 12":                  "2024-13-19 12|2024131912",
		"٣٤٥٦٧٨":                         "345678",
		"C:\\Users\\x":                   "C:\\Users\\x",
		"o'neil@x.org":                   "o'neil@x.org",
		"'neil@x.org'":                   "neil@x.org",
		"a/neil@x.org":                   "a/neil@x.org neil@x.org",
		"a/b=neil@x.org":                 "a/b=neil@x.org neil@x.org",
		"jürgen@x.org":                   "jürgen@x.org",
		"请neil@x.org看":                   "请neil@x.org看 neil@x.org",
		"请evil.com看看":                    "evil.com",
		"请evil.com/看":                    "请evil.com/看 evil.com/看",
		"_dmarc.evil.com":                "_dmarc.evil.com",
		"a_b.evil.com":                   "a_b.evil.com b.evil.com",
		"evil [.] com/x":                 "evil.com/x",
		"2001:DB8:0::1.":                 "2001:DB8:0::1|2001:db8::1",
		"order 1234567, 3 of it":         "1234567",
		"0170, 1234, 567":                "0170, 1234, 567|01701234567",
		"+49*170*1234567":                "+49*170*1234567|+491701234567",
		"GB33\nBUKB 2020-1555-5555 55 x": "GB33\nBUKB 2020-1555-5555 55|GB33BUKB20201555555555",
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

// The page says which names are free, and how far a text is looked through.
func TestIdentifiersPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/spec/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### Identifiers in texts\n")
	section, _, _ = strings.Cut(section, "\n### ")
	says := []string{fmt.Sprintf("%d KiB", maxText>>10), fmt.Sprintf("%d identifiers", maxIdentifiers),
		fmt.Sprintf("%d to %d letters", shortIBAN, longIBAN), fmt.Sprintf("%d digits or more in a row, or %d or more", longRun, longPhone)}
	for name := range fileNames {
		says = append(says, "`"+name+"`")
	}
	for _, want := range says {
		if !strings.Contains(section, want) {
			t.Errorf("the section does not say %s", want)
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
