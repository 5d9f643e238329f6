package durable_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/licet-dev/licet/internal/durable"
)

func TestMkdirAll(t *testing.T) {
	base := t.TempDir()
	deep := filepath.Join(base, "a", "b", "c")
	for range 2 { // a directory that exists is fine
		if err := durable.MkdirAll(deep + "/"); err != nil {
			t.Fatal(err)
		}
	}
	for dir := deep; dir != base; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() {
			t.Fatalf("%s: %v, %v", dir, info, err)
		}
		if info.Mode().Perm() != 0o700 && runtime.GOOS != "windows" {
			t.Errorf("%s has mode %o", dir, info.Mode().Perm())
		}
	}
	if err := durable.MkdirAll(base); err != nil {
		t.Error(err)
	}
}

func TestMkdirAllFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "a"), filepath.Join(file, "a", "b"), "a\x00b"} {
		if err := durable.MkdirAll(dir); err == nil {
			t.Errorf("%q was made", dir)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"first", "second"} {
		if err := durable.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v, want %q", got, err, text)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info, err)
	}
	for _, path := range []string{filepath.Join(dir, "none", "file"), dir} {
		if err := durable.WriteFile(path, nil); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestSyncTree: everything below a folder is reached, and what cannot be is an error.
func TestSyncTree(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "f"), filepath.Join(deep, "g")} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.SyncTree(dir); err != nil {
		t.Error(err)
	}
	if err := durable.SyncTree(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was synced")
	}
}

// TestLock: a file is one opener's at a time, and free again once it is closed.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
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
	if err := durable.Lock(second); err == nil {
		t.Error("two have it")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := durable.Lock(second); err != nil {
		t.Errorf("it was given back: %v", err)
	}
}
