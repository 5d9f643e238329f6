package report

import "fmt"

// pattern is a tile that fills parts of a chart.
type pattern struct {
	Name  string
	Class string
	Size  int
	Turn  int    // degrees
	Path  string // what is inked
}

// patterns fill the series of a chart behind the first, which is solid, one after the
// other; the one without a path is empty. They differ without their colours, which
// repeat: no meaning is in a colour.
var patterns = []pattern{
	{Name: "lines", Size: 7, Turn: 45, Path: "M0,0h3v7h-3z"},
	{Name: "dots", Size: 7, Path: "M2,3.5a1.5,1.5 0 1,0 3,0a1.5,1.5 0 1,0 -3,0z"},
	{Name: "none"},
	{Name: "checks", Size: 8, Path: "M0,0h4v4h-4zM4,4h4v4h-4z"},
	{Name: "level", Size: 6, Path: "M0,0h6v2h-6z"},
	{Name: "cross", Size: 8, Turn: 45, Path: "M0,0h8v1.5h-8zM0,1.5h1.5v6.5h-1.5z"},
	{Name: "upright", Size: 6, Path: "M0,0h2v6h-2z"},
	{Name: "blobs", Size: 10, Path: "M1.5,5a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0z"},
	{Name: "thin", Size: 6, Turn: -45, Path: "M0,0h1.2v6h-1.2z"},
	{Name: "grid", Size: 9, Path: "M0,0h9v1.5h-9zM0,1.5h1.5v7.5h-1.5z"},
	{Name: "dashes", Size: 10, Path: "M0,0h5v2.5h-5zM5,5h5v2.5h-5z"},
}

// hues is how many colours the style sheet has for series.
const hues = 6

// hue is the class of the colour of series i.
func hue(i int) string { return fmt.Sprintf("s%d", i%hues) }

// fill is the look of series i: that of its pattern.
func (h Chart) fill(i int) string {
	if i %= len(patterns) + 1; i == 0 {
		return "currentColor"
	}
	if p := patterns[i-1]; p.Path != "" {
		return "url(#" + h.ID + "-" + p.Name + ")"
	}
	return "none"
}

// fills are the patterns that the series of a chart need.
func (h Chart) fills() (all []pattern) {
	if h.Form != Parts && h.Form != Bars || len(h.Columns) < 2 {
		return nil
	}
	for i, p := range patterns[:min(len(h.Columns)-1, len(patterns))] {
		if p.Class = hue(i + 1); p.Path != "" {
			all = append(all, p)
		}
	}
	return all
}

// key names a series where there is no room for its title: A to Z, then AA.
func key(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return key(i/26-1) + key(i%26)
}
