package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// timed is what an engine took for the same calls in every round.
type timed struct {
	engine engine
	calls  []request
	cpu    []time.Duration // for one decision, by round
	allocs float64         // objects for one decision
}

// best returns the shortest round: other load can only add.
func (t *timed) best() time.Duration { return slices.Min(t.cpu) }

// median returns the round in the middle.
func (t *timed) median() time.Duration {
	return slices.Sorted(slices.Values(t.cpu))[len(t.cpu)/2]
}

// interleave lets the engines take turns, so that a busy moment of the machine
// meets all of them. Each has that long in a round.
func interleave(all []*timed, rounds int, each time.Duration) error {
	for range rounds {
		for _, t := range all {
			if err := t.round(each); err != nil {
				return fmt.Errorf("%s: %w", t.engine.name, err)
			}
		}
	}
	return nil
}

// round decides all calls again and again. Time is that of the processors,
// which counts a garbage collection on another one, and none of what other
// programs take.
func (t *timed) round(each time.Duration) error {
	runtime.GC() // what others left behind is not on this account
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin, err := processorTime()
	if err != nil {
		return err
	}
	decisions := 0
	for end := time.Now().Add(each); time.Now().Before(end); decisions += len(t.calls) {
		for _, r := range t.calls {
			if _, err := t.engine.decide(r); err != nil {
				return err
			}
		}
	}
	end, err := processorTime()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	t.cpu = append(t.cpu, (end-begin)/time.Duration(decisions))
	t.allocs = float64(after.Mallocs-before.Mallocs) / float64(decisions)
	return nil
}

// processorTime returns what this process has used up of all processors.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// agree returns an error unless every engine gives every call the expected
// answer: what is fast and wrong is not compared.
func agree(all []*timed) error {
	var problems []error
	for _, t := range all {
		for i, r := range t.calls {
			want := r.want
			if want == held && !t.engine.holds {
				want = blocked
			}
			got, err := t.engine.decide(r)
			switch {
			case err != nil:
				problems = append(problems, fmt.Errorf("%s, call %d: %w", t.engine.name, i, err))
			case got != want:
				problems = append(problems, fmt.Errorf("%s, call %d: %s, expected %s: %s", t.engine.name, i, got, want, r.message))
			}
		}
	}
	return errors.Join(problems...)
}
