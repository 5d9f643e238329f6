package contract

import (
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// ToolsCall is the MCP method of a tool call.
const ToolsCall = "tools/call"

// Rule is what an agent may do with one tool.
type Rule struct {
	Server, Tool string
	Blocked      bool      // the contract says `block`
	Never        []*Clause // any that holds blocks
	Allow        []*Clause // else any that holds allows
	Approve      []*Clause // else any that holds asks a person
	ToolDigest   string    // digest of the tool's approved definition

	path    string
	schema  *constraint.Schema
	limits  []*limit // of the tool
	shared  []*limit // of the agent, over all its tools
	sources []string
}

// Clause is one entry of never, allow or approve: a conjunction of constraints.
type Clause struct {
	path        string
	line        int
	constraints []constrained // sorted by argument
}

// constrained is one argument with its constraints.
type constrained struct {
	argument toolcall.Path
	set      *constraint.Set
}

// Miss says which argument does not satisfy a clause or, from
// [Clause.Forbids], which one it matched. The zero Miss stands for a clause
// without constraints.
type Miss struct {
	Argument string
	constraint.Miss
}

// String returns the miss for operators: "amount: 5000 is more than max 1000".
func (m Miss) String() string {
	if m.Argument == "" {
		return "the clause has no constraints"
	}
	return m.Argument + ": " + m.Miss.String()
}

// Ref returns the tool's name as contracts write it: "bank.send_money".
func (r *Rule) Ref() string { return ref(r.Server, r.Tool) }

// Path returns the place of the rule in the contract:
// agents.support.tools["bank.send_money"].
func (r *Rule) Path() string { return r.path }

// Check reports arguments that are not valid against the tool's approved
// inputSchema or not closed by it (rule 4 of the language). The error is a
// *[constraint.ArgumentError], or says that the tool is blocked.
func (r *Rule) Check(args toolcall.Value) error {
	if r.schema == nil {
		return fmt.Errorf("the contract blocks %s", r.Ref())
	}
	return r.schema.Check(args)
}

// Questions returns what the world must be asked before the clauses of r can
// be evaluated, each question once.
func (r *Rule) Questions(args toolcall.Value) []constraint.Question {
	var questions []constraint.Question
	asked := map[string]bool{}
	for _, k := range slices.Concat(r.Never, r.Allow, r.Approve) {
		for _, c := range k.constraints {
			for _, q := range c.set.Questions(c.argument.Select(args)) {
				if !asked[q.Key] {
					asked[q.Key] = true
					questions = append(questions, q)
				}
			}
		}
	}
	return questions
}

// Takes returns what a grant of this call would take from each limit of the
// tool and of its agent (rule 7 of the language). session counts only for
// limits `per: session`; calls without a session share one. The error is an
// [*Uncountable].
func (r *Rule) Takes(session string, args toolcall.Value) ([]authz.Take, error) {
	takes := make([]authz.Take, 0, len(r.limits)+len(r.shared))
	for _, l := range slices.Concat(r.limits, r.shared) {
		take, err := l.take(session, args)
		if err != nil {
			return nil, err
		}
		takes = append(takes, take)
	}
	return takes, nil
}

// Sources returns the tools, as server.tool and sorted, whose results a clause
// of r reads for `from`.
func (r *Rule) Sources() []string { return slices.Clone(r.sources) }

// Path returns the place of the clause in the contract:
// agents.support.tools["bank.send_money"].allow[0].
func (k *Clause) Path() string { return k.path }

// Line returns the line of the clause in the text, from 1.
func (k *Clause) Line() int { return k.line }

// Permits reports whether a clause of allow or approve certainly holds for
// args, and if not, the first constraint that does not (rule 2 of the
// language). A clause without constraints holds. The error is that args is no
// object; a wrong type or an unknown fact inside it is none.
func (k *Clause) Permits(args toolcall.Value, answers constraint.Answers) (bool, Miss, error) {
	return k.holds(args, answers, (*constraint.Set).Permits)
}

// Forbids reports whether a clause of never holds for args: each constraint
// matches some part of its argument, or cannot be decided for it. If so, the
// Miss says what the first of them matched.
func (k *Clause) Forbids(args toolcall.Value, answers constraint.Answers) (bool, Miss, error) {
	return k.holds(args, answers, (*constraint.Set).Forbids)
}

// holds asks one side of every constraint.
func (k *Clause) holds(args toolcall.Value, answers constraint.Answers,
	side func(*constraint.Set, toolcall.Selection, constraint.Answers) (bool, constraint.Miss)) (bool, Miss, error) {
	if args.Kind() != toolcall.Object {
		return false, Miss{}, fmt.Errorf("evaluating %s: arguments are no object but %s", k.path, args.Kind())
	}
	var first Miss
	for i, c := range k.constraints {
		ok, miss := side(c.set, c.argument.Select(args), answers)
		if !ok {
			return false, Miss{c.argument.String(), miss}, nil
		}
		if i == 0 {
			first = Miss{c.argument.String(), miss}
		}
	}
	return true, first, nil
}

// mayWrite reports whether the clause could let an agent write path.
func (k *Clause) mayWrite(path string, p constraint.Places) bool {
	return slices.ContainsFunc(k.constraints, func(c constrained) bool { return c.set.MayWrite(path, p) })
}

// redaction lists the arguments of a tool whose values evidence must not keep.
type redaction []toolcall.Path

// redacted stands in place of a value that evidence must not keep.
var redacted = toolcall.StringOf("[redacted]")

// apply returns a copy of args without the named values, and whether any is named.
func (r redaction) apply(args toolcall.Value) (toolcall.Value, bool) {
	for _, path := range r {
		args = redact(args, path.Steps())
	}
	return args, len(r) > 0
}

// redact hides what steps lead to. Refused calls are recorded, too, so a value
// of another shape than the path expects is hidden as a whole, and so is a
// member whose name differs only in letter case.
func redact(v toolcall.Value, steps []toolcall.Step) toolcall.Value {
	switch {
	case v.Kind() == toolcall.Absent || v.Kind() == toolcall.Null:
		return v
	case len(steps) == 0:
		return redacted
	case steps[0].Elements && v.Kind() == toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = redact(v.Elem(i), steps[1:])
		}
		return toolcall.ArrayOf(elems...)
	case !steps[0].Elements && v.Kind() == toolcall.Object:
		members := make([]toolcall.Member, v.Len())
		for i := range members {
			name, value := v.Member(i)
			if toolcall.FoldEqual(name, steps[0].Name) {
				value = redact(value, steps[1:])
			}
			members[i] = toolcall.Member{Name: name, Value: value}
		}
		return toolcall.ObjectOf(members...)
	}
	return redacted
}
