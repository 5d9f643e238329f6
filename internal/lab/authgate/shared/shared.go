package shared

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/lab/shared"
)

// Database says where the run is. Longest is how long one question may take; 0 =
// [Longest].
type Database shared.Database

// Longest is how long one question may take, with all its tries: far longer than a
// model needs, as its answer is lost otherwise.
const Longest = 5 * time.Minute

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
	r := shared.Run{Is: p.Is, Noun: "questions", GiveUp: run.GiveUp, Collect: func(all []shared.Result) error { return collect(j, all) }}
	if r.Identity, err = p.Identity(); err != nil {
		return run.Outcome{}, err
	}
	for _, q := range questions {
		r.Jobs = append(r.Jobs, shared.Job{Key: q.Key(), Queue: q.Judge(), Do: func(ctx context.Context) (shared.Result, error) { return ask(ctx, q) }})
	}
	options := shared.Options{Workers: o.Workers, Calls: o.Calls, Money: o.Money}
	if o.Progress != nil {
		options.Progress = func(p shared.Progress) { o.Progress(run.Progress(p)) }
	}
	d.Longest = cmp.Or(d.Longest, Longest)
	out, err := shared.Database(d).Do(ctx, r, options)
	open := map[string]int{}
	for _, why := range out.Left {
		open[why]++
	}
	return run.Outcome{Progress: run.Progress(out.Progress), Stopped: out.Stopped, Open: open}, err
}

// ask is the job of a question. Its result is a row, as a line.
func ask(ctx context.Context, q run.Question) (shared.Result, error) {
	row, err := q.Ask(ctx)
	open, spent := (*run.Open)(nil), (*run.Spent)(nil)
	switch {
	case errors.As(err, &open):
		return shared.Result{}, &shared.Left{Why: open.Why}
	case errors.As(err, &spent):
		return shared.Result{}, &shared.Spent{What: spent.What}
	case err != nil:
		return shared.Result{}, err
	}
	line, err := row.Line()
	return shared.Result{Key: q.Key(), Text: line, Cost: row.Cost}, err
}

// collect copies the answers into a journal.
func collect(j *run.Journal, all []shared.Result) error {
	var lines bytes.Buffer
	for _, r := range all {
		lines.Write(r.Text)
	}
	rows, err := result.Read(&lines)
	if err != nil {
		return err
	}
	return j.Collect(rows)
}
