package constraint

import (
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// from is `from`: every text and number of the value was stated in one of the
// sources. Empty text, truth values and objects never were.
type from struct {
	literals []toolcall.Value
	sources  []Source       // request, results and claims
	spec     toolcall.Value // all sources, in canonical order
	asked    string         // canonical text of sources, for keys
}

// Members of a source.
const (
	request = "request"
	result  = "result"
	at      = "at"
	literal = "literal"
	claim   = "claim"
)

func newFrom(v toolcall.Value, env Env) (kind, *SpecError) { return newSources(v, env) }

// newSources reads one source or a list of them.
func newSources(v toolcall.Value, env Env) (*from, *SpecError) {
	if v.Kind() != toolcall.Array {
		v = toolcall.ArrayOf(v)
		f, err := newSources(v, env)
		if err != nil {
			err.Pointer = strings.TrimPrefix(err.Pointer, element(0))
		}
		return f, err
	}
	if v.Len() == 0 {
		return nil, refuse("expected at least one source")
	}
	f := &from{}
	var specs, asked []toolcall.Value
	for i := range v.Len() {
		src, err := newSource(v.Elem(i), env)
		if err != nil {
			return nil, err.under(element(i))
		}
		specs = append(specs, src.canonical())
		if src.Literal != nil {
			f.literals = append(f.literals, src.Literal...)
			continue
		}
		asked = append(asked, src.canonical())
		f.sources = append(f.sources, src)
	}
	f.spec = toolcall.ArrayOf(sorted(specs)...)
	f.asked = toolcall.ArrayOf(sorted(asked)...).Canonical()
	return f, nil
}

func newSource(v toolcall.Value, env Env) (Source, *SpecError) {
	switch v.Kind() {
	case toolcall.String:
		if v.Text() != request {
			return Source{}, unknown("source", v.Text(), request)
		}
		return Source{Request: true}, nil
	case toolcall.Object:
		return newObjectSource(v, env)
	}
	return Source{}, refuse("expected request, {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}, got %s", v.Kind())
}

func newObjectSource(v toolcall.Value, env Env) (Source, *SpecError) {
	for i := range v.Len() {
		switch word, _ := v.Member(i); word {
		case result, at, literal, claim:
		default:
			return Source{}, unknown("member", word, result, at, literal, claim).under(member(word))
		}
	}
	var kinds []string
	for _, word := range []string{result, literal, claim} {
		if v.Get(word).Kind() != toolcall.Absent {
			kinds = append(kinds, word)
		}
	}
	switch {
	case len(kinds) > 1:
		return Source{}, refuse("%s are two sources: write two list entries", strings.Join(kinds[:2], " and "))
	case len(kinds) == 0 || kinds[0] != result && v.Get(at).Kind() != toolcall.Absent:
		return Source{}, refuse("expected {result: server.tool, at: PATH}, {literal: [...]} or {claim: NAME}")
	case kinds[0] == result:
		return newResult(v, env)
	case kinds[0] == literal:
		return newLiteral(v.Get(literal))
	}
	return newClaim(v.Get(claim))
}

func newClaim(v toolcall.Value) (Source, *SpecError) {
	if v.Text() == "" {
		return Source{}, refuse("expected the name of a claim, got %s", cut(v.Canonical())).under(member(claim))
	}
	return Source{Claim: v.Text()}, nil
}

func newResult(v toolcall.Value, env Env) (Source, *SpecError) {
	server, tool, ok := strings.Cut(v.Get(result).Text(), ".")
	if !ok || server == "" || tool == "" {
		return Source{}, refuse("expected a tool as server.tool").under(member(result))
	}
	if env.Source == nil {
		return Source{}, refuse("no catalog is known that has %s.%s", server, tool).under(member(result))
	}
	if err := env.Source(server, tool); err != nil {
		return Source{}, refuse("%v", err).under(member(result))
	}
	src := Source{Server: server, Tool: tool}
	switch where := v.Get(at); where.Kind() {
	case toolcall.Absent:
	case toolcall.String:
		path, err := toolcall.ParsePath(where.Text())
		if err != nil {
			return Source{}, refuse("%v", err).under(member(at))
		}
		src.At, src.HasAt = path, true
	default:
		return Source{}, refuse("expected a path such as items[].id, got %s", where.Kind()).under(member(at))
	}
	return src, nil
}

func newLiteral(v toolcall.Value) (Source, *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return Source{}, refuse("expected a list of texts and numbers, got %s", describe(v)).under(member(literal))
	}
	var src Source
	for i := range v.Len() {
		if !statable(v.Elem(i)) {
			return Source{}, refuse("expected a text that is not empty or a number: nothing else counts as stated").
				under(member(literal) + element(i))
		}
		src.Literal = append(src.Literal, v.Elem(i))
	}
	return src, nil
}

// canonical returns the source in its one spelling.
func (s Source) canonical() toolcall.Value {
	switch {
	case s.Request:
		return toolcall.StringOf(request)
	case s.Claim != "":
		return toolcall.ObjectOf(toolcall.Member{Name: claim, Value: toolcall.StringOf(s.Claim)})
	case s.Literal != nil:
		return toolcall.ObjectOf(toolcall.Member{Name: literal, Value: toolcall.ArrayOf(sorted(s.Literal)...)})
	}
	members := []toolcall.Member{{Name: result, Value: toolcall.StringOf(s.Server + "." + s.Tool)}}
	if s.HasAt {
		members = append(members, toolcall.Member{Name: at, Value: toolcall.StringOf(s.At.String())})
	}
	return toolcall.ObjectOf(members...)
}

// String returns the source as a message names it.
func (s Source) String() string {
	switch {
	case s.Request:
		return request
	case s.Claim != "":
		return "claim " + s.Claim
	case s.Literal != nil:
		return literal
	case s.HasAt:
		return s.Server + "." + s.Tool + " " + s.At.String()
	}
	return s.Server + "." + s.Tool
}

// statable reports whether v is something that can be stated.
func statable(v toolcall.Value) bool {
	return v.Kind() == toolcall.String && v.Text() != "" || v.Kind() == toolcall.Number
}

func (f *from) name() string { return "from" }

func (f *from) unmet(v toolcall.Value, a Answers) string {
	if f.stated(v, a) {
		return ""
	}
	return f.String()
}

// String says that a value is in none of the sources.
func (f *from) String() string {
	names := make([]string, 0, len(f.sources)+1)
	for _, s := range f.sources {
		names = append(names, s.String())
	}
	if len(f.literals) > 0 {
		names = append(names, literal)
	}
	return "is not stated in " + strings.Join(names, " or ")
}

// stated reports whether v, or every element of it and at least one, is known
// to be stated.
func (f *from) stated(v toolcall.Value, a Answers) bool {
	if v.Kind() != toolcall.Array {
		return statable(v) && (f.isLiteral(v) || a.Stated[f.key(v)])
	}
	for i := range v.Len() {
		if !f.stated(v.Elem(i), a) {
			return false
		}
	}
	return v.Len() > 0
}

func (f *from) isLiteral(v toolcall.Value) bool {
	for _, l := range f.literals {
		if l.Equal(v) {
			return true
		}
	}
	return false
}

func (f *from) key(v toolcall.Value) string { return "stated " + f.asked + " " + v.Canonical() }

func (f *from) questions(qs []Question, v toolcall.Value) []Question {
	switch {
	case v.Kind() == toolcall.Array:
		for i := range v.Len() {
			qs = f.questions(qs, v.Elem(i))
		}
	case len(f.sources) > 0 && statable(v) && !f.isLiteral(v):
		qs = append(qs, Question{Key: f.key(v), Stated: &StatedQuestion{Sources: f.sources, Value: v}})
	}
	return qs
}

// met always matches: what was not stated may still be known from elsewhere, so
// no answer would be safe. The contract loader refuses the clause before that.
func (f *from) met(toolcall.Value, Answers) string { return "has an origin that cannot be ruled out" }

func (f *from) neverUsable() *SpecError {
	return refuse("from cannot stand in a never clause: that a value is not known to be stated does not make it safe")
}

func (f *from) canonical() toolcall.Value { return f.spec }
