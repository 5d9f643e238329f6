package run

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Job is one run that is to be made.
type Job struct {
	ID    string // of the run
	bench Bench
	cell  Cell
}

// Jobs returns the runs that cells are, each once.
func (b Bench) Jobs(cells []Cell) ([]Job, error) {
	var all []Job
	seen := map[string]bool{}
	for _, c := range cells {
		j := Job{bench: b, cell: c}
		p, _, err := b.prepare(c)
		if err == nil {
			j.ID, err = trace.RunID(p.start)
		}
		if err != nil {
			return nil, j.failed(err)
		}
		if !seen[j.ID] {
			seen[j.ID] = true
			all = append(all, j)
		}
	}
	return all, nil
}

// failed says of which run an error is.
func (j Job) failed(err error) error {
	return fmt.Errorf("%s, seed %d: %w", j.cell.Task.ID, j.cell.Seed, err)
}

// play makes the run, in a folder of its own.
func (j Job) play(ctx context.Context, folder string) (Outcome, error) {
	p, prompt, err := j.bench.prepare(j.cell)
	if err != nil {
		return Outcome{}, err
	}
	return j.bench.into(ctx, p, prompt, folder)
}

// run makes the run in a set, unless that has it.
func (j Job) run(ctx context.Context, s *Set) (out Outcome, ran bool, err error) {
	if l, done := s.line(j.ID); done {
		out, err = ended(s.folder(j.ID), l)
	} else {
		ran = true
		err = s.make(j.ID, func(folder string) (Line, error) {
			out, err = j.play(ctx, folder)
			return Line{out.Run, out.TraceHead, out.GateHead}, err
		})
	}
	if err != nil {
		return out, false, j.failed(err)
	}
	return out, ran, nil
}

// Progress tells how far the cells are.
type Progress struct {
	Done, All int
	New       int // played now; the others were there
}

// Play plays cells into a set, workers at a time, and tells of each as it ends. Those
// that the set has are not played again, and one that stands twice is played once.
// After an error no cell is begun; those under way are played to their end, unless
// ctx has ended: of such a run nothing is left.
func (b Bench) Play(ctx context.Context, s *Set, cells []Cell, workers int, told func(Progress, Outcome)) error {
	jobs, err := b.Jobs(cells)
	if err != nil {
		return err
	}
	p := Progress{All: len(jobs)}
	var lock sync.Mutex
	return each(len(jobs), workers, func(i int) error {
		out, ran, err := jobs[i].run(ctx, s)
		if err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		p.Done++
		if ran {
			p.New++
		}
		told(p, out)
		return nil
	})
}

// each does something for all numbers below n, workers at a time. After an error
// nothing new is begun.
func each(n, workers int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && !failed.Load(); i = int(next.Add(1)) - 1 {
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}
