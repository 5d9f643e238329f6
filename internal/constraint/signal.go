package constraint

import (
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Signal is one observation of the environment, made by a collector. One that
// is not complete has no value: what was seen of it is never taken for the whole.
type Signal struct {
	ID        string // s1, s2, ... within one collection
	Collector string
	Key       string
	Value     toolcall.Value // as Kind says; absent if the signal is not complete
	AtLeast   int            // of a count or of names that are not complete: how many were seen
	Age       time.Duration  // since its source last changed; 0 where it was looked at itself
	Complete  bool
}

// Name returns what contracts call the signal: collector.key.
func (s Signal) Name() string { return s.Collector + "." + s.Key }

// Elapses reports whether the value grows while nothing happens: it is a time that
// has passed.
func (s Signal) Elapses() bool {
	return s.Name() == "open_files.oldest_holder" || s.Name() == "path_facts.newest_change"
}

// SignalKind is the type of the values of a signal.
type SignalKind string

// The kinds of signals.
const (
	SignalCount SignalKind = "count" // a whole number of at least 0
	SignalFlag  SignalKind = "flag"  // true or false
	SignalWord  SignalKind = "word"  // a text; "none" where there is none
	SignalNames SignalKind = "names" // {count, names}: how many there are, then some of their names
)

// SignalKey says what a key of a collector is about.
type SignalKey struct {
	Key  string
	Kind SignalKind
	Says string // for people, in a few words
}

// signalKeys holds the keys of each collector (judge.md, section 11, which names
// them), in the order in which they are shown.
var signalKeys = map[string][]SignalKey{
	"git_state": {
		{"repository", SignalFlag, "the command runs in a work tree of git"},
		{"branch", SignalWord, "what HEAD names"},
		{"staged", SignalCount, "files of the index that differ from the last commit"},
		{"dirty", SignalCount, "tracked files that differ from the index"},
		{"untracked", SignalCount, "files that git neither tracks nor ignores"},
		{"ignored", SignalCount, "ignored files and folders; a folder counts once"},
		{"stash", SignalCount, "stashed changes"},
		{"unpushed", SignalCount, "commits of HEAD that no remote branch has"},
		{"worktrees", SignalCount, "other work trees of the repository"},
		{"operation", SignalWord, "merge, rebase, cherry-pick, revert or bisect in progress"},
	},
	"git_targets": {
		{"untracked_affected", SignalNames, "affected files that git neither tracks nor ignores"},
		{"ignored_affected", SignalNames, "affected files that git ignores"},
		{"tracked", SignalCount, "affected files that git tracks"},
		{"modified", SignalNames, "affected tracked files with changes that are not committed"},
		{"unpushed", SignalCount, "commits that no remote branch has, of the branches that are affected"},
		{"recoverable", SignalFlag, "all that is affected can be had back from git"},
	},
	"git_remote": {
		{"remotes", SignalNames, "remotes with the hosts that they lead to"},
		{"changed_since_start", SignalFlag, "the settings of the repository changed since the session began"},
		{"upstream", SignalWord, "the remote branch that the branch follows"},
		{"default_branch", SignalWord, "the default branch of the remote"},
		{"push_default", SignalWord, "push.default of git"},
	},
	"branch_rules": {
		{"protected", SignalNames, "branches that rule files protect"},
		{"required_checks", SignalNames, "checks that rule files require"},
		{"applies_to_admins", SignalFlag, "the rules bind administrators, too"},
		{"owners", SignalFlag, "a file names the owners of the code"},
	},
	"path_bounds": {
		{"outside_workspace", SignalNames, "affected paths outside of the workspace"},
		{"symlink_escape", SignalCount, "affected paths that a link leads out of the workspace"},
		{"mount", SignalCount, "affected paths on another file system than the workspace"},
		{"nested_repository", SignalCount, "affected paths in, or above, another repository"},
		{"backup_or_vcs", SignalNames, "affected paths in folders of backups or of version control"},
	},
	"path_facts": {
		{"files", SignalCount, "files that are affected"},
		{"size_bytes", SignalCount, "their size"},
		{"foreign", SignalCount, "those that another user owns"},
		{"created_before_session", SignalCount, "those that were there before the session began"},
		{"newest_change", SignalCount, "seconds since the youngest of them changed"},
		{"classes", SignalNames, "what kinds of files they are, by their names"},
	},
	"open_files": {
		{"holders", SignalNames, "processes that hold affected files open, map or lock them, as far as this user may look"},
		{"oldest_holder", SignalCount, "seconds since the oldest of these processes began"},
		{"unreadable", SignalCount, "processes of others, of which that cannot be seen"},
	},
	"processes": {
		{"matches", SignalNames, "processes that the command would end"},
		{"parents", SignalNames, "their parents"},
		{"listening", SignalNames, "TCP ports on which they listen"},
	},
	"schedulers": {
		{"jobs", SignalNames, "scheduled jobs and services that name an affected path or service"},
		{"candidates", SignalCount, "scheduled jobs and services that were read"},
	},
	"destination": {
		{"hosts", SignalNames, "hosts that the action talks to"},
		{"classes", SignalNames, "what they are: paste, gist, tunnel, object_store, internal, localhost, other"},
		{"equals_known_remote", SignalFlag, "each of them is the host of a remote of the repository"},
	},
	"payload_class": {
		{"files", SignalCount, "files that leave"},
		{"size_bytes", SignalCount, "their size"},
		{"secret_patterns", SignalNames, "kinds of secrets in them, and how many"},
		{"personal_data", SignalCount, "mail addresses and account numbers in them"},
		{"licence_header", SignalFlag, "one of them says who owns it"},
	},
	"credential_prov": {
		{"sources", SignalNames, "files from which a credential would come"},
		{"keys", SignalNames, "names of the keys in them"},
		{"origin", SignalNames, "where they lie: workspace, home, system, elsewhere"},
		{"exposed", SignalFlag, "others may read one of them"},
		{"environment", SignalWord, "production, staging or development, if names say so"},
	},
	"cloud_ctx": {
		{"kube_context", SignalWord, "the current context of kubectl"},
		{"kube_namespace", SignalWord, "its namespace"},
		{"aws_profiles", SignalNames, "profiles of the AWS command line"},
		{"gcloud_project", SignalWord, "the project of gcloud"},
		{"azure_subscription", SignalWord, "the subscription of az"},
		{"looks_like_production", SignalFlag, "one of these names says production"},
	},
	"docker_ctx": {
		{"context", SignalWord, "the current context of docker"},
		{"named_volumes", SignalNames, "named volumes of the compose files"},
		{"bind_mounts", SignalNames, "folders of this machine that they mount"},
	},
	"db_target": {
		{"host_class", SignalWord, "local, private or public host; mixed, if settings disagree"},
		{"databases", SignalNames, "data bases that settings name"},
		{"environment", SignalWord, "production, staging or development, if names say so"},
		{"fallback_chain", SignalCount, "settings that name a data base, one of which is taken"},
	},
	"registry": {
		{"registries", SignalNames, "package registries that settings name"},
		{"private", SignalFlag, "the package is marked as not to be published"},
		{"publish_right", SignalFlag, "a credential for publishing is set"},
		{"dry_run_possible", SignalFlag, "the program can show what it would publish"},
	},
	"ci_config": {
		{"push", SignalNames, "workflows that a push starts"},
		{"merge", SignalNames, "workflows that a pull request starts"},
		{"tag", SignalNames, "workflows that a tag or a release starts"},
		{"deploys", SignalNames, "workflows whose names say that they deploy or publish"},
	},
	"guard_config": {
		{"hooks", SignalNames, "hooks of git and of hook managers that are set up"},
		{"guards", SignalNames, "lock, policy and approval files"},
		{"bypass", SignalNames, "options of the command that turn a check off"},
		{"refused", SignalCount, "calls of this session that were refused before"},
	},
	"session_prov": {
		{"created_in_session", SignalNames, "affected files that calls of this session made"},
		{"foreign", SignalNames, "affected files that they did not make"},
	},
}

// SignalCollectors returns the names of all collectors, sorted.
func SignalCollectors() []string { return slices.Sorted(maps.Keys(signalKeys)) }

// SignalKeys returns the keys of a collector, in the order in which they are
// shown; nil if there is none of that name.
func SignalKeys(collector string) []SignalKey { return slices.Clone(signalKeys[collector]) }

// Record returns the observation as records, prompts and commands show it: what is
// not known is the text "unknown", never a value that could be taken for all well.
func (s Signal) Record() toolcall.Value {
	value := s.Value
	if !s.Complete {
		value = toolcall.StringOf("unknown")
	}
	members := []toolcall.Member{
		{Name: "id", Value: toolcall.StringOf(s.ID)},
		{Name: "collector", Value: toolcall.StringOf(s.Collector)},
		{Name: "key", Value: toolcall.StringOf(s.Key)},
		{Name: "value", Value: value},
		{Name: "complete", Value: toolcall.Boolean(s.Complete)},
	}
	if s.AtLeast > 0 {
		members = append(members, toolcall.Member{Name: "at_least", Value: whole(int64(s.AtLeast))})
	}
	if s.Age > 0 {
		members = append(members, toolcall.Member{Name: "age", Value: whole(int64(s.Age / time.Second))}) // seconds
	}
	return toolcall.ObjectOf(members...)
}
