package run

import (
	"context"
	"fmt"
	"math/big"
	"sync"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Options say how a run goes.
type Options struct {
	Workers  int            // how many are asked at a time
	Calls    int            // the run stops after so many questions; 0 = no bound
	Money    *big.Rat       // the run stops once it has cost so much, earlier parts of it too; nil = no bound
	Progress func(Progress) // called after each answer, by one at a time; may be nil
}

// Progress says how far a run is.
type Progress struct {
	Done, All int // questions, with those of the journal
	New       int // of these asked now
}

// Outcome is how a run ended.
type Outcome struct {
	Progress
	Stopped string // which budget ended it; "" = everything was asked
}

// Run asks what the journal does not have. An error of a judge or of the journal
// ends it; what was answered until then is recorded.
func Run(ctx context.Context, p *Plan, j *Journal, o Options) (Outcome, error) {
	all, err := p.questions(j.run)
	if err != nil {
		return Outcome{}, err
	}
	r := &running{journal: j, o: o, spent: new(big.Rat), out: Outcome{Progress: Progress{All: len(all)}}}
	for _, q := range all {
		if row, known := j.done[q.row.CallKey]; known {
			r.count(row)
			continue
		}
		r.open = append(r.open, q)
	}
	r.out.Done = len(all) - len(r.open)
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	var workers sync.WaitGroup
	for range max(1, o.Workers) {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	return r.out, context.Cause(ctx)
}

// running is a run that goes on. Its lock guards all of it.
type running struct {
	mu      sync.Mutex
	journal *Journal
	o       Options
	open    []question // not asked yet
	asked   int
	spent   *big.Rat
	out     Outcome
	cancel  context.CancelCauseFunc
}

// work asks one question after the other.
func (r *running) work(ctx context.Context) {
	for {
		q, ok := r.next(ctx)
		if !ok {
			return
		}
		row, err := q.ask(ctx)
		if err == nil {
			err = r.answered(row)
		}
		if err != nil {
			r.cancel(err)
			return
		}
	}
}

// next takes a question, unless a budget is spent.
func (r *running) next(ctx context.Context) (question, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || len(r.open) == 0 {
		return question{}, false
	}
	switch {
	case r.o.Calls > 0 && r.asked >= r.o.Calls:
		r.out.Stopped = fmt.Sprintf("%d questions were asked", r.asked)
	case r.o.Money != nil && r.spent.Cmp(r.o.Money) >= 0:
		r.out.Stopped = "it has cost " + r.spent.FloatString(4)
	}
	if r.out.Stopped != "" {
		return question{}, false
	}
	q := r.open[0]
	r.open = r.open[1:]
	r.asked++
	return q, true
}

// answered records an answer.
func (r *running) answered(row result.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.journal.add(row); err != nil {
		return err
	}
	r.count(row)
	r.out.Done++
	r.out.New++
	if r.o.Progress != nil {
		r.o.Progress(r.out.Progress)
	}
	return nil
}

// count adds what an answer cost.
func (r *running) count(row result.Row) {
	if cost, ok := new(big.Rat).SetString(row.Cost); ok {
		r.spent.Add(r.spent, cost)
	}
}
