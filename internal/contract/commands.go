package contract

import (
	"slices"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// joinAllow notes the clauses of allow that count for those of judge and approve:
// what an allow clause covers of a command is covered there, too, so that a
// command with an allowed and a held part is held (section 3 of the language,
// `shell`).
func (r *Rule) joinAllow() {
	for _, k := range slices.Concat(r.Judge, r.Approve) {
		if !k.judgesCommands() {
			continue
		}
		for _, allow := range r.Allow {
			if allow.judgesCommands() {
				k.beside = append(k.beside, allow)
			}
		}
	}
}

// joinWriters tells the clauses of the agent that judge commands what its clauses
// of allow let it write, so that the name of a program that it could have put there
// names nothing (section 3 of the language, `shell`). Rules that it inherits know
// what the extended agent may write, which is no less.
func (a *Agent) joinWriters() {
	var writers []*constraint.Set
	for _, r := range a.Rules() {
		for _, k := range r.Allow {
			for _, c := range k.constraints {
				writers = append(writers, c.set)
			}
		}
	}
	for _, r := range a.Rules() {
		for _, k := range slices.Concat(r.Allow, r.Approve) {
			for i := range k.constraints {
				if c := &k.constraints[i]; !r.inherited {
					c.set = c.set.Among(writers)
				}
			}
		}
	}
}

// JudgesCommands reports whether a clause of r, or of a rule that it extends, has
// a `shell` constraint.
func (r *Rule) JudgesCommands() bool {
	judges := false
	r.eachShell(func(_, _ string, _ *constraint.Set) { judges = true })
	return judges
}

// CommandLines returns the arguments of a call that are command lines: those
// that a clause of r, or of a rule that it extends, has a `shell` constraint on.
// Each comes with the question what it would do.
func (r *Rule) CommandLines(args toolcall.Value) map[string]constraint.Question {
	lines := map[string]constraint.Question{}
	for ; r != nil; r = r.base {
		for _, k := range slices.Concat(r.Never, r.Allow, r.Judge, r.Approve) {
			for _, c := range k.constraints {
				if !c.set.JudgesCommands() {
					continue
				}
				for _, q := range c.set.Questions(c.argument.Select(args)) {
					if q.Shell != nil {
						lines[c.name] = q
					}
				}
			}
		}
	}
	return lines
}

func (k *Clause) judgesCommands() bool {
	return slices.ContainsFunc(k.constraints, func(c constrained) bool { return c.set.JudgesCommands() })
}

// sets returns the constraints of the clause as they count for a call: with what
// those clauses of allow cover of a command all of whose other constraints and
// conditions hold.
func (k *Clause) sets(args toolcall.Value, answers *constraint.Answers) []constrained {
	if len(k.beside) == 0 {
		return k.constraints
	}
	sets := slices.Clone(k.constraints)
	for i, c := range sets {
		var others []*constraint.Set
		for _, allow := range k.beside {
			if set := allow.set(c.argument); set != nil && allow.holdsApart(c.argument, args, *answers) {
				others = append(others, set)
			}
		}
		sets[i].set = c.set.Beside(others)
	}
	return sets
}

// set returns the constraints of the clause on an argument, nil if there are none.
func (k *Clause) set(argument toolcall.Path) *constraint.Set {
	for _, c := range k.constraints {
		if c.name == argument.String() {
			return c.set
		}
	}
	return nil
}

// holdsApart reports whether all that the clause says beside its `shell` for one
// argument holds. A condition that fails does not; it blocks the call where the
// clause itself is evaluated.
func (k *Clause) holdsApart(argument toolcall.Path, args toolcall.Value, answers constraint.Answers) bool {
	for _, c := range k.constraints {
		selected := c.argument.Select(args)
		ok := false
		if c.name == argument.String() {
			ok = c.set.PermitsApart(selected, answers)
		} else {
			ok, _ = c.set.Permits(selected, answers)
		}
		if !ok {
			return false
		}
	}
	return !slices.ContainsFunc(k.conditions, func(c conditional) bool {
		ok, _, err := c.condition.Permits(args, answers)
		return err != nil || !ok
	})
}

// CommandClause says what the `shell` of one clause makes of a command.
type CommandClause struct {
	Step     string // never, allow, judge or approve
	Path     string // of the clause
	Coverage []constraint.Coverage
}

// CommandQuestions returns what must be known before [Rule.Commands] can say
// something of a command.
func (r *Rule) CommandQuestions(command string) (questions []constraint.Question) {
	selected := toolcall.Selection{Values: []toolcall.Value{toolcall.StringOf(command)}}
	r.eachShell(func(_, _ string, set *constraint.Set) {
		for _, q := range set.Questions(selected) {
			if q.Shell != nil || q.File != nil {
				questions = append(questions, q)
			}
		}
	})
	return questions
}

// Commands says what each clause of r with a `shell`, and of the rules that it
// extends, makes of a command. Other constraints and conditions of the clauses
// are taken to hold.
func (r *Rule) Commands(command string, answers constraint.Answers) (all []CommandClause) {
	r.eachShell(func(step, path string, set *constraint.Set) {
		all = append(all, CommandClause{step, path, set.Commands(command, answers, step == "never")})
	})
	return all
}

// eachShell calls f with every set of the chain of rules that judges commands, with
// what stands beside it.
func (r *Rule) eachShell(f func(step, path string, set *constraint.Set)) {
	for ; r != nil; r = r.base {
		for _, side := range []struct {
			step    string
			clauses []*Clause
		}{{"never", r.Never}, {"allow", r.Allow}, {"judge", r.Judge}, {"approve", r.Approve}} {
			for _, k := range side.clauses {
				for _, c := range k.constraints {
					if !c.set.JudgesCommands() {
						continue
					}
					var others []*constraint.Set
					for _, allow := range k.beside {
						if set := allow.set(c.argument); set != nil {
							others = append(others, set)
						}
					}
					f(side.step, k.path, c.set.Beside(others))
				}
			}
		}
	}
}
