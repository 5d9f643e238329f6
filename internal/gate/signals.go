package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Collect looks at the environment of a call, as [signals.Collect] does.
type Collect func(context.Context, signals.Input) signals.Report

// collectorsOf returns the collectors that questions are about.
func collectorsOf(all []constraint.Question) (names []string) {
	for _, q := range all {
		if q.Signal != nil {
			names = append(names, q.Signal.Collector)
		}
	}
	return names
}

// collect runs the collectors that the call triggers, and those that are wanted.
// What they saw stands in the record of the call.
func (g *Gate) collect(ctx context.Context, r *request, answers constraint.Answers, want []string) (signals.Report, error) {
	if g.o.Signals == nil {
		return signals.Report{}, nil
	}
	session, err := g.sessionOf(ctx, r)
	if err != nil {
		return signals.Report{}, err
	}
	c, err := caseOf(r, answers)
	if err != nil {
		return signals.Report{}, err
	}
	seen := g.o.Signals(ctx, signals.Input{
		Action: actionOf(r, answers), Effects: c.Effects, Session: session, Want: want, Now: g.o.Now(),
	})
	r.signals = &seen
	return seen, nil
}

// signal gives a case what collectors see, if the clauses of the rule have not had
// them look already.
func (g *Gate) signal(ctx context.Context, r *request, answers constraint.Answers, c *judge.Case) error {
	if c.Signals = answers.Signals; c.Signals != nil {
		return nil
	}
	seen, err := g.collect(ctx, r, answers, nil)
	c.Signals = seen.Signals
	return err
}

// madeMark is the argument of the marks that name files which a call was granted to
// make. No path of an argument is written so.
const madeMark = "$made"

// maxMade bounds the files of one call that its session is taken to have made.
const maxMade = 100

// sessionOf returns what the store knows of the session of a call: which files its
// granted calls were to make.
func (g *Gate) sessionOf(ctx context.Context, r *request) (signals.Session, error) {
	if r.ask.Session == "" {
		return signals.Session{}, nil
	}
	marks, err := g.o.Store.Marks(ctx, r.ask.Session)
	if err != nil {
		return signals.Session{}, fmt.Errorf("reading session %s: %w", r.ask.Session, err)
	}
	made := map[string]bool{}
	for _, m := range marks {
		if m.Argument == madeMark {
			made[m.Digest] = true
		}
	}
	return signals.Session{Known: true, Made: func(file string) bool {
		digests, err := g.digestsOf(context.WithoutCancel(ctx), []string{file})
		return err == nil && made[digests[0]]
	}}, nil
}

// madeMarks returns the marks of files that are not there now and that the call
// would make.
func (g *Gate) madeMarks(ctx context.Context, r *request) ([]ledger.Mark, error) {
	var files []string
	for _, key := range slices.Sorted(maps.Keys(r.asked.answers.Shell)) {
		files = append(files, signals.Makes(r.asked.answers.Shell[key])...)
	}
	if len(files) == 0 {
		return nil, nil
	}
	digests, err := g.digestsOf(ctx, files[:min(len(files), maxMade)])
	if err != nil {
		return nil, err
	}
	c := r.ask.Call
	var marks []ledger.Mark
	for _, d := range digests {
		marks = append(marks, ledger.Mark{Session: r.ask.Session, Server: c.Server, Tool: c.Tool, Argument: madeMark, Digest: d})
	}
	return marks, nil
}

// digestsOf returns the keyed digests of names of files.
func (g *Gate) digestsOf(ctx context.Context, files []string) ([]string, error) {
	q := constraint.Question{Key: "files", Digest: &constraint.DigestQuestion{}}
	for _, f := range files {
		q.Digest.Values = append(q.Digest.Values, toolcall.StringOf(f))
	}
	answers, err := facts.Answer(ctx, facts.Input{Questions: []constraint.Question{q}, Key: g.o.Key})
	if err != nil {
		return nil, err
	}
	if digests := answers.Digests[q.Key]; len(digests) == len(files) {
		return digests, nil
	}
	return nil, fmt.Errorf("naming %d files: some have no digest", len(files))
}

// Seen returns the signals that the judge was shown, as records keep them; absent
// if there are none.
func (j *Judgement) Seen() toolcall.Value {
	if len(j.Case.Signals) == 0 {
		return toolcall.Value{}
	}
	return signalsKept(j.Case.Signals, true)
}

// signalsKept returns what collectors saw as records keep it (docs/spec/evidence.md,
// "signals"): all of it where names may stand in the record, and if that is not
// too large.
func signalsKept(seen []constraint.Signal, open bool) toolcall.Value {
	o := object{}
	o.text("digest", signals.Digest(seen))
	list := make([]toolcall.Value, len(seen))
	for i, s := range seen {
		list[i] = s.Record()
	}
	whole := append(slices.Clip(o), toolcall.Member{Name: "observations", Value: toolcall.ArrayOf(list...)})
	if open && len(whole.canonical()) <= maxKept {
		return toolcall.ObjectOf(whole...)
	}
	return toolcall.ObjectOf(o...)
}
