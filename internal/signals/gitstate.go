package signals

import (
	"path"
	"strings"
)

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
	s := l.survey(r, x)
	l.age = 0 // the work tree is looked at itself
	l.count("dirty", s.dirty(x), s.known && s.sure)
	l.count("untracked", s.count(untrackedFile), s.known)
	l.count("ignored", s.count(ignoredFile), s.known)
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
