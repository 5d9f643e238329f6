package shell

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// TestOwn: each part of the table is about a program that the other table knows, and
// its patterns begin where something is known of.
func TestOwn(t *testing.T) {
	places := []string{"${project}", "${home}", "${tmp}", "${written}", "${beside}", "${tracked}", "${settings}"}
	for name, all := range ownTable() {
		words := strings.Fields(name)
		e := Analyze(name, testEnv).Effects[0]
		if len(e.Name) < len(words) || !slices.Equal(e.Name[:len(words)], words) {
			t.Errorf("%s: programs.tbl has no row of this name", name)
		}
		for _, o := range all {
			for _, pattern := range o.Patterns {
				first, _, _ := strings.Cut(pattern, "/")
				bare := !strings.Contains(pattern, "/") && (slices.Contains(o.Kinds, Execute) || slices.Contains(o.Kinds, Network))
				if first != "" && !slices.Contains(places, first) && !bare {
					t.Errorf("%s: %s: %q begins nowhere", name, o.What, pattern)
				}
				if _, err := path.Match(pattern, ""); err != nil {
					t.Errorf("%s: %s: %q: %v", name, o.What, pattern, err)
				}
			}
		}
	}
}

// TestOwnOf: what an effect of executing brings with it.
func TestOwnOf(t *testing.T) {
	for _, tt := range []struct {
		command, what string
		has           bool
	}{
		{"git status", "its store", true},
		{"/usr/bin/git -C x log", "its store", true},
		{"git clone host:x", "its store", true},
		{"git clone host:x", "the program at the other end", true},
		{"git status", "the program at the other end", false},
		{"./git status", "its store", false},
		{"tar czf x.tgz y", "programs that pack and unpack", true},
		{"cat x", "its store", false},
	} {
		name := Analyze(tt.command, testEnv).Effects[0].Name
		if has := slices.ContainsFunc(OwnOf(name), func(o Own) bool { return o.What == tt.what }); has != tt.has {
			t.Errorf("%s: %s: %t, want %t", tt.command, tt.what, has, tt.has)
		}
	}
	if all := OwnOf(nil); all != nil {
		t.Errorf("no name has %v", all)
	}
}

// TestOwnRefuses: a line that says nothing is an error.
func TestOwnRefuses(t *testing.T) {
	for _, line := range []string{"git | its store | rw", "git | its store | z | /x", "git | its store | rl | /x", "git | | r | /x", "git | x | | /x", "git | x | r |", "git, | x | r | /x"} {
		if _, err := parseOwn(line); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}
