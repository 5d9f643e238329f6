package facts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/constraint"
)

// tree makes a folder with files and links, and returns its resolved path. In
// entries a name that ends in "/" is a directory; "name -> target" is a link,
// ROOT in its target the folder itself; any other is a file.
func tree(t testing.TB, entries ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, e := range entries {
		name, target, isLink := strings.Cut(e, " -> ")
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case isLink:
			must(t, os.Symlink(strings.ReplaceAll(target, "ROOT", root), path))
		case strings.HasSuffix(name, "/"):
			must(t, os.MkdirAll(path, 0o755))
		default:
			must(t, os.WriteFile(path, nil, 0o644))
		}
	}
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// standardTree is inside ROOT/w; what leads out of it leads to ROOT/out.
var standardTree = []string{
	"w/file", "w/dir/file", "out/secret", "out/dir/",
	"w/in -> dir",
	"w/in2 -> in/../dir/./file",
	"w/esc -> ../out",
	"w/abs -> ROOT/out/secret",
	"w/dangling -> ../out/not/yet",
	"w/deep -> dir/up", "w/dir/up -> ../../out/dir",
	"w/loop -> loop2", "w/loop2 -> loop",
	"w/self -> .",
	"w/null -> /dev/null",
}

// resolveTable: text relative to ROOT/w, and where it leads below ROOT; "!" is Special.
var resolveTable = []struct{ text, want string }{
	{"file", "w/file"},
	{"./dir//file", "w/dir/file"},
	{".", "w"},
	{"dir/", "w/dir"},
	{"..", ""},
	{"../out/secret", "out/secret"},
	{"dir/../file", "w/file"},
	{"new", "w/new"},
	{"new/a/b.txt", "w/new/a/b.txt"},
	{"new/../file", "w/file"},
	{"new/../../out/x", "out/x"},
	{"a\\b", "w/a\\b"},
	{"~", "w/~"},
	// Links.
	{"in/file", "w/dir/file"},
	{"in2", "w/dir/file"},
	{"esc/secret", "out/secret"},
	{"esc/new/x", "out/new/x"},
	{"abs", "out/secret"},
	{"dangling", "out/not/yet"},
	{"dangling/x", "out/not/yet/x"},
	{"deep/x", "out/dir/x"},
	{"self/self/self/file", "w/file"},
	// A `..` behind a link means two files.
	{"esc/../file", "!"},
	{"esc/../w/file", "!"},
	{"deep/../secret", "!"},
	{"dangling/../x", "!"},
	{"in/../file", "w/file"}, // both readings agree
	{"self/../out/secret", "!"},
	// No file at all.
	{"", "!"},
	{"a\x00b", "!"},
	{"loop", "!"},
	{"loop/x", "!"},
	{"file/x", "!"},
	{"null", "!"},
	{"abs/x", "!"},
	{strings.Repeat("n", 300), "!"},
	{strings.Repeat("./", maxPath), "!"},
}

func TestResolve(t *testing.T) {
	root := tree(t, standardTree...)
	for _, tt := range resolveTable {
		for _, text := range []string{tt.text, filepath.Join(root, "w") + "/" + tt.text} {
			if tt.text == "" && text != "" {
				continue // the directory itself
			}
			f, err := Resolve(text, filepath.Join(root, "w"))
			switch {
			case err != nil:
				t.Errorf("%q: %v", tt.text, err)
			case tt.want == "!":
				if f != special {
					t.Errorf("%q leads to %+v, want Special", tt.text, f)
				}
			default:
				if want := filepath.Join(root, tt.want); f.Path != want || f.Special {
					t.Errorf("%q leads to %+v, want %s", tt.text, f, want)
				}
			}
		}
	}
}

func TestResolveLeaf(t *testing.T) {
	root := tree(t, standardTree...)
	for text, want := range map[string]bool{"w/file": true, "w/abs": true, "w/dir": false, "w/esc": false, "w/new": false} {
		if f, err := Resolve(text, root); err != nil || f.Leaf != want {
			t.Errorf("%s: %+v, %v; want Leaf %t", text, f, err, want)
		}
	}
}

// TestResolveBase follows the base before a `..` of the text leaves it, as a
// process in that directory would.
func TestResolveBase(t *testing.T) {
	root := tree(t, standardTree...)
	f, err := Resolve("../x", filepath.Join(root, "w/esc"))
	if want := filepath.Join(root, "x"); err != nil || f.Path != want {
		t.Errorf("got %+v, %v; want %s", f, err, want)
	}
	if f, err := Resolve("x", filepath.Join(root, "w/loop")); err != nil || f != special {
		t.Errorf("below a loop: %+v, %v; want Special", f, err)
	}
	for _, base := range []string{"", "w", "./w"} {
		if f, err := Resolve("x", base); err == nil || f != (constraint.File{}) {
			t.Errorf("base %q: %+v, %v; want an error", base, f, err)
		}
	}
}

func TestManyLinks(t *testing.T) {
	entries := []string{"end"}
	for i := range maxLinks + 1 {
		entries = append(entries, strings.Repeat("l", i+1)+" -> "+map[bool]string{true: "end", false: strings.Repeat("l", i)}[i == 0])
	}
	root := tree(t, entries...)
	for links, special := range map[int]bool{1: false, maxLinks: false, maxLinks + 1: true} {
		f, err := Resolve(strings.Repeat("l", links), root)
		if err != nil || f.Special != special {
			t.Errorf("%d links: %+v, %v; want Special %t", links, f, err, special)
		}
	}
}

func TestIsAside(t *testing.T) {
	for _, tt := range []struct {
		goos, text string
		want       bool
	}{
		{"windows", `C:\a\b`, false},
		{"windows", `c:/a`, false},
		{"windows", `a\b`, false},
		{"windows", `C:a`, true},
		{"windows", `C:`, true},
		{"windows", `\a`, true},
		{"windows", `/a`, true},
		{"windows", `\\host\share\a`, true},
		{"windows", `\\.\COM1`, true},
		{"windows", `\\?\C:\a`, true},
		{"darwin", "/a/b", false},
		{"darwin", "/.vol/1/2", true},
		{"darwin", "//.VOL", true},
		{"darwin", "/a/.vol", false},
		{"darwin", "a/..namedfork/rsrc", true},
		{"darwin", "a/..namedforks", false},
		{"linux", `\a`, false},
		{"linux", "/.vol/1/2", false},
	} {
		if got := isAside(tt.text, tt.goos); got != tt.want {
			t.Errorf("%s %q: %t, want %t", tt.goos, tt.text, got, tt.want)
		}
	}
}

func TestResolvePlaces(t *testing.T) {
	root := tree(t, "real/work/", "home/", "tmp/", "work -> real/work", "file")
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("TMPDIR", filepath.Join(root, "tmp"))
	want := constraint.Places{Home: root + "/home", Tmp: root + "/tmp"}
	if p, err := ResolvePlaces(""); err != nil || p != want {
		t.Errorf("without workspace: %+v, %v; want %+v", p, err, want)
	}
	want.Workspace = root + "/real/work"
	if p, err := ResolvePlaces(root + "/work"); err != nil || p != want {
		t.Errorf("got %+v, %v; want %+v", p, err, want)
	}
	for _, bad := range []string{"work", root + "/file", root + "/none", "/dev/null", "\x00"} {
		if p, err := ResolvePlaces(bad); err == nil || p != (constraint.Places{}) {
			t.Errorf("workspace %q: %+v, %v; want an error", bad, p, err)
		}
	}
	for _, home := range []string{"", "home", root + "/none", root + "/file"} {
		t.Setenv("HOME", home)
		if p, err := ResolvePlaces(""); err != nil || p.Home != "" {
			t.Errorf("HOME=%q: %+v, %v; want no home", home, p, err)
		}
	}
}

// FuzzResolve states that a path which is not Special is that of the file the
// operating system opens, and that resolving it again changes nothing.
func FuzzResolve(f *testing.F) {
	root := tree(f, standardTree...)
	for _, tt := range resolveTable {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		base := filepath.Join(root, "w")
		got, err := Resolve(text, base)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got.Special {
			return
		}
		if again, err := Resolve(got.Path, ""); err != nil || again != got {
			t.Fatalf("%q leads to %+v, which leads to %+v, %v", text, got, again, err)
		}
		if !filepath.IsAbs(text) {
			text = base + "/" + text
		}
		opened, err := os.Stat(text)
		if err != nil {
			return
		}
		if named, err := os.Lstat(got.Path); err != nil || !os.SameFile(opened, named) {
			t.Fatalf("%q leads to %s, but opens another file (%v)", text, got.Path, err)
		}
	})
}
