package mutate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
)

// Suggestion is a story that a mutant answers in another way than the contract.
// Which answer is right it does not say.
type Suggestion struct {
	Files    []cases.File // what lies on disk before
	Steps    []cases.Step // the last one is a call; their Expect says nothing
	Contract cases.Answer // of the contract to the last call
	Mutant   cases.Answer // of the mutant
	Breaks   string       // why the mutant cannot play the last step, which is then no call; "" = it answers
}

// String returns the last call with both answers, in one line.
func (s *Suggestion) String() string {
	c, ok := s.Steps[len(s.Steps)-1].Act.(cases.Call)
	if !ok {
		return actText(s.Steps[len(s.Steps)-1].Act) + ": with the change " + s.Breaks
	}
	return fmt.Sprintf("%s.%s %s: %s, with the change %s", c.Server, c.Tool, c.Arguments.Canonical(), worded(s.Contract, s.Mutant), worded(s.Mutant, s.Contract))
}

// worded returns an answer as far as it differs from another.
func worded(a, other cases.Answer) string {
	text := a.Verdict.String() + " " + string(codeOf(a))
	switch {
	case a.Shadow && !other.Shadow:
		text += ", in shadow mode"
	case other.Shadow && !a.Shadow:
		text += ", enforced"
	}
	return text
}

func codeOf(a cases.Answer) authz.Code { return authz.Decision{Reasons: a.Reasons}.Code() }

// maxStories bounds how many stories are tried for one survivor.
const maxStories = 400

// story is a way to ask both contracts.
type story struct {
	files []cases.File
	steps []cases.Step
}

// suggest looks for a story that the mutant answers otherwise, best with another
// verdict. It returns nil if it finds none.
func (r *runner) suggest(ctx context.Context, m *Mutant) *Suggestion {
	if len(r.passed) == 0 {
		return nil
	}
	var second *Suggestion
	for _, t := range newSeeker(r, m).stories() {
		if ctx.Err() != nil {
			return nil
		}
		s := r.differs(ctx, m, t)
		switch {
		case s == nil:
		case s.Contract.Verdict != s.Mutant.Verdict || s.Breaks != "":
			return s
		case second == nil:
			second = s
		}
	}
	return second
}

// differs plays a story on both contracts and returns it, up to the first call
// that they answer in two ways; nil if there is none.
func (r *runner) differs(ctx context.Context, m *Mutant, t story) *Suggestion {
	suite := *r.passed[0].Suite
	suite.Contract = m.source.With(r.passed[0].Suite.Contract.Text)
	c := &cases.Case{Steps: t.steps, Files: t.files}
	was := cases.Play(ctx, r.door(m), &suite, c, cases.Options{Whole: true})
	is := cases.Play(ctx, r.door(m), &suite, c, cases.Options{Whole: true, Change: m.Apply})
	for i := range min(len(was.Answers), len(is.Answers)) {
		a, b := was.Answers[i], is.Answers[i]
		if a.Verdict == b.Verdict && codeOf(a) == codeOf(b) && a.Shadow == b.Shadow {
			continue
		}
		return &Suggestion{Files: t.files, Steps: upTo(t.steps, i), Contract: a, Mutant: b}
	}
	if was.Err == nil && is.Err != nil && is.Step == len(t.steps)-1 {
		return &Suggestion{Files: t.files, Steps: t.steps, Breaks: is.Err.Error()}
	}
	return nil
}

// upTo returns the steps up to the call with the answer of that index.
func upTo(steps []cases.Step, answer int) []cases.Step {
	for i, s := range steps {
		if _, ok := s.Act.(cases.Call); !ok {
			continue
		}
		if answer < max(1, s.Repeat) {
			cut := slices.Clone(steps[:i+1])
			cut[i].Repeat = answer + 1
			return cut
		}
		answer -= max(1, s.Repeat)
	}
	return steps
}

// stories returns what to ask about a mutant: what clauses describe and cases
// call, and these with each of the values at the borders of the change.
func (s *seeker) stories() (all []story) {
	seen := map[string]bool{}
	keep := func(list []story) {
		for _, t := range list {
			if key := t.key(); !seen[key] && len(all) < maxStories {
				seen[key] = true
				all = append(all, t)
			}
		}
	}
	seeds := append(s.described(), s.called()...)
	keep(seeds)
	for _, t := range seeds {
		keep(s.aroundCall(t))
	}
	for _, t := range seeds {
		keep(s.withValues(t))
	}
	return all
}

// maxSeeds bounds how many calls of cases are varied.
const maxSeeds = 12

// called returns the calls of cases to the tool that the mutant is about, with
// what happens before them.
func (s *seeker) called() (seeds []story) {
	known := map[string]bool{}
	for _, p := range s.passed {
		for i, step := range p.Case.Steps {
			c, ok := step.Act.(cases.Call)
			if !ok || c.Raw != nil || !s.covers(c) || s.m.tool != "" && !(&cases.Case{Steps: p.Case.Steps[i : i+1]}).Calls(s.m.tool) {
				continue
			}
			t := story{p.Case.Files, slices.Clone(p.Case.Steps[:i+1])}
			if key := t.key(); !known[key] && len(seeds) < maxSeeds {
				known[key] = true
				seeds = append(seeds, t)
			}
		}
	}
	return seeds
}

// covers reports whether a call may be by the agent that a place is about, or by
// one that extends it.
func (s *seeker) covers(c cases.Call) bool {
	at := s.m.about
	return at[0].key != "agents" || at[1].key == c.Agent || s.was.Get("agents").Get(c.Agent).Get("extends") != nil
}

// key tells stories apart.
func (t story) key() string {
	var b strings.Builder
	for _, s := range t.steps {
		switch a := s.Act.(type) {
		case cases.Call:
			fmt.Fprintf(&b, "%s %s.%s %s %q %q %q %d;", a.Agent, a.Server, a.Tool, a.Arguments.Canonical(), a.Session, a.User, a.Request, s.Repeat)
			for _, o := range a.Signals {
				fmt.Fprintf(&b, "%s %s;", o.Name(), o.Value.Canonical())
			}
			for _, h := range a.History {
				fmt.Fprintf(&b, "%s.%s %s;", h.Server, h.Tool, h.Result.Canonical())
			}
		default:
			fmt.Fprintf(&b, "%T %+v;", a, a)
		}
	}
	return b.String()
}

// last returns the call that a story ends with.
func (t story) last() cases.Call { return t.steps[len(t.steps)-1].Act.(cases.Call) }

// before returns the story with steps before its last one.
func (t story) before(steps ...cases.Step) story {
	last := len(t.steps) - 1
	return story{t.files, slices.Concat(t.steps[:last], steps, t.steps[last:])}
}

// then returns the story with steps after it.
func (t story) then(steps ...cases.Step) story {
	return story{t.files, slices.Concat(t.steps, steps)}
}

// ending returns the story with another last call.
func (t story) ending(c cases.Call) story {
	last := len(t.steps) - 1
	return story{t.files, append(slices.Clip(t.steps[:last]), cases.Step{Act: c, Repeat: 1})}
}
