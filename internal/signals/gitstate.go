package signals

import (
	"crypto/sha1" // by which git names what a file says
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// maxHashed bounds what is read of files that may have changed, in bytes.
const maxHashed = 8 << 20

// gitState looks at the index, the references and the work tree.
func gitState(l *look) {
	r, err := l.repository(l.subject.cwd)
	if err == errNoRepository {
		l.flag("repository", false, true)
		return
	}
	if err != nil {
		l.miss(".git", err)
		return
	}
	l.flag("repository", true, true)
	all, complete := l.references(r)
	branch, head, born, err := l.head(r, all)
	if err != nil {
		l.miss("HEAD", err)
		return
	}
	l.word("branch", branch, true)
	l.gitOperation(r)
	if r.odd != "" {
		l.unseen(r.odd)
		return
	}
	l.gitHistory(r, all, head, born, complete)
	x, err := l.readIndex(r)
	if err != nil {
		l.miss("index", err)
		return
	}
	staged, ok := l.staged(r, x, head, born)
	l.count("staged", len(staged), ok)
	t := l.workTree(r, x)
	t.all()
	l.age = 0 // the work tree is looked at itself
	l.count("dirty", t.dirty, t.known && t.sure)
	l.count("untracked", t.untracked, t.known)
	l.count("ignored", t.ignored, t.known)
}

// gitOperation notes what goes on, and what is put aside.
func (l *look) gitOperation(r *repository) {
	operation := ""
	for _, o := range [][2]string{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"},
	} {
		if is, _ := l.exists(path.Join(r.dir, o[0])); is && operation == "" {
			operation = o[1]
		}
	}
	l.word("operation", operation, true)
	stash, ok := l.optional(r.common, "logs/refs/stash", maxLogFile)
	l.count("stash", strings.Count(stash, "\n"), ok)
	entries, ok, err := l.list(path.Join(r.common, "worktrees"), maxRefs)
	l.count("worktrees", len(entries), absent(err) || ok && err == nil)
}

// gitHistory notes what is not pushed. Without any remote branch that is all
// there is.
func (l *look) gitHistory(r *repository, all refs, head oid, born, complete bool) {
	n := 0
	if born {
		var ok bool
		n, ok = l.unpushed(r, all, []oid{head})
		complete = complete && ok
	}
	l.count("unpushed", n, complete)
}

// workTree compares files with the index.
type workTree struct {
	look  *look
	repo  *repository
	index *index
	left  int // entries of folders that may still be looked at: the bound is on those that git does not track
	hash  int64
	raw   bool // no filter is set up: what a file says is what git stores
	known bool // everything was looked at
	sure  bool // of each tracked file it is known whether it is modified

	patterns                  []ignorePattern
	dirty, untracked, ignored int
	seen                      map[string]bool // tracked files that are there
	stats                     []fileState     // of tracked files, by entry of the index; nil: each is looked at when it is met
	untrackedOnly             bool            // tracked files are not asked about
	each                      func(file string, is fileState)
}

// fileState says what git knows of a file.
type fileState uint8

const (
	unmodified fileState = iota
	modified
	unknownFile // tracked, and it is not known whether it is modified
	untrackedFile
	ignoredFile
	otherStat // what lstat says is not what git noted: the content decides
)

func (l *look) workTree(r *repository, x *index) *workTree {
	t := &workTree{look: l, repo: r, index: x, left: maxEntries + len(x.entries), hash: maxHashed, sure: true, seen: map[string]bool{}, each: func(string, fileState) {}}
	t.patterns, t.known = l.ignores(r)
	autocrlf := r.config.last("core.autocrlf")
	t.raw = (autocrlf == "" || autocrlf == "false") && r.config.last("core.attributesfile") == "" && !r.config.odd
	for _, name := range []string{path.Join(r.common, "info/attributes"), path.Join(r.top, attributes)} {
		is, _ := l.exists(name)
		t.raw = t.raw && !is
	}
	t.raw = t.raw && !slices.ContainsFunc(x.entries, func(e indexEntry) bool { return path.Base(e.path) == attributes })
	return t
}

// attributes is the file that says through which programs git reads others.
const attributes = ".gitattributes"

// all looks at the whole work tree, and counts.
func (t *workTree) all() {
	t.statAll()
	t.walk("", t.patterns)
	for _, e := range t.index.entries {
		if t.known && !t.seen[e.path] && !e.assumed {
			t.dirty++ // it was removed
		}
	}
}

// statWorkers look at tracked files at once: most of that is waiting for the
// operating system.
const statWorkers = 4

// statAll looks at all tracked files.
func (t *workTree) statAll() {
	t.stats = make([]fileState, len(t.index.entries))
	var all sync.WaitGroup
	for w := range statWorkers {
		all.Go(func() {
			for i := w; i < len(t.stats); i += statWorkers {
				if i%64 == w && t.look.over() {
					t.stats[i] = unknownFile
					continue
				}
				t.stats[i] = t.stat(&t.index.entries[i])
			}
		})
	}
	all.Wait()
}

func (t *workTree) walk(dir string, patterns []ignorePattern) {
	patterns, ok := t.look.ignoresIn(t.repo, dir, patterns)
	t.known = t.known && ok
	entries, ok, err := t.look.list(path.Join(t.repo.top, dir), max(t.left, 0))
	if err != nil || !ok || t.look.over() {
		t.known = t.look.miss(path.Join(t.repo.top, dir), firstError(err, t.look.ctx.Err(), errTooLarge))
		return
	}
	t.left -= len(entries)
	t.raw = t.raw && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == attributes })
	for _, e := range entries {
		if t.left < 0 || t.look.over() {
			t.known = t.look.miss("work tree", firstError(t.look.ctx.Err(), errTooLarge))
			return
		}
		t.entry(path.Join(dir, e.Name()), e, patterns)
	}
}

func firstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *workTree) entry(name string, e fs.DirEntry, patterns []ignorePattern) {
	at, tracked := t.index.byPath[name]
	switch {
	case name == ".git":
	case tracked && t.untrackedOnly:
	case tracked:
		t.seen[name] = true
		t.note(name, t.compare(at))
	case e.IsDir() && t.index.folders[name]:
		t.walk(name, patterns)
	case ignored(patterns, name, e.IsDir()):
		t.note(name, ignoredFile)
	case e.IsDir() && !t.nested(name):
		t.walk(name, patterns)
	default:
		t.note(name, untrackedFile)
	}
}

// nested reports whether a folder is a repository of its own.
func (t *workTree) nested(dir string) bool {
	is, _ := t.look.exists(path.Join(t.repo.top, dir, ".git"))
	return is
}

func (t *workTree) note(name string, s fileState) {
	switch s {
	case modified:
		t.dirty++
	case unknownFile:
		t.dirty++
		t.sure = t.look.miss("work tree", fmt.Errorf("whether %s is modified is not known without running something", clean(name)))
	case untrackedFile:
		t.untracked++
	case ignoredFile:
		t.ignored++
	}
	t.each(name, s)
}

// compare says whether a tracked file differs from the index: by what lstat says
// of it, as git does, or else by its content. Where git would run a filter over
// the content, another content says nothing.
func (t *workTree) compare(at int) fileState {
	e := &t.index.entries[at]
	is := fileState(0)
	if t.stats != nil {
		is = t.stats[at]
	} else {
		is = t.stat(e)
	}
	if is == otherStat {
		return t.content(e)
	}
	return is
}

// stat compares what lstat says of a file with what git noted. It may be called
// for several files at once.
func (t *workTree) stat(e *indexEntry) fileState {
	if e.assumed || e.mode>>12 == submodule { // git does not look at these, or looks at a repository of their own
		return unknownFile
	}
	if e.stage != 0 || e.intended {
		return modified
	}
	info, err := t.look.lstat(t.repo.top + "/" + e.path)
	if absent(err) {
		return modified
	}
	if err != nil {
		return unknownFile
	}
	link := info.Mode()&fs.ModeSymlink != 0
	regular := e.mode>>12 == regularFile
	switch {
	case link == regular, !link && !info.Mode().IsRegular():
		return modified
	case regular && (e.mode&0o100 != 0) != (info.Mode()&0o100 != 0) && t.repo.config.last("core.filemode") != "false":
		return modified
	case t.index.noted(e, info):
		return unmodified
	}
	return otherStat
}

// Kinds of entries, the upper bits of their mode.
const (
	regularFile = 0o10
	submodule   = 0o16
)

// content compares what a file says. Of a link that is where it leads.
func (t *workTree) content(e *indexEntry) fileState {
	name := path.Join(t.repo.top, e.path)
	link := e.mode>>12 != regularFile
	var text string
	var err error
	if link {
		text, err = t.look.readlink(name)
	} else {
		text, err = t.look.read(name, max(t.hash, 0))
		t.hash -= int64(len(text))
	}
	switch {
	case err != nil:
		return unknownFile
	case oid(sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))) == e.id:
		return unmodified
	case !t.raw && !link:
		return unknownFile
	}
	return modified
}
