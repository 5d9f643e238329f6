package run

import (
	"path/filepath"
	"slices"

	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Audit says what the public form of a run would hide.
type Audit struct {
	Hidden map[redact.Rule]int // how often a rule replaces something
	Left   int                 // what a scan finds in that form all the same; must be 0
}

// AuditOf reads all texts of a recorded run, and says what must be hidden of them.
func AuditOf(dir string) (Audit, error) {
	r, err := load(dir)
	if err != nil {
		return Audit{}, err
	}
	hidden, err := r.hidden()
	if err != nil {
		return Audit{}, err
	}
	texts, err := r.texts()
	if err != nil {
		return Audit{}, err
	}
	a, public := Audit{}, redact.New(hidden)
	for _, text := range texts {
		a.Left += len(redact.Scan(hidden, string(public.Blob(text))))
	}
	a.Hidden = public.Counts()
	return a, nil
}

// hidden is what the run must not show.
func (r *recorded) hidden() (redact.Hidden, error) {
	t, err := task.Get(r.start.Task)
	if err != nil {
		return redact.Hidden{}, err
	}
	f, err := t.Fixture(r.start.Seed)
	if err != nil {
		return redact.Hidden{}, err
	}
	gold, err := f.Gold()
	if err != nil {
		return redact.Hidden{}, err
	}
	inputs, err := r.inputs()
	return redact.Of(f, gold, inputs...), err
}

// inputs are those that the run handed in.
func (r *recorded) inputs() (all [][]byte, err error) {
	for _, e := range r.trace {
		if e.Type != trace.TypeSubmission {
			continue
		}
		s, err := trace.Decode[trace.Submission](e)
		if err != nil {
			return nil, err
		}
		for _, in := range s.Inputs {
			text, err := r.folder().Get(in.SHA256)
			if err != nil {
				return nil, err
			}
			all = append(all, text)
		}
	}
	return all, nil
}

// texts are those of both channels, event by event, of the manifests and of all
// blobs.
func (r *recorded) texts() (all [][]byte, err error) {
	for _, e := range slices.Concat(r.trace, r.gate) {
		all = append(all, []byte(e.Data.Canonical()))
	}
	all = append(all, r.text[files[2]], r.text[files[3]])
	blobs, err := filepath.Glob(filepath.Join(r.dir, "blobs", "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range blobs {
		text, err := r.folder().Get(filepath.Base(path))
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}
