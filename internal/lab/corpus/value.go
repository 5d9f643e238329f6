package corpus

import (
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// pairs makes an object of names and values in turn.
func pairs(namesAndValues ...any) toolcall.Value {
	var members []toolcall.Member
	for i := 0; i < len(namesAndValues); i += 2 {
		members = append(members, toolcall.Member{Name: namesAndValues[i].(string), Value: namesAndValues[i+1].(toolcall.Value)})
	}
	return toolcall.ObjectOf(members...)
}

func text(s string) toolcall.Value { return toolcall.StringOf(s) }

func texts(list []string) toolcall.Value {
	elems := make([]toolcall.Value, len(list))
	for i, s := range list {
		elems[i] = text(s)
	}
	return toolcall.ArrayOf(elems...)
}

// object makes an object of a map, its members in order.
func object(m map[string]toolcall.Value) toolcall.Value {
	var members []toolcall.Member
	for _, name := range slices.Sorted(maps.Keys(m)) {
		members = append(members, toolcall.Member{Name: name, Value: m[name]})
	}
	return toolcall.ObjectOf(members...)
}
