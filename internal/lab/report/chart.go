package report

import (
	"fmt"
	"unicode/utf8"
)

// Measures of charts, in the units of their view box.
const (
	chartWidth = 760
	labelWidth = 190 // titles of rows
	valueWidth = 100 // "12 of 345"
	rowHeight  = 30
	legendLine = 24
	axisHeight = 30
	plotWidth  = chartWidth - labelWidth - valueWidth
)

// drawing is a chart with all coordinates, for the template. Texts are escaped
// there, and colours are a matter of the style sheet.
type drawing struct {
	ID, Title, Summary string
	Width, Height      int
	Top, Bottom        int // of the rows
	Left, Plot         int // where shares begin, and how wide all of them are
	Legend             []legend
	Ticks              []tick
	Bars               []bar
}

type legend struct {
	X, Y int
	Fill string
	Text string
}

type tick struct {
	X    string
	Text string
}

// bar is one row: a point with its interval, or parts.
type bar struct {
	Y, Middle int
	Label     string
	Value     string
	Point     string // x of the point; "" = there are parts
	Low, High string
	Parts     []part
}

type part struct {
	X, Width, Middle string
	Fill             string
	Text             string // "" where there is no room
	TextX            string
	TextWidth        int
}

// draw lays out a chart over its table.
func (h Chart) draw(t Table) drawing {
	d := drawing{ID: h.ID, Title: h.Title, Width: chartWidth, Left: labelWidth, Plot: plotWidth}
	if len(h.Columns) > 1 {
		d.legend(h, t)
	}
	d.Top = 10 + legendLine*len(d.Legend)
	for i := range 5 {
		d.Ticks = append(d.Ticks, tick{at(float64(i) / 4), fmt.Sprintf("%d %%", 25*i)})
	}
	for _, row := range t.Rows {
		if b, ok := h.bar(t, row); ok {
			b.Y = d.Top + rowHeight*len(d.Bars)
			b.Middle = b.Y + rowHeight/2
			d.Bars = append(d.Bars, b)
		}
	}
	d.Bottom = d.Top + rowHeight*len(d.Bars)
	d.Height = d.Bottom + axisHeight
	d.Summary = "Shares in per cent, a row each. The numbers are those of the table \"" + t.Caption + "\"."
	return d
}

func (d *drawing) legend(h Chart, t Table) {
	for i, name := range h.Columns {
		d.Legend = append(d.Legend, legend{labelWidth, 8 + legendLine*i, h.fill(i), t.Columns[t.column(name)].Title})
	}
}

// fill is the look of a part: parts differ in their patterns, so that no meaning
// is in a colour.
func (h Chart) fill(i int) string {
	return [...]string{"currentColor", "url(#" + h.ID + "-lines)", "url(#" + h.ID + "-dots)", "none"}[i%4]
}

// at returns the x of a share.
func at(share float64) string { return fmt.Sprintf("%.1f", labelWidth+share*plotWidth) }

// bar lays out one row. It is false if a count is missing, or is of nothing.
func (h Chart) bar(t Table, row Row) (bar, bool) {
	b := bar{Label: shorten(row.Title, 22)}
	var counts []Count
	of := 0
	for _, name := range h.Columns {
		c := row.Cells[t.column(name)].Count
		if c == nil || c.Of == 0 {
			return b, false
		}
		counts = append(counts, *c)
		of = max(of, c.Of)
	}
	b.Value = fmt.Sprintf("of %d", of)
	if len(counts) == 1 {
		c := counts[0]
		low, high := Wilson(c.N, c.Of)
		b.Value = fmt.Sprintf("%d of %d", c.N, c.Of)
		b.Point, b.Low, b.High = at(float64(c.N)/float64(c.Of)), at(low), at(high)
		return b, true
	}
	sum := 0
	for i, c := range counts {
		b.Parts = append(b.Parts, newPart(h.fill(i), sum, c.N, of))
		sum += c.N
	}
	return b, sum <= of // parts of a whole, or there is nothing to draw
}

func newPart(fill string, before, n, of int) part {
	x, width := float64(before)/float64(of)*plotWidth, float64(n)/float64(of)*plotWidth
	p := part{X: at(float64(before) / float64(of)), Width: fmt.Sprintf("%.1f", width), Fill: fill}
	text := fmt.Sprint(n)
	if p.TextWidth = 9*len(text) + 6; n > 0 && float64(p.TextWidth) <= width {
		middle := labelWidth + x + width/2
		p.Text, p.Middle, p.TextX = text, fmt.Sprintf("%.1f", middle), fmt.Sprintf("%.1f", middle-float64(p.TextWidth)/2)
	}
	return p
}

// shorten cuts a text that has no room.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
