package constraint

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// twins finds the declared name that a reader who ignores letter case takes
// another for (see [toolcall.FoldEqual]). An agent can send many members with
// names of its choice, so ASCII names, which nearly all are, are found by their
// lower case. The others are compared one by one, as often as there is budget.
type twins struct {
	ascii map[string]string // by lower case
	names []string          // all, sorted
	other []string          // those that are not ASCII, sorted
}

func (t *twins) add(name string) {
	insert := func(list []string) []string {
		at, _ := slices.BinarySearch(list, name)
		return slices.Insert(list, at, name)
	}
	t.names = insert(t.names)
	if !isASCII(name) {
		t.other = insert(t.other)
		return
	}
	if t.ascii == nil {
		t.ascii = map[string]string{}
	}
	if first, ok := t.ascii[strings.ToLower(name)]; !ok || name < first {
		t.ascii[strings.ToLower(name)] = name
	}
}

// of returns the first declared name, in order, that name may be taken for; "" if
// there is none. It takes what it compares from left, and gives up below zero.
func (t *twins) of(name string, left *int) string {
	rest, twin := t.names, ""
	if isASCII(name) {
		rest, twin = t.other, t.ascii[strings.ToLower(name)]
	}
	if *left -= len(rest); *left < 0 {
		return twin
	}
	for _, declared := range rest {
		if toolcall.FoldEqual(name, declared) && (twin == "" || declared < twin) {
			return declared
		}
	}
	return twin
}
