package yamlfmt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// printer writes entries.
type printer struct {
	*document
	layout Layout
	b      strings.Builder
}

// print returns the text in the layout.
func (d *document) print(layout Layout) []byte {
	top, all := d.tree()
	p := &printer{document: d, layout: layout}
	if len(all) == 0 {
		p.above(d.remarks(), 0)
		p.b.WriteString("{}\n")
		return []byte(p.b.String())
	}
	d.attach(all)
	p.head(top[0])
	root := &entry{value: d.root, children: top}
	root.children = p.sorted(root, nil)
	p.settle(root.children, nil, 0)
	p.entries(root.children, nil, 0, false)
	return []byte(p.b.String())
}

// head writes the comments at the top of the text, which stay there whatever
// comes first: those above the last empty line before the first key, or all.
func (p *printer) head(first *entry) {
	end := len(first.lead)
	for i, line := range first.lead {
		if line == "" && i > 0 {
			end = i + 1
		}
	}
	p.above(trimmed(first.lead[:end]), 0)
	first.lead = first.lead[end:]
}

// entries writes the entries of one collection, each on lines of its own.
// inline says that the first one follows a dash.
func (p *printer) entries(all []*entry, path []string, indent int, inline bool) {
	for i, e := range all {
		if i == 0 {
			e.lead = trimmed(e.lead)
		}
		p.above(e.lead, indent) // after a dash there is none
		if !inline || i > 0 {
			p.b.WriteString(strings.Repeat(" ", indent))
		}
		if e.key == nil {
			p.item(e, path, indent)
		} else {
			p.member(e, path, indent)
		}
		p.above(e.foot, indent)
	}
}

// trimmed returns lines without empty ones at the start.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines
}

// above writes comments and empty lines.
func (p *printer) above(lines []string, indent int) {
	for _, line := range lines {
		if line == "" && strings.HasSuffix(p.b.String(), "\n\n") {
			continue
		}
		if line != "" {
			p.b.WriteString(strings.Repeat(" ", indent))
		}
		p.b.WriteString(line + "\n")
	}
}

// member writes `key: value`.
func (p *printer) member(e *entry, path []string, indent int) {
	path = append(slices.Clip(path), e.key.Text)
	start := p.text(e.key, false) + ":"
	p.b.WriteString(start)
	if line, ok := p.oneLine(e, path, indent+utf8.RuneCountInString(start)+1); ok {
		if line != "" {
			p.b.WriteString(" " + line)
		}
		p.beside(e)
		return
	}
	if block := p.scalars[at(e.value)].block; len(e.children) == 0 && block != nil {
		p.b.WriteString(" ")
		p.block(e, block, indent)
		return
	}
	p.beside(e)
	p.entries(e.children, path, indent+2, false)
}

// item writes `- value`.
func (p *printer) item(e *entry, path []string, indent int) {
	path = append(slices.Clip(path), "[]")
	p.b.WriteString("-")
	if line, ok := p.oneLine(e, path, indent+2); ok {
		if line != "" {
			p.b.WriteString(" " + line)
		}
		p.beside(e)
		return
	}
	p.b.WriteString(" ")
	if block := p.scalars[at(e.value)].block; len(e.children) == 0 && block != nil {
		p.block(e, block, indent)
		return
	}
	p.entries(e.children, path, indent+2, true)
}

// beside ends a line with the comment of its entry.
func (p *printer) beside(e *entry) {
	for _, c := range e.beside {
		p.b.WriteString("  " + c)
	}
	p.b.WriteString("\n")
}

// block writes a block scalar.
func (p *printer) block(e *entry, lines []string, indent int) {
	p.b.WriteString(lines[0])
	p.beside(e)
	for _, line := range lines[1:] {
		if line != "" {
			p.b.WriteString(strings.Repeat(" ", indent+2))
		}
		p.b.WriteString(line + "\n")
	}
}

// settle puts entries in their order, and moves comments to where they can be
// written: of several beside one entry all but the last go above it, and so does
// what stands beside a dash, or above what follows it.
func (p *printer) settle(all []*entry, path []string, indent int) {
	for _, e := range all {
		here := append(slices.Clip(path), "[]")
		if e.key != nil {
			here[len(here)-1] = e.key.Text
		}
		e.children = p.sorted(e, here)
		p.settle(e.children, here, indent+2)
		keep := max(len(e.beside)-1, 0)
		if _, short := p.oneLine(e, here, indent+2); e.key == nil && len(e.children) > 0 && !short {
			keep = len(e.beside)
			e.lead = append(e.lead, trimmed(e.children[0].lead)...)
			e.children[0].lead = nil
		}
		e.lead = append(e.lead, e.beside[:keep]...)
		e.beside = e.beside[keep:]
	}
}

// sorted returns the children of e in the order of the layout.
func (p *printer) sorted(e *entry, path []string) []*entry {
	_, order := p.layout(path)
	rank := func(c *entry) int {
		if i := slices.Index(order, c.key.Text); i >= 0 {
			return i
		}
		return len(order)
	}
	children := slices.Clone(e.children)
	if e.value.Kind == toolcall.Object {
		slices.SortStableFunc(children, func(a, b *entry) int { return rank(a) - rank(b) })
	}
	return children
}

// oneLine returns the value of e as one line that begins in a column, from 0,
// and whether it is to be one.
func (p *printer) oneLine(e *entry, path []string, column int) (string, bool) {
	switch {
	case e.value.Kind == toolcall.Absent:
		return "", true
	case e.value.Kind == toolcall.Object && len(e.children) == 0:
		return "{}", true
	case e.value.Kind == toolcall.Array && len(e.children) == 0:
		return "[]", true
	case len(e.children) == 0:
		return p.text(e.value, false), p.scalars[at(e.value)].block == nil
	}
	if block, _ := p.layout(path); block || slices.ContainsFunc(e.children, (*entry).remarked) {
		return "", false
	}
	line, ok := p.flow(e)
	return line, ok && column+utf8.RuneCountInString(line) <= width
}

// flow returns the value of e in brackets, and whether it can be written so.
func (p *printer) flow(e *entry) (string, bool) {
	switch {
	case e.value.Kind == toolcall.Absent, p.scalars[at(e.value)].block != nil && len(e.children) == 0:
		return "", false
	case e.value.Kind != toolcall.Object && e.value.Kind != toolcall.Array:
		return p.text(e.value, true), true
	}
	parts := make([]string, len(e.children))
	for i, c := range e.children {
		line, ok := p.flow(c)
		if !ok {
			return "", false
		}
		if parts[i] = line; c.key != nil {
			parts[i] = p.text(c.key, true) + ": " + line
		}
	}
	line := strings.Join(parts, ", ")
	if e.value.Kind == toolcall.Array {
		return "[" + line + "]", true
	}
	return "{" + line + "}", true
}

// text returns a scalar as it was written, or between double quotes where that
// went over several lines or would end within brackets.
func (p *printer) text(n *yamlwalk.Node, inBrackets bool) string {
	s := p.scalars[at(n)]
	if s.text == "" || s.plain && inBrackets && (strings.ContainsAny(s.text, ",[]{}") || strings.HasSuffix(s.text, ":") || strings.ContainsAny(s.text[:1], "?:")) {
		return string(n.Flow())
	}
	return s.text
}
