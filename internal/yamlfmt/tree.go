package yamlfmt

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// entry is one member of a mapping or one item of a list, with the comments
// that belong to it. An empty line in lead or foot is one in the text.
type entry struct {
	key      *yamlwalk.Node // nil for an item
	value    *yamlwalk.Node
	children []*entry // in the order of the text
	parent   *entry   // nil at the top
	column   int      // of the key, or of the dash before an item
	flow     int      // how many collections in brackets it stands in
	lead     []string // lines above it
	beside   []string // comments at the end of its line
	foot     []string // lines below it and all that is in it
}

func (e *entry) start() place {
	if e.key != nil {
		return at(e.key)
	}
	return at(e.value)
}

// tree returns the entries at the top, and all entries in the order of the text.
func (d *document) tree() (top, all []*entry) {
	var below func(n *yamlwalk.Node, parent *entry, flow int) []*entry
	below = func(n *yamlwalk.Node, parent *entry, flow int) (children []*entry) {
		if d.inBrackets(n) {
			flow++
		}
		add := func(key, value *yamlwalk.Node) {
			e := &entry{key: key, value: value, parent: parent, flow: flow}
			e.column = d.columnOf(e)
			all = append(all, e)
			e.children = below(value, e, flow)
			children = append(children, e)
		}
		for _, m := range n.Members {
			add(m.Key, m.Value)
		}
		for _, item := range n.Items {
			add(nil, item)
		}
		return children
	}
	top = below(d.root, nil, 0)
	return top, all
}

func (d *document) inBrackets(n *yamlwalk.Node) bool {
	if n.Kind != toolcall.Object && n.Kind != toolcall.Array {
		return false
	}
	first := d.lines[n.Line-1][n.Column-1]
	return first == '[' || first == '{'
}

// columnOf returns the column of the key or of the dash.
func (d *document) columnOf(e *entry) int {
	if e.key != nil || e.flow > 0 {
		return e.start().column
	}
	before := strings.TrimRight(string(d.lines[e.value.Line-1][:e.value.Column-1]), " ")
	if strings.HasSuffix(before, "-") {
		return len([]rune(before))
	}
	return e.value.Column
}

// attach gives every comment to an entry, and notes the empty lines before
// comments and entries.
func (d *document) attach(all []*entry) {
	next := 0 // first entry that begins after what is looked at
	for _, c := range d.comments {
		for ; next < len(all) && all[next].start().before(c.place); next++ {
			d.blankBefore(all, next)
		}
		if e := owner(all, next, c); !c.own {
			e.beside = append(e.beside, c.text)
		} else if next < len(all) && e == all[next] {
			e.lead = append(e.lead, d.withBlank(c)...)
		} else {
			e.foot = append(e.foot, d.withBlank(c)...)
		}
	}
	for ; next < len(all); next++ {
		d.blankBefore(all, next)
	}
}

// owner returns the entry that a comment belongs to. next is the first entry
// that begins after it.
func owner(all []*entry, next int, c comment) *entry {
	if next == 0 {
		return all[0]
	}
	last := next - 1
	for last > 0 && all[last].flow > c.flow {
		last--
	}
	switch {
	case !c.own:
		return all[last]
	case next == len(all) && c.flow == 0, next < len(all) && c.flow == 0 && c.column > all[next].column:
		e := all[next-1]
		for e.parent != nil && (e.column > c.column || e.flow > 0) {
			e = e.parent
		}
		if next < len(all) && e.contains(all[next]) {
			return all[next]
		}
		return e
	case next == len(all), all[next].flow < c.flow:
		return all[last]
	}
	return all[next]
}

func (e *entry) contains(other *entry) bool {
	for ; other != nil; other = other.parent {
		if other == e {
			return true
		}
	}
	return false
}

// blankBefore notes an empty line before an entry that begins a line.
func (d *document) blankBefore(all []*entry, i int) {
	e := all[i]
	first := i == 0 || all[i-1].start().line < e.start().line
	if first && e.flow == 0 && d.blank(e.start().line-1) {
		e.lead = append(e.lead, "")
	}
}

func (d *document) withBlank(c comment) []string {
	if d.blank(c.line - 1) {
		return []string{"", c.text}
	}
	return []string{c.text}
}

// blank reports whether a line is empty.
func (d *document) blank(line int) bool {
	return line >= 1 && strings.TrimSpace(string(d.lines[line-1])) == ""
}

// remarked reports whether a comment belongs to the entry or to one below it.
func (e *entry) remarked() bool {
	isComment := func(s string) bool { return s != "" }
	return slices.ContainsFunc(e.lead, isComment) || len(e.beside) > 0 || len(e.foot) > 0 ||
		slices.ContainsFunc(e.children, (*entry).remarked)
}
