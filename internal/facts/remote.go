package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// repository returns the folder, at or above dir, that holds .git; "" if there
// is none.
func repository(dir string) string {
	for {
		if _, err := os.Lstat(filepath.FromSlash(path.Join(dir, ".git"))); err == nil {
			return dir
		}
		if path.Dir(dir) == dir {
			return ""
		}
		dir = path.Dir(dir)
	}
}

// remoteHosts returns the hosts that a remote of the repository around dir leads
// to; of "*", the default, those of every remote. It reports false where git's
// settings say so in a way that is not read here: includes, rewritten URLs, a
// remote on this machine. Format: git-config(1).
func remoteHosts(dir, remote, home string) (hosts []string, sure bool, err error) {
	top := repository(dir)
	if top == "" {
		return nil, false, nil
	}
	c := gitSettings{urls: map[string][]string{}}
	for _, file := range settingsOf(top, home) {
		if err := c.read(file); err != nil {
			return nil, false, err
		}
	}
	if c.odd {
		return nil, false, nil
	}
	urls, named := c.urls[remote]
	if remote == "*" {
		for _, all := range c.urls {
			urls = append(urls, all...)
		}
		for _, name := range c.defaults {
			_, known := c.urls[name]
			c.odd = c.odd || !known
		}
		named = len(urls) > 0 && !c.odd
	}
	for _, url := range urls {
		host, ok := shell.RemoteHost(url)
		named = named && ok
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), named && len(hosts) > 0, nil
}

// settingsOf returns the files of settings that git reads in a repository.
func settingsOf(top, home string) []string {
	files := []string{"/etc/gitconfig", top + "/.git/config", top + "/.git/config.worktree"}
	if home != "" {
		files = append(files, home+"/.gitconfig", home+"/.config/git/config")
	}
	return files
}

// maxGitSettings is how many bytes a file of settings may have.
const maxGitSettings = 1 << 20

// gitSettings is what files of settings say of remotes.
type gitSettings struct {
	urls     map[string][]string // by remote
	defaults []string            // remotes that branches name
	odd      bool                // it says more than is read here
}

func (c *gitSettings) read(file string) error {
	info, err := os.Stat(filepath.FromSlash(file))
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxGitSettings) {
		c.odd = true // opening a pipe would wait
		return nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(filepath.FromSlash(file))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if isSpecial(err) { // .git is a file in another work tree and in a submodule
		c.odd = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading git's settings: %w", err)
	}
	section, name := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section, name = c.section(line)
		case section == "":
			c.odd = true
		default:
			c.setting(section, name, line)
		}
	}
	return nil
}

// section reads [section] or [section "name"].
func (c *gitSettings) section(line string) (section, name string) {
	inner, closed := strings.CutSuffix(line[1:], "]")
	section, rest, has := strings.Cut(inner, " ")
	section = strings.ToLower(section)
	if has {
		name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(rest), `"`), `"`)
	}
	c.odd = c.odd || !closed || strings.ContainsAny(section, `.]"`) || strings.ContainsAny(name, `"\`) ||
		strings.HasPrefix(section, "include") || section == "url"
	return section, name
}

func (c *gitSettings) setting(section, name, line string) {
	key, value, _ := strings.Cut(line, "=")
	key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
	interesting := true
	switch section + "." + key {
	case "remote.url", "remote.pushurl":
		c.urls[name] = append(c.urls[name], value)
	case "branch.remote", "branch.pushremote", "remote.pushdefault":
		c.defaults = append(c.defaults, value)
	case "remote.vcs", "checkout.defaultremote":
		c.odd = true
	default:
		interesting = false
	}
	if strings.HasSuffix(line, `\`) || interesting && strings.ContainsAny(value, "\"\\;# ") {
		c.odd = true // goes on in the next line, or is quoted
	}
}
