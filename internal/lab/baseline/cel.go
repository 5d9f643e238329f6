package baseline

import (
	"encoding/json"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/expr"
	"github.com/licet-dev/licet/internal/toolcall"
)

// celNotes says what CEL cannot say, or only in part.
var celNotes = stateless(map[string]Note{
	"const":       {Part, "in never, of the spellings that a careless reader takes as equal, only letter case and outer white space"},
	"in":          {Part, "in never, of the spellings that a careless reader takes as equal, only letter case and outer white space"},
	"min":         {Part, doubles},
	"max":         {Part, doubles},
	"path":        {Part, textOfPath},
	"url":         {Part, textOfURL},
	"email":       {Part, textOfEmail},
	"shell":       {Part, textOfShell},
	"sql":         {Part, textOfSQL},
	"$when":       {Part, "all but what is read of the session"},
	schemaWord:    {Part, "types, lists of values, bounds and declared members; no combinations (anyOf and others)"},
	"multiple_of": {Part, "of whole numbers: the remainder is defined for no others"},
})

const doubles = "numbers are 64-bit integers or doubles: digits beyond are rounded"

// celPrograms are the compiled expressions of one tool.
type celPrograms struct{ never, allow, approve cel.Program }

// celWriter writes a policy as three expressions for each tool: a gate around
// CEL finds the tool, and CEL judges the arguments.
type celWriter struct {
	p   policy
	lax bool
}

// celEnvironment declares what expressions read; the names are those of `$when`.
func celEnvironment() (*cel.Env, error) {
	object := cel.MapType(cel.StringType, cel.DynType)
	return cel.NewEnv(
		cel.Variable("call", object), cel.Variable("principal", object), cel.Variable("now", cel.TimestampType),
		cel.CrossTypeNumericComparisons(true), ext.Strings(), cel.OptionalTypes(), ext.Regex(),
	)
}

func compileCEL(p policy, lax bool) (decider, error) {
	w := celWriter{p, lax}
	env, err := celEnvironment()
	if err != nil {
		return nil, fmt.Errorf("declaring what CEL reads: %w", err)
	}
	tools := map[[2]string]celPrograms{}
	for _, r := range p.rules {
		var x celPrograms
		for _, side := range []struct {
			program *cel.Program
			text    string
		}{{&x.never, w.any(r, r.never, true)}, {&x.allow, w.any(r, r.allow, false)}, {&x.approve, w.any(r, r.approve, false)}} {
			if *side.program, err = celProgram(env, side.text); err != nil {
				return nil, fmt.Errorf("compiling %s: %w\n%s", r.where(), err, side.text)
			}
		}
		tools[[2]string{r.agent, r.subject}] = x
	}
	return func(r request) (authz.Verdict, error) {
		x, known := tools[[2]string{r.agent, r.subject}]
		if !known {
			return authz.Block, nil
		}
		return x.decide(celInput(r))
	}, nil
}

func celProgram(env *cel.Env, text string) (cel.Program, error) {
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	return env.Program(ast, cel.EvalOptions(cel.OptOptimize))
}

// decide asks the expressions in their order. An error of any of them refuses.
func (x celPrograms) decide(input map[string]any) (authz.Verdict, error) {
	verdicts := []authz.Verdict{authz.Block, authz.Allow, authz.RequireApproval}
	for i, p := range []cel.Program{x.never, x.allow, x.approve} {
		out, _, err := p.Eval(input)
		if err != nil {
			return authz.Block, fmt.Errorf("evaluating CEL: %w", err)
		}
		if out == types.True {
			return verdicts[i], nil
		}
	}
	return authz.Block, nil
}

func celInput(r request) map[string]any {
	server, tool, _ := strings.Cut(r.subject, ".")
	return map[string]any{
		"call": map[string]any{
			"agent": r.agent, "server": server, "tool": tool, "cwd": r.cwd, "arguments": celValue(r.arguments()),
		},
		"principal": map[string]any{"agent": r.agent, "user": r.user},
		"now":       r.now,
	}
}

// celValue gives numbers the types that CEL has.
func celValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, err := v.Float64()
		if err != nil {
			return v.String() // a text is no number anywhere
		}
		return f
	case []any:
		all := make([]any, len(v))
		for i, e := range v {
			all[i] = celValue(e)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, e := range v {
			all[name] = celValue(e)
		}
		return all
	}
	return v
}

// arguments is the expression for all arguments.
const celArguments = "call.arguments"

// any writes: some clause holds.
func (w celWriter) any(r rule, clauses []clause, never bool) string {
	var all []string
	for _, k := range clauses {
		parts := []string{"true"}
		if !never && r.schema.Kind() == toolcall.Object {
			parts = append(parts, celSchema(r.schema, celArguments, r.extra, 0))
		}
		for _, t := range k {
			parts = append(parts, w.term(t, never))
		}
		all = append(all, "("+strings.Join(parts, " && ")+")")
	}
	if all == nil {
		return "false"
	}
	return strings.Join(all, " || ")
}

// term writes what is said of one argument, or what stands for it if CEL cannot
// say it.
func (w celWriter) term(t term, never bool) string {
	var tests []func(v string) test
	for _, s := range t.says {
		if s.word == "$when" && celKnows(s.operand.Text()) {
			return "(" + s.operand.Text() + ")"
		}
		if _, ok := w.test(s, "v", never); !ok {
			return fmt.Sprint(w.lax != never)
		}
		tests = append(tests, func(v string) test { x, _ := w.test(s, v, never); return x })
	}
	if never {
		return celForbids(t.path.Steps(), celArguments, tests, 0)
	}
	return celPermits(t.path.Steps(), celArguments, tests, t.optional, 0)
}

// celKnows says whether an expression of the contract reads nothing but the
// call, who asks and the time.
func celKnows(text string) bool {
	_, err := expr.Compile(text)
	return err == nil && !strings.Contains(text, "session.")
}

// celPermits writes: all of the values at the path exist and pass the tests.
func celPermits(steps []toolcall.Step, v string, tests []func(string) test, optional bool, depth int) string {
	if len(steps) == 0 {
		parts := []string{v + " != null"}
		for _, t := range tests {
			x := t(v)
			parts = append(append(parts, x.celGuard(v)...), x.when...)
		}
		return "(" + strings.Join(parts, " && ") + ")"
	}
	if steps[0].Elements {
		e := fmt.Sprintf("e%d", depth)
		text := fmt.Sprintf("type(%s) == list && %s.all(%s, %s)", v, v, e, celPermits(steps[1:], e, tests, optional, depth+1))
		if !optional { // without elements the argument is absent
			text += fmt.Sprintf(" && size(%s) > 0", v)
		}
		return "(" + text + ")"
	}
	name := quote(steps[0].Name)
	member := fmt.Sprintf("%s[%s]", v, name)
	rest := celPermits(steps[1:], member, tests, optional, depth)
	if optional {
		return fmt.Sprintf("(!(%s in %s) || %s == null || %s)", name, v, member, rest)
	}
	return fmt.Sprintf("(type(%s) == map && %s in %s && %s)", v, name, v, rest)
}

// celForbids writes: some value at the path passes the tests, or has a type that
// they do not expect.
func celForbids(steps []toolcall.Step, v string, tests []func(string) test, depth int) string {
	if len(steps) == 0 {
		parts := []string{v + " != null"}
		for _, t := range tests {
			x := t(v)
			when := strings.Join(append([]string{"true"}, x.when...), " && ")
			for _, g := range x.celGuard(v) {
				when = fmt.Sprintf("!(%s) || %s", g, when)
			}
			parts = append(parts, "("+when+")")
		}
		return "(" + strings.Join(parts, " && ") + ")"
	}
	if steps[0].Elements {
		e := fmt.Sprintf("e%d", depth)
		return fmt.Sprintf("(%s != null && (type(%s) != list || %s.exists(%s, %s)))", v, v, v, e, celForbids(steps[1:], e, tests, depth+1))
	}
	name := quote(steps[0].Name)
	return fmt.Sprintf("(%s != null && (type(%s) != map || %s in %s && %s))", v, v, name, v,
		celForbids(steps[1:], fmt.Sprintf("%s[%s]", v, name), tests, depth))
}

func (t test) celGuard(v string) []string {
	switch t.guard {
	case number:
		return []string{fmt.Sprintf("(type(%s) == int || type(%s) == double)", v, v)}
	case text:
		return []string{fmt.Sprintf("type(%s) == string", v)}
	case array:
		return []string{fmt.Sprintf("type(%s) == list", v)}
	}
	return nil
}

// test writes one constraint on the value v.
func (w celWriter) test(s said, v string, never bool) (test, bool) {
	operand := s.operand.Canonical()
	switch s.word {
	case "const", "in":
		if s.word == "const" {
			operand = "[" + operand + "]"
		}
		if never {
			loose := func(v string) string {
				return fmt.Sprintf("(type(%s) == string ? dyn(%s.trim().lowerAscii()) : dyn(%s))", v, v, v)
			}
			return test{when: []string{fmt.Sprintf("dyn(%s).exists(w, %s == %s)", operand, loose("w"), loose(v))}}, true
		}
		return test{when: []string{v + " in dyn(" + operand + ")"}}, true
	case "not_in":
		return test{when: []string{"!(" + v + " in dyn(" + operand + "))"}}, true
	case "min":
		return test{number, []string{v + " >= " + operand}}, true
	case "max":
		return test{number, []string{v + " <= " + operand}}, true
	case "multiple_of":
		return test{number, []string{fmt.Sprintf("double(int(%s)) == double(%s) && int(%s) %% %s == 0", v, v, v, operand)}}, s.operand.Number().IsInt()
	case "length":
		return test{text, between("size("+v+")", s.operand)}, true
	case "items":
		return test{array, between("size("+v+")", s.operand)}, true
	}
	write, known := textKinds[s.word]
	if !known {
		return test{}, false
	}
	e, ok := write(w.p, s.operand, never)
	return test{text, celExpressions(s, v, e)}, ok
}

func celExpressions(s said, v string, e expressions) (when []string) {
	if s.word == "path" {
		when = append(when, v+` != ""`)
		v = fmt.Sprintf("(%s.startsWith(\"/\") ? %s : call.cwd + \"/\" + %s)", v, v, v)
	}
	for _, must := range e.must {
		when = append(when, fmt.Sprintf("%s.matches(%s)", v, quote(must)))
	}
	for _, not := range e.not {
		when = append(when, fmt.Sprintf("!%s.matches(%s)", v, quote(not)))
	}
	if e.extract != "" {
		when = append(when, fmt.Sprintf("regex.extractAll(%s.lowerAscii(), %s).all(t, t.matches(%s))", v, quote(e.extract), quote(e.known)))
	}
	return when
}

// celTypes writes the types of JSON Schema.
var celTypes = map[string]string{
	"string": "type(%[1]s) == string", "boolean": "type(%[1]s) == bool", "null": "%[1]s == null",
	"number": "(type(%[1]s) == int || type(%[1]s) == double)", "array": "type(%[1]s) == list", "object": "type(%[1]s) == map",
	"integer": "(type(%[1]s) == int || type(%[1]s) == double && double(int(%[1]s)) == %[1]s)",
}

// celBounds writes the bounds of JSON Schema.
var celBounds = []struct{ word, form string }{
	{"minimum", "%s >= %s"}, {"maximum", "%s <= %s"}, {"minLength", "size(%s) >= %s"}, {"maxLength", "size(%s) <= %s"},
	{"minItems", "size(%s) >= %s"}, {"maxItems", "size(%s) <= %s"},
}

// celSchema writes what a schema asserts of v: the plain keywords, and of objects
// with declared members that there are no others.
func celSchema(schema toolcall.Value, v string, extra bool, depth int) string {
	parts := []string{"true"}
	if word := schema.Get("type"); word.Kind() == toolcall.String {
		parts = append(parts, fmt.Sprintf(celTypes[word.Text()], v))
	}
	if values := schema.Get("enum"); values.Kind() == toolcall.Array {
		parts = append(parts, fmt.Sprintf("%s in dyn(%s)", v, values.Canonical()))
	}
	for _, b := range celBounds {
		if bound := schema.Get(b.word); bound.Kind() == toolcall.Number {
			parts = append(parts, fmt.Sprintf(b.form, v, bound.Canonical()))
		}
	}
	if re := schema.Get("pattern"); re.Kind() == toolcall.String {
		parts = append(parts, fmt.Sprintf("%s.matches(%s)", v, quote(re.Text())))
	}
	if items := schema.Get("items"); items.Kind() == toolcall.Object {
		e := fmt.Sprintf("s%d", depth)
		parts = append(parts, fmt.Sprintf("%s.all(%s, %s)", v, e, celSchema(items, e, extra, depth+1)))
	}
	for _, name := range words(schema.Get("required")) {
		parts = append(parts, fmt.Sprintf("%s in %s", quote(name), v))
	}
	return "(" + strings.Join(append(parts, celMembers(schema, v, extra, depth)...), " && ") + ")"
}

func celMembers(schema toolcall.Value, v string, extra bool, depth int) (parts []string) {
	properties := schema.Get("properties")
	if properties.Kind() != toolcall.Object {
		return nil
	}
	var names []string
	for i := range properties.Len() {
		name, sub := properties.Member(i)
		names = append(names, quote(name))
		member := fmt.Sprintf("%s[%s]", v, quote(name))
		parts = append(parts, fmt.Sprintf("(!(%s in %s) || %s)", quote(name), v, celSchema(sub, member, extra, depth)))
	}
	if others := schema.Get("additionalProperties"); !extra && (others.Kind() == toolcall.Absent || others.Kind() == toolcall.Bool && !others.Bool()) {
		parts = append(parts, fmt.Sprintf("%s.all(k%d, k%d in [%s])", v, depth, depth, strings.Join(names, ", ")))
	}
	return parts
}
