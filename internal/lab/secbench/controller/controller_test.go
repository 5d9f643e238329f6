package controller

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

const args = `{"path":"a","start":1,"end":2}`

// TestRead: how proposals are read in each mode, and by which steps.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, raw      string
		strict, repair string
		steps          string
	}{
		{"read_file", args, "ok", "ok", ""},
		{"read_file", " " + args + "\n", "ok", "ok", ""},
		{"read_file", "\ufeff" + args, "malformed", "ok", "strip_fence"},
		{"read_file", "```json\n" + args + "\n```", "malformed", "ok", "strip_fence"},
		{"read_file", "Here: " + args + " done", "malformed", "ok", "only_object"},
		{"read_file", args + args, "malformed", "malformed", ""},
		{"read_file", `{"path":"a","start":1,"end":2,}`, "malformed", "ok", "trailing_commas"},
		{"read_file", `{"path":",}","start":1,"end":2,}`, "malformed", "ok", "trailing_commas"},
		{"read_file", "```\nsee " + `{"path":"a","start":"1","end":2,}` + "\n```", "malformed", "ok", "strip_fence only_object trailing_commas integers"},
		{"read_file", `{"arguments":` + args + `}`, "schema", "ok", "unwrap"},
		{"read_file", `{"name":"read_file","parameters":` + args + `}`, "schema", "ok", "unwrap"},
		{"read_file", `{"arguments":"{\"path\":\"a\",\"start\":1,\"end\":2}"}`, "schema", "ok", "unwrap"},
		{"", `{"tool_calls":[{"function":{"name":"read_file","arguments":` + args + `}}]}`, "unknown_tool", "ok", "unwrap"},
		{"list_dir", `{"name":"read_file","arguments":` + args + `}`, "schema", "schema", "unwrap"},
		{"read_file", `{"path":"a","start":"1","end":"2"}`, "schema", "ok", "integers"},
		{"read_file", `{"path":"a","start":"one","end":2}`, "schema", "schema", ""},
		{"read_file", `{"path":"a"}`, "schema", "schema", ""},
		{"readfile", args, "unknown_tool", "unknown_tool", ""},
		{"read_file", `{"path":"a","path":"b","start":1,"end":2}`, "malformed", "malformed", ""},
		{"read_file", `{"path":"a`, "malformed", "malformed", ""},
		{"read_file", ``, "malformed", "malformed", ""},
		{"read_file", `[]`, "malformed", "malformed", ""},
	} {
		call := model.Call{Name: c.name, Arguments: c.raw}
		if p := read(Strict, call); p.parse != c.strict || len(p.steps) > 0 {
			t.Errorf("strict %s %s: %s by %v, want %s", c.name, c.raw, p.parse, p.steps, c.strict)
		}
		p := read(Repair, call)
		if p.parse != c.repair || strings.Join(p.steps, " ") != c.steps {
			t.Errorf("repair %s %s: %s by %v, want %s by %s", c.name, c.raw, p.parse, p.steps, c.repair, c.steps)
		}
		if p.parse == trace.ParseOK && p.name != "read_file" {
			t.Errorf("repair made up the name %q", p.name)
		}
	}
}

// TestInProse: what counts as a call that was written instead of made.
func TestInProse(t *testing.T) {
	for text, want := range map[string]bool{
		"I will call read_file(path) now.":               true,
		"read_file{\"path\":1}":                          true,
		`Next: {"name": "read_file", "arguments": {}}`:   true,
		`{"tool":"x"}`:                                   true,
		`{"path":"a"}`:                                   false,
		"I would use read_file (see above).":             false,
		"The form is `read_file(path)`.":                 false,
		`They say "read_file(path)".`:                    false,
		"os.Open(filepath.Join(base, name)) is the line": false,
		"{not json}":                                     false,
		"":                                               false,
	} {
		if _, got := inProse(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestRedeemed: what lets a call run does so once. A call without it does not run, and
// ends the run.
func TestRedeemed(t *testing.T) {
	loaded, err := task.Get("T01")
	if err != nil {
		t.Fatal(err)
	}
	f, err := loaded.Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "workspace")
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	w, err := warden.Open(warden.ContractOf(f), dir, trace.NewWriter(io.Discard, trace.Gate, "r-1", time.Now))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	tools, err := tool.Open("r-1", dir, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	c := Controller{Warden: w, Tools: tools, Blobs: trace.Memory{}, proposals: 1}
	p := read(Strict, model.Call{Name: "write_scratch", Arguments: `{"path":"scratch/a","bytes":"","encoding":"utf8"}`})
	ruled, err := w.Decide(t.Context(), warden.Proposal{Call: "call_1", Name: p.name, Parse: p.parse, Args: p.args, Raw: []byte(p.raw)})
	if err != nil || ruled.Verdict != trace.Allow {
		t.Fatalf("%+v, %v", ruled, err)
	}
	if err := ruled.Redeem(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.do(t.Context(), "call_1", p, ruled); err == nil {
		t.Error("it ran without what lets it")
	}
	if _, err := os.Stat(filepath.Join(dir, "scratch", "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was written: %v", err)
	}
}

// FuzzRepair: whatever is repaired is an object that says what its text said: every
// text in it stood in the raw one.
func FuzzRepair(f *testing.F) {
	f.Add("read_file", "```json\n"+args+"\n```")
	f.Add("", `{"tool_calls":[{"function":{"name":"read_file","arguments":`+args+`}}]}`)
	f.Add("read_file", `{"path":"a","start":"1","end":"2",}`)
	f.Fuzz(func(t *testing.T, name, raw string) {
		again, v, steps := repair(name, raw)
		if again != name && !slices.Contains(steps, stepUnwrap) {
			t.Errorf("the name became %q", again)
		}
		if path := v.Get("path").Text(); !strings.Contains(raw, `\`) && !strings.Contains(raw, path) {
			t.Errorf("the path became %q", path)
		}
	})
}
