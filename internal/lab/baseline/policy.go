package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/toolcall"
)

// policy is what a contract says of calls, without what a gate keeps between
// them: the common source of all translations.
type policy struct {
	rules  []rule
	places constraint.Places
}

// rule is what one agent may do with one tool.
type rule struct {
	agent, subject        string // subject: server.tool or server:method
	never, allow, approve []clause
	schema                toolcall.Value // of the arguments; absent for another method
	extra                 bool           // arguments that the schema does not declare are allowed
}

// clause holds when all of its terms do.
type clause []term

// term is what a clause says of one argument, or one condition.
type term struct {
	path     toolcall.Path // empty for a condition
	says     []said        // all hold of the argument; one for a condition
	optional bool
}

// said is one word of the contract language with its operand.
type said struct {
	word    string
	operand toolcall.Value
}

// schemaWord names, among constraints, that arguments are valid and declared.
const schemaWord = "inputSchema"

// policies reads a contract. Where agents extend others there is a policy for
// each step of the longest chain, in which shorter chains repeat their last rule:
// a call must pass all of them, and the strictest verdict counts.
func policies(c *contract.Contract, places constraint.Places) []policy {
	var all []policy
	for depth, deeper := 0, true; deeper; depth++ {
		p := policy{places: places}
		deeper = false
		for _, name := range c.Agents() {
			for _, r := range c.Agent(name).Rules() {
				for range depth {
					r = cmp.Or(r.Base(), r)
				}
				deeper = deeper || r.Base() != nil
				p.rules = append(p.rules, readRule(name, r))
			}
		}
		all = append(all, p)
	}
	return all
}

func readRule(agent string, r *contract.Rule) rule {
	return rule{
		agent: agent, subject: r.Ref(), schema: r.InputSchema(), extra: r.ExtraArguments(),
		never: readClauses(r.Never), allow: readClauses(r.Allow), approve: readClauses(r.Approve),
	}
}

func readClauses(clauses []*contract.Clause) []clause {
	var all []clause
	for _, k := range clauses {
		var c clause
		paths, specs := k.Arguments()
		for i, path := range paths {
			c = append(c, readTerm(path, specs[i]))
		}
		words, operands := k.Conditions()
		for i, word := range words {
			c = append(c, term{says: []said{{word, operands[i]}}})
		}
		all = append(all, c)
	}
	return all
}

func readTerm(path toolcall.Path, spec toolcall.Value) term {
	t := term{path: path}
	for i := range spec.Len() {
		word, operand := spec.Member(i)
		switch values, literal := literals(word, operand); {
		case word == "optional":
			t.optional = true
		case literal:
			t.says = append(t.says, said{"in", values})
		default:
			t.says = append(t.says, said{word, operand})
		}
	}
	return t
}

// literals returns the values of a `from` whose sources are literals alone: that
// is a list, for which nothing has to be remembered.
func literals(word string, operand toolcall.Value) (toolcall.Value, bool) {
	var all []toolcall.Value
	if word != "from" || operand.Len() == 0 {
		return operand, false
	}
	for i := range operand.Len() {
		list := operand.Elem(i).Get("literal")
		if list.Kind() != toolcall.Array {
			return operand, false
		}
		for j := range list.Len() {
			all = append(all, list.Elem(j))
		}
	}
	return toolcall.ArrayOf(all...), true
}

// rule returns the rule for a call, and whether there is one.
func (p policy) rule(agent, subject string) (rule, bool) {
	i := slices.IndexFunc(p.rules, func(r rule) bool { return r.agent == agent && r.subject == subject })
	if i < 0 {
		return rule{}, false
	}
	return p.rules[i], true
}

// subject names what a call is about as contracts do.
func subject(server, method, tool string) string {
	if method == "" || method == contract.ToolsCall {
		return server + "." + tool
	}
	return server + ":" + method
}

// test is what a constraint says of one value in a policy language: the value is
// of a type, and all of when holds.
type test struct {
	guard kind
	when  []string
}

// kind is a type that a constraint asks of its value; the zero kind is any.
type kind string

const (
	number kind = "number"
	text   kind = "string"
	array  kind = "array"
)

// list returns the elements of an array.
func list(v toolcall.Value) []toolcall.Value {
	all := make([]toolcall.Value, v.Len())
	for i := range all {
		all[i] = v.Elem(i)
	}
	return all
}

// words returns the texts of an array of texts.
func words(v toolcall.Value) []string {
	var all []string
	for _, e := range list(v) {
		all = append(all, e.Text())
	}
	return all
}

// bounds returns the bounds of `length` and `items`, "" where there is none.
func bounds(v toolcall.Value) (low, high string) {
	if v.Kind() == toolcall.Number {
		return v.Canonical(), v.Canonical()
	}
	return v.Get("min").Canonical(), v.Get("max").Canonical()
}

// between says that size is within bounds, in a language with >= and <=.
func between(size string, v toolcall.Value) []string {
	var when []string
	low, high := bounds(v)
	if low != "" {
		when = append(when, size+" >= "+low)
	}
	if high != "" {
		when = append(when, size+" <= "+high)
	}
	return when
}

// quote writes a text as Rego and CEL read it, which is as JSON does.
func quote(s string) string { return toolcall.StringOf(s).Canonical() }

// expand replaces the places in a pattern of the contract. A place that is not
// known leaves a pattern that matches nothing.
func (p policy) expand(pattern string) string {
	negated := strings.HasPrefix(pattern, "!")
	full, known := p.places.Expand(strings.TrimPrefix(pattern, "!"))
	if !known {
		full = "/nowhere-that-is-known"
	}
	if negated {
		return "!" + full
	}
	return full
}

// where names a rule in errors.
func (r rule) where() string { return fmt.Sprintf("%s of %s", r.subject, cmp.Or(r.agent, "no agent")) }
