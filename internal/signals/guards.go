package signals

import (
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// maxGuards is how many hooks are listed.
const maxGuards = 64

// guardFiles say, below the workspace, what may not be done.
var guardFiles = []string{
	".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "commitlint.config.js", ".gitleaks.toml", ".semgrep.yml", ".semgrepignore", ".secrets.baseline",
	"CODEOWNERS", ".github/CODEOWNERS", ".github/settings.yml", ".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", ".cursor/hooks.json",
	"licet.yaml", ".licet/licet.yaml", ".terraform.lock.hcl", ".git/index.lock", ".git/shallow.lock", ".git/HEAD.lock", "APPROVALS", "approvals.yml", "freeze.lock", ".deploy-freeze",
}

// isGuard reports whether a file is one that checks what is done.
func isGuard(file string) bool {
	return strings.Contains(file, "/.git/hooks/") || strings.Contains(file, "/.husky/") ||
		slices.ContainsFunc(guardFiles, func(g string) bool { return strings.HasSuffix(file, "/"+g) })
}

// guardConfig says which checks are set up, and whether the command turns one off.
func guardConfig(l *look) {
	l.names("bypass", l.subject.bypass, l.subject.whole)
	if l.session.Refused != nil {
		l.count("refused", *l.session.Refused, true)
	}
	top := l.subject.home()
	r, err := l.repository(l.subject.cwd)
	if err == nil {
		top = r.top
	} else if err != errNoRepository {
		l.miss(".git", err)
		return
	}
	if top == "" {
		l.unseen("neither workspace nor working directory is known")
		return
	}
	var guards []string
	known := true
	for _, name := range guardFiles {
		is, ok := l.exists(path.Join(top, name))
		if is {
			guards = append(guards, name)
		}
		known = known && ok
	}
	l.names("guards", guards, known)
	hooks, complete := l.files(top, ".husky", maxGuards)
	if r != nil {
		all, ok := l.gitHooks(r)
		hooks, complete = append(hooks, all...), complete && ok
	}
	l.names("hooks", hooks, complete)
}

// gitHooks lists the hooks that git would run.
func (l *look) gitHooks(r *repository) (all []string, complete bool) {
	dir := path.Join(r.common, "hooks")
	switch to := r.config.last("core.hookspath"); {
	case strings.HasPrefix(to, "~"):
		return nil, l.miss("core.hooksPath", errNotRead)
	case to != "":
		dir = absolute(r.top, to)
	case l.ofUser().mayHave("core.hookspath"):
		return nil, l.miss("core.hooksPath", errNotRead)
	}
	entries, complete, err := l.list(dir, maxGuards)
	if err != nil && !absent(err) {
		return nil, l.miss(dir, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && !e.IsDir() && info.Mode().Perm()&0o111 != 0 && !strings.HasSuffix(e.Name(), ".sample") {
			all = append(all, l.subject.show(path.Join(dir, e.Name())))
		}
	}
	return all, (complete || err != nil) && !r.config.odd // settings that are included may name another folder
}

// maxProvenance is how many affected files are asked about.
const maxProvenance = 10_000

// sessionProvenance says which of what is affected this session made itself, as
// licet's own evidence has it.
func sessionProvenance(l *look) {
	if !l.session.Known || l.session.Made == nil {
		l.unseen("no session is known")
		return
	}
	var created, foreign []string
	known := l.paths() && len(l.subject.affected) <= maxProvenance && !endsProcesses(l.subject)
	for _, f := range l.subject.affected[:min(len(l.subject.affected), maxProvenance)] {
		if l.session.Made(f) {
			created = append(created, l.subject.show(f))
		} else {
			foreign = append(foreign, l.subject.show(f))
		}
	}
	if !known {
		l.unseen("not all that is affected is known")
	}
	l.names("created_in_session", created, known)
	l.names("foreign", foreign, known)
}

// Makes returns the files that a command line would make: those that it writes by
// their names and that are not there now.
func Makes(line constraint.Shell) (files []string) {
	for _, e := range line.Effects {
		if e.Kind != shell.Write || !e.PathKnown || e.Pattern || e.WorkTree {
			continue
		}
		if _, err := thisMachine().lstat(path.Clean(e.Path)); absent(err) {
			files = append(files, path.Clean(e.Path))
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
