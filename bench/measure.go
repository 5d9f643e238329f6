package main

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// round is what one decision took, on average over a round.
type round struct {
	CPU    time.Duration
	Allocs float64 // objects
}

// measure decides all calls again and again, until that much time of the
// processors is used up: a garbage collection counts, what other programs take
// does not.
func measure(e engine, calls []request, each time.Duration) (round, error) {
	runtime.GC() // rounds begin alike
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin, err := processorTime()
	if err != nil {
		return round{}, err
	}
	decisions, end := 0, begin
	for end-begin < each {
		for _, r := range calls {
			if _, err := e.decide(r); err != nil {
				return round{}, err
			}
		}
		decisions += len(calls)
		if end, err = processorTime(); err != nil {
			return round{}, err
		}
	}
	runtime.ReadMemStats(&after)
	return round{(end - begin) / time.Duration(decisions), float64(after.Mallocs-before.Mallocs) / float64(decisions)}, nil
}

// processorTime returns what this process has used up of all processors.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// agree returns an error unless an engine gives every call the expected answer:
// what is fast and wrong is not compared.
func agree(e engine, calls []request) error {
	var problems []error
	for i, r := range calls {
		want := r.want
		if want == held && !e.holds {
			want = blocked
		}
		got, err := e.decide(r)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("%s, call %d: %w", e.name, i, err))
		case got != want:
			problems = append(problems, fmt.Errorf("%s, call %d: %s, expected %s: %s", e.name, i, got, want, r.message))
		}
	}
	return errors.Join(problems...)
}
