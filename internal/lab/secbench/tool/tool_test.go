package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// said is a runner that always says the same.
type said harness.Output

func (s said) Run(context.Context, harness.Job) (harness.Output, error) {
	return harness.Output(s), nil
}
func (said) Layers() []string { return nil }

// open returns the tools of a task, with the folder of its files.
func open(t *testing.T, id string) (*Session, string) {
	t.Helper()
	loaded, err := task.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	f, err := loaded.Fixture(0)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	s, err := Open("r-1", dir, f, said{Status: harness.Ended, Oracle: "IDX", Stdout: "ORACLE:IDX\n"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

// do runs a call and returns its result, with the data of its envelope.
func do(t *testing.T, s *Session, name, args string) (Result, toolcall.Value) {
	t.Helper()
	v, err := toolcall.Parse([]byte(args), toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(name, v); err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	r, err := s.Do(t.Context(), 7, name, v)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	envelope, err := toolcall.Parse([]byte(r.Text), toolcall.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	return r, envelope.Get("data")
}

// TestCodes: what tools say to calls that come to nothing.
func TestCodes(t *testing.T) {
	for _, c := range []struct{ task, tool, args, code string }{
		{"L01", "list_dir", `{"path":"."}`, ""},
		{"L01", "list_dir", `{"path":"/"}`, ""},
		{"L01", "list_dir", `{"path":"none"}`, "not_found"},
		{"L01", "list_dir", `{"path":"dl.go"}`, "not_a_folder"},
		{"L01", "read_file", `{"path":"dl.go","start":1,"end":400}`, ""},
		{"L01", "read_file", `{"path":"none","start":1,"end":1}`, "not_found"},
		{"L01", "read_file", `{"path":"dl.go","start":9,"end":8}`, "no_such_lines"},
		{"L01", "read_file", `{"path":"dl.go","start":9999,"end":9999}`, "no_such_lines"},
		{"R01", "read_file", `{"path":"intake","start":1,"end":1}`, "not_a_file"},
		{"L01", "search", `{"re2":"(","glob":"**"}`, "bad_expression"},
		{"L01", "search", `{"re2":"` + strings.Repeat("(.?){1000}", 25) + `$b","glob":"**"}`, "too_costly"},
		{"L01", "search", `{"re2":"(?i)(os|io|fs|http)[.][a-z]{1,40}[(]|` + strings.Repeat("abcdefgh|", 20) + `z","glob":"**"}`, ""},
		{"T01", "write_scratch", `{"path":"scratch/a","bytes":"01","encoding":"hex"}`, ""},
		{"T01", "write_scratch", `{"path":"scratch/a","bytes":"0","encoding":"hex"}`, "bad_encoding"},
		{"T01", "write_scratch", `{"path":"scratch/..","bytes":"","encoding":"hex"}`, "bad_name"},
		{"T01", "write_scratch", `{"path":"rec/a","bytes":"","encoding":"hex"}`, "bad_name"},
		{"T01", "write_scratch", `{"path":"scratch/a","bytes":"` + strings.Repeat("x", 4097) + `","encoding":"utf8"}`, "too_large"},
		{"T01", "run_harness", `{"id":"parse","input":""}`, ""},
		{"T01", "run_harness", `{"id":"other","input":""}`, "no_such_harness"},
		{"T01", "run_harness", `{"id":"parse","input":"scratch/none"}`, "no_such_input"},
		{"T01", "run_harness", `{"id":"parse","input":"rec/parse.go"}`, "no_such_input"},
		{"V01", "apply_patch", `{"diff":"hello"}`, "bad_diff"},
		{"V01", "apply_patch", `{"diff":"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"}`, "new_file"},
		{"V01", "apply_patch", `{"diff":"--- a/go.mod\n+++ b/go.mod\n@@ -1 +1 @@\n-a\n+b\n"}`, "not_patchable"},
		{"V01", "apply_patch", `{"diff":"--- a/rec/parse.go\n+++ b/rec/parse.go\n@@ -1 +1 @@\n-a\n+b\n"}`, "does_not_apply"},
		{"L01", "decline", `{"scope":"part","reason":"x"}`, ""},
	} {
		s, _ := open(t, c.task)
		r, _ := do(t, s, c.tool, c.args)
		if want := map[bool]string{true: "ok", false: "error"}[c.code == ""]; r.Code != c.code || r.Status != want {
			t.Errorf("%s %s: %s %q, want %q", c.tool, c.args, r.Status, r.Code, c.code)
		}
	}
}

// TestBounds: what is shown is bounded, and says that it is.
func TestBounds(t *testing.T) {
	s, dir := open(t, "L01")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("long", strings.Repeat("x\n", 500))
	write("wide", strings.Repeat(strings.Repeat("y", 999)+"\n", 40))
	for name, last := range map[string]string{"long": "400", "wide": "16"} {
		r, data := do(t, s, "read_file", fmt.Sprintf(`{"path":%q,"start":1,"end":500}`, name))
		if data.Get("end").Canonical() != last || !data.Get("truncated").Bool() || r.Spans[0].End > 400 {
			t.Errorf("%s: %s, truncated %v", name, data.Get("end").Canonical(), data.Get("truncated").Bool())
		}
	}
	r, data := do(t, s, "search", `{"re2":"^[xy]","glob":"**"}`)
	if len(r.Spans) != 50 || data.Get("matches").Len() != 50 || !data.Get("truncated").Bool() {
		t.Errorf("%d spans", len(r.Spans))
	}
	if _, data = do(t, s, "search", `{"re2":"yyy","glob":"wide"}`); len(data.Get("matches").Elem(0).Get("text").Text()) != 240 {
		t.Error("a long line was not cut")
	}
	for i := range 201 {
		write(fmt.Sprintf("f%03d", i), "")
	}
	if _, data := do(t, s, "list_dir", `{"path":"."}`); data.Get("entries").Len() != 200 || !data.Get("truncated").Bool() {
		t.Errorf("%d entries", data.Get("entries").Len())
	}
	s, _ = open(t, "T01")
	for i := range 17 {
		r, _ := do(t, s, "write_scratch", fmt.Sprintf(`{"path":"scratch/%d","bytes":"","encoding":"utf8"}`, i))
		if (r.Code == "too_many_files") != (i == 16) {
			t.Errorf("file %d: %s", i, r.Text)
		}
	}
	if r, _ := do(t, s, "write_scratch", `{"path":"scratch/3","bytes":"a","encoding":"utf8"}`); r.Status != "ok" || r.Writes[0].Before != trace.Sum(nil) {
		t.Errorf("a file that is there: %s", r.Text)
	}
}

func TestGlob(t *testing.T) {
	for glob, want := range map[string]string{
		"**": "README.md intake/bundle.py intake/server.py settings.ini", "*": "README.md settings.ini", "intake/*": "intake/bundle.py intake/server.py",
		"**.py": "intake/bundle.py intake/server.py", "*.p?": "", "[a-z]*": "",
	} {
		s, _ := open(t, "R01")
		_, data := do(t, s, "search", fmt.Sprintf(`{"re2":"Intake|import io|import shutil|token","glob":%q}`, glob))
		var names []string
		for i := range data.Get("matches").Len() {
			if name := data.Get("matches").Elem(i).Get("path").Text(); len(names) == 0 || names[len(names)-1] != name {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s names %q, want %q", glob, got, want)
		}
	}
}

// TestRevisions: a patch makes a new revision, by which spans, nonces and the report
// are told apart from those before it.
func TestRevisions(t *testing.T) {
	s, dir := open(t, "V01")
	before, _ := do(t, s, "read_file", `{"path":"rec/parse.go","start":1,"end":9}`)
	first, _ := do(t, s, "run_harness", `{"id":"visible","input":""}`)
	patch := `{"diff":"--- a/rec/parse.go\n+++ b/rec/parse.go\n@@ -1 +1 @@\n-// Package rec reads and writes the frames of the badge readers.\n+// Package rec is about frames.\n"}`
	r, data := do(t, s, "apply_patch", patch)
	if r.Status != "ok" || data.Get("revision").Canonical() != "1" || len(r.Writes) != 1 {
		t.Fatalf("%s", r.Text)
	}
	after, _ := do(t, s, "read_file", `{"path":"rec/parse.go","start":1,"end":9}`)
	other, _ := do(t, s, "read_file", `{"path":"rec/write.go","start":1,"end":9}`)
	if before.Spans[0].Rev != 0 || after.Spans[0].Rev != 1 || other.Spans[0].Rev != 0 {
		t.Errorf("revisions %d, %d, %d", before.Spans[0].Rev, after.Spans[0].Rev, other.Spans[0].Rev)
	}
	second, _ := do(t, s, "run_harness", `{"id":"visible","input":""}`)
	if first.Nonce == second.Nonce || len(first.Nonce) != 8 || first.Output == nil {
		t.Errorf("nonces %q and %q", first.Nonce, second.Nonce)
	}
	text, err := os.ReadFile(filepath.Join(dir, "rec", "parse.go"))
	if err != nil || !strings.HasPrefix(string(text), "// Package rec is about frames.\n") {
		t.Errorf("the file begins %.40q, %v", text, err)
	}
	sub, _ := do(t, s, "submit", `{"status":"solved","verdict":"PATCHED","cwe":"NONE","locations":[],"evidence":[],"input_ref":[],"receipt_ids":[],"summary":""}`)
	if sub.Submission.TreeDiffSHA != trace.Sum([]byte(sub.TreeDiff)) || !strings.Contains(sub.TreeDiff, "+// Package rec is about frames.") {
		t.Errorf("%+v\n%s", sub.Submission, sub.TreeDiff)
	}
}

// TestGrown: a file that patches would make too large to be read is not written: the
// run goes on.
func TestGrown(t *testing.T) {
	s, _ := open(t, "V01")
	first, _, _ := strings.Cut(s.given["rec/parse.go"], "\n")
	patch := "--- a/rec/parse.go\n+++ b/rec/parse.go\n@@ -1 +1,2 @@\n " + first + "\n+//" + strings.Repeat("\U0001f41a", 16000) + "\n"
	args := toolcall.ObjectOf(toolcall.Member{Name: "diff", Value: toolcall.StringOf(patch)}).Canonical()
	for n := 0; ; n++ {
		if r, _ := do(t, s, "apply_patch", args); r.Code == "too_large" && n > 0 {
			break
		} else if r.Status != "ok" || n > 30 {
			t.Fatalf("patch %d: %s", n, r.Text)
		}
	}
	do(t, s, "read_file", `{"path":"rec/parse.go","start":1,"end":1}`)
	do(t, s, "run_harness", `{"id":"visible","input":""}`)
}

func TestSubmit(t *testing.T) {
	s, _ := open(t, "T01")
	do(t, s, "write_scratch", `{"path":"scratch/a","bytes":"YWI=","encoding":"base64"}`)
	r, _ := do(t, s, "submit", `{"status":"solved","verdict":"TRIGGERED","cwe":"CWE-129","locations":[{"file":"a","start":1,"end":2,"quote":"q"}],"evidence":[],"input_ref":["scratch/a","scratch/b"],"receipt_ids":["rcpt_1"],"summary":"s"}`)
	sub := r.Submission
	if sub == nil || len(sub.Inputs) != 1 || sub.Inputs[0].Bytes != 2 || r.Inputs[sub.Inputs[0].SHA256] != "ab" || sub.Locations[0].End != 2 || sub.TreeDiffSHA != "" {
		t.Errorf("%+v", sub)
	}
}

// TestTrouble: that an input cannot be read is our trouble, and never as if the agent
// had named none.
func TestTrouble(t *testing.T) {
	for name, args := range map[string]string{
		"run_harness": `{"id":"parse","input":"scratch/a"}`,
		"submit":      `{"status":"solved","verdict":"TRIGGERED","cwe":"CWE-129","locations":[],"evidence":[],"input_ref":["scratch/a"],"receipt_ids":[],"summary":""}`,
	} {
		s, dir := open(t, "T01")
		do(t, s, "write_scratch", `{"path":"scratch/a","bytes":"","encoding":"utf8"}`)
		if err := os.WriteFile(filepath.Join(dir, "scratch", "a"), make([]byte, maxFile+1), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := toolcall.Parse([]byte(args), toolcall.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.Do(t.Context(), 2, name, v); err == nil {
			t.Errorf("%s: %s %s", name, r.Status, r.Code)
		}
	}
}

func TestCheck(t *testing.T) {
	span := `{"file":"a","start":1,"end":1,"quote":"q"}`
	roles := func(n int) string {
		return `{"status":"solved","verdict":"","cwe":"NONE","locations":[],"evidence":[` +
			strings.TrimSuffix(strings.Repeat(`{"role":"sink","span":`+span+`},`, n), ",") + `],"input_ref":[],"receipt_ids":[],"summary":""}`
	}
	for _, c := range []struct {
		tool, args string
		ok         bool
	}{
		{"submit", roles(2), true},
		{"submit", roles(3), false},
		{"submit", strings.Replace(roles(1), `"end":1`, `"end":1.0`, 1), true},
		{"submit", strings.Replace(roles(1), `"end":1`, `"end":9223372036854775808`, 1), false},
		{"submit", strings.Replace(roles(1), `"end":1`, `"end":1e300`, 1), false},
		{"read_file", `{"path":"a","start":0,"end":1}`, false},
		{"read_file", `{"path":"a","start":1}`, false},
		{"read_file", `{"path":"a","start":1,"end":1,"x":1}`, false},
		{"list_dir", `{"path":"` + strings.Repeat("a", 241) + `"}`, false},
	} {
		v, err := toolcall.Parse([]byte(c.args), toolcall.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(c.tool, v); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
		}
	}
	if err := Check("shell", toolcall.ObjectOf()); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v", err)
	}
}
