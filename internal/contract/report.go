package contract

import (
	"fmt"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Finding is what a clause says of one argument or condition.
type Finding struct {
	Argument string // its path, or the word of a condition
	constraint.Finding
}

// Report reports every constraint and condition of a clause for args: those of a
// clause of never with never, else those of allow or approve. The clause holds
// exactly if all of them do. Errors are those of [Clause.Permits].
func (k *Clause) Report(args toolcall.Value, answers constraint.Answers, never bool) ([]Finding, error) {
	if args.Kind() != toolcall.Object {
		return nil, fmt.Errorf("evaluating %s: arguments are no object but %s", k.path, args.Kind())
	}
	sets := k.constraints
	if !never {
		sets = k.sets(args, &answers)
	}
	var all []Finding
	for _, c := range sets {
		for _, f := range c.set.Report(c.argument.Select(args), answers, never) {
			all = append(all, Finding{c.name, f})
		}
	}
	side := constraint.Condition.Permits
	if never {
		side = constraint.Condition.Forbids
	}
	for _, c := range k.conditions {
		ok, miss, err := side(c.condition, args, answers)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", c.word, k.path, err)
		}
		all = append(all, Finding{c.word, constraint.Finding{Kind: c.word, Operand: c.condition.Canonical(), Holds: ok, Why: miss.Want}})
	}
	return all, nil
}

// Arguments returns the paths of the arguments that the clause constrains,
// sorted, each with its constraints as the contract could write them.
func (k *Clause) Arguments() (paths []toolcall.Path, specs []toolcall.Value) {
	for _, c := range k.constraints {
		paths, specs = append(paths, c.argument), append(specs, c.set.Canonical())
	}
	return paths, specs
}

// Conditions returns the words of the conditions of the clause, sorted, each
// with its operand as the contract could write it.
func (k *Clause) Conditions() (words []string, specs []toolcall.Value) {
	for _, c := range k.conditions {
		words, specs = append(words, c.word), append(specs, c.condition.Canonical())
	}
	return words, specs
}

// SumOf returns the argument that the limit of a take adds up, and whether it
// adds one up.
func (r *Rule) SumOf(t authz.Take) (toolcall.Path, bool) {
	for _, l := range r.counted {
		if l.path == t.Clause && !l.argument.Empty() {
			return l.argument, true
		}
	}
	return toolcall.Path{}, false
}
