package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSection(t *testing.T) {
	got := section([]string{
		"gate: second stop",
		"authz: words: strict",
		"a sentence without an area",
		"Gate: areas are small letters",
		"changelog: rewritten",
		"gate: third stop",
		"evidence, ledger: one transaction",
		"",
	})
	want := `
### authz

- words: strict

### evidence, ledger

- one transaction

### gate

- second stop
- third stop
`
	if got != want {
		t.Errorf("section:\n%s\nwant:\n%s", got, want)
	}
	if got := section(nil); got != "" {
		t.Errorf("section of nothing = %q", got)
	}
}

func TestWithUnreleased(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"first time", "# Changelog\n\n## [Unreleased]\n", "# Changelog\n\n## [Unreleased]\nNEW"},
		{"again", "# C\n## [Unreleased]\n\n### old\n\n- x\n", "# C\n## [Unreleased]\nNEW"},
		{"before a release", "# C\n## [Unreleased]\n\n- x\n\n## [0.1.0]\n\nkept\n", "# C\n## [Unreleased]\nNEW\n## [0.1.0]\n\nkept\n"},
	}
	for _, test := range tests {
		got, err := withUnreleased(test.text, "NEW")
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
	if got, err := withUnreleased("# Changelog\n", "NEW"); err == nil {
		t.Errorf("no section: accepted as %q", got)
	}
}

// TestRun drives the program on a repository of its own: only what came after
// the last tag is listed, and a second run changes nothing.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git on PATH")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_DIR", filepath.Join(dir, ".git")) // a hook that runs the tests names its own repository here
	for _, variable := range []string{"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(variable, "test@example.org")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	must := func(args ...string) {
		t.Helper()
		if _, err := git(args...); err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
	}
	must("init", "-q", ".")
	must("commit", "-q", "--allow-empty", "-m", "gate: old news")
	must("tag", "v0.1.0")
	must("commit", "-q", "--allow-empty", "-m", "gate: new news")
	write(t, "# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n")

	want := "# Changelog\n\n## [Unreleased]\n\n### gate\n\n- new news\n\n## [0.1.0]\n"
	for range 2 {
		var errOut strings.Builder
		if status := run([]string{"CHANGELOG.md"}, &errOut); status != 0 {
			t.Fatalf("run = %d: %s", status, errOut.String())
		}
		if got, err := os.ReadFile("CHANGELOG.md"); err != nil || string(got) != want {
			t.Errorf("wrote %q, %v; want %q", got, err, want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	var errOut strings.Builder
	if status := run(nil, &errOut); status != 2 {
		t.Errorf("run without a file = %d", status)
	}
	if status := run([]string{filepath.Join(t.TempDir(), "none.md")}, &errOut); status != 1 {
		t.Errorf("run on a missing file = %d", status)
	}
}

func write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile("CHANGELOG.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
