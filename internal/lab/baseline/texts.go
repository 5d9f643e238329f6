package baseline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// expressions say with RE2, which Rego and CEL share, what a text must look like:
// it matches all of must and none of not, and each word that extract finds in its
// lower-case form matches known.
type expressions struct {
	must, not      []string
	extract, known string // "" = nothing is extracted
}

// textKinds write the constraints on texts as expressions, the way policies in
// these languages usually do. They return false for an operand that expressions
// do not capture. never is the side: an expression that forbids looks for the
// text anywhere.
var textKinds = map[string]func(p policy, operand toolcall.Value, never bool) (expressions, bool){
	"pattern": patternText,
	"path":    pathText,
	"url":     urlText,
	"email":   emailText,
	"shell":   shellText,
	"sql":     sqlText,
}

// anyOf is an expression for one of several.
func anyOf(all []string) string { return "(?:" + strings.Join(all, "|") + ")" }

func quoteAll(all []string) []string {
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = regexp.QuoteMeta(s)
	}
	return quoted
}

func patternText(_ policy, v toolcall.Value, _ bool) (expressions, bool) {
	return expressions{must: []string{`^(?s:` + v.Text() + `)$`}}, true
}

// up finds a path that leads upwards somewhere.
const up = `(?:^|/)\.\.(?:/|$)`

// odd finds what names a file in two ways, once a path is absolute.
const odd = `/~|\\|[\x00-\x1f]`

// guarded finds the guarded files that no pattern names without a wildcard.
func guarded(patterns []string) string {
	var all []string
	for _, g := range constraint.GuardedPatterns() {
		named := func(pattern string) bool {
			return !strings.Contains(pattern, "*") && strings.HasSuffix(pattern, "/"+g.Pattern)
		}
		if !slices.ContainsFunc(patterns, named) {
			all = append(all, glob(g.Pattern, false))
		}
	}
	return `(?i)/` + anyOf(all) + `$`
}

// pathText compares the text of an absolute path. What the path leads to, once
// links are followed and letter case does not count, is on the disk.
func pathText(p policy, v toolcall.Value, never bool) (expressions, bool) {
	patterns, write := v.Get("read"), false
	if patterns.Kind() == toolcall.Absent {
		patterns, write = v.Get("write"), true
	}
	covers, excludes := p.globs(words(patterns), write)
	if never {
		return expressions{must: []string{`^(?i:` + anyOf(covers) + `)$|` + up}}, true
	}
	e := expressions{must: []string{`^` + anyOf(covers) + `$`}, not: []string{up, odd}}
	if write {
		e.not = append(e.not, guarded(words(patterns)))
	}
	if len(excludes) > 0 {
		e.not = append(e.not, `^(?i:`+anyOf(excludes)+`)$`)
	}
	return e, true
}

// globs writes patterns of paths as expressions.
func (p policy) globs(patterns []string, write bool) (covers, excludes []string) {
	for _, pattern := range patterns {
		full := p.expand(pattern)
		if excluded, is := strings.CutPrefix(full, "!"); is {
			excludes = append(excludes, glob(excluded, false))
		} else {
			covers = append(covers, glob(full, write))
		}
	}
	return covers, excludes
}

func glob(pattern string, write bool) string {
	tree, deep := strings.CutSuffix(pattern, "/**")
	expr := strings.ReplaceAll(regexp.QuoteMeta(tree), `\*`, `[^/]*`)
	switch {
	case deep && write:
		return expr + `/.+`
	case deep:
		return expr + `(?:/.*)?`
	}
	return expr
}

// hosts writes names of hosts as expressions.
func hosts(all []string) string {
	var exprs []string
	for _, h := range all {
		if domain, wild := strings.CutPrefix(h, "*."); wild {
			exprs = append(exprs, `(?:[A-Za-z0-9-]+\.)+`+regexp.QuoteMeta(domain))
		} else {
			exprs = append(exprs, regexp.QuoteMeta(h))
		}
	}
	return `(?i:` + strings.Join(exprs, "|") + `)`
}

// urlText allows only plain URLs: what needs a parser to be told apart is not
// among them.
func urlText(_ policy, v toolcall.Value, never bool) (expressions, bool) {
	host := `[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`
	if list := v.Get("hosts"); list.Kind() != toolcall.Absent {
		host = hosts(words(list))
	}
	if never {
		if v.Get("hosts").Kind() == toolcall.Absent {
			return expressions{}, false
		}
		return expressions{must: []string{`(?i)^\s*(?:[a-z]+:)?[/\\]*(?:[^/\\]*@)?` + host + `\.?(?::\d*)?(?:[/\\?#]|$)`}}, true
	}
	schemes := []string{"https"}
	if list := v.Get("schemes"); list.Kind() != toolcall.Absent {
		schemes = words(list)
	}
	port := ""
	if list := v.Get("ports"); list.Kind() != toolcall.Absent {
		var all []string
		for i := range list.Len() {
			all = append(all, list.Elem(i).Canonical())
		}
		port = `(?::` + anyOf(all) + `)?`
	}
	path := `(?:/[A-Za-z0-9._~!$&'()*+,;=:@/-]*)?`
	if list := v.Get("paths"); list.Kind() != toolcall.Absent {
		path = anyOf(quoteAll(words(list))) + `(?:/[A-Za-z0-9._~!$&'()*+,=:@/-]*)?`
	}
	return expressions{
		must: []string{`^(?i:` + strings.Join(schemes, "|") + `)://` + host + port + path + `(?:[?][^\s#]*)?(?:#\S*)?$`},
		not:  []string{`^[^?#]*/\.\.?(?:[/?#]|$)`},
	}, true
}

func emailText(_ policy, v toolcall.Value, never bool) (expressions, bool) {
	var all []string
	if list := v.Get("domains"); list.Kind() != toolcall.Absent {
		all = append(all, `[A-Za-z0-9._+-]+@`+hosts(words(list)))
	}
	for _, address := range words(v.Get("addresses")) {
		all = append(all, regexp.QuoteMeta(address))
	}
	if never {
		return expressions{must: []string{`(?i)(?:^|[^A-Za-z0-9._+-])` + anyOf(all) + `(?:[^A-Za-z0-9.-]|$)`}}, true
	}
	one := anyOf(all)
	one = `(?:` + one + `|[A-Za-z .]*<` + one + `>)`
	return expressions{must: []string{`^` + one + `(?:, *` + one + `)*$`}}, true
}

// shellText allows a command that begins with the words of an entry and goes on
// with words in which the shell sees nothing but text.
func shellText(p policy, v toolcall.Value, never bool) (expressions, bool) {
	run := append(words(v.Get("run")), words(v.Get("opaque"))...)
	if never {
		return shellNever(p, v, run)
	}
	var e expressions
	var commands []string
	for _, entry := range run {
		if excluded, is := strings.CutPrefix(entry, "!"); is {
			e.not = append(e.not, command(excluded)+`(?:\s|$)`)
		} else {
			commands = append(commands, command(entry))
		}
	}
	if len(commands) == 0 {
		return e, false
	}
	word := `(?:[A-Za-z0-9_@%+=:,.-][A-Za-z0-9_@%+=:,./-]*|'[^'/~]*'|"[^"$` + "`" + `\\/~]*")`
	covers, _ := p.globs(append(words(v.Get("read")), words(v.Get("write"))...), false)
	if len(covers) > 0 {
		word = `(?:` + word + `|` + anyOf(covers) + `)`
		word = strings.ReplaceAll(word, `.*`, `[A-Za-z0-9_@%+=:,./-]*`) // no blank ends a word
	}
	e.must = []string{`^` + anyOf(commands) + `(?: +` + word + `)*$`}
	e.not = append(e.not, `(?:^|[ /=:])\.\.(?:[/ ]|$)`)
	return e, true
}

// command writes an entry of run as an expression.
func command(entry string) string {
	return strings.Join(quoteAll(strings.Fields(entry)), ` +`)
}

// shellNever looks for words of an entry, a host or the beginning of a path
// anywhere in the command.
func shellNever(p policy, v toolcall.Value, run []string) (expressions, bool) {
	var all []string
	for _, entry := range run {
		all = append(all, `(?:^|[^A-Za-z0-9_.-])`+strings.Join(quoteAll(strings.Fields(entry)), `\s+(?:-\S+\s+)*`)+`(?:[^A-Za-z0-9_-]|$)`)
	}
	for _, pattern := range append(words(v.Get("read")), words(v.Get("write"))...) {
		literal, _, _ := strings.Cut(p.expand(pattern), "*")
		all = append(all, regexp.QuoteMeta(strings.TrimSuffix(literal, "/")))
	}
	if net := words(v.Get("net")); len(net) > 0 {
		all = append(all, hosts(net))
	}
	return expressions{must: []string{anyOf(all)}}, len(all) > 0
}

// sqlClasses are words by which statements of a class are recognised in a text.
var sqlClasses = map[string][]string{
	"select": {"select", "with", "values"}, "insert": {"insert"}, "update": {"update"}, "delete": {"delete"},
	"merge": {"merge"}, "truncate": {"truncate"}, "create": {"create"}, "alter": {"alter"}, "drop": {"drop"},
	"grant": {"grant", "revoke"}, "copy": {"copy"}, "lock": {"lock"}, "transaction": {"begin", "commit", "rollback", "savepoint"},
	"session": {"set", "reset", "declare", "fetch", "prepare"}, "maintain": {"vacuum", "analyze", "reindex"},
}

// sqlFunctions are the functions that policies on SQL texts usually forbid.
const sqlFunctions = `pg_[a-z_]+|lo_[a-z_]+|dblink[a-z_]*|load_extension|nextval|setval|set_config|query_to_xml|readfile|writefile`

// sqlName finds what a statement names as a table.
const sqlName = `\b(?:from|join|into|update|table)\s+(?:only\s+)?([a-z0-9_."$]+)`

// sqlText looks for words: an expression cannot parse.
func sqlText(_ policy, v toolcall.Value, never bool) (expressions, bool) {
	classes := words(v.Get("statements"))
	if never {
		return sqlNever(v, classes)
	}
	if len(classes) == 0 {
		classes = []string{"select"}
	}
	var first, others []string
	for class, begin := range sqlClasses {
		if slices.Contains(classes, class) {
			first = append(first, begin...)
		} else {
			others = append(others, begin...)
		}
	}
	others = append(others, "call", "do", "execute", "attach", "detach", "pragma", sqlFunctions)
	if !slices.Contains(classes, "insert") && !slices.Contains(classes, "create") {
		others = append(others, "into")
	}
	slices.Sort(first)
	slices.Sort(others)
	e := expressions{
		must: []string{`(?is)^\s*` + anyOf(first) + `\b[^;]*;?\s*$`},
		not:  []string{`(?i)\b` + anyOf(others) + `\b`, `--|/[*]`},
	}
	if tables := words(v.Get("tables")); len(tables) > 0 {
		e.extract, e.known = sqlName, `^`+sqlTables(tables)+`$`
		e.not = append(e.not, `(?i)\bfrom\s+[^\s(]+(?:\s+(?:as\s+)?\w+)?\s*,`)
	}
	return e, true
}

func sqlTables(tables []string) string {
	var all []string
	for _, t := range tables {
		all = append(all, strings.ReplaceAll(regexp.QuoteMeta(strings.ToLower(t)), `\*`, `[a-z0-9_$]+`))
	}
	return `"?` + anyOf(all) + `"?`
}

func sqlNever(v toolcall.Value, classes []string) (expressions, bool) {
	var e expressions
	if len(classes) > 0 {
		var all []string
		for _, class := range classes {
			all = append(all, sqlClasses[class]...)
		}
		if len(all) == 0 {
			return e, false
		}
		e.must = append(e.must, `(?i)\b`+anyOf(all)+`\b`)
	}
	if tables := words(v.Get("tables")); len(tables) > 0 {
		e.must = append(e.must, `(?i)\b(?:from|join|into|update|table)\s+(?:only\s+)?`+sqlTables(tables)+`\b`)
	}
	return e, len(e.must) > 0
}
