package run

import (
	"github.com/licet-dev/licet/internal/lab/secbench/export"
	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Audit says what the public form of a run hides.
type Audit struct {
	Hidden map[redact.Rule]int // how often a rule replaces something
	Left   int                 // what a scan finds in that form all the same; must be 0
}

// AuditOf makes the public form of a recorded run, of which nothing is kept, and scans
// it. Of a run that is in its public form already its events say what was hidden.
func AuditOf(dir string) (Audit, error) {
	r, err := load(dir)
	if err != nil {
		return Audit{}, err
	}
	if r.public {
		return r.audited()
	}
	whole, err := r.whole()
	if err != nil {
		return Audit{}, err
	}
	p, err := export.Of(whole)
	if err != nil {
		return Audit{}, err
	}
	a := Audit{Hidden: p.Replaced}
	for name, content := range p.Files {
		a.Left += len(p.Leaks(name, content))
	}
	return a, nil
}

// audited reads what the export of a run noted.
func (r *recorded) audited() (Audit, error) {
	a := Audit{Hidden: map[redact.Rule]int{}}
	for _, e := range r.trace {
		if e.Type != trace.TypeRedaction {
			continue
		}
		n, err := trace.Decode[trace.Redaction](e)
		if err != nil {
			return a, err
		}
		a.Hidden[redact.Rule(n.Rule)] += n.Count
	}
	return a, nil
}
