// Command commands collects command lines from the documentation and the scripts
// of the Debian packages that are installed on this machine, one a line:
//
//	go run ./tools/commands > internal/shelltrace/testdata/collected.txt
//
// A line is "PACKAGE FILE", a tab, and the command; one that holds a tab or a line
// end is quoted as in Go. Only commands whose program is installed are taken, a few
// of each program and form, so that no program stands for all.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits on what is taken: of one first word, of one file, and in length.
const (
	perProgram = 25
	perFile    = 8
	maxLength  = 300
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "commands:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	w := bufio.NewWriter(out)
	c := collector{out: w, forms: map[string]bool{}, programs: map[string]int{}}
	for _, source := range []struct {
		folder string
		read   func(*collector, string, []byte)
	}{
		{"/usr/share/man/man1", (*collector).manual},
		{"/usr/share/man/man8", (*collector).manual},
		{"/var/lib/dpkg/info", (*collector).script},
		{"/etc/cron.daily", (*collector).script},
		{"/etc/init.d", (*collector).script},
		{"/usr/bin", (*collector).script},
		{"/usr/sbin", (*collector).script},
		{"/usr/lib/git-core", (*collector).script},
		{"/usr/share/doc", (*collector).text},
	} {
		if err := c.folder(source.folder, source.read); err != nil {
			return err
		}
	}
	return w.Flush()
}

type collector struct {
	out      *bufio.Writer
	forms    map[string]bool // what was taken, without names and numbers
	programs map[string]int
	source   string
	taken    int // of the file at hand
}

func (c *collector) folder(folder string, read func(*collector, string, []byte)) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("collecting: %w", err)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("collecting: %w", err)
		}
		if strings.HasSuffix(file, ".gz") {
			text = unzipped(text)
		}
		c.source, c.taken = "", 0
		read(c, file, text)
		return nil
	})
}

// unzipped returns what it can read of a compressed file.
func unzipped(text []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return plain
}

var (
	fonts   = regexp.MustCompile(`\\f(\[[^]]*\]|\(..|.)|\\&|\\/|\\,|\\c|\\s[+-]?\d`)
	escapes = strings.NewReplacer(`\-`, "-", `\e`, `\`, `\(aq`, "'", `\(dq`, `"`, `\(cq`, "'", `\(ti`, "~", `\(ha`, "^", `\'`, "'", "\\`", "`", `\ `, " ", `\(rs`, `\`, `\\`, `\`)
	section = regexp.MustCompile(`(?i)^\.S[Hh] +"?.*example`)
	prompt  = regexp.MustCompile(`^\s*[$%] +(\S.*)$`)
)

// manual reads a manual page: lines set as code in its examples, and lines with
// a prompt.
func (c *collector) manual(file string, text []byte) {
	code, example := false, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, ".SH") || strings.HasPrefix(line, ".Sh"):
			example = section.MatchString(line)
		case strings.HasPrefix(line, ".nf"), strings.HasPrefix(line, ".EX"), strings.HasPrefix(line, ".Bd"):
			code = true
		case strings.HasPrefix(line, ".fi"), strings.HasPrefix(line, ".EE"), strings.HasPrefix(line, ".Ed"):
			code = false
		case strings.HasPrefix(line, `.\"`), strings.HasPrefix(line, "'"):
		case strings.HasPrefix(line, ".B ") && example:
			c.line(file, plain(strings.Trim(line[3:], `"`)), false)
		case strings.HasPrefix(line, "."):
		default:
			c.line(file, plain(line), !(code && example))
		}
	}
}

func plain(roff string) string { return escapes.Replace(fonts.ReplaceAllString(roff, "")) }

// text reads documentation: lines with a prompt, and blocks of code in Markdown.
func (c *collector) text(file string, text []byte) {
	if bytes.IndexByte(text, 0) >= 0 || strings.HasSuffix(file, "/copyright") || strings.Contains(file, "changelog") {
		return
	}
	if bytes.HasPrefix(text, []byte("#!")) {
		c.script(file, text)
		return
	}
	fenced := false
	for line := range strings.Lines(string(text)) {
		if mark, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			fenced = slices.Contains([]string{"sh", "bash", "shell", "console"}, mark)
			continue
		}
		c.line(file, strings.TrimRight(line, "\n"), !fenced)
	}
}

// line takes a line that is a command, behind a prompt where one is needed.
func (c *collector) line(file, line string, needsPrompt bool) {
	if m := prompt.FindStringSubmatch(line); m != nil {
		line = m[1]
	} else if needsPrompt {
		return
	}
	c.take(file, strings.TrimSpace(line))
}

// script takes the statements of a shell script.
func (c *collector) script(file string, text []byte) {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if !bytes.HasPrefix(first, []byte("#!")) || !bytes.Contains(first, []byte("sh")) {
		return
	}
	tree, err := syntax.NewParser().Parse(bytes.NewReader(text), file)
	if err != nil {
		return
	}
	syntax.Walk(tree, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			if _, function := s.Cmd.(*syntax.FuncDecl); !function && int(s.End().Offset()) <= len(text) {
				c.take(file, strings.TrimSuffix(string(text[s.Pos().Offset():s.End().Offset()]), ";"))
			}
		}
		return true
	})
}

var (
	names   = regexp.MustCompile(`[A-Za-z0-9_.@~-]+`)
	options = regexp.MustCompile(`^-`)
)

// take writes a command down, if it is one and nothing like it was taken.
func (c *collector) take(file, command string) {
	if c.taken >= perFile || command == "" || len(command) > maxLength || strings.Count(command, "\n") > 3 || !printable(command) {
		return
	}
	tree, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil || len(tree.Stmts) == 0 {
		return
	}
	program := firstWord(tree)
	form := program + " " + names.ReplaceAllStringFunc(command, func(word string) string {
		if options.MatchString(word) {
			return word
		}
		return "x"
	})
	if program == "" || c.forms[form] || c.programs[program] >= perProgram || !installed(program) {
		return
	}
	if c.source == "" {
		if c.source = packageOf(file); c.source == "" {
			c.taken = perFile
			return
		}
	}
	c.forms[form] = true
	c.programs[program]++
	c.taken++
	if strings.ContainsAny(command, "\n\t") {
		command = strconv.Quote(command)
	}
	fmt.Fprintf(c.out, "%s %s\t%s\n", c.source, strings.TrimSuffix(filepath.Base(file), ".gz"), command)
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r > '~' })
}

// firstWord returns the name of the first program of a command.
func firstWord(tree *syntax.File) (name string) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && name == "" && len(call.Args) > 0 {
			name = call.Args[0].Lit()
		}
		return name == ""
	})
	return name
}

var builtins = strings.Fields("cd echo printf test [ read export set unset eval exec trap umask . : true false command type wait shift local return exit")

// left are not taken: shells and editors wait for somebody; what stops the machine
// would only be refused; and what is not Debian's has other terms.
var left = strings.Fields("bash sh dash vi vim nano less more return local exit shift reboot shutdown halt gcloud gsutil bq")

func installed(program string) bool {
	if slices.Contains(left, program) {
		return false
	}
	if slices.Contains(builtins, program) {
		return true
	}
	_, err := exec.LookPath(program)
	return err == nil && !strings.Contains(program, "/")
}

// packageOf returns the Debian package that a file belongs to.
func packageOf(file string) string {
	if rest, ok := strings.CutPrefix(file, "/var/lib/dpkg/info/"); ok {
		name, _, _ := strings.Cut(strings.TrimSuffix(rest, filepath.Ext(rest)), ":")
		return name
	}
	out, err := exec.Command("dpkg", "-S", file).Output()
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(string(out), ":")
	name, _, _ = strings.Cut(name, ",")
	return name
}
