package scratch

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/durable"
)

// names are what lies in the folder for temporary files.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestSweep: what a dead process left at any point goes, and nothing else does.
func TestSweep(t *testing.T) {
	tmp := filepath.Join(t.TempDir(), "[a]")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp) // of Windows
	alive, err := New()
	if err != nil {
		t.Fatal(err)
	}
	dead, err := New()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		path := filepath.Join(tmp, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Base(dead.Path) + "/deep/file")
	write(filepath.Base(alive.Path) + "/file")
	if err := dead.lock.Close(); err != nil { // as its death would
		t.Fatal(err)
	}
	write("licet-lab-1.lock") // it died before it made the folder
	for _, others := range []string{"licet-lab-2/file", "licet-lab-3", "licet-lab-3.lock", "licet-lab-4.lock/file", "other.lock", "other/file"} {
		write(others) // a folder without a lock, a file for a folder, a folder for a lock, other names
	}
	Sweep()
	want := []string{filepath.Base(alive.Path), filepath.Base(alive.Path) + ".lock", "licet-lab-2", "licet-lab-3", "licet-lab-3.lock", "licet-lab-4.lock", "other", "other.lock"}
	slices.Sort(want)
	if got := names(t, tmp); !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(alive.Path, "file")); err != nil {
		t.Error(err)
	}
	if err := alive.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(alive.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if got := names(t, tmp); len(got) != len(want)-2 {
		t.Errorf("left are %q", got)
	}
}

// TestShort: below a long path no socket can have a name, so a short folder lies
// elsewhere, and is swept there all the same.
func TestShort(t *testing.T) {
	tmp := filepath.Join(t.TempDir(), strings.Repeat("long", 20))
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp)
	f, err := NewShort()
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		l, err := net.Listen("unix", filepath.Join(f.Path, strings.Repeat("s", 20)))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	if err := f.lock.Close(); err != nil {
		t.Fatal(err)
	}
	Sweep()
	if _, err := os.Lstat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", f.Path, err)
	}
}

// TestAbsolute: a folder has a path that holds everywhere.
func TestAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("here", 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "here")
	t.Setenv("TMP", "here")
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(f.Path) {
		t.Errorf("its path is %s", f.Path)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestClaim: a lock that somebody else holds, or whose name is gone or another
// file's by now, is not had.
func TestClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := durable.Lock(first); err != nil {
		t.Fatal(err)
	}
	if claim(second) {
		t.Error("it was had although it is held")
	}
	first.Close()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Skip("an open file keeps its name on this system")
	}
	if claim(second) {
		t.Error("it was had without its name")
	}
	if third := open(); claim(second) || !claim(third) {
		t.Error("another file has the name")
	}
}
