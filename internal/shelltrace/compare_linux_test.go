package shelltrace

import (
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// said is what is claimed of a line that lists /w, writes /w/out, runs ls and git,
// and reads a script into the shell.
var said = claims{
	effects: []constraint.ShellEffect{
		{Effect: shell.Effect{Kind: shell.Execute, Words: words("ls"), Name: []string{"ls"}, By: 0}},
		{Effect: shell.Effect{Kind: shell.Execute, Words: words("git", "status"), Name: []string{"git", "status"}, By: 1}},
		{Effect: shell.Effect{Kind: shell.Read, Path: "/w", PathKnown: true, By: 0}, Sure: true, Files: []constraint.File{{Path: "/w"}}},
		{Effect: shell.Effect{Kind: shell.Write, Path: "/w/out", PathKnown: true, By: 0}, Sure: true, Files: []constraint.File{{Path: "/w/out"}}},
		{Effect: shell.Effect{Kind: shell.Execute, Words: words(".", "x"), Name: []string{"."}, By: 2}},
		{Effect: shell.Effect{Kind: shell.Unknown, Opaque: true, By: 2}},
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
	list, err := parseIgnored("* | r | /etc/ld.so.cache\ngit | r | ${tracked}\ngit | l | ${workspace}/**\ngit | x | sh\n")
	if err != nil {
		t.Fatal(err)
	}
	known := ignored{list: list, tracked: map[string]bool{"/w/kept": true}}
	ls, git := Event{Kind: shell.Execute, Path: "/usr/bin/ls", Words: []string{"ls"}}, Event{Kind: shell.Execute, Path: "/usr/bin/git", Words: []string{"git", "status"}}
	byLs, byGit := []int{0}, []int{1}
	for _, test := range []struct {
		about string
		event Event
		want  Cover
	}{
		{"a program on the way", ls, ByEffect},
		{"one of that name elsewhere", Event{Kind: shell.Execute, Path: "/w/ls", Words: []string{"ls"}, Runs: byGit}, Missed},
		{"one with other words", Event{Kind: shell.Execute, Path: "/usr/bin/ls", Words: []string{"ls", "-R"}, Runs: byGit}, Missed},
		{"one that another is made of", Event{Kind: shell.Execute, Path: "/bin/sh", Words: []string{"sh"}, Runs: byGit}, ByOwn},
		{"the names in a folder", Event{Kind: shell.Read, Path: "/w", List: true, Runs: byLs}, ByEffect},
		{"those in one below", Event{Kind: shell.Read, Path: "/w/sub", List: true, Runs: byLs}, Missed},
		{"those in one above", Event{Kind: shell.Read, Path: "/", List: true, Runs: byLs}, Missed},
		{"where a link in it leads", Event{Kind: shell.Read, Path: "/w/link", Link: true, Runs: byLs}, ByEffect},
		{"a file in it", Event{Kind: shell.Read, Path: "/w/file", Runs: byLs}, Missed},
		{"what every program looks up", Event{Kind: shell.Read, Path: "/etc/ld.so.cache", Runs: byLs}, ByNoise},
		{"the same, written", Event{Kind: shell.Write, Path: "/etc/ld.so.cache", Runs: byLs}, Missed},
		{"a file that git tracks", Event{Kind: shell.Read, Path: "/w/kept", Runs: byGit}, ByOwn},
		{"the same, by another", Event{Kind: shell.Read, Path: "/w/kept", Runs: byLs}, Missed},
		{"one that it does not", Event{Kind: shell.Read, Path: "/w/other", Runs: byGit}, Missed},
		{"names that git asks for", Event{Kind: shell.Read, Path: "/w/sub", List: true, Runs: byGit}, ByOwn},
		{"that a file is not there", Event{Kind: shell.Read, Path: "/w/none", Lost: true, Runs: byGit}, ByOwn},
		{"a file taken away from /tmp again", Event{Kind: shell.Write, Path: "/tmp/x", Made: true, Runs: byLs}, ByTemporary},
		{"one that was there before", Event{Kind: shell.Write, Path: "/tmp/y", Runs: byLs}, Missed},
		{"one taken away from elsewhere", Event{Kind: shell.Write, Path: "/v/x", Made: true, Runs: byLs}, Missed},
		{"what the shell does by a script", Event{Kind: shell.Write, Path: "/v"}, ByOpaque},
	} {
		done := []Event{ls, git, test.event,
			{Kind: shell.Write, Path: "/tmp/x", Made: true, Gone: "removed", Runs: byLs},
			{Kind: shell.Write, Path: "/tmp/y", Gone: "removed", Runs: byLs},
			{Kind: shell.Write, Path: "/v/x", Made: true, Gone: "removed", Runs: byLs}}
		covers, _ := said.compare(done, &known)
		if covers[2] != test.want {
			t.Errorf("%s: %s is covered by %s, want %s", test.about, test.event, covers[2], test.want)
		}
	}
}
