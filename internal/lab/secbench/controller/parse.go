package controller

import (
	"errors"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Modes of the controller.
const (
	Strict = "strict"
	Repair = "repair"
)

// parsed is a proposal as it was read.
type parsed struct {
	name  string
	raw   string
	args  toolcall.Value // absent where it is no object
	parse string
	steps []string
}

// read reads a proposal.
func read(mode string, c model.Call) parsed {
	p := parsed{name: c.Name, raw: c.Arguments, steps: []string{}}
	if mode == Repair {
		p.name, p.args, p.steps = repair(c.Name, c.Arguments)
	} else if v, ok := object(c.Arguments); ok {
		p.args = v
	}
	if p.args.Kind() != toolcall.Object {
		p.parse = trace.ParseMalformed
		return p
	}
	switch err := tool.Check(p.name, p.args); {
	case errors.Is(err, tool.ErrUnknown):
		p.parse = trace.ParseUnknownTool
	case err != nil:
		p.parse = trace.ParseSchema
	default:
		p.parse = trace.ParseOK
	}
	return p
}

// object reads a text that is one JSON object.
func object(text string) (toolcall.Value, bool) {
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{})
	return v, err == nil && v.Kind() == toolcall.Object
}

// inProse returns the call that a model wrote into its prose instead of making it:
// an object with a member that names a tool, or a tool's name right before a bracket.
// It is a proposal that can't be read as it stands.
func inProse(text string) (model.Call, bool) {
	for i, r := range text {
		if r != '{' {
			continue
		}
		v, ok := object(firstValue(text[i:]))
		if !ok {
			continue
		}
		for _, member := range []string{"name", "tool", "function"} {
			if v.Get(member).Kind() != toolcall.Absent {
				return model.Call{Arguments: text}, true
			}
		}
	}
	for _, m := range nameBefore.FindAllStringSubmatch(quoted.ReplaceAllString(text, " "), -1) {
		if tool.Known(m[1]) {
			return model.Call{Arguments: text}, true
		}
	}
	return model.Call{}, false
}

var (
	quoted     = regexp.MustCompile("\"[^\"\n]*\"|`[^`\n]*`")
	nameBefore = regexp.MustCompile(`\b([a-z_]+)[({]`)
)

// firstValue returns the JSON value that a text begins with, "" if there is none.
func firstValue(text string) string {
	v, err := jsontext.NewDecoder(strings.NewReader(text)).ReadValue()
	if err != nil {
		return ""
	}
	return string(v)
}
