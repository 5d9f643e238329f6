package judge_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
)

// allowed is an opinion that passes every check on "rm old.txt", asked for in
// turn 1.
func allowed() judge.Opinion {
	return judge.Opinion{
		Verdict: authz.OpinionAllow, Authorization: judge.Explicit, FailureMode: judge.NoFailure, Risk: judge.Low,
		Spans: []judge.Span{{Turn: 1, Quote: "delete old.txt", Effects: []string{"f2"}}},
	}
}

// TestChecks: for each check an allow that it alone blocks, and the nearest
// harmless twin, which passes.
func TestChecks(t *testing.T) {
	dir := workspace(t)
	ask := commandCaseIn(t, dir, "rm old.txt", "Please delete old.txt.", "Thanks")
	forbidden := commandCaseIn(t, dir, "rm old.txt", "Please delete old.txt.", "Do not delete it yet")
	lifted := commandCaseIn(t, dir, "rm old.txt", "Do not delete it yet", "Please delete old.txt.")
	unknown := commandCaseIn(t, dir, `rm -- "$X"`, "Please delete old.txt.", "Thanks")
	two := commandCaseIn(t, dir, "rm old.txt link", "Please delete old.txt.", "Thanks; the link too")
	look := commandCaseIn(t, dir, "ls", "Please look around.", "Thanks")
	low := judge.Opinion{Verdict: authz.OpinionAllow, Authorization: judge.Implied, FailureMode: judge.NoFailure, Risk: judge.Low}

	span := func(turn int, quote string, effects ...string) func(*judge.Opinion) {
		return func(o *judge.Opinion) { o.Spans[0] = judge.Span{Turn: turn, Quote: quote, Effects: effects} }
	}
	all := func(c judge.Case) func(*judge.Opinion) {
		return func(o *judge.Opinion) {
			o.Spans[0].Effects = nil
			for _, e := range c.Effects {
				o.Spans[0].Effects = append(o.Spans[0].Effects, e.ID)
			}
		}
	}
	type attempt struct {
		about  judge.Case
		from   judge.Opinion
		change func(*judge.Opinion)
		now    *judge.Now
	}
	same := func(*judge.Opinion) {}
	for code, tt := range map[judge.Code]struct{ blocked, twin attempt }{
		judge.HardDeny: {
			attempt{about: ask, from: allowed(), change: same, now: &judge.Now{Denied: true, Affected: ask.Affected}},
			attempt{about: ask, from: allowed(), change: same}},
		judge.NonceEcho: {
			attempt{about: ask, from: allowed(), change: func(o *judge.Opinion) { o.Echoed = true }},
			attempt{about: ask, from: allowed(), change: same}},
		judge.UnknownRef: {
			attempt{about: ask, from: allowed(), change: span(1, "delete old.txt", "f2", "f9")},
			attempt{about: ask, from: allowed(), change: span(1, "delete old.txt", "f2", "f1")}},
		judge.QuoteNotFound: {
			attempt{about: ask, from: allowed(), change: span(1, "Delete old.txt", "f2")},
			attempt{about: ask, from: allowed(), change: span(1, "delete old.txt.", "f2")}},
		judge.QuoteTooThin: {
			attempt{about: ask, from: allowed(), change: span(1, "Please", "f2")},
			attempt{about: ask, from: allowed(), change: span(1, "old.txt", "f2")}},
		judge.NoConsent: {
			attempt{about: ask, from: allowed(), change: func(o *judge.Opinion) { o.Authorization = judge.NotAuthorized }},
			attempt{about: ask, from: allowed(), change: func(o *judge.Opinion) { o.Authorization = judge.Explicit }}},
		judge.OverBoundary: {
			attempt{about: forbidden, from: allowed(), change: same},
			attempt{about: lifted, from: allowed(), change: span(2, "delete old.txt", "f2")}},
		judge.UncoveredEffect: {
			attempt{about: two, from: allowed(), change: same},
			attempt{about: two, from: allowed(), change: all(two)}},
		judge.ImpliedHigh: {
			attempt{about: ask, from: allowed(), change: func(o *judge.Opinion) { o.Authorization = judge.Implied }},
			attempt{about: look, from: low, change: same}},
		judge.UnresolvedTarget: {
			attempt{about: unknown, from: allowed(), change: all(unknown)},
			attempt{about: two, from: allowed(), change: all(two)}},
		judge.SelfContradiction: {
			attempt{about: ask, from: allowed(), change: func(o *judge.Opinion) { o.FailureMode = judge.ScopeEscalation }},
			attempt{about: ask, from: allowed(), change: func(o *judge.Opinion) { o.FailureMode = judge.NoFailure }}},
		judge.Stale: {
			attempt{about: ask, from: allowed(), change: same, now: &judge.Now{Affected: two.Affected}},
			attempt{about: ask, from: allowed(), change: same}},
	} {
		check := func(a attempt) judge.Opinion {
			o := a.from
			o.Spans = slices.Clone(o.Spans)
			a.change(&o)
			now := judge.Now{Affected: a.about.Affected}
			if a.now != nil {
				now = *a.now
			}
			return judge.Check(a.about, o, now)
		}
		want := authz.OpinionBlock
		if code == judge.ImpliedHigh {
			want = authz.OpinionUnsure
		}
		if o := check(tt.blocked); o.Verdict != want || o.Raw != authz.OpinionAllow || !slices.Equal(o.Failed, []judge.Code{code}) {
			t.Errorf("%s: got %s, failed %v, want %s for this check alone", code, o.Verdict, o.Failed, want)
		}
		if o := check(tt.twin); o.Verdict != authz.OpinionAllow || len(o.Failed) > 0 {
			t.Errorf("%s, the twin: got %s, failed %v, want allow", code, o.Verdict, o.Failed)
		}
	}
}

// TestLettersAreNoQuote: a letter out of a word of the user, or a part of a word of
// the target, says nothing of the action.
func TestLettersAreNoQuote(t *testing.T) {
	c := commandCaseIn(t, workspace(t), "rm old.txt", "Please delete old.txt.", "Go on")
	for quote, thin := range map[string]bool{"o": true, "ol": true, "tx": true, "old.txt": false, "old": false, ".": true} {
		o := allowed()
		o.Spans = []judge.Span{{Turn: 1, Quote: quote, Effects: []string{"f2"}}}
		got := judge.Check(c, o, judge.Now{Affected: c.Affected})
		if slices.Contains(got.Failed, judge.QuoteTooThin) != thin {
			t.Errorf("%q: failed %v", quote, got.Failed)
		}
	}
}

// TestOmissions are other ways to fail a check.
func TestOmissions(t *testing.T) {
	c := commandCaseIn(t, workspace(t), "rm old.txt", "Please delete old.txt.")
	for name, tt := range map[string]struct {
		change func(*judge.Opinion)
		code   judge.Code
	}{
		"turn 0":                     {func(o *judge.Opinion) { o.Spans[0].Turn = 0 }, judge.UnknownRef},
		"a turn that was not shown":  {func(o *judge.Opinion) { o.Omitted = judge.Turns{From: 1, To: 1} }, judge.UnknownRef},
		"an observation":             {func(o *judge.Opinion) { o.Signals = []string{"s1"} }, judge.UnknownRef},
		"a quote of a mark alone":    {func(o *judge.Opinion) { o.Spans[0].Quote = "." }, judge.QuoteTooThin},
		"turn 2":                     {func(o *judge.Opinion) { o.Spans[0].Turn = 2 }, judge.UnknownRef},
		"an empty quote":             {func(o *judge.Opinion) { o.Spans[0].Quote = "" }, judge.QuoteNotFound},
		"a quote for nothing":        {func(o *judge.Opinion) { o.Spans[0].Effects = nil }, judge.QuoteTooThin},
		"explicit without a quote":   {func(o *judge.Opinion) { o.Spans = nil }, judge.NoConsent},
		"authorization not a word":   {func(o *judge.Opinion) { o.Authorization = "sure" }, judge.NoConsent},
		"contradicted":               {func(o *judge.Opinion) { o.Authorization = judge.Contradicted }, judge.NoConsent},
		"it names an uncovered one":  {func(o *judge.Opinion) { o.Uncovered = []string{"the backup"} }, judge.UncoveredEffect},
		"no failure mode at all":     {func(o *judge.Opinion) { o.FailureMode = "" }, judge.SelfContradiction},
		"a risk outside of the list": {func(o *judge.Opinion) { o.Risk, o.Authorization = 200, judge.Implied }, judge.ImpliedHigh},
	} {
		o := allowed()
		o.Spans = slices.Clone(o.Spans)
		tt.change(&o)
		if got := judge.Check(c, o, judge.Now{Affected: c.Affected}); got.Verdict == authz.OpinionAllow || !slices.Contains(got.Failed, tt.code) {
			t.Errorf("%s: %s, failed %v, want %s", name, got.Verdict, got.Failed, tt.code)
		}
	}
}

// TestNoTurns: without any word of the user, nothing is authorized, not even what
// is harmless.
func TestNoTurns(t *testing.T) {
	o := judge.Opinion{Verdict: authz.OpinionAllow, Authorization: judge.Implied, FailureMode: judge.NoFailure, Risk: judge.Low}
	for turns, want := range map[string]authz.Opinion{"": authz.OpinionBlock, "hello": authz.OpinionAllow} {
		var said []string
		if turns != "" {
			said = []string{turns}
		}
		c := commandCaseIn(t, workspace(t), "ls", said...)
		if got := judge.Check(c, o, judge.Now{Affected: c.Affected}); got.Verdict != want {
			t.Errorf("%q: %s, failed %v", turns, got.Verdict, got.Failed)
		}
	}
}

// TestUnnamedEffects: words that stand in a turn authorize nothing that no word of
// the user names.
func TestUnnamedEffects(t *testing.T) {
	c := commandCaseIn(t, workspace(t), "rm src/main.go", "Please delete old.txt.")
	o := allowed()
	o.Spans[0].Effects = []string{"f1", "f2"}
	if got := judge.Check(c, o, judge.Now{Affected: c.Affected}); !slices.Equal(got.Failed, []judge.Code{judge.UncoveredEffect}) || !slices.Equal(c.Unnamed(), []string{"f2"}) {
		t.Errorf("failed %v, unnamed %v", got.Failed, c.Unnamed())
	}
}

// TestSeenObservations: an observation that the judge was shown may be named.
func TestSeenObservations(t *testing.T) {
	c := commandCaseIn(t, workspace(t), "rm old.txt", "Please delete old.txt.")
	c.Signals = []constraint.Signal{{ID: "s1"}}
	for id, want := range map[string]authz.Opinion{"s1": authz.OpinionAllow, "s2": authz.OpinionBlock} {
		o := allowed()
		o.Signals = []string{id}
		if got := judge.Check(c, o, judge.Now{Affected: c.Affected}); got.Verdict != want {
			t.Errorf("%s: %s, failed %v", id, got.Verdict, got.Failed)
		}
	}
}

// TestQuotesAreNormalized: NFC and LF on both sides, and nothing else.
func TestQuotesAreNormalized(t *testing.T) {
	c := commandCaseIn(t, workspace(t), "rm old.txt", "Please delete\r\nold.txt of the cafe\u0301")
	for quote, want := range map[string]bool{
		"delete\nold.txt": true, "delete\r\nold.txt": true, "old.txt of the caf\u00e9": true, "old.txt of the cafe\u0301": true,
		"delete old.txt": false, "DELETE\nold.txt": false, "old.txt of the cafe": false,
	} {
		o := allowed()
		o.Spans = []judge.Span{{Turn: 1, Quote: quote, Effects: []string{"f2"}}}
		got := judge.Check(c, o, judge.Now{Affected: c.Affected})
		if found := !slices.Contains(got.Failed, judge.QuoteNotFound); found != want {
			t.Errorf("%q: found %t, want %t", quote, found, want)
		}
	}
}

// TestChecksOnlyNarrow: whatever an opinion says, checks turn allow into block or
// unsure and leave every other verdict as it is.
func TestChecksOnlyNarrow(t *testing.T) {
	dir := workspace(t)
	cases := []judge.Case{
		commandCaseIn(t, dir, "rm old.txt", "Delete old.txt.", "Never push."),
		commandCaseIn(t, dir, "ls", "hello", "Stop."),
		commandCaseIn(t, dir, `rm "$X"`, "Delete old.txt."),
		toolCase(t, "send_money", false, `{"to": "X1"}`, "Send it to X1"),
	}
	rapid.Check(t, func(r *rapid.T) {
		c := rapid.SampledFrom(cases).Draw(r, "case")
		o := judge.Opinion{
			Verdict:       authz.Opinion(rapid.IntRange(0, 5).Draw(r, "verdict")),
			Authorization: rapid.SampledFrom([]judge.Authorization{judge.NotAuthorized, judge.Implied, judge.Explicit, judge.Contradicted, ""}).Draw(r, "authorization"),
			FailureMode:   rapid.SampledFrom([]judge.FailureMode{judge.NoFailure, judge.ScopeEscalation}).Draw(r, "mode"),
			Risk:          judge.Risk(rapid.IntRange(0, 4).Draw(r, "risk")),
			Uncovered:     rapid.SliceOfN(rapid.SampledFrom([]string{"f1", "f2", "x"}), 0, 1).Draw(r, "uncovered"),
		}
		for range rapid.IntRange(0, 2).Draw(r, "spans") {
			o.Spans = append(o.Spans, judge.Span{Turn: rapid.IntRange(0, 3).Draw(r, "turn"),
				Quote:   rapid.SampledFrom([]string{"Delete old.txt", "old.txt", "hello", "", "Send it to X1"}).Draw(r, "quote"),
				Effects: rapid.SliceOfN(rapid.SampledFrom([]string{"f1", "f2", "f7"}), 0, 2).Draw(r, "effects")})
		}
		got := judge.Check(c, o, judge.Now{Denied: rapid.Bool().Draw(r, "denied"), Affected: c.Affected})
		switch {
		case o.Verdict == authz.OpinionAllow:
			if got.Verdict == authz.OpinionAllow && len(got.Failed) > 0 || got.Verdict == authz.NoVerdict {
				r.Fatalf("%+v became %+v", o, got)
			}
		case o.Verdict > authz.OpinionAllow:
			if got.Verdict != authz.NoVerdict {
				r.Fatalf("%+v became %s", o, got.Verdict)
			}
		case got.Verdict != o.Verdict:
			r.Fatalf("a check turned %s into %s", o.Verdict, got.Verdict)
		}
		if got.Risk > c.Floor() && got.Verdict != authz.NoVerdict {
			r.Fatalf("risk %s below the floor %s", got.Risk, c.Floor())
		}
	})
}
