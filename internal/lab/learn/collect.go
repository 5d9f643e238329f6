package learn

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// key hashes results. It guards nothing: they are in memory, and the traces beside
// them.
var key = bytes.Repeat([]byte{1}, 32)

// source is one source of `from`, as the contract writes it: "request" or a field.
type source string

const request source = "request"

// value is one scalar that an argument had, with the sources that state it there.
type value struct {
	toolcall.Value
	sources []source
}

// argument is what was seen of one argument of a tool.
type argument struct {
	present int // calls that had it
	opaque  bool
	values  []value // of all calls; those of an array one by one
}

// tool is what was seen of one tool.
type tool struct {
	calls int
	args  map[string]*argument
}

// collector goes through traces.
type collector struct {
	tools map[string]*tool // by server.tool
}

// trace collects the calls of one trace, all of one server.
func (c *collector) trace(ctx context.Context, server string, t *trajectory.Trajectory) error {
	s := &session{server: server, Session: facts.Session{ID: t.ID}}
	for _, step := range t.Steps {
		if step.Call == nil {
			s.Turns = append(s.Turns, step.Turn)
			continue
		}
		if step.Call.Flaw != "" {
			continue // no contract permits it
		}
		if err := c.call(ctx, s, step.Call); err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
		if err := s.observe(step.Call); err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
	}
	return nil
}

func (c *collector) call(ctx context.Context, s *session, call *trajectory.Call) error {
	ref := s.server + "." + call.Tool
	seen := c.tools[ref]
	if seen == nil {
		seen = &tool{args: map[string]*argument{}}
		c.tools[ref] = seen
	}
	seen.calls++
	for i := range call.Args.Len() {
		name, v := call.Args.Member(i)
		scalars, opaque := scalarsOf(v)
		if len(scalars) == 0 && !opaque {
			continue // absent: null, or an empty list
		}
		a := seen.args[name]
		if a == nil {
			a = &argument{}
			seen.args[name] = a
		}
		a.present++
		a.opaque = a.opaque || opaque
		for _, scalar := range scalars {
			sources, err := s.stating(ctx, scalar)
			if err != nil {
				return err
			}
			a.values = append(a.values, value{scalar, sources})
		}
	}
	return nil
}

// scalarsOf returns the texts and numbers of a value, or of its elements. It is opaque
// if there is anything else in it.
func scalarsOf(v toolcall.Value) (all []toolcall.Value, opaque bool) {
	switch v.Kind() {
	case toolcall.Null:
		return nil, false
	case toolcall.String, toolcall.Number:
		return []toolcall.Value{v}, v.Kind() == toolcall.String && v.Text() == ""
	case toolcall.Array:
		for i := range v.Len() {
			e := v.Elem(i)
			if e.Kind() != toolcall.String && e.Kind() != toolcall.Number || e.Kind() == toolcall.String && e.Text() == "" {
				return nil, true
			}
			all = append(all, e)
		}
		return all, false
	}
	return nil, true
}

// session is what was said and returned so far in a trace.
type session struct {
	server string
	facts.Session
	fields map[source]field
}

// field is a place in the results of a tool, with the values that stood there.
type field struct {
	source constraint.Source
	values map[string]bool // canonical
}

// observe keeps the result of a call.
func (s *session) observe(c *trajectory.Call) error {
	if c.Result == nil || c.Result.Failed {
		return nil
	}
	text := toolcall.ObjectOf(
		toolcall.Member{Name: "type", Value: toolcall.StringOf("text")}, toolcall.Member{Name: "text", Value: toolcall.StringOf(c.Result.Text)})
	leaves, _, err := facts.Observe(key, toolcall.ObjectOf(toolcall.Member{Name: "content", Value: toolcall.ArrayOf(text)}))
	if err != nil {
		return err
	}
	s.Results = append(s.Results, facts.Result{Server: s.server, Tool: c.Tool, Leaves: leaves})
	if doc, ok := facts.Document(c.Result.Text); ok {
		s.walk(c.Tool, doc, "")
	}
	return nil
}

// walk notes the scalars of a document by their places.
func (s *session) walk(tool string, v toolcall.Value, at string) {
	switch v.Kind() {
	case toolcall.Array:
		for i := range v.Len() {
			s.walk(tool, v.Elem(i), at+"[]")
		}
	case toolcall.Object:
		for i := range v.Len() {
			name, inner := v.Member(i)
			if (toolcall.Path{}).Member(name).String() != name {
				continue // a name with other characters is data, such as that of a hotel, and no place
			}
			if at != "" {
				name = "." + name
			}
			s.walk(tool, inner, at+name)
		}
	case toolcall.String, toolcall.Number:
		s.note(tool, at, v)
	}
}

func (s *session) note(tool, at string, v toolcall.Value) {
	path, err := toolcall.ParsePath(at)
	if err != nil {
		return // a place that no contract can name
	}
	name := source(fmt.Sprintf("{result: %s.%s, at: %q}", s.server, tool, at))
	f, known := s.fields[name]
	if !known {
		f = field{constraint.Source{Server: s.server, Tool: tool, At: path, HasAt: true}, map[string]bool{}}
		if s.fields == nil {
			s.fields = map[source]field{}
		}
		s.fields[name] = f
	}
	f.values[v.Canonical()] = true
}

// stating returns the sources that state a value, in a fixed order.
func (s *session) stating(ctx context.Context, v toolcall.Value) (all []source, err error) {
	asked := []source{request}
	candidates := []constraint.Source{{Request: true}}
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		if f := s.fields[name]; f.values[v.Canonical()] {
			asked, candidates = append(asked, name), append(candidates, f.source)
		}
	}
	var questions []constraint.Question
	for i := range candidates {
		questions = append(questions, constraint.Question{Key: string(asked[i]), Stated: &constraint.StatedQuestion{Sources: candidates[i : i+1], Value: v}})
	}
	answers, err := facts.Answer(ctx, facts.Input{Questions: questions, Session: s.Session, Key: key})
	if err != nil {
		return nil, err
	}
	for _, name := range asked {
		if answers.Stated[string(name)] {
			all = append(all, name)
		}
	}
	return all, nil
}
