package shared

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// queued is a job in the queue.
type queued struct {
	Key string `json:"key" river:"unique"`
}

// Kind names jobs of this form.
func (queued) Kind() string { return "licet_job" }

// worker does jobs.
type worker struct {
	river.WorkerDefaults[queued]
	sharing *sharing
}

// NextRetry says when a job that was given back can be taken again. How often
// it was taken says nothing about it.
func (w *worker) NextRetry(*river.Job[queued]) time.Time { return time.Now().Add(retry) }

// Work does one job.
func (w *worker) Work(ctx context.Context, in *river.Job[queued]) error {
	s := w.sharing
	if s.over() {
		return river.JobSnooze(retry)
	}
	if s.isLeft(in.Args.Key) {
		return river.JobSnooze(later)
	}
	j, ok := s.jobs[in.Args.Key]
	if !ok {
		return fmt.Errorf("the job %s is not of this run", in.Args.Key)
	}
	var done bool
	err := persist(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, "select exists (select from licet_answer where key = $1)", j.Key).Scan(&done)
	})
	if err != nil {
		return fmt.Errorf("looking for a result: %w", err)
	}
	if done {
		return nil
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	result, err := j.Do(ctx)
	left, spent := (*Left)(nil), (*Spent)(nil)
	switch {
	case err == nil:
		return s.record(ctx, j, result, in)
	case errors.As(err, &left):
		return s.leave(j, left.Why)
	case errors.As(err, &spent):
		return s.stop(spent.What)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: of %s none may take longer than %s", err, s.of.Noun, s.longest)
	}
	return err
}

// leave notes that a job had no result. A process that gets none at all stops, as it
// would only keep the jobs from others that do.
func (s *sharing) leave(j Job, why string) error {
	s.mu.Lock()
	s.left[j.Key] = why
	s.silent[j.Queue]++
	silent := s.silent[j.Queue]
	s.mu.Unlock()
	if s.of.GiveUp == 0 || silent < s.of.GiveUp {
		return river.JobSnooze(later)
	}
	return s.stop(fmt.Sprintf("%s left %d %s without an answer (%s)", cmp.Or(j.Queue, "this process"), silent, s.of.Noun, why))
}

// isLeft says whether a job had no result here.
func (s *sharing) isLeft(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, left := s.left[key]
	return left
}

// stop lets this process take no more jobs, and gives one back.
func (s *sharing) stop(why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.Stopped = why
	s.end(errStop)
	return river.JobSnooze(retry)
}

// take counts a job, unless a budget is spent: then this process ends, and the job is
// given back.
func (s *sharing) take(ctx context.Context) error {
	var why string // it is not taken
	err := persist(ctx, func(ctx context.Context) error {
		taken, err := s.pool.Exec(ctx, `update licet_run set asked = asked + 1 where (calls is null or asked < calls)
			and (money is null or (select coalesce(sum(cost), 0) from licet_answer) < money)`)
		if err != nil || taken.RowsAffected() > 0 {
			return err
		}
		return s.pool.QueryRow(ctx, `select case when asked >= calls then asked || ' ' || $1::text || ' were asked'
			else 'it has cost ' || (select coalesce(sum(cost), 0)::numeric(38, 4) from licet_answer) end from licet_run`, s.of.Noun).Scan(&why)
	})
	if err != nil {
		return fmt.Errorf("counting what is begun: %w", err)
	}
	if why == "" {
		return nil
	}
	return s.stop(why)
}

// record writes a result and ends its job, in one transaction. One that was paid for
// is written although the process is to end.
func (s *sharing) record(ctx context.Context, j Job, r Result, in *river.Job[queued]) error {
	var cost *string // nil = not known
	if r.Cost != "" {
		cost = &r.Cost
	}
	first := false
	err := persist(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			// An error does not tell whether it was written; the first result stays.
			written, err := tx.Exec(ctx, "insert into licet_answer (key, answer, cost) values ($1, $2, $3::text::numeric) on conflict do nothing", j.Key, r.Text, cost)
			if err != nil {
				return err
			}
			first = written.RowsAffected() > 0
			_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, in)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("recording the result of %s: %w", j.Key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent[j.Queue] = 0
	if first {
		s.out.New++
	}
	return nil
}

// HandleError ends the work of this process with the first error of a job.
func (s *sharing) HandleError(_ context.Context, _ *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
	s.end(err)
	return nil
}

// HandlePanic does the same with a defect.
func (s *sharing) HandlePanic(ctx context.Context, j *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	return s.HandleError(ctx, j, fmt.Errorf("a defect, please report it: %v\n%s", value, trace))
}

// over says that this process takes no more jobs.
func (s *sharing) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil || s.out.Stopped != ""
}

// fault is the first error of a job.
func (s *sharing) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
