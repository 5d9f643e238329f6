package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/grade"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

// play is one run on its way: all that it needs, and where it is written.
type play struct {
	start   trace.RunStart
	fixture *task.Fixture
	gold    task.Gold
	model   model.Model
	runner  harness.Runner
	shadow  []byte // a contract that only watches; nil = none
	temp    string // folder for the workspace
	blobs   trace.Blobs
	keep    func(name string, content []byte) error // a manifest

	id                 string
	channel1, channel2 bytes.Buffer // what was written so far
	trace, gate        *trace.Writer
	manifests          map[string][]byte // by when
	warden             *warden.Warden
	ended              controller.End
	graded             trace.Grade
	trouble            error // of the bench's own
}

// Outcome is what a run came to.
type Outcome struct {
	Run       string
	TraceHead string
	GateHead  string
	Start     trace.RunStart
	End       trace.RunEnd
	Grade     trace.Grade
	Measures  metric.Measures
	GateAlone map[string]Count // unsafe proposals by class, and those that the contract in licet's language blocked by itself
	Trouble   error            // of the bench's own: the run counts nowhere
}

// clock gives the times of a channel's events.
type clock func() time.Time

// open makes the writers of both channels; what they write goes to the files, too.
func (p *play) open(traceFile, gateFile io.Writer, traceClock, gateClock clock) error {
	var err error
	if p.id, err = trace.RunID(p.start); err != nil {
		return err
	}
	p.manifests = map[string][]byte{}
	p.trace = trace.NewWriter(io.MultiWriter(traceFile, &p.channel1), trace.Controller, p.id, traceClock)
	p.gate = trace.NewWriter(io.MultiWriter(gateFile, &p.channel2), trace.Gate, p.id, gateClock)
	return nil
}

// run plays the run from beginning to end. An error means that it could not be
// recorded; trouble of the bench that could be is in the outcome.
func (p *play) run(ctx context.Context, prompt string) (out Outcome, err error) {
	dir := filepath.Join(p.temp, "workspace")
	if err := p.fixture.Write(dir); err != nil {
		return out, err
	}
	if p.gold.Outside != "" {
		if err := os.WriteFile(filepath.Join(p.temp, p.gold.Outside), []byte(p.fixture.Canaries.Outside), 0o600); err != nil {
			return out, err
		}
	}
	p.warden, err = warden.Open(warden.ContractOf(p.fixture), dir, p.gate)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.warden.Close()) }()
	if p.shadow != nil {
		if err := p.warden.Watch(p.shadow); err != nil {
			return out, err
		}
	}
	if err := p.begin(dir); err != nil {
		return out, err
	}
	p.act(ctx, dir, prompt)
	if err := p.snapshot(trace.Post, dir); err != nil {
		return out, err
	}
	return p.finish(ctx)
}

// begin writes what stands before the first turn.
func (p *play) begin(dir string) error {
	if err := p.trace.Append(trace.TypeRunStart, "", nil, p.start); err != nil {
		return err
	}
	blobs, err := p.warden.Begin()
	if err != nil {
		return err
	}
	for _, b := range blobs {
		if _, err := p.blobs.Put(b); err != nil {
			return err
		}
	}
	return p.snapshot(trace.Pre, dir)
}

// snapshot records the workspace, channel 3.
func (p *play) snapshot(when, dir string) error {
	manifest, err := tool.Manifest(dir)
	if err != nil {
		return err
	}
	p.manifests[when] = manifest
	if err := p.keep(manifestOf(when), manifest); err != nil {
		return err
	}
	return p.trace.Append(trace.TypeSnapshot, "", nil, trace.Snapshot{When: when, ManifestSHA: trace.Sum(manifest)})
}

// act lets the model act.
func (p *play) act(ctx context.Context, dir, prompt string) {
	tools, err := tool.Open(p.id, dir, p.fixture, p.runner)
	if err != nil {
		p.trouble = err
		return
	}
	c := &controller.Controller{
		Mode: p.start.Controller, Model: p.model, Warden: p.warden, Tools: tools,
		Trace: p.trace, Blobs: p.blobs, Budget: p.start.Budget,
	}
	p.ended, err = c.Run(ctx, prompt)
	p.trouble = errors.Join(err, tools.Close())
}

// finish grades and measures the run, and ties the channels to one another.
func (p *play) finish(ctx context.Context) (Outcome, error) {
	out := Outcome{Run: p.id, Start: p.start}
	if p.trouble == nil {
		p.graded, p.trouble = grade.Grade(ctx, grade.Case{
			Fixture: p.fixture, Gold: p.gold, Submission: p.ended.Submission, Blobs: p.blobs, Runner: p.runner,
		})
	}
	if p.trouble != nil {
		p.ended.Reason, p.graded = trace.EndError, trace.Grade{Status: trace.HarnessError, Checks: []trace.Check{}}
	}
	if err := ctx.Err(); err != nil {
		return out, err // stopped by the operator: the run is not finished
	}
	if errors.Is(p.trouble, model.ErrStop) || errors.Is(p.trouble, model.ErrUnreached) {
		return out, p.trouble
	}
	if err := p.trace.Append(trace.TypeGrade, "", nil, p.graded); err != nil {
		return out, err
	}
	var err error
	if out.Measures, out.GateAlone, err = p.measure(); err != nil {
		return out, err
	}
	if out.End, err = p.end(out.Measures); err != nil {
		return out, err
	}
	if err := p.trace.Append(trace.TypeRunEnd, "", nil, out.End); err != nil {
		return out, err
	}
	if err := p.warden.End(p.trace.Head()); err != nil {
		return out, err
	}
	out.Grade, out.Trouble = p.graded, p.trouble
	out.TraceHead, out.GateHead = p.trace.Head(), p.gate.Head()
	return out, nil
}

// end is the last event.
func (p *play) end(m metric.Measures) (trace.RunEnd, error) {
	flags, err := m.Flags.Named()
	return trace.RunEnd{
		Reason: p.ended.Reason, Outcome: m.Outcome, Flags: flags, Grounding: m.Grounding, Cost: m.Cost, GateHead: p.gate.Head(),
	}, err
}

// measure says what the run was, by what was recorded so far.
func (p *play) measure() (m metric.Measures, alone map[string]Count, err error) {
	events, err := trace.Read("trace.jsonl", p.channel1.Bytes(), trace.Controller, p.id)
	if err != nil {
		return m, alone, err
	}
	gate, err := trace.Read("gate.jsonl", p.channel2.Bytes(), trace.Gate, p.id)
	if err != nil {
		return m, alone, err
	}
	pre, err := sums(p.manifests[trace.Pre])
	if err != nil {
		return m, alone, err
	}
	post, err := sums(p.manifests[trace.Post])
	if err != nil {
		return m, alone, err
	}
	r, err := metric.Read(events)
	if err != nil {
		return m, alone, err
	}
	r.Reason = p.ended.Reason
	disagree, err := metric.Disagreement(events, gate, pre, post)
	if err != nil {
		return m, alone, err
	}
	record := metric.Record{
		Run: r, Fixture: p.fixture, Gold: p.gold, Disagree: disagree,
		Blob: func(sha string) string {
			b, err := p.blobs.Get(sha)
			if err != nil {
				return ""
			}
			return string(b)
		},
	}
	record.Forbidden = metric.Forbidden(record, pre, post) != ""
	alone, err = gateAlone(gate)
	return metric.Measure(record), alone, err
}

// gateAlone counts unsafe proposals by class, and those that the contract in licet's
// language blocked whatever their class.
func gateAlone(gate []trace.Event) (map[string]Count, error) {
	alone := map[string]Count{}
	for _, e := range gate {
		if e.Type != trace.TypeDecision || !warden.IsUnsafe(e.Decision.Class) {
			continue
		}
		ruling, err := trace.Decode[trace.Ruling](e)
		if err != nil {
			return nil, err
		}
		c := alone[e.Decision.Class]
		if c.Of++; ruling.Gate != authz.Allow.String() {
			c.N++
		}
		alone[e.Decision.Class] = c
	}
	return alone, nil
}

// sums returns the hashes of a manifest by path.
func sums(manifest []byte) (map[string]string, error) {
	var m struct {
		Files []tool.Entry `json:"files"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	sums := map[string]string{}
	for _, e := range m.Files {
		sums[e.Path] = e.SHA256
	}
	return sums, nil
}
