package yamlwalk

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// longKey is from where on a key is written after "? ": YAML ends a plain
// key after 1024 characters.
const longKey = 100

// Flow returns a text in one line that [Reader.Parse] reads as n. A value left
// empty becomes null.
func (n *Node) Flow() []byte { return n.appendFlow(nil) }

func (n *Node) appendFlow(b []byte) []byte {
	switch n.Kind {
	case toolcall.Absent, toolcall.Null:
		return append(b, "null"...)
	case toolcall.String:
		return appendQuoted(b, n.Text)
	case toolcall.Array:
		b = append(b, '[')
		for i, item := range n.Items {
			b = item.appendFlow(comma(b, i))
		}
		return append(b, ']')
	case toolcall.Object:
		b = append(b, '{')
		for i, m := range n.Members {
			b = comma(b, i)
			if len(m.Key.Text) > longKey {
				b = append(b, "? "...)
			}
			b = append(appendQuoted(b, m.Key.Text), ": "...)
			b = m.Value.appendFlow(b)
		}
		return append(b, '}')
	}
	return append(b, n.Text...)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ", "...)
	}
	return b
}

// appendQuoted writes a double-quoted scalar (YAML 1.2.2, section 7.3.1) that
// every YAML version reads back to s.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case unseen(r) && r > 0xFFFF:
			b = fmt.Appendf(b, `\U%08X`, r)
		case unseen(r):
			b = fmt.Appendf(b, `\u%04X`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// Text returns a text as YAML reads it back, without quotes where every version of
// YAML agrees on it.
func Text(s string) string {
	for i, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_./-", r)) {
			return Quoted(s)
		}
	}
	if s == "" || plainNever[strings.ToLower(s)] {
		return Quoted(s)
	}
	return s
}

// plainNever are the words that YAML versions do not all read as text.
var plainNever = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true, "false": true, "null": true}

// Quoted returns a text in double quotes.
func Quoted(s string) string { return string(appendQuoted(nil, s)) }
