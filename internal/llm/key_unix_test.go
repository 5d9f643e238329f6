//go:build unix

package llm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/llm"
)

// TestFileKey: a file that others can read or exchange, or that lies where
// agents write, is refused.
func TestFileKey(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(name, to string) string {
		path := filepath.Join(dir, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := put("good", canary+"\n", 0o600)
	openDir := filepath.Dir(put("open/key", canary, 0o600))
	if err := os.Chmod(openDir, 0o777); err != nil {
		t.Fatal(err)
	}
	work := filepath.Dir(put("work/sub/key", canary, 0o600))
	for name, c := range map[string]struct {
		path      string
		workspace []string
		ok        bool
	}{
		"good":                        {good, nil, true},
		"read only":                   {put("readonly", canary, 0o400), nil, true},
		"a link to a good one":        {link("link", good), nil, true},
		"beside the workspace":        {good, []string{filepath.Join(dir, "work")}, true},
		"readable for the group":      {put("group", canary, 0o640), nil, false},
		"readable for all":            {put("all", canary, 0o604), nil, false},
		"writable for all":            {put("write", canary, 0o602), nil, false},
		"in a folder of all":          {filepath.Join(openDir, "key"), nil, false},
		"in the workspace":            {filepath.Join(work, "key"), []string{filepath.Join(dir, "work")}, false},
		"a link into the workspace":   {link("into", filepath.Join(work, "key")), []string{filepath.Join(dir, "work")}, false},
		"by a link to the workspace":  {filepath.Join(work, "key"), []string{link("ws", filepath.Join(dir, "work"))}, false},
		"a workspace that is missing": {good, []string{filepath.Join(dir, "none")}, false},
		"missing":                     {filepath.Join(dir, "none"), nil, false},
		"a folder":                    {work, nil, false},
		"a device":                    {"/dev/null", nil, false},
		"empty":                       {put("empty", "", 0o600), nil, false},
		"two lines":                   {put("two", canary+"\n"+canary, 0o600), nil, false},
		"too long":                    {put("long", strings.Repeat("k", 2000), 0o600), nil, false},
	} {
		k, err := llm.FileKey(c.path, c.workspace...)
		if (err == nil) != c.ok || c.ok != (k != llm.Key{}) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), canary) {
			t.Errorf("%s: the key is in %v", name, err)
		}
	}
}
