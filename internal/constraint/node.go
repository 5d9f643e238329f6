package constraint

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// node is one subschema as Check walks it: what it declares and where it leads.
type node struct {
	simple *assertions // nil where validity is the compiler's work

	// Members of an object.
	closes   bool             // has `properties`
	opens    bool             // says in writing what other members are
	props    map[string]*node // `properties`
	twins    twins            // of the names in props
	patterns []patternProps   // `patternProperties`
	others   []*node          // for members that are neither
	every    []*node          // for every member
	names    []*node          // for the name of every member

	// Elements of an array.
	prefix   []*node // for the first ones, in their place
	rest     []*node // for those after
	elements []*node // for every element

	beside []*node // apply to the same value and declare members
	apart  []*node // apply to the same value and declare none
}

type patternProps struct {
	name jsonschema.Regexp
	node *node
}

// builder makes the nodes of a compiled schema, one for each subschema. What
// cannot be followed is kept as the first error.
type builder struct {
	draft int
	nodes map[*jsonschema.Schema]*node
	err   error
}

// node returns the node of s.
func (b *builder) node(s *jsonschema.Schema) *node {
	if n, ok := b.nodes[s]; ok {
		return n
	}
	n := &node{}
	b.nodes[s] = n
	switch {
	case b.err != nil:
	case !strings.HasPrefix(s.Location, self+"#"):
		b.err = fmt.Errorf("reference to %s, outside the schema", s.Location)
	case s.DraftVersion != b.draft:
		b.err = fmt.Errorf("%s is written in another dialect", s.Location)
	case s.DynamicRef != nil || s.RecursiveRef != nil:
		b.err = fmt.Errorf("dynamic reference at %s", s.Location)
	default:
		b.linkObject(n, s)
		b.linkArray(n, s)
		b.linkBeside(n, s)
	}
	return n
}

func (b *builder) linkObject(n *node, s *jsonschema.Schema) {
	n.closes = s.Properties != nil
	n.props = make(map[string]*node, len(s.Properties))
	for name, sub := range s.Properties {
		n.props[name] = b.node(sub)
		n.twins.add(name)
	}
	for name, sub := range s.PatternProperties {
		n.patterns = append(n.patterns, patternProps{name, b.node(sub)})
	}
	n.opens = opening(s.AdditionalProperties) || s.UnevaluatedProperties != nil && opening(s.UnevaluatedProperties)
	n.others = b.operand(s.AdditionalProperties)
	n.every = b.all(s.UnevaluatedProperties)
	n.names = b.all(s.PropertyNames)
}

func (b *builder) linkArray(n *node, s *jsonschema.Schema) {
	n.prefix = b.all(s.PrefixItems...)
	if list, ok := s.Items.([]*jsonschema.Schema); ok {
		n.prefix = b.all(list...)
	}
	n.rest = append(append(b.all(s.Items2020), b.operand(s.Items)...), b.operand(s.AdditionalItems)...)
	n.elements = b.all(s.Contains, s.UnevaluatedItems)
}

func (b *builder) linkBeside(n *node, s *jsonschema.Schema) {
	n.beside = b.all(s.Ref, s.If, s.Then, s.Else)
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		n.beside = append(n.beside, b.all(list...)...)
	}
	for _, sub := range s.DependentSchemas {
		n.beside = append(n.beside, b.node(sub))
	}
	for _, dependency := range s.Dependencies {
		n.beside = append(n.beside, b.operand(dependency)...)
	}
	n.apart = b.all(s.Not)
}

// all returns the nodes of those subschemas that there are.
func (b *builder) all(subs ...*jsonschema.Schema) []*node {
	var nodes []*node
	for _, sub := range subs {
		if sub != nil {
			nodes = append(nodes, b.node(sub))
		}
	}
	return nodes
}

// operand returns the node of an operand that may be one subschema or
// something else.
func (b *builder) operand(v any) []*node {
	sub, _ := v.(*jsonschema.Schema)
	return b.all(sub)
}

// opening reports whether the operand of `additionalProperties` or
// `unevaluatedProperties` lets some member through.
func opening(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case *jsonschema.Schema:
		return v.Bool == nil || *v.Bool
	}
	return false
}
