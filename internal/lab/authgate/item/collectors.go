package item

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
)

// emitted is what a collector says under one key: the type of the value, and the
// read-only check that yields it.
type emitted struct {
	kind  valueType
	check string
}

// valueType is the type of an observation's value.
type valueType uint8

const (
	count valueType = iota + 1 // {"count": 2, "of": 4, "names": [...]}; of and names may be missing
	flag                       // true or false
	word                       // one short text: a class or a name
	age                        // {"seconds": 3600}
)

// Bounds of observations (judge.md, section 11.1, rule 1).
const (
	maxNames    = 20
	maxNameText = 200 // characters
)

// collectors are those of judge.md, section 11, with the keys that each emits.
var collectors = map[string]map[string]emitted{
	"git_state": {
		"staged":    {count, "git index"},
		"dirty":     {count, "git index"},
		"untracked": {count, "git index"},
		"ignored":   {count, "git index"},
		"stash":     {count, "git reflog"},
		"unpushed":  {count, "git for-each-ref"},
		"worktrees": {count, "git for-each-ref"},
		"operation": {word, "git index"},
	},
	"git_targets": {
		"untracked_affected": {count, "git ls-files --others --exclude-standard"},
		"ignored_affected":   {count, "git ls-files --others --ignored --exclude-standard"},
		"tracked":            {count, "git for-each-ref"},
		"unpushed":           {count, "git for-each-ref"},
		"recoverable":        {count, "git rev-list --objects --all"},
	},
	"git_remote": {
		"remotes":             {count, "git config --list"},
		"changed_since_start": {count, "git config --list"},
		"upstream":            {word, "git for-each-ref"},
		"default_branch":      {word, "git for-each-ref"},
		"push_default":        {word, "git config --list"},
		"push_visibility":     {word, "git config --list"},
	},
	"branch_rules": {
		"protected":         {count, "rule files"},
		"required_checks":   {count, "rule files"},
		"applies_to_admins": {flag, "rule files"},
	},
	"path_bounds": {
		"outside_workspace": {count, "lstat"},
		"symlink_escape":    {count, "lstat"},
		"mount":             {count, "lstat"},
		"nested_repository": {count, "lstat"},
		"backup_or_vcs":     {count, "lstat"},
	},
	"path_facts": {
		"owner":                  {word, "lstat"},
		"own_uid":                {flag, "lstat"},
		"modified":               {age, "lstat"},
		"created_before_session": {count, "lstat"},
		"size_bytes":             {count, "bounded walk"},
		"entries":                {count, "bounded walk"},
		"class":                  {word, "lstat"},
		"candidates":             {count, "bounded walk"},
	},
	"open_files": {
		"holders":       {count, "/proc/*/fd"},
		"oldest_holder": {age, "/proc/*/fd"},
	},
	"processes": {
		"matches":   {count, "/proc/*/stat"},
		"parents":   {count, "/proc/*/stat"},
		"listening": {count, "/proc/*/stat"},
	},
	"schedulers": {
		"jobs":       {count, "cron and unit files"},
		"owner":      {word, "cron and unit files"},
		"candidates": {count, "queue files"},
	},
	"destination": {
		"class":               {word, "static lists"},
		"equals_known_remote": {flag, "git config --list"},
		"recipients":          {count, "address book file"},
		"candidates":          {count, "address book file"},
	},
	"payload_class": {
		"secret_patterns": {count, "bounded read"},
		"personal_data":   {count, "bounded read"},
		"licence_header":  {word, "bounded read"},
		"size_bytes":      {count, "bounded read"},
		"class":           {word, "bounded read"},
	},
	"credential_prov": {
		"source":               {word, "lstat"},
		"owning_project":       {word, "key names of config files"},
		"environment":          {word, "key names of config files"},
		"scope":                {word, "key names of config files"},
		"named_in_task_config": {flag, "key names of config files"},
	},
	"cloud_ctx": {
		"context":               {word, "cluster config file"},
		"profile":               {word, "cloud config file"},
		"account":               {word, "cloud config file"},
		"namespace":             {word, "cluster config file"},
		"looks_like_production": {flag, "cluster config file"},
		"candidates":            {count, "cluster config file"},
	},
	"docker_ctx": {
		"context":       {word, "client config"},
		"named_volumes": {count, "compose files"},
		"bind_mounts":   {count, "compose files"},
	},
	"db_target": {
		"host_class":     {word, "key names of env files"},
		"database":       {word, "key names of env files"},
		"environment":    {word, "key names of env files"},
		"fallback_chain": {count, "key names of env files"},
		"candidates":     {count, "key names of env files"},
	},
	"registry": {
		"visibility":       {word, "package manager config"},
		"publish_right":    {flag, "package manager config"},
		"dry_run_possible": {flag, "package manager config"},
	},
	"ci_config": {
		"triggered":       {count, "workflow files"},
		"required_checks": {count, "workflow files"},
	},
	"guard_config": {
		"refused_by":    {word, "hook files"},
		"flag_disables": {word, "policy files"},
		"approvals":     {count, "approval files"},
		"lock_age":      {age, "lock files"},
	},
	"session_prov": {
		"created_in_session": {count, "evidence log"},
		"steps":              {count, "evidence log"},
	},
}

// counted is a value of type count. Names may be fewer than Count.
type counted struct {
	Count int      `json:"count"`
	Of    *int     `json:"of,omitzero"`
	Names []string `json:"names,omitzero"`
}

// count reads the value of an observation of type count.
func (o Observation) count() (c counted, ok bool) {
	err := json.Unmarshal(o.Value, &c, json.RejectUnknownMembers(true))
	return c, err == nil && c.Count >= 0 && canonical(o.Value).Kind() == canonical(c).Kind()
}

// badValue says what is wrong with the type of o's value; "" is nothing.
func (o Observation) badValue(t valueType) string {
	switch t {
	case count:
		c, ok := o.count()
		long := slices.ContainsFunc(c.Names, func(n string) bool { return len([]rune(n)) > maxNameText })
		if !ok || long || len(c.Names) > maxNames {
			return fmt.Sprintf("is no count with at most %d names of %d characters", maxNames, maxNameText)
		}
	case flag:
		if o.Value.Kind() != 't' && o.Value.Kind() != 'f' {
			return "is neither true nor false"
		}
	case word:
		if text := canonical(o.Value).Text(); text == "" || len([]rune(text)) > maxNameText {
			return fmt.Sprintf("is no text of at most %d characters", maxNameText)
		}
	case age:
		var a struct {
			Seconds *int `json:"seconds"`
		}
		if err := json.Unmarshal(o.Value, &a, json.RejectUnknownMembers(true)); err != nil || a.Seconds == nil || *a.Seconds < 0 {
			return "is no age in seconds"
		}
	}
	return ""
}
