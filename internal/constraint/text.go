package constraint

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
)

// size is `length`, the code points of a text, and `items`, the elements of an
// array: between low and high, both included.
type size struct {
	word      string
	low, high int64
}

func newLength(v toolcall.Value, _ Env) (kind, *SpecError) { return newSize("length", v) }

func newItems(v toolcall.Value, _ Env) (kind, *SpecError) { return newSize("items", v) }

func newSize(word string, v toolcall.Value) (kind, *SpecError) {
	s := &size{word, 0, math.MaxInt64}
	if v.Kind() == toolcall.Number {
		n, err := count(v)
		s.low, s.high = n, n
		return s, err
	}
	if v.Kind() != toolcall.Object || v.Len() == 0 {
		return nil, refuse("expected a whole number or {min: N, max: N}, got %s", describe(v))
	}
	for i := range v.Len() {
		name, bound := v.Member(i)
		n, err := count(bound)
		switch {
		case name != "min" && name != "max":
			return nil, unknown("bound", name, "min", "max").under(member(name))
		case err != nil:
			return nil, err.under(member(name))
		case name == "min":
			s.low = n
		default:
			s.high = n
		}
	}
	if s.low > s.high {
		return nil, refuse("min %d is more than max %d: nothing can hold", s.low, s.high).under("/min")
	}
	return s, nil
}

// count reads a whole number that is not negative.
func count(v toolcall.Value) (int64, *SpecError) {
	n, ok := v.Number().Int64()
	if v.Kind() != toolcall.Number || !ok || n < 0 {
		return 0, refuse("expected a whole number of at least 0, got %s", cut(v.Canonical()))
	}
	return n, nil
}

func (s *size) name() string { return s.word }

// of measures v; it reports false where v is of another type.
func (s *size) of(v toolcall.Value) (int64, bool) {
	if s.word == "items" {
		return int64(v.Len()), v.Kind() == toolcall.Array
	}
	return int64(utf8.RuneCountInString(v.Text())), v.Kind() == toolcall.String
}

func (s *size) unmet(v toolcall.Value, _ Answers) string {
	if s.word == "length" && v.Kind() == toolcall.String && s.low == 0 && int64(len(v.Text())) <= s.high {
		return "" // without counting: code points are no more than bytes
	}
	n, ok := s.of(v)
	switch {
	case !ok:
		return "has no " + s.word
	case n < s.low || n > s.high:
		return fmt.Sprintf("has %s %d, not %s", s.word, n, s)
	}
	return ""
}

func (s *size) met(v toolcall.Value, _ Answers) string {
	n, ok := s.of(v)
	switch {
	case !ok:
		return "has no " + s.word
	case n >= s.low && n <= s.high:
		return fmt.Sprintf("has %s %d, which is %s", s.word, n, s)
	}
	return ""
}

// String returns the bounds in words.
func (s *size) String() string {
	switch {
	case s.low == s.high:
		return fmt.Sprintf("%d", s.low)
	case s.high == math.MaxInt64:
		return fmt.Sprintf("at least %d", s.low)
	default:
		return fmt.Sprintf("%d to %d", s.low, s.high)
	}
}

// neverUsable refuses an upper bound on elements: one more would take a call
// out of the clause.
func (s *size) neverUsable() *SpecError {
	if s.word == "items" && s.high != math.MaxInt64 {
		return refuse("items in a never clause takes min only: one more element in the argument would turn an upper bound off")
	}
	return nil
}

func (s *size) canonical() toolcall.Value {
	members := []toolcall.Member{{Name: "min", Value: whole(s.low)}}
	if s.high != math.MaxInt64 {
		members = append(members, toolcall.Member{Name: "max", Value: whole(s.high)})
	}
	return toolcall.ObjectOf(members...)
}

func whole(n int64) toolcall.Value {
	d, err := toolcall.ParseDecimal(fmt.Sprint(n))
	if err != nil {
		panic(fmt.Sprintf("constraint: integer %d is no decimal: %v", n, err)) // its 19 digits are within every bound
	}
	return toolcall.NumberOf(d)
}

// textPattern is `pattern`: the whole text matches an RE2 expression, in which "."
// matches line breaks too.
type textPattern struct {
	source string
	re     *regexp.Regexp
	is     string // says that a value matches
	isNot  string // says that it does not
}

func newPattern(v toolcall.Value, _ Env) (kind, *SpecError) {
	if v.Kind() != toolcall.String || v.Text() == "" {
		return nil, refuse("expected an RE2 expression, got %s", describe(v))
	}
	if _, err := regexp.Compile(v.Text()); err != nil {
		return nil, refuse("the expression cannot be compiled: %v", err)
	}
	for _, group := range flagGroup.FindAllString(escaped.ReplaceAllString(v.Text(), ""), -1) {
		if strings.ContainsAny(group, "ms") {
			return nil, refuse("flags m and s in %s are fixed: the whole text is matched, and . matches line breaks too", group)
		}
	}
	// An expression that compiles alone and in the group cannot leave the group;
	// only an open \Q compiles alone and not here.
	re, err := regexp.Compile(`(?s)\A(?:` + v.Text() + `)\z`)
	if err != nil {
		return nil, refuse(`the expression cannot be compiled as a group (is a \Q without \E?): %v`, err)
	}
	named := "pattern " + cut(v.Text())
	return &textPattern{v.Text(), re, "matches " + named, "does not match " + named}, nil
}

// flagGroup finds the flags that an expression sets for itself, once escaped
// characters are taken out. It also finds what only looks like flags inside a
// character class.
var (
	escaped   = regexp.MustCompile(`(?s)\\.`)
	flagGroup = regexp.MustCompile(`\(\?[a-zA-Z-]+[:)]`)
)

func (p *textPattern) name() string { return "pattern" }

func (p *textPattern) unmet(v toolcall.Value, _ Answers) string {
	switch {
	case v.Kind() != toolcall.String:
		return "is no text"
	case !p.re.MatchString(v.Text()):
		return p.isNot
	}
	return ""
}

func (p *textPattern) met(v toolcall.Value, _ Answers) string {
	switch {
	case v.Kind() != toolcall.String:
		return "is no text"
	case p.re.MatchString(v.Text()):
		return p.is
	}
	return ""
}

func (p *textPattern) neverUsable() *SpecError   { return nil }
func (p *textPattern) canonical() toolcall.Value { return toolcall.StringOf(p.source) }
