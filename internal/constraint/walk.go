package constraint

import (
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// walk goes through arguments with the nodes that apply at each place.
type walk struct {
	extra bool
	left  int // comparisons of names that may yet be made, see twins
}

// visit checks v, to which nodes apply. The pointer of an error counts from v.
func (w *walk) visit(nodes []*node, v toolcall.Value) *ArgumentError {
	nodes = withBeside(nodes)
	for _, n := range nodes {
		if n.simple == nil {
			continue
		}
		if why := n.simple.check(v); why != "" {
			return &ArgumentError{Msg: why}
		}
	}
	switch v.Kind() {
	case toolcall.Object:
		return w.object(nodes, v)
	case toolcall.Array:
		return w.array(nodes, v)
	}
	return nil
}

// withBeside adds the nodes that apply to the same value, each once.
func withBeside(nodes []*node) []*node {
	for i := 0; i < len(nodes); i++ {
		for _, n := range nodes[i].beside {
			if !slices.Contains(nodes, n) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

func (w *walk) object(nodes []*node, v toolcall.Value) *ArgumentError {
	var closes, opens bool
	for _, n := range nodes {
		closes, opens = closes || n.closes, opens || n.opens
	}
	opens = opens || w.extra
	next := make([]*node, 0, 4)
	for i := range v.Len() {
		name, m := v.Member(i)
		var how declaration
		next, how = memberNodes(next[:0], nodes, name)
		var e *ArgumentError
		if closes && how != byName {
			e = w.undeclared(nodes, name, opens || how == byPattern)
		}
		if e == nil && len(next) > 0 {
			e = w.visit(next, m)
		}
		if e != nil {
			return e.under(member(name))
		}
	}
	return nil
}

// undeclared refuses a member that stands in no `properties`: always if it looks
// like one that does, else unless it is open to others.
func (w *walk) undeclared(nodes []*node, name string, open bool) *ArgumentError {
	twin := ""
	for _, n := range nodes {
		if other := n.twins.of(name, &w.left); other != "" && (twin == "" || other < twin) {
			twin = other
		}
	}
	switch {
	case twin != "":
		return &ArgumentError{Msg: fmt.Sprintf("differs from the declared %q only in letter case", twin)}
	case w.left < 0:
		return &ArgumentError{Msg: fmt.Sprintf("comes after more than %d comparisons of other members with declared ones", budget)}
	case !open:
		return &ArgumentError{Msg: "is not declared by the schema"}
	}
	return nil
}

// declaration says how a schema declares a member.
type declaration uint8

const (
	not       declaration = iota
	byPattern             // in `patternProperties`
	byName                // in `properties`
)

// memberNodes appends the nodes that apply to a member.
func memberNodes(next, nodes []*node, name string) ([]*node, declaration) {
	declared := not
	for _, n := range nodes {
		found := not
		if sub, ok := n.props[name]; ok {
			found = byName
			next = append(next, sub)
		}
		for _, p := range n.patterns {
			if p.name.MatchString(name) {
				found = max(found, byPattern)
				next = append(next, p.node)
			}
		}
		if found == not {
			next = append(next, n.others...)
		}
		next = append(next, n.every...)
		declared = max(declared, found)
	}
	return next, declared
}

func (w *walk) array(nodes []*node, v toolcall.Value) *ArgumentError {
	var next []*node
	for i := range v.Len() {
		next = elementNodes(next[:0], nodes, i)
		if len(next) == 0 {
			continue
		}
		if e := w.visit(next, v.Elem(i)); e != nil {
			return e.under(element(i))
		}
	}
	return nil
}

// elementNodes appends the nodes that apply to element i.
func elementNodes(next, nodes []*node, i int) []*node {
	for _, n := range nodes {
		if i < len(n.prefix) {
			next = append(next, n.prefix[i])
		} else {
			next = append(next, n.rest...)
		}
		next = append(next, n.elements...)
	}
	return next
}

// budget bounds how many times Check may hold a subschema against a value, with
// one more for each 256 bytes of text. Nested anyOf of references to themselves
// double the work with each level of the arguments, so the number is known
// before the compiler begins.
const budget = 200_000

// afford returns an error if validating v against n costs more than the budget.
func afford(n *node, v toolcall.Value) *ArgumentError {
	left := budget
	if !spend(&left, n, v) {
		return &ArgumentError{Msg: fmt.Sprintf("checking against the schema takes more than %d steps", budget)}
	}
	return nil
}

func spend(left *int, n *node, v toolcall.Value) bool {
	*left -= 1 + len(v.Text())/256
	if *left < 0 {
		return false
	}
	self := []*node{n}
	each := func(nodes []*node, v toolcall.Value) bool {
		return !slices.ContainsFunc(nodes, func(n *node) bool { return !spend(left, n, v) })
	}
	if !each(n.beside, v) || !each(n.apart, v) {
		return false
	}
	for i := range v.Len() {
		name, m := v.Member(i)
		var next []*node
		if v.Kind() == toolcall.Array {
			next = elementNodes(nil, self, i)
		} else {
			next, _ = memberNodes(nil, self, name)
		}
		if !each(next, m) || len(n.names) > 0 && !each(n.names, toolcall.StringOf(name)) {
			return false
		}
	}
	return true
}
