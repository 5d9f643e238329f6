package shared

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
)

// job is a question in the queue.
type job struct {
	Key string `json:"key" river:"unique"`
}

// Kind names jobs of this form.
func (job) Kind() string { return "licet_question" }

// worker answers questions.
type worker struct {
	river.WorkerDefaults[job]
	sharing *sharing
}

// NextRetry says when a question that was given back can be taken again. How often
// it was taken says nothing about it.
func (w *worker) NextRetry(*river.Job[job]) time.Time { return time.Now().Add(retry) }

// Work answers one question.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	s := w.sharing
	if s.over() {
		return river.JobSnooze(retry)
	}
	if s.isLeft(j.Args.Key) {
		return river.JobSnooze(later)
	}
	q, ok := s.questions[j.Args.Key]
	if !ok {
		return fmt.Errorf("the question %s is not of this run", j.Args.Key)
	}
	var answered bool
	err := persist(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, "select exists (select from licet_answer where key = $1)", q.Key()).Scan(&answered)
	})
	if err != nil {
		return fmt.Errorf("looking for an answer: %w", err)
	}
	if answered {
		return nil
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	row, err := q.Ask(ctx)
	open, spent := (*run.Open)(nil), (*run.Spent)(nil)
	switch {
	case err == nil:
		return s.record(ctx, row, j)
	case errors.As(err, &open):
		return s.leave(q, open.Why)
	case errors.As(err, &spent):
		return s.stop(spent.What)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: a question may take %s", err, s.longest)
	}
	return err
}

// leave notes that a question had no answer. A process that gets none at all stops, as
// it would only keep the questions from others that do.
func (s *sharing) leave(q run.Question, why string) error {
	s.mu.Lock()
	s.left[q.Key()] = why
	s.silent[q.Judge()]++
	silent := s.silent[q.Judge()]
	s.mu.Unlock()
	if silent < run.GiveUp {
		return river.JobSnooze(later)
	}
	return s.stop(fmt.Sprintf("%s left %d questions without an answer (%s)", q.Judge(), silent, why))
}

// isLeft says whether a question had no answer here.
func (s *sharing) isLeft(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, left := s.left[key]
	return left
}

// stop lets this process take no more questions, and gives one back.
func (s *sharing) stop(why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.Stopped = why
	s.end(errStop)
	return river.JobSnooze(retry)
}

// take counts a question, unless a budget is spent: then this process ends, and the
// question is given back.
func (s *sharing) take(ctx context.Context) error {
	var why string // it is not taken
	err := persist(ctx, func(ctx context.Context) error {
		taken, err := s.pool.Exec(ctx, `update licet_run set asked = asked + 1 where (calls is null or asked < calls)
			and (money is null or (select coalesce(sum(cost), 0) from licet_answer) < money)`)
		if err != nil || taken.RowsAffected() > 0 {
			return err
		}
		return s.pool.QueryRow(ctx, `select case when asked >= calls then asked || ' questions were asked'
			else 'it has cost ' || (select coalesce(sum(cost), 0)::numeric(38, 4) from licet_answer) end from licet_run`).Scan(&why)
	})
	if err != nil {
		return fmt.Errorf("counting a question: %w", err)
	}
	if why == "" {
		return nil
	}
	return s.stop(why)
}

// record writes an answer and ends its job, in one transaction. An answer that was
// paid for is written although the process is to end.
func (s *sharing) record(ctx context.Context, row result.Row, j *river.Job[job]) error {
	line, err := row.Line()
	if err != nil {
		return err
	}
	var cost *string // nil = not known
	if row.Cost != "" {
		cost = &row.Cost
	}
	first := false
	err = persist(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			// An error does not tell whether it was written; the first answer stays.
			written, err := tx.Exec(ctx, "insert into licet_answer (key, answer, cost) values ($1, $2, $3::text::numeric) on conflict do nothing", row.CallKey, line, cost)
			if err != nil {
				return err
			}
			first = written.RowsAffected() > 0
			_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("recording an answer about %s: %w", row.Item, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent[row.Model] = 0
	if first {
		s.out.New++
	}
	return nil
}

// HandleError ends the work of this process with the first error of a question.
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

// over says that this process takes no more questions.
func (s *sharing) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed != nil || s.out.Stopped != ""
}

// fault is the first error of a question.
func (s *sharing) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
