package signals

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

// subject is what an action is about, as collectors ask for it.
type subject struct {
	cwd      string // in which all commands run; "" is unknown, or they run in several
	places   constraint.Places
	commands []command
	placed   []string // folders in which they run; "" is unknown
	changed  []string // what the action writes or deletes, as written: files, and tops of trees; absolute
	affected []string // the same with all files below, links followed
	sent     []string // files that leave
	read     []string // other files that are read or run
	urls     []string // with a scheme, without user information and query
	hosts    []string
	senders  []command // commands that talk to a host
	ops      map[judge.Op]bool
	bypass   []string  // options that turn a check off
	whole    bool      // affected and changed are all there is; false where something is not known
	loose    bool      // some word of a command is not known
	inner    []command // commands that do what their input says
	opaque   bool      // some command does what its input says
	guessed  bool      // some file that is read is not known
	network  bool      // some command talks to a host
	anyHost  bool      // one of these hosts is not known
	files    bool      // some effect writes or deletes a file, known or not
	workTree bool      // git itself chooses which files of the work tree are changed
}

// command is one command of the action.
type command struct {
	name    []string // program, and subcommand if the program is known
	words   []string // as far as they are known
	options []string
	loose   bool   // one of its words is not known
	dir     string // in which it runs; "" is unknown

	workTree bool // git may change files of the work tree
}

func newSubject(in Input) *subject {
	s := &subject{cwd: in.Action.Cwd, places: in.Action.Places, ops: map[judge.Op]bool{}, whole: true}
	for _, line := range in.Action.Commands {
		s.line(line)
	}
	if len(in.Action.Commands) == 0 {
		s.whole = false // what a tool does to its arguments is not known
		s.arguments("", in.Action.Arguments)
	}
	if len(s.commands) > 0 {
		s.cwd = s.together()
	}
	for _, e := range in.Effects {
		s.effect(e)
	}
	for _, list := range []*[]string{&s.changed, &s.affected, &s.sent, &s.read, &s.urls, &s.hosts} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s
}

// line adds what one command line would do.
func (s *subject) line(line constraint.Shell) {
	s.whole = s.whole && line.Known
	for i := range line.Effects {
		e := &line.Effects[i]
		switch e.Kind {
		case shell.Execute:
			s.execute(e, slices.ContainsFunc(line.Effects, func(w constraint.ShellEffect) bool { return w.By == e.By && w.WorkTree }))
		case shell.Read, shell.Write:
			s.file(e)
		case shell.Network:
			s.network, s.anyHost = true, s.anyHost || !e.Sure
			s.hosts = append(s.hosts, e.Hosts...)
			s.senders = append(s.senders, commandOf(line, e.By))
		case shell.Unknown:
			s.opaque, s.loose = true, s.loose || !e.Opaque // such as a variable that is set for the command
			s.inner = append(s.inner, commandOf(line, e.By))
			s.whole = s.whole && commandOf(line, e.By).is(processCommands...) // they act on no files
		}
	}
}

// commandOf returns the command that has an effect.
func commandOf(line constraint.Shell, by int) command {
	for i := range line.Effects {
		if e := &line.Effects[i]; e.Kind == shell.Execute && e.By == by {
			return newCommand(e)
		}
	}
	return command{}
}

func newCommand(e *constraint.ShellEffect) command {
	c := command{name: slices.Clone(e.Name), options: e.Options}
	for _, w := range e.Words {
		if w.Known {
			c.words = append(c.words, w.Text)
		}
		c.loose = c.loose || !w.Known
	}
	if len(c.name) == 0 {
		return c
	}
	c.name[0] = path.Base(c.name[0])
	if len(e.Folders) == 1 {
		c.dir = e.Folders[0]
	}
	if c.name[0] != "git" {
		return c
	}
	if to := c.value("-C"); to != "" && c.dir != "" {
		c.dir = absolute(c.dir, to)
	}
	if c.has("--git-dir", "--work-tree") || c.value("--git-dir", "--work-tree") != "" {
		c.dir = ""
	}
	return c
}

func (s *subject) execute(e *constraint.ShellEffect, workTree bool) {
	c := newCommand(e)
	c.workTree, s.loose = workTree, s.loose || c.loose
	for _, w := range c.words {
		s.address(w)
	}
	if e.Search != "" || len(c.words) == 0 || strings.Contains(c.words[0], "/") { // the shell's own commands work in no folder
		s.placed = append(s.placed, c.dir)
	}
	s.commands = append(s.commands, c)
}

// together returns the folder in which all commands run, "" if there is no such.
func (s *subject) together() string {
	if len(s.placed) == 0 {
		return s.cwd
	}
	for _, dir := range s.placed {
		if dir != s.placed[0] {
			return ""
		}
	}
	return s.placed[0]
}

// file notes the files that are changed. Those that git keeps in a work tree are
// left to git_targets, which knows which of them a command of git would change.
func (s *subject) file(e *constraint.ShellEffect) {
	if e.Kind == shell.Read {
		s.guessed = s.guessed || !e.Sure
		if e.PathKnown {
			s.read = append(s.read, path.Clean(e.Path))
		}
		return
	}
	if e.WorkTree {
		s.workTree = true
		return
	}
	s.whole = s.whole && e.Sure
	if e.PathKnown && !e.Pattern {
		s.changed = append(s.changed, path.Clean(e.Path))
	}
	for _, f := range e.Files {
		if e.Pattern {
			s.changed = append(s.changed, f.Path)
		}
		s.affected = append(s.affected, f.Path)
	}
}

// effect notes what the judge takes an effect for.
func (s *subject) effect(e judge.Effect) {
	s.ops[e.Op] = true
	if e.Op == judge.OverrideCheck && e.Kind == judge.KindOption {
		s.bypass = append(s.bypass, e.Target)
	}
	if e.Kind == judge.KindFile {
		s.files = s.files || e.Op == judge.Delete || e.Op == judge.Write
		if e.Op == judge.Send {
			s.sent = append(s.sent, e.Affected...)
		}
	}
	if e.Kind == judge.KindHost || e.Kind == judge.KindOperand {
		s.address(e.Target)
	}
}

// arguments notes the addresses and absolute paths among the arguments of a tool
// that runs no command line. What the tool does to them is not known.
func (s *subject) arguments(at string, v toolcall.Value) {
	for i := range v.Len() {
		if v.Kind() == toolcall.Object {
			name, value := v.Member(i)
			s.arguments(name, value)
		} else {
			s.arguments(at, v.Elem(i))
		}
	}
	text := v.Text()
	if v.Kind() != toolcall.String || text == "" || len(text) > maxRaw || strings.ContainsAny(text, "\n\x00") {
		return
	}
	s.address(text)
	if !named(at, "path", "file", "filename", "dir", "directory", "folder") {
		return
	}
	if !path.IsAbs(text) && s.cwd != "" {
		text = path.Join(s.cwd, text)
	}
	if path.IsAbs(text) {
		s.changed = append(s.changed, path.Clean(text))
		s.affected = append(s.affected, path.Clean(text))
	}
}

// named reports whether a name has one of these words in it.
func named(name string, words ...string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(words, p) })
}

// address notes a URL and its host.
func (s *subject) address(text string) {
	_, after, has := strings.Cut(text, "=")
	if has && strings.Contains(after, "://") && !strings.Contains(strings.SplitN(text, "=", 2)[0], "://") {
		text = after // --url=https://...
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme == "" {
		return
	}
	s.urls = append(s.urls, bareURL(u))
	s.hosts = append(s.hosts, strings.ToLower(u.Hostname()))
}

// bareURL returns an address without what may be secret in it.
func bareURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// runs reports whether a command of one of these names is run: a program, or a
// program with its subcommand ("git push").
func (s *subject) runs(names ...string) bool {
	return slices.ContainsFunc(s.commands, func(c command) bool { return c.is(names...) })
}

func (c command) is(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		want := strings.Fields(name)
		have := c.name
		if len(have) < len(want) { // a program without a row: its words say what it does
			have = c.plain()
		}
		return len(have) >= len(want) && slices.Equal(have[:len(want)], want)
	})
}

// plain returns the words of a command that are no options, the program first.
func (c command) plain() []string {
	var all []string
	for i, w := range c.words {
		if i == 0 {
			w = path.Base(w)
		}
		if i == 0 || !strings.HasPrefix(w, "-") {
			all = append(all, w)
		}
	}
	return all
}

// has reports whether a command got one of these options.
func (c command) has(options ...string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		return slices.Contains(c.options, o) || slices.Contains(c.words, o)
	})
}

// value returns what stands behind one of these options, "" if nothing does.
func (c command) value(options ...string) string {
	for i, w := range c.words {
		name, value, attached := strings.Cut(w, "=")
		switch {
		case !slices.Contains(options, name):
		case attached:
			return value
		case i+1 < len(c.words):
			return c.words[i+1]
		}
	}
	return ""
}

// home returns the folder in which paths of the action count: the workspace if the
// command runs in it, or else its working directory.
func (s *subject) home() string {
	if s.places.Workspace != "" && (s.cwd == "" || within(s.cwd, s.places.Workspace)) {
		return s.places.Workspace
	}
	return s.cwd
}

// paths reports whether changed and affected are all there is, and notes it if not:
// of a command of git, git_targets knows more.
func (l *look) paths() bool {
	if l.subject.workTree {
		l.unseen("git itself chooses which files of the work tree are changed")
	}
	return l.subject.whole && !l.subject.workTree
}

// within reports whether a path is a folder or lies in it.
func within(file, dir string) bool {
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// show returns a path as people write it: from the working directory or from home.
func (s *subject) show(file string) string {
	if s.cwd != "" && file != s.cwd && within(file, s.cwd) {
		return strings.TrimPrefix(strings.TrimPrefix(file, s.cwd), "/")
	}
	if h := s.places.Home; h != "" && within(file, h) {
		return "~" + strings.TrimPrefix(file, h)
	}
	return file
}

func (s *subject) showAll(files []string) []string {
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = s.show(f)
	}
	return all
}

// The effects that trigger collectors.

func changesFiles(s *subject) bool { return len(s.changed) > 0 || s.files }

func touchesRepository(s *subject) bool { return changesFiles(s) || s.opaque || s.runs("git", "gh") }

func losesFiles(s *subject) bool { return changesFiles(s) || s.runs("git") }

func losesAnything(s *subject) bool { return losesFiles(s) || endsProcesses(s) }

func usesRemote(s *subject) bool {
	return s.runs("git push", "git pull", "git fetch", "git remote", "git clone", "gh") || sendsAnything(s)
}

func touchesBranches(s *subject) bool {
	return s.runs("git push", "git merge", "git rebase", "git branch", "git tag", "git reset", "gh")
}

func startsWorkflows(s *subject) bool {
	return s.runs("git push", "git merge", "git tag", "gh") ||
		slices.ContainsFunc(s.changed, func(f string) bool { return strings.Contains(f, "/.github/") || strings.Contains(f, "/.gitlab-ci") })
}

// processCommands end processes, or services.
var processCommands = []string{"kill", "pkill", "killall", "fuser", "systemctl", "service", "launchctl", "skill", "xkill"}

func endsProcesses(s *subject) bool {
	return s.runs(processCommands...)
}

func touchesJobs(s *subject) bool {
	return changesFiles(s) || s.runs("systemctl", "service", "crontab", "at", "atrm", "launchctl")
}

func sendsAnything(s *subject) bool { return s.ops[judge.Send] || s.network || len(s.hosts) > 0 }

func sendsFiles(s *subject) bool { return len(s.sent) > 0 || s.ops[judge.Send] || s.network }

func usesCredentials(s *subject) bool {
	return s.ops[judge.UseCredential] || usesCloud(s) || usesDatabase(s) || publishes(s) || s.runs("ssh", "scp", "rsync", "gh", "git push")
}

func usesCloud(s *subject) bool {
	return s.runs("kubectl", "helm", "k9s", "kustomize", "aws", "gcloud", "gsutil", "bq", "az", "terraform", "tofu", "pulumi", "eksctl")
}

func usesDocker(s *subject) bool {
	return s.runs("docker", "docker-compose", "podman", "podman-compose", "nerdctl")
}

func usesDatabase(s *subject) bool {
	return s.runs("psql", "pg_dump", "pg_restore", "dropdb", "createdb", "mysql", "mysqldump", "mariadb", "mongosh", "mongo", "redis-cli", "sqlcmd", "cockroach",
		"prisma", "npx prisma", "alembic", "flyway", "liquibase", "knex", "sequelize", "rails", "rake", "python manage.py", "manage.py", "dbmate", "goose", "atlas")
}

func publishes(s *subject) bool {
	return s.runs("npm", "yarn", "pnpm", "cargo publish", "twine", "gem push", "poetry publish", "uv publish", "docker push", "mvn deploy", "gradle publish")
}

func meetsGuards(s *subject) bool {
	return s.ops[judge.OverrideCheck] || s.runs("git commit", "git push", "git merge", "git rebase", "git config", "pre-commit", "husky") ||
		slices.ContainsFunc(s.changed, isGuard)
}
