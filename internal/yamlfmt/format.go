package yamlfmt

import (
	"errors"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Layout says how the collection at a path is written. The path holds the keys
// that lead to it from the root, "[]" for an item of a list. block keeps it out
// of one line however short it is; order lists the keys that come first.
type Layout func(path []string) (block bool, order []string)

// width is how many characters a collection in one line may reach to.
const width = 100

// Format returns text in the canonical layout. file and what name it in
// problems, as in [yamlwalk.Reader]. The error is [yamlwalk.Problems] where the
// text is no clean YAML, or says that the text cannot be laid out safely.
func Format(file, what string, text []byte, layout Layout) ([]byte, error) {
	d, err := read(file, what, text)
	if err != nil {
		return nil, err
	}
	formatted := d.print(layout)
	again, err := read(file, what, formatted)
	if err != nil || again.meaning() != d.meaning() || !slices.Equal(again.remarks(), d.remarks()) {
		return nil, errors.New("the layout cannot be changed without changing what the text says: write texts of several lines between double quotes")
	}
	return formatted, nil
}

// document is a text with what stands in it.
type document struct {
	lines    [][]rune
	root     *yamlwalk.Node
	scalars  map[place]scalar
	comments []comment
}

// place is a line and a column of a text, both from 1.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

func at(n *yamlwalk.Node) place { return place{n.Line, n.Column} }

func read(file, what string, text []byte) (*document, error) {
	r := yamlwalk.Reader{File: file, What: what}
	root := r.Parse(text)
	if root != nil {
		r.Is(root, toolcall.Object, "a "+what+" as a mapping")
	}
	if len(r.Problems) > 0 {
		return nil, r.Problems.Sorted()
	}
	d := &document{root: root, scalars: map[place]scalar{}}
	for line := range strings.SplitSeq(string(text), "\n") {
		d.lines = append(d.lines, []rune(strings.TrimSuffix(line, "\r")))
	}
	d.scan()
	return d, nil
}

// meaning returns what the text says, in one spelling.
func (d *document) meaning() string {
	var r yamlwalk.Reader
	v, _ := r.Value(d.root) // a value left empty is absent in both
	return v.Canonical()
}

// remarks returns all comments, sorted.
func (d *document) remarks() []string {
	all := make([]string, len(d.comments))
	for i, c := range d.comments {
		all[i] = c.text
	}
	return slices.Sorted(slices.Values(all))
}
