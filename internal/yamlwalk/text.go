package yamlwalk

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

// Bounds of a text.
const (
	maxBytes = 4 << 20
	maxDepth = 64
)

// Node is one value of the text, with its place. Kinds are those of JSON; a
// value left empty is Absent.
type Node struct {
	Line, Column int // from 1; columns are characters
	Kind         toolcall.Kind
	Broken       bool   // its problem is reported: nothing more is said about it
	Text         string // scalars: the text, or the number as written
	Items        []*Node
	Members      []Member // in the order of the text; no name occurs twice
}

// Member is one `key: value` of a mapping.
type Member struct{ Key, Value *Node }

// Get returns the value beside key, or nil, also of a nil mapping.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Key.Text == key {
			return m.Value
		}
	}
	return nil
}

// Find returns the node that the tokens of a JSON pointer (RFC 6901) lead to:
// for a member its key, which is where a reader looks for it. It stops where
// the text has nothing more to show.
func (n *Node) Find(pointer string) *Node {
	place := n
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		var next *Node
		for _, m := range n.Members {
			if m.Key.Text == token {
				place, next = m.Key, m.Value
			}
		}
		for i, item := range n.Items {
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

// Parse reads one YAML document in which every YAML version reads the same. It
// returns nil if there is nothing to read; what is ambiguous is reported, and
// its node broken.
func (r *Reader) Parse(text []byte) *Node {
	if !r.checkBytes(text) {
		return nil
	}
	doc := r.document(text)
	if doc == nil {
		return nil
	}
	return r.node(doc, 1)
}

// checkBytes refuses what is no clean text: a reader must see what is read.
func (r *Reader) checkBytes(text []byte) bool {
	if len(text) > maxBytes {
		r.report(1, 1, "", "the %s has %d bytes: at most %d are read", r.What, len(text), maxBytes)
		return false
	}
	line, column := 1, 0
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		column++
		switch {
		case c == '\n':
			line, column = line+1, 0
		case c == '\t', c == '\r' && bytes.HasPrefix(text[i:], []byte("\r\n")):
		case c == utf8.RuneError && size == 1:
			r.report(line, column, "", "invalid UTF-8")
		case unseen(c):
			r.report(line, column, `remove it, or write it as an escape such as "\u200B" between double quotes`,
				"the invisible or control character U+%04X", c)
		}
		i += size
	}
	return len(r.Problems) == 0
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
func (r *Reader) document(text []byte) *yaml.Node {
	var stream []yaml.Node
	if err := yaml.Load(text, &stream, yaml.WithAllDocuments(), yaml.WithStreamNodes()); err != nil {
		line, column, message := 1, 1, err.Error()
		if at := (*yaml.LoadError)(nil); errors.As(err, &at) {
			line, column, message = max(at.Mark.Line, 1), max(at.Mark.Column, 1), at.Message
		}
		r.report(line, column, "", "not YAML: %s", message)
		return nil
	}
	var root *yaml.Node
	for _, n := range stream {
		switch {
		case n.Kind == yaml.StreamNode:
			if n.Stream != nil && (n.Stream.Version != nil || len(n.Stream.TagDirectives) > 0) {
				r.report(n.Line, n.Column, "remove it", "a YAML directive")
			}
		case root != nil:
			r.report(n.Line, n.Column, "a "+r.What+" is one document", "a second YAML document")
		default:
			root = n.Content[0]
		}
	}
	if root == nil {
		r.report(1, 1, "", "the %s is empty", r.What)
	}
	return root
}

// node converts y and all below it, reporting what is ambiguous.
func (r *Reader) node(y *yaml.Node, depth int) *Node {
	n := &Node{Line: y.Line, Column: y.Column}
	switch {
	case depth > maxDepth:
		r.report(y.Line, y.Column, "", "nested more than %d deep", maxDepth)
		n.Broken = true
		return n
	case y.Kind == yaml.AliasNode:
		r.report(y.Line, y.Column, "write the value out", "an alias (*%s)", y.Value)
		n.Broken = true
		return n
	case y.Anchor != "":
		r.report(y.Line, y.Column, "remove it", "an anchor (&%s)", y.Anchor)
	case y.Style&yaml.TaggedStyle != 0 || y.Tag == "!":
		r.report(y.Line, y.Column, "remove it", "a tag (%s)", y.Tag)
	}
	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = toolcall.Object
		r.mapping(n, y.Content, depth)
	case yaml.SequenceNode:
		n.Kind = toolcall.Array
		for _, item := range y.Content {
			n.Items = append(n.Items, r.node(item, depth+1))
		}
	default:
		r.scalar(n, y)
	}
	return n
}

// mapping reads keys and values; every key is text and occurs once.
func (r *Reader) mapping(n *Node, content []*yaml.Node, depth int) {
	first := map[string]int{}
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == "<<" && plain(content[i]) {
			r.report(content[i].Line, content[i].Column, "write the members out", "a merge key (<<)")
			continue
		}
		m := Member{r.node(content[i], depth+1), r.node(content[i+1], depth+1)}
		if m.Key.Kind != toolcall.String {
			if !m.Key.Broken {
				r.report(m.Key.Line, m.Key.Column, "quote it", "a key that is no text")
			}
			continue
		}
		if line, again := first[m.Key.Text]; again {
			r.report(m.Key.Line, m.Key.Column, "", "the key %q occurs twice, first in line %d", m.Key.Text, line)
			continue
		}
		first[m.Key.Text] = m.Key.Line
		n.Members = append(n.Members, m)
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
func (r *Reader) scalar(n *Node, y *yaml.Node) {
	n.Text = y.Value
	switch {
	case !plain(y):
		n.Kind = toolcall.String
	case y.Value == "": // left empty
	case y.Value == "null":
		n.Kind = toolcall.Null
	case y.Value == "true", y.Value == "false":
		n.Kind = toolcall.Bool
	case safeNumber.MatchString(y.Value):
		n.Kind = toolcall.Number
	case ambiguous.MatchString(y.Value):
		r.report(y.Line, y.Column, "quote it if it is text, or write it as JSON does",
			"YAML versions read %s differently", y.Value)
		n.Broken = true
	default:
		n.Kind = toolcall.String
	}
}
