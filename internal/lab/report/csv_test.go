package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/lab/report"
)

// csvOf reads a file of a report, strictly: each row has as many fields as the first.
func csvOf(t rapid.TB, r *report.Report, name string) [][]string {
	t.Helper()
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	text, ok := files[name]
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	if !bytes.HasSuffix(text, []byte("\r\n")) {
		t.Errorf("%s does not end its lines as RFC 4180 has it", name)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestCSV: a rate has its numerator, its denominator and the interval that was stated,
// and the banner stands in each row.
func TestCSV(t *testing.T) {
	r := example()
	rows := csvOf(t, r, "csv/rates.csv")
	want := []string{
		"banner,who,p,a: more %,a: more n,a: more of,a: more low %,a: more high %,a: less %,a: less n",
		"{{.}},x,0.0215,50.00,1,2,,,12.50,1",
		"{{.}},y_1 & 5 %,n/a,50.00,2,4,,,12.50,1",
	}
	for i, line := range want {
		if got := strings.Join(rows[i][:10], ","); got != line {
			t.Errorf("line %d: %s\nwant %s", i, got, line)
		}
	}
	if got := strings.Join(rows[2][10:13], ","); got != "8,1.00,50.00" {
		t.Errorf("the denominator and the interval are %s", got)
	}
	if got := rows[4][8]; got != "n/a (W=0)" {
		t.Errorf("in the place of a rate stands %q", got)
	}
	counts := csvOf(t, r, "csv/results.csv")
	if got := strings.Join(counts[1][2:7], ","); got != "72.73,8,11,43.44,90.25" {
		t.Errorf("a count is %s", got)
	}
	if facts := csvOf(t, r, "csv/facts.csv"); len(facts) != 3 || facts[2][1] != "note" || facts[1][0] != "{{.}}" {
		t.Errorf("%q", facts)
	}
	if _, err := (&report.Report{TableFiles: true, Sections: []report.Section{{ID: "s", Tables: []report.Table{{ID: "facts"}}}}}).Files(); err == nil {
		t.Error("two files have one name")
	}
}

// TestNoFormula: whatever a text begins with, no spreadsheet takes it for a formula,
// and numbers with a sign stay numbers.
func TestNoFormula(t *testing.T) {
	field := func(t rapid.TB, c report.Cell) string {
		table := report.Table{ID: "t", Corner: "c", Columns: []report.Column{{ID: "x", Title: "x"}}, Rows: []report.Row{{ID: "r", Title: "r", Cells: []report.Cell{c}}}}
		return csvOf(t, &report.Report{TableFiles: true, Sections: []report.Section{{ID: "s", Tables: []report.Table{table}}}}, "csv/t.csv")[1][1]
	}
	for in, want := range map[string]string{
		"=1+1": "'=1+1", " \t=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "@SUM(A1)": "'@SUM(A1)", "+1+cmd": "'+1+cmd", "-1-cmd": "'-1-cmd", "\uff1d1": "'\uff1d1",
		"+7.14": "+7.14", "-0.50": "-0.50", "4:1": "4:1", "a=b": "a=b", "a,\"b\"\nc": "a,\"b\" c",
	} {
		if got := field(t, report.Cell{Text: in}); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if got := field(t, report.Cell{Decimal: in}); got != want {
			t.Errorf("%q as a number: %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got := field(t, report.Cell{Text: text})
		if rest := strings.TrimLeft(got, "+-"); got != "" && strings.ContainsAny(got[:1], "=+-@\t\r") && strings.Trim(rest, "0123456789.") != "" {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
