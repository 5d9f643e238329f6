package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// behaves is a test of one variant: that an input makes Parse panic, and another one
// is read.
const behaves = `package %s

import "testing"

func Test%sSeed%d(t *testing.T) {
	if _, err := Parse([]byte{%s}); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("it did not happen")
		}
	}()
	_, _ = Parse([]byte{%s})
}
`

var clause = regexp.MustCompile(`(?m)^package (\w+)$`)

// TestVariants: each variant of a task in Go builds, and those that run behave as
// the base tree does, on the input that must trigger and on one that must not.
func TestVariants(t *testing.T) {
	inputs := map[string][2]string{
		"T01": {"1, 3, 'a', 'b', 'c'", "1, 9, 'a', 'b', 'c'"},
		"V01": {"1, 'a', 2", "5, 'a'"},
	}
	var built, run []task.File
	want := map[string]bool{}
	for _, id := range task.IDs() {
		loaded, err := task.Load(id)
		if err != nil {
			t.Fatal(err)
		}
		if loaded.Lang != "go" {
			continue
		}
		for _, seed := range task.Seeds {
			f, err := loaded.Fixture(seed)
			if err != nil {
				t.Fatal(err)
			}
			dir := fmt.Sprintf("%s/s%d", strings.ToLower(id), seed)
			for _, file := range f.Files {
				if strings.HasSuffix(file.Path, ".go") && !strings.HasSuffix(file.Path, "_test.go") {
					built = append(built, task.File{Path: dir + "/" + file.Path, Text: file.Text})
				}
				if in, runs := inputs[id]; runs && path.Base(file.Path) == "parse.go" {
					name := clause.FindStringSubmatch(file.Text)[1]
					run = append(run,
						task.File{Path: dir + "/parse.go", Text: file.Text},
						task.File{Path: dir + "/behaves_test.go", Text: fmt.Sprintf(behaves, name, id, seed, in[0], in[1])})
					want[fmt.Sprintf("Test%sSeed%d", id, seed)] = true
				}
			}
		}
	}
	module := task.File{Path: "go.mod", Text: "module example.org/variants\n\ngo 1.26\n"}
	build(t, append(built, module))
	out, err := boxed(t).Run(t.Context(), Job{Task: "variants", Tree: append(run, module)})
	if err != nil || out.Status != Ended {
		t.Fatalf("%+v, %v", out, err)
	}
	for name := range want {
		if out.Tests[name] != "pass" {
			t.Errorf("%s: %s", name, out.Tests[name])
		}
	}
	if len(want) < 10 || len(built) < 5*len(task.Seeds) {
		t.Fatalf("only %d variants ran, of %d files", len(want), len(built))
	}
}

// build builds a tree.
func build(t *testing.T, tree []task.File) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range tree {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "go", "build", "./...")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
