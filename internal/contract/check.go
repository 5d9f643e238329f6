package contract

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// report adds a problem at n.
func (l *loader) report(n *node, hint, format string, args ...any) {
	if !n.broken {
		l.parser.report(n.line, n.column, hint, format, args...)
	}
}

// is reports whether n is of the kind that is expected, and if not, says so.
func (l *loader) is(n *node, kind toolcall.Kind, expected string) bool {
	if n.kind != kind {
		hint := ""
		if kind == toolcall.String && (n.kind == toolcall.Number || n.kind == toolcall.Bool) {
			hint = "quote it"
		}
		l.report(n, hint, "expected %s, found %s", expected, n.describe())
		return false
	}
	return true
}

// describe names n in a problem.
func (n *node) describe() string {
	switch n.kind {
	case toolcall.Absent:
		return "nothing"
	case toolcall.Array:
		return "a list"
	case toolcall.Object:
		return "a mapping"
	case toolcall.String:
		return fmt.Sprintf("%q", n.text)
	}
	return n.text
}

// mapping checks that n is a mapping of known words. Members with other words
// are reported; the caller asks for the known ones.
func (l *loader) mapping(n *node, w words) bool {
	if !l.is(n, toolcall.Object, w.place+" as a mapping") {
		return false
	}
	for _, m := range n.members {
		l.word(m.key, w)
	}
	return true
}

// word checks that n is one of the known words.
func (l *loader) word(n *node, w words) bool {
	switch {
	case slices.Contains(w.known, n.text):
		return true
	case slices.Contains(w.later, n.text):
		l.later(n, fmt.Sprintf("%q", n.text))
	default:
		l.report(n, didYouMean(n.text, w.known), "unknown word %q in %s: expected %s", n.text, w.place, oneOf(w.known))
	}
	return false
}

// later refuses what the language has, but not in this version.
func (l *loader) later(n *node, what string) {
	l.report(n, "", "%s is not in this version of licet", what)
}

// need returns the value beside key. If there is none, that is reported, and
// the value is broken.
func (l *loader) need(n *node, key string, w words) *node {
	if v := n.get(key); v != nil {
		return v
	}
	if !misspelt(n, key, w) {
		l.report(n, "", "%s needs %q", w.place, key)
	}
	return &node{broken: true}
}

// misspelt reports whether an unknown word of n, already reported, was probably
// meant to be key.
func misspelt(n *node, key string, w words) bool {
	return slices.ContainsFunc(n.members, func(m member) bool {
		return !slices.Contains(w.known, m.key.text) && near(m.key.text, w.known) == key
	})
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// name checks a name of the contract's own: of itself, an agent, a server or
// an approver.
func (l *loader) name(n *node, what string) string {
	if l.is(n, toolcall.String, "the "+what) && !nameForm.MatchString(n.text) {
		l.report(n, "use up to 100 letters, digits, _ and -", "%q is no %s", n.text, what)
	}
	return n.text
}

// elements returns the items of a list, refusing an empty one: it says nothing,
// and a reader may take it for "all" or for "none".
func (l *loader) elements(n *node, word string) []*node {
	if len(n.items) == 0 {
		l.report(n, fmt.Sprintf("remove %q or add an entry", word), "an empty list")
	}
	return n.items
}

// distinct returns list sorted, reporting what stands in it twice.
func (l *loader) distinct(n *node, list []string) []string {
	list = slices.Sorted(slices.Values(list))
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			l.report(n, "", "%q stands in the list twice", list[i])
		}
	}
	return list
}

var durationForm = regexp.MustCompile(`^[1-9][0-9]{0,8}[smhdw]$`)

// maxDuration bounds durations: ten years, well within what 64 bits hold.
const maxDuration = 3653 * 24 * time.Hour

// duration reads a whole number of seconds, minutes, hours, days or weeks.
func (l *loader) duration(n *node) time.Duration {
	if n.kind != toolcall.String || !durationForm.MatchString(n.text) {
		l.report(n, "", "expected a duration such as 90s, 15m, 1h, 1d or 1w, found %s", n.describe())
		return 0
	}
	units := map[byte]time.Duration{
		's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
	}
	last := len(n.text) - 1
	var d time.Duration
	for _, digit := range n.text[:last] {
		d = 10*d + time.Duration(digit-'0')
	}
	unit := units[n.text[last]]
	if d > maxDuration/unit {
		l.report(n, "", "a duration of more than ten years: %s", n.text)
		return 0
	}
	return d * unit
}

// count reads a whole number from 1 to most.
func (l *loader) count(n *node, what string, most int64) int64 {
	if !l.is(n, toolcall.Number, what) {
		return 0
	}
	if d, err := toolcall.ParseDecimal(n.text); err == nil {
		if i, ok := d.Int64(); ok && i >= 1 && i <= most {
			return i
		}
	}
	l.report(n, "", "expected a whole number from 1 to %d, found %s", most, n.text)
	return 0
}

// value returns n as JSON. ok is false if part of it is missing or unreadable.
func (l *loader) value(n *node) (v toolcall.Value, ok bool) {
	switch n.kind {
	case toolcall.Null:
		return toolcall.NullValue, true
	case toolcall.Bool:
		return toolcall.Boolean(n.text == "true"), true
	case toolcall.Number:
		return toolcall.NumberOf(l.decimal(n)), true
	case toolcall.String:
		return toolcall.StringOf(n.text), true
	case toolcall.Array:
		ok = true
		values := make([]toolcall.Value, len(n.items))
		for i, item := range n.items {
			var whole bool
			values[i], whole = l.value(item)
			ok = ok && whole
		}
		return toolcall.ArrayOf(values...), ok
	case toolcall.Object:
		ok = true
		members := make([]toolcall.Member, len(n.members))
		for i, m := range n.members {
			value, whole := l.value(m.value)
			members[i] = toolcall.Member{Name: m.key.text, Value: value}
			ok = ok && whole
		}
		return toolcall.ObjectOf(members...), ok
	}
	l.report(n, `write null, or "" for empty text`, "expected a value, found nothing")
	return toolcall.Value{}, false
}
