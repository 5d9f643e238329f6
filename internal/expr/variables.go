package expr

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/licet-dev/licet/internal/toolcall"
)

// The variables of an expression. CEL takes a name with dots as one variable,
// so a misspelt member is refused when the expression is checked.
const (
	varAgent     = "call.agent"
	varServer    = "call.server"
	varTool      = "call.tool"
	varArguments = "call.arguments"
	varKnown     = "session.known"
	varCalled    = "session.called"
	varPrincipal = "principal.agent"
	varUser      = "principal.user"
	varNow       = "now"
)

// environment returns what all expressions are checked against.
var environment = sync.OnceValue(func() *cel.Env {
	e, err := cel.NewCustomEnv(
		cel.StdLib(cel.StdLibSubset(env.NewLibrarySubset().AddExcludedFunctions(zoned()...))),
		cel.Variable(varAgent, cel.StringType),
		cel.Variable(varServer, cel.StringType),
		cel.Variable(varTool, cel.StringType),
		cel.Variable(varArguments, cel.DynType),
		cel.Variable(varKnown, cel.BoolType),
		cel.Variable(varCalled, cel.ListType(cel.StringType)),
		cel.Variable(varPrincipal, cel.StringType),
		cel.Variable(varUser, cel.StringType),
		cel.Variable(varNow, cel.TimestampType),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(maxLength),
		cel.ParserRecursionLimit(32),
		cel.RegexProgramSizeLimit(1000),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateDurationLiterals()),
	)
	if err != nil {
		panic(fmt.Sprintf("expr: %v", err)) // it is made of constants
	}
	return e
})

// zoned names the overloads that read a time in a named zone.
func zoned() []*env.Function {
	var all []*env.Function
	for function, overload := range map[string]string{
		"getFullYear": "timestamp_to_year_with_tz", "getMonth": "timestamp_to_month_with_tz",
		"getDayOfYear": "timestamp_to_day_of_year_with_tz", "getDayOfMonth": "timestamp_to_day_of_month_with_tz",
		"getDate": "timestamp_to_day_of_month_1_based_with_tz", "getDayOfWeek": "timestamp_to_day_of_week_with_tz",
		"getHours": "timestamp_to_hours_with_tz", "getMinutes": "timestamp_to_minutes_with_tz",
		"getSeconds": "timestamp_to_seconds_tz", "getMilliseconds": "timestamp_to_milliseconds_with_tz",
	} {
		all = append(all, env.NewFunction(function, &env.Overload{ID: overload}))
	}
	return all
}

// Sizes that the cost of an expression is estimated for. Larger arguments are
// evaluated all the same, as long as the steps last.
const (
	usualText = 1000 // characters
	usualList = 50   // elements or members
)

// sizes tells the estimate how large what the call brings may be.
type sizes struct{}

func (sizes) EstimateSize(n cost.AstNode) *cost.SizeEstimate {
	if n.ComputedSize() != nil {
		return nil
	}
	switch n.Type().Kind() {
	case types.StringKind, types.BytesKind:
		return &cost.SizeEstimate{Max: usualText}
	}
	return &cost.SizeEstimate{Max: usualList}
}

func (sizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

// variables returns what in gives the variables, and which of them are unknown.
func (in Input) variables() (cel.PartialActivation, error) {
	vars := map[string]any{
		varAgent: in.Agent, varServer: in.Server, varTool: in.Tool,
		varArguments: func() any { return native(in.Arguments) }, // called if it is read
		varKnown:     in.Session, varPrincipal: in.Agent,
	}
	var unknown []*cel.AttributePatternType
	for _, v := range []struct {
		name  string
		known bool
		value any
	}{
		{varCalled, in.Session, in.Called},
		{varUser, in.User != "", in.User},
		{varNow, !in.Now.IsZero(), in.Now},
	} {
		if v.known {
			vars[v.name] = v.value
		} else {
			unknown = append(unknown, cel.AttributePattern(v.name))
		}
	}
	return cel.PartialVars(vars, unknown...)
}

// native returns v as CEL has it.
func native(v toolcall.Value) ref.Val {
	switch v.Kind() {
	case toolcall.Bool:
		return types.Bool(v.Bool())
	case toolcall.Number:
		return number(v.Number())
	case toolcall.String:
		return types.String(v.Text())
	case toolcall.Array:
		values := make([]ref.Val, v.Len())
		for i := range values {
			values[i] = native(v.Elem(i))
		}
		return types.NewRefValList(types.DefaultTypeAdapter, values)
	case toolcall.Object:
		return newObject(v)
	}
	return types.NullValue
}

// number returns d as an integer or, if that is the same number, as a double.
// Else it is an error, which counts only where the expression reads it.
func number(d toolcall.Decimal) ref.Val {
	if i, ok := d.Int64(); ok {
		return types.Int(i)
	}
	text := d.String()
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && !math.IsInf(f, 0) {
		back, err := toolcall.ParseDecimal(strconv.FormatFloat(f, 'e', -1, 64))
		if err == nil && back.Cmp(d) == 0 {
			return types.Double(f)
		}
	}
	return types.NewErr("%.40s is a number that 64 bits cannot hold exactly", text)
}

// object is a map whose keys come in one order, so that the same call has the
// same error.
type object struct {
	traits.Mapper
	keys traits.Lister
}

func newObject(v toolcall.Value) object {
	values, keys := make(map[string]any, v.Len()), make([]string, v.Len())
	for i := range v.Len() {
		name, member := v.Member(i)
		keys[i], values[name] = name, native(member)
	}
	return object{types.NewStringInterfaceMap(types.DefaultTypeAdapter, values), types.NewStringList(types.DefaultTypeAdapter, keys)}
}

// Iterator visits the keys in the canonical order of the object.
func (o object) Iterator() traits.Iterator { return o.keys.Iterator() }
