package replay

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Trace is what one agent did, in order.
type Trace struct {
	ID     string
	Prompt string // the user's turn at its beginning, "" for none
	Calls  []Call
}

// Call is one recorded tool call.
type Call struct {
	Tool   string
	Args   toolcall.Value // an object
	Result string         // the text that the agent got back
	Failed bool           // the tool answered with an error
}

// maxLine bounds one trace, in bytes.
const maxLine = 64 << 20

// Parse reads a file of traces, one a line. name stands for the file in errors.
func Parse(name string, text []byte) ([]Trace, error) {
	var traces []Trace
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		t, err := parseTrace(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		traces = append(traces, t)
	}
	return traces, nil
}

func parseTrace(line []byte) (Trace, error) {
	v, err := toolcall.Parse(line, toolcall.Bounds{Bytes: maxLine})
	if err != nil {
		return Trace{}, err
	}
	if err := closed(v, "a trace", "id", "prompt", "goal", "calls"); err != nil {
		return Trace{}, err
	}
	t := Trace{ID: v.Get("id").Text(), Prompt: v.Get("prompt").Text() + v.Get("goal").Text()}
	calls := v.Get("calls")
	if t.ID == "" || calls.Kind() != toolcall.Array {
		return Trace{}, fmt.Errorf(`a trace needs an "id" and a list of "calls"`)
	}
	for i := range calls.Len() {
		c, err := parseCall(calls.Elem(i))
		if err != nil {
			return Trace{}, fmt.Errorf("call %d: %w", i, err)
		}
		t.Calls = append(t.Calls, c)
	}
	return t, nil
}

func parseCall(v toolcall.Value) (Call, error) {
	if err := closed(v, "a call", "tool", "args", "result", "error"); err != nil {
		return Call{}, err
	}
	c := Call{Tool: v.Get("tool").Text(), Args: v.Get("args"), Result: v.Get("result").Text()}
	c.Failed = v.Get("error").Kind() == toolcall.String
	if c.Tool == "" || c.Args.Kind() != toolcall.Object {
		return Call{}, fmt.Errorf(`a call needs a "tool" and an object "args"`)
	}
	return c, nil
}

// closed refuses what is no object or has other members than the named ones.
func closed(v toolcall.Value, what string, members ...string) error {
	if v.Kind() != toolcall.Object {
		return fmt.Errorf("%s is an object, not %s", what, v.Kind())
	}
	for i := range v.Len() {
		if name, _ := v.Member(i); !slices.Contains(members, name) {
			return fmt.Errorf("unknown member %q: %s has %q", name, what, members)
		}
	}
	return nil
}
