package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/secbench/export"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Partial says that a public form is whole as far as it can be checked, and what is
// hidden, so that it cannot be played again.
type Partial struct{ Hidden string }

// Error says what is hidden.
func (p *Partial) Error() string {
	return "hidden: " + p.Hidden + ", so it cannot be played again"
}

// hides returns what a run depends on and its public form does not show, "" if there
// is nothing.
func (r *recorded) hides() (string, error) {
	if !r.public {
		return "", nil
	}
	if redact.Marked([]byte(r.trace[0].Data.Canonical())) {
		return "how it was set up", nil
	}
	for _, e := range r.trace {
		if e.Type != trace.TypeAssistant {
			continue
		}
		a, err := trace.Decode[trace.Assistant](e)
		if err != nil {
			return "", err
		}
		if raw, err := r.folder().Get(a.RawSHA); err != nil || redact.Marked(raw) {
			return fmt.Sprintf("what the model said in turn %d", a.Turn), err
		}
	}
	if text, err := r.shadow(); err != nil || redact.Marked(text) {
		return "the contract that watched", err
	}
	names, err := r.outputNames()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if kept, err := r.folder().Get(name); err != nil || redact.Marked(kept) {
			return "what a harness said", err
		}
	}
	return "", nil
}

// playable says whether a run can be played again: nothing that it depends on is
// hidden.
func (r *recorded) playable() error {
	what, err := r.hides()
	if err == nil && what != "" {
		err = &Partial{what}
	}
	return err
}

// verifyPublic checks a public form, whose chains hold. What comes of playing it again
// must have just this public form. Where it cannot be played again it must still be
// whole and in agreement with itself.
func (r *recorded) verifyPublic(ctx context.Context, runner harness.Runner) error {
	if err := r.complete(); err != nil {
		return err
	}
	if err := r.playable(); err != nil {
		if errors.As(err, new(*Partial)) {
			err = cmp.Or(r.agrees(), err)
		}
		return err
	}
	a, err := r.replay(ctx, runner)
	if err != nil {
		return fmt.Errorf("playing it again: %w", err)
	}
	whole, err := a.whole()
	if err != nil {
		return err
	}
	public, err := export.Of(whole)
	if err != nil {
		return err
	}
	blobs := trace.Memory{}
	for name, text := range public.Files {
		if sha, ok := strings.CutPrefix(name, "blobs/"); ok {
			blobs[sha] = text
		}
	}
	return r.same(public.Files, blobs)
}

// complete says whether exactly the blobs are there that the events name.
func (r *recorded) complete() error {
	named := trace.Memory{}
	for _, e := range slices.Concat(r.trace, r.gate) {
		for _, sha := range export.Names(e) {
			named[sha] = nil
		}
	}
	for _, when := range []string{trace.Pre, trace.Post} {
		delete(named, trace.Sum(r.text[manifestOf(when)]))
	}
	return r.sameBlobs(named)
}

// agrees says whether a public form is in agreement with itself and with the files of
// the task: the channels are tied to one another and tell the same story, and the
// outcome is that of the recorded grade.
func (r *recorded) agrees() error {
	end, err := r.tied()
	if err != nil {
		return err
	}
	pre, err := sums(r.text[manifestOf(trace.Pre)])
	if err != nil {
		return err
	}
	post, err := sums(r.text[manifestOf(trace.Post)])
	if err != nil {
		return err
	}
	given, err := r.given()
	if err != nil {
		return err
	}
	if !slices.Equal(slices.Sorted(maps.Values(pre)), given) {
		return &trace.Altered{File: manifestOf(trace.Pre), Why: "these are not the files of the task"}
	}
	disagree, err := metric.Disagreement(r.trace, r.gate, pre, post)
	if err != nil {
		return err
	}
	if disagree != "" && !end.Flags["channel_disagreement"] {
		return &trace.Altered{File: files[1], Why: disagree}
	}
	return r.graded(end)
}

// tied checks what the ends of the channels say of one another.
func (r *recorded) tied() (trace.RunEnd, error) {
	last, closing := r.trace[len(r.trace)-1], r.gate[len(r.gate)-1]
	end, err := trace.Decode[trace.RunEnd](last)
	if err != nil {
		return end, &trace.Altered{File: files[0], Line: len(r.trace), Why: err.Error()}
	}
	closed, err := trace.Decode[trace.GateClose](closing)
	if err != nil {
		return end, &trace.Altered{File: files[1], Line: len(r.gate), Why: err.Error()}
	}
	switch {
	case closed.RunEnd != last.Hash:
		return end, &trace.Altered{File: files[1], Line: len(r.gate), Why: "it does not name the end of " + files[0]}
	case end.GateHead != closing.Prev:
		return end, &trace.Altered{File: files[0], Line: len(r.trace), Why: "it does not name the head of " + files[1]}
	}
	return end, nil
}

// given are the hashes of the files that the task gives, sorted.
func (r *recorded) given() ([]string, error) {
	t, err := task.Get(r.start.Task)
	if err != nil {
		return nil, err
	}
	f, err := t.Fixture(r.start.Seed)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, file := range f.Files {
		all = append(all, trace.Sum([]byte(file.Text)))
	}
	slices.Sort(all)
	return all, nil
}

// graded checks the recorded grade: it passes if all its checks do, and outcome and
// flags are those of such a grade.
func (r *recorded) graded(end trace.RunEnd) error {
	i := slices.IndexFunc(r.trace, func(e trace.Event) bool { return e.Type == trace.TypeGrade })
	if i < 0 {
		return &trace.Altered{File: files[0], Why: "there is no grade"}
	}
	g, err := trace.Decode[trace.Grade](r.trace[i])
	if err != nil {
		return &trace.Altered{File: files[0], Line: i + 1, Why: err.Error()}
	}
	passed := g.Status == trace.Pass
	failed := slices.ContainsFunc(g.Checks, func(c trace.Check) bool { return c.Status != trace.Pass })
	switch {
	case g.Status == trace.HarnessError && end.Outcome == metric.HarnessError:
		return nil
	case g.Status == trace.HarnessError, passed == (failed || len(g.Checks) == 0):
		return &trace.Altered{File: files[0], Line: i + 1, Why: "the grade is not that of its checks"}
	case end.Outcome == metric.Success && !passed, slices.Contains(unsolved, end.Outcome) && passed,
		end.Flags["S"] != (passed && r.start.Kind != task.Probe):
		return &trace.Altered{File: files[0], Line: len(r.trace), Why: "the outcome is not that of the grade"}
	}
	return nil
}

// unsolved are the outcomes that no run with a passing grade has.
var unsolved = []string{metric.Wrong, metric.Withheld, metric.Budget, metric.NoSubmission}

// whole returns a recorded run as an export is made of it.
func (r *recorded) whole() (export.Run, error) {
	w := export.Run{ID: r.id, Start: r.start, Trace: r.trace, Gate: r.gate, Manifests: map[string][]byte{}, Blobs: map[string][]byte{}}
	for _, when := range []string{trace.Pre, trace.Post} {
		w.Manifests[manifestOf(when)] = r.text[manifestOf(when)]
	}
	entries, err := os.ReadDir(filepath.Join(r.dir, "blobs"))
	if err != nil {
		return w, err
	}
	for _, e := range entries {
		if w.Blobs[e.Name()], err = r.folder().Get(e.Name()); err != nil {
			return w, err
		}
	}
	return w, nil
}

// whole returns a run that was played again as an export is made of it.
func (a again) whole() (export.Run, error) {
	w := export.Run{ID: a.Run, Start: a.Start, Manifests: map[string][]byte{}, Blobs: a.blobs}
	for _, when := range []string{trace.Pre, trace.Post} {
		w.Manifests[manifestOf(when)] = a.text[manifestOf(when)]
	}
	var err error
	if w.Trace, err = trace.Read(files[0], a.text[files[0]], trace.Controller, a.Run); err != nil {
		return w, err
	}
	w.Gate, err = trace.Read(files[1], a.text[files[1]], trace.Gate, a.Run)
	return w, err
}
