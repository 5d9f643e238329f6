package shell

import (
	"slices"
	"strings"
	"testing"
)

// testEnv is where the rows' own tests run.
var testEnv = Env{Cwd: "/w", Home: "/h"}

// summary writes the effects of an analysis, one each and sorted. Of what is
// executed it names the programs that others run.
func summary(a Analysis) string {
	var list []string
	for _, e := range a.Effects {
		s := e.Kind.String()
		switch {
		case e.Kind == Execute && a.Commands[e.By].Parent < 0:
			continue
		case e.Kind == Execute && len(e.Name) > 0:
			s = "run " + strings.Join(e.Name, " ")
		case e.Kind == Network && e.Remote != "":
			s += " remote " + e.Remote
		case e.Kind == Network && e.Host != "":
			s += " " + e.Host
		case e.Path != "":
			s += " " + e.Path
		case e.Kind == Read || e.Kind == Write:
			s += " ?"
		}
		for word, is := range map[string]bool{" opaque": e.Opaque && e.Kind == Unknown, " runs": e.Runs} {
			if is {
				s += word
			}
		}
		if e.Tree {
			s += " tree"
		}
		if e.WorkTree {
			s += " worktree"
		}
		if e.Unignored {
			s += " unignored"
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "; ")
}

// TestRows runs the commands that stand below each row of the table.
func TestRows(t *testing.T) {
	for _, test := range table().tests {
		got := summary(Analyze(test.command, testEnv))
		if got != test.want {
			t.Errorf("programs.tbl:%d: %s\n got %s\nwant %s", test.line, test.command, got, test.want)
		}
	}
}
