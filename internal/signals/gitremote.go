package signals

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// gitRemote says where the repository pushes to.
func gitRemote(l *look) {
	r, err := l.repository(l.subject.cwd)
	if err != nil {
		if err == errNoRepository {
			l.unseen("no repository")
			return
		}
		l.miss(".git", err)
		return
	}
	known := !r.config.odd
	if !known {
		l.unseen("the settings of the repository include others")
	}
	user := l.ofUser()
	rewritten := r.config.rewrites() || user.rewrites()
	if rewritten {
		l.unseen("settings exchange the addresses of remotes")
	}
	l.names("remotes", l.remotesOf(r), known && !rewritten)
	if info, err := l.lstat(path.Join(r.common, "config")); err == nil && !l.session.Start.IsZero() {
		l.flag("changed_since_start", info.ModTime().After(l.session.Start), true)
	}
	push := r.config.last("push.default")
	l.word("push_default", push, known && (push != "" || !user.mayHave("push.default")))
	branch := ""
	if text, err := l.read(path.Join(r.dir, "HEAD"), maxRaw); err == nil {
		branch, _ = strings.CutPrefix(strings.TrimSpace(text), "ref: refs/heads/")
	}
	upstream := r.config.last("branch." + branch + ".remote")
	if merge := r.config.last("branch." + branch + ".merge"); upstream != "" {
		upstream += "/" + strings.TrimPrefix(merge, "refs/heads/")
	}
	l.word("upstream", upstream, known)
	text, ok := l.optional(r.common, "refs/remotes/origin/HEAD", maxRaw)
	l.word("default_branch", strings.TrimPrefix(strings.TrimSpace(text), "ref: refs/remotes/origin/"), ok)
}

// remotesOf names the remotes with their hosts.
func (l *look) remotesOf(r *repository) (all []string) {
	for _, name := range r.config.remotes() {
		for _, key := range []string{".url", ".pushurl"} {
			for _, u := range r.config.values["remote."+name+key] {
				all = append(all, name+" "+remoteHost(u))
			}
		}
	}
	return all
}

// remoteHost returns the host of a remote, or "local".
func remoteHost(address string) string {
	if host, ok := shell.RemoteHost(address); ok {
		return host
	}
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "local"
}

// Files that say who may change a branch.
var (
	ownerFiles = []string{"CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}
	ruleFiles  = []string{".github/settings.yml", ".github/settings.yaml"}
)

// maxRules is how many bytes a file of rules may have.
const maxRules = 256 << 10

// branchRules reads the rule files that lie in the repository. What the host of
// the repository enforces is asked of nobody: without a rule file it is unknown.
func branchRules(l *look) {
	r, err := l.repository(l.subject.cwd)
	if err != nil {
		l.miss(".git", err)
		return
	}
	owners, known := false, true
	for _, name := range ownerFiles {
		text, ok := l.optional(r.top, name, maxRules)
		owners, known = owners || text != "", known && ok
	}
	l.flag("owners", owners, owners || known)
	for _, name := range ruleFiles {
		text, err := l.below(r.top, name, maxRules)
		if absent(err) {
			continue
		}
		doc, ok := parseYAML(text)
		if err != nil || !ok {
			l.miss(name, firstError(err, errNotRead))
			return
		}
		l.settings(doc)
		return
	}
	l.unseen("no rule file lies in the repository; what its host enforces is not asked")
}

// settings reads the rules of a settings file: branches, each with a name and
// what protects it. Format: github.com/repository-settings.
func (l *look) settings(doc node) {
	var branches, checks []string
	admins := false
	for _, b := range doc.get("branches").items() {
		p := b.get("protection")
		if p.empty() {
			continue
		}
		branches = append(branches, b.get("name").text())
		for _, c := range p.get("required_status_checks").get("contexts").items() {
			checks = append(checks, c.text())
		}
		admins = admins || p.get("enforce_admins").text() == "true"
	}
	l.names("protected", branches, true)
	l.names("required_checks", checks, true)
	l.flag("applies_to_admins", admins, true)
}

// Bounds of reading workflows.
const (
	maxWorkflows     = 64
	maxWorkflowBytes = 1 << 20
)

// deploying matches names of workflows and jobs that bring something to others.
var deploying = regexp.MustCompile(`(?i)deploy|publish|release|rollout|promote`)

// ciConfig says what a push, a pull request or a tag starts.
func ciConfig(l *look) {
	r, err := l.repository(l.subject.cwd)
	if err != nil {
		l.miss(".git", err)
		return
	}
	files, complete := l.files(r.top, ".github/workflows", maxWorkflows)
	found := map[string][]string{}
	left := int64(maxWorkflowBytes)
	for _, name := range slices.Concat(files, []string{".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "azure-pipelines.yml"}) {
		text, ok := l.optional(r.top, name, max(left, 0))
		complete = complete && ok
		left -= int64(len(text))
		if text != "" {
			complete = l.workflow(name, text, found) && complete
		}
	}
	for _, key := range []string{"push", "merge", "tag", "deploys"} {
		l.names(key, found[key], complete)
	}
}

// workflow notes what starts one workflow, and reports whether that is known.
func (l *look) workflow(name, text string, found map[string][]string) bool {
	add := func(keys ...string) {
		for _, key := range keys {
			found[key] = append(found[key], name)
		}
	}
	if deploying.MatchString(text) {
		add("deploys")
	}
	if !strings.HasPrefix(name, ".github/") { // others run on each of these, unless they say more than is read here
		add("push", "merge", "tag")
		return true
	}
	doc, ok := parseYAML(text)
	if !ok {
		return l.miss(name, errNotRead)
	}
	on := doc.get("on")
	if on.empty() {
		on = doc.get("true") // how YAML 1.1 reads the word
	}
	push := on.get("push")
	if on.has("push") && (push.get("tags").empty() || !push.get("branches").empty()) {
		add("push")
	}
	if on.has("push") && (!push.get("tags").empty() || push.empty()) || on.has("release") || on.has("create") {
		add("tag")
	}
	if on.has("pull_request") || on.has("pull_request_target") || on.has("merge_group") {
		add("merge")
	}
	return true
}
