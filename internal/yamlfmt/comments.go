package yamlfmt

import (
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// comment is one comment, from its # to the end of the line.
type comment struct {
	place
	text string
	own  bool // nothing stands before it in its line, or only a dash
	flow int  // how many collections in brackets are open around it
}

// scalar is how a scalar is written.
type scalar struct {
	text  string   // as it stands in the text, where that is one line; "" else
	plain bool     // without quotes
	block []string // the lines of a block scalar: its header, then its content without indentation
}

// scan notes how each scalar is written, and finds the comments: what begins
// with # outside of scalars.
func (d *document) scan() {
	starts := map[place]*yamlwalk.Node{}
	collect(d.root, starts)
	flow := 0
	for p := (place{1, 1}); p.line <= len(d.lines); {
		line := d.lines[p.line-1]
		if p.column > len(line) {
			p = place{p.line + 1, 1}
			continue
		}
		if n := starts[p]; n != nil {
			p = d.scalar(n)
			continue
		}
		switch line[p.column-1] {
		case '#':
			d.comments = append(d.comments, commentAt(p, line, flow))
			p = place{p.line + 1, 1}
			continue
		case '[', '{':
			flow++
		case ']', '}':
			flow--
		}
		p.column++
	}
}

// commentAt returns the comment at a place. What follows a dash belongs to its
// item, as if it stood above it.
func commentAt(p place, line []rune, flow int) comment {
	c := comment{place: p, text: strings.TrimRight(string(line[p.column-1:]), " \t"), flow: flow}
	if before := string(line[:p.column-1]); strings.Trim(before, " \t-") == "" {
		c.own = true
		if dash := strings.IndexByte(before, '-'); dash >= 0 {
			c.column = dash + 1
		}
	}
	return c
}

// collect notes where the scalars below n begin that are not empty.
func collect(n *yamlwalk.Node, starts map[place]*yamlwalk.Node) {
	for _, m := range n.Members {
		starts[at(m.Key)] = m.Key
		collect(m.Value, starts)
	}
	for _, item := range n.Items {
		collect(item, starts)
	}
	if n.Kind != toolcall.Object && n.Kind != toolcall.Array && n.Kind != toolcall.Absent {
		starts[at(n)] = n
	}
}

// scalar notes how n is written and returns the place after it.
func (d *document) scalar(n *yamlwalk.Node) place {
	from := at(n)
	end, plain := from, false
	switch first := d.lines[from.line-1][from.column-1]; first {
	case '|', '>':
		return d.block(n)
	case '"', '\'':
		end = d.quoted(from, first)
	default:
		end, plain = d.plain(from, n.Text), true
	}
	s := scalar{plain: plain}
	if end.line == from.line {
		s.text = string(d.lines[from.line-1][from.column-1 : end.column-1])
	}
	d.scalars[from] = s
	return end
}

// quoted returns the place after the closing quote.
func (d *document) quoted(from place, quote rune) place {
	p := place{from.line, from.column + 1}
	for p.line <= len(d.lines) {
		line := d.lines[p.line-1]
		switch {
		case p.column > len(line):
			p = place{p.line + 1, 1}
			continue
		case quote == '"' && line[p.column-1] == '\\':
			p.column++
		case line[p.column-1] != quote:
		case quote == '\'' && p.column < len(line) && line[p.column] == quote: // ” stands for one
			p.column++
		default:
			return place{p.line, p.column + 1}
		}
		p.column++
	}
	return p
}

// plain returns the place after an unquoted text, which may go over several
// lines: white space in it is not what it was.
func (d *document) plain(p place, text string) place {
	for _, r := range text {
		if r == ' ' || r == '\t' || r == '\n' {
			continue
		}
		for p.line <= len(d.lines) && (p.column > len(d.lines[p.line-1]) || d.lines[p.line-1][p.column-1] != r) {
			if p.column++; p.column > len(d.lines[p.line-1]) {
				p = place{p.line + 1, 1}
			}
		}
		p.column++
	}
	return p
}

// block notes a block scalar and returns the place after its header: a comment
// may follow there. Its content is taken out of the lines that are scanned.
// Headers that give an indentation or keep line breaks at the end are not
// written again.
func (d *document) block(n *yamlwalk.Node) place {
	header := string(d.lines[n.Line-1][n.Column-1:])
	header = strings.TrimRight(header[:len(header)-len(strings.TrimLeft(header, "|>+-0123456789"))], " ")
	s := scalar{block: []string{header}}
	indent := -1
	last := n.Line
	for i := n.Line; i < len(d.lines) && strings.Trim(n.Text, "\n") != ""; i++ {
		line := string(d.lines[i])
		content := strings.TrimLeft(line, " ")
		if indent < 0 && content != "" {
			indent = len(line) - len(content)
		}
		if content != "" && len(line)-len(content) < indent {
			break
		}
		s.block = append(s.block, line[min(max(indent, 0), len(line)):])
		last = i + 1
	}
	for i := n.Line; i < last; i++ {
		if strings.TrimSpace(string(d.lines[i])) != "" {
			d.lines[i] = []rune{'"'} // neither a comment nor an empty line
		}
	}
	for len(s.block) > 1 && s.block[len(s.block)-1] == "" {
		s.block = s.block[:len(s.block)-1]
	}
	if strings.ContainsAny(header, "+0123456789") {
		s.block = nil
	}
	d.scalars[at(n)] = s
	return place{n.Line, n.Column + len(header)}
}
