package shared

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// Run is what processes do together.
type Run struct {
	// Identity says what the run is made of.
	Identity []byte
	// Is compares with what another run is made of. Its error says how that differs.
	Is func(identity []byte) error
	// Jobs are all that is to be done, in an order that depends on Identity alone.
	Jobs []Job
	// Noun is what jobs are called in texts, more than one of them.
	Noun string
	// GiveUp is after how many jobs without a result, one after the other in a queue,
	// a process stops; 0 = never.
	GiveUp int
	// Collect takes up all results that there are, when a process begins and when it
	// ends.
	Collect func([]Result) error
}

// Job is done once, by whichever process takes it.
type Job struct {
	Key   string // names it among all jobs of the run
	Queue string // jobs of one queue wait for one another, and for no others
	// Do does it. Without a result the error is a [*Left], for which the job stays open
	// to other processes, or a [*Spent], for which this process stops; any other one
	// ends the process.
	Do func(context.Context) (Result, error)
}

// Result is what came of a job.
type Result struct {
	Key  string // of the job
	Text []byte
	Cost string // a decimal; "" = none that is known
}

// Left is the error of a job that had no result here, and may have one elsewhere.
type Left struct{ Why string }

func (l *Left) Error() string { return "no result: " + l.Why }

// Spent is the error of a job that was not done, as something that this process needs
// is used up.
type Spent struct{ What string }

func (s *Spent) Error() string { return s.What }

// Options say how a process takes part.
type Options struct {
	Workers  int            // how many jobs of a queue it does at a time
	Calls    int            // the run stops after so many jobs were begun; 0 = as it was
	Money    *big.Rat       // the run stops once it has cost so much; nil = as it was
	Progress func(Progress) // is told when there are more results; may be nil
}

// Progress says how far a run is.
type Progress struct {
	Done, All int // jobs
	New       int // done since this process began; in an [Outcome] those that it did
}

// Outcome is how the part of a process ended.
type Outcome struct {
	Progress
	Stopped string            // which budget ended it; "" = everything was done
	Left    map[string]string // by key why jobs had no result here, and have none from elsewhere
}

// Do works on a run until all jobs are done, by this process and others, or a budget
// is spent; then the results are collected.
//
// The budgets are those of the run: what all processes begin and spend, from its
// beginning. One that is given holds for all of them from then on; one that is not
// given stays as it is. A job that is being done when the money is spent is done to
// its end.
//
// A job that is [Left] is open to other processes after a minute; this one does not do
// it again, and ends when no other job is left. Any other error of a job ends this
// process, too, and its jobs are open to the others at once.
func (d Database) Do(ctx context.Context, r Run, o Options) (Outcome, error) {
	pool, err := d.open(ctx)
	if err != nil {
		return Outcome{}, err
	}
	s := &sharing{pool: pool, of: r, progress: o.Progress, longest: d.Longest, jobs: map[string]Job{}, left: map[string]string{}, silent: map[string]int{}}
	for _, j := range r.Jobs {
		s.jobs[j.Key] = j
	}
	s.out.All = len(s.jobs)
	if err = s.setUp(d.Schema, o.Workers); err == nil {
		err = s.run(ctx, o)
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
	pool     *pgxpool.Pool
	client   *river.Client[pgx.Tx]
	of       Run
	progress func(Progress)
	longest  time.Duration
	jobs     map[string]Job // by key
	stuck    bool           // a job that was told to end is still being done

	mu     sync.Mutex // guards what follows
	out    Outcome
	left   map[string]string // why the jobs of these keys had no result
	silent map[string]int    // how many jobs of a queue had none, one after the other
	end    context.CancelCauseFunc
	failed error
}

// Intervals.
const (
	look    = 300 * time.Millisecond // between two looks at how far the run is
	retry   = time.Second            // until what failed, or was given back, is tried again
	fetched = 5 * time.Millisecond   // between two takings of jobs
	later   = time.Minute            // until a job without a result is taken again
)

// setUp makes the client of the queue.
func (s *sharing) setUp(schema string, atATime int) (err error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{sharing: s})
	queues := map[string]river.QueueConfig{}
	for _, j := range s.jobs {
		queues[queueOf(j)] = river.QueueConfig{MaxWorkers: max(1, atATime)}
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

// queueOf names the queue of a job, whose own name may hold anything.
func queueOf(j Job) string { return fmt.Sprintf("queue_%x", sha256.Sum256([]byte(j.Queue)))[:40] }

// run lays down the run, works on it unless it has ended, and collects the results.
func (s *sharing) run(ctx context.Context, o Options) error {
	if err := s.lay(ctx, o); err != nil {
		return err
	}
	if err := s.collect(ctx); err != nil || s.out.Done == s.out.All {
		return err
	}
	if err := s.work(ctx); err != nil {
		return err
	}
	return s.collect(ctx)
}

// lay lays down the run, or joins the one that is there, and sets its budgets.
func (s *sharing) lay(ctx context.Context, o Options) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// Whoever comes second waits here for the first.
		made, err := tx.Exec(ctx, "insert into licet_run (identity) values ($1) on conflict do nothing", s.of.Identity)
		if err != nil {
			return err
		}
		if made.RowsAffected() > 0 {
			err = s.enqueue(ctx, tx)
		} else {
			err = s.join(ctx, tx)
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

// join refuses a run that is not the one that is there.
func (s *sharing) join(ctx context.Context, tx pgx.Tx) error {
	var identity []byte
	if err := tx.QueryRow(ctx, "select identity from licet_run").Scan(&identity); err != nil {
		return err
	}
	if err := s.of.Is(identity); err != nil {
		return fmt.Errorf("in the schema is %w; give it a schema of its own", err)
	}
	return nil
}

// enqueue puts the jobs into the queue.
func (s *sharing) enqueue(ctx context.Context, tx pgx.Tx) error {
	for some := range slices.Chunk(s.of.Jobs, 1000) {
		var jobs []river.InsertManyParams
		for _, j := range some {
			jobs = append(jobs, river.InsertManyParams{
				Args:       queued{Key: j.Key},
				InsertOpts: &river.InsertOpts{Queue: queueOf(j), UniqueOpts: river.UniqueOpts{ByArgs: true}},
			})
		}
		if _, err := s.client.InsertManyTx(ctx, tx, jobs); err != nil {
			return err
		}
	}
	return nil
}

// work does jobs until the run ends, for all or for this process.
func (s *sharing) work(ctx context.Context) error {
	working, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.end = end
	// Not our context: what ends with it would count as an error of the job.
	if err := s.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("starting to work: %w", err)
	}
	err := s.watch(working)
	if errors.Is(err, errStop) {
		if err = s.client.Stop(ctx); err == nil { // jobs under way are done to their end
			return s.fault()
		}
	}
	// They are given back. Once all are done, they are others' of long ago.
	s.stuck = soon(context.WithoutCancel(ctx), s.client.StopAndCancel) != nil
	return cmp.Or(s.fault(), err)
}

// errStop says that this process is to take no more jobs.
var errStop = errors.New("no more jobs are taken")

// watch returns when all jobs are done, or with the reason why this process
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
		told := Progress{Done: done, All: s.out.All, New: done - begin}
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

// nothingElse says whether all jobs are done, of so many, or had no result here.
func (s *sharing) nothingElse(ctx context.Context, done int) (bool, error) {
	s.mu.Lock()
	unclear := s.out.All-done <= len(s.left) // others may have done some of these
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

// count returns how many results there are.
func (s *sharing) count(ctx context.Context) (n int, err error) {
	err = persist(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, "select count(*) from licet_answer").Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("looking at the run: %w", err)
	}
	return n, nil
}

// collect hands on the results that there are.
func (s *sharing) collect(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, "select key, answer, coalesce(cost::text, '') from licet_answer order by key")
	if err != nil {
		return fmt.Errorf("collecting the results: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Result])
	if err != nil {
		return fmt.Errorf("collecting the results: %w", err)
	}
	for _, r := range all {
		if _, ok := s.jobs[r.Key]; !ok {
			return fmt.Errorf("collecting the results: %s is no job of the run", r.Key)
		}
	}
	s.sum(all)
	if err := s.of.Collect(all); err != nil {
		return fmt.Errorf("collecting the results: %w", err)
	}
	return nil
}

// sum sets the outcome by the results that there are.
func (s *sharing) sum(all []Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all {
		delete(s.left, r.Key) // by another process
	}
	s.out.Done, s.out.Left = len(all), maps.Clone(s.left)
	if s.out.Done == s.out.All {
		s.out.Stopped = ""
	}
}
