package baseline

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
)

// regoNotes says what argument rules in Rego cannot say, or only in part.
var regoNotes = stateless(map[string]Note{
	"const":       {Part, "in never, of the spellings that a careless reader takes as equal, only letter case and outer white space"},
	"in":          {Part, "in never, of the spellings that a careless reader takes as equal, only letter case and outer white space"},
	"path":        {Part, textOfPath},
	"url":         {Part, textOfURL},
	"email":       {Part, textOfEmail},
	"shell":       {Part, textOfShell},
	"sql":         {Part, textOfSQL},
	"$when":       {No, "an expression of CEL has no mechanical counterpart"},
	schemaWord:    {Part, "by json.match_schema, which is a reader of draft 7; members beside declared ones only where the schema is plain"},
	"multiple_of": {Part, "of whole numbers: the remainder is defined for no others"},
})

// regoWriter writes a policy as one Rego module. What is said of an argument
// becomes a function for each step of its path.
type regoWriter struct {
	p         policy
	lax       bool // what cannot be said is left out; else it refuses
	functions strings.Builder
	rules     strings.Builder
	count     int
}

// compileRego translates the policy and prepares the query.
func compileRego(p policy, lax bool) (decider, error) {
	w := &regoWriter{p: p, lax: lax}
	return prepareRego(w.module())
}

// prepareRego makes the decider of a module with a rule `decision`.
func prepareRego(module string) (decider, error) {
	ctx := context.Background()
	query, err := rego.New(rego.Query("data.tools.decision"), rego.Module("tools.rego", module)).PrepareForEval(ctx)
	if err != nil {
		return nil, fmt.Errorf("preparing the Rego policy: %w\n%s", err, module)
	}
	return func(r request) (authz.Verdict, error) {
		input := map[string]any{
			"agent": r.agent, "user": r.user, "tool": r.subject, "cwd": r.cwd, "args": r.arguments(),
		}
		result, err := query.Eval(ctx, rego.EvalInput(input))
		if err != nil {
			return authz.Block, fmt.Errorf("evaluating Rego: %w", err)
		}
		if len(result) != 1 {
			return authz.Block, fmt.Errorf("evaluating Rego: %d results", len(result))
		}
		var v authz.Verdict
		word, _ := result[0].Expressions[0].Value.(string)
		return v, v.UnmarshalText([]byte(word))
	}, nil
}

// regoDecision is how all our Rego policies end: what is forbidden first, what is
// not named is refused.
const regoDecision = `
default decision := "BLOCK"

decision := "ALLOW" if {
	not never
	allow
} else := "REQUIRE_APPROVAL" if {
	not never
	approve
}
`

func (w *regoWriter) module() string {
	for _, r := range w.p.rules {
		for _, k := range r.never {
			w.rule("never", r, k)
		}
		for _, k := range r.allow {
			w.rule("allow", r, k)
		}
		for _, k := range r.approve {
			w.rule("approve", r, k)
		}
	}
	return "package tools\n\ndefault never := false\n\ndefault allow := false\n\ndefault approve := false\n" + regoDecision +
		"\nabsolute(p) := p if startswith(p, \"/\")\n\nabsolute(p) := concat(\"/\", [input.cwd, p]) if not startswith(p, \"/\")\n" +
		w.rules.String() + w.functions.String()
}

// rule writes one clause.
func (w *regoWriter) rule(name string, r rule, k clause) {
	never := name == "never"
	lines := []string{fmt.Sprintf("input.agent == %s", quote(r.agent)), fmt.Sprintf("input.tool == %s", quote(r.subject))}
	if !never && r.schema.Kind() == toolcall.Object {
		lines = append(lines, fmt.Sprintf("json.match_schema(input.args, %s)[0] == true", closed(r.schema, r.extra).Canonical()))
	}
	for _, t := range k {
		f, ok := w.term(t, never)
		switch {
		case ok:
			lines = append(lines, f+"(input.args)")
		case w.lax == never: // it holds neither where the policy is lax and forbids, nor where it is strict and permits
			lines = append(lines, "false")
		}
	}
	fmt.Fprintf(&w.rules, "\n%s if {\n\t%s\n}\n", name, strings.Join(lines, "\n\t"))
}

// term writes what is said of one argument and returns the name of the function
// that takes all arguments. It is false if the language cannot say it.
func (w *regoWriter) term(t term, never bool) (string, bool) {
	var tests []test
	for _, s := range t.says {
		x, ok := w.test(s, never)
		if !ok {
			return "", false
		}
		tests = append(tests, x)
	}
	if never {
		return w.forbids(t.path.Steps(), tests), true
	}
	return w.permits(t.path.Steps(), tests, t.optional), true
}

// function writes the bodies of a function of v and returns its name.
func (w *regoWriter) function(bodies ...[]string) string {
	w.count++
	name := fmt.Sprintf("f%d", w.count)
	for _, lines := range bodies {
		fmt.Fprintf(&w.functions, "\n%s(v) if {\n\t%s\n}\n", name, strings.Join(lines, "\n\t"))
	}
	return name
}

// permits writes: all of the values at the path exist and pass the tests.
func (w *regoWriter) permits(steps []toolcall.Step, tests []test, optional bool) string {
	if len(steps) == 0 {
		lines := []string{"v != null"}
		for _, t := range tests {
			lines = append(append(lines, t.regoGuard()...), t.when...)
		}
		return w.function(lines)
	}
	next := w.permits(steps[1:], tests, optional)
	if steps[0].Elements {
		lines := []string{"is_array(v)", fmt.Sprintf("every e in v { %s(e) }", next)}
		if !optional { // without elements the argument is absent
			lines = append(lines, "count(v) > 0")
		}
		return w.function(lines)
	}
	name := quote(steps[0].Name)
	bodies := [][]string{{fmt.Sprintf("%s(v[%s])", next, name)}}
	if optional {
		bodies = append(bodies, []string{fmt.Sprintf("object.get(v, %s, null) == null", name)})
	}
	return w.function(bodies...)
}

// forbids writes: some value at the path passes the tests, or has a type that
// they do not expect.
func (w *regoWriter) forbids(steps []toolcall.Step, tests []test) string {
	if len(steps) == 0 {
		lines := []string{"v != null"}
		for _, t := range tests {
			bodies := [][]string{append([]string{"true"}, t.when...)}
			for _, g := range t.regoGuard() {
				bodies = append(bodies, []string{"not " + g})
			}
			lines = append(lines, w.function(bodies...)+"(v)")
		}
		return w.function(lines)
	}
	next := w.forbids(steps[1:], tests)
	if steps[0].Elements {
		return w.function([]string{"v != null", "not is_array(v)"}, []string{"is_array(v)", "some e in v", next + "(e)"})
	}
	return w.function([]string{"v != null", "not is_object(v)"}, []string{fmt.Sprintf("%s(v[%s])", next, quote(steps[0].Name))})
}

func (t test) regoGuard() []string {
	if t.guard == "" {
		return nil
	}
	return []string{"is_" + string(t.guard) + "(v)"}
}

// test writes one constraint on the value v.
func (w *regoWriter) test(s said, never bool) (test, bool) {
	operand := s.operand.Canonical()
	switch s.word {
	case "const", "in":
		values := operand
		if s.word == "const" {
			values = "[" + operand + "]"
		}
		if never {
			return test{when: []string{fmt.Sprintf("some w in %s", values), "loose(v) == loose(w)"}}, w.needLoose()
		}
		return test{when: []string{"v in " + values}}, true
	case "not_in":
		return test{when: []string{"not v in " + operand}}, true
	case "min":
		return test{number, []string{"v >= " + operand}}, true
	case "max":
		return test{number, []string{"v <= " + operand}}, true
	case "multiple_of":
		return test{number, []string{"v % " + operand + " == 0"}}, s.operand.Number().IsInt()
	case "length":
		return test{text, between("count(v)", s.operand)}, true
	case "items":
		return test{array, between("count(v)", s.operand)}, true
	}
	write, known := textKinds[s.word]
	if !known {
		return test{}, false
	}
	e, ok := write(w.p, s.operand, never)
	return test{text, regoExpressions(s, e)}, ok
}

func regoExpressions(s said, e expressions) (when []string) {
	v := "v"
	if s.word == "path" {
		v = "absolute(v)"
		when = append(when, `v != ""`)
	}
	for _, must := range e.must {
		when = append(when, fmt.Sprintf("regex.match(%s, %s)", quote(must), v))
	}
	for _, not := range e.not {
		when = append(when, fmt.Sprintf("not regex.match(%s, %s)", quote(not), v))
	}
	if e.extract != "" {
		when = append(when, fmt.Sprintf("every m in regex.find_all_string_submatch_n(%s, lower(v), -1) { regex.match(%s, m[1]) }",
			quote(e.extract), quote(e.known)))
	}
	return when
}

// needLoose adds, once, what compares values without letter case.
func (w *regoWriter) needLoose() bool {
	const loose = "\nloose(v) := lower(trim_space(v)) if is_string(v)\n\nloose(v) := v if not is_string(v)\n"
	if !strings.Contains(w.functions.String(), loose) {
		w.functions.WriteString(loose)
	}
	return true
}

// closed returns a schema under which members that are not declared are not
// valid, as far as saying so does not change what else it says.
func closed(schema toolcall.Value, extra bool) toolcall.Value {
	if schema.Kind() != toolcall.Object {
		return schema
	}
	var members []toolcall.Member
	open := schema.Get("properties").Kind() == toolcall.Object && !extra
	for i := range schema.Len() {
		name, v := schema.Member(i)
		switch name {
		case "$schema":
			continue // the reader refuses dialects that it does not know
		case "additionalProperties", "unevaluatedProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if":
			open = false
		case "properties":
			v = closedMembers(v, extra)
		case "items":
			v = closed(v, extra)
		}
		members = append(members, toolcall.Member{Name: name, Value: v})
	}
	if open {
		members = append(members, toolcall.Member{Name: "additionalProperties", Value: toolcall.Boolean(false)})
	}
	return toolcall.ObjectOf(members...)
}

func closedMembers(properties toolcall.Value, extra bool) toolcall.Value {
	var members []toolcall.Member
	for i := range properties.Len() {
		name, v := properties.Member(i)
		members = append(members, toolcall.Member{Name: name, Value: closed(v, extra)})
	}
	return toolcall.ObjectOf(members...)
}
