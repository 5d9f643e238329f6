package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// behaves is what the tests of all variants begin with. They are one program, as
// linking one for each takes too long.
const behaves = `

// panics wants something to panic.
func panics(t *testing.T, do func()) {
	defer func() {
		if recover() == nil {
			t.Error("it did not happen")
		}
	}()
	do()
}
`

// behaviours are what each toy does with the input that must trigger, and with one
// that must not.
var behaviours = map[string]struct{ dir, body string }{
	"T01": {"rec", `if r, err := toy.Parse([]byte{1, 3, 'a', 'b', 'c'}); err != nil || r.Text != "abc" {
		t.Error(r, err)
	}
	panics(t, func() { _, _ = toy.Parse(trigger) })`},
	"T02": {"share", `if b, err := toy.Fetch("hours.txt"); err != nil || string(b) == toy.Rota {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := toy.Fetch(string(trigger)); err != nil || string(b) != toy.Rota {
		t.Errorf("%s, %v", b, err)
	}`},
	"T03": {"scan", `if p, err := toy.Read([]byte{0, 1, 0, 2, 7, 8}); err != nil || len(p.Dots) != 2 {
		t.Error(p, err)
	}
	panics(t, func() { _, _ = toy.Read(trigger) })`},
	"T04": {"door", `if s, err := toy.Replay([]byte("[{\"type\":\"badge\"},{\"type\":\"open\"}]")); err == nil || s.Granted {
		t.Error(s, err)
	}
	if s, err := toy.Replay(trigger); err != nil || !s.Granted || s.Verified {
		t.Error(s, err)
	}`},
	"T05": {"form", `if f, err := toy.Read([]byte{1, 1, 'a', 'c'}); err != nil || f.Depth != 0 || len(f.Lines) != 1 {
		t.Error(f, err)
	}
	if f, err := toy.Read(trigger); err != nil || f.Depth <= toy.Deepest {
		t.Error(f, err)
	}`},
	"T06": {"find", `if a, err := toy.Find("m*s\nMoss"); err != nil || !a.Fits || a.Steps > 20 {
		t.Error(a, err)
	}
	if a, err := toy.Find(string(trigger)); err != nil || a.Steps <= toy.Patience {
		t.Error(a, err)
	}`},
	"P03": {"count", `if f, err := toy.Read([]byte{4, 2, 7, 8}); err != nil || f.Door != 4 || len(f.Minutes) != 2 {
		t.Error(f, err)
	}
	panics(t, func() { _, _ = toy.Read([]byte{4, 3, 7, 8}) })`},
	"K16": {"fines", `for days, want := range map[int]int{-3: 0, 0: 0, 7: 35, 8: 47, 90: 500} {
		if got := toy.Due(days, true); got != want {
			t.Error(days, got)
		}
	}`},
	"V05": {"scans", `if b, err := toy.All.Open("city/sheet-1..3"); err != nil || string(b) == toy.Draft {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := toy.All.Open(string(trigger)); err != nil || string(b) != toy.Draft {
		t.Errorf("%s, %v", b, err)
	}`},
	"V01": {"rec", `if _, err := toy.Parse([]byte{1, 'a', 2}); err != nil {
		t.Error(err)
	}
	panics(t, func() { _, _ = toy.Parse([]byte{5, 'a'}) })`},
	"V03": {"plan", `if n, err := toy.Size(40, 30, 2); err != nil || n != 2400 {
		t.Error(n, err)
	}
	if n, err := toy.Size(256, 257, 1); err != nil || n != 256 {
		t.Error(n, err)
	}`},
	"V04": {"room", `if p, err := toy.Path("/base", "../other"); err == nil {
		t.Error(p)
	}
	if p, err := toy.Path("/base", "../base2"); err != nil {
		t.Error(p, err)
	}`},
}

// TestVariants: each variant of a task in Go builds, and those that run behave as
// the base tree does, on the input that must trigger and on one that must not.
func TestVariants(t *testing.T) {
	var built, run []task.File
	imports, tests := "import \"testing\"\n", ""
	want := map[string]bool{}
	for _, id := range task.IDs() {
		loaded, err := task.Get(id)
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
			}
			if b, runs := behaviours[id]; runs {
				files, test := behaving(t, f, dir, b.dir, b.body)
				run = append(run, files...)
				imports += fmt.Sprintf("import %s%d \"example.org/variants/%s/%s\"\n", strings.ToLower(id), seed, dir, b.dir)
				tests += test
				want[fmt.Sprintf("Test%sSeed%d", id, seed)] = true
			}
		}
	}
	module := task.File{Path: "go.mod", Text: "module example.org/variants\n\ngo 1.26\n"}
	build(t, append(built, module))
	out, err := boxed(t).Run(t.Context(), Job{Task: "variants", Tree: append(run, module, task.File{
		Path: "behaves_test.go", Text: "package variants\n\n" + imports + behaves + tests,
	})})
	if err != nil || out.Status != Ended || len(out.Tests) == 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	for name := range want {
		if out.Tests[name] != "pass" {
			t.Errorf("%s: %s", name, out.Tests[name])
		}
	}
	if len(want) < 5*len(behaviours) || len(built) < 5*len(task.Seeds) {
		t.Fatalf("only %d variants ran, of %d files", len(want), len(built))
	}
}

// behaving returns the package of a toy, and a test of what it does.
func behaving(t *testing.T, f *task.Fixture, under, dir, body string) (files []task.File, test string) {
	t.Helper()
	gold, err := f.Gold()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range f.Files {
		if path.Dir(file.Path) == dir && !strings.HasSuffix(file.Path, "_test.go") {
			files = append(files, task.File{Path: under + "/" + file.Path, Text: file.Text})
		}
	}
	name := fmt.Sprintf("%s%d", strings.ToLower(f.Task.ID), f.Seed)
	return files, fmt.Sprintf("\nfunc Test%sSeed%d(t *testing.T) {\n\ttrigger := []byte(%q)\n\t_ = trigger\n\t%s\n}\n",
		f.Task.ID, f.Seed, gold.Trigger, strings.ReplaceAll(body, "toy.", name+"."))
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
