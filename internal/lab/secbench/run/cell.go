package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/durable"
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
	Agent      string // a scripted one
	Controller string
	Condition  string
}

// Bench makes runs.
type Bench struct {
	Runner harness.Runner
	Now    func() time.Time
}

// Index is the name of the file that lists the finished runs of a folder.
const Index = "index.jsonl"

// Line is one line of the index.
type Line struct {
	Run       string `json:"run"`
	TraceHead string `json:"trace_head"`
	GateHead  string `json:"gate_head"`
}

// limits are the budget as a prompt says it.
func limits(b trace.Budget) task.Limits {
	return task.Limits{Turns: b.Turns, Calls: b.Calls, KiB: b.Bytes >> 10, Seconds: b.ToolMS / 1000}
}

// start is what a cell is, as its trace begins.
func (b Bench) start(c Cell, f *task.Fixture, model string) (trace.RunStart, string, error) {
	prompt, err := c.Task.Prompt(c.Condition, limits(warden.Budget))
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
		Task: c.Task.ID, Seed: c.Seed, Variant: f.Variant(), Kind: c.Task.Kind, Model: model,
		Lineage: trace.Lineage{Method: "none"}, Engine: trace.Engine{Name: "scripted", SamplerSeed: c.Seed},
		Controller: c.Controller, Encoding: "native", Condition: c.Condition,
		PolicyHash: trace.Sum(policy), ToolsHash: tool.Hash(), PromptHash: trace.Sum([]byte(prompt)), Detector: refusal.Version,
		Budget: warden.Budget, Layers: layers, Suite: task.Suite,
	}, prompt, nil
}

// Run plays a cell into a folder of its own below dir, which must be there. A cell
// that the index has is not played again: ran is false then.
func (b Bench) Run(ctx context.Context, c Cell, dir string) (out Outcome, ran bool, err error) {
	p, prompt, err := b.prepare(c)
	if err != nil {
		return out, false, err
	}
	id, err := trace.RunID(p.start)
	if err != nil {
		return out, false, err
	}
	if err := cutIndex(dir); err != nil {
		return out, false, err
	}
	done, err := ReadIndex(dir)
	if err != nil {
		return out, false, err
	}
	if slices.ContainsFunc(done, func(l Line) bool { return l.Run == id }) {
		out, err = Replay(ctx, filepath.Join(dir, id))
		return out, false, err
	}
	folder := filepath.Join(dir, id)
	if err := os.RemoveAll(folder); err != nil { // of a run that was not finished
		return out, false, err
	}
	if out, err = b.into(ctx, p, prompt, folder); err != nil {
		return out, false, fmt.Errorf("%s, seed %d: %w", c.Task.ID, c.Seed, err)
	}
	if err := durable.SyncTree(folder); err != nil { // before the index says that it is all there
		return out, false, err
	}
	return out, true, addLine(dir, Line{out.Run, out.TraceHead, out.GateHead})
}

// Try plays a cell and keeps nothing of it.
func (b Bench) Try(ctx context.Context, c Cell) (out Outcome, err error) {
	p, prompt, err := b.prepare(c)
	if err != nil {
		return out, err
	}
	p.blobs = trace.Memory{}
	p.keep = func(string, []byte) error { return nil }
	if p.temp, err = os.MkdirTemp("", "licet-secbench-"); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.temp)) }()
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
	sheet, err := SheetOf(f, gold)
	if err != nil {
		return nil, "", err
	}
	m, err := agents.New(c.Agent, sheet)
	if err != nil {
		return nil, "", err
	}
	start, prompt, err := b.start(c, f, m.Name())
	return &play{start: start, fixture: f, gold: gold, model: m, runner: b.Runner}, prompt, err
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
	if p.temp, err = os.MkdirTemp("", "licet-secbench-"); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.temp)) }()
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

// addLine appends to the index, which says that a run is finished.
func addLine(dir string, l Line) error {
	v, err := trace.ValueOf(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, Index), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(v.AppendCanonical(nil), '\n'))
	return errors.Join(err, f.Sync(), f.Close(), durable.SyncDir(dir))
}

// cutIndex takes a last line without its end off the index: the program ended while
// it wrote it, and the run counts as not finished.
func cutIndex(dir string) error {
	path := filepath.Join(dir, Index)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if whole := bytes.LastIndexByte(text, '\n') + 1; err == nil && whole < len(text) {
		err = os.Truncate(path, int64(whole))
	}
	return err
}

// ReadIndex returns the finished runs of a folder; none if it has no index yet. A
// line that is not one is a *trace.Altered.
func ReadIndex(dir string) ([]Line, error) {
	text, err := os.ReadFile(filepath.Join(dir, Index))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines []Line
	for n := 1; len(text) > 0; n++ {
		row, rest, ended := bytes.Cut(text, []byte("\n"))
		var l Line
		err := json.Unmarshal(row, &l, json.RejectUnknownMembers(true))
		if v, bad := trace.ValueOf(l); err == nil && bad == nil && string(row) != v.Canonical() {
			err = errors.New("not in canonical form")
		}
		if err != nil || !ended || !runName.MatchString(l.Run) {
			return lines, &trace.Altered{File: Index, Line: n, Why: "no line of the index"}
		}
		lines, text = append(lines, l), rest
	}
	return lines, nil
}

// runName is the form of a run's id, which is also the name of its folder.
var runName = regexp.MustCompile(`\Ar-[0-9a-f]{16}\z`)

// SheetOf returns what a scripted agent is told of a task.
func SheetOf(f *task.Fixture, gold task.Gold) (agents.Sheet, error) {
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
	s.Trigger = fmt.Sprintf("%x", gold.Trigger)
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
