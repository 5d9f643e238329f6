// Package deploy reads what the cluster is told of the intake.
package deploy

import (
	"fmt"
	"strings"
)

// Read reads a document of plain YAML: maps and lists by their indent, lists in
// brackets, words and numbers. It returns each value by its path, as in
// "spec.ports[0].name". Anchors, tags, texts over several lines and a second
// document are errors.
func Read(text string) (map[string]string, error) {
	d := document{values: map[string]string{}}
	for n, line := range strings.Split(text, "\n") {
		if err := d.take(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return d.values, nil
}

// document is what was read so far.
type document struct {
	values map[string]string
	open   []level
}

// level is a map or a list that a line is in.
type level struct {
	indent int
	path   string
	items  int // of a list that is the value at path
}

// take reads a line.
func (d *document) take(line string) error {
	body := strings.TrimLeft(line, " ")
	if i := strings.Index(" "+body, " #"); i >= 0 {
		body = body[:max(i-1, 0)]
	}
	body = strings.TrimRight(body, " ")
	switch {
	case body == "":
		return nil
	case strings.HasPrefix(body, "---"), strings.HasPrefix(body, "..."), strings.Contains(line, "\t"):
		return fmt.Errorf("%q is not taken", line)
	}
	return d.put(len(line)-len(strings.TrimLeft(line, " ")), body)
}

// put files what stands at an indent.
func (d *document) put(indent int, body string) error {
	item := body == "-" || strings.HasPrefix(body, "- ")
	for len(d.open) > 0 && d.open[len(d.open)-1].indent >= indent && !(item && d.holds(indent)) {
		d.open = d.open[:len(d.open)-1]
	}
	path := ""
	if len(d.open) > 0 {
		path = d.open[len(d.open)-1].path
	}
	if item {
		last := &d.open[len(d.open)-1]
		path = fmt.Sprintf("%s[%d]", last.path, last.items)
		last.items++
		inner := strings.TrimLeft(body[1:], " ")
		deeper := indent + len(body) - len(inner)
		d.open = append(d.open, level{indent: indent + 1, path: path})
		if inner == "" || !isPair(inner) {
			return d.set(path, inner)
		}
		return d.put(deeper, inner)
	}
	if !isPair(body) {
		return fmt.Errorf("%q has no name", body)
	}
	name, value, _ := strings.Cut(body, ":")
	path = strings.TrimPrefix(path+"."+strings.Trim(name, `"'`), ".")
	if value = strings.TrimSpace(value); value == "" {
		d.open = append(d.open, level{indent: indent, path: path})
		return nil
	}
	return d.set(path, value)
}

// holds reports whether the innermost level is the one whose list an item at an
// indent is of: the list may stand at the indent of its name.
func (d *document) holds(indent int) bool {
	return d.open[len(d.open)-1].indent == indent
}

func isPair(body string) bool {
	return strings.Contains(body, ": ") || strings.HasSuffix(body, ":")
}

// set files a value.
func (d *document) set(path, value string) error {
	if _, twice := d.values[path]; twice {
		return fmt.Errorf("%s stands twice", path)
	}
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
		for i, v := range strings.Split(strings.Trim(value, "[]"), ",") {
			if err := d.set(fmt.Sprintf("%s[%d]", path, i), strings.TrimSpace(v)); err != nil {
				return err
			}
		}
		return nil
	}
	if value != "" && strings.ContainsAny(value[:1], "&*!|>%@") {
		return fmt.Errorf("%q is not taken", value)
	}
	d.values[path] = strings.Trim(value, `"'`)
	return nil
}
