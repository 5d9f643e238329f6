package facts

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// maxIgnoreFile bounds what is read of a file of git, in bytes. What a longer one
// says is not known.
const maxIgnoreFile = 64 << 10

// ignored finds files that git certainly leaves out of what it takes. Of gitignore(5)
// it reads the plain part, and it leaves a file in where it is in doubt. What it does
// not read, .git/info/exclude and core.excludesFile, comes before every .gitignore
// and could only leave out more.
//
// A file that git tracks is taken although it is ignored; that git reads those
// belongs to running it.
type ignored struct {
	top   string             // of the work tree
	rules map[string]rulesOf // by folder
}

// rulesOf is what the .gitignore of a folder says.
type rulesOf struct {
	plain []string
	known bool // nothing in it may take back a rule
}

// ignoredBelow returns what git leaves out below a folder. It is nil where that is not
// known: where a part of the line may change it, or settings move the work tree.
func ignoredBelow(dir string, line []shell.Effect) *ignored {
	changes := func(e shell.Effect) bool { return e.Kind == shell.Write || e.Kind == shell.Unknown }
	top := repository(dir)
	if top == "" || slices.ContainsFunc(line, changes) {
		return nil
	}
	settings, known := shortFile(path.Join(top, ".git/config"))
	settings = strings.ToLower(settings)
	if !known || strings.Contains(settings, "worktree") || strings.Contains(settings, "include") {
		return nil
	}
	return &ignored{top, map[string]rulesOf{}}
}

// shortFile returns what a file says, nothing if it is not there. It reports false
// where that is not known: git follows a link to such a file, or not, by version.
func shortFile(name string) (text string, known bool) {
	info, err := os.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.Is(err, fs.ErrNotExist)
	}
	f, err := os.Open(filepath.FromSlash(name))
	if err != nil {
		return "", false
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile+1))
	return string(all), err == nil && len(all) <= maxIgnoreFile
}

// has reports whether git leaves out a file or folder, absolute. Of one below a folder
// that is left out it is not asked.
func (g *ignored) has(file string, folder bool) bool {
	found := false
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		rest, below := strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/")
		rules := g.of(dir)
		if !below || !rules.known || len(dir) < len(g.top) {
			return false
		}
		found = found || slices.ContainsFunc(rules.plain, func(rule string) bool { return leavesOut(rule, rest, folder) })
		if dir == g.top {
			return found
		}
	}
}

// of reads the .gitignore of a folder. With a "!" in it, nothing is certain.
func (g *ignored) of(dir string) rulesOf {
	if rules, read := g.rules[dir]; read {
		return rules
	}
	text, known := shortFile(path.Join(dir, ".gitignore"))
	rules := rulesOf{known: known && !strings.Contains(text, "!")}
	for rule := range strings.SplitSeq(text, "\n") {
		if rule != "" && rule[0] != '#' && strings.Trim(rule, plainInRule) == "" && !strings.Contains(rule, "**") {
			rules.plain = append(rules.plain, rule)
		}
	}
	g.rules[dir] = rules
	return rules
}

// plainInRule are the characters that mean the same in a rule of git and in
// [path.Match], or are literal in both.
const plainInRule = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@=,~#%/*"

// leavesOut says whether a rule names a path, given from the folder of the rule: by
// its last name, or where the rule has a slash before its end, as a whole.
func leavesOut(rule, file string, folder bool) bool {
	rule, onlyFolders := strings.CutSuffix(rule, "/")
	if onlyFolders && !folder {
		return false
	}
	if !strings.Contains(rule, "/") {
		file = path.Base(file)
	}
	fits, err := path.Match(strings.TrimPrefix(rule, "/"), file)
	return fits && err == nil
}
