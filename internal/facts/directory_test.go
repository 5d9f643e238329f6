package facts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/licet-dev/licet/internal/facts"
)

func TestDirectory(t *testing.T) {
	root := t.TempDir()
	dir, link := filepath.Join(root, "dir"), filepath.Join(root, "link")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("needs symbolic links") // Windows without the right to make them
	}
	name := func(path string) string {
		t.Helper()
		id, err := facts.Directory(path)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	before := name(dir)
	if again := name(dir); again != before {
		t.Errorf("the same directory is %s, then %s", before, again)
	}
	if through := name(link); through != before {
		t.Errorf("through a link it is %s, not %s", through, before)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if after := name(dir); after != before {
		t.Errorf("with a file in it, it is %s, not %s", after, before)
	}
	if err := os.Rename(dir, filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if swapped := name(dir); swapped == before {
		t.Error("another directory in its place has the same name")
	}
	for _, bad := range []string{"", "relative", filepath.Join(root, "none"), filepath.Join(root, "away", "file")} {
		if id, err := facts.Directory(bad); err == nil {
			t.Errorf("%q is %s", bad, id)
		}
	}
}
