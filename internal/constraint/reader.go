package constraint

import (
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// maxText is how many bytes of an argument, with all its elements, a constraint
// reads that does more with a text than compare it. The agent chooses the text,
// and must not choose how long the gate takes: a longer one is not read, so the
// constraint holds in no permitting clause, and holds in every never clause.
const maxText = 64 << 10

// tooLong says that a value belongs to an argument that is not read.
const tooLong = "is, with its other elements, longer than is read"

// reader is a kind that reads texts.
type reader interface {
	kind
	// reads returns how many bytes of v it reads, in a never clause or another.
	reads(v toolcall.Value, never bool) int
}

var _ = []reader{(*identifiersKind)(nil), (*emailKind)(nil), (*urlKind)(nil), (*choice)(nil)}

func (k *identifiersKind) reads(v toolcall.Value, _ bool) int { return len(v.Text()) }
func (e *emailKind) reads(v toolcall.Value, _ bool) int       { return len(v.Text()) }
func (u *urlKind) reads(v toolcall.Value, _ bool) int         { return len(v.Text()) }

// reads counts texts that are folded to be compared: ASCII takes no work.
func (c *choice) reads(v toolcall.Value, never bool) int {
	if (c.word == "not_in") == never { // compared exactly
		return 0
	}
	n := 0
	if !isASCII(v.Text()) {
		n = len(v.Text())
	}
	for i := range v.Len() {
		n += c.reads(v.Elem(i), never)
	}
	return n
}

// overlong holds the kinds of a set that would have to read more of an argument
// than they do; mostly none.
type overlong []kind

func (s *Set) overlong(values []toolcall.Value, never bool) overlong {
	var over overlong
	for _, r := range s.readers {
		n := 0
		for _, v := range values {
			n += r.reads(v, never)
		}
		if n > maxText {
			over = append(over, r)
		}
	}
	return over
}

func (o overlong) has(k kind) bool { return slices.Contains(o, k) }

// unmet is k.unmet where k reads the argument.
func (o overlong) unmet(k kind, v toolcall.Value, a Answers) string {
	if o.has(k) {
		return tooLong
	}
	return k.unmet(v, a)
}

// met is k.met where k reads the argument.
func (o overlong) met(k kind, v toolcall.Value, a Answers) string {
	if o.has(k) {
		return tooLong
	}
	return k.met(v, a)
}
