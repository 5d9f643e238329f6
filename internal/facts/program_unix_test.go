//go:build unix

package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
)

// programs makes files of the workspace that may be run: "name" or "a -> b".
func (d disk) programs(names ...string) {
	d.Helper()
	for _, name := range names {
		d.add(name)
		if !strings.Contains(name, " -> ") {
			d.must(os.Chmod(filepath.Join(d.in.Workspace, name), 0o755))
		}
	}
}

// along answers the question about a command that runs in a folder of the
// workspace with the entries of PATH, those that begin with "+" in the workspace.
func (d disk) along(folder, command string, entries ...string) constraint.Shell {
	d.Helper()
	for i, entry := range entries {
		if rest, in := strings.CutPrefix(entry, "+"); in {
			entries[i] = d.in.Workspace + "/" + rest
		}
	}
	a, err := Answer(d.Context(), Input{
		Questions: []constraint.Question{{Key: "k", Shell: &constraint.ShellQuestion{Command: command}}},
		Cwd:       filepath.Join(d.in.Workspace, folder), Places: d.in, Path: strings.Join(entries, string(filepath.ListSeparator)),
	})
	d.must(err)
	return a.Shell["k"]
}

// last returns the program of the last command that is executed.
func last(s constraint.Shell) (p constraint.Program) {
	for _, e := range s.Effects {
		if e.Kind == shell.Execute {
			p = e.Program
		}
	}
	return p
}

// TestProgram: PATH leads from a name to the file that a shell would run.
func TestProgram(t *testing.T) {
	d := newDisk(t, "a/plain", "b/", "c/dir/", "notes")
	d.programs("a/x", "b/x", "b/plain", "c/only", "real/tool", "a/tool -> ../real/tool", "cur -> real", "b/lost -> ../none", "b/hang -> hang",
		"c/lost", "c/hang", "c/dir2", "a/dir2/x", "b/dir", "b/[", "b/echo")
	for _, tt := range []struct {
		path, folder, command string
		file                  string // in the workspace; "" = nowhere
		way                   string
		doubt                 string
	}{
		{"+a +b", "", "x -1", "a/x", "a/x", ""},
		{"+b +a", "", "x", "b/x", "b/x", ""},
		{"+none +notes +a", "", "x", "a/x", "a/x", ""},
		{"+a +b", "", "plain", "b/plain", "b/plain", ""}, // the first may not be run
		{"+a", "", "plain", "", "", ""},
		{"+c +b", "", "dir", "b/dir", "b/dir", ""}, // the first is a folder
		{"+a +c", "", "dir2", "c/dir2", "c/dir2", ""},
		{"+a", "", "tool", "a/tool", "a/tool real/tool", ""},
		{"+cur", "", "tool", "real/tool", "cur real/tool", ""},
		{"+b +c", "", "lost", "c/lost", "c/lost", ""}, // a link to nothing
		{"+b +c", "", "hang", "c/hang", "c/hang", ""}, // a link to itself
		{"+a/../b", "", "x", "b/x", "b/x", ""},
		{"+a", "", "env x", "a/x", "a/x", ""},
		{"+a", "", "xargs -n1 x", "a/x", "a/x", ""},
		{"+a", "", "command x", "a/x", "a/x", ""},
		{"+a", "", "./x", "", "", ""},
		{"+a", "", "/bin/x", "", "", ""},
		{"+a", "", `"$X"`, "", "", ""},
		{"+b", "", "echo", "", "", ""}, // the shell's own
		{"+b", "", "env echo", "b/echo", "b/echo", ""},
		{"+b", "", "[ a ]", "", "", ""},
		{"+b", "", "x() { :; }; x", "", "", ""},
		{"+a", "", "gone", "", "", ""},
		{"", "", "x", "", "", ""},
		{". +a", "b", "x", "b/x", "b/x", ""},
		{"../b +a", "a", "x", "b/x", "b/x", ""},
		{". +a", "", "cd b && x", "b/x", "b/x", ""},
		{". +a", "", "cd b; x", "", "", "which folder that is is not known"}, // or it is not there, and x runs here
		{". +a", "", "cd /nowhere; cd \"$X\"; x", "", "", "which folder that is is not known"},
		{"+a .", "", "cd \"$X\"; x", "a/x", "a/x", ""},
		{"~/bin +a", "", "x", "", "", "~/bin"},
		{"+a ~/bin", "", "x", "a/x", "a/x", ""},
	} {
		got := last(d.along(tt.folder, tt.command, strings.Fields(tt.path)...))
		short := strings.NewReplacer(d.in.Workspace+"/", "").Replace
		if short(got.File) != tt.file || short(strings.Join(got.Way, " ")) != tt.way || (got.Doubt == "") != (tt.doubt == "") || !strings.Contains(got.Doubt, tt.doubt) {
			t.Errorf("%q along %s: %+v, want %s by %s, doubt %q", tt.command, tt.path, got, tt.file, tt.way, tt.doubt)
		}
	}
	if got := last(d.along("", "x", d.in.Workspace+"/a", "", "+b")); got.File != d.in.Workspace+"/a/x" {
		t.Errorf("before an empty entry: %+v", got)
	}
	if got := last(d.along("b", "x", "+none", "", "+a")); got.File != d.in.Workspace+"/b/x" {
		t.Errorf("an empty entry: %+v", got)
	}
}

// TestPlanted: a program that the line itself may put where PATH looks first is in
// doubt, and nothing else is.
func TestPlanted(t *testing.T) {
	d := newDisk(t, "first/", "first/quiet", "evil/bin/x", "evil/x", "a.tar")
	d.programs("last/x", "last/quiet", "last/cp", "last/rm", "last/mkdir")
	for command, want := range map[string]bool{
		"cp evil/x first/x && x":                      true,
		"cp evil/x first/ && x":                       true,
		"mv evil/x first && x":                        true,
		"ln -s ../evil/x first/x; x":                  true,
		"echo ls > first/x; x":                        true,
		"echo ls > FIRST/X; x":                        true, // on some file systems
		"chmod +x first/quiet; quiet":                 true,
		"chmod -R +x first; quiet":                    true,
		"mv evil/bin deep; x":                         true,
		"ln -s evil deep; x":                          true,
		"cp -r evil deep && x":                        true,
		"for i in 1 2; do x; cp evil/x first/x; done": true,
		"cp evil/x first/y && x":                      false,
		"cp evil/x . && x":                            false,
		"cp evil/x last/y && x":                       false,
		"rm -rf deep && x":                            false,
		"rm -rf first; x":                             false,
		"tar xf a.tar; x":                             false, // left to who vouches for tar
		"touch first; x":                              false,
	} {
		got := last(d.along("", command, "+first", "+deep/bin", "+deep", "+last"))
		if strings.HasPrefix(command, "for") {
			got = d.along("", command, "+first", "+last").Effects[0].Program
		}
		if (got.Doubt != "") != want || got.File == "" {
			t.Errorf("%s: %+v, want doubt %t", command, got, want)
		}
	}
}

// TestProgramContent: what a program says counts where agents work, and where it
// cannot be read it is in doubt.
func TestProgramContent(t *testing.T) {
	d := newDisk(t, "dir/")
	d.programs("bin/x", "bin/y", "../home/bin/z")
	digest := func() string {
		t.Helper()
		a := constraint.Answers{Shell: map[string]constraint.Shell{"k": d.along("", "x; z", "+bin", d.in.Home+"/bin")}}
		sum, err := Operands(a)
		d.must(err)
		return sum
	}
	first := digest()
	for _, change := range []struct {
		file   string
		counts bool
	}{{"bin/y", false}, {"../home/bin/z", false}, {"bin/x", true}} {
		d.must(os.WriteFile(filepath.Join(d.in.Workspace, change.file), []byte("changed"), 0o755))
		if (digest() != first) != change.counts {
			t.Errorf("%s: counts %t", change.file, !change.counts)
		}
	}
	d.must(os.Truncate(filepath.Join(d.in.Workspace, "bin/x"), maxScript+1))
	if got := last(d.along("", "x", "+bin")); !strings.Contains(got.Doubt, "is not known") {
		t.Errorf("too long: %+v", got)
	}
	bin := d.in.Workspace + "/bin"
	d.in = constraint.Places{}
	if got := last(d.along("", "x", bin)); got.File != bin+"/x" || got.Doubt != "" {
		t.Errorf("places that are not known: %+v", got)
	}
}

// TestProgramBounds: one look for a name, and an end to all of them.
func TestProgramBounds(t *testing.T) {
	d := newDisk(t)
	d.programs("bin/x")
	p := placer{ctx: t.Context(), files: map[string]constraint.File{}, programs: map[string]program{}, folders: map[string]folder{}, left: 3, places: d.in, path: d.in.Workspace + "/bin"}
	for i, name := range []string{"x", "x", "x", "a", "b", "x", "c"} {
		e, _, err := p.place(shell.Effect{Kind: shell.Execute, Search: name})
		if err != nil || (e.Program.Doubt != "") != (name == "c") {
			t.Errorf("%d: %s: %+v, %v", i, name, e.Program, err)
		}
	}
	var line strings.Builder
	for i := range 1_500 {
		fmt.Fprintf(&line, "p%d;", i)
	}
	entries := make([]string, 100)
	for i := range entries {
		entries[i] = fmt.Sprintf("+bin%d", i)
	}
	if got := last(d.along("", line.String(), entries...)); !strings.Contains(got.Doubt, "beyond") {
		t.Errorf("1,500 programs along 100 folders: %+v", got)
	}
}
