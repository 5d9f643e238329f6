package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/facts"
)

// launch is a command under the name that a client gives it.
type launch struct {
	name string   // letters, digits, _ and -
	argv []string // not empty
}

// mcpLaunch is the command that stands in place of a server's own.
func (a *app) mcpLaunch(contract, agent, server string, command []string) launch {
	argv := []string{a.program(), "mcp", "--contract", contract, "--agent", agent, "--server", server}
	if dir := a.namedState(); dir != "" {
		argv = append(argv, "--state", dir)
	}
	return launch{server, append(append(argv, "--"), command...)}
}

// namedState returns the state directory that the user named, absolute; "" is
// the default one.
func (a *app) namedState() string {
	if dir := cmp.Or(a.state, a.env["LICET_STATE"]); dir != "" {
		return absolute(dir)
	}
	return ""
}

// stateFlag returns what a command that is proposed to the user must end with,
// so that it finds the same state: nothing for the default one.
func (a *app) stateFlag() string {
	if dir := a.namedState(); dir != "" {
		return " --state " + shellQuoted(dir)
	}
	return ""
}

// program returns how a client can start this program: by its absolute path
// or, where that is not known or does not last, by its name.
func (a *app) program() string {
	path, err := exec.LookPath(a.self)
	if err != nil || strings.Contains(path, "go-build") { // `go run` removes its program
		return "licet"
	}
	return absolute(path)
}

// absolute returns path as an absolute one. Without a working directory it
// stays as it is.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// printClients prints what to put where, for each client that is known.
func (l launch) printClients(w io.Writer) {
	fmt.Fprintf(w, `Claude Code:

  claude mcp add %s -- %s

.mcp.json of a project (Claude Code), ~/.gemini/settings.json (Gemini CLI),
~/.cursor/mcp.json (Cursor):

%s
~/.codex/config.toml (Codex):

%s`, shellQuoted(l.name), l.shell(), indented(l.json()), indented(l.toml()))
}

// shell returns the command as a POSIX shell reads it.
func (l launch) shell() string {
	words := make([]string, len(l.argv))
	for i, w := range l.argv {
		words[i] = shellQuoted(w)
	}
	return strings.Join(words, " ")
}

// json returns the member mcpServers that several clients share, in a document
// of its own.
func (l launch) json() string {
	return fmt.Sprintf(`{
  "mcpServers": {
    %s: {
      "command": %s,
      "args": %s
    }
  }
}
`, quotedString(l.name), quotedString(l.argv[0]), quotedList(l.argv[1:]))
}

// toml returns the table that Codex reads.
func (l launch) toml() string {
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", l.name, quotedString(l.argv[0]), quotedList(l.argv[1:]))
}

func quotedList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quotedString(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quotedString returns a text as both a JSON string (RFC 8259) and a basic
// string of TOML 1.0, in which DEL must be escaped too. Bytes that are no UTF-8
// cannot stand in either and are replaced.
func quotedString(text string) string {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		panic(fmt.Sprintf("cli: quoting valid UTF-8: %v", err))
	}
	return strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)
}

// shellQuoted returns a word as a POSIX shell reads it (XCU, section 2.2.2).
func shellQuoted(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// existingDirs returns the directories that a command names in its arguments,
// resolved and slash separated: as an argument, or after `=` in one.
func existingDirs(args []string) (dirs []string) {
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, text := range []string{arg, value} {
			if info, err := os.Stat(text); err != nil || !info.IsDir() {
				continue
			}
			if real, err := facts.Resolve(absolute(text), ""); err == nil && !real.Special {
				dirs = append(dirs, real.Path)
			}
		}
	}
	return dirs
}

// absoluteFiles returns a command with absolute paths of what exists, as clients
// start servers in folders of their own. A word without a separator or a dot
// stays: `run` may be a word of the program also where a file has that name.
func absoluteFiles(argv []string) []string {
	argv = slices.Clone(argv)
	for i, w := range argv {
		if exists(w) && (strings.ContainsAny(w, "/"+string(filepath.Separator)) || i > 0 && strings.Contains(w, ".")) {
			argv[i] = absolute(w)
		}
	}
	return argv
}

// plainFiles returns the arguments of a command that absoluteFiles leaves,
// though a file has that name.
func plainFiles(argv []string) []string {
	return slices.DeleteFunc(absoluteFiles(argv)[1:], func(w string) bool { return filepath.IsAbs(w) || !exists(w) })
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
