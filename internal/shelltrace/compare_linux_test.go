package shelltrace

import (
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// said is what is claimed of a line that lists /w, writes /w/out, runs ls, git and scp,
// and reads a script into the shell.
var said = claims{
	effects: []constraint.ShellEffect{
		{Effect: shell.Effect{Kind: shell.Execute, Words: words("ls"), Name: []string{"ls"}, By: 0}},
		{Effect: shell.Effect{Kind: shell.Execute, Words: words("git", "status"), Name: []string{"git", "status"}, By: 1}},
		{Effect: shell.Effect{Kind: shell.Read, Path: "/w", PathKnown: true, By: 0}, Sure: true, Files: []constraint.File{{Path: "/w"}}},
		{Effect: shell.Effect{Kind: shell.Write, Path: "/w/out", PathKnown: true, By: 0}, Sure: true, Files: []constraint.File{{Path: "/w/out"}}},
		{Effect: shell.Effect{Kind: shell.Execute, Words: words(".", "x"), Name: []string{"."}, By: 2}},
		{Effect: shell.Effect{Kind: shell.Unknown, Opaque: true, By: 2}},
		{Effect: shell.Effect{Kind: shell.Execute, Words: words("scp", "x", "host:"), Name: []string{"scp"}, By: 3}},
	},
	places: constraint.Places{Workspace: "/w", Home: "/h", Tmp: "/tmp"},
}

func words(texts ...string) (list []shell.Word) {
	for _, text := range texts {
		list = append(list, shell.Word{Text: text, Known: true})
	}
	return list
}

// TestCompare: what covers an event, and what is near to it and does not.
func TestCompare(t *testing.T) {
	k := known{lookups: []string{"/etc/ld.so.cache", "/usr/**/*.so*"}, tracked: map[string]bool{"/w/kept": true}}
	ls, git := Event{Kind: shell.Execute, Path: "/usr/bin/ls", Words: []string{"ls"}}, Event{Kind: shell.Execute, Path: "/usr/bin/git", Words: []string{"git", "status"}}
	part := Event{Kind: shell.Execute, Path: "/usr/bin/ssh", Words: []string{"ssh", "host"}, Runs: []int{2}}
	scp := Event{Kind: shell.Execute, Path: "/usr/bin/scp", Words: []string{"scp", "x", "host:"}}
	other := Event{Kind: shell.Execute, Path: "/usr/bin/tail", Words: []string{"tail"}, Runs: []int{1}}
	byLs, byGit, byPart, byOther := []int{0}, []int{1}, []int{2, 3}, []int{1, 4}
	for _, test := range []struct {
		about string
		event Event
		want  Cover
	}{
		{"a program on the way", ls, ByEffect},
		{"one of that name elsewhere", Event{Kind: shell.Execute, Path: "/w/ls", Words: []string{"ls"}, Runs: byGit}, Missed},
		{"one with other words", Event{Kind: shell.Execute, Path: "/usr/bin/ls", Words: []string{"ls", "-R"}, Runs: byGit}, Missed},
		{"one that another is made of", Event{Kind: shell.Execute, Path: "/usr/lib/git-core/git", Words: []string{"git", "gc"}, Runs: byGit}, ByOwn},
		{"one that it is made of for other commands", Event{Kind: shell.Execute, Path: "/bin/sh", Words: []string{"sh"}, Runs: byGit}, Missed},
		{"what is the part's own", Event{Kind: shell.Read, Path: "/etc/services", Runs: byPart}, ByOwn},
		{"the same, by another", Event{Kind: shell.Read, Path: "/etc/services", Runs: byLs}, Missed},
		{"the same, by what git started", Event{Kind: shell.Write, Path: "/w/.git/index", Runs: byOther}, ByOwn},
		{"the names in a folder", Event{Kind: shell.Read, Path: "/w", List: true, Runs: byLs}, ByEffect},
		{"those in one below", Event{Kind: shell.Read, Path: "/w/sub", List: true, Runs: byLs}, Missed},
		{"those in one above", Event{Kind: shell.Read, Path: "/", List: true, Runs: byLs}, Missed},
		{"where a link in it leads", Event{Kind: shell.Read, Path: "/w/link", Link: true, Runs: byLs}, ByEffect},
		{"a file in it", Event{Kind: shell.Read, Path: "/w/file", Runs: byLs}, Missed},
		{"a device that holds nothing", Event{Kind: shell.Write, Path: "/dev/null", Runs: byLs}, ByNothing},
		{"one that holds something", Event{Kind: shell.Write, Path: "/dev/sda", Runs: byLs}, Missed},
		{"what every program looks up", Event{Kind: shell.Read, Path: "/etc/ld.so.cache", Runs: byLs}, ByNoise},
		{"the same, written", Event{Kind: shell.Write, Path: "/etc/ld.so.cache", Runs: byLs}, Missed},
		{"a library in any folder", Event{Kind: shell.Read, Path: "/usr/lib/x/y.so.1", Runs: byLs}, ByNoise},
		{"no library", Event{Kind: shell.Read, Path: "/usr/lib/x/y", Runs: byLs}, Missed},
		{"the program itself", Event{Kind: shell.Read, Path: "/usr/bin/ls", Runs: byLs}, ByOwn},
		{"the store of git", Event{Kind: shell.Write, Path: "/w/.git/index", Runs: byGit}, ByOwn},
		{"the same, by another", Event{Kind: shell.Write, Path: "/w/.git/index", Runs: byLs}, Missed},
		{"a hook, by another", Event{Kind: shell.Execute, Path: "/w/.git/hooks/pre-commit", Words: []string{"x"}, Runs: byLs}, Missed},
		{"a file that git tracks", Event{Kind: shell.Read, Path: "/w/kept", Runs: byGit}, ByOwn},
		{"the same, by another", Event{Kind: shell.Read, Path: "/w/kept", Runs: byLs}, Missed},
		{"one that it does not", Event{Kind: shell.Read, Path: "/w/other", Runs: byGit}, Missed},
		{"names that git asks for", Event{Kind: shell.Read, Path: "/w/sub", List: true, Runs: byGit}, ByOwn},
		{"that a file is not there", Event{Kind: shell.Read, Path: "/w/none", Lost: true, Runs: byGit}, ByOwn},
		{"what the shell does by a script", Event{Kind: shell.Write, Path: "/v"}, ByOpaque},
	} {
		covers, _ := said.compare([]Event{ls, git, scp, part, other, test.event}, &k)
		if covers[5] != test.want {
			t.Errorf("%s: %s is covered by %s, want %s", test.about, test.event, covers[5], test.want)
		}
	}
}
