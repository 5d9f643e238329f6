//go:build unix

package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

// TestPlain: links and pipes are not read, and no open waits.
func TestPlain(t *testing.T) {
	s, dir := open(t, "L01")
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := os.WriteFile(outside, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(path string) error{
		"symlink": func(path string) error { return os.Symlink("dl.go", path) },
		"second":  func(path string) error { return os.Link(outside, path) },
		"pipe":    func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if r, _ := do(t, s, "read_file", fmt.Sprintf(`{"path":%q,"start":1,"end":9}`, name)); r.Code != "not_a_file" {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	v, _ := toolcall.Parse([]byte(`{"path":"../outside","start":1,"end":9}`), toolcall.Bounds{})
	if r, err := s.Do(t.Context(), 1, "read_file", v); err == nil || strings.Contains(r.Text, "secret") {
		t.Errorf("outside was read: %s", r.Text)
	}
}
