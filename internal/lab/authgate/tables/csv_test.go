package tables

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/eval"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// TestCSV: each table is a file, in whose rows the banner of a stand-in stands, and
// which has the fraction of each rate.
func TestCSV(t *testing.T) {
	r, err := eval.New(setOf(10), rowsOf("s", result.Scripted, result.Plain, mix{10, result.Block, result.Block}), eval.Options{Scoring: eval.Raw})
	if err != nil {
		t.Fatal(err)
	}
	built, err := Build(r, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := 1 // facts
	for _, s := range built.Sections {
		want += len(s.Tables)
	}
	got := 0
	for name, text := range files(t, built) {
		if !strings.HasPrefix(name, "csv/") {
			continue
		}
		got++
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for n, row := range rows {
			if n == 0 && row[0] != "banner" || n > 0 && !strings.HasPrefix(row[0], "SCRIPTED decisions") {
				t.Errorf("%s, row %d begins with %q", name, n, row[0])
			}
		}
		if name == "csv/overview.csv" && strings.Join(rows[1][1:6], ",") != "s,10,50.00,10,20" {
			t.Errorf("the overview is %q", rows[1])
		}
	}
	if got != want {
		t.Errorf("%d files of CSV for %d tables and the facts", got, want-1)
	}
}
