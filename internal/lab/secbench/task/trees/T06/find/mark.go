package find

import "strings"

// Mark holds a shelf mark against a pattern: its parts between stars stand in the
// mark one behind the other, the first at its beginning and the last at its end.
func Mark(pattern, mark string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == mark
	}
	rest, ok := strings.CutPrefix(mark, pieces[0])
	if !ok {
		return false
	}
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return strings.HasSuffix(rest, pieces[len(pieces)-1])
}
