package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// kinds is a set of JSON kinds, a bit each.
type kinds uint8

const anyKind kinds = 1<<toolcall.Null | 1<<toolcall.Bool | 1<<toolcall.Number | 1<<toolcall.String |
	1<<toolcall.Array | 1<<toolcall.Object

func kindsOf(list ...toolcall.Kind) (set kinds) {
	for _, k := range list {
		set |= 1 << k
	}
	return set
}

func (s kinds) has(k toolcall.Kind) bool { return s&(1<<k) != 0 }

// String lists the kinds as a sentence does, without null: it counts as absent.
func (s kinds) String() string {
	var names []string
	for k := toolcall.Bool; k <= toolcall.Object; k++ {
		switch {
		case !s.has(k):
		case k >= toolcall.Array:
			names = append(names, "an "+k.String())
		default:
			names = append(names, "a "+k.String())
		}
	}
	if len(names) == 0 {
		return "null"
	}
	return yamlwalk.OneOf(names)
}

// undeclared says that a contract names something that no catalog declares.
type undeclared struct {
	name  string   // what is not declared, "" for another reason
	known []string // what is declared instead
	why   string
}

// Error returns the reason with the nearest known name.
func (u *undeclared) Error() string {
	if hint := yamlwalk.DidYouMean(u.name, u.known); hint != "" {
		return u.why + "; " + hint
	}
	return u.why
}

// lookup returns the kinds of value that schema can admit at path (JSON Schema
// 2020-12; keywords that only narrow further are not looked at). A level that
// declares no members is a free-form map, where every path is known.
func lookup(schema toolcall.Value, path toolcall.Path) (kinds, *undeclared) {
	s := schemas{root: schema}
	places := []toolcall.Value{schema}
	for _, step := range path.Steps() {
		var open bool
		var unknown *undeclared
		if step.Elements {
			places, open, unknown = s.elements(places)
		} else {
			places, open, unknown = s.member(places, step.Name)
		}
		if open || unknown != nil {
			return anyKind, unknown
		}
	}
	return s.kinds(places), nil
}

// schemas answers questions about the subschemas of one document.
type schemas struct{ root toolcall.Value }

// elements returns the schemas of the elements of an array; open says that
// they are not declared.
func (s schemas) elements(places []toolcall.Value) (next []toolcall.Value, open bool, unknown *undeclared) {
	if k := s.kinds(places); !k.has(toolcall.Array) {
		return nil, false, &undeclared{why: fmt.Sprintf("[] stands for the elements of an array, but there is %s", k)}
	}
	for _, p := range s.closure(places) {
		next = append(next, list(p.Get("prefixItems"))...)
		if items := p.Get("items"); items.Kind() == toolcall.Array { // draft-07
			next = append(next, list(items)...)
		} else if items.Kind() != toolcall.Absent {
			next = append(next, items)
		}
	}
	return next, len(next) == 0, nil
}

// member returns the schemas of a member of an object; open says that a level
// takes members without declaring them.
func (s schemas) member(places []toolcall.Value, name string) (next []toolcall.Value, open bool, unknown *undeclared) {
	if k := s.kinds(places); !k.has(toolcall.Object) {
		return nil, false, &undeclared{why: fmt.Sprintf("%q stands for a member of an object, but there is %s", name, k)}
	}
	var known []string
	free, declares, closed := false, false, false
	for _, p := range s.closure(places) {
		properties, rest := p.Get("properties"), p.Get("additionalProperties")
		if v := properties.Get(name); v.Kind() != toolcall.Absent {
			next = append(next, v)
		}
		for i := range properties.Len() {
			declared, _ := properties.Member(i)
			known = append(known, declared)
		}
		declares = declares || properties.Kind() != toolcall.Absent
		closed = closed || isFalse(rest)
		for _, word := range []string{"additionalProperties", "unevaluatedProperties", "patternProperties"} {
			free = free || p.Get(word).Kind() != toolcall.Absent && !isFalse(p.Get(word))
		}
	}
	switch {
	case len(next) > 0:
		return next, false, nil
	case free, !declares && !closed:
		return nil, true, nil
	}
	why := "its inputSchema declares no member here"
	if len(known) > 0 {
		slices.Sort(known)
		why = "its inputSchema declares " + strings.Join(slices.Compact(known), ", ")
	}
	return nil, false, &undeclared{name, known, why}
}

func isFalse(v toolcall.Value) bool { return v.Kind() == toolcall.Bool && !v.Bool() }

// closure returns places with all subschemas that apply to the same value, as
// [constraint.Schema] counts them; each $ref is followed once.
func (s schemas) closure(places []toolcall.Value) []toolcall.Value {
	all := slices.Clone(places)
	followed := map[string]bool{}
	for i := 0; i < len(all); i++ {
		p := all[i]
		if target := p.Get("$ref").Text(); target != "" && !followed[target] {
			followed[target] = true
			all = append(all, s.target(target))
		}
		for _, word := range []string{"allOf", "anyOf", "oneOf"} {
			all = append(all, list(p.Get(word))...)
		}
		for _, word := range []string{"if", "then", "else"} {
			if part := p.Get(word); part.Kind() != toolcall.Absent {
				all = append(all, part)
			}
		}
		for i := range p.Get("dependentSchemas").Len() {
			_, part := p.Get("dependentSchemas").Member(i)
			all = append(all, part)
		}
	}
	return all
}

// target returns what a reference within the document leads to; absent, which
// admits everything, if it is none.
func (s schemas) target(ref string) toolcall.Value {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return toolcall.Value{}
	}
	v := s.root
	if pointer == "" {
		return v
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		v = v.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return v
}

// kinds returns what any of the places admits.
func (s schemas) kinds(places []toolcall.Value) (set kinds) {
	followed := map[string]bool{}
	for _, p := range places {
		set |= s.kindsAt(p, followed)
	}
	return set
}

// kindsAt returns what one schema admits. A $ref seen before admits everything:
// so a cycle ends, and the answer errs towards admitting.
func (s schemas) kindsAt(p toolcall.Value, followed map[string]bool) kinds {
	set := typeKinds(p.Get("type"))
	if target := p.Get("$ref").Text(); target != "" && !followed[target] {
		followed[target] = true
		set &= s.kindsAt(s.target(target), followed)
	}
	if c := p.Get("const"); c.Kind() != toolcall.Absent {
		set &= kindsOf(c.Kind())
	}
	if values := list(p.Get("enum")); len(values) > 0 {
		var listed kinds
		for _, v := range values {
			listed |= kindsOf(v.Kind())
		}
		set &= listed
	}
	for _, part := range list(p.Get("allOf")) {
		set &= s.kindsAt(part, followed)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if parts := list(p.Get(word)); len(parts) > 0 {
			var some kinds
			for _, part := range parts {
				some |= s.kindsAt(part, followed)
			}
			set &= some
		}
	}
	return set
}

// typeKinds returns the kinds that the keyword "type" names; all if it is absent.
func typeKinds(v toolcall.Value) kinds {
	switch v.Kind() {
	case toolcall.Absent:
		return anyKind
	case toolcall.Array:
		var set kinds
		for _, one := range list(v) {
			set |= typeKinds(one)
		}
		return set
	}
	for k := toolcall.Null; k <= toolcall.Object; k++ {
		if v.Text() == k.String() {
			return kindsOf(k)
		}
	}
	if v.Text() == "integer" {
		return kindsOf(toolcall.Number)
	}
	return anyKind // no JSON Schema: compiling it says so
}

// list returns the elements of an array, and none of another value.
func list(v toolcall.Value) []toolcall.Value {
	if v.Kind() != toolcall.Array {
		return nil
	}
	all := make([]toolcall.Value, v.Len())
	for i := range all {
		all[i] = v.Elem(i)
	}
	return all
}
