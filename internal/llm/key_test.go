package llm_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/llm"
)

// TestKeyIsNotPrinted: in no way that a value gets into a log.
func TestKeyIsNotPrinted(t *testing.T) {
	cfg := config(llm.OpenAI, "http://127.0.0.1")
	client, err := llm.New(cfg, newClock().system())
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(cfg.Key)
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "key", cfg.Key)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "key", cfg.Key, "config", cfg)
	for _, text := range []string{
		fmt.Sprint(cfg.Key), fmt.Sprintf("%v %+v %#v %s %q", cfg, cfg, cfg, cfg.Key, cfg.Key), fmt.Sprintf("%#v", cfg.Key), string(asJSON), logged.String(),
		fmt.Sprintf("%v %+v [key]", client, client), fmt.Sprintf("%#v", client) + "[key]",
	} {
		if strings.Contains(text, canary) || !strings.Contains(text, "[key]") {
			t.Errorf("printed %s", text)
		}
	}
}

// TestEnvKey: from the variable that is named, and of a form that is told from
// other text.
func TestEnvKey(t *testing.T) {
	env := []string{"SHORT=short", "SPACE=" + canary + " x", "QUOTE=" + canary + `"`, "LINE=" + canary + "\n", "KEY=" + canary, "=" + canary}
	for _, name := range []string{"SHORT", "SPACE", "QUOTE", "LINE", "NONE", "", "key"} {
		if _, err := llm.EnvKey(env, name); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if k, err := llm.EnvKey(env, "KEY"); err != nil || k == (llm.Key{}) {
		t.Error(err)
	}
}

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
