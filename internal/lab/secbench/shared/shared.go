// Package shared lets several processes, on one machine or many, make the runs of one
// set together: package internal/lab/shared with each run as a job. The folder of a
// finished run is the result, kept in the database; each process writes all of them
// into its own set, so that its folder is that of one machine alone.
package shared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/lab/identity"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/shared"
)

// Longest is how long one run may take, where nothing else is said: a model that
// writes slowly needs minutes for a turn, and a run has many.
const Longest = 30 * time.Minute

// parts are what makes a set of runs the one that it is.
type parts struct {
	Suite       string            `json:"suite"`
	Tasks       []string          `json:"tasks"`
	Seeds       []int             `json:"seeds"`
	Players     map[string]string `json:"players"` // digests of what they are and how they are asked
	Controllers []string          `json:"controllers"`
	Conditions  []string          `json:"conditions"`
	Runs        string            `json:"runs"` // digest of their ids, in which are contracts, prompts and tools
}

// partsOf returns the parts of cells that are these jobs.
func partsOf(cells []run.Cell, jobs []run.Job) (parts, error) {
	tasks, seeds, controllers, conditions := map[string]bool{}, map[int]bool{}, map[string]bool{}, map[string]bool{}
	p := parts{Suite: task.Suite, Players: map[string]string{}}
	for _, c := range cells {
		tasks[c.Task.ID], seeds[c.Seed], controllers[c.Controller], conditions[c.Condition] = true, true, true, true
		digest, err := digestOf(c.Player)
		if err != nil {
			return p, err
		}
		p.Players[c.Player.Name] = digest
	}
	p.Tasks, p.Seeds = slices.Sorted(maps.Keys(tasks)), slices.Sorted(maps.Keys(seeds))
	p.Controllers, p.Conditions = slices.Sorted(maps.Keys(controllers)), slices.Sorted(maps.Keys(conditions))
	var ids []string
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	v, err := trace.ValueOf(ids)
	if err != nil {
		return p, err
	}
	p.Runs = trace.Sum(v.AppendCanonical(nil))
	return p, nil
}

// digestOf names what a player is and how it is asked, as far as a run depends on it:
// each process may reach a model elsewhere.
func digestOf(p run.Player) (string, error) {
	v, err := trace.ValueOf(struct {
		Served   string        `json:"served"`
		Lineage  trace.Lineage `json:"lineage"`
		Engine   trace.Engine  `json:"engine"`
		Encoding string        `json:"encoding"`
	}{p.Served, p.Lineage, p.Engine, p.Encoding})
	if err != nil {
		return "", err
	}
	return trace.Sum(v.AppendCanonical(nil)), nil
}

// Play makes the runs of cells, by this process and others, workers at a time in
// this one, and returns how many it made itself. At the end the set has all of them.
// Whoever comes with other cells, or with players that are asked otherwise, is
// refused. Runs whose models this process did not reach stay open to the others; where
// they are still open in the end, they are a *run.Open. progress is told how far all
// processes are.
func Play(ctx context.Context, d shared.Database, b run.Bench, s *run.Set, cells []run.Cell, workers int, progress func(run.Progress)) (made int, err error) {
	jobs, err := b.Jobs(cells)
	if err != nil {
		return 0, err
	}
	p, err := partsOf(cells, jobs)
	if err != nil {
		return 0, err
	}
	r := shared.Run{
		Noun:    "runs",
		GiveUp:  run.GiveUp,
		Is:      func(text []byte) error { return identity.Is(text, p) },
		Collect: func(all []shared.Result) error { return s.Collect(jobs, texts(all)) },
	}
	if r.Identity, err = identity.Text(p); err != nil {
		return 0, err
	}
	for _, j := range jobs {
		r.Jobs = append(r.Jobs, shared.Job{Key: j.ID, Do: func(ctx context.Context) (shared.Result, error) {
			text, err := j.Packed(ctx)
			if errors.Is(err, model.ErrUnreached) {
				err = &shared.Left{Why: err.Error()}
			}
			return shared.Result{Key: j.ID, Text: text}, err
		}})
	}
	out, err := d.Do(ctx, r, shared.Options{Workers: workers, Progress: func(p shared.Progress) { progress(run.Progress(p)) }})
	switch {
	case err != nil || out.Done == out.All:
		return out.New, err
	case len(out.Left) > 0:
		return out.New, &run.Open{Runs: out.All - out.Done, All: out.All, Why: slices.Sorted(maps.Values(out.Left))}
	}
	// There is a bound that somebody set in the schema.
	return out.New, fmt.Errorf("%d of %d runs are made: %s", out.Done, out.All, out.Stopped)
}

// texts are results by the run that they are of.
func texts(all []shared.Result) map[string][]byte {
	of := map[string][]byte{}
	for _, r := range all {
		of[r.Key] = r.Text
	}
	return of
}
