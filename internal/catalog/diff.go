package catalog

import (
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// ChangeKind says what happened to a field.
type ChangeKind uint8

const (
	Added ChangeKind = iota + 1
	Removed
	Changed
)

// String returns the word for k.
func (k ChangeKind) String() string {
	words := [...]string{"unknown", "added", "removed", "changed"}
	if int(k) >= len(words) {
		return words[0]
	}
	return words[k]
}

// Change is one difference between two catalogs.
type Change struct {
	Tool     string // "" for the server itself, whose only field is "instructions"
	Field    string // path such as inputSchema.properties.amount.maximum; "" for the whole tool
	Kind     ChangeKind
	Old, New string // canonical JSON; "" where there is no value
}

// Diff returns what differs between two catalogs: instructions first, then
// tools by name and fields in canonical order. Objects are compared member by
// member, arrays as a whole. Only what a digest covers counts, so there is no
// change exactly if the digests are equal.
func Diff(old, new *Catalog) []Change {
	var changes []Change
	if old.Instructions != new.Instructions {
		changes = append(changes, change("", "instructions", instructions(old), instructions(new)))
	}
	for _, name := range names(old, new) {
		was, _ := old.Tool(name)
		is, _ := new.Tool(name)
		changes = appendFields(changes, name, toolcall.Path{}, part(was), part(is))
	}
	return changes
}

// instructions returns the instructions of c, absent where there are none.
func instructions(c *Catalog) toolcall.Value {
	if c.Instructions == "" {
		return toolcall.Value{}
	}
	return toolcall.StringOf(c.Instructions)
}

// part returns the pinned part of t, absent for the zero Tool.
func part(t Tool) toolcall.Value {
	if t.Name == "" {
		return toolcall.Value{}
	}
	return pinnedPart(t.Raw)
}

// names returns the names of all tools of both catalogs, sorted, each once.
func names(a, b *Catalog) []string {
	var all []string
	for _, t := range slices.Concat(a.Tools, b.Tools) {
		all = append(all, t.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// appendFields appends the changes between two values of one field.
func appendFields(changes []Change, tool string, field toolcall.Path, was, is toolcall.Value) []Change {
	if was.Equal(is) {
		return changes
	}
	if was.Kind() != toolcall.Object || is.Kind() != toolcall.Object {
		return append(changes, change(tool, field.String(), was, is))
	}
	for _, name := range memberNames(was, is) {
		changes = appendFields(changes, tool, field.Member(name), was.Get(name), is.Get(name))
	}
	return changes
}

// memberNames returns the names of the members of both objects, sorted, each
// once.
func memberNames(a, b toolcall.Value) []string {
	var all []string
	for _, v := range []toolcall.Value{a, b} {
		for i := range v.Len() {
			name, _ := v.Member(i)
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func change(tool, field string, was, is toolcall.Value) Change {
	c := Change{Tool: tool, Field: field, Kind: Changed, Old: was.Canonical(), New: is.Canonical()}
	switch {
	case was.Kind() == toolcall.Absent:
		c.Kind = Added
	case is.Kind() == toolcall.Absent:
		c.Kind = Removed
	}
	return c
}
