package signals

import (
	"path"
	"slices"
	"strings"
)

// maxIgnore is how many bytes a file of patterns may have.
const maxIgnore = 64 << 10

// ignorePattern is one line of a .gitignore. Format: gitignore(5).
type ignorePattern struct {
	base    string   // folder of the file, from the top; "" is the top
	parts   []string // between slashes
	not     bool     // "!": what matches is not ignored after all
	folders bool     // only folders
	rooted  bool     // matched against the path from base, else against the name
}

// parseIgnore reads a file of patterns that lies in a folder.
func parseIgnore(base, text string) (all []ignorePattern) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, `\`) {
			line = trimmed
		}
		if line == "" || line[0] == '#' {
			continue
		}
		p := ignorePattern{base: base}
		line, p.not = strings.CutPrefix(line, "!")
		line, p.folders = strings.CutSuffix(line, "/")
		p.rooted = strings.Contains(line, "/")
		p.parts = strings.Split(strings.TrimPrefix(strings.ReplaceAll(line, "[!", "[^"), "/"), "/")
		all = append(all, p)
	}
	return all
}

// matches reports whether a pattern is about a path from the top.
func (p ignorePattern) matches(name string, folder bool) bool {
	if p.folders && !folder {
		return false
	}
	if p.base != "" {
		rest, in := strings.CutPrefix(name, p.base+"/")
		if !in {
			return false
		}
		name = rest
	}
	if !p.rooted {
		return glob(p.parts[0], path.Base(name))
	}
	return globs(p.parts, strings.Split(name, "/"), &steps{maxSteps})
}

// steps bounds the work on one pattern: two stars can be tried in many ways.
type steps struct{ left int }

const maxSteps = 10_000

// globs matches the parts of a pattern with those of a path. "**" stands for any
// number of folders, but at the end for at least one name.
func globs(pattern, name []string, s *steps) bool {
	if s.left--; s.left < 0 {
		return false
	}
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**" && len(pattern) == 1:
		return len(name) > 0
	case pattern[0] == "**":
		return globs(pattern[1:], name, s) || len(name) > 0 && globs(pattern, name[1:], s)
	}
	return len(name) > 0 && glob(pattern[0], name[0]) && globs(pattern[1:], name[1:], s)
}

func glob(pattern, name string) bool {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return pattern == name
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// ignored reports whether the last pattern that matches a path ignores it. The
// folders above it must have been asked before.
func ignored(patterns []ignorePattern, name string, folder bool) bool {
	for _, p := range slices.Backward(patterns) {
		if p.matches(name, folder) {
			return !p.not
		}
	}
	return false
}

// ignores returns the patterns that hold in the whole work tree: of the user and
// of the repository. A setting that names another file leaves it unknown.
func (l *look) ignores(r *repository) (all []ignorePattern, complete bool) {
	complete = true
	if h := l.subject.places.Home; h != "" {
		text, ok := l.optional(h, ".config/git/ignore", maxIgnore)
		all, complete = append(all, parseIgnore("", text)...), ok
		if l.ofUser().mayHave("core.excludesfile") {
			complete = l.miss("core.excludesfile", errTooLarge)
		}
	}
	if r.config.last("core.excludesfile") != "" {
		complete = l.miss("core.excludesfile", errTooLarge)
	}
	text, ok := l.optional(r.common, "info/exclude", maxIgnore)
	return append(all, parseIgnore("", text)...), ok && complete
}

// ofUser returns the user's own settings of git; odd if they are not known.
func (l *look) ofUser() gitConfig {
	var text string
	known := l.subject.places.Home != ""
	for _, name := range []string{".config/git/config", ".gitconfig"} {
		if known {
			part, ok := l.optional(l.subject.places.Home, name, maxConfig)
			text, known = text+part+"\n", ok
		}
	}
	c := parseConfig(text)
	c.odd = c.odd || !known
	return c
}

// mayHave reports whether settings have a key, or may have it.
func (c gitConfig) mayHave(key string) bool { return c.odd || c.last(key) != "" }

// ignoresIn returns patterns with those of a folder of the work tree behind them.
func (l *look) ignoresIn(r *repository, dir string, before []ignorePattern) ([]ignorePattern, bool) {
	text, err := l.read(path.Join(r.top, dir, ".gitignore"), maxIgnore)
	if absent(err) {
		return before, true
	}
	if err != nil {
		return before, l.miss(".gitignore", err)
	}
	return append(slices.Clip(before), parseIgnore(dir, text)...), true
}
