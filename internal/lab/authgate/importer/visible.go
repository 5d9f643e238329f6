package importer

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// visible returns what a judge may see of a record, or why it is no case for one.
func (m *Mapping) visible(text []byte, v toolcall.Value) (item.Visible, string, error) {
	if m.Format != "" {
		return fromFormat(m.Format, text)
	}
	out := item.Visible{Trajectory: []item.Step{}}
	if err := m.request(&out, v); err != nil {
		return out, "", err
	}
	if err := m.steps(&out, v); err != nil {
		return out, "", err
	}
	a := m.Action
	tool, args, err := call(v, a.Tool, a.Args)
	if err != nil {
		return out, "", fmt.Errorf("the action: %w", err)
	}
	out.Action = item.Action{Tool: tool, Args: args}
	if a.Cwd != nil {
		out.Action.Cwd = find(v, *a.Cwd).Text()
	}
	return out, "", nil
}

// request reads the turns of the user.
func (m *Mapping) request(out *item.Visible, v toolcall.Value) error {
	texts := find(v, *m.Request)
	if texts.Kind() != toolcall.Array {
		texts = toolcall.ArrayOf(texts)
	}
	for i := range texts.Len() {
		text := texts.Elem(i)
		if text.Kind() != toolcall.String {
			return fmt.Errorf("the request at %q is %s, not a text or a list of texts", string(*m.Request), text.Kind())
		}
		out.Request = append(out.Request, item.Turn{Turn: i + 1, Text: text.Text()})
	}
	return nil
}

// steps reads the calls before the action. A record without the list has none.
func (m *Mapping) steps(out *item.Visible, v toolcall.Value) error {
	if m.Trajectory == nil {
		return nil
	}
	list := find(v, m.Trajectory.At)
	switch list.Kind() {
	case toolcall.Absent, toolcall.Null:
		return nil
	case toolcall.Array:
	default:
		return fmt.Errorf("the trajectory at %q is %s, not a list", string(m.Trajectory.At), list.Kind())
	}
	for i := range list.Len() {
		tool, args, err := call(list.Elem(i), m.Trajectory.Tool, m.Trajectory.Args)
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		step := item.Step{Step: i + 1, Tool: tool, Args: args}
		if m.Trajectory.Result != nil {
			if result, ok := word(find(list.Elem(i), *m.Trajectory.Result)); ok {
				step.Result = &result
			}
		}
		out.Trajectory = append(out.Trajectory, step)
	}
	return nil
}

// call reads a tool and its arguments, {} where the source has none.
func call(v toolcall.Value, tool jsontext.Pointer, args *jsontext.Pointer) (string, jsontext.Value, error) {
	name := find(v, tool)
	if name.Kind() != toolcall.String || name.Text() == "" {
		return "", nil, fmt.Errorf("the tool at %q is %s, not a name", string(tool), name.Kind())
	}
	if args == nil {
		return name.Text(), jsontext.Value("{}"), nil
	}
	object := find(v, *args)
	if object.Kind() == toolcall.String {
		parsed, err := toolcall.Parse([]byte(object.Text()), toolcall.Bounds{Depth: deepest})
		if err != nil {
			return "", nil, fmt.Errorf("the arguments at %q are a text that is no JSON: %w", string(*args), err)
		}
		object = parsed
	}
	if object.Kind() != toolcall.Object {
		return "", nil, fmt.Errorf("the arguments at %q are %s, not an object", string(*args), object.Kind())
	}
	return name.Text(), jsontext.Value(object.Canonical()), nil
}

// Reasons why a record is no case for a judge.
const (
	noCall = "it has no call to decide on"
	noTurn = "no turn of the user comes before its last call"
)

// fromFormat reads a record of a known format. Its last call is the action; what came
// after it is not shown.
func fromFormat(format string, text []byte) (item.Visible, string, error) {
	out := item.Visible{Trajectory: []item.Step{}}
	t, err := one(format, text)
	if err != nil {
		return out, "", err
	}
	calls := t.Calls()
	if len(calls) == 0 {
		return out, noCall, nil
	}
	last := calls[len(calls)-1]
	for _, s := range t.Steps {
		if s.Call == nil {
			out.Request = append(out.Request, item.Turn{Turn: len(out.Request) + 1, Text: s.Turn})
			continue
		}
		if s.Call.Flaw != "" {
			return out, "", fmt.Errorf("a call of %s: %s", s.Call.Tool, s.Call.Flaw)
		}
		args := jsontext.Value(s.Call.Args.Canonical())
		if s.Call == last {
			out.Action = item.Action{Tool: last.Tool, Args: args}
			break
		}
		step := item.Step{Step: len(out.Trajectory) + 1, Tool: s.Call.Tool, Args: args}
		if s.Call.Result != nil {
			step.Result = &s.Call.Result.Text
		}
		out.Trajectory = append(out.Trajectory, step)
	}
	if len(out.Request) == 0 {
		return out, noTurn, nil
	}
	return out, "", nil
}

// one returns the only trajectory of a record.
func one(format string, text []byte) (*trajectory.Trajectory, error) {
	var found *trajectory.Trajectory
	for t, err := range trajectory.Read("record", bytes.NewReader(text), trajectory.Options{Format: format, Bytes: maxRecord}) {
		switch p, is := errors.AsType[*trajectory.Problem](err); {
		case is:
			return nil, errors.New(p.Reason)
		case err != nil:
			return nil, err
		case found != nil:
			return nil, errors.New("the record is more than one trajectory, so that its label is of none")
		}
		found = t
	}
	if found == nil {
		return nil, errors.New("the record is no trajectory")
	}
	return found, nil
}
