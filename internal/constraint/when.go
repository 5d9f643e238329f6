package constraint

import (
	"errors"
	"slices"

	"github.com/licet-dev/licet/internal/expr"
	"github.com/licet-dev/licet/internal/toolcall"
)

// when is `$when`: an expression over the call, its session, who asks and the
// time. Where its result depends on what is not known, it permits nothing and
// forbids. Where it fails, the call is BLOCK.
type when struct {
	text         string
	server, tool string
	expr         *expr.Expr
}

func newWhen(spec toolcall.Value, in Surroundings) (*when, *SpecError) {
	if spec.Kind() != toolcall.String {
		return nil, refuse("expected a CEL expression as text, got %s", spec.Kind())
	}
	e, err := expr.Compile(spec.Text())
	if err != nil {
		refused := refuse("%v", err)
		if at := (*expr.Error)(nil); errors.As(err, &at) {
			refused = refuse("CEL: %s", at.Msg)
			refused.Line, refused.Column = at.Line, at.Column
		}
		return nil, refused
	}
	return &when{spec.Text(), in.Server, in.Tool, e}, nil
}

func (w *when) eval(args toolcall.Value, a Answers) (expr.Result, error) {
	return w.expr.Eval(expr.Input{
		Agent: a.Principal.Agent, User: a.Principal.User, Server: w.server, Tool: w.tool,
		Arguments: args, Session: a.Session.Known, Called: a.Session.tools(), Now: a.Now,
	})
}

// tools returns the tools that were called, as server.tool, sorted.
func (s Session) tools() []string {
	all := []string{}
	for _, m := range s.Marks {
		if m.Argument == "" {
			all = append(all, m.Server+"."+m.Tool)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var outcomes = map[expr.Result]string{
	expr.True:    "the expression is true",
	expr.False:   "the expression is false",
	expr.Unknown: "the expression depends on what is not known",
}

func (w *when) Permits(args toolcall.Value, a Answers) (bool, Miss, error) {
	result, err := w.eval(args, a)
	if err != nil {
		return false, Miss{}, err
	}
	return result == expr.True, missing(whenWord, outcomes[result]), nil
}

func (w *when) Forbids(args toolcall.Value, a Answers) (bool, Miss, error) {
	result, err := w.eval(args, a)
	if err != nil {
		return false, Miss{}, err
	}
	return result != expr.False, missing(whenWord, outcomes[result]), nil
}

func (w *when) Questions(toolcall.Value) []Question { return nil }
func (w *when) NeverUsable() error                  { return nil }

func (w *when) Watches() []Watch {
	if w.expr.ReadsSession() {
		return []Watch{{All: true}}
	}
	return nil
}

// Canonical returns the text: two expressions that mean the same are two.
func (w *when) Canonical() toolcall.Value { return toolcall.StringOf(w.text) }
