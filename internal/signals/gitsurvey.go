package signals

import (
	"crypto/sha1" // by which git names what a file says
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
)

// maxHashed bounds what is read of files that may have changed, in bytes.
const maxHashed = 8 << 20

// fileState says what git knows of a file.
type fileState uint8

const (
	unmodified fileState = iota
	modified
	unknownFile // tracked, and it is not known whether it is modified
	untrackedFile
	ignoredFile
	otherStat // what lstat says is not what git noted: the content decides
	unmet     // tracked, and not there where everything was looked at
)

// survey is a whole work tree, compared with the index. Several collectors need
// it, and it takes most of their time.
type survey struct {
	tracked []fileState // by entry of the index
	others  []otherFile // what git does not track: files, and folders that are ignored or repositories of their own
	known   bool        // everything was looked at
	sure    bool        // of each tracked file it is known whether it is modified
	missed  []string    // what could not be seen
}

// otherFile is what git does not track.
type otherFile struct {
	name string
	is   fileState
}

// dirty counts the tracked files that are changed or removed.
func (s *survey) dirty(x *index) (n int) {
	for at, is := range s.tracked {
		e := &x.entries[at]
		if is == modified || is == unknownFile || is == unmet && s.known && !e.assumed && x.byPath[e.path] == at {
			n++
		}
	}
	return n
}

// count counts what is not tracked.
func (s *survey) count(is fileState) (n int) {
	for _, o := range s.others {
		if o.is == is {
			n++
		}
	}
	return n
}

// survey looks at the whole work tree, unless another collector has.
func (l *look) survey(r *repository, x *index) *survey {
	s, _ := l.shared.survey.get(r.dir, func() (*survey, error) { return l.newSurvey(r, x), nil })
	for _, why := range s.missed {
		l.unseen(why)
	}
	return s
}

func (l *look) newSurvey(r *repository, x *index) *survey {
	own := *l
	own.sink = newSink(l.collector) // what is missed here is missed by all who ask
	t := own.workTree(r, x)
	defer t.close()
	s := &survey{tracked: make([]fileState, len(x.entries))}
	met := make([]bool, len(x.entries))
	t.onTracked = func(at int) { met[at] = true }
	t.onOther = func(name string, is fileState) { s.others = append(s.others, otherFile{name, is}) }
	wait := t.statAll(s.tracked)
	t.walk("", t.patterns)
	wait()
	for at, is := range s.tracked {
		switch {
		case !met[at]:
			is = unmet
		case is == otherStat:
			is = t.content(&x.entries[at])
		}
		if s.tracked[at] = is; is == unknownFile {
			t.unsure(x.entries[at].path)
		}
	}
	s.known, s.sure, s.missed = t.known, t.sure, own.missed
	return s
}

// workTree compares files with the index.
type workTree struct {
	look  *look
	repo  *repository
	index *index
	tree  tree
	left  int // entries of folders that may still be looked at: the bound is on those that git does not track
	hash  int64
	raw   bool // no filter is set up: what a file says is what git stores
	modes bool // whether a file can be run counts
	known bool // everything was looked at
	sure  bool // of each tracked file it is known whether it is modified

	patterns  []ignorePattern
	path      []byte       // of what is looked at
	onTracked func(at int) // gets each entry of the index that is met
	onOther   func(name string, is fileState)
}

func (l *look) workTree(r *repository, x *index) *workTree {
	t := &workTree{look: l, repo: r, index: x, left: maxEntries + len(x.entries), hash: maxHashed, sure: true}
	t.patterns, t.known = l.ignores(r)
	t.modes = r.config.last("core.filemode") != "false"
	autocrlf := r.config.last("core.autocrlf")
	t.raw = (autocrlf == "" || autocrlf == "false") && r.config.last("core.attributesfile") == "" && !r.config.odd && !x.attributes
	for _, name := range []string{path.Join(r.common, "info/attributes"), path.Join(r.top, attributes)} {
		is, _ := l.exists(name)
		t.raw = t.raw && !is
	}
	var err error
	if t.tree, err = l.tree(r.top); err != nil {
		t.tree, t.known = noTree{err}, l.miss("work tree", err)
	}
	return t
}

func (t *workTree) close() { t.tree.Close() }

// attributes is the file that says through which programs git reads others.
const attributes = ".gitattributes"

// statWorkers look at tracked files at once: most of that is waiting for the
// operating system.
const statWorkers = 4

// statAll looks at all tracked files while others things are done. What it finds is
// there when wait has come back, which also passes a defect on.
func (t *workTree) statAll(into []fileState) (wait func()) {
	var all sync.WaitGroup
	defects := make(chan any, statWorkers)
	part := len(into)/statWorkers + 1
	for from := 0; from < len(into); from += part {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					defects <- p
				}
			}()
			for i := from; i < min(from+part, len(into)); i++ {
				if i%64 == 0 && t.look.over() {
					t.over(into[i:min(from+part, len(into))])
					return
				}
				into[i] = t.stat(&t.index.entries[i])
			}
		})
	}
	return func() {
		all.Wait()
		select {
		case p := <-defects:
			panic(p)
		default:
		}
	}
}

// over leaves open what there was no time for.
func (t *workTree) over(rest []fileState) {
	for i := range rest {
		rest[i] = unknownFile
	}
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
	if dir != "" {
		dir += "/"
	}
	for _, e := range entries {
		t.entry(dir, e, patterns)
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

// entry looks at what lies in a folder, whose path ends in a slash unless it is the
// top. The name of a tracked file, of which there are many, is not made.
func (t *workTree) entry(dir string, e fs.DirEntry, patterns []ignorePattern) {
	t.path = append(append(t.path[:0], dir...), e.Name()...)
	if at, is := t.index.byPath[string(t.path)]; is {
		t.onTracked(at)
		return
	}
	name := string(t.path)
	switch {
	case name == ".git":
	case e.IsDir() && t.index.folders[name]:
		t.walk(name, patterns)
	case ignored(patterns, name, e.IsDir()):
		t.onOther(name, ignoredFile)
	case e.IsDir() && !t.nested(name):
		t.walk(name, patterns)
	default:
		t.onOther(name, untrackedFile)
	}
}

// nested reports whether a folder is a repository of its own.
func (t *workTree) nested(dir string) bool {
	is, _ := t.look.exists(path.Join(t.repo.top, dir, ".git"))
	return is
}

// unsure notes a tracked file of which it is not known whether it is modified.
func (t *workTree) unsure(name string) {
	t.sure = false
	if len(t.look.missed) < maxNames {
		t.look.miss("work tree", fmt.Errorf("whether %s is modified is not known without running something", clean(name)))
	}
}

// compare says whether a tracked file differs from the index: by what lstat says
// of it, as git does, or else by its content. Where git would run a filter over
// the content, another content says nothing.
func (t *workTree) compare(at int) fileState {
	e := &t.index.entries[at]
	is := t.stat(e)
	if is == otherStat {
		is = t.content(e)
	}
	if is == unknownFile {
		t.unsure(e.path)
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
	s, err := t.tree.stat(e.path)
	if absent(err) {
		return modified
	}
	if err != nil {
		return unknownFile
	}
	regular := e.mode>>12 == regularFile
	switch {
	case regular && !s.regular, !regular && !s.link:
		return modified
	case regular && t.modes && (e.mode&0o100 != 0) != s.runs:
		return modified
	case t.index.noted(e, s):
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
