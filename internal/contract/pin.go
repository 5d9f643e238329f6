package contract

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
)

var pinForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// SetPin returns the text of a contract with pin as the pin of server's
// catalog; where there was none it is added. Comments and layout stay as they
// are. The text need not be a contract that loads, but its YAML must be clean;
// otherwise the error is [Problems]. A layout in which the pin cannot be placed
// without touching anything else is an error, too.
func SetPin(text []byte, server, pin string) ([]byte, error) {
	if !pinForm.MatchString(pin) {
		return nil, fmt.Errorf("setting the pin of %s: %q is no digest", server, pin)
	}
	root, problems := parse("contract", text)
	if len(problems) > 0 {
		return nil, problems.sorted()
	}
	entry := root.get("catalogs").get(server)
	if entry == nil || entry.kind != toolcall.Object {
		return nil, fmt.Errorf("setting the pin of %s: the contract has no such catalog", server)
	}
	edited := spliced(text, entry, pin)
	entry.set("pin", pin)
	if again, problems := parse("contract", edited); len(problems) > 0 || !again.equal(root) {
		return nil, fmt.Errorf("setting the pin of %s: write it on a line of its own as `pin: \"\"`, then try again", server)
	}
	return edited, nil
}

// spliced writes the pin at the place where it most likely belongs; SetPin
// checks the result.
func spliced(text []byte, entry *node, pin string) []byte {
	if old := entry.get("pin"); old != nil {
		at := offset(text, old)
		if at > 0 && text[at-1] == ':' {
			pin = " " + pin
		}
		return slices.Concat(text[:at], []byte(pin), text[at+scalarLength(text[at:], old):])
	}
	at := offset(text, entry)
	switch {
	case len(entry.members) == 0: // {}
		at++
		pin = "pin: " + pin
	case text[at] == '{':
		at = offset(text, entry.members[0].key)
		pin = "pin: " + pin + ", "
	default: // a line of its own, indented like the one it stands before
		line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
		pin = "pin: " + pin + lineBreak(text[at:]) + string(line)
	}
	return slices.Concat(text[:at], []byte(pin), text[at:])
}

// lineBreak returns the line break that ends the first line of text.
func lineBreak(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// offset returns where n begins in text, in bytes.
func offset(text []byte, n *node) int {
	at := 0
	for range n.line - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	for range n.column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// quoted matches a scalar in quotes.
var quoted = regexp.MustCompile(`(?s)^("(\\.|[^"\\])*"|'(''|[^'])*')`)

// scalarLength returns the length in bytes of the scalar n at the start of
// text, quotes included.
func scalarLength(text []byte, n *node) int {
	if q := quoted.Find(text); q != nil && n.kind == toolcall.String {
		return len(q)
	}
	return min(len(n.text), len(text))
}

// set puts a text beside key.
func (n *node) set(key, text string) {
	value := &node{kind: toolcall.String, text: text}
	for i := range n.members {
		if n.members[i].key.text == key {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{&node{kind: toolcall.String, text: key}, value})
}

// equal reports whether n and m say the same, in any order of members.
func (n *node) equal(m *node) bool {
	if n == nil || m == nil || n.kind != m.kind || n.text != m.text || len(n.members) != len(m.members) {
		return n == m
	}
	for _, x := range n.members {
		if !x.value.equal(m.get(x.key.text)) {
			return false
		}
	}
	return slices.EqualFunc(n.items, m.items, (*node).equal)
}
