package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun: files are looked at one by one, what came of each is kept until
// the package changes, and the counts decide.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "p/a.go", "package p")
	write(t, "p/b.go", "package p")
	write(t, "p/a_test.go", "package p")
	ran := 0
	mutate := func(dir, file string, others []string, report string) error {
		ran++
		if len(others) != 1 || others[0] == file {
			t.Errorf("%s: the others are %v", file, others)
		}
		if file == "b.go" {
			return nil // no mutants
		}
		write(t, report, `{"files": [{"file_name": "a.go", "mutations": [
			{"type": "X", "status": "KILLED", "line": 1, "column": 2}, {"type": "X", "status": "LIVED", "line": 3, "column": 4},
			{"type": "Y", "status": "NOT COVERED", "line": 5, "column": 6}, {"type": "Y", "status": "TIMED OUT", "line": 7, "column": 8}]}]}`)
		return nil
	}
	var out bytes.Buffer
	if status := run([]string{"-keep", "kept", "-floor", "50", "p"}, &out, &out, mutate); status != 0 || ran != 2 {
		t.Errorf("status %d after %d files:\n%s", status, ran, &out)
	}
	for _, want := range []string{"p/a.go:3:4: lived x\n", "p/a.go:5:6: not covered y\n", "all: 50 % killed: 1 of 2 that compiled and ran; 1 not tried, 1 timed out or did not compile\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if status := run([]string{"-keep", "kept", "-floor", "51", "p"}, &out, &out, mutate); status != 1 || ran != 2 {
		t.Errorf("below the floor: status %d after %d files", status, ran)
	}
	write(t, "p/a_test.go", "package p // changed")
	if run([]string{"-keep", "kept", "p"}, &out, &out, mutate); ran != 4 {
		t.Errorf("a changed test: %d files", ran)
	}
}

// TestRunFails: an interrupted file is not kept, and nothing to look at is no
// success.
func TestRunFails(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "p/a.go", "package p")
	broken := func(_, _ string, _ []string, report string) error {
		write(t, report, `{"files": `)
		return errors.New("interrupted")
	}
	none := func(string, string, []string, string) error { return nil }
	var out bytes.Buffer
	for name, status := range map[string]int{
		"interrupted": run([]string{"-keep", "kept", "p"}, &out, &out, broken),
		"no mutant":   run([]string{"-keep", "kept", "p"}, &out, &out, none),
		"no package":  run([]string{"-keep", "kept", "q"}, &out, &out, none),
	} {
		if status != 1 {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if status := run([]string{"p"}, &out, &out, none); status != 2 {
		t.Errorf("without -keep: status %d", status)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
