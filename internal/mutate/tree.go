package mutate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// step leads from a node to one below it: by key, or by index where key is "".
type step struct {
	key   string
	index int
}

// place leads from the root of a contract to one of its nodes.
type place []step

// key and item return the place one step down.
func (p place) key(k string) place { return append(slices.Clip(p), step{key: k}) }
func (p place) item(i int) place   { return append(slices.Clip(p), step{index: i}) }

func (p place) up() place { return p[:len(p)-1] }

// from returns the node at p below root, nil if there is none.
func (p place) from(root *yamlwalk.Node) *yamlwalk.Node {
	for _, s := range p {
		switch {
		case root == nil:
			return nil
		case s.key != "":
			root = root.Get(s.key)
		case s.index < len(root.Items):
			root = root.Items[s.index]
		default:
			return nil
		}
	}
	return root
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_$-]+$`)

// String returns the place as records name clauses:
// agents.support.tools["bank.pay"].allow[0].amount.max.
func (p place) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.key == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case !plainKey.MatchString(s.key):
			fmt.Fprintf(&b, "[%q]", s.key)
		case i == 0:
			b.WriteString(s.key)
		default:
			b.WriteString("." + s.key)
		}
	}
	return b.String()
}

// edit puts a node at a place of a contract; nil takes away what is there.
type edit struct {
	at place
	to *yamlwalk.Node
}

// apply returns the text of a contract with the edit. Where the text does not
// have the place, it is returned as it is.
func (e edit) apply(text []byte) ([]byte, error) {
	r := yamlwalk.Reader{File: "contract", What: "contract"}
	root := r.Parse(text)
	if len(r.Problems) > 0 {
		return nil, r.Problems
	}
	if root == nil || e.at.up().from(root) == nil {
		return text, nil
	}
	if e.to == nil {
		remove(root, e.at)
	} else {
		put(root, e.at, e.to)
	}
	return root.Flow(), nil
}

// put replaces or adds the node at a place.
func put(root *yamlwalk.Node, at place, to *yamlwalk.Node) {
	parent, last := at.up().from(root), at[len(at)-1]
	if last.key == "" {
		if last.index < len(parent.Items) {
			parent.Items[last.index] = to
		}
		return
	}
	for i := range parent.Members {
		if parent.Members[i].Key.Text == last.key {
			parent.Members[i].Value = to
			return
		}
	}
	parent.Members = append(parent.Members, yamlwalk.Member{Key: textNode(last.key), Value: to})
}

// remove takes away the node at a place, and what is left empty above it, as
// an empty list says nothing. A clause may be empty.
func remove(root *yamlwalk.Node, at place) {
	parent, last := at.up().from(root), at[len(at)-1]
	if last.key == "" {
		if last.index >= len(parent.Items) {
			return
		}
		parent.Items = slices.Delete(parent.Items, last.index, last.index+1)
	} else {
		parent.Members = slices.DeleteFunc(parent.Members, func(m yamlwalk.Member) bool { return m.Key.Text == last.key })
	}
	if len(parent.Items)+len(parent.Members) == 0 && len(at) > 1 && !at.up().isClause() {
		remove(root, at.up())
	}
}

// isClause says whether a place is that of a clause:
// agents.A.tools["T"].allow[0].
func (p place) isClause() bool {
	return len(p) == 6 && p[0].key == "agents" && p[2].key == "tools" && slices.Contains([]string{"never", "allow", "judge", "approve"}, p[4].key)
}

// argument returns the argument that a place is about, "" if it is about none.
func (p place) argument() string {
	if len(p) > 6 && p[:6].isClause() && !strings.HasPrefix(p[6].key, "$") {
		return p[6].key
	}
	return ""
}

func textNode(s string) *yamlwalk.Node { return &yamlwalk.Node{Kind: toolcall.String, Text: s} }

func numberNode(s string) *yamlwalk.Node { return &yamlwalk.Node{Kind: toolcall.Number, Text: s} }

func trueNode() *yamlwalk.Node { return &yamlwalk.Node{Kind: toolcall.Bool, Text: "true"} }

func listNode(items ...*yamlwalk.Node) *yamlwalk.Node {
	return &yamlwalk.Node{Kind: toolcall.Array, Items: items}
}

// with returns a copy of a mapping with a member replaced or added; nil leaves
// it out.
func with(n *yamlwalk.Node, key string, value *yamlwalk.Node) *yamlwalk.Node {
	c := *n
	c.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m yamlwalk.Member) bool { return m.Key.Text == key })
	if value != nil {
		c.Members = append(c.Members, yamlwalk.Member{Key: textNode(key), Value: value})
	}
	return &c
}

// and returns a copy of a list with one more item; a nil list is one without any.
func and(n *yamlwalk.Node, item *yamlwalk.Node) *yamlwalk.Node {
	if n == nil {
		return listNode(item)
	}
	c := *n
	c.Items = append(slices.Clip(n.Items), item)
	return &c
}

// texts returns the texts of a list.
func texts(n *yamlwalk.Node) (all []string) {
	if n != nil {
		for _, item := range n.Items {
			all = append(all, item.Text)
		}
	}
	return all
}

var errNoTree = errors.New("the contract has no tree")

// textOf returns the text of a scalar, "" of nil.
func textOf(n *yamlwalk.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}
