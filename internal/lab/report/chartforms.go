package report

import (
	"fmt"
	"slices"
)

// mark is one number among the marks of a row.
type mark struct {
	X     string
	Shift int // from the middle of the row, so that equal numbers are seen beside each other
	Shape string
	Class string

	Low, High string // of an interval; "" = none
	Hue       string // class of its colour
}

// shapes are outlines round the origin. Marks differ in their shape, so that no
// meaning is in a colour.
var shapes = [...]string{
	"M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
	"M-4.5,-4.5h9v9h-9z",
	"M0,-6L5.5,4.5h-11z",
	"M0,-6L6,0L0,6L-6,0z",
	"M0,6L5.5,-4.5h-11z",
	"M-5,-5L5,5M-5,5L5,-5",
	"M-6,0h12M0,-6v12",
	"M-5,-5L5,5M-5,5L5,-5M-6,0h12M0,-6v12",
}

const sumShape = "M-2.5,-12h5v24h-5z"

// shape returns the outline and the class of a column's marks.
func (h Chart) shape(column int) (shape, class string) {
	switch {
	case h.Form == Forest && column == 0:
		return shapes[0], "point " + hue(column)
	case h.Form == Marks && column == len(h.Columns)-1:
		return sumShape, "sum"
	}
	return shapes[column%len(shapes)], "mark " + hue(column)
}

// marks lays out a row with a mark for each column.
func (h Chart) marks(t Table, row Row) []bar {
	var b bar
	b.Label, b.More = twoLines(row.Title, 26)
	for i, name := range h.Columns {
		r, ok := row.Cells[t.column(name)].rate()
		if !ok || r.Of == 0 {
			continue
		}
		m := mark{X: at(float64(r.N) / float64(r.Of))}
		if m.Shape, m.Class = h.shape(i); i < len(h.Columns)-1 {
			m.Shift = i%4*3 - 4
			b.Marks = append(b.Marks, m)
			continue
		}
		b.Value = r.Percent()
		b.Marks = slices.Insert(b.Marks, 0, m) // below the others
	}
	if len(b.Marks) == 0 {
		return nil
	}
	return []bar{b}
}

// bars lays out a row with a bar for each column, one below the other.
func (h Chart) bars(t Table, row Row) []bar {
	var all []bar
	for i, name := range h.Columns {
		cell := row.Cells[t.column(name)]
		r, ok := cell.rate()
		b := bar{Value: fmt.Sprintf("%d/%d", r.N, r.Of)}
		if !ok { // why there is none
			b.Value = shorten(cell.Text, 12)
		}
		if i == 0 {
			b.Label, b.More = twoLines(row.Title, 26)
		}
		if r.Of > 0 {
			width := float64(r.N) / float64(r.Of) * plotWidth
			b.Parts = []part{{X: at(0), Width: fmt.Sprintf("%.1f", width), Fill: h.fill(i), Class: hue(i)}}
			b.Low, b.High = at(r.Interval.Low), at(r.Interval.High)
		}
		all = append(all, b)
	}
	return all
}
