package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestMain makes this program what a box starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "inside" {
		if err := Inside(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func boxed(t *testing.T) *Boxed {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := NewBoxed(t.Context(), sandbox.Box{Self: []string{self, "inside"}})
	_, err = b.Run(t.Context(), Job{Task: "T01", Build: Given})
	if missing := new(sandbox.Missing); errors.As(err, &missing) {
		testkit.Missing(t, "LICET_REQUIRE_SANDBOX", err.Error())
	}
	return b
}

func TestToys(t *testing.T) {
	b := boxed(t)
	for _, c := range []struct {
		task, input   string
		given, fixed  string
		givenS, fixeS string
	}{
		{"T01", "\x01\x09abc", "IDX", "", "ORACLE:IDX\n", "REJECT\n"},
		{"T01", "\x01\x03abc", "", "", "OK\n", "OK\n"},
		{"T01", "", "", "", "REJECT\n", "REJECT\n"},
		{"T02", "hours.txt", "", "", "OK\n", "OK\n"},
		{"T02", "../drive", "", "", "REJECT\n", "REJECT\n"},
		{"T03", "\x00\x01\x00\x01a", "", "", "OK\n", "OK\n"},
		{"T03", "\xff\x00\x00\x03", "", "", "REJECT\n", "REJECT\n"},
		{"T04", `[{"type":"badge","badge":"1"},{"type":"pause"},{"type":"resume"}]`, "", "", "OK\n", "OK\n"},
		{"T04", `[{"type":"badge","badge":"1"},{"type":"open"}]`, "", "", "REJECT\n", "REJECT\n"},
		{"T05", "\x02\x03\x01\x01ac", "", "", "REJECT\n", "REJECT\n"},
		{"T05", "\x01\x01ac", "", "", "OK\n", "OK\n"},
		{"T06", "*a*a*a*a*b\naaaaaaaaaa", "", "", "OK\n", "OK\n"},
		{"T06", "moss", "", "", "REJECT\n", "REJECT\n"},
		{"P03", "\x01\x02\x03\x04", "", "", "OK\n", "OK\n"},
		{"P03", "\x01\x03\x03\x04", "IDX", "", "ORACLE:IDX\n", "REJECT\n"},
		{"V05", "index.txt", "", "", "OK\n", "OK\n"},
		{"V05", "../drafts/harbour/readme.txt", "", "", "OK\n", "REJECT\n"},
		{"V05", "../drafts/harbour/sheet-4", "DRAFT", "", "ORACLE:DRAFT\n", "REJECT\n"},
	} {
		for build, want := range map[string][2]string{Given: {c.given, c.givenS}, Fixed: {c.fixed, c.fixeS}} {
			out, err := b.Run(t.Context(), Job{Task: c.task, Build: build, Input: []byte(c.input)})
			if err != nil || out.Status != Ended || out.Oracle != want[0] || out.Stdout != want[1] {
				t.Errorf("%s %s %q: %+v, %v", c.task, build, c.input, out, err)
			}
		}
	}
	if _, err := b.Run(t.Context(), Job{Task: "T99", Build: Given}); err == nil {
		t.Error("a toy that is none ran")
	}
	if _, err := b.Run(t.Context(), Job{Task: "T01", Build: Given, Input: make([]byte, MaxInput+1)}); err == nil {
		t.Error("an input over the bound was taken")
	}
}

// TestTriggers: the input that gold has makes each toy do what it must not, and its
// twin refuse it.
func TestTriggers(t *testing.T) {
	seen := 0
	for _, id := range task.IDs() {
		if toys[id].given == nil {
			continue
		}
		seen++
		gold := goldOf(t, id)
		for build, want := range map[string]string{Given: gold.Code, Fixed: ""} {
			out, err := boxed(t).Run(t.Context(), Job{Task: id, Build: build, Input: gold.Trigger})
			if err != nil || out.Oracle != want {
				t.Errorf("%s %s: %+v, %v", id, build, out, err)
			}
		}
	}
	if seen < 1 {
		t.Fatal("no task has a toy")
	}
}

// TestLinkedBuilds: the fixed builds that are linked are the twins of their tasks, and
// the candidates what the patches in their trees make of them.
func TestLinkedBuilds(t *testing.T) {
	builds := 0
	for id, toy := range toys {
		loaded, err := task.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := loaded.Twin(0)
		if err != nil {
			t.Fatal(err)
		}
		linked(t, "fixed/"+strings.ToLower(id), twin.Files)
		builds++
		for letter := range toy.candidates {
			given, err := loaded.Fixture(0)
			if err != nil {
				t.Fatal(err)
			}
			diff, _ := given.Text("candidates/" + strings.ToLower(letter) + ".diff")
			changes, err := udiff.Parse(diff)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := task.Patch(given.Files, changes)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Equal(tree, twin.Files) {
				continue // it is the fixed one
			}
			linked(t, "candidate/"+strings.ToLower(id+"/"+letter), tree)
			builds++
		}
	}
	if builds < len(toys)+2 {
		t.Fatalf("looked at %d builds", builds)
	}
}

// linked wants a folder to have files of a tree, and no others.
func linked(t *testing.T, dir string, tree []task.File) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name := strings.TrimPrefix(filepath.ToSlash(path), dir+"/")
		if !slices.Contains(tree, task.File{Path: name, Text: string(text)}) {
			t.Errorf("%s is not %s of the tree", path, name)
		}
		seen++
		return err
	})
	if err != nil || seen == 0 {
		t.Errorf("looked at %d files of %s, %v", seen, dir, err)
	}
}

func goldOf(t *testing.T, id string) task.Gold {
	t.Helper()
	gold, err := fixture(t, id).Gold()
	if err != nil {
		t.Fatal(err)
	}
	return gold
}

func fixture(t *testing.T, id string) *task.Fixture {
	t.Helper()
	loaded, err := task.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := loaded.Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestCandidates: what the inputs that gold has do to each candidate.
func TestCandidates(t *testing.T) {
	gold := goldOf(t, "V05")
	for build, want := range map[string][2]string{
		"A": {"ORACLE:DRAFT\n", "OK\n"}, "B": {"REJECT\n", "OK\n"}, "C": {"REJECT\n", "REJECT\n"},
	} {
		for i, input := range [][]byte{gold.Trigger, gold.Regular} {
			out, err := boxed(t).Run(t.Context(), Job{Task: "V05", Build: build, Input: input})
			if err != nil || out.Stdout != want[i] {
				t.Errorf("%s, %q: %+v, %v", build, input, out, err)
			}
		}
	}
}

// TestTree: tests of a tree are run and told apart; a tree that does not build has
// none.
func TestTree(t *testing.T) {
	f := fixture(t, "V01")
	out, err := boxed(t).Run(t.Context(), Job{Task: "V01", Tree: f.Files})
	if err != nil || out.Exit != 0 || out.Tests["TestParse"] != "pass" || out.Tests["TestParseNothing"] != "pass" {
		t.Errorf("%+v, %v", out, err)
	}
	broken := slices.Clone(f.Files)
	for i := range broken {
		broken[i].Text = strings.ReplaceAll(broken[i].Text, "func Parse(", "func parse(")
	}
	out, err = boxed(t).Run(t.Context(), Job{Task: "V01", Tree: broken})
	if err != nil || out.Status != Ended || out.Exit == 0 || len(out.Tests) != 0 ||
		!strings.Contains(out.Stdout, "undefined: Parse") || strings.Contains(out.Stdout, os.TempDir()) {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestUnexplained: that no test ran, for no reason that is told, is no result.
func TestUnexplained(t *testing.T) {
	out, err := boxed(t).Run(t.Context(), Job{Task: "V01", Tree: []task.File{
		{Path: "go.mod", Text: "module example.org/untested\n\ngo 1.26\n"}, {Path: "a.go", Text: "package untested\n"},
	}})
	if err != nil || out.Status != Stalled || !strings.Contains(out.Stdout, "no test files") {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestSockets: a tree whose code would open a socket is not run, and is told as one that
// was refused that, wherever it stands and whatever else it imports. What has another
// use is not.
func TestSockets(t *testing.T) {
	for _, c := range []struct {
		code   string
		socket bool
	}{
		{"import \"net\"\n\nvar _ = net.Dial", true},
		{"import web \"net/http\"\n\nvar _ = web.Get", true},
		{"import . `crypto/tls`", true},
		{"import (\n\t\"os\"\n\t\"net/smtp\"\n)", true},
		{"import \"syscall\"\n\nvar _, _ = syscall.Socket(2, 1, 0)", true},
		{"import \"syscall\"\n\nvar call uintptr = syscall.SYS_SOCKET", true},
		{"import \"net\"\n\nfunc {", true},
		{"import \"syscall\"\n\nvar _ = syscall.Exit", false},
		{"import \"net/netip\"\n\nvar _ = netip.ParseAddr", false},
		{"import \"os\"\n\nvar socket = os.Exit", false},
	} {
		out, err := NewBoxed(t.Context(), sandbox.Box{}).Run(t.Context(), Job{Task: "V01", Tree: []task.File{
			{Path: "a.go", Text: "package a\n\nimport \"plugin\"\n"}, {Path: "b/b.go", Text: "package b\n\n" + c.code + "\n"},
		}})
		refused := out.Status == SandboxDenied && out.Refused == Socket
		if err != nil || refused != c.socket || out.Refused != "" && !refused || out.Exit == 0 || !strings.Contains(out.Stdout, "no test ran: a.go imports") {
			t.Errorf("%q: %+v, %v", c.code, out, err)
		}
	}
}

// TestNoSocket: nothing that code under test may import opens sockets, also not for it.
func TestNoSocket(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, imports...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Fields(string(out))
	if len(parts) < len(imports) {
		t.Fatalf("they are made of %q", parts)
	}
	for _, name := range parts {
		if slices.Contains(networks, name) {
			t.Errorf("%s is part of what code under test may import", name)
		}
	}
}

// TestForeign: a tree whose code could end or steer its tests is not tested, however it
// is written, and says so.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		code string
		runs bool
	}{
		{"import \"errors\"\n\nvar _ = errors.New", true},
		{"import (\n\t\"slices\"\n\tw \"strings\"\n)\n\nvar _, _ = slices.Max[[]int], w.ToUpper", true},
		{"import \"syscall\"\n\nfunc init() { syscall.Exit(0) }", false},
		{"import e \"os\"\n\nvar _ = e.Exit", false},
		{"import `os`\n\nvar _ = os.Exit", false},
		{"import \"\\x6fs\"\n\nvar _ = os.Exit", false},
		{"import (\n\t\"errors\"\n\t_ \"unsafe\"\n)\n\nvar _ = errors.New", false},
		{"import \"flag\"\n\nfunc init() { flag.Set(\"test.run\", \"^$\") }", false},
		{"import \"C\"", false},
		{"import \"testing\"\n\nvar _ testing.TB", false},
		{"import", false},
		{"func init() { go func() {}() }", false},
		{"var _ = func() int { f := func() { defer func() { go panic(1) }() }; f(); return 1 }", false},
		{"import \"time\"\n\nvar _ = time.AfterFunc", false},
		{"import \"sync\"\n\nvar _ sync.WaitGroup", false},
		{"import \"context\"\n\nvar _ = context.AfterFunc", false},
		{"//go:cgo_import_dynamic exit exit \"libc.so.6\"", false},
		{"//go:noinline\nfunc f() {}", false},
		{"// go: is a language\nfunc f() {}", true},
		{"func min(a, b int) int { return a }", true}, // no test says min
		{"func f(string int) (len int) { return string }\n\ntype T struct{}\n\nfunc (T) string() {}", true},
		{"func string(any) int { return 1 }", false},
		{"type string = []byte", false},
		{"var x, string = 1, 2", false},
		{"const (\n\ta = 1\n\tstring = 2\n)", false},
	} {
		out, err := boxed(t).Run(t.Context(), Job{Task: "V01", Tree: []task.File{
			{Path: "go.mod", Text: "module example.org/foreign\n\ngo 1.26\n"},
			{Path: "a.go", Text: "package foreign\n\n" + c.code + "\n"},
			{Path: "a_test.go", Text: "package foreign\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestIt(t *testing.T) { os.Getpid(); _ = string(\"a\") }\n"},
		}})
		if err != nil || out.Status != Ended || (out.Exit == 0) != c.runs || (out.Tests["TestIt"] == "pass") != c.runs || strings.Contains(out.Stdout, "no test ran: ") == c.runs {
			t.Errorf("%q: %+v, %v", c.code, out, err)
		}
	}
}

// TestNoHome: the go command and what it tests know no home, so that nothing of how the
// command was used is written there by a process that outlives it.
func TestNoHome(t *testing.T) {
	out, err := boxed(t).Run(t.Context(), Job{Task: "V01", Tree: []task.File{
		{Path: "go.mod", Text: "module example.org/home\n\ngo 1.26\n"},
		{Path: "home_test.go", Text: `package home

import (
	"os"
	"testing"
)

func TestHome(t *testing.T) {
	if dir, err := os.UserConfigDir(); err == nil {
		t.Error(dir)
	}
}
`},
	}})
	if err != nil || out.Tests["TestHome"] != "pass" {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestRefused: a tree that tries what the sandbox refuses is not told as one whose
// tests fail.
func TestRefused(t *testing.T) {
	out, err := boxed(t).Run(t.Context(), Job{Task: "V01", Tree: []task.File{
		{Path: "go.mod", Text: "module example.org/refused\n\ngo 1.26\n"},
		{Path: "refused_test.go", Text: `package refused

import (
	"syscall"
	"testing"
)

func TestSocket(t *testing.T) { syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0) }
`},
	}})
	if err != nil || out.Status != SandboxDenied || out.Tests["TestSocket"] == "pass" {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestStatus: what ran out of time without having used its CPU stalled; it is not told
// as what took too much.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		name string
		r    sandbox.Result
		l    sandbox.Limits
		want string
	}{
		{"an end", sandbox.Result{Exit: 1}, sandbox.Toy, Ended},
		{"a refusal", sandbox.Result{Killed: true, Refused: true}, sandbox.Toy, SandboxDenied},
		{"a toy that had its CPU", sandbox.Result{Killed: true}, sandbox.Toy, TimedOut},
		{"a toy that had its CPU at the end of its time", sandbox.Result{TimedOut: true, Killed: true, CPU: 2 * time.Second}, sandbox.Toy, TimedOut},
		{"a toy that had not", sandbox.Result{TimedOut: true, Killed: true, CPU: 2*time.Second - 1}, sandbox.Toy, Stalled},
		{"a build that had half of its time", sandbox.Result{TimedOut: true, Killed: true, CPU: 30 * time.Second}, sandbox.Build, TimedOut},
		{"a build that had less", sandbox.Result{TimedOut: true, Killed: true, CPU: 29 * time.Second}, sandbox.Build, Stalled},
	} {
		if got := statusOf(c.r, c.l); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// TestStalled: a toy in a sandbox that does not get on is started again, a bounded
// number of times.
func TestStalled(t *testing.T) {
	boxed(t) // what a machine lacks is told apart
	starts := filepath.Join(t.TempDir(), "starts")
	b := NewBoxed(t.Context(), sandbox.Box{Self: []string{"/bin/sh", "-c", "echo >>" + starts + "; exec sleep 1000"}})
	b.toy.Wall = 500 * time.Millisecond
	out, err := b.Run(t.Context(), Job{Task: "T01", Build: Given})
	if err != nil || out.Status != Stalled || out.Oracle != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if text, err := os.ReadFile(starts); err != nil || len(text) != maxStalls {
		t.Errorf("%d starts, %v", len(text), err)
	}
}

func TestRecorded(t *testing.T) {
	a, b := Job{Task: "T01", Build: Given}, Job{Task: "T01", Build: Fixed}
	r := &Recorded{Outputs: []Output{{Job: a.Digest(), Oracle: "IDX"}}}
	if _, err := r.Run(t.Context(), b); err == nil {
		t.Error("another job was answered")
	}
	if out, err := r.Run(t.Context(), a); err != nil || out.Oracle != "IDX" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := r.Run(t.Context(), a); err == nil {
		t.Error("an output was given twice")
	}
}
