package catalog

import (
	"errors"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Tool is one tool definition of a server.
type Tool struct {
	Name   string
	Digest string         // "sha256:" and 64 hexadecimal digits, over the pinned members of Raw
	Raw    toolcall.Value // the whole definition
}

// pinned are the members that the digest of a tool covers (MCP 2026-07-28,
// Tool, without icons and execution, which say nothing about what it does).
var pinned = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"}

// newTool checks one definition. Members whose kind would change what a reader
// makes of them are refused, and so is a member that differs from a pinned one
// only in letter case: a client that ignores case would read it, and the
// digest does not cover it.
func newTool(def toolcall.Value) (Tool, error) {
	if def.Kind() != toolcall.Object {
		return Tool{}, fmt.Errorf("a tool is an object, not %s", def.Kind())
	}
	name := def.Get("name").Text()
	if name == "" {
		return Tool{}, errors.New("name must be a string that is not empty")
	}
	for i := range def.Len() {
		member, _ := def.Member(i)
		for _, known := range pinned {
			if member != known && toolcall.FoldEqual(member, known) {
				return Tool{}, fmt.Errorf("tool %q: member %q differs from %q only in letter case", name, member, known)
			}
		}
	}
	if k := def.Get("inputSchema").Kind(); k != toolcall.Object {
		return Tool{}, fmt.Errorf("tool %q: inputSchema must be an object, not %s", name, k)
	}
	return Tool{Name: name, Digest: digest(pinnedPart(def)), Raw: def}, nil
}

// pinnedPart returns the members of a definition that its digest covers.
func pinnedPart(def toolcall.Value) toolcall.Value {
	var members []toolcall.Member
	for i := range def.Len() {
		if name, value := def.Member(i); slices.Contains(pinned, name) {
			members = append(members, toolcall.Member{Name: name, Value: value})
		}
	}
	return toolcall.ObjectOf(members...)
}

// InputSchema returns the JSON Schema of the arguments, an object.
func (t Tool) InputSchema() toolcall.Value { return t.Raw.Get("inputSchema") }

// Description returns the text for the model, "" for none.
func (t Tool) Description() string { return t.Raw.Get("description").Text() }

// ReadOnlyHint reports whether the server claims that the tool changes
// nothing. It is a claim: it may propose a rule to a person, never be one.
func (t Tool) ReadOnlyHint() bool {
	return t.Raw.Get("annotations").Get("readOnlyHint").Bool()
}

// State says how a live tool definition stands to the approved copy. The zero
// State is Unverified.
type State uint8

const (
	Unverified  State = iota // there is no copy, or no readable definition, to compare
	Pinned                   // the definition is the approved one
	Quarantined              // the definition differs from the approved one
	New                      // the approved copy has no tool of this name
)

// String returns the word for s.
func (s State) String() string {
	words := [...]string{"unverified", "pinned", "quarantined", "new"}
	if int(s) >= len(words) {
		return "unverified"
	}
	return words[s]
}

// Compare says how the definition of one live tool stands to the approved copy.
func Compare(approved *Catalog, live toolcall.Value) State {
	t, err := newTool(live)
	if approved == nil || err != nil {
		return Unverified
	}
	was, found := approved.Tool(t.Name)
	switch {
	case !found:
		return New
	case was.Digest != t.Digest:
		return Quarantined
	default:
		return Pinned
	}
}
