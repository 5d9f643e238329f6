package signals

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// maxTargets is how many affected paths that git does not track are looked at.
const maxTargets = 10_000

// gitTargets says what git knows of the files that the action would lose.
func gitTargets(l *look) {
	r, err := l.repository(l.place())
	if err != nil || r.odd != "" {
		l.outside(err)
		return
	}
	x, err := l.readIndex(r)
	if err != nil {
		l.miss("index", err)
		return
	}
	all, complete := l.references(r)
	_, head, born, err := l.head(r, all)
	if err != nil {
		l.miss("HEAD", err)
		return
	}
	staged, ok := l.staged(r, x, head, born)
	t := &targets{workTree: l.workTree(r, x), staged: staged, compared: ok}
	defer t.close()
	t.left = maxTargets + len(x.entries)
	t.onTracked = func(at int) { t.found(x.entries[at].path, t.compare(at)) }
	t.onOther = t.found
	t.affected()
	l.age = 0 // the work tree is looked at itself
	l.names("untracked_affected", t.untrackedNames, t.complete())
	l.names("ignored_affected", t.ignoredNames, t.complete())
	l.count("tracked", t.tracked, t.complete())
	l.names("modified", t.modifiedNames, t.complete() && t.sure && t.compared)
	l.flag("recoverable", len(t.untrackedNames)+len(t.ignoredNames)+len(t.modifiedNames) == 0 && !t.history, t.complete() && t.sure && t.compared)
	n, ok := l.unpushed(r, all, l.tips(all, head, born, t.tracked > 0))
	l.count("unpushed", n, ok && complete)
}

// place returns a folder in whose repository the affected files lie.
func (l *look) place() string {
	for _, f := range l.subject.changed {
		if l.subject.cwd == "" || !within(f, l.subject.cwd) {
			return path.Dir(f)
		}
	}
	return l.subject.cwd
}

// outside notes files that lie in no repository: git keeps none of them.
func (l *look) outside(err error) {
	if err != errNoRepository {
		l.miss(".git", firstError(err, errIndexForm))
		return
	}
	known := l.subject.whole && !slices.ContainsFunc(l.subject.changed, func(f string) bool {
		_, err := l.repository(path.Dir(f))
		return l.over() || err != errNoRepository
	})
	l.names("untracked_affected", nil, known)
	l.names("ignored_affected", nil, known)
	l.count("tracked", 0, known)
	l.names("modified", nil, known)
	l.count("unpushed", 0, known)
	l.flag("recoverable", len(l.subject.affected) == 0, known)
}

// targets sorts the affected files of a repository.
type targets struct {
	*workTree
	staged    map[string]bool // files that differ from the last commit
	compared  bool            // and these are all
	elsewhere bool            // something is affected outside of the repository
	history   bool            // the repository itself is

	tracked                                     int
	untrackedNames, ignoredNames, modifiedNames []string
}

// complete reports whether all that is affected was looked at.
func (t *targets) complete() bool { return t.known && !t.elsewhere && t.look.subject.whole }

// found notes one affected file.
func (t *targets) found(name string, is fileState) {
	if len(t.untrackedNames)+len(t.ignoredNames) == maxTargets {
		t.known = t.look.miss("affected files", errTooLarge)
		return
	}
	shown := t.look.subject.show(path.Join(t.repo.top, name))
	switch is {
	case untrackedFile:
		t.untrackedNames = append(t.untrackedNames, shown)
		return
	case ignoredFile:
		t.ignoredNames = append(t.ignoredNames, shown)
		return
	}
	t.tracked++
	if is == modified || t.staged[name] {
		t.modifiedNames = append(t.modifiedNames, shown)
	}
}

// affected looks at what the action affects: of a command of git what that command
// takes, of every other the files that it changes.
func (t *targets) affected() {
	gits, takes := 0, false
	for _, c := range t.look.subject.commands {
		if c.is("git") {
			gits, takes = gits+1, takes || c.workTree
			t.ofGit(c)
		}
	}
	if takes && (gits > 1 || len(t.look.subject.changed) > 0) {
		t.known = t.look.miss("work tree", errors.New("what the line changes first may decide what git takes then"))
	}
	for _, f := range t.look.subject.changed {
		name, in := strings.CutPrefix(f, t.repo.top+"/")
		if !in && f != t.repo.top {
			t.elsewhere = true
			t.look.unseen("affected files outside of the repository")
			continue
		}
		t.path(strings.TrimPrefix(name, t.repo.top))
	}
}

// path looks at a file or folder, from the top.
func (t *targets) path(name string) {
	if name == ".git" || strings.HasPrefix(name, ".git/") {
		t.history = true
		return
	}
	t.history = t.history || name == ""
	patterns, folder := t.above(name)
	if at, is := t.index.byPath[name]; is {
		t.onTracked(at)
		return
	}
	info, err := t.look.lstat(path.Join(t.repo.top, name))
	switch {
	case absent(err):
		return
	case err != nil:
		t.known = t.look.miss(name, err)
	case folder || name != "" && ignored(patterns, name, info.IsDir()):
		t.found(name, ignoredFile)
	case info.IsDir():
		t.walk(name, patterns)
	default:
		t.found(name, untrackedFile)
	}
}

// above returns the patterns of the folders above a path, and whether one of
// these folders is ignored.
func (t *targets) above(name string) (patterns []ignorePattern, in bool) {
	patterns = t.patterns
	dir := ""
	for _, part := range strings.Split(path.Dir(name), "/") {
		var ok bool
		patterns, ok = t.look.ignoresIn(t.repo, dir, patterns)
		t.known = t.known && ok
		if part == "." || part == "" {
			break
		}
		dir = path.Join(dir, part)
		if !t.index.folders[dir] && ignored(patterns, dir, true) {
			return patterns, true
		}
	}
	return patterns, false
}

// ofGit looks at what a command of git takes from the work tree. Of one that may
// change it in a way that is not looked at here, that is not known.
func (t *targets) ofGit(c command) {
	switch {
	case !c.workTree:
	case c.is("git clean"):
		t.cleaned(c)
	case c.is("git checkout") && c.has("-b", "-B") && !c.has("-f", "--force"): // it takes nothing along
	case c.fromIndex(), c.is("git reset") && c.has("--hard") && t.toHead(c):
		t.restored()
	default:
		t.known = t.look.miss("work tree", errors.New("what git would make of the work tree is not looked at"))
	}
}

// fromIndex reports whether a command takes files from the index. From another
// commit it may also take files that are not tracked here, and overwrite them.
func (c command) fromIndex() bool {
	switch {
	case c.loose: // the word that is not known may be a commit
		return false
	case c.is("git restore"):
		return !c.has("-s", "--source") && c.value("--source") == ""
	case c.is("git checkout"):
		rest := slices.DeleteFunc(c.behind("checkout"), func(w string) bool { return strings.HasPrefix(w, "-") && w != "--" })
		return len(rest) > 0 && rest[0] == "--" || len(rest) == 1 && rest[0] == "."
	}
	return false
}

// behind returns the words behind a subcommand.
func (c command) behind(subcommand string) []string {
	return slices.Clone(c.words[slices.Index(c.words, subcommand)+1:])
}

// toHead reports whether a command names no other commit.
func (t *targets) toHead(c command) bool {
	rest := c.plain()[2:]
	return !c.loose && (len(rest) == 0 || len(rest) == 1 && rest[0] == "HEAD")
}

// cleaned looks at what `git clean` removes.
func (t *targets) cleaned(c command) {
	if c.has("-n", "--dry-run") {
		return
	}
	if slices.ContainsFunc(c.behind("clean"), func(w string) bool { return !strings.HasPrefix(w, "-") }) || c.has("-e", "--exclude") || c.loose {
		t.known = t.look.miss("work tree", errors.New("which paths git clean is given is not looked at"))
		return
	}
	from := t.from()
	if _, in := t.above(path.Join(from, "x")); in {
		t.known = t.look.miss("work tree", errors.New("the command runs in an ignored folder"))
	}
	ignoredOnly, both, folders := c.has("-X"), c.has("-x"), c.has("-d")
	for _, o := range t.whole().others {
		dir := folderOf(o.name)
		near := (from == "" || within(o.name, from)) && (folders || dir == from || t.index.folders[dir])
		if near && (o.is == untrackedFile && !ignoredOnly || o.is == ignoredFile && (ignoredOnly || both)) {
			t.found(o.name, o.is)
		}
	}
}

// restored looks at the tracked files that lose their changes.
func (t *targets) restored() {
	s := t.whole()
	t.sure = t.sure && s.sure
	for at, is := range s.tracked {
		name := t.index.entries[at].path
		if is == modified || is == unknownFile || is != unmet && t.staged[name] {
			t.found(name, is)
		}
	}
}

// whole looks at the whole work tree.
func (t *targets) whole() *survey {
	s := t.look.survey(t.repo, t.index)
	t.known = t.known && s.known
	return s
}

// from returns the working directory, from the top.
func (t *targets) from() string {
	dir := t.look.subject.cwd
	if dir == t.repo.top || !within(dir, t.repo.top) {
		return ""
	}
	return strings.TrimPrefix(dir, t.repo.top+"/")
}

// tips returns the commits that the action may leave without a name: of branches
// that git deletes or moves, and of HEAD where tracked files are affected.
func (l *look) tips(all refs, head oid, born, tracked bool) (tips []oid) {
	for _, c := range l.subject.commands {
		if c.is("git reset", "git rebase", "git commit") {
			tracked = true
		}
		if !c.is("git branch", "git update-ref", "git push", "git checkout", "git switch") {
			continue
		}
		for _, w := range c.plain() {
			if id, is := all["refs/heads/"+w]; is {
				tips = append(tips, id)
			}
		}
	}
	if tracked && born && !slices.Contains(tips, head) {
		tips = append(tips, head)
	}
	return tips
}
