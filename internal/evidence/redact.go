package evidence

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of what evidence keeps of a call. The digest covers all of it.
const (
	maxText      = 2 << 10  // bytes of one text
	maxArguments = 64 << 10 // bytes of the canonical arguments
)

// Redact returns v with every detected secret replaced by a word that says what
// kind it was, and whether there was one: texts and names of members by their
// form, values by the name of their member. The rest stays, so that a reader
// sees what the call does.
func Redact(v toolcall.Value) (toolcall.Value, bool) {
	switch v.Kind() {
	case toolcall.String:
		return redactText(v)
	case toolcall.Array:
		return redactList(v)
	case toolcall.Object:
		return redactObject(v)
	}
	return v, false
}

func redactText(v toolcall.Value) (toolcall.Value, bool) {
	s := maskSecrets(v.Text())
	if s == v.Text() {
		return v, false
	}
	return toolcall.StringOf(s), true
}

func eachElement(v toolcall.Value, redact func(toolcall.Value) (toolcall.Value, bool)) (toolcall.Value, bool) {
	elems, found := make([]toolcall.Value, v.Len()), false
	for i := range elems {
		var hit bool
		elems[i], hit = redact(v.Elem(i))
		found = found || hit
	}
	if !found {
		return v, false
	}
	return toolcall.ArrayOf(elems...), true
}

func redactObject(v toolcall.Value) (toolcall.Value, bool) {
	return eachMember(v, func(name, shown string, value toolcall.Value) (toolcall.Value, bool) {
		if secretName(name) {
			return hide(value, shown)
		}
		return Redact(value)
	})
}

// eachMember returns v with names masked and values redacted; shown is the
// masked name.
func eachMember(v toolcall.Value, redact func(name, shown string, value toolcall.Value) (toolcall.Value, bool)) (toolcall.Value, bool) {
	members, found := make([]toolcall.Member, v.Len()), false
	masked := map[string]int{}
	for i := range members {
		name, value := v.Member(i)
		shown := maskSecrets(name)
		if shown != name {
			shown = freeName(v, masked, shown)
		}
		kept, hit := redact(name, shown, value)
		members[i], found = toolcall.Member{Name: shown, Value: kept}, found || hit || shown != name
	}
	if !found {
		return v, false
	}
	return toolcall.ObjectOf(members...), true
}

// freeName returns a masked name with a number behind it, from the second one
// that looks like this on. masked counts them.
func freeName(object toolcall.Value, masked map[string]int, name string) string {
	for {
		masked[name]++
		free := name
		if n := masked[name]; n > 1 {
			free = fmt.Sprintf("%s %d", name, n)
		}
		if object.Get(free).Kind() == toolcall.Absent {
			return free
		}
	}
}

// hide replaces every text and number in v, which stands under the name of a
// secret. Truth values and what is empty have nothing to hide, and a number that
// is called a token counts tokens.
func hide(v toolcall.Value, name string) (toolcall.Value, bool) {
	mark := toolcall.StringOf(mask(name))
	switch {
	case v.Kind() == toolcall.Number && !strings.HasSuffix(bareName(name), "token"),
		v.Kind() == toolcall.String && v.Text() != "" && !v.Equal(mark):
		return mark, true
	case v.Kind() == toolcall.Array:
		return eachElement(v, func(e toolcall.Value) (toolcall.Value, bool) { return hide(e, name) })
	case v.Kind() == toolcall.Object:
		return eachMember(v, func(_, _ string, m toolcall.Value) (toolcall.Value, bool) { return hide(m, name) })
	}
	return v, false
}

// Cut returns v with long texts shortened and, where it is still too large for
// a record, replaced by a note of its size. It never fails a call for its size.
func Cut(v toolcall.Value) toolcall.Value {
	size := len(v.AppendCanonical(nil))
	if size <= maxText {
		return v
	}
	if v = cutTexts(v); len(v.AppendCanonical(nil)) <= maxArguments {
		return v
	}
	return toolcall.StringOf(fmt.Sprintf("[%d bytes left out]", size))
}

func cutTexts(v toolcall.Value) toolcall.Value {
	switch v.Kind() {
	case toolcall.String:
		return toolcall.StringOf(cut(v.Text()))
	case toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = cutTexts(v.Elem(i))
		}
		return toolcall.ArrayOf(elems...)
	case toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		for i := range members {
			name, value := v.Member(i)
			members[i] = toolcall.Member{Name: name, Value: cutTexts(value)}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}

func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + fmt.Sprintf("[… %d bytes left out]", len(s)-maxText)
}

// Line returns s as one text of a record: secrets replaced, bounded in length.
func Line(s string) string {
	v, _ := redactText(toolcall.StringOf(s))
	return cut(v.Text())
}
