package run

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// job is a cell that is ready to be played, once.
type job struct {
	id     string // of the run
	bench  Bench
	play   *play
	prompt string
}

// jobs prepares cells. Cells that are the same run are one job.
func (b Bench) jobs(cells []Cell) ([]*job, error) {
	var all []*job
	seen := map[string]bool{}
	for _, c := range cells {
		p, prompt, err := b.prepare(c)
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", c.Task.ID, c.Seed, err)
		}
		id, err := trace.RunID(p.start)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			all = append(all, &job{id, b, p, prompt})
		}
	}
	return all, nil
}

// run plays the job into a set, unless it has the run.
func (j *job) run(ctx context.Context, s *Set) (out Outcome, ran bool, err error) {
	if l, done := s.line(j.id); done {
		out, err = ended(s.folder(j.id), l)
	} else {
		ran = true
		err = s.make(j.id, func(folder string) (Line, error) {
			out, err = j.bench.into(ctx, j.play, j.prompt, folder)
			return Line{out.Run, out.TraceHead, out.GateHead}, err
		})
	}
	if err != nil {
		return out, false, fmt.Errorf("%s, seed %d: %w", j.play.start.Task, j.play.start.Seed, err)
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
	jobs, err := b.jobs(cells)
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
