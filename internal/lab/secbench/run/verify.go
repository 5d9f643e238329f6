package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/warden"
)

// recorded is a folder of a run, read and checked on its own: chains, hashes of
// blobs, what one names of the other.
type recorded struct {
	id          string
	dir         string
	text        map[string][]byte // of the four files
	trace, gate []trace.Event
	start       trace.RunStart
	public      bool // it is the public form of a run (package export)
}

// files are those of a run, beside its blobs. The first two are its channels.
var files = []string{"trace.jsonl", "gate.jsonl", manifestOf(trace.Pre), manifestOf(trace.Post)}

// channels are the files that are chains.
var channels = files[:2]

// manifestOf names the file of a manifest.
func manifestOf(when string) string { return "manifest." + when + ".json" }

// load reads a run. An altered file is a *trace.Altered.
func load(dir string) (*recorded, error) {
	r := &recorded{id: strings.TrimSuffix(filepath.Base(dir), unfinished), dir: dir, text: map[string][]byte{}}
	var err error
	for _, name := range files {
		if r.text[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, &trace.Altered{File: name, Why: "it cannot be read"}
		}
	}
	if r.trace, err = trace.Read(files[0], r.text[files[0]], trace.Controller, r.id); err != nil {
		return nil, err
	}
	if r.gate, err = trace.Read(files[1], r.text[files[1]], trace.Gate, r.id); err != nil {
		return nil, err
	}
	if len(r.trace) == 0 || len(r.gate) == 0 {
		return nil, &trace.Altered{File: files[0], Why: "a channel without an event"}
	}
	if r.start, err = trace.Decode[trace.RunStart](r.trace[0]); err != nil {
		return nil, &trace.Altered{File: files[0], Line: 1, Why: err.Error()}
	}
	r.public = r.trace[0].Orig != ""
	for _, name := range channels {
		for i, e := range r.events(name) {
			if (e.Orig != "") != (r.public && e.Type != trace.TypeRedaction) {
				return nil, &trace.Altered{File: name, Line: i + 1, Why: "orig is where the event has none, or is not where it has one"}
			}
		}
	}
	for _, check := range []func() error{r.others, r.snapshots, r.blobs} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// others says whether something lies in the folder that is no part of a run: nothing
// would ever look at it, and it would be given away with the rest.
func (r *recorded) others() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "blobs" && !slices.Contains(files, e.Name()) {
			return &trace.Altered{File: e.Name(), Why: "it is no part of a run"}
		}
	}
	return nil
}

// events are those of a channel; a file that is none has none.
func (r *recorded) events(file string) []trace.Event {
	switch file {
	case channels[0]:
		return r.trace
	case channels[1]:
		return r.gate
	}
	return nil
}

// snapshots checks the manifests against what channel 1 says of them.
func (r *recorded) snapshots() error {
	for _, e := range r.trace {
		if e.Type != trace.TypeSnapshot {
			continue
		}
		s, err := trace.Decode[trace.Snapshot](e)
		if err != nil {
			return err
		}
		if name := manifestOf(s.When); trace.Sum(r.text[name]) != s.ManifestSHA {
			return &trace.Altered{File: name, Why: "its content does not have the hash that the trace names"}
		}
	}
	return nil
}

// blobs checks every blob against its name.
func (r *recorded) blobs() error {
	entries, err := os.ReadDir(filepath.Join(r.dir, "blobs"))
	if err != nil {
		return &trace.Altered{File: "blobs", Why: "it cannot be read"}
	}
	for _, e := range entries {
		if _, err := r.folder().Get(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorded) folder() trace.Folder { return trace.Folder(filepath.Join(r.dir, "blobs")) }

// answers are those of the model.
func (r *recorded) answers() ([]model.Answer, error) {
	var all []model.Answer
	for _, e := range r.trace {
		if e.Type != trace.TypeAssistant {
			continue
		}
		a, err := trace.Decode[trace.Assistant](e)
		if err != nil {
			return nil, err
		}
		raw, err := r.folder().Get(a.RawSHA)
		if err != nil {
			return nil, err
		}
		var answer model.Answer
		if err := json.Unmarshal(raw, &answer, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("turn %d: %w", a.Turn, err)
		}
		all = append(all, answer)
	}
	return all, nil
}

// recording gives the answers again. That the conversation did not fit any more was no
// answer: only the end says so.
func (r *recorded) recording(answers model.Recorded) (model.Model, error) {
	last := r.trace[len(r.trace)-1]
	if last.Type != trace.TypeRunEnd {
		return answers, nil
	}
	end, err := trace.Decode[trace.RunEnd](last)
	if err == nil && end.Reason == trace.EndContext {
		return model.Filled{Recorded: answers}, nil
	}
	return answers, err
}

// outputNames are the blobs with the output of harnesses, first of those that the
// agent ran, then of the grader's.
func (r *recorded) outputNames() ([]string, error) {
	var names []string
	for _, e := range r.gate {
		if e.Type == trace.TypeEffect {
			effect, err := trace.Decode[trace.Effect](e)
			if err != nil {
				return nil, err
			}
			names = append(names, effect.Output)
		}
	}
	for _, e := range r.trace {
		if e.Type == trace.TypeGrade {
			g, err := trace.Decode[trace.Grade](e)
			if err != nil {
				return nil, err
			}
			for _, c := range g.Checks {
				names = append(names, c.DetailSHA)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" }), nil
}

// outputs are those of harnesses, in the same order.
func (r *recorded) outputs() ([]harness.Output, error) {
	names, err := r.outputNames()
	if err != nil {
		return nil, err
	}
	var all []harness.Output
	for _, name := range names {
		outputs, err := harness.Kept(r.folder(), name)
		if err != nil {
			return nil, err
		}
		all = append(all, outputs...)
	}
	return all, nil
}

// shadow is the contract that watched, nil if none did.
func (r *recorded) shadow() ([]byte, error) {
	opened, err := trace.Decode[trace.GateOpen](r.gate[0])
	if err != nil || opened.ShadowSHA == "" {
		return nil, err
	}
	return r.folder().Get(opened.ShadowSHA)
}

// times gives the times of recorded events, one after the other, and then the last
// one.
func times(events []trace.Event) clock {
	n := 0
	return func() time.Time {
		t := events[min(n, len(events)-1)].TS
		n++
		return t
	}
}

// again is a recorded run that was played once more.
type again struct {
	Outcome
	text  map[string][]byte
	blobs trace.Memory
}

// ofSuite says whether a run was recorded under the present suite: only then must
// playing it again come to what was recorded.
func (r *recorded) ofSuite() error {
	if r.start.Suite != task.Suite {
		return fmt.Errorf("it was recorded under suite %s, and this program has %s: grade it under that with --as and --out", r.start.Suite, task.Suite)
	}
	return nil
}

// replay plays a recorded run under the present suite. runner = nil takes the recorded
// output of harnesses.
func (r *recorded) replay(ctx context.Context, runner harness.Runner) (a again, err error) {
	t, err := task.Get(r.start.Task)
	if err != nil {
		return a, err
	}
	if r.start.Budget != warden.BudgetOf(t) {
		return a, errors.New("it was recorded under another budget")
	}
	a = again{text: map[string][]byte{}, blobs: trace.Memory{}}
	p := &play{blobs: a.blobs}
	p.keep = func(name string, content []byte) error { a.text[name] = content; return nil }
	if p.fixture, err = t.Fixture(r.start.Seed); err != nil {
		return a, err
	}
	if p.gold, err = p.fixture.Gold(); err != nil {
		return a, err
	}
	outputs, err := r.outputs()
	if err != nil {
		return a, err
	}
	answers, err := r.answers()
	if err != nil {
		return a, err
	}
	kept := harness.Recorded{Outputs: outputs, Under: r.start.Layers}
	p.runner = &kept
	if runner != nil {
		p.runner = &harness.Again{Recorded: kept, Runner: runner}
	}
	if p.model, err = r.recording(answers); err != nil {
		return a, err
	}
	cell := Cell{Task: t, Seed: r.start.Seed, Player: playerOf(r.start), Controller: r.start.Controller, Condition: r.start.Condition}
	if p.shadow, err = r.shadow(); err != nil {
		return a, err
	}
	start, prompt, err := Bench{Runner: p.runner, Shadow: p.shadow}.start(cell, p.fixture)
	if err != nil {
		return a, err
	}
	p.start = start
	p.start.Layers = r.start.Layers
	p.start.Detector = r.start.Detector // recorded words are read again under the rules of their time
	temp, err := scratch.New()
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	p.temp = temp.Path
	if err := p.open(io.Discard, io.Discard, times(r.trace), times(r.gate)); err != nil {
		return a, err
	}
	a.Outcome, err = p.run(ctx, prompt)
	a.text[files[0]], a.text[files[1]] = p.channel1.Bytes(), p.channel2.Bytes()
	return a, err
}

// is checks that the channels end where a line of the index says.
func (r *recorded) is(line Line) error {
	heads := []string{line.TraceHead, line.GateHead}
	for i, name := range channels {
		if events := r.events(name); events[len(events)-1].Hash != heads[i] {
			return &trace.Altered{File: name, Line: len(events), Why: "its last event is not the one that the index names"}
		}
	}
	return nil
}

// errBefore is the trouble of a run that was made before: what it was is not recorded.
var errBefore = errors.New("it ended so when it was made")

// ended returns what a finished run ended with, as it was recorded.
func ended(dir string, line Line) (Outcome, error) {
	out := Outcome{Run: line.Run, TraceHead: line.TraceHead, GateHead: line.GateHead}
	r, err := load(dir)
	if err != nil {
		return out, err
	}
	if err := r.is(line); err != nil {
		return out, err
	}
	out.Start = r.start
	if out.End, err = trace.Decode[trace.RunEnd](r.trace[len(r.trace)-1]); err != nil {
		return out, err
	}
	if out.End.Reason == trace.EndError {
		out.Trouble = errBefore
	}
	return out, nil
}

// Replay grades a recorded run again and returns what it comes to. That cannot be said
// of a public form in which something is hidden that the run depends on.
func Replay(ctx context.Context, dir string) (Outcome, error) {
	r, err := load(dir)
	if err != nil {
		return Outcome{}, err
	}
	if err := r.playable(); err != nil {
		return Outcome{}, err
	}
	if err := r.ofSuite(); err != nil {
		return Outcome{}, err
	}
	a, err := r.replay(ctx, nil)
	return a.Outcome, err
}

// Verify checks a recorded run against its line of the index, plays it once more and
// compares everything. nil means that every byte is as it must be; a *trace.Altered
// says where one is not. Of a public form what can be checked may not be everything:
// then it is a *Partial. A runner runs harnesses anew; without one their recorded
// output is taken.
func Verify(ctx context.Context, dir string, line Line, runner harness.Runner) error {
	r, err := load(dir)
	if err != nil {
		return err
	}
	if err := r.is(line); err != nil {
		return err
	}
	if err := r.ofSuite(); err != nil {
		return err
	}
	if r.public {
		return r.verifyPublic(ctx, runner)
	}
	a, err := r.replay(ctx, runner)
	if err != nil {
		return fmt.Errorf("playing it again: %w", err)
	}
	err = r.same(a.text, a.blobs)
	if at := (*trace.Altered)(nil); a.Trouble != nil && errors.As(err, &at) {
		at.Why += ": " + a.Trouble.Error() // such as model.ErrDiverged
	}
	return err
}

// same compares a run with what it should be.
func (r *recorded) same(text map[string][]byte, blobs trace.Memory) error {
	for _, name := range slices.Backward(files) { // manifests first: channels name them
		if at := r.compare(name, text[name]); at != nil {
			return at
		}
	}
	return r.sameBlobs(blobs)
}

// compare says where a file is not what it should be; nil = nowhere.
func (r *recorded) compare(name string, want []byte) *trace.Altered {
	got := r.text[name]
	if bytes.Equal(got, want) {
		return nil
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	line := 1 + bytes.Count(got[:at], []byte("\n"))
	a := &trace.Altered{File: name, Line: line, Byte: at - bytes.LastIndexByte(got[:at], '\n'), Why: "it is not what comes of playing it again"}
	if events := r.events(name); line <= len(events) {
		a.Why = string(events[line-1].Type) + " " + events[line-1].Call + ": " + a.Why
	}
	return a
}

// sameBlobs says whether exactly the blobs are there that the run names.
func (r *recorded) sameBlobs(want trace.Memory) error {
	entries, err := os.ReadDir(filepath.Join(r.dir, "blobs"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := want.Get(e.Name()); err != nil {
			return &trace.Altered{File: "blobs/" + e.Name(), Why: "nothing names it"}
		}
	}
	for sha := range want {
		if _, err := r.folder().Get(sha); err != nil {
			return err
		}
	}
	return nil
}
