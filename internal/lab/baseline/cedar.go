package baseline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
)

// cedarNotes says what Cedar cannot say, or only in part.
var cedarNotes = stateless(map[string]Note{
	"const":       {Part, fourDigits + "; in never, letter by letter"},
	"in":          {Part, fourDigits + "; in never, letter by letter"},
	"not_in":      {Part, fourDigits},
	"min":         {Part, fourDigits},
	"max":         {Part, fourDigits},
	"multiple_of": {No, "there is no remainder"},
	"length":      {No, "the length of a text is not to be had"},
	"items":       {No, "the size of a set is not to be had"},
	"pattern":     {Part, "expressions of letters and .*, by like; there are no others"},
	"path":        {Part, textOfPath + "; absolute paths only, and guarded files are not told apart"},
	"url":         {Part, "by like: beginning and host, of plain URLs"},
	"email":       {Part, "by like: one address in a domain"},
	"shell":       {No, "a command is a text, and like cannot say that no more stands behind it"},
	"sql":         {No, "a statement is a text, and like cannot say that nothing else stands in it"},
	"$when":       {No, "an expression of CEL has no mechanical counterpart"},
	schemaWord:    {Part, "types, declared and required members, by the host, as Cedar checks requests against its schema; the elements of arrays cannot be walked"},
})

const fourDigits = "numbers have four digits behind the point; what has more is refused"

// The two actions on a tool: to run it, and to ask whether it may run.
var cedarActions = []struct {
	action  string
	verdict authz.Verdict
}{{"run", authz.Allow}, {"ask", authz.RequireApproval}}

func compileCedar(p policy, lax bool) (decider, error) {
	w := cedarWriter{p: p, lax: lax}
	schemas := map[[2]string]cedarShape{}
	for _, r := range p.rules {
		w.rule(r)
		schemas[[2]string{r.agent, r.subject}] = cedarShape{r.schema, r.extra}
	}
	set, err := cedar.NewPolicySetFromBytes("tools.cedar", []byte(w.text.String()))
	if err != nil {
		return nil, fmt.Errorf("reading the Cedar policies: %w\n%s", err, w.text.String())
	}
	return func(r request) (authz.Verdict, error) {
		shape, known := schemas[[2]string{r.agent, r.subject}]
		if !known {
			return authz.Block, nil
		}
		args, err := shape.record(r.arguments())
		if err != nil {
			return authz.Block, err
		}
		return cedarDecide(set, r, args)
	}, nil
}

// cedarDecide asks for both actions. An error of any policy refuses: Cedar
// itself would leave that policy out, a forbidding one as well.
func cedarDecide(set *cedar.PolicySet, r request, args cedar.Record) (authz.Verdict, error) {
	for _, a := range cedarActions {
		decision, diagnostic := cedar.Authorize(set, cedar.EntityMap{}, cedar.Request{
			Principal: cedar.NewEntityUID("Agent", cedar.String(r.agent)),
			Action:    cedar.NewEntityUID("Action", cedar.String(a.action)),
			Resource:  cedar.NewEntityUID("Tool", cedar.String(r.subject)),
			Context:   cedar.NewRecord(cedar.RecordMap{"args": args}),
		})
		if len(diagnostic.Errors) > 0 {
			return authz.Block, fmt.Errorf("evaluating Cedar: %s", diagnostic.Errors[0])
		}
		if decision == cedar.Allow {
			return a.verdict, nil
		}
	}
	return authz.Block, nil
}

// cedarShape is what the host checks before Cedar is asked, and how it gives the
// arguments their types: integers are Long, other numbers decimal.
type cedarShape struct {
	schema toolcall.Value
	extra  bool
}

func (s cedarShape) record(args map[string]any) (cedar.Record, error) {
	members := cedar.RecordMap{}
	properties := s.schema.Get("properties")
	for name, v := range args {
		sub := properties.Get(name)
		others := s.schema.Get("additionalProperties")
		open := s.extra || others.Bool() || others.Kind() == toolcall.Object
		if properties.Kind() == toolcall.Object && sub.Kind() == toolcall.Absent && !open {
			return cedar.Record{}, fmt.Errorf("the member %q is not declared", name)
		}
		x, err := cedarShape{sub, s.extra}.value(v)
		if err != nil {
			return cedar.Record{}, fmt.Errorf("%s: %w", name, err)
		}
		if x != nil {
			members[cedar.String(name)] = x
		}
	}
	for _, name := range words(s.schema.Get("required")) {
		if _, there := args[name]; !there {
			return cedar.Record{}, fmt.Errorf("the member %q is missing", name)
		}
	}
	return cedar.NewRecord(members), nil
}

// value returns a value of Cedar; nil for null, which Cedar does not have.
func (s cedarShape) value(v any) (cedar.Value, error) {
	if word := s.schema.Get("type").Text(); word != "" && !cedarFits(word, v) {
		return nil, fmt.Errorf("no %s", word)
	}
	switch v := v.(type) {
	case string:
		return cedar.String(v), nil
	case bool:
		return cedar.Boolean(v), nil
	case json.Number:
		return s.number(v)
	case map[string]any:
		return s.record(v)
	case []any:
		var all []cedar.Value
		for _, e := range v {
			x, err := cedarShape{s.schema.Get("items"), s.extra}.value(e)
			if err != nil {
				return nil, err
			}
			if x != nil {
				all = append(all, x)
			}
		}
		return cedar.NewSet(all...), nil
	}
	return nil, nil
}

func (s cedarShape) number(n json.Number) (cedar.Value, error) {
	if i, err := n.Int64(); err == nil && s.schema.Get("type").Text() != "number" {
		return cedar.Long(i), nil
	}
	d, err := toolcall.ParseDecimal(n.String())
	if err != nil {
		return nil, err
	}
	text, ok := cedarDecimal(d)
	if !ok {
		return nil, fmt.Errorf("%s is no decimal of Cedar", n)
	}
	return types.ParseDecimal(text)
}

func cedarFits(word string, v any) bool {
	switch v := v.(type) {
	case nil:
		return word == "null"
	case string:
		return word == "string"
	case bool:
		return word == "boolean"
	case json.Number:
		_, err := v.Int64()
		return word == "number" || word == "integer" && err == nil
	case []any:
		return word == "array"
	}
	return word == "object"
}

// cedarDecimal writes a number as Cedar's decimal: one to four digits behind the
// point.
func cedarDecimal(d toolcall.Decimal) (string, bool) {
	whole, fraction, _ := strings.Cut(d.String(), ".")
	if strings.Contains(d.String(), "e") || len(fraction) > 4 || len(whole) > 15 {
		return "", false
	}
	if fraction == "" {
		fraction = "0"
	}
	return whole + "." + fraction, true
}

// cedarWriter writes a policy as Cedar policies, one for each clause.
type cedarWriter struct {
	p    policy
	lax  bool
	text strings.Builder
}

func (w *cedarWriter) rule(r rule) {
	scope := fmt.Sprintf("resource == Tool::%s", cedarText(r.subject))
	principal := fmt.Sprintf("principal == Agent::%s", cedarText(r.agent))
	for _, k := range r.never {
		fmt.Fprintf(&w.text, "forbid (%s, action, %s) when { %s };\n", principal, scope, w.clause(r, k, true))
	}
	for i, clauses := range [][]clause{r.allow, r.approve} {
		for _, k := range clauses {
			fmt.Fprintf(&w.text, "permit (%s, action == Action::%q, %s) when { %s };\n", principal, cedarActions[i].action, scope, w.clause(r, k, false))
		}
	}
}

func (w *cedarWriter) clause(r rule, k clause, never bool) string {
	parts := []string{"true"}
	for _, t := range k {
		if text, ok := w.term(r, t, never); ok {
			parts = append(parts, text)
		} else {
			parts = append(parts, fmt.Sprint(w.lax != never))
		}
	}
	return strings.Join(parts, " && ")
}

// term writes what is said of one argument; false if Cedar cannot say it.
func (w *cedarWriter) term(r rule, t term, never bool) (string, bool) {
	steps := t.path.Steps()
	elements := len(steps) > 1 && steps[len(steps)-1].Elements
	if elements {
		steps = steps[:len(steps)-1]
	}
	if len(steps) == 0 || slices.ContainsFunc(steps, func(s toolcall.Step) bool { return s.Elements }) {
		return "", false
	}
	v, schema := "context.args", r.schema
	var has []string
	for _, s := range steps {
		has = append(has, fmt.Sprintf("%s has %s", v, cedarText(s.Name)))
		v = fmt.Sprintf("%s[%s]", v, cedarText(s.Name))
		schema = schema.Get("properties").Get(s.Name)
	}
	there := strings.Join(has, " && ")
	parts := []string{there}
	for _, s := range t.says {
		text, ok := w.test(s, v, schema, never)
		if elements {
			text, ok = cedarElements(s, v, schema, never)
		}
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	text := "(" + strings.Join(parts, " && ") + ")"
	if t.optional {
		text = fmt.Sprintf("(!(%s) || %s)", there, text)
	}
	return text, true
}

// cedarElements writes what is said of every element of a set.
func cedarElements(s said, v string, schema toolcall.Value, never bool) (string, bool) {
	values, ok := cedarValues(s.operand, schema.Get("items"))
	if s.word != "in" || !ok {
		return "", false
	}
	if never {
		return fmt.Sprintf("%s.containsAny([%s])", v, values), true
	}
	return fmt.Sprintf("[%s].containsAll(%s) && !(%s == [])", values, v, v), true
}

// cedarValues writes the values of a list as the schema types them.
func cedarValues(list toolcall.Value, schema toolcall.Value) (string, bool) {
	var all []string
	for i := range list.Len() {
		text, ok := cedarLiteral(list.Elem(i), schema)
		if !ok {
			return "", false
		}
		all = append(all, text)
	}
	return strings.Join(all, ", "), true
}

func cedarLiteral(v, schema toolcall.Value) (string, bool) {
	switch v.Kind() {
	case toolcall.String:
		return cedarText(v.Text()), true
	case toolcall.Bool:
		return v.Canonical(), true
	case toolcall.Number:
		if i, whole := v.Number().Int64(); whole && schema.Get("type").Text() != "number" {
			return fmt.Sprint(i), true
		}
		text, ok := cedarDecimal(v.Number())
		return fmt.Sprintf("decimal(%q)", text), ok
	}
	return "", false
}

// test writes one constraint on the value v that the schema describes.
func (w *cedarWriter) test(s said, v string, schema toolcall.Value, never bool) (string, bool) {
	switch s.word {
	case "const":
		x, ok := cedarLiteral(s.operand, schema)
		return fmt.Sprintf("%s == %s", v, x), ok
	case "in":
		x, ok := cedarValues(s.operand, schema)
		return fmt.Sprintf("[%s].contains(%s)", x, v), ok
	case "not_in":
		x, ok := cedarValues(s.operand, schema)
		return fmt.Sprintf("!([%s].contains(%s))", x, v), ok
	case "min", "max":
		return cedarBound(s, v, schema)
	}
	write, known := cedarTexts[s.word]
	if !known {
		return "", false
	}
	return write(w.p, s.operand, v, never)
}

func cedarBound(s said, v string, schema toolcall.Value) (string, bool) {
	x, ok := cedarLiteral(s.operand, schema)
	switch decimal := strings.HasPrefix(x, "decimal"); {
	case decimal && schema.Get("type").Text() != "number":
		return "", false
	case decimal && s.word == "min":
		return fmt.Sprintf("%s.greaterThanOrEqual(%s)", v, x), ok
	case decimal:
		return fmt.Sprintf("%s.lessThanOrEqual(%s)", v, x), ok
	case s.word == "min":
		return fmt.Sprintf("%s >= %s", v, x), ok
	}
	return fmt.Sprintf("%s <= %s", v, x), ok
}

// cedarText writes a text as Cedar reads it.
func cedarText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
