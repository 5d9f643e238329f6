package cases

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Status says what came of a case. The zero Status is a failure.
type Status uint8

// The statuses.
const (
	Wrong       Status = iota // an answer was not the expected one
	Broken                    // the case could not be played: it, or the door, is at fault
	Unsupported               // the door cannot do a step
	Passed
)

var statusNames = [...]string{Wrong: "wrong", Broken: "broken", Unsupported: "not expressible", Passed: "passed"}

// String returns the status as reports show it.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return statusNames[Wrong]
}

// Result is what came of one case.
type Result struct {
	Suite   *Suite
	Case    *Case
	Status  Status
	Step    int      // index of the step that decided, of one that did not pass
	Round   int      // which of its repetitions, from 1, if it is a Call
	Want    Expect   // of that step, if Wrong
	Got     Answer   // to that step, if Wrong
	Err     error    // why, if Broken or Unsupported
	Answers []Answer // to all calls that were made, in order
	Took    time.Duration
}

// Options of Run. The zero Options play all cases on as many processors as
// there are.
type Options struct {
	Parallel int                          // cases at a time; 0 = one per processor
	Progress func(done, all int)          // called after each case, never twice at once
	Select   func(*Suite, *Case) bool     // which cases to play; nil = all
	Change   func([]byte) ([]byte, error) // changes every contract's text before a door sees it; nil = it stays
	Whole    bool                         // go on after a wrong answer, so that there is one to every call
}

// Run plays cases and returns their results in the order of the suites,
// whatever the order in which they end. The error is that of ctx.
func Run(ctx context.Context, door Door, suites []*Suite, o Options) ([]Result, error) {
	var results []Result
	for _, s := range suites {
		for i := range s.Cases {
			if o.Select == nil || o.Select(s, &s.Cases[i]) {
				results = append(results, Result{Suite: s, Case: &s.Cases[i]})
			}
		}
	}
	next := make(chan *Result)
	var workers sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(cmp.Or(o.Parallel, runtime.GOMAXPROCS(0)), len(results)) {
		workers.Go(func() {
			for r := range next {
				*r = Play(ctx, door, r.Suite, r.Case, o)
				mu.Lock()
				done++
				if o.Progress != nil {
					o.Progress(done, len(results))
				}
				mu.Unlock()
			}
		})
	}
	for i := range results {
		if ctx.Err() != nil {
			break
		}
		next <- &results[i]
	}
	close(next)
	workers.Wait()
	return results, ctx.Err()
}

// Play plays one case of a suite. Of the options only Change and Whole count.
func Play(ctx context.Context, door Door, s *Suite, c *Case, o Options) Result {
	r := Result{Suite: s, Case: c}
	start := time.Now()
	r.play(ctx, door, o)
	r.Took = time.Since(start)
	return r
}

// play plays one case in a world of its own.
func (r *Result) play(ctx context.Context, door Door, o Options) {
	r.Err = r.inWorld(ctx, door, o)
	switch {
	case r.Err == nil:
	case errors.As(r.Err, new(Inexpressible)):
		r.Status = Unsupported
	default:
		r.Status = Broken
	}
}

// inWorld makes the world of a case and plays the steps in it.
func (r *Result) inWorld(ctx context.Context, door Door, o Options) (err error) {
	w, err := newWorld(r.Case.Files)
	if err != nil {
		return fmt.Errorf("making the files of the case: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	p := player{Result: r, world: w, change: o.Change, whole: o.Whole, text: r.Suite.Contract.Text}
	text, err := p.changed(p.text)
	if err != nil {
		return err
	}
	p.session, err = door.Open(ctx, Setup{Contract: r.Suite.Contract.With(text), Places: w.places, Path: w.paths.Replace(r.Case.Path)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.session.Close()) }()
	return p.steps(ctx)
}

// player plays the steps of one case.
type player struct {
	*Result
	world   *world
	session Session
	change  func([]byte) ([]byte, error)
	whole   bool
	text    []byte // of the contract, as the case has it now
	ticket  string // of the last held call
}

// changed returns a contract's text as doors get it.
func (p *player) changed(text []byte) ([]byte, error) {
	if p.change == nil {
		return text, nil
	}
	return p.change(text)
}

// steps plays every step until one has another answer than expected, or all.
func (p *player) steps(ctx context.Context) error {
	p.Status = Passed
	for i, step := range p.Case.Steps {
		p.Step = i
		c, isCall := step.Act.(Call)
		if !isCall {
			if err := p.do(ctx, step.Act); err != nil {
				return err
			}
			continue
		}
		for round := range max(1, step.Repeat) {
			p.Round = round + 1
			a, err := p.call(ctx, c)
			if err != nil {
				return err
			}
			if step.Expect.Meets(a) {
				continue
			}
			p.Status, p.Want, p.Got = Wrong, step.Expect, a
			if !p.whole {
				return nil
			}
		}
	}
	return nil
}

// call makes one call.
func (p *player) call(ctx context.Context, c Call) (Answer, error) {
	c = p.world.call(c)
	if c.Approval == LastTicket {
		if p.ticket == "" {
			return Answer{}, errors.New("no call was held before: there is no last ticket")
		}
		c.Approval = p.ticket
	}
	a, err := p.session.Call(ctx, c)
	if err != nil {
		return a, err
	}
	if a.Ticket != "" {
		p.ticket = a.Ticket
	}
	for i := range a.Reasons {
		a.Reasons[i].Detail = p.world.names.Replace(a.Reasons[i].Detail)
	}
	p.Answers = append(p.Answers, a)
	return a, nil
}

// do lets happen what is no call, once it is complete.
func (p *player) do(ctx context.Context, act Act) error {
	switch a := act.(type) {
	case Answered:
		if p.ticket == "" {
			return errors.New("no call was held before: there is nothing to answer")
		}
		a.Ticket = p.ticket
		act = a
	case TurnedAway:
		if p.ticket == "" {
			return errors.New("no call was held before: there is nothing to answer")
		}
		a.Ticket = p.ticket
		act = a
	case ContractEdit:
		if n := bytes.Count(p.text, []byte(a.Replace)); a.Replace == "" || n != 1 {
			return fmt.Errorf("%q occurs %d times in the contract, not once", a.Replace, n)
		}
		p.text = bytes.Replace(p.text, []byte(a.Replace), []byte(a.With), 1)
		var err error
		if a.Text, err = p.changed(p.text); err != nil {
			return err
		}
		act = a
	case DefinitionEdit:
		var err error
		if a.Definition, err = p.definition(a); err != nil {
			return err
		}
		act = a
	}
	return p.session.Do(ctx, act)
}

// definition returns the whole live definition after an edit of the approved
// one.
func (p *player) definition(a DefinitionEdit) (toolcall.Value, error) {
	c, err := p.Suite.Contract.Load()
	if err != nil {
		return toolcall.Value{}, err
	}
	known, ok := c.Catalog(a.Server)
	if !ok {
		return toolcall.Value{}, fmt.Errorf("the contract has no server %q", a.Server)
	}
	tool, ok := known.Approved.Tool(a.Tool)
	if !ok {
		return toolcall.Value{}, fmt.Errorf("%s has no tool %q", known.File, a.Tool)
	}
	var members []toolcall.Member
	for i := range tool.Raw.Len() {
		if name, value := tool.Raw.Member(i); a.Set.Get(name).Kind() == toolcall.Absent {
			members = append(members, toolcall.Member{Name: name, Value: value})
		}
	}
	for i := range a.Set.Len() {
		name, value := a.Set.Member(i)
		members = append(members, toolcall.Member{Name: name, Value: value})
	}
	return toolcall.ObjectOf(members...), nil
}
