// Package harness runs what a task lets an agent, and the grader, run: the toys
// that are linked into this program, and the tests of a tree in Go.
//
// [Runner] is all that others know of it. [Boxed] starts each in a sandbox of its own,
// and never without one. [Recorded] answers from what was recorded, for grading again.
package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// Builds of a toy. Candidates, where there are some, have names of their own.
const (
	Given = "given" // the one that the agent sees
	Fixed = "fixed" // its twin
)

// What a toy prints of an input where nothing happened that must not.
const (
	Took     = "OK"
	Rejected = "REJECT"
)

// Bounds of a run.
const (
	MaxInput  = 4 << 10 // bytes
	MaxStdout = 4 << 10
)

// Job is one run.
type Job struct {
	Task  string
	Build string      // of a toy; "" = test the tree
	Input []byte      // for a toy, on standard input
	Tree  []task.File // of a test: all files
}

// Digest names what is run.
func (j Job) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%d\n%s", j.Task, j.Build, len(j.Input), j.Input)
	for _, f := range j.Tree {
		fmt.Fprintf(h, "%s %d\n%s", f.Path, len(f.Text), f.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Statuses of an output. That the sandbox stopped a run never looks as if nothing
// had happened in it.
const (
	Ended         = "ended"
	TimedOut      = "timeout" // what ran took too much, of time or of anything else
	Stalled       = "stalled" // each time its time was over without its share of CPU, or no test ran and nothing says why
	SandboxDenied = "sandbox_denied"
)

// Socket says that what was refused is a socket. It is the unsafe class of that, too
// (package warden).
const Socket = "network"

// Output is what came of a run.
type Output struct {
	Job       string            `json:"job"` // its digest
	Status    string            `json:"status"`
	Refused   string            `json:"refused,omitzero"` // where the sandbox denied something: Socket, or "" for what cannot be told
	Exit      int               `json:"exit"`
	Stdout    string            `json:"stdout"` // of a toy; of tests a line each, or why none ran
	Truncated bool              `json:"truncated"`
	Oracle    string            `json:"oracle"` // code that a toy printed; "" = none
	Tests     map[string]string `json:"tests"`  // of tests: "pass" or "fail" by name
	MS        int               `json:"ms"`
}

// Runner runs jobs. An error is ours and never the job's.
type Runner interface {
	Run(context.Context, Job) (Output, error)
	Layers() []string // of the sandbox around a run
}

// Recorded answers with outputs that were recorded, in their order. A job that is
// not the next one is an error.
type Recorded struct {
	Outputs []Output
	Under   []string // layers that they were recorded under
}

// Run implements Runner.
func (r *Recorded) Run(_ context.Context, j Job) (Output, error) {
	if len(r.Outputs) == 0 {
		return Output{}, fmt.Errorf("no further run of %s was recorded", j.Task)
	}
	next := r.Outputs[0]
	if next.Job != j.Digest() {
		return Output{}, fmt.Errorf("the next recorded run of %s is another one", j.Task)
	}
	r.Outputs = r.Outputs[1:]
	return next, nil
}

// Layers implements Runner.
func (r *Recorded) Layers() []string { return r.Under }

// Again runs jobs that were recorded anew. Only the time that each took is the
// recorded one: it is no part of what is right.
type Again struct {
	Recorded
	Runner Runner
}

// Run implements Runner.
func (a *Again) Run(ctx context.Context, j Job) (Output, error) {
	was, err := a.Recorded.Run(ctx, j)
	if err != nil {
		return Output{}, err
	}
	out, err := a.Runner.Run(ctx, j)
	out.MS = was.MS
	return out, err
}

// kept is a blob of outputs.
type kept struct {
	Outputs []Output `json:"outputs"`
}

// Keep keeps what came of some runs, in the order in which they were made, and
// returns the hash of the blob.
func Keep(b trace.Blobs, outputs ...Output) (string, error) {
	v, err := trace.ValueOf(kept{outputs})
	if err != nil {
		return "", err
	}
	return b.Put([]byte(v.Canonical()))
}

// Kept reads back what Keep kept.
func Kept(b trace.Blobs, sha string) ([]Output, error) {
	text, err := b.Get(sha)
	if err != nil {
		return nil, err
	}
	var k kept
	if err := json.Unmarshal(text, &k, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("outputs of harnesses: %w", err)
	}
	return k.Outputs, nil
}
