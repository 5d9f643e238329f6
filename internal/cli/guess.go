package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/toolcall"
)

// guess is the rule that is proposed for a tool, and why. Server names, hints
// and schemas are claims: a guess is there for a person to correct.
type guess struct {
	tool  catalog.Tool
	word  string // allow, approve or block
	why   string // a sentence without a full stop
	reads bool   // claim and name agree that it only reads
	args  arguments
}

// guessRule proposes a rule. allow takes the server's claim, a name that says
// the same, and arguments that lead nowhere but into dirs; all else is asked.
// server is the name of the server: tools often begin with it.
func guessRule(t catalog.Tool, server string, dirs []string) guess {
	g := guess{tool: t, word: "approve", reads: t.ReadOnlyHint() && readingName(t.Name, server)}
	g.args.object(t.InputSchema(), toolcall.Path{}, fileName(t.Name), true)
	switch {
	case !t.ReadOnlyHint():
		g.why = "the server does not claim that it only reads"
	case !g.reads:
		g.why = "the server claims that it only reads, but its name does not say so"
	case g.args.involved:
		g.why = "it claims and is named to only read, but it is not plain which arguments name files"
	case g.args.reaching != "":
		g.why = fmt.Sprintf("it claims and is named to only read, but %q can name a place anywhere, or carry code", g.args.reaching)
	case len(g.args.paths) > 0 && len(dirs) == 0:
		g.why = fmt.Sprintf("it claims and is named to only read, but no directory is known to bound %q", g.args.paths[0].path)
	default:
		g.word, g.why = "allow", "the server claims that it only reads, and its name says the same"
	}
	return g
}

// Words of tool names. A reading word must come first; a writing word anywhere
// outweighs it.
var (
	readingWords = wordSet(`read get list search find show describe stat stats head tail view query count check
		lookup browse inspect peek grep glob ls cat diff status log logs tree info version history whoami`)
	writingWords = wordSet(`write create update upsert delete remove edit move rename copy set add put post send push
		commit merge insert append modify patch replace save upload run execute exec eval call invoke start stop
		restart kill cancel close approve reject assign publish deploy install uninstall enable disable drop
		truncate alter grant revoke reset revert restore clear purge archive transfer pay buy reply sync lock unlock
		mark subscribe unsubscribe invite share submit trigger schedule make mkdir touch chmod migrate apply launch
		register download out then`)
	// Names of reading tools that begin with a noun.
	readingNames = []string{"directory tree"}
)

// Words of arguments. What names a file ends in a path word; source and
// destination do so only for a tool that is about files.
var (
	pathWords = wordSet(`path paths file files filename filenames filepath filepaths dir dirs directory directories
		folder folders cwd root roots workdir`)
	endWords   = wordSet(`source sources destination destinations src dst dest target targets`)
	reachWords = wordSet(`url urls uri uris href link host hostname endpoint webhook sql command commands cmd script
		code expression shell`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// readingName reports whether a tool's name says that it only reads.
func readingName(name, server string) bool {
	words := nameWords(name)
	if slices.ContainsFunc(words, func(w string) bool { return writingWords[w] }) {
		return false
	}
	prefix := nameWords(server)
	for len(words) > 1 && slices.Contains(prefix, words[0]) {
		words = words[1:]
	}
	return len(words) > 0 && readingWords[words[0]] || slices.Contains(readingNames, strings.Join(words, " "))
}

// fileName reports whether a tool's name says that it is about files.
func fileName(name string) bool {
	return slices.ContainsFunc(nameWords(name), func(w string) bool { return pathWords[w] })
}

// nameWords splits a name written in any of the usual ways into lower-case
// words: read_text-file, readTextFile and HTTPRead alike.
func nameWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
		}
	}
	cut(len(runes))
	return words
}

// arguments is what a schema says of the arguments that lead somewhere.
type arguments struct {
	paths    []pathArgument
	reaching string // one that can name a place anywhere or carry code, "" for none
	involved bool   // there may be others: the schema is more than plain properties
}

// pathArgument is an argument that seems to name a file or directory.
type pathArgument struct {
	path     toolcall.Path
	required bool // whoever calls the tool must give it
}

// object looks through the members that an object schema declares.
func (a *arguments) object(schema toolcall.Value, at toolcall.Path, files, required bool) {
	a.involved = a.involved || combined(schema) || schema.Get("patternProperties").Len() > 0
	properties, must := schema.Get("properties"), schema.Get("required")
	for i := range properties.Len() {
		name, s := properties.Member(i)
		a.value(name, s, at.Member(name), files, required && contains(must, name))
	}
}

// value looks at what stands at one place, which the last name on the way names.
func (a *arguments) value(name string, schema toolcall.Value, at toolcall.Path, files, required bool) {
	types := typesOf(schema)
	switch words := nameWords(name); {
	case types == nil, len(types) > 1 && (types["object"] || types["array"]):
		a.involved = true
	case types["object"]:
		// A free-form map can hold anything.
		a.involved = a.involved || schema.Get("properties").Len() == 0
		a.object(schema, at, files, required)
	case types["array"]:
		elements, err := toolcall.ParsePath(at.String() + "[]")
		if err != nil {
			a.involved = true
			return
		}
		a.value(name, schema.Get("items"), elements, files, required)
	case !types["string"]:
	case slices.ContainsFunc(words, func(w string) bool { return reachWords[w] }):
		a.reaching = name
	case len(words) > 0 && (pathWords[words[len(words)-1]] || files && endWords[words[len(words)-1]]):
		a.paths = append(a.paths, pathArgument{at, required})
	}
}

// typesOf returns the JSON types but null that a plain schema admits: one type,
// or several, also as anyOf. It returns nil if the schema is not that plain.
func typesOf(schema toolcall.Value) map[string]bool {
	if schema.Kind() != toolcall.Object {
		return nil
	}
	types := map[string]bool{}
	parts := []toolcall.Value{schema}
	if choice := schema.Get("anyOf"); choice.Kind() == toolcall.Array && schema.Get("type").Kind() == toolcall.Absent {
		parts = nil
		for i := range choice.Len() {
			parts = append(parts, choice.Elem(i))
		}
	} else if combined(schema) {
		return nil
	}
	for _, p := range parts {
		t := p.Get("type")
		if len(parts) > 1 && (combined(p) || t.Text() == "object" || t.Text() == "array") {
			return nil // what it declares stands one level further down
		}
		switch t.Kind() {
		case toolcall.String:
			types[t.Text()] = true
		case toolcall.Array:
			for i := range t.Len() {
				types[t.Elem(i).Text()] = true
			}
		default:
			return nil
		}
	}
	delete(types, "null")
	return types
}

// combined reports whether a schema is put together from others.
func combined(schema toolcall.Value) bool {
	return slices.ContainsFunc([]string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "not"}, func(word string) bool {
		return schema.Get(word).Kind() != toolcall.Absent
	})
}

// contains reports whether a list holds a text.
func contains(list toolcall.Value, text string) bool {
	for i := range list.Len() {
		if list.Kind() == toolcall.Array && list.Elem(i).Text() == text {
			return true
		}
	}
	return false
}
