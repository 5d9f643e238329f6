package trajectory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// format is one way to write records. Those of transcripts have no read: there the
// file is the record.
type format struct {
	name     string
	is       func(toolcall.Value) bool
	read     func(toolcall.Value) ([]*Trajectory, error)
	failures bool // each result tells whether it is an error
}

// formats are tried in this order.
var formats = []format{
	{"trace", has("id", "calls"), readTrace, true},
	{"agentdojo-pair", has("user_task", "injection_task", "calls"), readPair, true},
	{"agentdojo-run", has("suite_name", "user_task_id", "messages"), readRun, true},
	{"tau-bench", has("task_id", "traj"), readTau, false},
	{"tau-bench-task", has("domain", "instruction", "ground_truth"), readTauTask, false},
	{"toolemu", has("user_instruction", "steps"), readToolEmu, false},
	{"asse-bench", has("profile", "contents"), readASSEBench, false},
	{"asb", isASB, readASB, false},
	{"inspect", has("eval", "samples"), readInspect, true},
	{"atif", has("schema_version", "steps"), readATIF, false},
	{"otel", has("resourceSpans"), readOTel, false},
	{"claude-code", isClaudeCode, nil, true},
	{"codex", isCodex, nil, false},
	{"messages", isMessages, readMessages, false}, // Anthropic's do, OpenAI's do not
}

// Formats returns the names of the formats.
func Formats() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.name)
	}
	return all
}

// recognise returns the format of a record that stands for itself.
func recognise(name string, v toolcall.Value) (format, error) {
	for _, f := range formats {
		switch {
		case name != "" && name != f.name, name == "" && !f.is(v):
		case f.read == nil:
			return f, fmt.Errorf("a transcript of %s is a file of lines, named .jsonl", f.name)
		default:
			return f, nil
		}
	}
	return format{}, fmt.Errorf("this is no record of a known format (%s)", strings.Join(Formats(), ", "))
}

func has(names ...string) func(toolcall.Value) bool {
	return func(v toolcall.Value) bool {
		for _, name := range names {
			if v.Get(name).Kind() == toolcall.Absent {
				return false
			}
		}
		return true
	}
}

func isMessages(v toolcall.Value) bool {
	if v.Kind() == toolcall.Object {
		v = v.Get("messages")
	}
	return v.Kind() == toolcall.Array && v.Len() > 0 && (has("role")(v.Elem(0)) || has("type")(v.Elem(0)))
}

// readMessages reads a message list of a model's API, or a request that has one.
func readMessages(v toolcall.Value) ([]*Trajectory, error) {
	b := newBuilder(v.Get("id").Text())
	if v.Kind() == toolcall.Object {
		v = v.Get("messages")
	}
	if v.Kind() != toolcall.Array {
		return nil, errors.New("the messages are no list")
	}
	b.messages(v)
	return b.done(), nil
}
