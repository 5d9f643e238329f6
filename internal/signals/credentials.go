package signals

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Bounds of reading settings.
const (
	maxSettings = 64 << 10
	maxSecrets  = 256 << 10 // of all files that hold credentials
	maxContexts = 256 << 10 // of one file of a cloud command line
)

// credentialFiles are the files from which programs take credentials, below home.
var credentialFiles = []struct {
	programs []string
	files    []string
}{
	{[]string{"aws", "terraform", "tofu"}, []string{".aws/credentials", ".aws/config"}},
	{[]string{"kubectl", "helm", "k9s", "eksctl"}, []string{".kube/config"}},
	{[]string{"gcloud", "gsutil", "bq"}, []string{".config/gcloud/application_default_credentials.json", ".config/gcloud/credentials.db"}},
	{[]string{"az"}, []string{".azure/msal_token_cache.json"}},
	{[]string{"docker", "podman"}, []string{".docker/config.json"}},
	{[]string{"npm", "pnpm", "yarn"}, []string{".npmrc", ".yarnrc.yml"}},
	{[]string{"cargo"}, []string{".cargo/credentials.toml", ".cargo/credentials"}},
	{[]string{"twine", "poetry", "uv"}, []string{".pypirc"}},
	{[]string{"git", "gh"}, []string{".git-credentials", ".netrc", ".config/gh/hosts.yml", ".config/git/credentials"}},
	{[]string{"curl", "wget"}, []string{".netrc"}},
	{[]string{"psql", "pg_dump", "pg_restore", "dropdb", "createdb"}, []string{".pgpass"}},
	{[]string{"mysql", "mysqldump", "mariadb"}, []string{".my.cnf"}},
	{[]string{"ssh", "scp", "rsync"}, []string{".ssh/config", ".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/id_ecdsa"}},
}

// secretFile matches names of files that hold credentials.
var secretFile = regexp.MustCompile(`(?i)^\.env(\..*)?$|\.(pem|key|p12|pfx|kdbx)$|credential|secret|^id_[a-z0-9]+$|^\.?(netrc|npmrc|pypirc|pgpass|htpasswd)$|token`)

// keyName matches what is the name of a key in a file of settings.
var keyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// credentialProvenance says where the credentials come from that the action would
// use. Of what they say only the names of keys are looked at.
func credentialProvenance(l *look) {
	c := credentials{look: l, left: maxSecrets, known: l.subject.places.Home != "" && l.wordsKnown() && !slices.ContainsFunc(l.subject.inner, command.isOther)}
	for _, dir := range []string{l.subject.cwd, l.subject.home()} {
		if dir != "" && usesDatabase(l.subject) {
			c.file(path.Join(dir, ".env"))
		}
	}
	for _, f := range slices.Concat(l.subject.read, l.subject.sent, l.subject.changed) {
		if secretFile.MatchString(path.Base(f)) {
			c.file(f)
		}
	}
	for _, of := range credentialFiles {
		if l.subject.runs(of.programs...) && l.subject.places.Home != "" {
			for _, f := range of.files {
				c.file(path.Join(l.subject.places.Home, f))
			}
		}
	}
	if !c.known {
		l.unseen("not every file is known from which a credential may come")
	}
	l.names("sources", l.subject.showAll(c.sources), c.known)
	l.names("keys", c.keys, c.known)
	l.names("origin", c.origins, c.known)
	l.flag("exposed", c.exposed, c.known)
	l.word("environment", environmentOf(slices.Concat(c.sources, c.keys, c.sections)...), c.known)
}

// isOther reports whether a command may take credentials from files that are not
// listed here.
func (c command) isOther() bool {
	for _, of := range credentialFiles {
		if c.is(of.programs...) {
			return false
		}
	}
	return !c.is(processCommands...)
}

// wordsKnown reports whether all words of the commands are known, and notes it if
// not: one of them may choose another context.
func (l *look) wordsKnown() bool {
	if l.subject.loose {
		l.unseen("a word of the command is not known")
	}
	return !l.subject.loose
}

type credentials struct {
	*look
	left                             int64
	known, exposed                   bool
	sources, keys, origins, sections []string
}

// file looks at one file, if it is there.
func (c *credentials) file(name string) {
	if slices.Contains(c.sources, name) {
		return
	}
	info, err := c.lstat(name)
	if absent(err) {
		return
	}
	if err != nil || !info.Mode().IsRegular() {
		c.known = c.miss(name, firstError(err, errNotRegular))
		return
	}
	c.sources = append(c.sources, name)
	c.origins = append(c.origins, c.origin(name))
	c.exposed = c.exposed || info.Mode().Perm()&0o044 != 0
	text, err := c.read(name, max(c.left, 0))
	if err != nil {
		c.known = c.miss(name, err)
		return
	}
	c.left -= int64(len(text))
	if strings.Contains(text, "-----BEGIN") || strings.HasPrefix(text, "SQLite format") {
		return // no settings: what looks like a key may be part of a secret
	}
	settingsOf(text, func(section, key, value string) {
		// Without a value behind it the key may be the secret: base64 ends with "=".
		if value != "" && keyName.MatchString(key) && len(c.keys) < maxRefs {
			c.keys = append(c.keys, key)
		}
		if keyName.MatchString(section) && len(c.sections) < maxRefs {
			c.sections = append(c.sections, section)
		}
	})
}

func (c *credentials) origin(name string) string {
	switch places := c.subject.places; {
	case places.Workspace != "" && within(name, places.Workspace), c.subject.cwd != "" && within(name, c.subject.cwd):
		return "workspace"
	case places.Home != "" && within(name, places.Home):
		return "home"
	case within(name, "/etc"), within(name, "/var"), within(name, "/usr"):
		return "system"
	}
	return "elsewhere"
}

// cloudContext says which cluster and account the command lines of clouds talk to.
func cloudContext(l *look) {
	if l.subject.places.Home == "" {
		l.unseen("the home folder is not known")
		return
	}
	if !l.wordsKnown() {
		return
	}
	context, namespace, known := l.kubeContext()
	if l.option("--kubeconfig", "--cluster", "-s", "--server", "--kube-apiserver") != "" {
		known = l.miss("kubectl", errChosen)
	}
	l.word("kube_context", context, known)
	l.word("kube_namespace", namespace, known)
	text, ok := l.optional(l.subject.places.Home, ".aws/config", maxContexts)
	var profiles []string
	settingsOf(text, func(section, _, _ string) { profiles = append(profiles, strings.TrimPrefix(section, "profile ")) })
	profile := l.option("--profile")
	if profile != "" {
		profiles = []string{profile}
	}
	l.names("aws_profiles", profiles, ok)
	known = known && ok
	project, ok := l.gcloudProject()
	l.word("gcloud_project", project, ok)
	known = known && ok
	subscription, ok := l.azureSubscription()
	l.word("azure_subscription", subscription, ok)
	l.flag("looks_like_production", environmentOf(context, namespace, profile, project, subscription) == "production", known && ok)
}

// option returns the value that a command gives one of these options, "" if none
// does.
func (l *look) option(names ...string) string {
	for _, c := range l.subject.commands {
		if v := c.value(names...); v != "" {
			return v
		}
	}
	return ""
}

// kubeContext reads the settings of kubectl. Certificates and tokens in them are
// not looked at.
func (l *look) kubeContext() (context, namespace string, known bool) {
	text, known := l.optional(l.subject.places.Home, ".kube/config", maxContexts)
	doc, ok := parseYAML(text)
	if text != "" && !ok {
		return "", "", l.miss(".kube/config", errNotRead)
	}
	if context = l.option("--context", "--kube-context"); context == "" {
		context = doc.get("current-context").text()
	}
	for _, c := range doc.get("contexts").items() {
		if c.get("name").text() == context {
			namespace = c.get("context").get("namespace").text()
		}
	}
	if n := l.option("-n", "--namespace"); n != "" {
		namespace = n
	}
	return context, namespace, known
}

// errChosen says that the command takes other settings than those that are read.
var errChosen = errors.New("the command chooses its settings itself")

func (l *look) gcloudProject() (project string, known bool) {
	if p := l.option("--project"); p != "" {
		return p, true
	}
	if l.option("--configuration") != "" {
		return "", l.miss("gcloud", errChosen)
	}
	active, known := l.optional(l.subject.places.Home, ".config/gcloud/active_config", maxRaw)
	active = strings.TrimSpace(active)
	if active == "" || !keyName.MatchString(active) {
		return "", known && active == ""
	}
	text, known := l.optional(l.subject.places.Home, ".config/gcloud/configurations/config_"+active, maxContexts)
	settingsOf(text, func(_, key, value string) {
		if key == "project" {
			project = value
		}
	})
	return project, known
}

func (l *look) azureSubscription() (name string, known bool) {
	if s := l.option("--subscription"); s != "" {
		return s, true
	}
	text, known := l.optional(l.subject.places.Home, ".azure/azureProfile.json", maxContexts)
	doc, ok := parseYAML(strings.TrimPrefix(text, "\uFEFF"))
	if text != "" && !ok {
		return "", l.miss("azureProfile.json", errNotRead)
	}
	for _, s := range doc.get("subscriptions").items() {
		if s.get("isDefault").text() == "true" {
			name = s.get("name").text()
		}
	}
	return name, known
}

// composeFiles are the names that docker compose looks for.
var composeFiles = []string{"compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml", "docker-compose.override.yml"}

// dockerContext says which daemon the client talks to, and what compose files
// mount. The daemon is not asked.
func dockerContext(l *look) {
	if h := l.subject.places.Home; h == "" {
		l.unseen("the home folder is not known")
	} else if text, ok := l.optional(h, ".docker/config.json", maxContexts); ok {
		doc, read := parseYAML(text)
		context := doc.get("currentContext").text()
		if c := l.option("--context", "-c"); c != "" && l.subject.runs("docker") {
			context = c
		}
		if context == "" {
			context = "default"
		}
		chosen := l.option("-H", "--host", "--config") != "" && l.subject.runs("docker")
		if chosen {
			l.miss("docker", errChosen)
		}
		l.word("context", context, (text == "" || read) && !chosen && l.wordsKnown())
	}
	if l.subject.cwd == "" {
		l.unseen("the working directory is not known")
		return
	}
	var volumes, binds []string
	known := true
	for _, c := range l.subject.commands {
		composes := c.is("docker-compose", "podman-compose") || slices.Contains(c.words, "compose")
		if composes && c.value("-f", "--file", "--project-directory") != "" {
			known = l.miss("compose", errChosen)
		}
	}
	for _, name := range composeFiles {
		text, ok := l.optional(l.subject.cwd, name, maxContexts)
		doc, read := parseYAML(text)
		if !ok || text != "" && !read {
			known = l.miss(name, errNotRead)
		}
		volumes = append(volumes, doc.get("volumes").keys()...)
		binds = append(binds, bindsOf(doc)...)
	}
	l.names("named_volumes", volumes, known)
	l.names("bind_mounts", binds, known)
}

// bindsOf returns the folders of this machine that services mount, in the short
// form (source:target) and the long one.
func bindsOf(doc node) (all []string) {
	for _, service := range doc.get("services").items() {
		for _, v := range service.get("volumes").items() {
			source, _, mounts := strings.Cut(v.text(), ":")
			if v.get("type").text() == "bind" {
				source, mounts = v.get("source").text(), true
			}
			if mounts && source != "" && strings.ContainsAny(source[:1], "./~") {
				all = append(all, source)
			}
		}
	}
	return all
}
