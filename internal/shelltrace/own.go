package shelltrace

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/shell"
)

// known is what must be known beside the claims about a command.
type known struct {
	always  []Event         // what `true` does, run the same way
	lookups []string        // the fixed list: files that every program may look up
	tracked map[string]bool // files that the repository of the workspace holds
}

// newKnown reads the fixed list, and what the repository of a workspace holds.
func newKnown(ctx context.Context, workspace string) (known, error) {
	text, err := data.ReadFile("testdata/lookups.txt")
	if err != nil {
		return known{}, fmt.Errorf("reading the fixed list: %w", err)
	}
	k := known{tracked: map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			k.lookups = append(k.lookups, strings.Fields(line)...)
		}
	}
	names, err := exec.CommandContext(ctx, "git", "-C", workspace, "ls-files", "-z").Output()
	if err != nil {
		return known{}, fmt.Errorf("listing what git tracks: %w", err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		k.tracked[path.Join(workspace, name)] = name != ""
	}
	return k, nil
}

// noise says whether every program does this, or may.
func (k *known) noise(e Event) bool {
	for _, a := range k.always {
		if a.Kind == e.Kind && a.Path == e.Path && a.Host == e.Host && a.List == e.List && e.Kind != shell.Execute {
			return true
		}
	}
	return e.Kind == shell.Read && slices.ContainsFunc(k.lookups, func(pattern string) bool { return matches(pattern, e.Path) })
}

// runs is what is known of the programs that a command has started, by the index of
// the event.
type runs struct {
	done []Event
	by   [][]int // the commands of the analysis that say so
	part []bool  // it is part of another program
}

// own says whether an event belongs to running a program, as package shell claims: the
// one that did it, or one that started that.
func (c claims) own(e Event, r runs, k *known) bool {
	for _, run := range e.Runs {
		for _, name := range c.namesOf(run, r) {
			if slices.ContainsFunc(shell.OwnOf(name), func(o shell.Own) bool { return c.includes(o, e, k) }) {
				return true
			}
		}
	}
	return false
}

// namesOf returns what the analysis calls a program that was started. The parts of a
// program go by the name of their file.
func (c claims) namesOf(run int, r runs) (names [][]string) {
	for _, e := range c.effects {
		if e.Kind == shell.Execute && slices.Contains(r.by[run], e.By) {
			names = append(names, e.Name)
		}
	}
	if r.part[run] {
		names = append(names, []string{path.Base(r.done[run].Path)})
	}
	return names
}

// includes says whether an event is what a part of running a program says.
func (c claims) includes(o shell.Own, e Event, k *known) bool {
	return slices.Contains(o.Kinds, e.Kind) && (!o.Names || e.List || e.Link || e.Lost) &&
		slices.ContainsFunc(o.Patterns, func(pattern string) bool { return c.fits(pattern, e, k) })
}

// fits says whether a pattern of own.tbl is about the file, program or address of an
// event. Settings of the fixture name no programs.
func (c claims) fits(pattern string, e Event, k *known) bool {
	first, rest, _ := strings.Cut(pattern, "/")
	switch {
	case e.Kind == shell.Network:
		return pattern == e.Host
	case pattern == "${tracked}":
		return k.tracked[e.Path]
	case first == "${written}" || first == "${beside}":
		return slices.ContainsFunc(c.written(first), func(dir string) bool { return matches(path.Join(dir, rest), e.Path) })
	case e.Kind == shell.Execute && rest == "":
		return names(pattern, e.Path)
	}
	places := strings.NewReplacer("${project}", c.places.Workspace, "${home}", c.places.Home, "${tmp}", c.places.Tmp)
	return matches(places.Replace(pattern), e.Path)
}

// written returns the folders below which effects write, or those of single files.
func (c claims) written(which string) (folders []string) {
	for _, effect := range c.effects {
		if effect.Kind != shell.Write || !effect.Sure {
			continue
		}
		for _, root := range effect.Roots {
			if which == "${written}" {
				folders = append(folders, root.Path)
			}
		}
		for _, file := range effect.Files {
			if which == "${beside}" {
				folders = append(folders, path.Dir(file.Path))
			}
		}
	}
	return folders
}

// matches says whether a file is one of a pattern, whose "*" stops at "/" and whose
// "**" is any number of folders.
func matches(pattern, file string) bool {
	return matchNames(strings.Split(pattern, "/"), strings.Split(file, "/"))
}

func matchNames(patterns, names []string) bool {
	if len(patterns) == 0 {
		return len(names) == 0
	}
	if patterns[0] == "**" {
		return matchNames(patterns[1:], names) || len(names) > 0 && matchNames(patterns, names[1:])
	}
	if len(names) == 0 {
		return false
	}
	fits, err := path.Match(patterns[0], names[0])
	return fits && err == nil && matchNames(patterns[1:], names[1:])
}
