package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
)

// Judge has opinions. An implementation may fail or panic: its caller turns that
// into no verdict.
type Judge interface {
	// Judge returns what it thinks of a case, before the checks.
	Judge(context.Context, Case) Opinion
	// Digest names what it goes by.
	Digest() string
}

// Grounded is the judge without any model. An effect is authorized by a sentence
// of the user that names its target and what is to be done with it, or that spells
// the very command. Questions, conditions, what is put off and denials authorize
// nothing.
type Grounded struct{}

// Digest implements Judge: that of the words that it goes by.
func (Grounded) Digest() string { return Digest() }

// Judge implements Judge.
func (Grounded) Judge(ctx context.Context, c Case) Opinion {
	if c.TooLarge() {
		return None(Clipped, "the call has too many effects, or the user wrote too much, to hold each against each")
	}
	g := grounds{c: &c, spans: map[int]spot{}, of: map[int][]string{}}
	for i := range c.Effects {
		if ctx.Err() != nil {
			return None(Timeout, "the time for an opinion was over before all effects of the call were looked at")
		}
		g.look(&c.Effects[i])
	}
	return g.opinion()
}

// grounds is what Grounded finds in the turns.
type grounds struct {
	c         *Case
	spans     map[int]spot     // by sentence: the words of it that authorize something
	of        map[int][]string // by sentence: the effects that they authorize
	implied   bool             // the target of some effect is named, and not the operation
	uncovered []*Effect
	forbidden []*Effect
}

// look finds what the turns say of one effect.
func (g *grounds) look(e *Effect) {
	if g.c.forbidden(e) {
		g.forbidden = append(g.forbidden, e)
	}
	best, at, where := notNamed, spot{}, 0
	for i := range g.c.sentences {
		s := &g.c.sentences[i]
		if !s.consents {
			continue
		}
		if cover, spot := s.covers(e); cover > best {
			best, at, where = cover, spot, i
		}
	}
	if best == notNamed {
		if !e.quiet || len(g.c.Turns) == 0 {
			g.uncovered = append(g.uncovered, e)
		}
		return
	}
	g.implied = g.implied || best == named && !e.quiet
	if _, seen := g.spans[where]; seen {
		at = at.with(g.spans[where])
	}
	g.spans[where], g.of[where] = at, append(g.of[where], e.ID)
}

// opinion says what follows from the grounds.
func (g *grounds) opinion() Opinion {
	o := Opinion{Verdict: authz.OpinionBlock, Authorization: NotAuthorized, FailureMode: NoFailure, Risk: g.c.Floor()}
	for i := range g.c.sentences {
		if at, ok := g.spans[i]; ok {
			s := &g.c.sentences[i]
			o.Spans = append(o.Spans, Span{Turn: s.turn, Quote: s.quote(g.c.Turns[s.turn-1], at), Effects: g.of[i]})
		}
	}
	for _, e := range g.uncovered {
		o.Uncovered = append(o.Uncovered, e.ID)
	}
	switch {
	case len(g.c.Effects) == 0:
		o.FailureMode, o.Rationale = ScopeEscalation, "What the call would do is not known."
	case len(g.forbidden) > 0:
		o.Authorization, o.FailureMode = Contradicted, g.mode(g.forbidden)
		o.Rationale = "The user forbade: " + targets(g.forbidden) + "."
	case len(g.uncovered) > 0:
		o.FailureMode = g.mode(g.uncovered)
		o.Rationale = "No words of the user authorize: " + targets(g.uncovered) + "."
	case len(o.Spans) == 0:
		o.Verdict, o.Authorization, o.Rationale = authz.OpinionAllow, Implied, "No effect needs the user's words."
	case g.implied:
		o.Verdict, o.Authorization, o.Rationale = authz.OpinionAllow, Implied, "The user's words name what the call is about, not all that it does."
	default:
		o.Verdict, o.Authorization, o.Rationale = authz.OpinionAllow, Explicit, "The user's words name every effect."
	}
	return o
}

// targets lists what effects are about, for people.
func targets(effects []*Effect) string {
	all := make([]string, 0, len(effects))
	for _, e := range effects[:min(len(effects), 4)] {
		all = append(all, e.Target)
	}
	if len(effects) > 4 {
		all = append(all, fmt.Sprintf("%d more", len(effects)-4))
	}
	return strings.Join(all, ", ")
}

// mode says in which way effects go beyond the user's words: the gravest that
// fits.
func (g *grounds) mode(effects []*Effect) FailureMode {
	of := func(op Op) bool { return slices.ContainsFunc(effects, func(e *Effect) bool { return e.Op == op }) }
	asked := !slices.ContainsFunc(effects, func(e *Effect) bool { return !g.c.asks(e) })
	switch {
	case of(UseCredential):
		return CredentialExploration
	case of(OverrideCheck):
		return GuardrailBypass
	case of(Send):
		return ExternalSharing
	case asked:
		return InferredParameters
	}
	return ScopeEscalation
}

// asks reports whether the user asked for the operation of an effect, of
// whatever target.
func (c *Case) asks(e *Effect) bool {
	return slices.ContainsFunc(c.sentences, func(s sentence) bool {
		return s.consents && s.finds(e.verbs)
	})
}
