package controller

import (
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
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
