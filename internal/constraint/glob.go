package constraint

import (
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// glob is one pattern of a `path` constraint (contract language, section 2,
// rule 10): absolute, after one of the places or not; `*` stands for any run of
// characters within one name, leading dots included; a final `/**` for all that
// lies below. Other characters stand for themselves; those that other pattern
// languages use are refused, so that nobody reads more into a pattern than it
// says.
type glob struct {
	text  string   // as written, without "!"
	not   bool     // "!": excludes
	place string   // "workspace", "home", "tmp", or "" if the pattern begins at the root
	names []string // after the place; from the root, the first is "" or a drive
	tree  bool     // ended in /**
	fixed int      // how many names come before the first with a wildcard

	// What must be known of links on the way, nil where nothing is to be asked:
	// dir leads to the last directory before the final or the first wildcard
	// name, whole to the end of the fixed names.
	dir, whole *Question
}

// Words of places.
var places = []string{"workspace", "home", "tmp"}

func newGlob(text string) (glob, *SpecError) {
	g := glob{}
	g.text, g.not = strings.CutPrefix(text, "!")
	rest := g.text
	if strings.HasPrefix(rest, "${") {
		name, after, closed := strings.Cut(rest[2:], "}")
		if !closed || after != "" && after[0] != '/' {
			return g, refuse("expected ${workspace}, ${home} or ${tmp}, then / or the end, in %q", text)
		}
		if (Places{"w", "h", "t"}).place(name) == "" {
			return g, unknown("place", name, places...)
		}
		g.place, rest = name, after
	} else if !absolute(rest) {
		return g, refuse("expected a path that begins with /, ${workspace}, ${home} or ${tmp}, got %q", text)
	}
	if i := strings.IndexAny(rest, "\\?[]{}$\x00"); i >= 0 {
		return g, refuse("%q in %q has no meaning in a pattern: only * and a final /** are wildcards", rest[i], text)
	}
	rest, g.tree = strings.CutSuffix(rest, "/**")
	if strings.Contains(rest, "**") {
		return g, refuse("** in %q stands elsewhere than as the last name", text)
	}
	if rest != "" && !(rest == "/" && !g.tree) && path.Clean(rest) != rest {
		return g, refuse("%q is not in its shortest form: no empty names, . or .., no / at the end", text)
	}
	g.names = namesOf(rest)
	if g.place != "" {
		g.names = g.names[1:]
	}
	for g.fixed < len(g.names) && !strings.Contains(g.names[g.fixed], "*") {
		g.fixed++
	}
	return g, nil
}

// literal reports whether the pattern has no wildcard.
func (g *glob) literal() bool { return !g.tree && g.fixed == len(g.names) }

// ask prepares the questions about links on the way.
func (g *glob) ask() {
	dir := g.fixed
	if g.literal() {
		dir--
		g.whole = g.question(g.fixed)
	}
	g.dir = g.question(dir)
}

// question asks where the first n names lead; nil if they lead nowhere further
// than the place or the root, which are known.
func (g *glob) question(n int) *Question {
	text := strings.Join(g.names[:max(n, 0)], "/")
	base := ""
	if g.place != "" {
		base = "${" + g.place + "}"
	} else if n <= 1 {
		return nil
	}
	if text == "" {
		return nil
	}
	return fileQuestion(text, base)
}

// spot is a pattern put to its place on this machine: directories that are
// what they are, then the names still to be matched.
type spot struct {
	fixed []string
	names []string
	tree  bool
}

// written returns where the pattern stands if no name on its way is a link. It
// reports false where its place is not known.
func (g *glob) written(p Places) (spot, bool) {
	if g.place == "" {
		return spot{nil, g.names, g.tree}, true
	}
	root := p.place(g.place)
	return spot{namesOf(root), g.names, g.tree}, absolute(root)
}

// followed returns where the pattern stands once the links up to the answer of
// q are followed. It reports false where that is not known.
func (g *glob) followed(q *Question, a *Answers) (spot, bool) {
	n := g.fixed
	if q == g.dir && g.literal() {
		n--
	}
	f := a.Files[q.Key]
	return spot{namesOf(f.Path), g.names[n:], g.tree}, f.known()
}

// certain returns where the pattern certainly stands. Names below the workspace
// or the directory for temporary files are taken as they are: an agent may be
// able to put a link there, and a link must not take the pattern along. Other
// directories from the root are resolved, because some systems link their own.
func (g *glob) certain(a *Answers) (spot, bool) {
	if g.place != "" || g.dir == nil || g.below(a.Places.Workspace) || g.below(a.Places.Tmp) {
		return g.written(a.Places)
	}
	return g.followed(g.dir, a)
}

// below reports whether the fixed names of the pattern, from the root, lead to
// dir or below it.
func (g *glob) below(dir string) bool {
	names := namesOf(dir)
	return absolute(dir) && len(names) <= g.fixed && slices.Equal(names, g.names[:len(names)])
}

// possible appends everywhere the pattern may stand: as written and with links
// followed. It reports false where one of them is not known. What leads to
// something special leads nowhere else: no file there is known either.
func (g *glob) possible(spots []spot, a *Answers) ([]spot, bool) {
	s, ok := g.written(a.Places)
	spots = append(spots, s)
	for _, q := range [...]*Question{g.dir, g.whole} {
		if q == nil || a.Files[q.Key].Special {
			continue
		}
		s, known := g.followed(q, a)
		spots, ok = append(spots, s), ok && known
	}
	return spots, ok
}

// covers reports whether the pattern takes in the file with these names. For a
// tree, self says whether its top counts. key brings names into the form in
// which they are compared.
func (s spot) covers(names []string, self bool, key func(string) string) bool {
	length := len(s.fixed) + len(s.names)
	switch {
	case len(names) < length, !s.tree && len(names) > length, s.tree && !self && len(names) == length:
		return false
	}
	return s.agrees(names[:length], key)
}

// above reports whether the pattern takes in something below the directory with
// these names, should it be one.
func (s spot) above(names []string, key func(string) string) bool {
	return len(names) < len(s.fixed)+len(s.names) && s.agrees(names, key)
}

// agrees reports whether names match the first names of the pattern.
func (s spot) agrees(names []string, key func(string) string) bool {
	for i, name := range names {
		name = key(name)
		if i < len(s.fixed) {
			if name != key(s.fixed[i]) {
				return false
			}
		} else if !match(key(s.names[i-len(s.fixed)]), name) {
			return false
		}
	}
	return true
}

// match reports whether name matches a pattern of one name.
func match(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return name == first
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	last := len(parts) - 1
	for _, part := range parts[:last] { // leftmost fits: what comes later has the most room
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, parts[last])
}

// matchAll reports whether each name matches the pattern in its place.
func matchAll(patterns, names []string) bool {
	for i, p := range patterns {
		if !match(p, names[i]) {
			return false
		}
	}
	return true
}

// absolute reports whether a slash-separated path begins at a root.
func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || drive(p) && len(p) > 2 && p[2] == '/'
}

// drive reports whether p begins with a Windows drive.
func drive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// namesOf splits a clean path. Of an absolute one the first name is the root:
// "" or a drive.
func namesOf(p string) []string { return appendNames(nil, p) }

// appendNames is namesOf into room that is there already.
func appendNames(names []string, p string) []string {
	for rest, more := strings.TrimSuffix(p, "/"), true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		names = append(names, name)
	}
	return names
}

// exactName is the form in which a covering pattern compares names: byte for
// byte, or without regard to ASCII letter case and Unicode composition, which
// every folding file system ignores.
func exactName(fold bool) func(string) string {
	if !fold {
		return func(s string) string { return s }
	}
	return foldedName
}

func fileQuestion(text, base string) *Question {
	return &Question{Key: "file " + base + "\x00" + text, File: &FileQuestion{Text: text, Base: base}}
}

// known reports whether the answer names a file that patterns can be held
// against.
func (f File) known() bool { return !f.Special && plain(f.Path) }

// canonical returns the pattern as written.
func (g *glob) canonical() toolcall.Value {
	if g.not {
		return toolcall.StringOf("!" + g.text)
	}
	return toolcall.StringOf(g.text)
}
