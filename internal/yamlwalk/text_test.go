package yamlwalk

import (
	"testing"

	"github.com/licet-dev/licet/internal/toolcall"
)

func parse(text []byte) (*Node, Problems) {
	r := Reader{File: "f", What: "contract"}
	root := r.Parse(text)
	return root, r.Problems
}

// TestScalars checks what a value beside a key is read as; Absent stands for
// texts that YAML versions read differently.
func TestScalars(t *testing.T) {
	for _, tt := range []struct {
		text string
		kind toolcall.Kind
	}{
		{"0", toolcall.Number}, {"-1", toolcall.Number}, {"12.50", toolcall.Number}, {"1.5e+3", toolcall.Number}, {"1.5E-3", toolcall.Number},
		{"true", toolcall.Bool}, {"false", toolcall.Bool}, {"null", toolcall.Null},
		{`"no"`, toolcall.String}, {"'010'", toolcall.String}, {"|\n    ~", toolcall.String}, {">-\n    1", toolcall.String},
		{"text", toolcall.String}, {"15m", toolcall.String}, {"-", toolcall.Absent}, {"a.b", toolcall.String}, {"1a", toolcall.String},
		{"nothing", toolcall.String}, {"yesterday", toolcall.String}, {"one\n    two", toolcall.String}, {"sha256:00", toolcall.String},
		{"é", toolcall.String}, {`"\u200B"`, toolcall.String}, {"2024-01", toolcall.String}, {"e5", toolcall.String},
		{"-0x1F", toolcall.Absent}, {"00", toolcall.Absent}, {"-01", toolcall.Absent}, {"08", toolcall.Absent}, {"0_1", toolcall.Absent},
		{"190:20:30.15", toolcall.Absent}, {"1,000", toolcall.Absent}, {"10.0.0.1", toolcall.Absent}, {"1.5e3", toolcall.Absent},
		{"685.230_15e+03", toolcall.Absent}, {"+.inf", toolcall.Absent}, {"yES", toolcall.Absent}, {"2001-12-14t21:59:43.10-05:00", toolcall.Absent},
		{"2001-12-14 21:59:43", toolcall.Absent}, {"<<", toolcall.Absent},
	} {
		root, problems := parse([]byte("k: " + tt.text + "\n"))
		switch {
		case tt.kind == toolcall.Absent:
			if len(problems) == 0 {
				t.Errorf("%q is read as %s", tt.text, root.Get("k").Kind)
			}
		case len(problems) > 0 || root.Get("k").Kind != tt.kind:
			t.Errorf("%q: %v", tt.text, problems)
		}
	}
}

func TestSize(t *testing.T) {
	text := make([]byte, maxBytes+1)
	for i := range text {
		text[i] = '#'
	}
	if _, problems := parse(text); problems.Error() != "f:1:1: the contract has 4194305 bytes: at most 4194304 are read" {
		t.Error(problems)
	}
	if _, problems := parse(text[1:]); problems.Error() != "f:1:1: the contract is empty" {
		t.Error(problems)
	}
}

func TestFind(t *testing.T) {
	root, problems := parse([]byte("a:\n  b/c: [x, {d~: z}]\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for pointer, want := range map[string]string{
		"": "", "/a": "a", "/a/b~1c": "b/c", "/a/b~1c/0": "x", "/a/b~1c/1/d~0": "d~", "/a/nothing/more": "a", "/a/b~1c/7": "b/c",
	} {
		if got := root.Find(pointer).Text; got != want {
			t.Errorf("%q finds %q, want %q", pointer, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	known := []string{"allow", "approve", "never", "limits"}
	for word, want := range map[string]string{
		"alow": "allow", "Allow": "allow", "allwo": "allow", "approval": "approve", "limit": "limits", "nevre": "never",
		"x": "", "": "", "permit": "", "all": "", "néver": "never",
	} {
		if got := near(word, known); got != want {
			t.Errorf("near %q is %q, want %q", word, got, want)
		}
	}
}
