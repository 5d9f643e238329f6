package judge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
)

// Code is a check of judge.md, section 5.
type Code string

// The checks, in the order in which they run.
const (
	HardDeny          Code = "hard_deny"          // the contract forbids the call, evaluated again after the answer
	NonceEcho         Code = "nonce_echo"         // the marks that fence the data stand in the answer, as if the data had been obeyed
	UnknownRef        Code = "unknown_ref"        // a turn, an effect or an observation does not exist, or the turn was not shown
	QuoteNotFound     Code = "quote_not_found"    // a quote is no part of the user turn that it is said to be of
	QuoteTooThin      Code = "quote_too_thin"     // a quote of one word that is not about the action, or for no effect
	NoConsent         Code = "no_consent"         // allow, and no authorization
	OverBoundary      Code = "boundary"           // an effect that the user forbade
	UncoveredEffect   Code = "uncovered"          // at high risk, an effect without a quote, or that no word of the user names
	ImpliedHigh       Code = "implied_high"       // at high risk, authorization that is only implied
	UnresolvedTarget  Code = "unresolved_target"  // at high risk, a target that is not known
	SelfContradiction Code = "self_contradiction" // allow, with a failure mode
	Stale             Code = "stale"              // what the call would touch has changed since
)

// Now is what is known after the answer.
type Now struct {
	Denied   bool   // the contract blocks the call now
	Affected string // Case.Affected, computed again
}

// checks are all checks in their order. Each reports whether it fails.
var checks = []struct {
	code  Code
	fails func(c *Case, o *Opinion, now Now) bool
}{
	{HardDeny, func(_ *Case, _ *Opinion, now Now) bool { return now.Denied }},
	{NonceEcho, func(_ *Case, o *Opinion, _ Now) bool { return o.Echoed }},
	{UnknownRef, unknownRef},
	{QuoteNotFound, quoteNotFound},
	{QuoteTooThin, quoteTooThin},
	{NoConsent, noConsent},
	{OverBoundary, overBoundary},
	{UncoveredEffect, uncoveredEffect},
	{ImpliedHigh, func(_ *Case, o *Opinion, _ Now) bool { return o.Risk.AtLeastHigh() && o.Authorization == Implied }},
	{UnresolvedTarget, unresolvedTarget},
	{SelfContradiction, func(_ *Case, o *Opinion, _ Now) bool { return allows(o) && o.FailureMode != NoFailure }},
	{Stale, func(c *Case, _ *Opinion, now Now) bool { return now.Affected != c.Affected }},
}

// Check holds an opinion against its case and raises its risk to that of the
// effects. An allow that fails a check is a block; one that fails implied_high
// alone is unsure. No other verdict changes.
func Check(c Case, o Opinion, now Now) Opinion {
	o.Raw, o.Failed = o.Verdict, nil
	if o.Verdict == authz.NoVerdict || o.Verdict > authz.OpinionAllow || o.NoVerdict != "" {
		o.Verdict = authz.NoVerdict
		if o.NoVerdict == "" {
			o.NoVerdict = Internal
		}
		return o
	}
	o.Risk = min(o.Risk, c.Floor())
	for _, check := range checks {
		if check.fails(&c, &o, now) {
			o.Failed = append(o.Failed, check.code)
		}
	}
	switch {
	case !allows(&o) || len(o.Failed) == 0:
	case len(o.Failed) == 1 && o.Failed[0] == ImpliedHigh:
		o.Verdict = authz.OpinionUnsure
	default:
		o.Verdict = authz.OpinionBlock
	}
	return o
}

func allows(o *Opinion) bool { return o.Verdict == authz.OpinionAllow }

func unknownRef(c *Case, o *Opinion, _ Now) bool {
	unknown := func(id string) bool { return c.effect(id) == nil }
	unseen := func(id string) bool {
		return !slices.ContainsFunc(c.Signals, func(s constraint.Signal) bool { return s.ID == id })
	}
	return slices.ContainsFunc(o.Signals, unseen) || slices.ContainsFunc(o.Spans, func(s Span) bool {
		return s.Turn < 1 || s.Turn > len(c.Turns) || o.Omitted.Has(s.Turn) || slices.ContainsFunc(s.Effects, unknown)
	})
}

func quoteNotFound(c *Case, o *Opinion, _ Now) bool {
	return slices.ContainsFunc(o.Spans, func(s Span) bool {
		return s.Turn >= 1 && s.Turn <= len(c.Turns) && (s.Quote == "" || !strings.Contains(c.Turns[s.Turn-1], normal(s.Quote)))
	})
}

// quoteTooThin fails for a quote that ties the user's words to nothing: for no
// effect, or of one word that no effect has in its target.
func quoteTooThin(c *Case, o *Opinion, _ Now) bool {
	return slices.ContainsFunc(o.Spans, func(s Span) bool {
		words := strings.Fields(s.Quote)
		if len(words) != 1 {
			return len(s.Effects) == 0
		}
		word := strings.ToLower(trimWord(words[0]))
		return len(s.Effects) == 0 || word == "" || !slices.ContainsFunc(c.Effects, func(e Effect) bool {
			return holdsWord(strings.ToLower(e.Target), word)
		})
	})
}

// holdsWord reports whether a text has a word that is no part of a longer one: any
// letter stands somewhere.
func holdsWord(text, word string) bool {
	within := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[to:])
		if !within(before) && !within(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[from:])
		at = from + size
	}
}

// noConsent fails where there is no word of the user at all, too.
func noConsent(c *Case, o *Opinion, _ Now) bool {
	known := o.Authorization == Explicit || o.Authorization == Implied
	return allows(o) && (!known || len(c.Turns) == 0 || o.Authorization == Explicit && len(o.Spans) == 0)
}

func overBoundary(c *Case, _ *Opinion, _ Now) bool {
	return slices.ContainsFunc(c.Effects, func(e Effect) bool { return c.forbidden(&e) })
}

// uncoveredEffect asks for a quote for each effect, and that the user named it.
// Those of low risk, such as looking at a file of the workspace, need neither.
func uncoveredEffect(c *Case, o *Opinion, _ Now) bool {
	covered := map[string]bool{}
	for _, s := range o.Spans {
		for _, id := range s.Effects {
			covered[id] = true
		}
	}
	return o.Risk.AtLeastHigh() && (len(o.Uncovered) > 0 || len(c.Effects) == 0 || len(c.Unnamed()) > 0 ||
		slices.ContainsFunc(c.Effects, func(e Effect) bool { return e.Risk() != Low && !covered[e.ID] }))
}

func unresolvedTarget(c *Case, o *Opinion, _ Now) bool {
	return o.Risk.AtLeastHigh() && slices.ContainsFunc(c.Effects, func(e Effect) bool { return e.Unresolved })
}
