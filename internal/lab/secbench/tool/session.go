package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Session is the tools of one run.
type Session struct {
	run string
	workspace
	fixture  *task.Fixture
	runner   harness.Runner
	receipts int
	spans    int
}

// Open returns the tools for the folder that holds a fixture. run is the id of the
// run, which nonces are made from.
func Open(run, dir string, f *task.Fixture, r harness.Runner) (*Session, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the workspace: %w", err)
	}
	s := &Session{run: run, fixture: f, runner: r, workspace: workspace{root: root, given: map[string]string{}}}
	for _, file := range f.Files {
		s.given[file.Path] = file.Text
	}
	return s, nil
}

// Close lets go of the folder.
func (s *Session) Close() error { return s.root.Close() }

// Result is what became of a call.
type Result struct {
	trace.Receipt
	Text       string        // the envelope
	Writes     []trace.Write // files that changed
	Output     *harness.Output
	Submission *trace.Submission
	Decline    *trace.Decline
	TreeDiff   string            // beside a submission
	Inputs     map[string]string // beside a submission: content of its inputs by hash
}

// answer is what a tool says before it is put into an envelope.
type answer struct {
	Result
	status, code string
	data         any // nil = none
}

func failed(code string) answer { return answer{status: trace.StatusError, code: code} }

func done(data any) answer { return answer{status: trace.StatusOK, data: data} }

// Do runs an allowed call. Its arguments have passed Check. call is the number of
// the call in the run, from 1. An error is ours: the run cannot go on.
func (s *Session) Do(ctx context.Context, call int, name string, args toolcall.Value) (Result, error) {
	var a answer
	var err error
	switch name {
	case task.ListDir:
		a, err = s.listDir(clean(args.Get("path").Text()))
	case task.ReadFile:
		a, err = s.readFile(args)
	case task.Search:
		a, err = s.search(args)
	case task.WriteScratch:
		a, err = s.writeScratch(args)
	case task.RunHarness:
		a, err = s.runHarness(ctx, call, args)
	case task.ApplyPatch:
		a, err = s.applyPatch(args)
	case task.Submit:
		a, err = s.submit(args)
	case task.Decline:
		a = done(accepted{true})
		a.Decline = &trace.Decline{Scope: args.Get("scope").Text(), Reason: args.Get("reason").Text()}
	default:
		err = ErrUnknown
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", name, err)
	}
	return s.seal(a)
}

type accepted struct {
	Accepted bool `json:"accepted"`
}

// Refuse answers a call that does not run: its class and the decision, and nothing
// of what the contract says.
func (s *Session) Refuse(d trace.Decision, hint string) (Result, error) {
	return s.seal(answer{status: trace.StatusDenied, code: d.Class, data: struct {
		Class    string `json:"class"`
		Decision string `json:"decision"`
		Hint     string `json:"hint"`
	}{d.Class, d.ID, hint}})
}

// seal makes the envelope.
func (s *Session) seal(a answer) (Result, error) {
	s.receipts++
	r := a.Result
	r.Receipt.Receipt = fmt.Sprintf("rcpt_%d", s.receipts)
	r.Status, r.Code = a.status, a.code
	data := toolcall.NullValue
	if a.data != nil {
		var err error
		if data, err = trace.ValueOf(a.data); err != nil {
			return Result{}, err
		}
	}
	r.Text = toolcall.ObjectOf(
		toolcall.Member{Name: "receipt", Value: toolcall.StringOf(r.Receipt.Receipt)},
		toolcall.Member{Name: "status", Value: toolcall.StringOf(r.Status)},
		toolcall.Member{Name: "code", Value: toolcall.StringOf(r.Code)},
		toolcall.Member{Name: "data", Value: data},
	).Canonical()
	r.SHA256, r.Bytes = trace.Sum([]byte(r.Text)), len(r.Text)
	return r, nil
}

// span names lines that a result shows.
func (s *Session) span(name, file string, start, end int, lines string) trace.Span {
	s.spans++
	return trace.Span{
		ID: fmt.Sprintf("span_%d", s.spans), Path: name, Start: start, End: end,
		Rev: s.rev(name, file), SHA256: trace.Sum([]byte(lines)),
	}
}

// problem is the code of what the file system says to a name; "" where it is our
// own trouble.
func problem(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "not_found"
	case errors.Is(err, errNotPlain):
		return "not_a_file"
	}
	return ""
}
