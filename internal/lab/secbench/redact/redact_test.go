package redact_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/redact/redacttest"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/toolcall"
)

// fixture returns what a run of a task must not show: its canaries, and an input.
func fixture(t testing.TB, id string) (task.Canaries, []byte, redact.Hidden) {
	t.Helper()
	loaded, err := task.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := loaded.Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	gold, err := f.Gold()
	if err != nil {
		t.Fatal(err)
	}
	input := []byte("\x04\x00\xffrecord<17>\n")
	return f.Canaries, input, redact.Of(f, gold, input)
}

// rules returns the rules that hit, each once and in order.
func rules(hits []redact.Hit) (all []redact.Rule) {
	for _, h := range hits {
		all = append(all, h.Rule)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestForms: keys and inputs are found in each form and gone afterwards, and what
// stands around them stays.
func TestForms(t *testing.T) {
	canaries, input, h := fixture(t, "T01")
	for rule, secret := range map[redact.Rule]string{redact.Key: canaries.Key, redact.Trigger: string(input)} {
		for name, disguise := range redacttest.Disguises {
			if name == "JSON" && rule == redact.Trigger {
				secret = string(input[3:]) // JSON has no other bytes
			}
			text := "before [" + disguise(secret) + "] after"
			if !slices.Contains(rules(redact.NewFinder(h).Scan(text)), rule) {
				t.Errorf("%s, %s: not found in %q", rule, name, text)
			}
			r := redact.New(h)
			public := r.Text(text)
			if hits := redact.NewFinder(h).Scan(public); len(hits) > 0 || r.Counts()[rule] == 0 {
				t.Errorf("%s, %s: %+v in %q", rule, name, hits, public)
			}
			if !strings.HasPrefix(public, "before [") || !strings.HasSuffix(public, "] after") || !strings.Contains(public, "["+string(rule)) {
				t.Errorf("%s, %s: %q", rule, name, public)
			}
		}
	}
}

// TestFormsOfForms: keys and inputs are found in each form of each form, and in some
// of those of three.
func TestFormsOfForms(t *testing.T) {
	canaries, input, h := fixture(t, "T01")
	finder := redact.NewFinder(h)
	names := slices.Sorted(maps.Keys(redacttest.Disguises))
	chains := [][]string{
		{"JSON", "base64, MIME", "JSON"}, {"hex", "base64, 0", "percent"}, {"JSON, all", "base64, 1", "backwards"},
		{"backwards", "hex, lines", "base64url, 1"}, {"dots between", "base64, 2", "HEX"}, {"percent, all", "base64, 0", "base64, YAML"},
	}
	for _, inner := range names {
		for _, outer := range names {
			chains = append(chains, []string{inner, outer})
		}
	}
	for rule, secret := range map[redact.Rule]string{redact.Key: canaries.Key, redact.Trigger: string(input[3:])} {
		for _, chain := range chains {
			text := secret
			for _, name := range chain {
				text = redacttest.Disguises[name](text)
			}
			r := redact.New(h)
			public := r.Text("before [" + text + "] after")
			if hits := finder.Scan(public); len(hits) > 0 || r.Counts()[rule] == 0 {
				t.Errorf("%s in %q: %+v in %q", rule, chain, hits, public)
			}
			if !strings.HasPrefix(public, "before [") || !strings.HasSuffix(public, "] after") {
				t.Errorf("%s in %q: %q", rule, chain, public)
			}
		}
	}
}

// TestScanNames: a hit says in which form it stands there.
func TestScanNames(t *testing.T) {
	c, _, h := fixture(t, "L01")
	for text, want := range map[string]string{
		c.Key: "raw", redacttest.Disguises["hex"](c.Key): "hex",
		redacttest.Disguises["base64, 0"](redacttest.Disguises["hex"](c.Key)): "base64 of hex",
	} {
		if hits := redact.NewFinder(h).Scan(text); len(hits) != 1 || hits[0].Rule != redact.Key || hits[0].Form != want {
			t.Errorf("%s: %+v", want, hits)
		}
	}
}

// everything holds one of each thing that must not be shown.
func everything(c task.Canaries, input []byte) map[redact.Rule]string {
	return map[redact.Rule]string{
		redact.Key:     redacttest.Disguises["hex, colons"](c.Key),
		redact.Person:  "by " + strings.ToUpper(c.Person) + " (" + c.Mail + ")",
		redact.Host:    "https://" + c.Host + ":8443/x",
		redact.Trigger: redacttest.Disguises["base64, 1"](string(input)),
		redact.Path:    "cat /home/robin/notes.txt",
	}
}

// TestRules: with all rules a scan finds nothing, with one rule off exactly what that
// one hides.
func TestRules(t *testing.T) {
	canaries, input, h := fixture(t, "T01")
	all := everything(canaries, input)
	text := strings.Join(slices.Collect(maps.Values(all)), "\n")
	if got := rules(redact.NewFinder(h).Scan(text)); !slices.Equal(got, redact.Rules) {
		t.Errorf("found %v", got)
	}
	if hits := redact.NewFinder(h).Scan(redact.New(h).Text(text)); len(hits) > 0 {
		t.Errorf("with all rules %+v", hits)
	}
	for _, off := range redact.Rules {
		r := redact.New(h, off)
		public := r.Text(text)
		if got := rules(redact.NewFinder(h).Scan(public)); !slices.Equal(got, []redact.Rule{off}) {
			t.Errorf("without %s: %v in %q", off, got, public)
		}
		if r.Counts()[off] != 0 || len(r.Counts()) != len(redact.Rules)-1 {
			t.Errorf("without %s: %v", off, r.Counts())
		}
	}
}

// TestMarks: what stands in the place of a value.
func TestMarks(t *testing.T) {
	c, input, h := fixture(t, "T01")
	other := "lk_canary_" + strings.Repeat("ab", 16)
	mark := fmt.Sprintf("[D sha256=%x len=%d]", sha256.Sum256(input), len(input))
	for text, want := range map[string]string{
		c.Key + " " + other + " " + c.Key: "[A:1] [A:2] [A:1]",
		c.Person + ", " + c.Mail:          "[B:1], [B:2]",
		"http://" + c.Host + "/x":         "http://[C:1]/x",
		"got " + string(input):            "got " + mark,
		"a record<17>b":                   "a " + mark + "b",
		"a record<1b":                     "a " + mark + "b",
		"a record<b":                      "a record<b", // seven bytes
		"open /etc/hosts.d/x now":         "open [E]/x now",
		"PATH=/usr/bin:/usr/local/bin":    "PATH=[E]/bin:[E]/bin",
		`C:\Users\robin\a.txt`:            "[E]/a.txt",
		"file:///C:/Users/a.txt":          "[E]/a.txt",
		"file:///srv/a.txt":               "[E]/a.txt",
		"~/a/b $HOME/c ~robin/d":          "[E]/b [E]/c [E]/d",
		"sort </srv/list":                 "sort <[E]/list",
		`{"a":"\n/srv/x"}`:                `{"a":"\n[E]/x"}`,
		"<td>a</td> rec/parse.go ./x ../y and/or https://example.org/a/b // c": "<td>a</td> rec/parse.go ./x ../y and/or https://example.org/a/b // c",
		"[E]/x": "[E]/x",
	} {
		got := redact.New(h).Text(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPaths: what is an absolute path or a home shortcut, and what only looks like one.
func TestPaths(t *testing.T) {
	_, _, h := fixture(t, "L01")
	for text, want := range map[string]string{
		`\\server\share\a.txt`: "[E]/a.txt", "//server/share/a.txt": "[E]/a.txt", `\\?\C:\Users\x`: "[E]/x",
		"C:/Users/robin/a.txt": "[E]/a.txt", "C%3A%5CUsers%5Ca.txt": "[E]/a.txt", `$env:USERPROFILE\a\b`: "[E]/b",
		"file:%2F%2F%2Fhome%2Frobin": "[E]/robin", "file%3A///srv/x": "[E]/x", "file://localhost/srv/x": "[E]/x",
		"?f=%2Fhome%2frobin%2fx&": "?f=[E]/x&", "/home%2Frobin%2Fx": "[E]/x", "///home/robin/x": "[E]/x",
		`"\/etc\/passwd"`: `"[E]/passwd"`, `"\u002fhome\u002Frobin"`: `"[E]/robin"`, "unix:///run/x.sock": "unix:[E]/x.sock",
		"-I/usr/include": "-I[E]/include", "[E]/home/robin/x": "[E][E]/x", "(a)/srv/x": "(a)[E]/x", "~robin/x": "[E]/x",
	} {
		r := redact.New(h)
		if got := r.Text(text); got != want || len(redact.NewFinder(h).Scan(got)) > 0 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"f(a)/b", "a[i]/b[j]", "n /2", "(x)/2", "a/b/c", "//comment", "///doc", "// a/b", "/* a */", `"/+"`, "http://a/b//c",
		"s3://bucket/key", "x//y/z", "..//x/y", "</div>", "a%2Fb%2Fc", "{pattern: '/.*|(.*/)?[.][.](/.*)?'}", `\d+\w+`, "~1.2", "~string", "s/foo/bar/",
	} {
		if got := redact.New(h).Text(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestPeople: names and addresses are found as they stand in URLs, identifiers and
// lines, and in no other word.
func TestPeople(t *testing.T) {
	h := redact.Hidden{People: []string{"Lee Example", "lee@example.org", "+1-202-555-0109"}, Hosts: []string{"a-1.corp.example"}}
	for _, text := range []string{"lee_example", "Lee\n  Example", "LEE%20EXAMPLE", "lee+example", "lee%40example.org", "%2b1-202-555-0109", "https://A-1.CORP.example/x"} {
		r := redact.New(h)
		if got := r.Text(text); !redact.Marked([]byte(got)) || len(redact.NewFinder(h).Scan(got)) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"an example by lee", "leexample", "example.org", "a-1xcorp.example", "1-202-555-0109"} {
		if got := redact.New(h).Text(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestOf: inputs are hidden in tasks that say so, and only there.
func TestOf(t *testing.T) {
	_, input, h := fixture(t, "L01")
	if got := redact.New(h).Text(string(input)); got != string(input) {
		t.Errorf("%q", got)
	}
	_, _, h = fixture(t, "T01")
	if got := redact.New(h).Text("0109616263"); !strings.HasPrefix(got, "[D sha256=") { // the gold input of T01
		t.Errorf("%q", got)
	}
	short := redact.Hidden{Triggers: [][]byte{[]byte("ab")}}
	for text, want := range map[string]bool{"ab": true, "6162": true, "YWI=": false, "cab": false, "q: 6162": false} {
		if hit := len(redact.NewFinder(short).Scan(text)) > 0; hit != want {
			t.Errorf("a short input in %q: %v", text, hit)
		}
	}
}

// TestBlob: JSON stays JSON, with names redacted too, and what has nothing to hide
// stays as it is.
func TestBlob(t *testing.T) {
	c, _, h := fixture(t, "T01")
	r := redact.New(h)
	text := fmt.Sprintf(`{"%s":1,"[A:1]":2,"n":[{"path":"/srv/x","t":"\n%s"}]}`, c.Key, c.Person)
	got := string(r.Blob([]byte(text)))
	if want := `{"[A:1]":2,"[A:1]'":1,"n":[{"path":"[E]/x","t":"\n[B:1]"}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(r.Blob([]byte(`{"b": 1.0, "a" : "x"}`))); got != `{"b": 1.0, "a" : "x"}` {
		t.Errorf("%s", got)
	}
	if got := string(r.Blob([]byte("no JSON: /srv/x"))); got != "no JSON: [E]/x" {
		t.Errorf("%s", got)
	}
	digits := []byte(`{"n":1230313233343536373812}`) // of hexadecimal
	hidden := redact.Hidden{Triggers: [][]byte{[]byte("012345678")}}
	if len(redact.NewFinder(hidden).ScanBlob(digits)) == 0 {
		t.Error("not found in a number")
	}
	got = string(redact.New(hidden).Blob(digits))
	if hits := redact.NewFinder(hidden).ScanBlob([]byte(got)); len(hits) > 0 || !strings.Contains(got, "[D ") {
		t.Errorf("%s: %v", got, hits)
	}
}

// TestWords: of what the bench itself says inputs are not hidden, all else is.
func TestWords(t *testing.T) {
	h := redact.Hidden{Hosts: []string{"a.example"}, Triggers: [][]byte{[]byte("denied")}}
	r, f := redact.New(h), redact.NewFinder(h)
	if got := r.Word("denied by a.example at /srv/x"); got != "denied by [C:1] at [E]/x" || len(f.ScanWord(got)) > 0 {
		t.Errorf("%s: %v", got, f.ScanWord(got))
	}
	if len(f.ScanWord("a.example")) == 0 || len(f.Scan("denied")) == 0 || len(f.ScanWord("denied")) > 0 {
		t.Error("a scan of words is not one for all but inputs")
	}
}

// TestInJSON: escapes are read however deep the JSON is in which they stand.
func TestInJSON(t *testing.T) {
	c, input, h := fixture(t, "T01")
	for _, secret := range []string{c.Key, string(input[3:])} {
		text := redacttest.Disguises["JSON, all"](secret)
		for range 3 {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			text = string(quoted)
			if len(redact.NewFinder(h).Scan(text)) == 0 {
				t.Errorf("not found in %s", text)
			}
			public := redact.New(h).Text(text)
			if hits := redact.NewFinder(h).Scan(public); len(hits) > 0 {
				t.Errorf("%s: %v", public, hits)
			}
		}
	}
}

// TestPieces: of the run's key no ten digits in a row are shown, in any form; nine are,
// and so are ten of another key.
func TestPieces(t *testing.T) {
	c, _, h := fixture(t, "L02")
	digits := strings.TrimPrefix(c.Key, "lk_canary_")
	text := fmt.Sprintf(`{"evidence":[{"quote":"lk_canary_%s","role":"source"},{"quote":"%s","role":"sink"}]}`, digits[:16], digits[16:])
	if got, want := string(redact.New(h).Blob([]byte(text))), `{"evidence":[{"quote":"lk_canary_[A:1]","role":"source"},{"quote":"[A:1]","role":"sink"}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	other := strings.Repeat("ab", 16)
	for piece, want := range map[string]bool{
		digits[3:13]: true, strings.ToUpper(digits[:10]): true, digits[3:12]: false, other[:10]: false,
		redacttest.Disguises["base64, 1"](digits[11:22]): true, redacttest.Disguises["backwards"](digits[:11]): true,
	} {
		r := redact.New(h)
		public := r.Text("x " + piece + " y")
		if got := strings.Contains(public, "[A:1]"); got != want || len(redact.NewFinder(h).Scan(public)) > 0 {
			t.Errorf("%s: %s", piece, public)
		}
	}
}

// TestMarked: what stands for a value is known, and nothing else.
func TestMarked(t *testing.T) {
	c, input, h := fixture(t, "T01")
	for _, text := range everything(c, input) {
		if public := redact.New(h).Text(text); !redact.Marked([]byte(public)) || redact.Marked([]byte(text)) {
			t.Errorf("%q, %q", text, public)
		}
	}
	if redact.Marked([]byte("[A:] [D:1] [D sha256=0 len=1] [F]")) {
		t.Error("no mark was taken for one")
	}
}

// FuzzText: a scan finds nothing in a public form, making it again changes nothing,
// and JSON stays JSON.
func FuzzText(f *testing.F) {
	c, input, h := fixture(f, "T01")
	for _, disguise := range redacttest.Disguises {
		f.Add(disguise(c.Key))
		f.Add(disguise(string(input)))
	}
	for _, text := range everything(c, input) {
		f.Add(text)
	}
	f.Add(`{"` + c.Key + `":"\u002fsrv\/x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		public := redact.New(h).Text(text)
		if hits := redact.NewFinder(h).Scan(public); len(hits) > 0 {
			t.Errorf("%q becomes %q: %+v", text, public, hits)
		}
		if again := redact.New(h).Text(public); again != public {
			t.Errorf("%q becomes %q, then %q", text, public, again)
		}
		if _, err := toolcall.Parse([]byte(text), toolcall.Bounds{}); err == nil {
			if _, err := toolcall.Parse(redact.New(h).Blob([]byte(text)), toolcall.Bounds{}); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
