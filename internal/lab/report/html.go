package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/clikit"
)

//go:embed page.tmpl
var pageText string

//go:embed style.css
var styleText string

// StyleSheet returns the style sheet of reports, for other pages of the lab. It
// needs nothing from elsewhere.
func StyleSheet() string { return styleText }

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b },
	// A narrow cell has a share in one line and its interval in the next.
	"parts": func(share string) []string { return strings.Split(share, ", ") },
}).Parse(pageText))

// page is a report as the template reads it.
type page struct {
	*Report
	Style     template.CSS
	StyleHash template.HTMLAttr // only its own style sheet applies (CSP, level 3)
	How       string            // how its numbers are to be read
	Sections  []pageSection
	Lists     []caseList
	Cases     []pageCase
}

type pageSection struct {
	Section
	Charts []drawing
	Tables []pageTable
}

type pageTable struct {
	Table
	Banner  string
	Groups  []pageGroup // the upper line of the header; none if no column has a group
	Columns []pageColumn
	Rows    []pageRow
	Width   int
}

// pageGroup is a title over some columns, or one column that has no such title.
type pageGroup struct {
	Title string
	Span  int
	Only  *pageColumn // the column, which then takes both lines
}

type pageColumn struct {
	Column
	Note     string
	IsNumber bool
}

type pageRow struct {
	Row
	Cells []pageCell
}

type pageCell struct {
	Text, Share, Anchor string
	IsNumber, Best      bool
}

// caseList is the cases behind one number.
type caseList struct {
	Anchor, Title, Count string
	Cases                []pageCase
}

type pageCase struct {
	Case
	Anchor string
}

// HTML returns the report as one page.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "page", r.page()); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return Visible(b.Bytes()), nil
}

// Visible returns text of HTML in which what cannot be seen, or reorders what
// can, is written as code points.
func Visible(page []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(page) {
		s := string(r)
		if r != '\n' {
			s = clikit.Printable(s)
		}
		if s != string(r) {
			s = template.HTMLEscapeString(s)
		}
		b.WriteString(s)
	}
	return b.Bytes()
}

// StyleHash names a style sheet in a content security policy (CSP, level 3, section
// 2.3.1).
func StyleHash(style string) string {
	hash := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// page lays out the report. Anchors are made from numbers, as names are anybody's.
func (r *Report) page() *page {
	p := &page{Report: r, Style: template.CSS(styleText), StyleHash: template.HTMLAttr(StyleHash(styleText))}
	p.How = r.how()
	byID := map[string]pageCase{}
	for i, k := range r.Cases {
		c := pageCase{k, fmt.Sprintf("case-%d", i+1)}
		p.Cases = append(p.Cases, c)
		byID[k.ID] = c
	}
	for _, s := range r.Sections {
		out := pageSection{Section: s}
		for _, h := range s.Charts {
			t, _ := s.table(h.Table)
			out.Charts = append(out.Charts, h.draw(t, r.Banner))
		}
		for _, t := range s.Tables {
			out.Tables = append(out.Tables, p.table(t, byID))
		}
		p.Sections = append(p.Sections, out)
	}
	return p
}

func (p *page) table(t Table, byID map[string]pageCase) pageTable {
	out := pageTable{Table: t, Banner: p.bannerOf(t), Width: len(t.Columns) + 1}
	for i, c := range t.Columns {
		column := pageColumn{Column: c, IsNumber: slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[i].isNumber() })}
		if c.Better != Neither && !t.Best && c.Group == "" { // where columns are many and narrow, a note says it
			column.Note = c.Better.String() + " is better"
		}
		out.Columns = append(out.Columns, column)
	}
	out.group()
	best := t.best()
	for i, row := range t.Rows {
		r := pageRow{Row: row}
		for k, cell := range row.Cells {
			x := pageCell{Text: cell.Text, Anchor: byID[cell.Case].Anchor, IsNumber: out.Columns[k].IsNumber, Best: best[place{i, k}]}
			switch {
			case cell.Count != nil:
				x = p.count(*cell.Count, t.Caption+" / "+row.Title+" / "+t.Columns[k].whole(), byID)
			case cell.Rate != nil:
				x.Text, x.Share = cell.Rate.Percent(), cell.Rate.share()
			case cell.Amount != nil:
				x.Text, x.Share = cell.Amount.String(), cell.Amount.interval()
			case cell.Decimal != "":
				x.Text = cell.Decimal
			case cell.Measure != nil:
				x.Text = cell.Measure.String()
			}
			r.Cells = append(r.Cells, x)
		}
		out.Rows = append(out.Rows, r)
	}
	return out
}

// bannerOf is what stands at a table and its numbers.
func (r *Report) bannerOf(t Table) string {
	if t.Foreign {
		return ""
	}
	return r.Banner
}

// group makes the upper line of the header, if a column has a group.
func (t *pageTable) group() {
	any := false
	for i := range t.Columns {
		c := &t.Columns[i]
		any = any || c.Group != ""
		if last := len(t.Groups) - 1; c.Group == "" {
			t.Groups = append(t.Groups, pageGroup{Span: 1, Only: c})
		} else if last >= 0 && t.Groups[last].Title == c.Group {
			t.Groups[last].Span++
		} else {
			t.Groups = append(t.Groups, pageGroup{Title: c.Group, Span: 1})
		}
	}
	if !any {
		t.Groups = nil
	}
}

// count lays out a count, and the list of its cases that it leads to.
func (p *page) count(c Count, title string, byID map[string]pageCase) pageCell {
	cell := pageCell{Text: fmt.Sprintf("%d of %d", c.N, c.Of), Share: c.Share(), IsNumber: true}
	if c.N == 0 {
		return cell
	}
	l := caseList{Anchor: fmt.Sprintf("list-%d", len(p.Lists)+1), Title: title, Count: cell.Text}
	for _, id := range c.Cases {
		l.Cases = append(l.Cases, byID[id])
	}
	p.Lists = append(p.Lists, l)
	cell.Anchor = l.Anchor
	return cell
}

// SVG returns a chart as a picture of its own, for Markdown.
func (d drawing) SVG() ([]byte, error) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "chart", d); err != nil {
		return nil, fmt.Errorf("drawing %s: %w", d.ID, err)
	}
	style := append([]byte("><style>"), append([]byte(styleText), "</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n<title"...)...)
	return Visible(bytes.Replace(b.Bytes(), []byte(">\n<title"), style, 1)), nil
}
