package baseline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/corpus"
	"github.com/licet-dev/licet/internal/lab/doors"
	"github.com/licet-dev/licet/internal/toolcall"
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
	a := asker{o.Rounds, map[string]translation{}}
	for i, row := range played.Rows {
		if o.Progress != nil {
			o.Progress(i, len(entries))
		}
		if row.Status == corpus.Waiting || row.Status == corpus.Inexpressible || row.Status == corpus.Broken {
			result.LeftOut = append(result.LeftOut, row)
			continue
		}
		outcome, err := a.ask(ctx, entries[i], row)
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

// asker puts cases to all.
type asker struct {
	rounds int
	known  map[string]translation // made before, by language and contract
}

// ask puts one case to all.
func (a asker) ask(ctx context.Context, e corpus.Entry, row corpus.Row) (Outcome, error) {
	o := Outcome{
		ID: e.ID, Surface: e.Surface, Why: e.Suite.Cases[0].Why, Expected: e.Expected,
		Attack: e.Expected == authz.Block, Licet: Given{Verdict: row.Got, Strict: row.Got},
	}
	var err error
	if o.Licet.Took, err = timeGate(ctx, e.Suite, a.rounds); err != nil {
		return o, err
	}
	call, source, now := lastCall(e.Suite)
	contract, err := load(source)
	if err != nil {
		return o, err
	}
	if call, err = place(call); err != nil {
		return o, err
	}
	for _, l := range Languages() {
		g, err := a.put(l, contract, call, now)
		if err != nil {
			return o, err
		}
		if word, stateful := beyond[row.Code]; stateful && !l.byName && row.Got == e.Expected {
			g.Unsaid = append(g.Unsaid, word)
		}
		o.Baselines = append(o.Baselines, g)
	}
	return o, nil
}

// load returns the contract, nil if it is refused.
func load(s cases.Source) (*contract.Contract, error) {
	c, err := s.Load()
	if problems := (contract.Problems)(nil); errors.As(err, &problems) {
		return nil, nil
	}
	return c, err
}

// places are where files lie for baselines: they read no disk, so any will do.
var places = constraint.Places{Workspace: "/case/workspace", Home: "/case/home", Tmp: "/case/tmp"}

// placed writes the places into what a case wrote.
var placed = strings.NewReplacer("${workspace}", places.Workspace, "${home}", places.Home, "${tmp}", places.Tmp)

// place returns a call with the places in it.
func place(c cases.Call) (cases.Call, error) {
	c.Cwd = placed.Replace(c.Cwd)
	if c.Raw != nil {
		c.Raw = []byte(placed.Replace(string(c.Raw)))
		return c, nil
	}
	if c.Arguments.Kind() == toolcall.Absent {
		return c, nil
	}
	var err error
	c.Arguments, err = toolcall.Parse([]byte(placed.Replace(c.Arguments.Canonical())), toolcall.Bounds{})
	return c, err
}

// put puts a call to one baseline under a contract, nil for one that is refused.
func (a asker) put(l Language, c *contract.Contract, call cases.Call, now time.Time) (g Given, err error) {
	if c == nil {
		return Given{Unsaid: []string{"loading"}}, nil
	}
	key := l.Name + " " + c.Digest()
	t, made := a.known[key]
	if !made {
		if t, err = l.translate(c, places); err != nil {
			return g, err
		}
		a.known[key] = t
	}
	subject := ""
	for round := range max(1, a.rounds) {
		start := time.Now()
		r, err := read(call, now)
		g.Verdict, g.Err = authz.Block, ""
		if err == nil {
			g.Verdict, err = strictest(t.lax, r)
		}
		if took := time.Since(start); a.rounds > 0 && (round == 0 || took < g.Took) {
			g.Took = took
		}
		g.Strict, subject = g.Verdict, r.subject
		if err != nil {
			g.Err = err.Error()
			return g, nil
		}
	}
	r, err := read(call, now)
	if err != nil {
		return g, err // it was read before
	}
	if g.Strict, err = strictest(t.strict, r); err != nil {
		g.Err = err.Error()
	}
	if g.Strict != g.Verdict {
		g.Unsaid = t.unsaid(call.Agent, subject)
	}
	return g, nil
}

// lastCall returns the last call of a case, the contract as it is by then, and
// the time.
func lastCall(s *cases.Suite) (call cases.Call, source cases.Source, at time.Time) {
	source, at = s.Contract, cases.Begin
	text := string(source.Text)
	for _, step := range s.Cases[0].Steps {
		switch a := step.Act.(type) {
		case cases.Call:
			call = a
		case cases.Wait:
			at = at.Add(a.For)
		case cases.ContractEdit:
			text = strings.Replace(text, a.Replace, a.With, 1)
		}
	}
	source.Text = []byte(text)
	return call, source, at
}

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
