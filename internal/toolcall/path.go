package toolcall

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Path addresses values inside a value: "amount", "items[].price",
// `["a.b"].c`, "[].email". The zero Path addresses the value itself.
type Path struct{ steps []Step }

// Step is one step of a path: into every element of an array, or into one
// member of an object.
type Step struct {
	Elements bool   // into every element; Name is ""
	Name     string // of the member
}

// Selection is what a [Path] finds in a value. A constraint that permits needs
// Missing and Wrong to be 0; one that forbids matches as soon as Wrong is not
// 0. The argument as a whole is absent when Values is empty and Wrong is 0.
type Selection struct {
	Values  []Value // the values at the path, none of them absent or null
	Missing int     // places where the path ends early: a missing member, null, an array without elements
	Wrong   int     // places where it cannot go on: elements of what is no array, a member of what is no object
}

// ParsePath reads a path:
//
//	path  = first *step
//	first = name / quoted / "[]"
//	step  = "." name / quoted / "[]"
//	name  = 1*(letter / digit / "_" / "-")   ; ASCII
//	quoted = "[" JSON string "]"
//
// Errors name the byte where reading stopped, from 0.
func ParsePath(s string) (Path, error) {
	if s == "" {
		return Path{}, errors.New("path is empty")
	}
	var p Path
	for rest := s; rest != ""; {
		step, n, err := cutStep(rest, len(p.steps) == 0)
		if err != nil {
			return Path{}, fmt.Errorf("path %q, byte %d: %w", s, len(s)-len(rest), err)
		}
		p.steps = append(p.steps, step)
		rest = rest[n:]
	}
	return p, nil
}

// cutStep reads the step at the start of s and returns its length.
func cutStep(s string, first bool) (step Step, n int, err error) {
	switch {
	case strings.HasPrefix(s, "[]"):
		return Step{Elements: true}, 2, nil
	case strings.HasPrefix(s, "["):
		return cutQuoted(s)
	case strings.HasPrefix(s, ".") && !first:
		n = 1
	case !first:
		return Step{}, 0, errors.New(`expected ".", "[]" or the end`)
	}
	end := n
	for end < len(s) && isNameByte(s[end]) {
		end++
	}
	if end == n {
		return Step{}, 0, errors.New(`expected a name; one with other characters than letters, digits, "_" and "-" is written ["..."]`)
	}
	return Step{Name: s[n:end]}, end, nil
}

// cutQuoted reads a step of the form ["..."].
func cutQuoted(s string) (Step, int, error) {
	const open, shut = `["`, `"]`
	end := len(open)
	for end < len(s) && s[end] != '"' {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if !strings.HasPrefix(s, open) || end >= len(s) || !strings.HasPrefix(s[end:], shut) {
		return Step{}, 0, errors.New(`expected "[]" or a JSON string in brackets`)
	}
	name, err := jsontext.AppendUnquote(nil, s[1:end+1])
	if err != nil {
		return Step{}, 0, fmt.Errorf("reading the string in brackets: %w", err)
	}
	return Step{Name: string(name)}, end + len(shut), nil
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// Empty reports whether p is the zero Path.
func (p Path) Empty() bool { return len(p.steps) == 0 }

// Steps returns the steps of p.
func (p Path) Steps() []Step { return slices.Clone(p.steps) }

// Member returns the path of the member name of what p addresses.
func (p Path) Member(name string) Path {
	return Path{steps: append(slices.Clip(p.steps), Step{Name: name})}
}

// String returns the text of p; [ParsePath] reads it back. The zero Path has
// none.
func (p Path) String() string {
	if len(p.steps) == 1 && p.steps[0].plain() {
		return p.steps[0].Name
	}
	var b []byte
	for i, s := range p.steps {
		switch {
		case s.Elements:
			b = append(b, "[]"...)
		case !s.plain():
			b = append(appendQuoted(append(b, '['), s.Name), ']')
		case i == 0:
			b = append(b, s.Name...)
		default:
			b = append(append(b, '.'), s.Name...)
		}
	}
	return string(b)
}

// plain reports whether s leads to a member whose name is written as it is.
func (s Step) plain() bool {
	return s.Name != "" && !strings.ContainsFunc(s.Name, func(r rune) bool { return r > 0x7f || !isNameByte(byte(r)) })
}

// Select returns what p finds in v, in the order of arrays.
func (p Path) Select(v Value) Selection {
	if len(p.steps) == 1 && !p.steps[0].Elements && v.kind == Object {
		return v.selectMember(p.steps[0].Name)
	}
	var s Selection
	s.walk(v, p.steps)
	return s
}

// selectMember is what most paths come to, without a copy: the values of an
// object never change.
func (v Value) selectMember(name string) Selection {
	i := v.index(name)
	if i < 0 || v.list.values[i].kind == Null {
		return Selection{Missing: 1}
	}
	return Selection{Values: v.list.values[i : i+1 : i+1]}
}

func (s *Selection) walk(v Value, steps []Step) {
	switch {
	case v.kind == Absent || v.kind == Null:
		s.Missing++
	case len(steps) == 0:
		s.Values = append(s.Values, v)
	case !steps[0].Elements && v.kind == Object:
		s.walk(v.Get(steps[0].Name), steps[1:])
	case steps[0].Elements && v.kind == Array:
		if v.Len() == 0 {
			s.Missing++
		}
		for i := range v.Len() {
			s.walk(v.Elem(i), steps[1:])
		}
	default:
		s.Wrong++
	}
}
