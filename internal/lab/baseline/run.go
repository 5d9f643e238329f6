package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/corpus"
	"github.com/licet-dev/licet/internal/lab/doors"
)

// Given is the answer to one case.
type Given struct {
	Verdict authz.Verdict
	Strict  authz.Verdict // with what the language cannot say refusing; else it is left out
	Unsaid  []string      // words that the case turns on and the language cannot say; empty = the verdict counts
	Took    time.Duration // the shortest of all rounds; 0 = not measured
	Err     string        // why the call was refused, if it was an error
}

// Counts reports whether the verdict is the answer of the language.
func (g Given) Counts() bool { return len(g.Unsaid) == 0 }

// Outcome is what came of one case.
type Outcome struct {
	ID, Surface, Why string
	Attack           bool // it must not happen; else it is honest work
	Expected         authz.Verdict
	Licet            Given
	Baselines        []Given // as Languages
}

// Result is what came of a corpus.
type Result struct {
	Outcomes []Outcome
	LeftOut  []corpus.Row // cases that the gate alone cannot play, in which there is nothing to compare
}

// Options of Run.
type Options struct {
	Rounds   int                 // how often each decision is timed; 0 = no time is measured
	Progress func(done, all int) // may be nil
}

// Run asks licet and every baseline about every case of a corpus. licet plays the
// whole case, on the door without a wire. A baseline is asked about the last call
// alone, under the contract as it is then: it keeps nothing between calls.
func Run(ctx context.Context, c *corpus.Corpus, o Options) (*Result, error) {
	played, err := c.Run(ctx, doors.Core{})
	if err != nil {
		return nil, err
	}
	result := &Result{}
	entries := c.Entries()
	known := map[string]*translation{}
	for i, row := range played.Rows {
		if o.Progress != nil {
			o.Progress(i, len(entries))
		}
		if row.Status == corpus.Waiting || row.Status == corpus.Inexpressible || row.Status == corpus.Broken {
			result.LeftOut = append(result.LeftOut, row)
			continue
		}
		outcome, err := ask(ctx, entries[i], row, o.Rounds, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.ID, err)
		}
		result.Outcomes = append(result.Outcomes, outcome)
	}
	if o.Progress != nil {
		o.Progress(len(entries), len(entries))
	}
	return result, nil
}

// ask puts one case to all.
func ask(ctx context.Context, e corpus.Entry, row corpus.Row, rounds int, known map[string]*translation) (Outcome, error) {
	o := Outcome{ID: e.ID, Surface: e.Surface, Why: e.Suite.Cases[0].Why, Expected: e.Expected,
		Attack: e.Expected == authz.Block, Licet: Given{Verdict: row.Got, Strict: row.Got}}
	var err error
	if o.Licet.Took, err = timeGate(ctx, e.Suite, rounds); err != nil {
		return o, err
	}
	for _, l := range Languages() {
		d := &door{language: l, rounds: rounds, known: known}
		if err := d.play(ctx, e.Suite); err != nil {
			return o, fmt.Errorf("%s: %w", l.Name, err)
		}
		if word, stateful := beyond[row.Code]; stateful && !l.byName && row.Got == e.Expected {
			d.given.Unsaid = append(d.given.Unsaid, word)
		}
		o.Baselines = append(o.Baselines, d.given)
	}
	return o, nil
}

// door asks one baseline.
type door struct {
	language Language
	rounds   int
	known    map[string]*translation // made before, by what they depend on
	now      time.Time
	given    Given
}

// play asks about the last call of a case.
func (d *door) play(ctx context.Context, s *cases.Suite) error {
	one, at := lastCall(s)
	d.now = at
	results, err := cases.Run(ctx, d, []*cases.Suite{one}, cases.Options{Parallel: 1})
	if err != nil {
		return err
	}
	if r := results[0]; r.Err != nil {
		return r.Err
	}
	return nil
}

// lastCall returns a case that is nothing but the last call of another, under
// the contract as it is by then, and the time of that call.
func lastCall(s *cases.Suite) (*cases.Suite, time.Time) {
	one, at, text := s.Cases[0], cases.Begin, string(s.Contract.Text)
	var call cases.Call
	for _, step := range one.Steps {
		switch a := step.Act.(type) {
		case cases.Call:
			call = a
		case cases.Wait:
			at = at.Add(a.For)
		case cases.ContractEdit:
			text = strings.Replace(text, a.Replace, a.With, 1)
		}
	}
	call.Approval = "" // no ticket was made for it
	one.Steps = []cases.Step{{Act: call, Repeat: 1}}
	alone := *s
	alone.Contract.Text = []byte(text)
	alone.Cases = []cases.Case{one}
	return &alone, at
}

// Open implements cases.Door: it translates the contract.
func (d *door) Open(_ context.Context, setup cases.Setup) (cases.Session, error) {
	c, err := setup.Contract.Load()
	if problems := (contract.Problems)(nil); errors.As(err, &problems) {
		return asking{door: d}, nil
	}
	if err != nil {
		return nil, err
	}
	key := d.language.Name + " " + c.Digest()
	if bytes.Contains(setup.Contract.Text, []byte("${")) {
		key += " " + setup.Places.Workspace
	}
	t := d.known[key]
	if t == nil {
		made, err := d.language.translate(c, setup.Places)
		if err != nil {
			return nil, err
		}
		t = &made
		d.known[key] = t
	}
	return asking{d, t, setup.Places.Workspace}, nil
}

// asking is a session: one call.
type asking struct {
	*door
	translation *translation // nil if there is no contract to translate
	workspace   string
}

// Call implements cases.Session.
func (a asking) Call(_ context.Context, c cases.Call) (cases.Answer, error) {
	if a.translation == nil {
		a.given = Given{Unsaid: []string{"loading"}}
		return cases.Answer{}, nil
	}
	subject := ""
	for round := range max(1, a.rounds) {
		start := time.Now()
		r, err := read(c, a.workspace, a.now)
		verdict := authz.Block
		if err == nil {
			verdict, err = strictest(a.translation.lax, r)
		}
		if took := time.Since(start); a.rounds > 0 && (round == 0 || took < a.given.Took) {
			a.given.Took = took
		}
		a.given.Verdict, a.given.Strict, subject = verdict, verdict, r.subject
		if err != nil {
			a.given.Err = err.Error()
			return cases.Answer{}, nil
		}
	}
	r, err := read(c, a.workspace, a.now)
	if err == nil {
		a.given.Strict, err = strictest(a.translation.strict, r)
	}
	if a.given.Strict != a.given.Verdict {
		a.given.Unsaid = a.translation.unsaid(c.Agent, subject)
	}
	return cases.Answer{Verdict: a.given.Verdict}, err
}

// Do implements cases.Session.
func (a asking) Do(_ context.Context, act cases.Act) error {
	return fmt.Errorf("nothing but a call is put to a baseline, and this is %s", act.Word())
}

// Close implements cases.Session.
func (a asking) Close() error { return nil }

// timeGate returns how long the last call of a case takes in the gate without a
// wire, with its record in a store in memory: the shortest of all rounds.
func timeGate(ctx context.Context, s *cases.Suite, rounds int) (best time.Duration, err error) {
	for round := range rounds {
		t := &timed{Door: doors.Core{}}
		if _, err := cases.Run(ctx, t, []*cases.Suite{s}, cases.Options{Parallel: 1}); err != nil {
			return 0, err
		}
		if round == 0 || t.took < best {
			best = t.took
		}
	}
	return best, nil
}

// timed is a door that keeps how long the last call took.
type timed struct {
	cases.Door
	took time.Duration
}

func (t *timed) Open(ctx context.Context, setup cases.Setup) (cases.Session, error) {
	s, err := t.Door.Open(ctx, setup)
	return timedSession{s, t}, err
}

type timedSession struct {
	cases.Session
	door *timed
}

func (s timedSession) Call(ctx context.Context, c cases.Call) (cases.Answer, error) {
	start := time.Now()
	defer func() { s.door.took = time.Since(start) }()
	return s.Session.Call(ctx, c)
}
