package contract

import (
	"fmt"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// argument reads the path of an argument and looks it up in the tool's
// inputSchema. It returns the kinds of value that can stand there.
func (l *loader) argument(n *yamlwalk.Node, tool catalog.Tool) (path toolcall.Path, found kinds, ok bool) {
	if !l.Is(n, toolcall.String, "the path of an argument") {
		return path, 0, false
	}
	path, err := toolcall.ParsePath(n.Text)
	if err != nil {
		l.Report(n, "", "%v", err)
		return path, 0, false
	}
	found, unknown := lookup(tool.InputSchema(), path)
	if unknown != nil {
		l.Report(n, yamlwalk.DidYouMean(unknown.name, unknown.known), "unknown argument %s of %s: %s", path, tool.Name, unknown.why)
		return path, 0, false
	}
	return path, found, true
}

// needs lists the kinds of value that a constraint can hold for; the others
// take any.
var needs = map[string]kinds{
	"min":         kindsOf(toolcall.Number),
	"max":         kindsOf(toolcall.Number),
	"multiple_of": kindsOf(toolcall.Number),
	"length":      kindsOf(toolcall.String),
	"pattern":     kindsOf(toolcall.String),
	"path":        kindsOf(toolcall.String),
	"items":       kindsOf(toolcall.Array),
	"from":        kindsOf(toolcall.String, toolcall.Number, toolcall.Array),
	"url":         kindsOf(toolcall.String),
	"email":       kindsOf(toolcall.String),
	"identifiers": kindsOf(toolcall.String),
	"shell":       kindsOf(toolcall.String),
	"sql":         kindsOf(toolcall.String),
}

// fits reports constraints that no value of the argument can ever satisfy: in
// allow they would permit nothing, in never they would protect nothing.
func (l *loader) fits(constraints *yamlwalk.Node, path toolcall.Path, found kinds) {
	for _, m := range constraints.Members {
		if need, typed := needs[m.Key.Text]; typed && need&found == 0 {
			l.Report(m.Key, l.elementsHint(path, need, found), "%q is for %s, but %s is %s", m.Key.Text, need, path, found)
		}
		switch m.Key.Text {
		case "const":
			l.fitsValue(m.Value, path, found)
		case "in":
			for _, item := range m.Value.Items {
				l.fitsValue(item, path, found)
			}
		}
	}
}

// fitsValue reports a literal that the argument can never equal. Elements and
// members are not compared.
func (l *loader) fitsValue(n *yamlwalk.Node, path toolcall.Path, found kinds) {
	if found&kindsOf(toolcall.Array, toolcall.Object) == 0 && n.Kind > toolcall.Null && !found.has(n.Kind) {
		l.Report(n, "", "%s is %s, but %s is %s", n.Describe(), kindsOf(n.Kind), path, found)
	}
}

// elementsHint proposes the elements of an array where a constraint on one
// value stands beside the whole.
func (l *loader) elementsHint(path toolcall.Path, need, found kinds) string {
	if found == kindsOf(toolcall.Array) && !need.has(toolcall.Array) {
		return fmt.Sprintf("write %q to constrain every element", path.String()+"[]")
	}
	return ""
}
