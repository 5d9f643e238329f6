package constraint

import (
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// identifiersKind is `identifiers`: every identifier inside a free text was
// stated in one of the sources of its `from`. A text without any holds. What
// counts as one is in [scan], and what matches an expression of the contract.
type identifiersKind struct {
	from     *from
	patterns []*regexp.Regexp
	spec     toolcall.Value
}

const patternsWord = "patterns"

func newIdentifiers(v toolcall.Value, env Env) (kind, *SpecError) {
	if v.Kind() != toolcall.Object {
		return nil, refuse("expected {from: [...]}, with patterns, got %s", v.Kind())
	}
	k := &identifiersKind{}
	var spec []toolcall.Member
	for i := range v.Len() {
		word, operand := v.Member(i)
		canonical := operand
		var err *SpecError
		switch word {
		case "from":
			if k.from, err = newSources(operand, env); err == nil {
				canonical = k.from.canonical()
			}
		case patternsWord:
			canonical, err = k.readPatterns(operand)
		default:
			err = unknown("member", word, "from", patternsWord)
		}
		if err != nil {
			return nil, err.under(member(word))
		}
		spec = append(spec, toolcall.Member{Name: word, Value: canonical})
	}
	if k.from == nil {
		return nil, refuse(`identifiers needs "from": where they may come from`)
	}
	k.spec = toolcall.ObjectOf(spec...)
	return k, nil
}

func (k *identifiersKind) readPatterns(v toolcall.Value) (toolcall.Value, *SpecError) {
	if v.Kind() != toolcall.Array || v.Len() == 0 {
		return v, refuse("expected a list of RE2 expressions, got %s", describe(v))
	}
	var values []toolcall.Value
	for i := range v.Len() {
		re, err := regexp.Compile(v.Elem(i).Text())
		switch {
		case v.Elem(i).Kind() != toolcall.String || err != nil:
			return v, refuse("expected an RE2 expression, got %s", cut(v.Elem(i).Canonical())).under(element(i))
		case re.MatchString(""):
			return v, refuse("the expression matches empty text: it would find an identifier everywhere").under(element(i))
		}
		k.patterns = append(k.patterns, re)
		values = append(values, v.Elem(i))
	}
	return toolcall.ArrayOf(sorted(values)...), nil
}

func (k *identifiersKind) name() string { return "identifiers" }

// maxIdentifiers bounds how many identifiers of one text are looked for.
const maxIdentifiers = 1000

// find returns the identifiers in a text, once as it is written and once as it
// is read, and whether they are few enough.
func (k *identifiersKind) find(text string) ([]identifier, bool) {
	read := readable(text)
	if len(read) > maxText { // compatibility forms can be longer
		return nil, false
	}
	all := scan(read)
	for _, re := range k.patterns {
		for _, match := range re.FindAllString(read, maxIdentifiers+1) {
			all = append(all, identifier{match})
		}
		if read != text {
			for _, match := range re.FindAllString(text, maxIdentifiers+1) {
				all = append(all, identifier{match})
			}
		}
	}
	return all, len(all) <= maxIdentifiers
}

func (k *identifiersKind) unmet(v toolcall.Value, a Answers) string {
	if v.Kind() != toolcall.String {
		return "is no text"
	}
	all, few := k.find(v.Text())
	if !few {
		return "is read as a longer text, or has more identifiers, than is looked for"
	}
	for _, id := range all {
		if !k.stated(id, a) {
			return "contains " + cut(id[0]) + ", which " + k.from.String()
		}
	}
	return ""
}

func (k *identifiersKind) stated(id identifier, a Answers) bool {
	for _, v := range id.values() {
		if k.from.stated(v, a) {
			return true
		}
	}
	return false
}

// met always matches, as that of from does.
func (k *identifiersKind) met(v toolcall.Value, a Answers) string { return k.from.met(v, a) }

func (k *identifiersKind) questions(qs []Question, v toolcall.Value) []Question {
	all, few := k.find(v.Text())
	if !few {
		return qs
	}
	for _, id := range all {
		for _, spelling := range id.values() {
			qs = k.from.questions(qs, spelling)
		}
	}
	return qs
}

func (k *identifiersKind) neverUsable() *SpecError {
	return refuse("identifiers cannot stand in a never clause: that a value is not known to be stated does not make it safe")
}

func (k *identifiersKind) canonical() toolcall.Value { return k.spec }

// identifier is one identifier in all spellings in which a source may state it;
// the first is that of the text.
type identifier []string

// values returns the spellings as values. Digits are a text, and a number too
// where they write one.
func (id identifier) values() []toolcall.Value {
	var all []toolcall.Value
	for _, s := range id {
		all = append(all, toolcall.StringOf(s))
		if d, err := toolcall.ParseDecimal(s); err == nil && !strings.ContainsAny(s, "eE") {
			all = append(all, toolcall.NumberOf(d))
		}
	}
	return all
}
