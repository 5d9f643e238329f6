package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/toolcall"
)

// bounds of an approved copy. It is larger than the messages it was made of:
// it joins the pages of a listing, is indented, and has two levels around each
// tool.
var bounds = toolcall.Bounds{Bytes: 64 << 20, Depth: toolcall.DefaultDepth + 2}

// Catalog is what one server offers. The zero Catalog offers nothing.
type Catalog struct {
	Instructions string // the server's text for the model, "" for none
	Tools        []Tool // sorted by name, each name once
}

// Parse reads an approved copy, {"instructions": "...", "tools": [...]}, or
// the result of an MCP tools/list request that is not one page of several.
func Parse(raw []byte) (*Catalog, error) {
	v, err := toolcall.Parse(raw, bounds)
	if err != nil {
		return nil, fmt.Errorf("reading catalog: %w", err)
	}
	if v.Kind() != toolcall.Object {
		return nil, fmt.Errorf("reading catalog: expected an object, found %s", v.Kind())
	}
	if err := checkMembers(v); err != nil {
		return nil, fmt.Errorf("reading catalog: %w", err)
	}
	list := v.Get("tools")
	tools := make([]toolcall.Value, list.Len())
	for i := range tools {
		tools[i] = list.Elem(i)
	}
	return FromTools(v.Get("instructions").Text(), tools)
}

// checkMembers refuses a catalog with members that are unknown or of another
// kind than they have in an approved copy or in the result of tools/list.
func checkMembers(v toolcall.Value) error {
	for i := range v.Len() {
		name, value := v.Member(i)
		switch name {
		case "instructions":
			if value.Kind() != toolcall.String {
				return fmt.Errorf("instructions must be a string, not %s", value.Kind())
			}
		case "nextCursor":
			return errors.New("nextCursor: this is one page of a longer list")
		case "tools", "_meta", "resultType", "ttlMs", "cacheScope":
		default:
			return fmt.Errorf("unknown member %q", name)
		}
	}
	if k := v.Get("tools").Kind(); k != toolcall.Array {
		return fmt.Errorf("tools must be an array, not %s", k)
	}
	return nil
}

// FromTools returns the catalog of tool definitions, in any order.
func FromTools(instructions string, tools []toolcall.Value) (*Catalog, error) {
	c := &Catalog{Instructions: instructions, Tools: make([]Tool, 0, len(tools))}
	for i, def := range tools {
		t, err := newTool(def)
		if err != nil {
			return nil, fmt.Errorf("reading tools[%d]: %w", i, err)
		}
		c.Tools = append(c.Tools, t)
	}
	slices.SortFunc(c.Tools, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(c.Tools); i++ {
		if c.Tools[i].Name == c.Tools[i-1].Name {
			return nil, fmt.Errorf("tool %q is defined twice", c.Tools[i].Name)
		}
	}
	return c, nil
}

// Tool returns the tool with exactly this name.
func (c *Catalog) Tool(name string) (Tool, bool) {
	i, found := slices.BinarySearchFunc(c.Tools, name, func(t Tool, name string) int {
		return cmp.Compare(t.Name, name)
	})
	if !found {
		return Tool{}, false
	}
	return c.Tools[i], true
}

// Digest returns the SHA-256, as "sha256:" and 64 hexadecimal digits, over the
// canonical JSON of {"instructions": text, "tools": {name: digest of the tool}}.
func (c *Catalog) Digest() string {
	digests := make([]toolcall.Member, len(c.Tools))
	for i, t := range c.Tools {
		digests[i] = toolcall.Member{Name: t.Name, Value: toolcall.StringOf(t.Digest)}
	}
	return digest(toolcall.ObjectOf(
		toolcall.Member{Name: "instructions", Value: toolcall.StringOf(c.Instructions)},
		toolcall.Member{Name: "tools", Value: toolcall.ObjectOf(digests...)},
	))
}

// Marshal returns the text of an approved copy: indented, members in canonical
// order, ending in a line break. [Parse] reads it back to the same digest.
func (c *Catalog) Marshal() []byte {
	defs := make([]toolcall.Value, len(c.Tools))
	for i, t := range c.Tools {
		defs[i] = t.Raw
	}
	members := []toolcall.Member{{Name: "tools", Value: toolcall.ArrayOf(defs...)}}
	if c.Instructions != "" {
		members = append(members, toolcall.Member{Name: "instructions", Value: toolcall.StringOf(c.Instructions)})
	}
	text := jsontext.Value(toolcall.ObjectOf(members...).Canonical())
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(fmt.Sprintf("catalog: canonical text is not JSON: %v", err))
	}
	return append(text, '\n')
}

func digest(v toolcall.Value) string {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return "sha256:" + hex.EncodeToString(sum[:])
}
