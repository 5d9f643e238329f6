package constraint

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/internal/toolcall"
)

// pathKind is `path`: the file that the text leads to is covered by patterns.
//
// A permitting clause needs some pattern that certainly covers the file and no
// exclusion that may cover it, or something below it: a tool that is given a
// directory may reach all that lies there. A never clause matches as soon as a
// pattern may cover the file or something below it, unless an exclusion
// certainly covers the file. `D/**` covers D itself where that is the safe
// answer, and where D is read, as listing D shows only what lies below it;
// permission to write below D is none to write, move or replace D.
type pathKind struct {
	write   bool
	base    string // where a relative text counts from, "" is the working directory of the call
	resolve bool   // links are followed; else a path is its text
	globs   []glob
	text    string // the patterns in words, shortened
}

func newPath(v toolcall.Value, env Env) (kind, *SpecError) {
	p := &pathKind{resolve: env.Resolve}
	list := toolcall.Value{}
	for i := range v.Len() {
		word, operand := v.Member(i)
		switch word {
		case "read", "write":
			if list.Kind() != toolcall.Absent {
				return nil, refuse("read and write are two constraints: one path is either read or written")
			}
			list, p.write = operand, word == "write"
		case "base":
			if err := p.setBase(operand); err != nil {
				return nil, err.under(member(word))
			}
		default:
			return nil, unknown("member", word, "read", "write", "base").under(member(word))
		}
	}
	if list.Kind() == toolcall.Absent {
		return nil, refuse("expected {read: [...]} or {write: [...]}")
	}
	if err := p.setGlobs(list); err != nil {
		return nil, err.under(member(p.word()))
	}
	return p, nil
}

func (p *pathKind) setBase(v toolcall.Value) *SpecError {
	g, err := newGlob(v.Text())
	switch {
	case v.Kind() != toolcall.String:
		return refuse("expected a directory, got %s", v.Kind())
	case err != nil:
		return err
	case g.not || !g.literal():
		return refuse("expected one directory, without ! and *")
	case !p.resolve:
		return refuse("base has no use where paths are not resolved: only absolute ones hold there")
	}
	p.base = g.text
	return nil
}

func (p *pathKind) setGlobs(list toolcall.Value) *SpecError {
	if list.Kind() != toolcall.Array {
		return refuse("expected a list of patterns, got %s", list.Kind())
	}
	covering := false
	for i := range list.Len() {
		if list.Elem(i).Kind() != toolcall.String {
			return refuse("expected a pattern, got %s", list.Elem(i).Kind()).under(element(i))
		}
		g, err := newGlob(list.Elem(i).Text())
		if err != nil {
			return err.under(element(i))
		}
		if p.resolve {
			g.ask()
		}
		covering = covering || !g.not
		p.globs = append(p.globs, g)
	}
	if !covering {
		return refuse("expected at least one pattern without !: nothing would be covered")
	}
	p.text = p.word() + " " + cut(p.canonical().Get(p.word()).Canonical())
	return nil
}

func (p *pathKind) name() string { return "path" }

func (p *pathKind) word() string {
	if p.write {
		return "write"
	}
	return "read"
}

func (p *pathKind) questions(qs []Question, v toolcall.Value) []Question {
	if !p.resolve || v.Kind() != toolcall.String {
		return qs
	}
	return p.onTheWay(append(qs, *fileQuestion(v.Text(), p.base)))
}

// onTheWay appends what must be known of links on the way of the patterns.
func (p *pathKind) onTheWay(qs []Question) []Question {
	for _, g := range p.globs {
		for _, q := range []*Question{g.dir, g.whole} {
			if q != nil {
				qs = append(qs, *q)
			}
		}
	}
	return qs
}

// file returns where v leads, with the names on the way, which it appends to
// room, or why that is not known.
func (p *pathKind) file(room []string, v toolcall.Value, a *Answers) (f File, names []string, why string) {
	switch {
	case v.Kind() != toolcall.String:
		return f, nil, "is no path"
	case ambiguous(v.Text()):
		return f, nil, "is a path that tools read in different ways"
	case !p.resolve:
		f = File{Path: v.Text()}
	default:
		f = a.Files[fileQuestion(v.Text(), p.base).Key]
	}
	names, why = f.split(room)
	return f, names, why
}

// split returns the names of a known file, which it appends to room, or why no
// pattern can be held against it.
func (f File) split(room []string) (names []string, why string) {
	if !f.known() {
		return nil, "does not lead to a known file"
	}
	names = appendNames(room, f.Path)
	if peculiar(names, f.Fold) {
		return nil, "leads to a device, a process or a name with a second meaning"
	}
	return names, ""
}

func (p *pathKind) unmet(v toolcall.Value, a Answers) string {
	f, names, why := p.file(make([]string, 0, 16), v, &a)
	if why != "" {
		return why
	}
	return p.uncovered(f, names, v.Text(), &a)
}

// uncovered says why the patterns do not certainly cover a file that the text
// leads to; "" if they do.
func (p *pathKind) uncovered(f File, names []string, text string, a *Answers) string {
	if !p.certainly(names, f, a, func(g *glob) bool { return !g.not }) {
		return "is not covered by " + p.String()
	}
	if p.possibly(names, f, a, func(g *glob) bool { return g.not }) {
		return "is excluded, or stands above what is excluded, by " + p.String()
	}
	if p.write && (isGuarded(names) || isGuarded(strings.FieldsFunc(text, separator))) &&
		!p.certainly(names, f, a, func(g *glob) bool { return !g.not && g.literal() }) {
		return "is guarded, and no pattern without wildcard names it"
	}
	return ""
}

func (p *pathKind) met(v toolcall.Value, a Answers) string {
	f, names, why := p.file(make([]string, 0, 16), v, &a)
	if why != "" || !p.reaches(f, names, &a) {
		return why
	}
	return "is or may be covered by " + p.String()
}

// reaches reports whether the patterns may cover the file, or something in it.
func (p *pathKind) reaches(f File, names []string, a *Answers) bool {
	return p.possibly(names, f, a, func(g *glob) bool { return !g.not }) &&
		!p.certainly(names, f, a, func(g *glob) bool { return g.not })
}

// certainly reports whether one of the chosen patterns covers the file whatever
// is not known.
func (p *pathKind) certainly(names []string, f File, a *Answers, chosen func(*glob) bool) bool {
	self := !p.write
	for i := range p.globs {
		g := &p.globs[i]
		if !chosen(g) {
			continue
		}
		if s, ok := g.certain(a); ok && s.covers(names, self && !g.not, exactName(f.Fold)) {
			return true
		}
	}
	return false
}

// possibly reports whether one of the chosen patterns may cover the file or, if
// it is a directory, something in it.
func (p *pathKind) possibly(names []string, f File, a *Answers, chosen func(*glob) bool) bool {
	for i := range p.globs {
		g := &p.globs[i]
		if !chosen(g) {
			continue
		}
		spots, ok := g.possible(make([]spot, 0, 3), a)
		if !ok || slices.ContainsFunc(spots, func(s spot) bool {
			return s.covers(names, true, looseName) || !f.Leaf && s.above(names, looseName)
		}) {
			return true
		}
	}
	return false
}

// mayWrite is [Set.MayWrite] for one constraint. Links on the way of patterns
// are not followed.
func (p *pathKind) mayWrite(file string, places Places) bool {
	return p.write && p.mayPut(file, func(g *glob) (spot, bool) { return g.written(places) })
}

// mayPut reports whether the patterns, where they stand, may let a file be put to
// an absolute path: as itself, or with a folder on the way.
func (p *pathKind) mayPut(file string, stands func(*glob) (spot, bool)) bool {
	if !plain(file) {
		return true
	}
	names := namesOf(file)
	for n := len(names); n > 0; n-- {
		if p.writable(names[:n], stands) {
			return true
		}
	}
	return false
}

// writable reports whether a pattern whose place is known may cover the names
// themselves and no exclusion certainly covers them or something below.
func (p *pathKind) writable(names []string, stands func(*glob) (spot, bool)) bool {
	covered := false
	for i := range p.globs {
		g := &p.globs[i]
		s, ok := stands(g)
		switch {
		case !ok:
		case !g.not:
			covered = covered || s.covers(names, true, looseName)
		case s.covers(names, true, exactName(false)) || s.above(names, exactName(false)):
			return false
		}
	}
	return covered
}

func (p *pathKind) neverUsable() *SpecError { return nil }

func (p *pathKind) canonical() toolcall.Value {
	patterns := make([]toolcall.Value, len(p.globs))
	for i, g := range p.globs {
		patterns[i] = g.canonical()
	}
	members := []toolcall.Member{{Name: p.word(), Value: toolcall.ArrayOf(sorted(patterns)...)}}
	if p.base != "" {
		members = append(members, toolcall.Member{Name: "base", Value: toolcall.StringOf(p.base)})
	}
	return toolcall.ObjectOf(members...)
}

// String returns the patterns, shortened.
func (p *pathKind) String() string { return p.text }

func separator(r rune) bool { return r == '/' || r == '\\' }

// plain reports whether p is an absolute path in its shortest form, without
// NUL and backslash, which end or split a name for some readers.
func plain(p string) bool {
	return absolute(p) && path.Clean(p) == p && strings.IndexByte(p, '\\') < 0 && strings.IndexByte(p, 0) < 0
}

// scheme finds the beginning of a URL. One letter is a drive.
var scheme = regexp.MustCompile(`(?i)^(file:|[a-z][a-z0-9+.-]+:/)`)

// ambiguous reports whether tools disagree on the file that a text names: many
// expand ~ and variables, trim white space and quotes, or accept URLs.
func ambiguous(text string) bool {
	return text == "" ||
		strings.IndexByte("~$%\"'`", text[0]) >= 0 ||
		strings.IndexByte("\"'`", text[len(text)-1]) >= 0 ||
		!inked(text) && (strings.TrimSpace(text) != text || strings.ContainsFunc(text, unicode.IsControl)) ||
		strings.Contains(text, ":") && scheme.MatchString(text)
}

// peculiar reports whether names lead to a device or to a process's own view of
// files, or whether one of them has a second meaning on the file systems that
// fold case (Windows takes "x.", "x ", "x:y" and "LONGNA~1" for other names).
func peculiar(names []string, fold bool) bool {
	if len(names) > 1 && strings.EqualFold(names[1], "dev") ||
		len(names) > 2 && strings.EqualFold(names[1], "proc") && process.MatchString(names[2]) {
		return true
	}
	windows := drive(names[0])
	return slices.ContainsFunc(names[1:], func(n string) bool {
		return (fold || windows) && second.MatchString(n) || windows && device.MatchString(n)
	})
}

var (
	process = regexp.MustCompile(`(?i)^(self|thread-self|[0-9]+)$`)
	second  = regexp.MustCompile(`[. ]$|:|~[0-9]`)
	device  = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])([. ].*)?$`)
)

// foldedName is exactName on a file system that folds.
func foldedName(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, norm.NFC.String(s))
}
