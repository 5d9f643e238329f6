package run

import (
	"bytes"
	"context"
	"fmt"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Question is one thing that a plan asks, for those who ask it elsewhere than in
// [Run].
type Question struct{ q question }

// Questions returns all that a plan asks, in an order that depends on it alone.
func (p *Plan) Questions() ([]Question, error) {
	text, err := p.Identity()
	if err != nil {
		return nil, err
	}
	inner, err := p.questions(nameOf(text))
	if err != nil {
		return nil, err
	}
	all := make([]Question, len(inner))
	for i := range inner {
		all[i].q = inner[i]
	}
	return all, nil
}

// Key names the question among all of all runs.
func (q Question) Key() string { return q.q.row.CallKey }

// Judge is the name of the judge that it is put to.
func (q Question) Judge() string { return q.q.row.Model }

// Ask asks the judge, and returns the answer as a row. Errors are those of a judge.
func (q Question) Ask(ctx context.Context) (result.Row, error) { return q.q.ask(ctx) }

// ask asks the judge. What it decided while the run ended is an error: it is not
// what it would have said.
func (q *question) ask(ctx context.Context) (result.Row, error) {
	row := q.row
	err := q.judge.Decide(ctx, q.visible(), q.policy.Text, &row)
	if err == nil || ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return result.Row{}, fmt.Errorf("asking %s about %s: %w", row.Model, row.Item, err)
	}
	return row, nil
}

// Collect takes up answers that were recorded elsewhere, of which the journal may
// have some. It is an error if it has another one, or one more: then it is no copy.
func (j *Journal) Collect(rows []result.Row) error {
	known := 0
	for _, r := range rows {
		old, ok := j.done[r.CallKey]
		switch {
		case r.Run != j.run:
			return fmt.Errorf("%s is of the run %s, not of %s", r.Item, r.Run, j.run)
		case ok && !same(old, r):
			return fmt.Errorf("%s has another answer of %s here: give the run a folder of its own", r.Item, r.Model)
		case ok:
			known++
		}
	}
	if known < len(j.done) {
		return fmt.Errorf("the folder has %d answers that were not recorded there: give the run a folder of its own", len(j.done)-known)
	}
	for _, r := range rows {
		if _, ok := j.done[r.CallKey]; ok {
			continue
		}
		if err := j.add(r); err != nil {
			return err
		}
	}
	return nil
}

// same says whether two rows are written alike.
func same(a, b result.Row) bool {
	one, err := a.Line()
	other, otherErr := b.Line()
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}
