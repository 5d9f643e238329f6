package contract

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
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
	root, problems := parse(text)
	if len(problems) > 0 {
		return nil, problems.Sorted()
	}
	entry := root.Get("catalogs").Get(server)
	if entry == nil || entry.Kind != toolcall.Object {
		return nil, fmt.Errorf("setting the pin of %s: the contract has no such catalog", server)
	}
	edited := spliced(text, entry, pin)
	set(entry, "pin", pin)
	if again, problems := parse(edited); len(problems) > 0 || !equal(again, root) {
		return nil, fmt.Errorf("setting the pin of %s: write it on a line of its own as `pin: \"\"`, then try again", server)
	}
	return edited, nil
}

func parse(text []byte) (*yamlwalk.Node, Problems) {
	r := yamlwalk.Reader{File: "contract", What: "contract"}
	root := r.Parse(text)
	return root, r.Problems
}

// spliced writes the pin at the place where it most likely belongs; SetPin
// checks the result.
func spliced(text []byte, entry *yamlwalk.Node, pin string) []byte {
	if old := entry.Get("pin"); old != nil {
		at := offset(text, old)
		if at > 0 && text[at-1] == ':' {
			pin = " " + pin
		}
		return slices.Concat(text[:at], []byte(pin), text[at+scalarLength(text[at:], old):])
	}
	at := offset(text, entry)
	switch {
	case len(entry.Members) == 0: // {}
		at++
		pin = "pin: " + pin
	case text[at] == '{':
		at = offset(text, entry.Members[0].Key)
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
func offset(text []byte, n *yamlwalk.Node) int {
	at := 0
	for range n.Line - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// quoted matches a scalar in quotes.
var quoted = regexp.MustCompile(`(?s)^("(\\.|[^"\\])*"|'(''|[^'])*')`)

// scalarLength returns the length in bytes of the scalar n at the start of
// text, quotes included.
func scalarLength(text []byte, n *yamlwalk.Node) int {
	if q := quoted.Find(text); q != nil && n.Kind == toolcall.String {
		return len(q)
	}
	return min(len(n.Text), len(text))
}

// set puts a text beside key.
func set(n *yamlwalk.Node, key, text string) {
	value := &yamlwalk.Node{Kind: toolcall.String, Text: text}
	for i := range n.Members {
		if n.Members[i].Key.Text == key {
			n.Members[i].Value = value
			return
		}
	}
	n.Members = append(n.Members, yamlwalk.Member{Key: &yamlwalk.Node{Kind: toolcall.String, Text: key}, Value: value})
}

// equal reports whether n and m say the same, in any order of members.
func equal(n, m *yamlwalk.Node) bool {
	if n == nil || m == nil || n.Kind != m.Kind || n.Text != m.Text || len(n.Members) != len(m.Members) {
		return n == m
	}
	for _, x := range n.Members {
		if !equal(x.Value, m.Get(x.Key.Text)) {
			return false
		}
	}
	return slices.EqualFunc(n.Items, m.Items, equal)
}
