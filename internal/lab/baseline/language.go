package baseline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
)

// Language is one way to write rules for tool calls, with what runs them.
type Language struct {
	Name    string
	About   string
	notes   map[string]Note
	byName  bool // it looks at tool names alone, and answers every case with that
	compile func(p policy, lax bool) (decider, error)
	says    func(p policy, r rule, t term, never bool) bool
}

// decider judges one request. An error refuses it.
type decider func(request) (authz.Verdict, error)

// Languages returns the baselines in the order of reports.
func Languages() []Language {
	return []Language{
		{Name: "names, Go", About: "RBAC by tool name, a table in plain Go", byName: true, compile: compileRoles},
		{Name: "names, Rego", About: "RBAC by tool name in Rego (OPA as a library)", byName: true, compile: compileRegoRoles},
		{Name: "Rego", About: "argument rules in Rego (OPA as a library)", notes: regoNotes, compile: compileRego, says: regoSays},
		{Name: "Cedar", About: "argument rules in Cedar (cedar-go)", notes: cedarNotes, compile: compileCedar, says: cedarSays},
		{Name: "CEL", About: "argument rules in CEL alone (cel-go), a table of tools around it", notes: celNotes, compile: compileCEL, says: celSays},
	}
}

func regoSays(p policy, _ rule, t term, never bool) bool {
	_, ok := (&regoWriter{p: p}).term(t, never)
	return ok
}

func cedarSays(p policy, r rule, t term, never bool) bool {
	_, ok := (&cedarWriter{p: p}).term(r, t, never)
	return ok
}

func celSays(p policy, _ rule, t term, never bool) bool {
	// Text that differs by what cannot be said has something that cannot be said.
	return celWriter{p, true}.term(t, never) == celWriter{p, false}.term(t, never)
}

// translation is a contract in one language, twice: with what the language
// cannot say left out, and with it refusing. Where the two agree on a call, what
// cannot be said does not matter to it.
type translation struct {
	language    Language
	policies    []policy
	lax, strict []decider // by policy
}

func (l Language) translate(c *contract.Contract, places constraint.Places) (translation, error) {
	t := translation{language: l, policies: policies(c, places)}
	for _, p := range t.policies {
		lax, err := l.compile(p, true)
		if err != nil {
			return t, fmt.Errorf("%s: %w", l.Name, err)
		}
		strict := lax
		if !t.saysAll(p) {
			if strict, err = l.compile(p, false); err != nil {
				return t, fmt.Errorf("%s: %w", l.Name, err)
			}
		}
		t.lax, t.strict = append(t.lax, lax), append(t.strict, strict)
	}
	return t, nil
}

// saysAll reports whether nothing is left out of a policy: then there is no
// second way to read it.
func (t translation) saysAll(p policy) bool {
	return !slices.ContainsFunc(p.rules, func(r rule) bool { return len(t.unsaidOf(p, r)) > 0 })
}

// strictest asks all deciders and returns the strictest verdict.
func strictest(all []decider, r request) (authz.Verdict, error) {
	verdict := authz.Allow
	var errs []error
	for _, d := range all {
		v, err := d(r)
		if err != nil {
			v = authz.Block
			errs = append(errs, err)
		}
		verdict = min(verdict, v)
	}
	return verdict, errors.Join(errs...)
}

// unsaid lists the words of the rules for a call that the language cannot say.
func (t translation) unsaid(agent, subject string) []string {
	var all []string
	for _, p := range t.policies {
		r, _ := p.rule(agent, subject)
		all = append(all, t.unsaidOf(p, r)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (t translation) unsaidOf(p policy, r rule) (all []string) {
	for i, clauses := range [][]clause{r.never, r.allow, r.approve} {
		for _, k := range clauses {
			all = append(all, t.unsaidIn(p, r, k, i == 0)...)
		}
	}
	return all
}

func (t translation) unsaidIn(p policy, r rule, k clause, never bool) (all []string) {
	for _, x := range k {
		for _, s := range x.says {
			alone := term{path: x.path, says: []said{s}, optional: x.optional}
			if t.language.says != nil && !t.language.says(p, r, alone, never) {
				all = append(all, s.word)
			}
		}
	}
	return all
}
