package shelltrace

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// ignored is what is no effect of a command.
type ignored struct {
	always  []Event         // what `true` does, run the same way
	list    []ownRule       // those for every program first
	tracked map[string]bool // files that the repository of the workspace holds
}

// newIgnored reads the list, and what the repository of a workspace holds.
func newIgnored(ctx context.Context, workspace string) (ignored, error) {
	text, err := data.ReadFile("testdata/ignored.txt")
	if err != nil {
		return ignored{}, fmt.Errorf("reading what is no effect: %w", err)
	}
	k := ignored{tracked: map[string]bool{}}
	if k.list, err = parseIgnored(string(text)); err != nil {
		return ignored{}, err
	}
	names, err := exec.CommandContext(ctx, "git", "-C", workspace, "ls-files", "-z").Output()
	if err != nil {
		return ignored{}, fmt.Errorf("listing what git tracks: %w", err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		k.tracked[path.Join(workspace, name)] = name != ""
	}
	return k, nil
}

// ownRule is a line of ignored.txt: files that running a program touches by
// itself, whatever it is asked to do.
type ownRule struct {
	programs []string // "*" is any
	kinds    string   // letters: r(ead), l(ook up), w(rite), x (execute), n(etwork)
	pattern  string
}

// parseIgnored reads "programs | kinds | patterns"; "#" begins a comment.
func parseIgnored(text string) ([]ownRule, error) {
	var list []ownRule
	scanner := bufio.NewScanner(strings.NewReader(text))
	for scanner.Scan() {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != 3 {
			return nil, fmt.Errorf("%q: want 3 columns", line)
		}
		programs, kinds := strings.Fields(columns[0]), strings.TrimSpace(columns[1])
		if len(programs) == 0 || kinds == "" || strings.Trim(kinds, "rlwxn") != "" {
			return nil, fmt.Errorf("%q: no programs, or unknown kinds", line)
		}
		for pattern := range strings.FieldsSeq(columns[2]) {
			list = append(list, ownRule{programs, kinds, pattern})
		}
	}
	return list, scanner.Err()
}

// noise says whether every program does this.
func (k *ignored) noise(e Event) bool {
	for _, a := range k.always {
		if a.Kind == e.Kind && a.Path == e.Path && a.Host == e.Host && a.List == e.List && e.Kind != shell.Execute {
			return true
		}
	}
	return slices.ContainsFunc(k.list, func(r ownRule) bool {
		return r.programs[0] == "*" && r.letter(e) && fitsFile(r.pattern, e)
	})
}

// own returns the program to whose running an event belongs: the one that did it, or
// one that started that; "" if to none.
func (k *ignored) own(done []Event, e Event, c claims) string {
	for _, run := range e.Runs {
		program := path.Base(done[run].Path)
		for _, r := range k.list {
			if slices.Contains(r.programs, program) && k.fits(r, e, c) {
				return program
			}
		}
	}
	return ""
}

func (r ownRule) letter(e Event) bool {
	if e.Kind == shell.Read && (e.List || e.Link || e.Lost) && strings.Contains(r.kinds, "l") {
		return true
	}
	letter := map[shell.Kind]string{shell.Read: "r", shell.Write: "w", shell.Execute: "x", shell.Network: "n"}[e.Kind]
	return strings.Contains(r.kinds, letter)
}

func (k *ignored) fits(r ownRule, e Event, c claims) bool {
	if !r.letter(e) {
		return false
	}
	if r.pattern == "${tracked}" {
		return k.tracked[e.Path]
	}
	if e.Kind == shell.Execute && !strings.Contains(r.pattern, "/") {
		return names(r.pattern, e.Path)
	}
	pattern := strings.NewReplacer("${workspace}", c.places.Workspace, "${home}", c.places.Home).Replace(r.pattern)
	rest, written := strings.CutPrefix(pattern, "${written}")
	if !written {
		return fitsFile(pattern, e)
	}
	for _, effect := range c.effects {
		for _, root := range effect.Roots {
			if effect.Kind == shell.Write && effect.Sure && fitsFile(root.Path+rest, e) {
				return true
			}
		}
	}
	return false
}

// fitsFile says whether a pattern is about the file or the socket of an event.
func fitsFile(pattern string, e Event) bool {
	file := e.Path
	if e.Kind == shell.Network {
		file = e.Host
	}
	if tree, name, ok := strings.Cut(pattern, "/**"); ok {
		fits, err := path.Match(cmp.Or(strings.TrimPrefix(name, "/"), "*"), path.Base(file))
		return (file == tree || strings.HasPrefix(file, tree+"/")) && fits && err == nil
	}
	fits, err := path.Match(pattern, file)
	return fits && err == nil
}

// patterns returns those of a program with their kinds; of "*", those of every one.
func (k *ignored) patterns(program string) (list []string) {
	for _, r := range k.list {
		if slices.Contains(r.programs, program) {
			list = append(list, r.kinds+" "+r.pattern)
		}
	}
	return list
}

// programs returns those that have something of their own, and how many patterns
// there are for them.
func (k *ignored) programs() (names []string, patterns int) {
	for _, r := range k.list {
		if r.programs[0] != "*" {
			names = append(names, r.programs...)
			patterns++
		}
	}
	slices.Sort(names)
	return slices.Compact(names), patterns
}
