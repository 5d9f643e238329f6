package yamlwalk

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Reader reads one text and collects its problems. What it reports once makes
// the text unusable, so after a problem it goes on with an incomplete part, to
// find the others.
type Reader struct {
	File     string // name of the text in problems
	What     string // what the text is: "contract"
	Problems Problems
}

// Words are the words of one place of a language. Those of a later version are
// refused by name: silence about them would look like enforcement.
type Words struct {
	Place string // "a contract"
	Known []string
	Later []string
}

func (r *Reader) report(line, column int, hint, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{r.File, line, column, fmt.Sprintf(format, args...), hint})
}

// Report adds a problem at n.
func (r *Reader) Report(n *Node, hint, format string, args ...any) {
	if !n.Broken {
		r.report(n.Line, n.Column, hint, format, args...)
	}
}

// Is reports whether n is of the kind that is expected, and if not, says so.
func (r *Reader) Is(n *Node, kind toolcall.Kind, expected string) bool {
	if n.Kind != kind {
		hint := ""
		if kind == toolcall.String && (n.Kind == toolcall.Number || n.Kind == toolcall.Bool) {
			hint = "quote it"
		}
		r.Report(n, hint, "expected %s, found %s", expected, n.Describe())
		return false
	}
	return true
}

// Describe names n in a problem.
func (n *Node) Describe() string {
	switch n.Kind {
	case toolcall.Absent:
		return "nothing"
	case toolcall.Array:
		return "a list"
	case toolcall.Object:
		return "a mapping"
	case toolcall.String:
		return fmt.Sprintf("%q", n.Text)
	}
	return n.Text
}

// Mapping checks that n is a mapping of known words. Members with other words
// are reported; the caller asks for the known ones.
func (r *Reader) Mapping(n *Node, w Words) bool {
	if !r.Is(n, toolcall.Object, w.Place+" as a mapping") {
		return false
	}
	for _, m := range n.Members {
		r.Word(m.Key, w)
	}
	return true
}

// Word checks that n is one of the known words.
func (r *Reader) Word(n *Node, w Words) bool {
	switch {
	case slices.Contains(w.Known, n.Text):
		return true
	case slices.Contains(w.Later, n.Text):
		r.Later(n, fmt.Sprintf("%q", n.Text))
	default:
		r.Report(n, DidYouMean(n.Text, w.Known), "unknown word %q in %s: expected %s", n.Text, w.Place, OneOf(w.Known))
	}
	return false
}

// Later refuses what the language has, but not in this version.
func (r *Reader) Later(n *Node, what string) {
	r.Report(n, "", "%s is not in this version of licet", what)
}

// Need returns the value beside key. If there is none, that is reported, and
// the value is broken.
func (r *Reader) Need(n *Node, key string, w Words) *Node {
	if v := n.Get(key); v != nil {
		return v
	}
	if !Misspelt(n, key, w) {
		r.Report(n, "", "%s needs %q", w.Place, key)
	}
	return &Node{Broken: true}
}

// Misspelt reports whether an unknown word of n, already reported, was probably
// meant to be key.
func Misspelt(n *Node, key string, w Words) bool {
	return slices.ContainsFunc(n.Members, func(m Member) bool {
		return !slices.Contains(w.Known, m.Key.Text) && near(m.Key.Text, w.Known) == key
	})
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// Name checks a name that the text gives or refers to, such as that of an
// agent, and returns it; what says which.
func (r *Reader) Name(n *Node, what string) string {
	if r.Is(n, toolcall.String, "the "+what) && !nameForm.MatchString(n.Text) {
		r.Report(n, "use up to 100 letters, digits, _ and -", "%q is no %s", n.Text, what)
	}
	return n.Text
}

// Elements returns the items of a list, refusing an empty one: it says nothing,
// and a reader may take it for "all" or for "none".
func (r *Reader) Elements(n *Node, word string) []*Node {
	if len(n.Items) == 0 {
		r.Report(n, fmt.Sprintf("remove %q or add an entry", word), "an empty list")
	}
	return n.Items
}

// Distinct returns list sorted, reporting what stands in it twice.
func (r *Reader) Distinct(n *Node, list []string) []string {
	list = slices.Sorted(slices.Values(list))
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			r.Report(n, "", "%q stands in the list twice", list[i])
		}
	}
	return list
}

var durationForm = regexp.MustCompile(`^[1-9][0-9]{0,8}[smhdw]$`)

// maxDuration bounds durations: ten years, well within what 64 bits hold.
const maxDuration = 3653 * 24 * time.Hour

// Duration reads a whole number of seconds, minutes, hours, days or weeks.
func (r *Reader) Duration(n *Node) time.Duration {
	if n.Kind != toolcall.String || !durationForm.MatchString(n.Text) {
		r.Report(n, "", "expected a duration such as 90s, 15m, 1h, 1d or 1w, found %s", n.Describe())
		return 0
	}
	units := map[byte]time.Duration{
		's': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
	}
	last := len(n.Text) - 1
	var d time.Duration
	for _, digit := range n.Text[:last] {
		d = 10*d + time.Duration(digit-'0')
	}
	unit := units[n.Text[last]]
	if d > maxDuration/unit {
		r.Report(n, "", "a duration of more than ten years: %s", n.Text)
		return 0
	}
	return d * unit
}

// Count reads a whole number from 1 to most.
func (r *Reader) Count(n *Node, what string, most int64) int64 {
	if !r.Is(n, toolcall.Number, what) {
		return 0
	}
	if d, err := toolcall.ParseDecimal(n.Text); err == nil {
		if i, ok := d.Int64(); ok && i >= 1 && i <= most {
			return i
		}
	}
	r.Report(n, "", "expected a whole number from 1 to %d, found %s", most, n.Text)
	return 0
}

// Value returns n as JSON. ok is false if part of it is missing or unreadable.
func (r *Reader) Value(n *Node) (v toolcall.Value, ok bool) {
	switch n.Kind {
	case toolcall.Null:
		return toolcall.NullValue, true
	case toolcall.Bool:
		return toolcall.Boolean(n.Text == "true"), true
	case toolcall.Number:
		return toolcall.NumberOf(r.Decimal(n)), true
	case toolcall.String:
		return toolcall.StringOf(n.Text), true
	case toolcall.Array:
		ok = true
		values := make([]toolcall.Value, len(n.Items))
		for i, item := range n.Items {
			var whole bool
			values[i], whole = r.Value(item)
			ok = ok && whole
		}
		return toolcall.ArrayOf(values...), ok
	case toolcall.Object:
		ok = true
		members := make([]toolcall.Member, len(n.Members))
		for i, m := range n.Members {
			value, whole := r.Value(m.Value)
			members[i] = toolcall.Member{Name: m.Key.Text, Value: value}
			ok = ok && whole
		}
		return toolcall.ObjectOf(members...), ok
	}
	r.Report(n, `write null, or "" for empty text`, "expected a value, found nothing")
	return toolcall.Value{}, false
}

// Decimal returns the number n exactly.
func (r *Reader) Decimal(n *Node) toolcall.Decimal {
	d, err := toolcall.ParseDecimal(n.Text)
	if err != nil {
		r.Report(n, "", "%v", err)
	}
	return d
}
