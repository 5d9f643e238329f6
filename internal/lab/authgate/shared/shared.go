package shared

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
)

// Run works on the run of a plan until all questions are answered, by this process
// and others, or a budget is spent; then the answers are copied into the journal.
//
// The budgets are those of the run: what all processes ask and spend, from its
// beginning. One that is given holds for all of them from then on; one that is not
// given stays as it is. A question that is being asked when the money is spent is
// asked to its end. New in the outcome counts what this process answered; in what
// Progress is told, what all of them did since this one began.
//
// A question without an answer ([*run.Open]) is open to other processes after a minute;
// this one does not ask it again, and ends when no other question is left, or when so
// many had no answer that it can reach no judge. Any other error of a judge ends this
// process, too, and its questions are open to the others at once.
func (d Database) Run(ctx context.Context, p *run.Plan, j *run.Journal, o run.Options) (run.Outcome, error) {
	questions, err := p.Questions()
	if err != nil {
		return run.Outcome{}, err
	}
	pool, err := d.open(ctx)
	if err != nil {
		return run.Outcome{}, err
	}
	s := &sharing{pool: pool, progress: o.Progress, longest: cmp.Or(d.Longest, Longest), questions: map[string]run.Question{}, left: map[string]string{}, silent: map[string]int{}}
	for _, q := range questions {
		s.questions[q.Key()] = q
	}
	s.out.All = len(questions)
	if err = s.setUp(d.Schema, o.Workers); err == nil {
		err = s.run(ctx, p, questions, j, o)
	}
	if !s.stuck {
		pool.Close() // waits for what is under way
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out, err
}

// sharing is the part of one process in a run.
type sharing struct {
	pool      *pgxpool.Pool
	client    *river.Client[pgx.Tx]
	progress  func(run.Progress)
	longest   time.Duration
	questions map[string]run.Question // by key
	stuck     bool                    // a judge that was told to end is still being asked

	mu     sync.Mutex // guards what follows
	out    run.Outcome
	left   map[string]string // why the questions of these keys had no answer
	silent map[string]int    // how many questions to a judge had none, one after the other
	end    context.CancelCauseFunc
	failed error
}

// Intervals.
const (
	look    = 300 * time.Millisecond // between two looks at how far the run is
	retry   = time.Second            // until what failed, or was given back, is tried again
	fetched = 5 * time.Millisecond   // between two takings of jobs
	later   = time.Minute            // until a question without an answer is taken again
)

// setUp makes the client of the queue.
func (s *sharing) setUp(schema string, atATime int) (err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{sharing: s})
	queues := map[string]river.QueueConfig{} // one a judge: who waits for one holds up no other
	for _, q := range s.questions {
		queues[queueOf(q)] = river.QueueConfig{MaxWorkers: max(1, atATime)}
	}
	s.client, err = river.NewClient(riverpgxv5.New(s.pool), &river.Config{
		Schema:               schema,
		Queues:               queues,
		Workers:              workers,
		ErrorHandler:         s,
		JobTimeout:           s.longest,
		RescueStuckJobsAfter: s.longest + s.longest/10,
		FetchCooldown:        fetched,
		MaxAttempts:          math.MaxInt16,
		Logger:               slog.New(slog.DiscardHandler), // what matters reaches us as an error
	})
	if err != nil {
		return fmt.Errorf("setting up the queue: %w", err)
	}
	return nil
}

// queueOf names the queue of a judge, whose own name may hold anything.
func queueOf(q run.Question) string {
	return fmt.Sprintf("judge_%x", sha256.Sum256([]byte(q.Judge())))[:40]
}

// run lays down the run, works on it unless it has ended, and collects the answers.
func (s *sharing) run(ctx context.Context, p *run.Plan, questions []run.Question, j *run.Journal, o run.Options) error {
	if err := s.lay(ctx, p, questions, o); err != nil {
		return err
	}
	if err := s.collect(ctx, j); err != nil || s.out.Done == s.out.All {
		return err
	}
	if err := s.work(ctx); err != nil {
		return err
	}
	return s.collect(ctx, j)
}

// lay lays down the run, or joins the one that is there, and sets its budgets.
func (s *sharing) lay(ctx context.Context, p *run.Plan, questions []run.Question, o run.Options) error {
	identity, err := p.Identity()
	if err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// Whoever comes second waits here for the first.
		made, err := tx.Exec(ctx, "insert into licet_run (identity) values ($1) on conflict do nothing", identity)
		if err != nil {
			return err
		}
		if made.RowsAffected() > 0 {
			err = s.enqueue(ctx, tx, questions)
		} else {
			err = join(ctx, tx, p)
		}
		if err != nil {
			return err
		}
		var money *string
		if o.Money != nil {
			money = new(o.Money.FloatString(18)) // as exact as decimals of results
		}
		_, err = tx.Exec(ctx, "update licet_run set calls = coalesce(nullif($1::bigint, 0), calls), money = coalesce($2::text::numeric, money)", o.Calls, money)
		return err
	})
	if err != nil {
		return fmt.Errorf("laying down the run: %w", err)
	}
	return nil
}

// join refuses a plan that is not that of the run.
func join(ctx context.Context, tx pgx.Tx, p *run.Plan) error {
	var identity []byte
	if err := tx.QueryRow(ctx, "select identity from licet_run").Scan(&identity); err != nil {
		return err
	}
	if err := p.Is(identity); err != nil {
		return fmt.Errorf("in the schema is %w; give it a schema of its own", err)
	}
	return nil
}

// enqueue makes a job of each question.
func (s *sharing) enqueue(ctx context.Context, tx pgx.Tx, questions []run.Question) error {
	for some := range slices.Chunk(questions, 1000) {
		var jobs []river.InsertManyParams
		for _, q := range some {
			jobs = append(jobs, river.InsertManyParams{
				Args:       job{Key: q.Key()},
				InsertOpts: &river.InsertOpts{Queue: queueOf(q), UniqueOpts: river.UniqueOpts{ByArgs: true}},
			})
		}
		if _, err := s.client.InsertManyTx(ctx, tx, jobs); err != nil {
			return err
		}
	}
	return nil
}

// work answers questions until the run ends, for all or for this process.
func (s *sharing) work(ctx context.Context) error {
	working, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.end = end
	// Not our context: what ends with it would count as an error of the question.
	if err := s.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("starting to work: %w", err)
	}
	err := s.watch(working)
	if errors.Is(err, errStop) {
		if err = s.client.Stop(ctx); err == nil { // questions under way are asked to their end
			return s.fault()
		}
	}
	// They are given back. Once all are answered, they are others' of long ago.
	s.stuck = soon(context.WithoutCancel(ctx), s.client.StopAndCancel) != nil
	return cmp.Or(s.fault(), err)
}

// errStop says that this process is to take no more questions.
var errStop = errors.New("no more questions are taken")

// watch returns when all questions are answered, or with the reason why this process
// is not to go on.
func (s *sharing) watch(ctx context.Context) error {
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	begin := s.out.Done
	for {
		done, err := s.count(ctx)
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		s.mu.Lock()
		moved := done > s.out.Done
		s.out.Done = done
		told := run.Progress{Done: done, All: s.out.All, New: done - begin}
		s.mu.Unlock()
		if moved && s.progress != nil {
			s.progress(told)
		}
		if over, err := s.nothingElse(ctx, done); over || err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
		}
	}
}

// nothingElse says whether all questions are answered, of so many, or had no answer
// here.
func (s *sharing) nothingElse(ctx context.Context, done int) (bool, error) {
	s.mu.Lock()
	unclear := s.out.All-done <= len(s.left) // others may have answered some of these
	s.mu.Unlock()
	if done == s.out.All || !unclear {
		return done == s.out.All, nil
	}
	var open int
	err := persist(ctx, func(ctx context.Context) error {
		s.mu.Lock()
		left := slices.Collect(maps.Keys(s.left))
		s.mu.Unlock()
		return s.pool.QueryRow(ctx, "select count(*) from unnest($1::text[]) l where not exists (select from licet_answer where key = l)", left).Scan(&open)
	})
	if err != nil {
		return false, fmt.Errorf("looking at the run: %w", err)
	}
	return open == s.out.All-done, nil
}

// count returns how many answers there are.
func (s *sharing) count(ctx context.Context) (n int, err error) {
	err = persist(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, "select count(*) from licet_answer").Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("looking at the run: %w", err)
	}
	return n, nil
}

// collect copies the answers into a journal.
func (s *sharing) collect(ctx context.Context, j *run.Journal) error {
	lines, err := s.pool.Query(ctx, "select answer from licet_answer")
	if err != nil {
		return fmt.Errorf("collecting the answers: %w", err)
	}
	all, err := pgx.CollectRows(lines, pgx.RowTo[[]byte])
	if err != nil {
		return fmt.Errorf("collecting the answers: %w", err)
	}
	rows, err := result.Read(bytes.NewReader(bytes.Join(all, nil)))
	if err != nil {
		return fmt.Errorf("collecting the answers: %w", err)
	}
	for _, r := range rows {
		if _, ok := s.questions[r.CallKey]; !ok {
			return fmt.Errorf("collecting the answers: %s, epoch %d, is no question of the run", r.Item, r.Epoch)
		}
	}
	s.sum(rows)
	if err := j.Collect(rows); err != nil {
		return fmt.Errorf("collecting the answers: %w", err)
	}
	return nil
}

// sum sets the outcome by the answers that there are.
func (s *sharing) sum(rows []result.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.Done, s.out.Open = len(rows), map[string]int{}
	for _, r := range rows {
		delete(s.left, r.CallKey) // by another process
	}
	for _, why := range s.left {
		s.out.Open[why]++
	}
	if s.out.Done == s.out.All {
		s.out.Stopped = ""
	}
}
