package facts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/toolcall"
)

// disk is a workspace, and what a contract says of commands there.
type disk struct {
	*testing.T
	in constraint.Places
}

// newDisk makes the files of a workspace: a name that ends in "/" is a folder,
// "a -> b" a link.
func newDisk(t *testing.T, files ...string) disk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := disk{t, constraint.Places{Workspace: root + "/ws", Home: root + "/home", Tmp: root + "/tmp"}}
	for _, dir := range []string{d.in.Workspace, d.in.Home, d.in.Tmp} {
		d.must(os.Mkdir(dir, 0o755))
	}
	for _, name := range files {
		d.add(name)
	}
	return d
}

func (d disk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d disk) add(name string) {
	d.Helper()
	name, target, link := strings.Cut(name, " -> ")
	path := filepath.Join(d.in.Workspace, name)
	d.must(os.MkdirAll(filepath.Dir(path), 0o755))
	switch {
	case link:
		d.must(os.Symlink(target, path))
	case strings.HasSuffix(name, "/"):
		d.must(os.MkdirAll(path, 0o755))
	default:
		d.must(os.WriteFile(path, []byte(name), 0o644))
	}
}

// answer answers the question about a command in the workspace.
func (d disk) answer(command string) constraint.Shell {
	d.Helper()
	key := "k"
	a, err := Answer(d.Context(), Input{
		Questions: []constraint.Question{{Key: key, Shell: &constraint.ShellQuestion{Command: command}}},
		Cwd:       d.in.Workspace, Places: d.in,
	})
	d.must(err)
	return a.Shell[key]
}

// permits judges a command in the workspace.
func (d disk) permits(spec, command string) (bool, string) {
	d.Helper()
	v, err := toolcall.Parse([]byte(spec), toolcall.Bounds{})
	d.must(err)
	set, err := constraint.New(v, constraint.Env{Resolve: true})
	d.must(err)
	sel := toolcall.Selection{Values: []toolcall.Value{toolcall.StringOf(command)}}
	a, err := Answer(d.Context(), Input{Questions: set.Questions(sel), Cwd: d.in.Workspace, Places: d.in})
	d.must(err)
	ok, miss := set.Permits(sel, a)
	return ok, miss.String()
}

const anywhere = `{"shell": {"run": ["rm", "cp", "mv", "cat", "grep", "cd", "chmod", "mkdir", "touch", "tar", "git", "true", "find"],
	"read": ["${workspace}/**", "!${workspace}/.env"], "write": ["${workspace}/**", "!${workspace}/lib/secret"], "net": ["github.com"]}}`

// TestShellOnDisk: what is on disk decides what a command may do.
func TestShellOnDisk(t *testing.T) {
	for _, tt := range []struct {
		files   []string
		permits []string
		refuses []string
	}{
		{
			[]string{"src/a.go", "src/deep/b.go"},
			[]string{"rm -r src", "mv src lib2", "cp -r src lib2", "grep -r x .", "cp src/a.go .", "mv src/a.go src/deep/", "rm src/*.go", "cat src/?.go", "find src -delete"},
			[]string{"rm -r .", "cp -rT src .", "mv -T src .", "tar xf a.tar", "cat /etc/pass?d", "rm /etc/h*"},
		},
		{
			[]string{"lib/a", "lib/secret", "b/secret", "c/d/secret"},
			[]string{"rm -r b", "rm lib/a", "cat lib/secret", "cp -r b b2", "chmod 600 lib/a"},
			[]string{"rm -r lib", "mv lib x", "chmod -R 600 lib", "rm lib/*", "find lib -delete", "cp b/secret lib/", "cp -rT b lib", "cp -r c/d lib2 && mv c/d/secret lib/",
				"mv b/* lib", "cd lib && rm secret"},
		},
		{
			[]string{"lib/a", "b/x"}, // what is excluded is not there
			[]string{"rm -r lib", "mv lib x"},
			[]string{"touch b/secret && cp -rT b lib", "touch lib/secret", "mkdir lib/secret"},
		},
		{
			[]string{"sub/AGENTS.md", "sub/x", "k/.claude/settings.json", "m/x"},
			[]string{"rm sub/x", "cat sub/*", "cp -r m n", "grep -r x .", "cp m/* k/", "grep -r x . && cp -r m n"},
			[]string{"rm -r sub", "rm -r k", "mv sub t", "cp -r k n", "cp -r sub n", "cp sub/AGENTS.md m/", "rm sub/*", "chmod -R 777 .", "mv k/.claude .", "cp sub/*.md m/", "cp -r sub/* m/", "mv ./sub/A* m", "cp \"$X\" m"},
		},
		{
			[]string{"out -> /etc", "in -> src", "src/a", "d/e -> ../src", "d/f -> /etc/passwd", "dir -> /etc", "q/passwd", "t/dir -> /etc", "r/dir/passwd"},
			[]string{"cat in/a", "rm -r src", "cp src/a in/", "cat src/*"},
			[]string{"cat out/passwd", "cp src/a out/", "grep -r x .", "grep -r x d", "cat d/*", "cp -r q/* dir", "cp -rT r t", "rm out/x", "touch dir/x", "cat */passwd"},
		},
		{
			[]string{".env", "a"},
			[]string{"cat a", "cat ./*", "rm .env", "cat .env.example", "cat [.]env"},
			[]string{"cat .env", "cat .en?", "cat .e*", "grep -r x .", "cp -r . /tmp", "cat .[e]nv"},
		},
	} {
		d := newDisk(t, tt.files...)
		for _, command := range tt.permits {
			if ok, why := d.permits(anywhere, command); !ok {
				t.Errorf("%q with %v: %s", command, tt.files, why)
			}
		}
		for _, command := range tt.refuses {
			if ok, _ := d.permits(anywhere, command); ok {
				t.Errorf("%q with %v is permitted", command, tt.files)
			}
		}
	}
}

// TestRemote: the host of a remote comes from the repository's settings, as far as
// these are read.
func TestRemote(t *testing.T) {
	const origin = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:o/r.git\n\tfetch = +refs/heads/*\n"
	for _, tt := range []struct {
		settings, command string
		want              bool
	}{
		{origin, "git push origin", true},
		{origin, "git push", true},
		{origin, "git push upstream", false},
		{origin, "mkdir s; cd s; git push origin", true},
		{origin, "cd /; git push origin", false},
		{origin + "[remote \"o2\"]\nurl = https://evil.example/x\n", "git push origin", true},
		{origin + "[remote \"o2\"]\nurl = https://evil.example/x\n", "git push", false},
		{origin + "[remote \"o2\"]\nurl = https://evil.example/x\n", "git push o2", false},
		{origin + "\tpushurl = ssh://git@evil.example/x\n", "git push origin", false},
		{origin + "[url \"https://evil.example/\"]\n\tinsteadOf = git@github.com:\n", "git push origin", false},
		{origin + "[include]\n\tpath = x\n", "git push origin", false},
		{origin + "[branch \"main\"]\n\tremote = origin\n", "git push", true},
		{origin + "[branch \"main\"]\n\tremote = https://evil.example/x\n", "git push", false},
		{"[remote \"origin\"]\nurl = /srv/r.git\n", "git push origin", false},
		{"[remote \"origin\"] url = git@github.com:o/r\n", "git push origin", false},
		{"[remote \"origin\"]\nurl = \"git@github.com:o/r\"\n", "git push origin", false},
		{"[remote \"origin\"]\nurl = git@github.com:o/r\nvcs = ext\n", "git push origin", false},
		{"url = git@github.com:o/r\n", "git push origin", false},
		{"", "git push origin", false},
		{"", "git push", false},
	} {
		d := newDisk(t, ".git/HEAD")
		d.must(os.WriteFile(d.in.Workspace+"/.git/config", []byte(tt.settings), 0o644))
		if ok, why := d.permits(anywhere, tt.command); ok != tt.want {
			t.Errorf("%s with\n%s: %t: %s", tt.command, tt.settings, ok, why)
		}
	}
	d := newDisk(t, "x")
	d.must(os.WriteFile(d.in.Workspace+"/.git", []byte("gitdir: /elsewhere\n"), 0o644))
	if ok, _ := d.permits(anywhere, "git push origin"); ok {
		t.Error("the settings of another work tree are not read, and it is permitted")
	}
}

// TestWorkTree: git writes the files of the repository around a folder, and none
// of its own.
func TestWorkTree(t *testing.T) {
	d := newDisk(t, ".git/HEAD", "src/a", "b")
	s := d.answer("cd src && git checkout main")
	var files []string
	for _, e := range s.Effects {
		if e.WorkTree {
			if !e.Fresh || len(e.Roots) != 1 || e.Roots[0].Path != d.in.Workspace {
				t.Errorf("%+v", e)
			}
			for _, f := range e.Files {
				files = append(files, strings.TrimPrefix(f.Path, d.in.Workspace+"/"))
			}
		}
	}
	if want := []string{"b", "src", "src/a"}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
}

// TestOperands: what a command is about on disk has one digest, which changes with
// it and not with what lies around.
func TestOperands(t *testing.T) {
	d := newDisk(t, "run.sh", "a", "link -> a", "t/x")
	digest := func() string {
		t.Helper()
		a := constraint.Answers{Shell: map[string]constraint.Shell{"k": d.answer("sh run.sh; ./run.sh; rm link; rm -r t")}}
		sum, err := Operands(a)
		d.must(err)
		return sum
	}
	first := digest()
	if first == "" || first != digest() {
		t.Fatal("no digest, or another one each time")
	}
	d.add("t/y")
	d.add("other")
	if digest() != first {
		t.Error("a file that is no operand counts")
	}
	d.must(os.WriteFile(d.in.Workspace+"/run.sh", []byte("rm -rf ~"), 0o644))
	second := digest()
	if second == first {
		t.Error("a changed script does not count")
	}
	d.must(os.Remove(d.in.Workspace + "/link"))
	d.add("link -> other")
	if third := digest(); third == second || third == first {
		t.Error("a changed link does not count")
	}
	if sum, err := Operands(constraint.Answers{}); sum != "" || err != nil {
		t.Errorf("without a command: %q, %v", sum, err)
	}
}

// TestShellBounds: what is beyond the bounds is not known, in time.
func TestShellBounds(t *testing.T) {
	d := newDisk(t, "a")
	begin := time.Now()
	if s := d.answer(strings.Repeat("true;", 200_000)); !s.Known || len(s.Effects) != 1 || s.Effects[0].Kind != shell.Unknown {
		t.Errorf("200,000 commands: %d effects", len(s.Effects))
	}
	if s := d.answer(strings.Repeat("cat a;", 12_000)); s.Known && len(s.Effects) > 1 {
		t.Error("12,000 commands are known")
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if ok, _ := d.permits(anywhere, strings.Repeat("true;", 200_000)); ok {
		t.Error("200,000 commands are permitted")
	}

	p := placer{ctx: t.Context(), files: map[string]constraint.File{}, left: 5}
	for i := range 8 {
		d.add(fmt.Sprintf("many/%d", i))
	}
	placed, _, err := p.place(shell.Effect{Kind: shell.Read, Path: d.in.Workspace + "/many", PathKnown: true, Tree: true})
	if err != nil || placed.Sure {
		t.Errorf("a folder of more files than are looked at: sure %t, %v", placed.Sure, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Answer(ctx, Input{Questions: []constraint.Question{{Key: "k", Shell: &constraint.ShellQuestion{Command: "cat a"}}}, Cwd: d.in.Workspace})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the deadline: %v", err)
	}
}

// FuzzExpand states that a pattern matches all that [filepath.Match] says it
// matches, as far as that reads patterns in the same way.
func FuzzExpand(f *testing.F) {
	for _, pair := range [][2]string{{"*.go", "a.go"}, {"[ab]?", "ax"}, {`\*`, "*"}, {"[!a]", "b"}, {"a[", "a["}, {"é*", "éa"}, {"?", "é"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.Contains(pattern+name, "/") || !utf8.ValidString(pattern) { // package shell refuses such lines
			return
		}
		matches, err := filepath.Match(pattern, name)
		if err != nil || !matches {
			return
		}
		re, err := nameExpression(pattern)
		if err != nil || !re.MatchString(name) {
			t.Errorf("%q does not match %q: %v", pattern, name, err)
		}
	})
}
