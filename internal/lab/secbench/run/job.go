package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/licet-dev/licet/internal/lab/secbench/model"
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

// GiveUp is after how many runs in a row whose model was not reached no other one of
// that model is begun.
const GiveUp = 3

// Open is the error of a set of which some runs are not finished, as their models were
// not reached. Nothing is left of these: whoever plays the set again plays them.
type Open struct {
	Runs, All int
	Why       []string // of each that was begun; the others were given up
}

// Error counts them.
func (o *Open) Error() string {
	text := fmt.Sprintf("%d of %d runs are not finished, as their model was not reached", o.Runs, o.All)
	if rest := o.Runs - len(o.Why); rest > 0 {
		text += fmt.Sprintf(" (%d of them were not begun, after %d in a row)", rest, GiveUp)
	}
	return text + ": the same command plays them"
}

// Play plays cells into a set, workers at a time, and tells of each as it ends. Those
// that the set has are not played again, and one that stands twice is played once.
// After an error no cell is begun; those under way are played to their end, unless
// ctx has ended: of such a run nothing is left. Runs whose models are not reached keep
// no others from being played but some of their own model (GiveUp), and are an *Open.
func (b Bench) Play(ctx context.Context, s *Set, cells []Cell, workers int, told func(Progress, Outcome)) error {
	jobs, err := b.Jobs(cells)
	if err != nil {
		return err
	}
	p := playing{set: s, told: told, at: Progress{All: len(jobs)}, silent: map[string]int{}}
	if err := each(len(jobs), workers, func(i int) error { return p.job(ctx, jobs[i]) }); err != nil {
		return err
	}
	if p.at.Done < p.at.All {
		return &Open{Runs: p.at.All - p.at.Done, All: p.at.All, Why: p.why}
	}
	return nil
}

// playing is a set of runs that is being played.
type playing struct {
	set  *Set
	told func(Progress, Outcome)

	mu     sync.Mutex // guards what follows
	at     Progress
	silent map[string]int // runs of a player whose model was not reached, one after the other
	why    []string
}

// job makes a run, unless its model was given up.
func (p *playing) job(ctx context.Context, j Job) error {
	name := j.cell.Player.Name
	if _, done := p.set.line(j.ID); !done && p.gaveUp(name) {
		return nil
	}
	out, ran, err := j.run(ctx, p.set)
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(err, model.ErrUnreached) {
		p.silent[name]++
		p.why = append(p.why, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	p.at.Done++
	if ran {
		p.at.New++
		p.silent[name] = 0
	}
	p.told(p.at, out)
	return nil
}

// gaveUp says whether no other run of a player is to be begun.
func (p *playing) gaveUp(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent[name] >= GiveUp
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
