package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// dot is a row of a plot of two shares.
type dot struct {
	X, Y         string
	Shape, Class string
	x, y         float64
}

// tag has the keys of dots that lie on each other.
type tag struct {
	X, Y, Text string
	x, y       float64
}

// Measures of a plot.
const (
	dotsLeft   = 64
	dotsWidth  = 350
	dotsHeight = 300
	dotsSide   = dotsLeft + dotsWidth + 30 // where the legend is
	dotsNear   = 13                        // dots so near each other share a tag
)

// dots lays out a plot: a dot for each row, with its title beside the plot.
func (h Chart) dots(d *drawing, t Table) {
	d.Left, d.Plot, d.Top = dotsLeft, dotsWidth, 28
	d.Bottom = d.Top + dotsHeight
	x, y := t.column(h.Columns[0]), t.column(h.Columns[1])
	d.XTitle, d.YTitle = t.Columns[x].Title, t.Columns[y].Title
	d.Ticks = nil
	for i := range 5 {
		share := float64(i) / 4
		text := fmt.Sprintf("%d %%", 25*i)
		d.Ticks = append(d.Ticks, tick{X: fmt.Sprintf("%.1f", dotsLeft+share*dotsWidth), Text: text})
		d.Levels = append(d.Levels, tick{X: fmt.Sprintf("%.1f", float64(d.Bottom)-share*dotsHeight), Text: text})
	}
	var tags []tag
	for i, row := range t.Rows {
		right, ok := row.Cells[x].rate()
		up, also := row.Cells[y].rate()
		if !ok || !also || right.Of == 0 || up.Of == 0 {
			continue
		}
		p := dot{x: dotsLeft + dotsWidth*float64(right.N)/float64(right.Of), y: float64(d.Bottom) - dotsHeight*float64(up.N)/float64(up.Of)}
		p.X, p.Y, p.Shape, p.Class = fmt.Sprintf("%.1f", p.x), fmt.Sprintf("%.1f", p.y), shapes[i%len(shapes)], "mark "+hue(i)
		tags = tagged(tags, p, key(i))
		d.Legend = append(d.Legend, legend{X: dotsSide, Y: d.Top + legendLine*len(d.Dots), Shape: p.Shape, Class: p.Class, Key: key(i), Text: shorten(row.Title, 38)})
		d.Dots = append(d.Dots, p)
	}
	d.Tags = placed(tags)
	if h.Front {
		d.Front = front(d.Dots, t.Columns[x].Better)
	}
	d.Height = max(d.Bottom+axisHeight+legendLine, d.Top+legendLine*len(d.Dots)+axisHeight)
}

// tagged adds a key beside a dot, or to that of one that is too near for another.
func tagged(tags []tag, p dot, text string) []tag {
	for i := range tags {
		if o := &tags[i]; math.Abs(o.x-p.x) < dotsNear && math.Abs(o.y-p.y) < dotsNear {
			o.Text += " " + text
			return tags
		}
	}
	return append(tags, tag{Text: text, x: p.x, y: p.y})
}

// placed puts each tag beside its dot, at the first height at which it hides no other.
func placed(tags []tag) []tag {
	const letter, line = 8, 14
	for i := range tags {
		t := &tags[i]
		t.x += 10
		for _, off := range []float64{-8, -22, -36, 18, 32} {
			at := t.y + off
			hidden := slices.ContainsFunc(tags[:i], func(o tag) bool {
				return math.Abs(o.y-at) < line && t.x < o.x+float64(letter*len(o.Text)) && o.x < t.x+float64(letter*len(t.Text))
			})
			if !hidden {
				t.y = at
				break
			}
		}
		t.X, t.Y = fmt.Sprintf("%.1f", t.x), fmt.Sprintf("%.1f", t.y)
	}
	return tags
}

// front joins the dots that no other beats: none lies as far or further on the good
// side and higher up, or as high and further on the good side.
func front(dots []dot, right Direction) string {
	side := 1.0
	if right == Less {
		side = -1
	}
	at := map[float64]float64{} // the highest of each x
	for _, p := range dots {
		beaten := false
		for _, o := range dots {
			beaten = beaten || side*o.x >= side*p.x && o.y <= p.y && (o.x != p.x || o.y != p.y)
		}
		if !beaten {
			at[p.x] = p.y
		}
	}
	var points []string
	for _, x := range slices.Sorted(maps.Keys(at)) {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, at[x]))
	}
	return strings.Join(points, " ")
}

// heat lays out a row of fields, one for each column.
func (h Chart) heat(t Table, row Row) []bar {
	b := bar{Label: shorten(row.Title, 26)}
	width := float64(plotWidth) / float64(len(h.Columns))
	for i, name := range h.Columns {
		x := labelWidth + float64(i)*width
		p := part{X: fmt.Sprintf("%.1f", x), Width: fmt.Sprintf("%.1f", width), Fill: "none", Class: hue(0)}
		text := "–"
		if r, ok := row.Cells[t.column(name)].rate(); ok && r.Of > 0 {
			p.Fill = "currentColor"
			p.Opacity, p.Shade = shade(float64(r.N) / float64(r.Of))
			text = fmt.Sprintf("%d/%d", r.N, r.Of)
		}
		p.write(text, x+width/2, width+6)
		p.TextX = "" // the field itself is to be seen
		b.Parts = append(b.Parts, p)
	}
	return []bar{b}
}

// shade is how dark a field of a share is, and the class of a text that can be read on
// it. No field is of a darkness in between, on which neither text could be.
func shade(share float64) (opacity, class string) {
	if share <= 0.5 {
		return fmt.Sprintf("%.2f", 0.7*share), ""
	}
	return fmt.Sprintf("%.2f", 0.6+0.4*share), " inverse"
}

// forest lays out a row with a point and its interval for each column.
func (h Chart) forest(t Table, row Row, reach float64) []bar {
	var b bar
	b.Label, b.More = twoLines(row.Title, 22)
	at := func(v float64) string { return fmt.Sprintf("%.1f", labelWidth+plotWidth*(v/reach+1)/2) }
	var values []string
	for i, name := range h.Columns {
		a := row.Cells[t.column(name)].Amount
		if a == nil {
			values = append(values, "–")
			continue
		}
		m := mark{X: at(a.Value), Shift: 11*i - 11*(len(h.Columns)-1)/2}
		m.Shape, m.Class = h.shape(i)
		m.Hue = hue(i)
		if a.Interval != nil {
			m.Low, m.High = at(a.Interval.Low), at(a.Interval.High)
		}
		b.Marks = append(b.Marks, m)
		values = append(values, a.String())
	}
	if len(b.Marks) == 0 {
		return nil
	}
	b.Value, b.MoreValue = values[0], strings.Join(values[1:], ", ")
	return []bar{b}
}

// reach is how far from 0 the axis of a forest goes: as far as its amounts, to a
// round number.
func (h Chart) reach(t Table) float64 {
	far := 0.0
	for _, row := range t.Rows {
		for _, name := range h.Columns {
			if a := row.Cells[t.column(name)].Amount; a != nil {
				far = max(far, math.Abs(a.Value))
				if a.Interval != nil {
					far = max(far, math.Abs(a.Interval.Low), math.Abs(a.Interval.High))
				}
			}
		}
	}
	for _, round := range []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100} {
		if far <= round {
			return round
		}
	}
	return far
}
