package constraint

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// builders holds how each kind reads its operand. The pointer of a SpecError
// they return counts from the operand.
var builders = map[string]func(toolcall.Value, Env) (kind, *SpecError){
	"const":       newConst,
	"in":          newIn,
	"not_in":      newNotIn,
	"min":         newMin,
	"max":         newMax,
	"multiple_of": newMultipleOf,
	"length":      newLength,
	"items":       newItems,
	"pattern":     newPattern,
	"path":        newPath,
	"from":        newFrom,
	"url":         newURL,
	"email":       newEmail,
	"identifiers": newIdentifiers,
	"shell":       newShell,
	"sql":         newSQL,
}

// numbers is the word beside `from` that says how texts write numbers.
const numbers = "numbers"

// optional is the word beside constraints that makes them hold where the
// argument is absent.
const optional = "optional"

// Kinds returns the words of the constraints that New knows, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(builders)) }

// SpecError says why a contract may not say what it says.
type SpecError struct {
	Pointer string // where, as JSON Pointer (RFC 6901) within the spec; "" is the whole
	Msg     string
	Near    string // the nearest known word, "" if none is near

	// Place within the text that Pointer leads to, from 1, where that text has a
	// grammar of its own; 0 else.
	Line, Column int
}

// Error returns the message with place and suggestion.
func (e *SpecError) Error() string {
	text := e.Msg
	if e.Pointer != "" {
		text = "at " + e.Pointer + ": " + text
	}
	if e.Near != "" {
		text += fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return text
}

func refuse(format string, args ...any) *SpecError {
	return &SpecError{Msg: fmt.Sprintf(format, args...)}
}

// unknown refuses a word that is none of known.
func unknown(what, word string, known ...string) *SpecError {
	e := refuse("unknown %s %q: expected %s", what, word, strings.Join(known, ", "))
	e.Near = nearest(word, known)
	return e
}

// under returns e as seen from the value that holds the one it counts from.
func (e *SpecError) under(pointer string) *SpecError {
	moved := *e
	moved.Pointer = pointer + e.Pointer
	return &moved
}

// member and element are pointers one step down.
func member(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func element(i int) string { return "/" + strconv.Itoa(i) }

// New compiles the constraints that stand beside one argument, such as
// {min: 0.01, max: 100}; all of them must hold. An error is a *SpecError.
func New(spec toolcall.Value, env Env) (*Set, error) {
	if spec.Kind() != toolcall.Object {
		return nil, refuse("expected constraints such as {max: 100}, got %s", spec.Kind())
	}
	s := &Set{}
	for i := range spec.Len() {
		word, operand := spec.Member(i)
		switch word {
		case numbers:
			if err := checkNumbers(operand, spec); err != nil {
				return nil, err.under(member(numbers))
			}
			continue
		case optional:
			if !operand.Bool() {
				return nil, refuse("expected true, got %s", cut(operand.Canonical())).under(member(optional))
			}
			s.optional = true
			continue
		}
		k, err := build(word, operand, env)
		if err != nil {
			return nil, err.under(member(word))
		}
		s.kinds = append(s.kinds, k)
		if a, ok := k.(asker); ok {
			s.askers = append(s.askers, a)
		}
		if r, ok := k.(reader); ok {
			s.readers = append(s.readers, r)
		}
	}
	if len(s.kinds) == 0 {
		return nil, refuse("no constraint stands beside the argument")
	}
	if err := s.satisfiable(); err != nil {
		return nil, err
	}
	return s, nil
}

func build(word string, operand toolcall.Value, env Env) (kind, *SpecError) {
	b, ok := builders[word]
	if !ok {
		return nil, unknown("constraint", word, append(Kinds(), optional)...)
	}
	return b(operand, env)
}

// checkNumbers refuses every way to write numbers but the English one.
func checkNumbers(operand, spec toolcall.Value) *SpecError {
	switch {
	case spec.Get("from").Kind() == toolcall.Absent:
		return refuse("%q says how `from` reads numbers, and there is no `from`", numbers)
	case operand.Kind() != toolcall.String:
		return refuse("expected en, got %s", operand.Kind())
	case operand.Text() != "en":
		return refuse("%q is not in this version of licet: numbers are read as in English (en)", operand.Text())
	}
	return nil
}

// satisfiable refuses bounds that exclude one another: whoever wrote them meant
// something else.
func (s *Set) satisfiable() *SpecError {
	var low, high *number
	for _, k := range s.kinds {
		if n, ok := k.(*number); ok && n.word == "min" {
			low = n
		} else if ok && n.word == "max" {
			high = n
		}
	}
	if low != nil && high != nil && low.bound.Cmp(high.bound) > 0 {
		return refuse("min %s is more than max %s: nothing can hold", low.bound, high.bound).under("/min")
	}
	return nil
}

// nearest returns the known word that is fewest edits away, if that is at most
// a third of its length, at least one.
func nearest(word string, known []string) string {
	best, bestAt := "", 1<<30
	for _, k := range known {
		if d := edits(word, k); d < bestAt && d <= max(1, len(k)/3) {
			best, bestAt = k, d
		}
	}
	return best
}

// edits returns how many bytes must be inserted, dropped or replaced to turn a
// into b (Levenshtein), or a large number where the lengths say it is many.
func edits(a, b string) int {
	if len(a) > 2*len(b)+2 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
