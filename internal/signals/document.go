package signals

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"
)

// errNotRead says that a file is not of the form in which it is read.
var errNotRead = errors.New("not of a form that is read here")

// maxYAMLDepth and maxYAMLNodes bound a text that is read as YAML or JSON.
const (
	maxYAMLDepth = 32
	maxYAMLNodes = 50_000
)

// node is a place in a YAML or JSON document; the zero node is where nothing is.
type node struct{ n *yaml.Node }

// parseYAML reads a text as one document of YAML, of which JSON is a part. Aliases
// are refused: a short text could say much by them.
func parseYAML(text string) (node, bool) {
	var doc yaml.Node
	if strings.Count(text, "\n") > maxYAMLNodes || yaml.Load([]byte(text), &doc) != nil || doc.Kind != yaml.DocumentNode {
		return node{}, false
	}
	left := maxYAMLNodes
	return node{doc.Content[0]}, readable(doc.Content[0], maxYAMLDepth, &left)
}

func readable(n *yaml.Node, depth int, left *int) bool {
	if *left--; *left < 0 || depth == 0 || n.Kind == yaml.AliasNode {
		return false
	}
	for _, c := range n.Content {
		if !readable(c, depth-1, left) {
			return false
		}
	}
	return true
}

// get returns the member of a mapping.
func (d node) get(name string) node {
	if d.n == nil || d.n.Kind != yaml.MappingNode {
		return node{}
	}
	for i := 0; i+1 < len(d.n.Content); i += 2 {
		if d.n.Content[i].Value == name {
			return node{d.n.Content[i+1]}
		}
	}
	return node{}
}

// has reports whether a mapping has a member, a list an element, or the node is
// that word: the three ways to write one or several words.
func (d node) has(name string) bool {
	if d.n == nil {
		return false
	}
	step := 1
	switch d.n.Kind {
	case yaml.ScalarNode:
		return d.n.Value == name
	case yaml.MappingNode:
		step = 2
	}
	for i := 0; i < len(d.n.Content); i += step {
		if d.n.Content[i].Value == name {
			return true
		}
	}
	return false
}

// items returns the elements of a list, or the values of a mapping.
func (d node) items() (all []node) {
	if d.n == nil {
		return nil
	}
	switch d.n.Kind {
	case yaml.SequenceNode:
		for _, c := range d.n.Content {
			all = append(all, node{c})
		}
	case yaml.MappingNode:
		for i := 1; i < len(d.n.Content); i += 2 {
			all = append(all, node{d.n.Content[i]})
		}
	}
	return all
}

// keys returns the names of the members of a mapping.
func (d node) keys() (all []string) {
	if d.n == nil || d.n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(d.n.Content); i += 2 {
		all = append(all, d.n.Content[i].Value)
	}
	return all
}

// text returns a scalar, "" for anything else.
func (d node) text() string {
	if d.n == nil || d.n.Kind != yaml.ScalarNode || d.n.ShortTag() == "!!null" {
		return ""
	}
	return d.n.Value
}

func (d node) empty() bool {
	return d.n == nil || d.n.Kind == yaml.ScalarNode && d.text() == "" || d.n.Kind != yaml.ScalarNode && len(d.n.Content) == 0
}

// settingsOf reads a text of lines "key = value" or "key: value" with sections in
// brackets, as most programs write their settings, and calls f for each.
func settingsOf(text string, f func(section, key, value string)) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "export "))
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			section = strings.Trim(line, "[] ")
			continue
		}
		at := strings.IndexAny(line, "=:")
		if at <= 0 {
			continue
		}
		value := strings.TrimSpace(strings.TrimLeft(line[at+1:], "="))
		f(section, strings.TrimSpace(line[:at]), strings.Trim(value, `"'`))
	}
}
