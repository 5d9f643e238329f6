package contract

import (
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Rule is what an agent may do with one tool, or with one other method of a
// server, whose params are then the arguments.
type Rule struct {
	Server, Method, Tool string    // Method is tools/call for a tool; else Tool is ""
	Blocked              bool      // the contract says `block`
	Never                []*Clause // any that holds blocks
	Allow                []*Clause // else any that holds allows
	Judge                []*Clause // else any that holds asks the judge
	Approve              []*Clause // else any that holds asks a person
	ToolDigest           string    // digest of the tool's approved definition, "" of another method

	subject   subject
	path      string
	group     string
	base      *Rule
	inherited bool // it is the rule of the agent that is extended
	schema    *constraint.Schema
	asks      bool      // a clause, also of a rule that it extends, may have questions
	extra     bool      // arguments that the tool does not declare are allowed
	limits    []*limit  // of the tool
	counted   []counted // all limits that count a call
	sources   []string
}

// Clause is one entry of never, allow, judge or approve: a conjunction of constraints.
type Clause struct {
	path        string
	line        int
	constraints []constrained // sorted by argument
	conditions  []conditional // sorted by word
	approvers   []string
	quorum      int
	ownPanel    bool      // approvers and quorum stand in the clause
	beside      []*Clause // of allow, where k is of judge or approve: what they cover of a command is covered here, too
}

// conditional is one condition with its word.
type conditional struct {
	word      string
	condition constraint.Condition
}

// constrained is one argument with its constraints.
type constrained struct {
	argument toolcall.Path
	name     string // text of argument
	set      *constraint.Set
}

// Miss says which argument or condition does not satisfy a clause or, from
// [Clause.Forbids], which one it matched. The zero Miss stands for a clause
// without constraints.
type Miss struct {
	Argument string // its path, or the word of a condition
	constraint.Miss
}

// String returns the miss for operators: "amount: 5000 is more than max 1000".
func (m Miss) String() string {
	if m.Argument == "" {
		return "the clause has no constraints"
	}
	return m.Argument + ": " + m.Miss.String()
}

// Ref returns what the rule is about as contracts write it: "bank.send_money",
// "bank:resources/read".
func (r *Rule) Ref() string { return r.subject.ref() }

// Group returns the group that stands for the tool, such as "bank.get_*"; ""
// where the contract names the tool itself.
func (r *Rule) Group() string { return r.group }

// Base returns the rule of the agent that this one extends, for the same tool;
// nil if there is none. A call is decided by the whole chain, and the stricter
// result counts (rule 9 of the language).
func (r *Rule) Base() *Rule { return r.base }

// Path returns the place of the rule in the contract:
// agents.support.tools["bank.send_money"].
func (r *Rule) Path() string { return r.path }

// ExtraArguments says whether a call may have arguments that the tool does not
// declare.
func (r *Rule) ExtraArguments() bool { return r.extra }

// InputSchema returns the approved inputSchema of the tool; absent for another
// method.
func (r *Rule) InputSchema() toolcall.Value { return r.subject.tool.InputSchema() }

// Check reports arguments that are not valid against the tool's approved
// inputSchema or not closed by it (rule 4 of the language), as this rule and
// each one that it extends say. The error is a *[constraint.ArgumentError], or
// says that the tool is blocked.
func (r *Rule) Check(args toolcall.Value) error {
	for ; r != nil; r = r.base {
		if r.schema == nil {
			return fmt.Errorf("the contract blocks %s", r.Ref())
		}
		if err := r.schema.Check(args); err != nil {
			return err
		}
	}
	return nil
}

// Questions returns what the world must be asked before the clauses of r, and
// of each rule that it extends, can be evaluated, each question once.
func (r *Rule) Questions(args toolcall.Value) []constraint.Question {
	if !r.asks {
		return nil
	}
	var questions []constraint.Question
	asked := map[string]bool{}
	for ; r != nil; r = r.base {
		for _, side := range [...][]*Clause{r.Never, r.Allow, r.Judge, r.Approve} {
			for _, k := range side {
				for _, q := range k.questions(args) {
					if !asked[q.Key] {
						asked[q.Key] = true
						questions = append(questions, q)
					}
				}
			}
		}
	}
	return questions
}

// mayAsk reports whether a clause of r, or of a rule that it extends, may have
// questions. Most rules have none.
func (r *Rule) mayAsk() bool {
	asks := func(k *Clause) bool {
		return len(k.conditions) > 0 || slices.ContainsFunc(k.constraints, func(c constrained) bool { return c.set.Asks() })
	}
	return slices.ContainsFunc(r.Never, asks) || slices.ContainsFunc(r.Allow, asks) ||
		slices.ContainsFunc(r.Judge, asks) || slices.ContainsFunc(r.Approve, asks) ||
		r.base != nil && r.base.mayAsk()
}

// questions returns what the clause must know of the world.
func (k *Clause) questions(args toolcall.Value) []constraint.Question {
	var all []constraint.Question
	for _, c := range k.constraints {
		if c.set.Asks() {
			all = append(all, c.set.Questions(c.argument.Select(args))...)
		}
	}
	for _, c := range k.conditions {
		all = append(all, c.condition.Questions(args)...)
	}
	return all
}

// Takes returns what a grant of this call would take from each limit of the
// tool and of its agent, and of those that it extends, counted for this agent
// (rules 7 and 9 of the language). The error is an [*Uncountable].
func (r *Rule) Takes(who Caller, args toolcall.Value) ([]authz.Take, error) {
	if len(r.counted) == 0 {
		return nil, nil
	}
	takes := make([]authz.Take, 0, len(r.counted))
	for _, l := range r.counted {
		take, err := l.take(who, args)
		if err != nil {
			return nil, err
		}
		takes = append(takes, take)
	}
	return takes, nil
}

// AsksSession reports whether a clause of r, or of a rule that it extends, has a
// condition on what was done in the session.
func (r *Rule) AsksSession() bool {
	asks := func(k *Clause) bool {
		return slices.ContainsFunc(k.conditions, func(c conditional) bool { return len(c.condition.Watches()) > 0 })
	}
	for ; r != nil; r = r.base {
		if slices.ContainsFunc(r.Never, asks) || slices.ContainsFunc(r.Allow, asks) ||
			slices.ContainsFunc(r.Judge, asks) || slices.ContainsFunc(r.Approve, asks) {
			return true
		}
	}
	return false
}

// Sources returns the tools, as server.tool and sorted, whose results a clause
// of r, or of a rule that it extends, reads for `from`.
func (r *Rule) Sources() []string {
	var all []string
	for ; r != nil; r = r.base {
		all = append(all, r.sources...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Path returns the place of the clause in the contract:
// agents.support.tools["bank.send_money"].allow[0].
func (k *Clause) Path() string { return k.path }

// Line returns the line of the clause in the text, from 1.
func (k *Clause) Line() int { return k.line }

// CanFail reports whether evaluating the clause can end in an error: conditions
// can, constraints cannot.
func (k *Clause) CanFail() bool { return len(k.conditions) > 0 }

// Panel returns who may answer a call that a clause of approve holds, and how
// many of them must agree: as the clause says, else as the contract does. No
// approvers stands for all that are configured.
func (k *Clause) Panel() (approvers []string, quorum int) {
	return slices.Clone(k.approvers), k.quorum
}

// Permits reports whether a clause of allow, judge or approve certainly holds for
// args, and if not, the first constraint or condition that does not (rule 2 of
// the language). A clause without any holds. The error is that args is no object
// or that a condition failed (rule 3); a wrong type or an unknown fact is none.
func (k *Clause) Permits(args toolcall.Value, answers constraint.Answers) (bool, Miss, error) {
	return k.holds(k.sets(args, &answers), args, &answers, permitting)
}

// Forbids reports whether a clause of never holds for args: each constraint
// matches some part of its argument, or cannot be decided for it, and so does
// each condition. If so, the Miss says what the first of them matched.
func (k *Clause) Forbids(args toolcall.Value, answers constraint.Answers) (bool, Miss, error) {
	return k.holds(k.constraints, args, &answers, forbidding)
}

// side says what a clause is asked.
type side bool

const (
	permitting side = false
	forbidding side = true
)

// holds asks the constraints of one argument.
func (c *constrained) holds(args toolcall.Value, answers *constraint.Answers, ask side) (bool, constraint.Miss) {
	if ask == forbidding {
		return c.set.Forbids(c.argument.Select(args), *answers)
	}
	return c.set.Permits(c.argument.Select(args), *answers)
}

// holds asks the condition.
func (c *conditional) holds(args toolcall.Value, answers *constraint.Answers, ask side) (bool, constraint.Miss, error) {
	if ask == forbidding {
		return c.condition.Forbids(args, *answers)
	}
	return c.condition.Permits(args, *answers)
}

// holds asks one side of the constraints, until one decides, and of every
// condition: unlike a constraint it can fail, and that must not depend on what
// stands beside it.
func (k *Clause) holds(sets []constrained, args toolcall.Value, answers *constraint.Answers, ask side) (bool, Miss, error) {
	if args.Kind() != toolcall.Object {
		return false, Miss{}, fmt.Errorf("evaluating %s: arguments are no object but %s", k.path, args.Kind())
	}
	all, first := true, Miss{}
	for i := 0; all && i < len(sets); i++ {
		c := &sets[i]
		ok, miss := c.holds(args, answers, ask)
		if !ok || i == 0 {
			all, first = ok, Miss{c.name, miss}
		}
	}
	for _, c := range k.conditions {
		ok, miss, err := c.holds(args, answers, ask)
		if err != nil {
			return false, Miss{}, fmt.Errorf("%s of %s: %w", c.word, k.path, err)
		}
		if all && (!ok || first.Argument == "") {
			all, first = ok, Miss{c.word, miss}
		}
	}
	return all, first, nil
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
