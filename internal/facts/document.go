package facts

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/licet-dev/licet/internal/toolcall"
)

// maxYAML bounds a text that is read as YAML, in bytes: reading it takes up to
// a third of a microsecond per byte. A longer text is free text.
const maxYAML = 256 << 10

// Document reads a text that is exactly one JSON or YAML document and holds
// more than a scalar: a single word is free text.
func Document(text string) (toolcall.Value, bool) {
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	if err == nil {
		return v, v.Kind() == toolcall.Array || v.Kind() == toolcall.Object
	}
	var doc yaml.Node
	if len(text) > maxYAML || yaml.Load([]byte(text), &doc) != nil {
		return toolcall.Value{}, false
	}
	if doc.Kind != yaml.DocumentNode || doc.Content[0].Kind == yaml.ScalarNode {
		return toolcall.Value{}, false
	}
	return fromYAML(doc.Content[0], toolcall.DefaultDepth)
}

// fromYAML turns a node into a value. It refuses what could be read in two ways
// or make a short text say much: anchors, aliases, merge keys, tags, members of
// one name, names that are no scalars, more than depth levels.
func fromYAML(n *yaml.Node, depth int) (toolcall.Value, bool) {
	if depth == 0 || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return toolcall.Value{}, false
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return yamlScalar(n), true
	case yaml.SequenceNode:
		elems := make([]toolcall.Value, len(n.Content))
		for i, c := range n.Content {
			v, ok := fromYAML(c, depth-1)
			if !ok {
				return toolcall.Value{}, false
			}
			elems[i] = v
		}
		return toolcall.ArrayOf(elems...), true
	case yaml.MappingNode:
		return yamlObject(n, depth)
	}
	return toolcall.Value{}, false
}

func yamlObject(n *yaml.Node, depth int) (toolcall.Value, bool) {
	members := make([]toolcall.Member, 0, len(n.Content)/2)
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 ||
			key.ShortTag() == "!!merge" || seen[key.Value] {
			return toolcall.Value{}, false
		}
		seen[key.Value] = true
		v, ok := fromYAML(n.Content[i+1], depth-1)
		if !ok {
			return toolcall.Value{}, false
		}
		members = append(members, toolcall.Member{Name: key.Value, Value: v})
	}
	return toolcall.ObjectOf(members...), true
}

// yamlScalar reads a plain scalar as a number only where every version of YAML
// and JSON does: 010, 0x1f, 1_000, 1e3, dates and times are text as written.
func yamlScalar(n *yaml.Node) toolcall.Value {
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return toolcall.NullValue
	case tag == "!!bool":
		return toolcall.Boolean(strings.EqualFold(n.Value, "true"))
	case tag == "!!int" || tag == "!!float":
		d, err := toolcall.ParseDecimal(n.Value)
		if err == nil && !strings.ContainsAny(n.Value, "eE") {
			return toolcall.NumberOf(d)
		}
	}
	return toolcall.StringOf(n.Value)
}
