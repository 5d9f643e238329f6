package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/clikit"
	"github.com/licet-dev/licet/internal/lab/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hostile are names as attackers would choose them.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "</style><style>*{display:none}", `javascript:alert(1)`,
	"[click](https://evil.example)", "a|b\nc", "`code` *bold* _it_ <b>", "https://evil.example www.evil.example", "\u202eright to left\x1b[2J", "{{.}}", "&lt;already",
}

// example is a report with everything in it, and hostile text everywhere.
func example() *report.Report {
	r := &report.Report{Title: "Example " + hostile[0], Text: []string{hostile[1]}, Warning: hostile[2], Facts: []report.Fact{{Name: hostile[3], Value: hostile[4]}}}
	var n report.Tally
	for i, id := range hostile {
		r.Cases = append(r.Cases, report.Case{ID: id, Text: id, Facts: []report.Fact{{Name: id, Value: id}}})
		n.Add(id, []string{"good", "good", "bad"}[i%3])
	}
	table := report.Table{
		ID: "results", Caption: hostile[1], Corner: hostile[2],
		Columns: []report.Column{{ID: "good", Title: hostile[0], Better: report.More}, {ID: "bad", Title: "bad", Better: report.Less}, {ID: "none", Title: "none"}, {ID: "time", Title: "time"}, {ID: "note", Title: "note"}},
		Rows: []report.Row{
			{ID: "a", Title: hostile[1], Cells: []report.Cell{n.Count("good"), n.Count("bad"), n.Count("none"), {Measure: &report.Measure{Value: 12.345, Unit: "µs"}}, {Text: hostile[5], Case: hostile[0]}}},
			{ID: "b", Title: "b", Cells: []report.Cell{{Count: &report.Count{}}, {}, {}, {}, {}}},
		},
	}
	r.Sections = []report.Section{{
		ID: "first", Title: hostile[6], Text: []string{hostile[7]}, Warning: hostile[0], Tables: []report.Table{table, {ID: "empty", Caption: "empty", Empty: hostile[0]}},
		Charts: []report.Chart{{ID: "points", Title: hostile[0], Table: "results", Columns: []string{"good"}}, {ID: "parts", Title: "parts", Table: "results", Columns: []string{"good", "bad"}}},
	}}
	r.Banner, r.TableFiles = hostile[9], true
	r.Sections = append(r.Sections, rates(), amounts(), many())
	return r
}

// rates is a section with rates, groups, sums and the charts of them.
func rates() report.Section {
	rate := func(n, of int) report.Cell { return report.Cell{Rate: &report.Rate{N: n, Of: of}} }
	wide := report.Cell{Rate: &report.Rate{N: 1, Of: 8, Interval: &report.Estimate{Low: 0.01, High: 0.5, By: "bootstrap"}}}
	t := report.Table{
		ID: "rates", Caption: "rates " + hostile[4], Corner: "who", Best: true, Note: hostile[10],
		Columns: []report.Column{{ID: "p", Title: "p"}, {ID: "a-more", Group: "a", Title: "more", Better: report.More}, {ID: "a-less", Group: "a", Title: "less", Better: report.Less}, {ID: "b-more", Group: hostile[0], Title: "more", Better: report.More}},
		Rows: []report.Row{
			{ID: "x", Title: "x", Cells: []report.Cell{{Decimal: "0.0215"}, rate(1, 2), rate(1, 8), rate(0, 0)}},
			{ID: "y", Title: "y_1 & 5 %", Cells: []report.Cell{{Text: "n/a"}, rate(2, 4), wide, rate(1, 3)}},
			{ID: "z", Title: "z", Cells: []report.Cell{{Decimal: "1"}, rate(1, 3), rate(2, 3), rate(2, 3)}},
			{ID: "w", Title: "[5pt]", Cells: []report.Cell{{}, {}, {Text: "n/a (W=0)"}, {}}},
			{ID: "sum", Title: "sum", Line: true, Sum: true, Cells: []report.Cell{{Decimal: "1"}, rate(9, 9), rate(0, 9), rate(9, 9)}},
		},
	}
	return report.Section{
		ID: "second", Title: "Rates", Tables: []report.Table{t},
		Charts: []report.Chart{{ID: "bars", Title: "bars", Table: "rates", Columns: []string{"a-more", "a-less"}, Form: report.Bars}, {ID: "marks", Title: "marks", Table: "rates", Columns: []string{"a-more", "a-less", "b-more"}, Form: report.Marks}},
	}
}

// amounts is a section with amounts, and numbers of others.
func amounts() report.Section {
	amount := func(x, low, high float64) report.Cell {
		return report.Cell{Amount: &report.Amount{Value: x, Digits: 3, Signed: true, Interval: &report.Estimate{Low: low, High: high, By: "drawn"}}}
	}
	t := report.Table{ID: "amounts", Caption: "amounts", Columns: []report.Column{{ID: "first", Title: hostile[1]}, {ID: "second", Title: "second"}}, Rows: []report.Row{
		{ID: "x", Title: hostile[0], Cells: []report.Cell{amount(0.12, -0.05, 0.31), amount(-0.4, -0.45, -0.2)}},
		{ID: "y", Title: "y", Cells: []report.Cell{{Amount: &report.Amount{Value: 2.5, Digits: 1}}, {Text: "n/a"}}},
		{ID: "z", Title: "z", Cells: []report.Cell{{}, {}}},
	}}
	foreign := report.Table{ID: "foreign", Caption: "of others", Foreign: true, Columns: []report.Column{{ID: "n", Title: "n"}},
		Rows: []report.Row{{ID: "x", Title: "x", Cells: []report.Cell{{Rate: &report.Rate{N: 1, Of: 800, Tenths: true, Interval: &report.Estimate{High: 0.0123}}}}}}}
	return report.Section{ID: "third", Title: "Amounts", Tables: []report.Table{t, foreign},
		Charts: []report.Chart{{ID: "forest", Title: "forest", Table: "amounts", Columns: []string{"first", "second"}, Form: report.Forest}}}
}

// many is a section with twelve series.
func many() report.Section {
	t := report.Table{ID: "many", Caption: "many"}
	var all []string
	for i := range 12 {
		id := fmt.Sprintf("c%d", i)
		all = append(all, id)
		t.Columns = append(t.Columns, report.Column{ID: id, Title: "series " + id, Better: report.Less})
	}
	for i := range 14 {
		row := report.Row{ID: fmt.Sprintf("r%d", i), Title: fmt.Sprintf("row %d", i)}
		for k := range 12 {
			row.Cells = append(row.Cells, report.Cell{Rate: &report.Rate{N: (i + k) % 4, Of: 40}})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows[3].Cells[2] = report.Cell{Text: "n/a"}
	return report.Section{ID: "fourth", Title: "Many", Tables: []report.Table{t}, Charts: []report.Chart{
		{ID: "many-parts", Title: "parts", Table: "many", Columns: all},
		{ID: "many-heat", Title: "heat", Table: "many", Columns: all, Form: report.Heat},
		{ID: "many-dots", Title: "dots", Table: "many", Columns: all[:2], Form: report.Dots, Front: true},
	}}
}

// TestManySeries: each of twelve series has a look of its own, also without colour, and
// each dot a key; dots that no other beats are joined.
func TestManySeries(t *testing.T) {
	all := files(t, example())
	fills := map[string]bool{}
	for _, m := range regexp.MustCompile(`<rect class="part s\d" fill="([^"]+)"`).FindAllStringSubmatch(string(all["charts/many-parts.svg"]), -1) {
		fills[m[1]] = true
	}
	if len(fills) != 12 {
		t.Errorf("%d looks of 12 series: %v", len(fills), fills)
	}
	heat := string(all["charts/many-heat.svg"])
	for _, want := range []string{">A</text>", ">L</text>", ">3/40</text>", ">–</text>"} {
		if !strings.Contains(heat, want) {
			t.Errorf("the heat map has no %s", want)
		}
	}
	dots := string(all["charts/many-dots.svg"])
	// 0 to 3 in 40, and 1 more, or 0: 14 rows on 4 places, of which two share a tag.
	for _, want := range []string{">A B E F I J M N<", ">C G K<", ">D H L<", `<polyline class="front" points="64.0,320.5 72.8,313.0 81.5,305.5"`} {
		if !strings.Contains(dots, want) {
			t.Errorf("the plot has no %s", want)
		}
	}
}

// TestAmounts: an amount has its sign and its interval wherever it is read, and what is
// of others has no banner of ours.
func TestAmounts(t *testing.T) {
	r := example()
	r.Banner = "PLANTED"
	all := files(t, r)
	for name, want := range map[string]string{
		"report.md": "\\+0.120 (-0.050 to +0.310) | \\-0.400 (-0.450 to -0.200) |", "tables.tex": `\ratecell{+0.120}{-0.050 to +0.310}`,
		"csv/amounts.csv": "'+0.120, -0.050 to +0.310", "csv/foreign.csv": "x,0.1,1,800,0.00,1.23", "charts/forest.svg": ">-2.5</text>",
	} {
		if !strings.Contains(string(all[name]), want) {
			t.Errorf("%s has no %q", name, want)
		}
	}
	if got := string(all["report.md"]); !strings.Contains(got, "**of others**\n\n|") || !strings.Contains(got, "0.1 (1/800, 0.0 to 1.2)") {
		t.Error("the numbers of others have the banner, or not one decimal")
	}
	numbers, err := report.ReadNumbers(all["report.json"])
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, n := range numbers.Numbers {
		switch n.ID {
		case "amounts/x/second":
			seen++
			if n.Decimal != "-0.400" || *n.Low != -0.45 || *n.High != -0.2 || n.By != "drawn" || n.Banner == "" {
				t.Errorf("%+v", n)
			}
		case "foreign/x/n":
			seen++
			if n.Banner != "" || n.Percent != "0.1" {
				t.Errorf("%+v", n)
			}
		}
	}
	if seen != 2 {
		t.Errorf("saw %d of 2 numbers", seen)
	}
}

// TestRates rounds half up from the exact fraction, and marks the best of a column,
// ties all of them, and no sum.
func TestRates(t *testing.T) {
	for _, tt := range []struct {
		n, of int
		want  string
	}{{0, 70, "0.00"}, {70, 70, "100.00"}, {1, 3, "33.33"}, {2, 3, "66.67"}, {1, 800, "0.13"}, {1, 20_000, "0.01"}, {1, 20_001, "0.00"}, {105, 560, "18.75"}, {0, 0, "n/a"}} {
		if got := (report.Rate{N: tt.n, Of: tt.of}).Percent(); got != tt.want {
			t.Errorf("%d/%d: %s, want %s", tt.n, tt.of, got, tt.want)
		}
	}
	text := string(files(t, example())["report.md"])
	for _, row := range []string{
		"| x | 0.0215 | **50.00** (1/2) | **12.50** (1/8) | n/a (0/0) |",
		"| n/a | **50.00** (2/4) | **12.50** (1/8, 1.00 to 50.00) | 33.33 (1/3) |",
		"| z | 1 | 33.33 (1/3) | 66.67 (2/3) | **66.67** (2/3) |",
		"| sum | 1 | 100.00 (9/9) | 0.00 (0/9) | 100.00 (9/9) |",
	} {
		if !strings.Contains(text, row) {
			t.Errorf("no row %q", row)
		}
	}
	broken := example()
	broken.Sections[1].Tables[0].Rows[0].Cells[1] = report.Cell{Rate: &report.Rate{N: 3, Of: 2}}
	if _, err := broken.Files(); err == nil || !strings.Contains(err.Error(), "a rate of 3 in 2") {
		t.Errorf("a rate above 1: %v", err)
	}
}

// TestBanner: it stands at every table, chart and number, whatever is cut out.
func TestBanner(t *testing.T) {
	r := example()
	r.Banner = "PLANTED numbers"
	all := files(t, r)
	for name, want := range map[string]int{"report.html": 1 + 5 + 2*8, "report.md": 1 + 5 + 8, "tables.tex": 1 + 4, "charts/bars.svg": 2, "charts/marks.svg": 2, "charts/points.svg": 2, "charts/parts.svg": 2} {
		if got := strings.Count(string(all[name]), r.Banner); got != want {
			t.Errorf("%s has the banner %d times, want %d", name, got, want)
		}
	}
	n, err := report.ReadNumbers(all["report.json"])
	if err != nil || n.Banner != r.Banner {
		t.Fatalf("%q, %v", n.Banner, err)
	}
	for _, x := range n.Numbers {
		if x.Banner != r.Banner && x.ID != "foreign/x/n" {
			t.Errorf("%s: %q", x.ID, x.Banner)
		}
	}
}

// TestLaTeX: nothing in a table is a command but its own.
func TestLaTeX(t *testing.T) {
	text := string(files(t, example())["tables.tex"])
	known := map[string]bool{}
	for _, word := range strings.Fields("begin end centering small setlength tabcolsep belowcaptionskip caption textbf label fitted resizebox ifdim width else fi textwidth toprule midrule bottomrule multicolumn cmidrule ratecell providecommand tiny usepackage smallskip parbox footnotesize textbackslash textless textgreater textbar textasciitilde textasciicircum") {
		known[word] = true
	}
	for _, m := range regexp.MustCompile(`\\([a-zA-Z]+)`).FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			t.Errorf("the command %s", m[0])
		}
	}
	for _, want := range []string{`\multicolumn{2}{c}{a}`, `y\_1 \& 5 \% & n/a & \ratecell{\textbf{50.00}}{2/4}`, `\textless{}script\textgreater{}`, "\n{[}5pt] & "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}

func files(t *testing.T, r *report.Report) map[string][]byte {
	t.Helper()
	all, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFiles(t *testing.T) {
	got := files(t, example())
	for name, text := range got {
		golden := filepath.Join("testdata", filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, want) {
			t.Errorf("%s differs from %s; if that is right, run with -update and look at the difference", name, golden)
		}
	}
	for _, name := range []string{"report.html", "report.md", "report.json", "charts/points.svg", "charts/parts.svg", "charts/bars.svg", "charts/marks.svg", "tables.tex"} {
		if got[name] == nil {
			t.Errorf("no file %s", name)
		}
	}
	again := files(t, example())
	for name := range got {
		if !bytes.Equal(got[name], again[name]) {
			t.Errorf("%s: the same report gives other bytes", name)
		}
	}
}

// TestPageIsClosed reads the page as a browser does: it names no resource, has no
// script, no handler and no style but its own, every link leads to a place in
// it, and every hostile text is text.
func TestPageIsClosed(t *testing.T) {
	page := files(t, example())["report.html"]
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, links, texts := map[string]int{}, map[string]bool{}, ""
	style, policy := "", ""
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data == "style":
			style += n.Data
		case n.Type == html.TextNode:
			texts += n.Data + "\n"
		case n.Type == html.ElementNode && strings.Contains(" script img iframe object embed link base form input a-b ", " "+n.Data+" "):
			t.Errorf("the page has a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val]++
			case a.Key == "href":
				links[a.Val] = true
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src":
				t.Errorf("<%s> has the attribute %s", n.Data, a.Key)
			case n.Data == "meta" && a.Key == "content" && strings.Contains(a.Val, "default-src"):
				policy = a.Val
			}
		}
	}
	hash := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("the policy is %q, want %q", policy, want)
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the id %q stands %d times", id, n)
		}
	}
	if len(links) < 10 {
		t.Errorf("%d links: the page leads nowhere", len(links))
	}
	for link := range links {
		if !strings.HasPrefix(link, "#") || ids[link[1:]] == 0 {
			t.Errorf("the link %q leads to nothing in the page", link)
		}
	}
	for _, name := range hostile {
		if !strings.Contains(texts, strings.ReplaceAll(clikit.Printable(name), "<U+000A>", "\n")) {
			t.Errorf("%q is not in the text of the page", name)
		}
	}
}

// TestContrast computes the contrast of text in both themes: at least 4.5 to 1
// (WCAG 2.2, success criterion 1.4.3).
func TestContrast(t *testing.T) {
	page := string(files(t, example())["report.html"])
	themes := regexp.MustCompile(`:root \{[^}]*--ground: [^}]*\}`).FindAllString(page, -1)
	if len(themes) != 3 { // light, dark, print
		t.Fatalf("%d themes", len(themes))
	}
	for _, theme := range themes {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(theme, -1) {
			colour[m[1]] = m[2]
		}
		for _, pair := range [][2]string{{"text", "ground"}, {"text", "soft"}, {"quiet", "ground"}, {"quiet", "soft"}, {"link", "ground"}, {"link", "soft"}, {"text", "warn-ground"}, {"mark", "ground"}} {
			if ratio := contrast(luminance(t, colour[pair[0]]), luminance(t, colour[pair[1]])); ratio < 4.5 {
				t.Errorf("%s on %s has a contrast of %.2f in %.60s", pair[0], pair[1], ratio, theme)
			}
		}
		for _, series := range []string{"s1", "s2", "s3", "s4", "s5"} { // graphics: 3 to 1 (criterion 1.4.11)
			if ratio := contrast(luminance(t, colour[series]), luminance(t, colour["ground"])); ratio < 3 {
				t.Errorf("%s has a contrast of %.2f in %.60s", series, ratio, theme)
			}
		}
		for share, text := range map[float64]string{0.35: "text", 0.8: "ground", 1: "ground"} { // fields of a heat map at their worst
			field := ""
			for i := 1; i < 7; i += 2 {
				over, under := channel(t, colour["mark"], i), channel(t, colour["ground"], i)
				field += fmt.Sprintf("%02x", int(share*over+(1-share)*under))
			}
			if ratio := contrast(luminance(t, "#"+field), luminance(t, colour[text])); ratio < 4.5 {
				t.Errorf("%s on a field of %.2f has a contrast of %.2f in %.60s", text, share, ratio, theme)
			}
		}
	}
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// channel is one of the three bytes of a colour.
func channel(t *testing.T, colour string, i int) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour[i:i+2], 16, 8)
	if err != nil {
		t.Fatal(err)
	}
	return float64(n)
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := channel(t, colour, 1+2*i) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestMarkdownIsText holds for any title: nothing in it is markup, and what it
// says stays in its line.
func TestMarkdownIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()).Draw(t, "title")
		text := string((&report.Report{Title: title}).Markdown())
		line, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(rest, "\nEach number") {
			t.Fatalf("the title goes on after its line: %q", text)
		}
		bare := regexp.MustCompile(`\\[!-/:-@\[-`+"`"+`{-~]`).ReplaceAllString(strings.TrimPrefix(line, "# "), "")
		if strings.ContainsAny(bare, "<>[]()!*_`|#~&:@\\{}") || strings.Contains(strings.ToLower(bare), "www.") {
			t.Fatalf("%q has markup: %q", line, bare)
		}
	})
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{"names, Go": "names-go", "$when": "when", "Ä": "none", "": "none", "a--b_9": "a-b-9"} {
		if got := report.Slug(name); got != want {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestRefuses has reports that do not add up.
func TestRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*report.Report)
		want   string
	}{
		"a count without its cases": {func(r *report.Report) { r.Sections[0].Tables[0].Rows[0].Cells[0].Count.Cases = nil }, "with 0 cases"},
		"more than there are":       {func(r *report.Report) { r.Sections[0].Tables[0].Rows[0].Cells[0].Count.Of = 1 }, "of 1, with"},
		"a case not described":      {func(r *report.Report) { r.Cases = r.Cases[1:] }, "is not described"},
		"a case twice":              {func(r *report.Report) { r.Cases = append(r.Cases, r.Cases[0]) }, "stands twice"},
		"counted twice": {func(r *report.Report) {
			c := r.Sections[0].Tables[0].Rows[0].Cells[0].Count
			c.Cases[1] = c.Cases[0]
		}, "counted twice"},
		"an id twice":          {func(r *report.Report) { r.Sections[0].Tables[1].ID = "results" }, "stands twice"},
		"an id with a space":   {func(r *report.Report) { r.Sections[0].ID = "a b" }, "small letters"},
		"a column twice":       {func(r *report.Report) { r.Sections[0].Tables[0].Columns[1].ID = "good" }, "no id of its own"},
		"a row twice":          {func(r *report.Report) { r.Sections[0].Tables[0].Rows[1].ID = "a" }, "no id of its own"},
		"a cell too many":      {func(r *report.Report) { r.Sections[0].Tables[0].Columns = r.Sections[0].Tables[0].Columns[:4] }, "5 cells for 4"},
		"a chart of nothing":   {func(r *report.Report) { r.Sections[0].Charts[0].Table = "other" }, "no table"},
		"a chart of no column": {func(r *report.Report) { r.Sections[0].Charts[0].Columns[0] = "other" }, "no column"},
	} {
		r := example()
		tt.change(r)
		if _, err := r.Files(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// numbers are those of a report with one row: which of ten cases are good and bad.
func numbers(t *testing.T, good, bad string) report.Numbers {
	t.Helper()
	var n report.Tally
	r := &report.Report{Title: "t"}
	for _, id := range strings.Split("abcdefghij", "") {
		r.Cases = append(r.Cases, report.Case{ID: id})
		var counts []string
		if strings.Contains(good, id) {
			counts = append(counts, "good")
		}
		if strings.Contains(bad, id) {
			counts = append(counts, "bad")
		}
		n.Add(id, counts...)
	}
	r.Sections = []report.Section{{ID: "s", Tables: []report.Table{{
		ID: "t", Columns: []report.Column{{ID: "good", Title: "good", Better: report.More}, {ID: "bad", Title: "bad", Better: report.Less}, {ID: "any", Title: "any"}},
		Rows: []report.Row{{ID: "r", Title: "row", Cells: []report.Cell{n.Count("good"), n.Count("bad"), n.Count("good")}}},
	}}}}
	read, err := report.ReadNumbers(files(t, r)["report.json"])
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestCompare(t *testing.T) {
	base := numbers(t, "abcd", "ij")
	for name, tt := range map[string]struct {
		after         report.Numbers
		worse, better string
	}{
		"the same":                      {base, "[]", "[]"},
		"one fewer good":                {numbers(t, "abc", "ij"), "[t/r/good: the share got worse d]", "[]"},
		"one more bad":                  {numbers(t, "abcd", "hij"), "[t/r/bad: the share got worse h]", "[]"},
		"one more good":                 {numbers(t, "abcde", "ij"), "[]", "[t/r/good: the share got better e]"},
		"one fewer bad":                 {numbers(t, "abcd", "i"), "[]", "[t/r/bad: the share got better j]"},
		"two changed places":            {numbers(t, "abce", "hj"), "[t/r/good: these cases changed to the wrong side d t/r/bad: these cases changed to the wrong side h]", "[]"},
		"better, but one got worse":     {numbers(t, "abcd", "h"), "[t/r/bad: these cases changed to the wrong side h]", "[]"},
		"no longer measured":            {without(base, 1), "[t/r/bad: it is no longer measured ]", "[]"},
		"fewer cases at the same share": {halved(base), "[t/r/bad: fewer cases were looked at ]", "[]"},
	} {
		c, err := report.Compare(base, tt.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := say(c.Worse); got != tt.worse {
			t.Errorf("%s: worse %s, want %s", name, got, tt.worse)
		}
		if got := say(c.Better); got != tt.better {
			t.Errorf("%s: better %s, want %s", name, got, tt.better)
		}
	}
	if _, err := report.Compare(base, report.Numbers{Title: "other"}); err == nil {
		t.Error("two different reports were compared")
	}
	if c, err := report.Compare(without(base, 1), base); err != nil || fmt.Sprint(c.New) != "[t/r/bad]" {
		t.Errorf("new: %v, %v", c.New, err)
	}
}

func say(changes []report.Change) string {
	all := []string{}
	for _, c := range changes {
		all = append(all, c.ID+": "+c.Why+" "+strings.Join(c.Cases, ","))
	}
	return fmt.Sprint(all)
}

func without(n report.Numbers, i int) report.Numbers {
	n.Numbers = append(append([]report.Number{}, n.Numbers[:i]...), n.Numbers[i+1:]...)
	return n
}

// halved drops half of the cases, evenly.
func halved(n report.Numbers) report.Numbers {
	n.Numbers = append([]report.Number{}, n.Numbers...)
	one, five := 1, 5
	n.Numbers[1].N, n.Numbers[1].Of, n.Numbers[1].Cases = &one, &five, []string{"i"}
	return n
}

func FuzzReadNumbers(f *testing.F) {
	text, err := json.Marshal(example().Numbers())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format": "licet.report/1", "numbers": [{"id": "a", "n": 3, "of": 2}]}`))
	f.Add([]byte(`{"format": "licet.report/1", "numbers": [{"id": "a", "n": 0, "of": 2}, {"id": "a", "n": 0, "of": 3, "better": "less"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := report.ReadNumbers(text)
		if err != nil {
			return
		}
		c, err := report.Compare(n, n)
		if err != nil || len(c.Worse)+len(c.Better)+len(c.New) > 0 {
			t.Errorf("numbers differ from themselves: %+v, %v", c, err)
		}
	})
}

// TestOwnInterval: a count can have another interval than that of Wilson.
func TestOwnInterval(t *testing.T) {
	c := report.Count{N: 1, Of: 4, Cases: []string{"a"}, Interval: &report.Estimate{Low: 0.125, High: 0.5, By: "tasks resampled"}}
	if got := c.Share(); got != "25.0 %, 12.5 to 50.0" {
		t.Errorf("share %q", got)
	}
	r := report.Report{Title: "t", Cases: []report.Case{{ID: "a"}}, Sections: []report.Section{{ID: "s", Tables: []report.Table{{
		ID: "t", Columns: []report.Column{{ID: "c"}}, Rows: []report.Row{{ID: "r", Cells: []report.Cell{{Count: &c}}}},
	}}}}}
	if n := r.Numbers().Numbers[0]; n.By != "tasks resampled" || *n.Low != 0.125 || *n.High != 0.5 || len(n.Cases) != 1 {
		t.Errorf("%+v", n)
	}
	dir := t.TempDir()
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil || !strings.Contains(string(text), "Wilson, or as its table says") {
		t.Errorf("%s, %v", text, err)
	}
}
