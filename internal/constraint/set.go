package constraint

import (
	"slices"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Env is what compiling a Set must know of the contract around it. The zero Env
// is the strict one.
type Env struct {
	// Resolve says that the gate shares the file system of the tool's server.
	// Without it a path is text: absolute, clean, links not followed.
	Resolve bool
	// Source returns an error unless server and tool name a tool of a pinned
	// catalog. Without it no result may be a source.
	Source func(server, tool string) error
}

// Set is a conjunction of constraints on one argument. It is immutable and safe
// for concurrent use. The zero Set permits nothing and forbids everything; use
// [New].
type Set struct {
	kinds    []kind
	askers   []asker // those of kinds that must know something of the world
	readers  []reader
	optional bool // where the argument is absent, the constraints hold
}

// kind is one constraint of a Set. Its two judgements continue a sentence that
// begins with the value.
type kind interface {
	// name is the word of the contract language.
	name() string
	// unmet says why the constraint does not certainly hold of v as a whole;
	// "" means that it does.
	unmet(v toolcall.Value, a Answers) string
	// met says why the constraint holds, or may hold, of v or of a part of it;
	// "" means that it certainly does not.
	met(v toolcall.Value, a Answers) string
	// neverUsable returns why the constraint may not stand in a never clause.
	neverUsable() *SpecError
	// canonical returns the operand in the spelling that all equal ones share.
	canonical() toolcall.Value
}

// asker is a kind that must know something of the world.
type asker interface {
	kind
	// questions appends what must be known before v can be judged.
	questions(qs []Question, v toolcall.Value) []Question
}

var _ = []asker{(*pathKind)(nil), (*from)(nil), (*identifiersKind)(nil), (*shellKind)(nil)}

// wrongWay is the Miss of a path that cannot be followed to its end.
const wrongWay = "something on the way to the argument has another type"

// Permits reports whether all constraints certainly hold of every value in sel,
// of which there is at least one and none is absent, unless the set is optional.
// If not, the Miss says which does not.
func (s *Set) Permits(sel toolcall.Selection, a Answers) (bool, Miss) {
	switch {
	case sel.Wrong > 0:
		return false, Miss{Want: wrongWay}
	case !s.optional && (sel.Missing > 0 || len(sel.Values) == 0):
		return false, Miss{Want: "is absent"}
	case len(s.kinds) == 0:
		return false, Miss{Want: "nothing is permitted"}
	}
	over := s.overlong(sel.Values, false)
	for _, v := range sel.Values {
		for _, k := range s.kinds {
			if why := over.unmet(k, v, a); why != "" {
				return false, Miss{Kind: k.name(), Value: v, Want: why}
			}
		}
	}
	return true, Miss{}
}

// Forbids reports whether all constraints hold, or may hold, of one value in
// sel. If so, the Miss says what matched. Another type on the way to the value
// matches; absence never does.
func (s *Set) Forbids(sel toolcall.Selection, a Answers) (bool, Miss) {
	if sel.Wrong > 0 {
		return true, Miss{Want: wrongWay}
	}
	if len(s.kinds) == 0 {
		return true, Miss{Want: "everything is forbidden"}
	}
	over := s.overlong(sel.Values, true)
	for _, v := range sel.Values {
		if why := s.met(over, v, a); why != "" {
			return true, Miss{Kind: s.kinds[0].name(), Value: v, Want: why}
		}
	}
	return false, Miss{}
}

// met says why each constraint may hold of v; "" if one does not.
func (s *Set) met(over overlong, v toolcall.Value, a Answers) string {
	all := ""
	for _, k := range s.kinds {
		why := over.met(k, v, a)
		switch {
		case why == "":
			return ""
		case all == "":
			all = why
		default:
			all += " and " + why
		}
	}
	return all
}

// Asks reports whether the set may have questions: most have none, and neither
// has a path that is its text.
func (s *Set) Asks() bool {
	return slices.ContainsFunc(s.askers, func(a asker) bool {
		p, ok := a.(*pathKind)
		return !ok || p.resolve
	})
}

// Questions returns what must be known of the world before the values in sel
// can be judged, each question once.
func (s *Set) Questions(sel toolcall.Selection) []Question {
	var qs []Question
	over := s.overlong(sel.Values, false)
	for _, v := range sel.Values {
		for _, k := range s.askers {
			if !over.has(k) {
				qs = k.questions(qs, v)
			}
		}
	}
	if len(qs) < 2 {
		return qs
	}
	seen := make(map[string]bool, len(qs))
	return slices.DeleteFunc(qs, func(q Question) bool {
		again := seen[q.Key]
		seen[q.Key] = true
		return again
	})
}

// Canonical returns the meaning of the set as a value: two specs that differ
// only in spelling (order of members and entries, 1.0 for 1) have equal ones.
func (s *Set) Canonical() toolcall.Value {
	members := make([]toolcall.Member, len(s.kinds))
	for i, k := range s.kinds {
		members[i] = toolcall.Member{Name: k.name(), Value: k.canonical()}
	}
	if s.optional {
		members = append(members, toolcall.Member{Name: optional, Value: toolcall.Boolean(true)})
	}
	return toolcall.ObjectOf(members...)
}

// NeverUsable returns a *SpecError if the set may not stand in a never clause:
// one more element in an array, or a source that is not known, could turn it
// off, or it could forbid what is not there.
func (s *Set) NeverUsable() error {
	if s.optional {
		return refuse("optional cannot stand in a never clause: an absent argument is nothing to forbid").under(member(optional))
	}
	for _, k := range s.kinds {
		if err := k.neverUsable(); err != nil {
			return err.under("/" + k.name())
		}
	}
	return nil
}

// MayWrite reports whether a `path: {write: ...}` or the `write` of a `shell` of
// the set could let a call write the file at path, or move or replace a directory above it. path is
// absolute and slash separated. That a file is guarded does not make it safe.
// A pattern at a place that p does not know covers nothing yet; ask again when
// it is known.
func (s *Set) MayWrite(path string, p Places) bool {
	return slices.ContainsFunc(s.kinds, func(k kind) bool {
		switch k := k.(type) {
		case *pathKind:
			return k.mayWrite(path, p)
		case *shellKind:
			return k.write != nil && k.write.mayWrite(path, p)
		}
		return false
	})
}

// Miss says why a value did not satisfy a set or, from Forbids, what it matched.
// The zero Miss says nothing.
type Miss struct {
	Kind  string         // word of the constraint; "" if it is about the way to the value
	Value toolcall.Value // the value; absent if there is none
	Want  string         // why; continues a sentence that begins with the value, if there is one
}

// longest is how many characters of a value a message shows.
const longest = 80

// String returns the sentence, such as `5000 is more than max 1000`.
func (m Miss) String() string {
	if m.Value.Kind() == toolcall.Absent {
		return m.Want
	}
	var room [128]byte // on the stack, enough for most values
	return cut(string(m.Value.AppendCanonical(room[:0]))) + " " + m.Want
}

// cut shortens a text that is shown to a person.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest-1]) + "…"
}
