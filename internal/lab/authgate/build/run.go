package build

import (
	"context"
	"errors"
	"fmt"
)

// Generator writes what it is asked for. It is asked by several at a time, and tries
// again by itself where a call is lost on the way.
type Generator interface {
	// Ask returns an answer, a refusal among them. An error of type [*LostError] is a
	// call that came to nothing, which a later run makes again; any other ends the run.
	Ask(ctx context.Context, c Call) (Answer, error)
}

// LostError is a call that was lost on the way, which is no answer. It may have cost
// money all the same.
type LostError struct {
	Code string
	Cost string // in dollars, a decimal; "" is not known
}

func (e *LostError) Error() string { return "no answer: " + e.Code }

// Options say how a run goes.
type Options struct {
	Workers  int // how many calls are made at a time
	Budget   Budget
	Progress func(Progress) // called after each record, by one at a time; may be nil
}

// Progress says how far a build is.
type Progress struct {
	Done int // calls that were answered
	New  int // of these now
	Left int // at least so many are left, if no answer is refused
}

// Outcome is how a run ended.
type Outcome struct {
	Progress
	Stopped string // which budget ended it; "" = none
	Lost    int    // calls without an answer, which the next run makes again
}

// Run asks a generator all that is left to be asked. What was answered when it returns
// is recorded, whatever the error.
func (b *Build) Run(ctx context.Context, g Generator, o Options) (Outcome, error) {
	r := &running{Build: b, g: g, o: o, flying: map[string]bool{}, lost: map[string]bool{}, replies: make(chan reply, max(1, o.Workers))}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := r.loop(ctx)
	return Outcome{b.progress(r.new), r.stopped, len(r.lost)}, err
}

// running is a run of a build. One goroutine has all of it; others only ask.
type running struct {
	*Build
	g       Generator
	o       Options
	flying  map[string]bool // calls under way, by key
	lost    map[string]bool // calls that this run does not make again
	replies chan reply
	new     int
	stopped string
}

type reply struct {
	call *Call
	Answer
	err error
}

// loop sends what is due and takes up what comes, until nothing is left of both. After
// an error nothing more is sent, but what is under way is still taken up.
func (r *running) loop(ctx context.Context) (err error) {
	for {
		if err == nil {
			err = r.send(ctx)
		}
		if len(r.flying) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
		case got := <-r.replies:
			if ctx.Err() == nil {
				delete(r.flying, got.call.Key)
				err = errors.Join(err, r.take(got))
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// send makes calls that are due until enough are under way.
func (r *running) send(ctx context.Context) error {
	for _, c := range r.m.calls() {
		if len(r.flying) >= cap(r.replies) || ctx.Err() != nil {
			break
		}
		if r.flying[c.Key] || r.lost[c.Key] {
			continue
		}
		if _, known := r.sent[c.Key]; !known { // else a run that was killed has recorded it
			if r.stopped = r.over(r.o.Budget, 1); r.stopped != "" {
				break
			}
			prompt, err := r.j.keep(asJSON([]string{c.System, c.User}))
			if err != nil {
				return err
			}
			if err := r.record(record{Sent: []sent{{c.Key, c.Stage, c.Draft, c.Round, prompt}}}); err != nil {
				return err
			}
			if r.tell(); ctx.Err() != nil {
				break
			}
		}
		r.flying[c.Key] = true
		go func() {
			a, err := r.g.Ask(ctx, *c)
			r.replies <- reply{c, a, err} // there is room for all that are under way
		}()
	}
	return ctx.Err()
}

// take records what came of a call.
func (r *running) take(got reply) (err error) {
	gone, isLost := errors.AsType[*LostError](got.err)
	switch {
	case isLost:
		r.lost[got.call.Key] = true
		err = r.record(record{Lost: &lost{Key: got.call.Key, Code: gone.Code, Cost: gone.Cost}})
	case got.err != nil:
		return fmt.Errorf("asking for %s: %w", got.call.Draft, got.err)
	default:
		r.new++
		err = r.answered(got.call.Key, got.Answer, nil)
	}
	if err == nil {
		r.tell()
	}
	return err
}

func (r *running) tell() {
	if r.o.Progress != nil {
		r.o.Progress(r.progress(r.new))
	}
}

// progress says how far a build is, with so many new answers.
func (b *Build) progress(news int) Progress {
	p := Progress{New: news}
	for _, c := range b.m.counts {
		p.Done += c.Calls
	}
	for _, s := range b.m.slots {
		p.Left += s.left()
	}
	return p
}

// left is how many calls a slot needs at least.
func (s *slot) left() (n int) {
	switch {
	case s.short || s.signals != nil:
		return 0
	case s.base == nil:
		n = 3
	case s.inverted == nil:
		n = 2
	default:
		n = 1
	}
	if s.NearMiss != "" && !s.tried {
		n++
	}
	return n
}
