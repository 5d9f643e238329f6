package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Measures of charts, in the units of their view box.
const (
	chartWidth = 760
	labelWidth = 190 // titles of rows
	valueWidth = 100 // "12 of 345"
	rowHeight  = 30
	barHeight  = 24 // of bars that belong together
	gapHeight  = 10 // above a row that is set off
	legendLine = 24
	axisHeight = 30
	plotWidth  = chartWidth - labelWidth - valueWidth
)

// drawing is a chart with all coordinates, for the template. Texts are escaped
// there, and colours are a matter of the style sheet.
type drawing struct {
	ID, Title, Summary string
	Banner             string
	Width, Height      int
	Top, Bottom        int // of the rows
	Left, Plot         int // where shares begin, and how wide all of them are
	Patterns           []pattern
	Legend             []legend
	Ticks              []tick
	Heads              []tick // above the rows
	Bars               []bar

	// Of a plot, which has no rows.
	Levels         []tick // of the axis that goes up
	XTitle, YTitle string
	Dots           []dot
	Tags           []tag
	Front          string // points of a line
}

type legend struct {
	X, Y  int
	Fill  string // of a part; "" = it has none
	Shape string // of a mark; "" = it has none
	Class string
	Key   string // "" = none
	Text  string
}

type tick struct {
	X    string // or y, of an axis that goes up
	Text string
	Zero bool // the middle of an axis with two sides
}

// bar is one line of a row: a point with its interval, parts, or marks.
type bar struct {
	Y, Middle int
	Label     string
	More      string // second line of the label, "" if it has one; both are smaller then
	Value     string
	MoreValue string // second line of the value; both are smaller then
	Point     string // x of the point; "" = there are parts or marks
	Low, High string // of the interval; "" = none
	Ground    bool   // the parts are of a whole, which is seen behind them
	Parts     []part
	Marks     []mark
}

type part struct {
	X, Width, Middle string
	Fill, Class      string
	Opacity          string // "" = all of it
	Shade            string // class of its text
	Text             string // "" where there is no room
	TextX            string // of the plate below the text; "" = there is none
	TextWidth        int
}

// draw lays out a chart over its table.
func (h Chart) draw(t Table, banner string) drawing {
	d := drawing{ID: h.ID, Title: h.Title, Banner: banner, Width: chartWidth, Left: labelWidth, Plot: plotWidth, Patterns: h.fills()}
	if h.Form == Dots {
		h.dots(&d, t)
	} else {
		h.rows(&d, t)
	}
	d.Summary = h.summary() + " The numbers are those of the table \"" + t.Caption + "\"."
	if banner != "" {
		d.Height += legendLine
		d.Summary += " " + banner + "."
	}
	return d
}

// summary says how a chart is to be read.
func (h Chart) summary() string {
	switch h.Form {
	case Forest:
		return "Amounts with their intervals, a row each."
	case Dots:
		return "Shares in per cent, a dot for each row."
	}
	return "Shares in per cent, a row each."
}

// rows lays out a chart that has a line, or several, for each row.
func (h Chart) rows(d *drawing, t Table) {
	d.Top = 10 + d.legend(h, t)
	reach := 0.0
	switch h.Form {
	case Heat:
		for i := range h.Columns {
			d.Heads = append(d.Heads, tick{X: at((float64(i) + 0.5) / float64(len(h.Columns))), Text: key(i)})
		}
		d.Top += 14
	case Forest:
		reach = h.reach(t)
		for i := range 5 {
			d.Ticks = append(d.Ticks, tick{X: at(float64(i) / 4), Text: fmt.Sprintf("%+g", reach*(float64(i)/2-1)), Zero: i == 2})
		}
	default:
		for i := range 5 {
			d.Ticks = append(d.Ticks, tick{X: at(float64(i) / 4), Text: fmt.Sprintf("%d %%", 25*i)})
		}
	}
	d.Bottom = d.Top
	for _, row := range t.Rows {
		bars := h.row(t, row, reach)
		if len(bars) > 0 && len(d.Bars) > 0 && (row.Line || h.Form == Bars) {
			d.Bottom += gapHeight
		}
		for _, b := range bars {
			b.Y, b.Middle = d.Bottom, d.Bottom+rowHeight/2
			d.Bottom += rowHeight
			if h.Form == Bars || h.Form == Heat { // those lie closer
				d.Bottom -= rowHeight - barHeight
			}
			d.Bars = append(d.Bars, b)
		}
	}
	d.Height = d.Bottom + axisHeight
}

// row lays out the lines of a row, none if a number is missing or is of nothing.
func (h Chart) row(t Table, row Row, reach float64) []bar {
	switch h.Form {
	case Bars:
		return h.bars(t, row)
	case Marks:
		return h.marks(t, row)
	case Heat:
		return h.heat(t, row)
	case Forest:
		return h.forest(t, row, reach)
	}
	if b, ok := h.bar(t, row); ok {
		return []bar{b}
	}
	return nil
}

// legend adds what the columns look like, and returns how high it is.
func (d *drawing) legend(h Chart, t Table) int {
	if len(h.Columns) < 2 && h.Form != Heat {
		return 0
	}
	perLine, width, room := 1, 0, 80
	if h.Form == Marks || (h.Form == Parts || h.Form == Bars) && len(h.Columns) > 4 { // many: the legend may stand above the values, too
		perLine, width, room = 3, (chartWidth-labelWidth)/3, 20
	}
	for i, name := range h.Columns {
		l := legend{X: labelWidth + i%perLine*width, Y: 8 + legendLine*(i/perLine), Class: hue(i), Text: shorten(t.Columns[t.column(name)].Title, room)}
		switch h.Form {
		case Marks, Forest:
			l.Shape, l.Class = h.shape(i)
		case Heat:
			l.Key = key(i)
		default:
			l.Fill = h.fill(i)
		}
		d.Legend = append(d.Legend, l)
	}
	return legendLine * ((len(h.Columns) + perLine - 1) / perLine)
}

// at returns the x of a share.
func at(share float64) string { return fmt.Sprintf("%.1f", labelWidth+share*plotWidth) }

// bar lays out one row. It is false if a number is missing, or is of nothing.
func (h Chart) bar(t Table, row Row) (bar, bool) {
	var b bar
	b.Label, b.More = twoLines(row.Title, 22)
	var all []Rate
	of := 0
	for _, name := range h.Columns {
		r, ok := row.Cells[t.column(name)].rate()
		if !ok || r.Of == 0 {
			return b, false
		}
		all = append(all, r)
		of = max(of, r.Of)
	}
	b.Value = fmt.Sprintf("of %d", of)
	if len(all) == 1 {
		r := all[0]
		b.Value = fmt.Sprintf("%d of %d", r.N, r.Of)
		b.Point, b.Low, b.High = at(float64(r.N)/float64(r.Of)), at(r.Interval.Low), at(r.Interval.High)
		return b, true
	}
	b.Ground = true
	sum := 0
	for i, r := range all {
		b.Parts = append(b.Parts, newPart(h.fill(i), hue(i), sum, r.N, of))
		sum += r.N
	}
	return b, sum <= of // parts of a whole, or there is nothing to draw
}

func newPart(fill, class string, before, n, of int) part {
	x, width := float64(before)/float64(of)*plotWidth, float64(n)/float64(of)*plotWidth
	p := part{X: at(float64(before) / float64(of)), Width: fmt.Sprintf("%.1f", width), Fill: fill, Class: class}
	if n > 0 {
		p.write(fmt.Sprint(n), labelWidth+x+width/2, width)
	}
	return p
}

// write puts a text into the middle of a part, if it is wide enough.
func (p *part) write(text string, middle, width float64) {
	if p.TextWidth = 9*utf8.RuneCountInString(text) + 6; float64(p.TextWidth) <= width {
		p.Text, p.Middle, p.TextX = text, fmt.Sprintf("%.1f", middle), fmt.Sprintf("%.1f", middle-float64(p.TextWidth)/2)
	}
}

// twoLines breaks a title that has no room on one line, so that titles with one
// beginning can be told apart.
func twoLines(title string, room int) (first, second string) {
	const small = 26 // characters of a smaller line
	if utf8.RuneCountInString(title) <= room {
		return title, ""
	}
	runes := []rune(title)
	end := min(small, len(runes)-1)
	if blank := strings.LastIndexByte(string(runes[:end+1]), ' '); blank > 0 {
		return title[:blank], shorten(title[blank+1:], small)
	}
	return string(runes[:end]), shorten(string(runes[end:]), small)
}

// shorten cuts a text that has no room.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
