package run

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Options say how a run goes.
type Options struct {
	Workers  int            // how many questions are put to each judge at a time
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
	Stopped string         // which budget ended it; "" = everything was asked
	Open    map[string]int // questions that had no answer, by why
}

// GiveUp is after how many questions without an answer, one after the other, a judge
// is asked no more in a run.
const GiveUp = 100

// Run asks what the journal does not have. Judges are asked side by side, so that one
// whose server wants a pause holds up no other. An error of a judge or of the journal
// ends the run; what was answered until then is recorded.
func Run(ctx context.Context, p *Plan, j *Journal, o Options) (Outcome, error) {
	all, err := p.questions(j.run)
	if err != nil {
		return Outcome{}, err
	}
	r := &running{journal: j, o: o, spent: new(big.Rat), out: Outcome{Progress: Progress{All: len(all)}, Open: map[string]int{}}}
	open := map[string]*queue{} // by the judge's name
	for _, q := range all {
		if row, known := j.done[q.row.CallKey]; known {
			r.count(row)
			r.out.Done++
			continue
		}
		if open[q.row.Model] == nil {
			open[q.row.Model] = &queue{}
		}
		open[q.row.Model].questions = append(open[q.row.Model].questions, q)
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	var workers sync.WaitGroup
	for _, of := range open {
		for range min(max(1, o.Workers), len(of.questions)) {
			workers.Go(func() { r.work(ctx, of) })
		}
	}
	workers.Wait()
	return r.out, context.Cause(ctx)
}

// running is a run that goes on. Its lock guards all of it, and the queues.
type running struct {
	mu      sync.Mutex
	journal *Journal
	o       Options
	asked   int
	spent   *big.Rat
	out     Outcome
	cancel  context.CancelCauseFunc
}

// queue has the questions to one judge that are not asked yet.
type queue struct {
	questions []question
	failed    int // without an answer, one after the other
}

// work puts one question of a queue after the other.
func (r *running) work(ctx context.Context, of *queue) {
	for {
		q, ok := r.next(ctx, of)
		if !ok {
			return
		}
		row, err := q.ask(ctx)
		if err = r.settle(of, row, err); err != nil {
			r.cancel(err)
			return
		}
	}
}

// next takes a question, unless a budget is spent or the judge does not answer.
func (r *running) next(ctx context.Context, of *queue) (question, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || len(of.questions) == 0 || of.failed >= GiveUp {
		return question{}, false
	}
	switch {
	case r.out.Stopped != "":
	case r.o.Calls > 0 && r.asked >= r.o.Calls:
		r.out.Stopped = fmt.Sprintf("%d questions were asked", r.asked)
	case r.o.Money != nil && r.spent.Cmp(r.o.Money) >= 0:
		r.out.Stopped = "it has cost " + r.spent.FloatString(4)
	}
	if r.out.Stopped != "" {
		return question{}, false
	}
	q := of.questions[0]
	of.questions = of.questions[1:]
	r.asked++
	return q, true
}

// settle records an answer, or what kept it from coming. It returns what ends the
// run.
func (r *running) settle(of *queue, row result.Row, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	open, spent := (*Open)(nil), (*Spent)(nil)
	switch {
	case errors.As(err, &open):
		r.out.Open[open.Why]++
		if open.Why != Waiting {
			of.failed++
		}
		return nil
	case errors.As(err, &spent):
		r.out.Stopped = spent.What
		return nil
	case err != nil:
		return err
	}
	of.failed = 0
	return r.answered(row)
}

// answered records an answer.
func (r *running) answered(row result.Row) error {
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
