package contract

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of a contract's text.
const (
	maxBytes = 4 << 20
	maxDepth = 64
)

// node is one value of the text, with its place. Kinds are those of JSON; a
// value left empty is Absent.
type node struct {
	line, column int
	kind         toolcall.Kind
	broken       bool   // its problem is reported: nothing more is said about it
	text         string // scalars: the text, or the number as written
	items        []*node
	members      []member // in the order of the text; no name occurs twice
}

// member is one `key: value` of a mapping.
type member struct{ key, value *node }

// get returns the value beside key, or nil, also of a nil mapping.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, m := range n.members {
		if m.key.text == key {
			return m.value
		}
	}
	return nil
}

// find returns the node that the tokens of a JSON pointer (RFC 6901) lead to:
// for a member its key, which is where a reader looks for it. It stops where
// the text has nothing more to show.
func (n *node) find(pointer string) *node {
	place := n
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		var next *node
		for _, m := range n.members {
			if m.key.text == token {
				place, next = m.key, m.value
			}
		}
		for i, item := range n.items {
			if fmt.Sprint(i) == token {
				place, next = item, item
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return place
}

// parse reads one YAML document in which every YAML version reads the same.
func parse(file string, text []byte) (*node, Problems) {
	p := parser{file: file}
	if !p.checkBytes(text) {
		return nil, p.problems
	}
	doc := p.document(text)
	if doc == nil {
		return nil, p.problems
	}
	root := p.node(doc, 1)
	return root, p.problems
}

// parser collects the problems of one text.
type parser struct {
	file     string
	problems Problems
}

func (p *parser) report(line, column int, hint, format string, args ...any) {
	p.problems = append(p.problems, Problem{p.file, line, column, fmt.Sprintf(format, args...), hint})
}

// checkBytes refuses what is no clean text: a reader must see what is read.
func (p *parser) checkBytes(text []byte) bool {
	if len(text) > maxBytes {
		p.report(1, 1, "", "the contract has %d bytes: at most %d are read", len(text), maxBytes)
		return false
	}
	line, column := 1, 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		column++
		switch {
		case r == '\n':
			line, column = line+1, 0
		case r == '\t', r == '\r' && bytes.HasPrefix(text[i:], []byte("\r\n")):
		case r == utf8.RuneError && size == 1:
			p.report(line, column, "", "invalid UTF-8")
		case unseen(r):
			p.report(line, column, `remove it, or write it as an escape such as "\u200B" between double quotes`,
				"the invisible or control character U+%04X", r)
		}
		i += size
	}
	return len(p.problems) == 0
}

// unseen reports whether r is a control character, a byte order mark, a line
// break that only some YAML versions know, or a character that makes an editor
// show another text than is read.
func unseen(r rune) bool {
	return r < ' ' || r >= 0x7F && r <= 0x9F || r == 0xFEFF || r == 0xAD ||
		r >= 0x200B && r <= 0x200F || r >= 0x2028 && r <= 0x202E || r >= 0x2060 && r <= 0x206F ||
		r >= 0xE0000 && r <= 0xE007F
}

// document returns the root of the only document, or nil after reporting why
// there is none.
func (p *parser) document(text []byte) *yaml.Node {
	var stream []yaml.Node
	if err := yaml.Load(text, &stream, yaml.WithAllDocuments(), yaml.WithStreamNodes()); err != nil {
		line, column, message := 1, 1, err.Error()
		if at := (*yaml.LoadError)(nil); errors.As(err, &at) {
			line, column, message = max(at.Mark.Line, 1), max(at.Mark.Column, 1), at.Message
		}
		p.report(line, column, "", "not YAML: %s", message)
		return nil
	}
	var root *yaml.Node
	for _, n := range stream {
		switch {
		case n.Kind == yaml.StreamNode:
			if n.Stream != nil && (n.Stream.Version != nil || len(n.Stream.TagDirectives) > 0) {
				p.report(n.Line, n.Column, "remove it", "a YAML directive")
			}
		case root != nil:
			p.report(n.Line, n.Column, "a contract is one document", "a second YAML document")
		default:
			root = n.Content[0]
		}
	}
	if root == nil {
		p.report(1, 1, "", "the contract is empty")
	}
	return root
}

// node converts y and all below it, reporting what is ambiguous.
func (p *parser) node(y *yaml.Node, depth int) *node {
	n := &node{line: y.Line, column: y.Column}
	switch {
	case depth > maxDepth:
		p.report(y.Line, y.Column, "", "nested more than %d deep", maxDepth)
		n.broken = true
		return n
	case y.Kind == yaml.AliasNode:
		p.report(y.Line, y.Column, "write the value out", "an alias (*%s)", y.Value)
		n.broken = true
		return n
	case y.Anchor != "":
		p.report(y.Line, y.Column, "remove it", "an anchor (&%s)", y.Anchor)
	case y.Style&yaml.TaggedStyle != 0 || y.Tag == "!":
		p.report(y.Line, y.Column, "remove it", "a tag (%s)", y.Tag)
	}
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = toolcall.Object
		p.mapping(n, y.Content, depth)
	case yaml.SequenceNode:
		n.kind = toolcall.Array
		for _, item := range y.Content {
			n.items = append(n.items, p.node(item, depth+1))
		}
	default:
		p.scalar(n, y)
	}
	return n
}

// mapping reads keys and values; every key is text and occurs once.
func (p *parser) mapping(n *node, content []*yaml.Node, depth int) {
	first := map[string]int{}
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == "<<" && plain(content[i]) {
			p.report(content[i].Line, content[i].Column, "write the members out", "a merge key (<<)")
			continue
		}
		m := member{p.node(content[i], depth+1), p.node(content[i+1], depth+1)}
		if m.key.kind != toolcall.String {
			if !m.key.broken {
				p.report(m.key.line, m.key.column, "quote it", "a key that is no text")
			}
			continue
		}
		if line, again := first[m.key.text]; again {
			p.report(m.key.line, m.key.column, "", "the key %q occurs twice, first in line %d", m.key.text, line)
			continue
		}
		first[m.key.text] = m.key.line
		n.members = append(n.members, m)
	}
}

// Plain scalars. YAML 1.1, YAML 1.2 and the programs that claim to read them
// differ on all that looks like a number, a date, a truth value or null, except
// on the forms that JSON has, too. An exponent is text in YAML 1.1 unless it
// follows a fraction and has a sign.
var (
	safeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+([eE][-+][0-9]+)?)?$`)
	ambiguous  = regexp.MustCompile(`(?i)^(` +
		`~|null|y|n|yes|no|on|off|true|false|=|<<|` + // null, truth values, YAML 1.1 keys
		`[-+]?\.(inf|nan)|` +
		`[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+]?0x[0-9a-f_]+|` + // other bases
		`[-+]?[0-9][0-9_,]*(:[0-9]+)+(\.[0-9_]*)?|` + // base 60
		`[-+]?(\.[0-9]|[0-9])[0-9_,.]*(e[-+]?[0-9]+)?|` + // numbers of any form
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t \t].*)?` + // dates
		`)$`)
)

// plain reports whether y is a scalar without quotes.
func plain(y *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return y.Kind == yaml.ScalarNode && y.Style&quoted == 0
}

// scalar reads one scalar.
func (p *parser) scalar(n *node, y *yaml.Node) {
	n.text = y.Value
	switch {
	case !plain(y):
		n.kind = toolcall.String
	case y.Value == "": // left empty
	case y.Value == "null":
		n.kind = toolcall.Null
	case y.Value == "true", y.Value == "false":
		n.kind = toolcall.Bool
	case safeNumber.MatchString(y.Value):
		n.kind = toolcall.Number
	case ambiguous.MatchString(y.Value):
		p.report(y.Line, y.Column, "quote it if it is text, or write it as JSON does",
			"YAML versions read %s differently", y.Value)
		n.broken = true
	default:
		n.kind = toolcall.String
	}
}
