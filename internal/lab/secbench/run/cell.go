package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/refusal"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/tool"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

// Cell is what is run once.
type Cell struct {
	Task       *task.Task
	Seed       int
	Player     Player
	Controller string
	Condition  string
}

// Bench makes runs.
type Bench struct {
	Runner harness.Runner
	Now    func() time.Time
	Shadow []byte // a contract that only watches (package warden); nil = none
}

// shadowHash names the contract that watches.
func (b Bench) shadowHash() string {
	if b.Shadow == nil {
		return ""
	}
	return trace.Sum(b.Shadow)
}

// limits are the budget as a prompt says it.
func limits(b trace.Budget) task.Limits {
	return task.Limits{Turns: b.Turns, Calls: b.Calls, KiB: b.Bytes >> 10, Seconds: b.ToolMS / 1000}
}

// start is what a cell is, as its trace begins.
func (b Bench) start(c Cell, f *task.Fixture) (trace.RunStart, string, error) {
	prompt, err := c.prompt()
	if err != nil {
		return trace.RunStart{}, "", err
	}
	policy, err := warden.ContractOf(f).Text()
	if err != nil {
		return trace.RunStart{}, "", err
	}
	layers := b.Runner.Layers()
	if layers == nil {
		layers = []string{}
	}
	return trace.RunStart{
		Task: c.Task.ID, Seed: c.Seed, Variant: f.Variant(), Kind: c.Task.Kind, Model: c.Player.Name, Served: c.Player.Served,
		Lineage: c.Player.Lineage, Engine: c.Player.engine(c.Seed),
		Controller: c.Controller, Encoding: c.Player.Encoding, Condition: c.Condition,
		PolicyHash: trace.Sum(policy), ShadowHash: b.shadowHash(), ToolsHash: tool.Hash(), PromptHash: trace.Sum([]byte(prompt)), Detector: refusal.Version,
		Budget: warden.BudgetOf(c.Task), Layers: layers, Suite: task.Suite,
	}, prompt, nil
}

// Run plays a cell into a folder of runs. A cell that the folder's index has is not
// played again: ran is false then, and the outcome has what the run ended with.
func (b Bench) Run(ctx context.Context, c Cell, dir string) (out Outcome, ran bool, err error) {
	s, err := OpenSet(dir)
	if err != nil {
		return out, false, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	jobs, err := b.Jobs([]Cell{c})
	if err != nil {
		return out, false, err
	}
	return jobs[0].run(ctx, s)
}

// Try plays a cell and keeps nothing of it.
func (b Bench) Try(ctx context.Context, c Cell) (out Outcome, err error) {
	p, prompt, err := b.prepare(c)
	if err != nil {
		return out, err
	}
	p.blobs = trace.Memory{}
	p.keep = func(string, []byte) error { return nil }
	temp, err := scratch.New()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	p.temp = temp.Path
	if err := p.open(io.Discard, io.Discard, b.Now, b.Now); err != nil {
		return out, err
	}
	return p.run(ctx, prompt)
}

// prepare makes all of a run but the places that it is written to.
func (b Bench) prepare(c Cell) (*play, string, error) {
	f, err := c.Task.Fixture(c.Seed)
	if err != nil {
		return nil, "", err
	}
	gold, err := f.Gold()
	if err != nil {
		return nil, "", err
	}
	m, err := c.Player.model(c.Seed, f, gold)
	if err != nil {
		return nil, "", err
	}
	start, prompt, err := b.start(c, f)
	return &play{start: start, fixture: f, gold: gold, model: m, runner: b.Runner, shadow: b.Shadow}, prompt, err
}

// into plays a run into a folder.
func (b Bench) into(ctx context.Context, p *play, prompt, folder string) (out Outcome, err error) {
	if err := durable.MkdirAll(filepath.Join(folder, "blobs")); err != nil {
		return out, err
	}
	p.blobs = trace.Folder(filepath.Join(folder, "blobs"))
	p.keep = func(name string, content []byte) error {
		return os.WriteFile(filepath.Join(folder, name), content, 0o600)
	}
	temp, err := scratch.New()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	p.temp = temp.Path
	files := make([]*os.File, 2)
	for i, name := range []string{"trace.jsonl", "gate.jsonl"} {
		if files[i], err = os.Create(filepath.Join(folder, name)); err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, files[i].Close()) }()
	}
	if err := p.open(files[0], files[1], b.Now, b.Now); err != nil {
		return out, err
	}
	return p.run(ctx, prompt)
}

// makeSheet makes what a scripted agent is told of a task.
func makeSheet(f *task.Fixture, gold task.Gold) (agents.Sheet, error) {
	t := f.Task
	s := agents.Sheet{
		Task: t.ID, Seed: f.Seed, Lang: t.Lang, Granted: t.Granted(), Roles: t.Roles, Verdicts: t.Verdicts, Harness: t.Harness, Probe: t.Kind == task.Probe,
		Verdict: t.Verdicts[0], CWE: gold.Accept.CWE[0],
	}
	if len(gold.Accept.Verdict) > 0 {
		s.Verdict = gold.Accept.Verdict[0]
	}
	for _, l := range gold.Lines {
		s.Lines = append(s.Lines, agents.Line{Role: l.Role, File: l.File, Line: l.Line, Loc: slices.Contains(gold.Accept.Loc, l.Role)})
	}
	for _, input := range [][]byte{gold.Trigger, gold.Regular} {
		if len(input) > 0 {
			s.Inputs = append(s.Inputs, fmt.Sprintf("%x", input))
		}
	}
	if len(t.Patchable) == 0 {
		return s, nil
	}
	twin, err := t.Twin(f.Seed)
	if err != nil {
		return s, err
	}
	var patch strings.Builder
	for i, file := range f.Files {
		patch.WriteString(udiff.Make(file.Path, file.Text, twin.Files[i].Text))
	}
	s.Patch = patch.String()
	return s, nil
}
