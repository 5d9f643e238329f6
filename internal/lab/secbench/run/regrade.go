package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// Regraded is a run that was graded under another suite than its own.
type Regraded struct {
	From string `json:"from"` // run: its name holds the suite
	To   string `json:"to"`
	Was  string `json:"was"` // outcome
	Is   string `json:"is"`
}

// Regrade plays recorded runs again under the present suite, whatever theirs is, and
// writes what comes of it to a folder that does not exist yet. The answers of the
// model are those that were recorded; files, decisions, results, grade and measures
// are the present suite's, and so is the output of harnesses if there is a runner. A
// run that takes another course with the same answers, so that more of them are asked
// for, becomes an error of the bench. Nothing is changed where the runs lie.
func Regrade(ctx context.Context, dir, suite, out string, runner harness.Runner) ([]Regraded, error) {
	if suite != task.Suite {
		return nil, fmt.Errorf("there is no suite %q: this program has %s", suite, task.Suite)
	}
	if err := absent(out); err != nil {
		return nil, err
	}
	lines, err := Listed(dir)
	if err != nil {
		return nil, err
	}
	var all []Regraded
	err = publish(out, func(temp string) (err error) {
		s, err := OpenSet(temp)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		for _, l := range lines {
			again, err := regrade(ctx, filepath.Join(dir, l.Run), s, l, runner)
			if err != nil {
				return fmt.Errorf("%s: %w", l.Run, err)
			}
			all = append(all, again)
		}
		return nil
	})
	return all, err
}

// regrade plays one run and adds it to a set.
func regrade(ctx context.Context, folder string, s *Set, l Line, runner harness.Runner) (Regraded, error) {
	r, err := load(folder)
	if err != nil {
		return Regraded{}, err
	}
	if err := errors.Join(r.is(l), r.playable()); err != nil {
		return Regraded{}, err
	}
	was, err := r.tied()
	if err != nil {
		return Regraded{}, err
	}
	a, err := r.replay(ctx, runner)
	if err != nil {
		return Regraded{}, err
	}
	all := maps.Clone(a.text)
	for sha, blob := range a.blobs {
		all["blobs/"+sha] = blob
	}
	return Regraded{l.Run, a.Run, was.Outcome, a.End.Outcome}, s.make(a.Run, func(folder string) (Line, error) {
		return Line{a.Run, a.TraceHead, a.GateHead}, writeAll(folder, all)
	})
}
