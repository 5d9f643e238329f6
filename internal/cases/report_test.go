package cases_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cases"
)

// report is a JUnit report as a reader sees it.
type report struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string  `xml:"name,attr"`
			File    string  `xml:"file,attr"`
			Line    int     `xml:"line,attr"`
			Time    float64 `xml:"time,attr"`
			Failure *text   `xml:"failure"`
			Error   *text   `xml:"error"`
			Skipped *text   `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type text struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func TestWriteJUnit(t *testing.T) {
	results := play(t, `
- {name: good, why: w, call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}
- {name: "wrong <&> \e", why: w, call: {tool: accounts}, expect: {verdict: BLOCK, code: no_clause}}
- {name: broken, why: w, steps: [{approve: ann}]}
`)
	other := load(t, head+"- {name: mute, why: w, call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}\n")
	other.Name = "other"
	muted, err := cases.Run(t.Context(), mute{cases.Inexpressible{Why: "it is mute"}}, []*cases.Suite{other}, cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := cases.WriteJUnit(&b, append(results, muted...)); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := xml.Unmarshal(b.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	if r.Tests != 4 || r.Failures != 1 || r.Errors != 1 || r.Skipped != 1 || len(r.Suites) != 2 {
		t.Fatalf("counts are wrong:\n%s", b.Bytes())
	}
	one, two := r.Suites[0], r.Suites[1]
	if one.Name != "shop.cases.yaml" || one.Tests != 3 || one.Failures != 1 || one.Errors != 1 || one.Skipped != 0 || len(one.Cases) != 3 ||
		two.Name != "other" || two.Tests != 1 || two.Skipped != 1 || len(two.Cases) != 1 {
		t.Fatalf("counts of the suites are wrong:\n%s", b.Bytes())
	}
	good, wrong, broken, muteCase := one.Cases[0], one.Cases[1], one.Cases[2], two.Cases[0]
	if good.Failure != nil || good.Error != nil || good.Skipped != nil || good.File != "shop.cases.yaml" || good.Line != 7 || good.Time <= 0 {
		t.Errorf("good is %+v", good)
	}
	if wrong.Failure == nil || wrong.Failure.Message != "expected BLOCK no_clause, got ALLOW" || !strings.Contains(wrong.Failure.Text, "expected  BLOCK") ||
		!strings.HasPrefix(wrong.Name, "wrong <&> ") {
		t.Errorf("wrong is %+v", wrong)
	}
	if broken.Error == nil || !strings.Contains(broken.Error.Message, "nothing to answer") || broken.Failure != nil {
		t.Errorf("broken is %+v", broken)
	}
	if muteCase.Skipped == nil || muteCase.Skipped.Message != "it is mute" {
		t.Errorf("mute is %+v", muteCase)
	}
}

// full is a disk without room.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, bytes.ErrTooLarge
	}
	return len(p), nil
}

func TestWriteJUnitFails(t *testing.T) {
	results := play(t, "- {name: good, why: w, call: {tool: accounts}, expect: {verdict: ALLOW, code: allow_clause}}\n")
	for _, room := range []int{0, 100} {
		if err := cases.WriteJUnit(&full{room}, results); err == nil {
			t.Errorf("a report is written into %d bytes", room)
		}
	}
}
