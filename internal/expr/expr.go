package expr

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Bounds of one expression.
const (
	maxLength = 4096    // characters of its text
	maxCost   = 100_000 // in the units of CEL, roughly one a step; about 10 ms
)

// Expr is a checked expression. It is immutable and safe for concurrent use.
type Expr struct {
	ast     *cel.Ast
	session bool
	program func() (cel.Program, error) // planned at first use
}

// Error says why a text is no expression.
type Error struct {
	Line, Column int // place in the text, from 1; columns are characters
	Msg          string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg) }

// Input is what an expression reads. Its zero value knows nothing.
type Input struct {
	Agent, Server, Tool string
	Arguments           toolcall.Value
	Session             bool     // a session is known
	Called              []string // tools called in it, as server.tool
	User                string   // "" is unknown
	Now                 time.Time
}

// Result is what an expression says. The zero Result is that it cannot be known.
type Result uint8

// The results.
const (
	Unknown Result = iota // it depends on something that is not known
	False
	True
)

// Compile checks the text of an expression, which must be true or false. The
// error is an [*Error].
func Compile(text string) (*Expr, error) {
	env := environment()
	if strings.TrimSpace(text) == "" {
		return nil, &Error{1, 1, "the expression is empty"}
	}
	ast, issues := env.Compile(text)
	if errs := issues.Errors(); len(errs) > 0 {
		first := errs[0]
		return nil, &Error{max(first.Location.Line(), 1), max(first.Location.Column(), 0) + 1, first.Message}
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, &Error{1, 1, fmt.Sprintf("the expression must be true or false, but it is of type %s", ast.OutputType())}
	}
	cost, err := env.EstimateCost(ast, sizes{})
	if err != nil {
		return nil, &Error{1, 1, err.Error()}
	}
	if cost.Max > maxCost {
		return nil, &Error{1, 1, fmt.Sprintf("the expression may cost %d steps for arguments of usual size: at most %d are evaluated", cost.Max, maxCost)}
	}
	e := &Expr{ast: ast}
	for _, ref := range ast.NativeRep().ReferenceMap() {
		e.session = e.session || ref.Name == varCalled
	}
	e.program = sync.OnceValues(func() (cel.Program, error) {
		return env.Program(ast, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptPartialEval))
	})
	return e, nil
}

// ReadsSession reports whether the expression reads what was called in the
// session.
func (e *Expr) ReadsSession() bool { return e.session }

// Eval evaluates the expression. An error is one of the expression (no such
// member, another type, a number that 64 bits do not hold exactly, too many
// steps): there is no result then, not even an unknown one.
func (e *Expr) Eval(in Input) (Result, error) {
	program, err := e.program()
	if err != nil {
		return Unknown, fmt.Errorf("planning the expression: %w", err)
	}
	vars, err := in.variables()
	if err != nil {
		return Unknown, fmt.Errorf("setting the variables of the expression: %w", err)
	}
	out, _, err := program.Eval(vars)
	switch {
	case err != nil:
		return Unknown, fmt.Errorf("evaluating the expression: %w", err)
	case out == types.True:
		return True, nil
	case out == types.False:
		return False, nil
	}
	return Unknown, nil // CEL's own unknown: the type was checked
}
