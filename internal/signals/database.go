package signals

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
)

// environmentFiles are the files in which projects keep the address of their data
// base, in the order in which most loaders fall back.
var environmentFiles = []string{".env", ".env.local", ".env.development", ".env.test", ".env.staging", ".env.production", ".envrc"}

// databaseTarget says which data base the action would reach. Passwords are left
// where they are.
func databaseTarget(l *look) {
	d := database{look: l, known: l.subject.cwd != "" && l.wordsKnown()}
	if l.subject.cwd == "" {
		l.unseen("the working directory is not known")
	}
	for _, c := range l.subject.commands {
		if usesDatabase(&subject{commands: []command{c}}) {
			d.command(c)
		}
	}
	if l.subject.cwd != "" {
		left := int64(maxSecrets)
		for _, name := range environmentFiles {
			text, ok := l.optional(l.subject.cwd, name, max(left, 0))
			d.known = d.known && ok
			left -= int64(len(text))
			settingsOf(text, func(_, key, value string) { d.setting(name, strings.ToUpper(key), value) })
		}
	}
	l.word("host_class", d.class(), d.known)
	l.names("databases", d.found, d.known)
	l.word("environment", environmentOf(slices.Concat(d.hosts, d.found, d.files)...), d.known)
	l.count("fallback_chain", d.settings, d.known)
}

type database struct {
	*look
	known               bool
	hosts, found, files []string
	settings            int
}

// command notes what the command itself names.
func (d *database) command(c command) {
	for _, w := range c.words {
		d.url(w)
	}
	if h := c.value("-h", "--host"); h != "" {
		d.hosts = append(d.hosts, h)
	}
	if n := c.value("-d", "--dbname", "--database", "-D"); n != "" {
		d.url(n)
		if !strings.Contains(n, "://") && !strings.Contains(n, "=") {
			d.found = append(d.found, n)
		}
	}
	d.operands(c)
}

// namedFirst are programs whose operands name data bases, with the options that
// take the word behind them.
var (
	namedFirst   = []string{"psql", "pg_dump", "dropdb", "createdb", "mysql", "mysqldump", "mariadb"}
	namedOptions = []string{"-h", "--host", "-p", "--port", "-U", "--username", "-u", "--user", "-c", "--command", "-e", "--execute", "-f", "--file", "-o", "--output",
		"-d", "--dbname", "--database", "-D", "-t", "--table", "-n", "--schema", "-v", "--set"}
)

// operands notes the data bases that operands name. A word behind another option
// may be either, and one with "=" may name anything.
func (d *database) operands(c command) {
	if !c.is(namedFirst...) {
		return
	}
	for i, w := range c.words {
		switch {
		case i == 0 || strings.HasPrefix(w, "-") || strings.Contains(w, "://") || slices.Contains(namedOptions, c.words[i-1]) && !strings.Contains(w, "="):
		case strings.Contains(w, "=") || strings.HasPrefix(c.words[i-1], "-"):
			d.known = d.miss("a word of "+c.name[0], errNotRead)
		default:
			d.found = append(d.found, w)
		}
	}
}

// databaseSchemes are the schemes of addresses of data bases.
var databaseSchemes = []string{"postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis", "rediss", "sqlserver", "cockroachdb", "jdbc"}

// url notes the host and the data base of an address.
func (d *database) url(text string) bool {
	u, err := url.Parse(strings.TrimPrefix(text, "jdbc:"))
	if err != nil || !slices.Contains(databaseSchemes, u.Scheme) {
		return false
	}
	if strings.Contains(u.Path, "@") { // a password with a slash: what is host and what name is not known
		d.known = d.miss("an address of a data base", errNotRead)
		return true
	}
	d.hosts = append(d.hosts, u.Hostname())
	if name := strings.Trim(u.Path, "/"); name != "" {
		d.found = append(d.found, name)
	}
	return true
}

// setting notes a setting that names a data base or its host.
func (d *database) setting(file, key, value string) {
	is := d.url(value)
	switch {
	case is:
	case strings.HasPrefix(value, "sqlite:"):
		is = true
		d.hosts, d.found = append(d.hosts, "localhost"), append(d.found, path.Base(value))
	case key == "PGHOST", strings.HasSuffix(key, "DB_HOST"), strings.HasSuffix(key, "DATABASE_HOST"), key == "MYSQL_HOST", key == "POSTGRES_HOST", key == "REDIS_HOST":
		is = value != ""
		d.hosts = append(d.hosts, value)
	case key == "PGDATABASE", strings.HasSuffix(key, "DB_NAME"), strings.HasSuffix(key, "DB_DATABASE"), key == "MYSQL_DATABASE", key == "POSTGRES_DB":
		is = value != ""
		d.found = append(d.found, value)
	}
	if is {
		d.settings++
		d.files = append(d.files, file)
	}
}

// class says where the hosts are.
func (d *database) class() string {
	is := ""
	for _, h := range d.hosts {
		c := "public"
		switch class := hostClass(h); {
		case class == "localhost" || h == "" || strings.HasPrefix(h, "/"):
			c = "local"
		case class == "internal":
			c = "private"
		}
		if is != "" && is != c {
			return "mixed"
		}
		is = c
	}
	return is
}

// registry says where a package would be published.
func registry(l *look) {
	s := registries{look: l, known: l.subject.places.Home != "" && l.subject.cwd != ""}
	if !s.known {
		l.unseen("home folder or working directory is not known")
	}
	for _, dir := range []string{l.subject.places.Home, l.subject.cwd} {
		if dir == "" {
			continue
		}
		for _, name := range []string{".npmrc", ".yarnrc.yml", ".pypirc", ".cargo/credentials.toml", ".cargo/config.toml"} {
			text, ok := l.optional(dir, name, maxSettings)
			s.known = s.known && ok
			settingsOf(text, s.setting)
		}
	}
	private := s.manifest()
	l.names("registries", s.hosts, s.known)
	l.flag("private", private, s.known)
	l.flag("publish_right", s.right, s.known)
	l.flag("dry_run_possible", l.subject.runs("npm", "pnpm", "yarn", "cargo", "poetry"), true)
}

type registries struct {
	*look
	known, right bool
	hosts        []string
}

func (s *registries) setting(_, key, value string) {
	lower := strings.ToLower(key + " " + value)
	s.right = s.right || strings.Contains(lower, "_auth") || strings.Contains(lower, "authtoken") || key == "token" || key == "password"
	for _, text := range []string{value, "https:" + key} { // of npm, the key of a token is the address
		if u, err := url.Parse(text); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
			s.hosts = append(s.hosts, u.Hostname())
		}
	}
}

// manifest reads what package.json says of publishing.
func (s *registries) manifest() (private bool) {
	if s.subject.cwd == "" {
		return false
	}
	text, ok := s.optional(s.subject.cwd, "package.json", maxSettings)
	var p struct {
		Private       bool
		PublishConfig struct{ Registry string }
	}
	if !ok || text != "" && json.Unmarshal([]byte(text), &p) != nil {
		s.known = false
	}
	s.setting("", "", p.PublishConfig.Registry)
	return p.Private
}
