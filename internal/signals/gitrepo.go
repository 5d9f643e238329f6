package signals

import (
	"encoding/hex"
	"errors"
	"path"
	"slices"
	"strings"
)

// Bounds of reading a repository.
const (
	maxConfig  = 64 << 10
	maxRefs    = 10_000
	maxPacked  = 4 << 20
	maxLogFile = 1 << 20
)

// repository is one repository of git, read without git.
type repository struct {
	top    string // of the work tree
	dir    string // of this work tree: HEAD, index
	common string // of all work trees: config, objects, refs
	config gitConfig
	odd    string // why the repository is of a form that is not read here
}

// errNoFolder says that it is not known in which folder the commands run.
var errNoFolder = errors.New("the commands run in no folder that is known, or in several")

// errNoRepository says that no folder above holds a repository.
var errNoRepository = errors.New("no repository")

// repository finds the repository around a folder. Format: gitrepository-layout(5).
func (l *look) repository(dir string) (*repository, error) {
	if dir == "" {
		return nil, errNoFolder
	}
	for ; ; dir = path.Dir(dir) {
		info, err := l.lstat(path.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			return l.openRepository(dir, path.Join(dir, ".git"))
		case err == nil:
			text, err := l.read(path.Join(dir, ".git"), maxRaw)
			to, is := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
			if err != nil || !is {
				return nil, errors.Join(errNotRegular, err)
			}
			return l.openRepository(dir, absolute(dir, to))
		case !absent(err):
			return nil, err
		}
		if path.Dir(dir) == dir {
			return nil, errNoRepository
		}
	}
}

func absolute(base, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(base, name)
}

func (l *look) openRepository(top, dir string) (*repository, error) {
	r := &repository{top: top, dir: dir, common: dir}
	if text, err := l.read(path.Join(dir, "commondir"), maxRaw); err == nil {
		r.common = absolute(dir, strings.TrimSpace(text))
	} else if !absent(err) {
		return nil, err
	}
	text, err := l.read(path.Join(r.common, "config"), maxConfig)
	if err != nil && !absent(err) {
		return nil, err
	}
	r.config = parseConfig(text)
	if r.config.last("extensions.worktreeconfig") != "" { // config.worktree may say otherwise
		r.config.odd, r.odd = true, "the repository has extensions.worktreeConfig"
	}
	for _, key := range []string{"extensions.objectformat", "extensions.refstorage", "core.worktree"} {
		if v := r.config.last(key); v != "" && v != "sha1" && v != "files" {
			r.odd = "the repository has " + key
		}
	}
	return r, nil
}

// gitConfig holds settings by their key in lower case, subsections as written.
type gitConfig struct {
	values   map[string][]string
	sections []string // "remote.origin"
	odd      bool     // it includes other files, or is not understood
}

// parseConfig reads settings of git. Format: git-config(1), without values that go
// on in the next line or include other files.
func parseConfig(text string) gitConfig {
	c := gitConfig{values: map[string][]string{}}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			name, rest, closed := strings.Cut(line[1:], "]")
			kind, sub, has := strings.Cut(name, " ")
			section = strings.ToLower(kind)
			if has {
				section += "." + strings.Trim(strings.TrimSpace(sub), `"`)
			}
			c.odd = c.odd || !closed || strings.TrimSpace(rest) != "" || strings.HasPrefix(section, "include")
			c.sections = append(c.sections, section)
		default:
			key, value, _ := strings.Cut(line, "=")
			key = section + "." + strings.ToLower(strings.TrimSpace(key))
			value = strings.TrimSpace(value)
			c.odd = c.odd || strings.HasSuffix(value, `\`) || section == ""
			c.values[key] = append(c.values[key], strings.Trim(value, `"`))
		}
	}
	return c
}

func (c gitConfig) last(key string) string {
	all := c.values[key]
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// rewrites reports whether addresses of remotes are not what they seem:
// url.<base>.insteadOf of git-config(1).
func (c gitConfig) rewrites() bool {
	return slices.ContainsFunc(c.sections, func(s string) bool { return strings.HasPrefix(s, "url.") })
}

// remotes returns the names of the remotes.
func (c gitConfig) remotes() (all []string) {
	for _, s := range c.sections {
		if name, is := strings.CutPrefix(s, "remote."); is {
			all = append(all, name)
		}
	}
	return all
}

// oid is the name of an object: its SHA-1.
type oid [20]byte

func parseOID(text string) (id oid, ok bool) {
	b, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return oid(b), true
}

// refs are the references of a repository by their full name.
type refs map[string]oid

// references reads all references, and reports whether these are all.
func (l *look) references(r *repository) (refs, bool) {
	all := refs{}
	text, err := l.read(path.Join(r.common, "packed-refs"), maxPacked)
	complete := err == nil || absent(err) || l.miss("packed-refs", err)
	for line := range strings.Lines(text) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if o, ok := parseOID(id); ok {
			all[name] = o
		}
	}
	left := maxRefs
	return all, l.looseRefs(r, "refs", all, &left) && complete
}

func (l *look) looseRefs(r *repository, name string, all refs, left *int) bool {
	entries, complete, err := l.list(path.Join(r.common, name), *left)
	if err != nil && !absent(err) {
		return l.miss(name, err)
	}
	for _, e := range entries {
		if *left--; *left < 0 || l.over() {
			return l.miss(name, errTooLarge)
		}
		child := name + "/" + e.Name()
		if e.IsDir() {
			complete = l.looseRefs(r, child, all, left) && complete
			continue
		}
		text, err := l.read(path.Join(r.common, child), maxRaw)
		if err != nil {
			complete = l.miss(child, err)
		}
		if o, ok := parseOID(text); ok {
			all[child] = o
		}
	}
	return complete
}

// head returns what HEAD names: the branch ("" if it is a commit) and the commit
// (born is false if there is none yet).
func (l *look) head(r *repository, all refs) (branch string, commit oid, born bool, err error) {
	text, err := l.read(path.Join(r.dir, "HEAD"), maxRaw)
	if err != nil {
		return "", oid{}, false, err
	}
	if name, is := strings.CutPrefix(strings.TrimSpace(text), "ref: "); is {
		commit, born = all[name]
		return strings.TrimPrefix(name, "refs/heads/"), commit, born, nil
	}
	commit, born = parseOID(text)
	if !born {
		return "", oid{}, false, errNotRegular
	}
	return "", commit, true, nil
}
