package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/metric"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/refusal"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	"github.com/licet-dev/licet/internal/lab/secbench/udiff"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestMain makes this program what a sandbox starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "inside" {
		if err := harness.Inside(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func bench(t *testing.T) Bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	boxed := harness.NewBoxed(t.Context(), sandbox.Box{Self: []string{self, "inside"}})
	_, err = boxed.Run(t.Context(), harness.Job{Task: "T01", Build: harness.Given})
	if missing := new(sandbox.Missing); errors.As(err, &missing) {
		testkit.Missing(t, "LICET_REQUIRE_SANDBOX", err.Error())
	}
	return Bench{Runner: boxed, Now: time.Now}
}

func taskOf(t *testing.T, id string) *task.Task {
	t.Helper()
	loaded, err := task.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func tasks(t *testing.T) []*task.Task {
	t.Helper()
	var all []*task.Task
	for _, id := range task.IDs() {
		all = append(all, taskOf(t, id))
	}
	return all
}

// spine are the tasks on which every agent is played always, one of each family, and
// a control and a probe.
var spine = []string{"L01", "C01", "R01", "T01", "V01", "K01", "P01"}

// wholeTable is how many cells the specification has: of 56 tasks, the agent that knows
// and the one that does nothing with five seeds and ten others with one, and of the 24
// tasks with a harness one more.
const wholeTable = 56*(2*5+10) + 24

// TestPlan: all of them are played.
func TestPlan(t *testing.T) {
	if n := len(plan(tasks(t), Every)); n != wholeTable {
		t.Errorf("%d cells, want %d", n, wholeTable)
	}
}

// TestSelftest plays every agent on the tasks of the spine, and the one that knows
// and the one that does nothing on all others; in the long form all on all.
func TestSelftest(t *testing.T) {
	all := tasks(t)
	every, cells := Every, wholeTable
	if os.Getenv("LICET_LONG") == "" {
		every = func(t *task.Task) bool { return slices.Contains(spine, t.ID) }
		cells = len(spine)*(2*5+10) + 2 + 2*(len(all)-len(spine)) // T01 and V01 have a harness
	}
	r, err := bench(t).Selftest(t.Context(), t.TempDir(), all, every, 2, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Failures {
		t.Error(f)
	}
	if r.Ran != r.Planned || r.Ran != cells || r.Twins != len(all) || r.Repeats != repeats*len(all) || len(all) != 56 {
		t.Errorf("ran %d of %d cells, want %d; %d twins, %d repeats, %d tasks", r.Ran, r.Planned, cells, r.Twins, r.Repeats, len(all))
	}
	for class, c := range r.Unsafe {
		if alone := class != "limit_evasion"; alone && c.N != c.Of {
			t.Errorf("%s: the contract alone blocks %d of %d", class, c.N, c.Of)
		}
	}
	if len(r.Unsafe) != 7 {
		t.Errorf("unsafe classes that were tried: %v", r.Unsafe)
	}
}

// stalling is a machine on which no harness gets on.
type stalling struct{}

func (stalling) Run(_ context.Context, j harness.Job) (harness.Output, error) {
	return harness.Output{Job: j.Digest(), Status: harness.Stalled, Exit: -1}, nil
}

func (stalling) Layers() []string { return nil }

// TestSelftestStalls: where the harness of a task stalls, its cell and its twin are told
// as errors of the bench, and all other cells are played.
func TestSelftestStalls(t *testing.T) {
	b := Bench{Runner: stalling{}, Now: time.Now}
	some := []*task.Task{taskOf(t, "V01"), taskOf(t, "T01"), taskOf(t, "L01")} // L01 has no harness
	r, err := b.Selftest(t.Context(), t.TempDir(), some, Few, 1, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if r.Planned != 6 || r.Ran != 4 || r.Twins != 1 || r.Repeats != repeats || len(r.Failures) != 4 {
		t.Errorf("%d of %d cells ran, %d twins, %d repeats: %q", r.Ran, r.Planned, r.Twins, r.Repeats, r.Failures)
	}
	for _, f := range r.Failures {
		if strings.Contains(f, "L01") || !strings.Contains(f, "an error of the bench") || !strings.Contains(f, harness.Stalled) {
			t.Error(f)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Selftest(stopped, t.TempDir(), some, Few, 1, func(Progress) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestTableCanFail: each row takes only what its agent comes to. Every agent is held
// against the rows of all others.
func TestTableCanFail(t *testing.T) {
	b, held := bench(t), 0
	t01 := taskOf(t, "T01") // for which every row is
	for _, r := range table {
		out, err := b.selfCell(t.Context(), filepath.Join(t.TempDir(), "run"), Cell{t01, 1, Scripted(r.agent), r.mode, task.Plain})
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range table {
			if r.agent == other.agent && r.mode == other.mode || other.agent == agents.Grep {
				continue
			}
			what, ok := other.want(t01, out)
			if ok && !alike(r, other) {
				t.Errorf("what %s (%s) does passes as %s (%s): %s", r.agent, r.mode, other.agent, other.mode, what)
			}
			held++
		}
	}
	if held < 100 {
		t.Fatalf("only %d rows were held against others", held)
	}
}

// alike are rows that want the same.
func alike(a, b row) bool {
	pairs := [][2]string{{agents.Suppressor, agents.Placeholder}, {agents.Forger, agents.Stale}}
	return slices.ContainsFunc(pairs, func(p [2]string) bool {
		return slices.Contains(p[:], a.agent) && slices.Contains(p[:], b.agent)
	})
}

// one plays one cell into a folder of its own and returns the folder, with its line
// of the index.
func one(t *testing.T, b Bench, c Cell) (string, Outcome) {
	t.Helper()
	dir := t.TempDir()
	out, ran, err := b.Run(t.Context(), c, dir)
	if err != nil || !ran {
		t.Fatalf("ran %v, %v", ran, err)
	}
	return dir, out
}

// contents returns the files of a run by their path in its folder.
func contents(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[name], err = os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// exchange exchanges byte i of a file, wants verifying to say in which file, and in
// which line of a channel, and puts the byte back.
func exchange(t *testing.T, folder string, line Line, name string, text []byte, i int) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	altered := slices.Clone(text)
	altered[i] ^= 1
	if err := os.WriteFile(path, altered, 0o600); err != nil {
		t.Fatal(err)
	}
	a := (*trace.Altered)(nil)
	err := Verify(t.Context(), folder, line, nil)
	if !errors.As(err, &a) || a.File != name {
		t.Fatalf("%s, byte %d: %v", name, i, err)
	}
	// an exchanged line break is seen in either line
	if n := 1 + strings.Count(string(text[:i]), "\n"); strings.HasSuffix(name, ".jsonl") && a.Line != n && a.Line != n+1 {
		t.Fatalf("%s, byte %d in line %d: %v", name, i, n, err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAlteredLong: of a long run, bytes at random.
func TestAlteredLong(t *testing.T) {
	many := 200
	if os.Getenv("LICET_LONG") != "" {
		many = 5000
	}
	dir, out := one(t, bench(t), Cell{taskOf(t, "T01"), 1, Scripted(agents.Unsafe), controller.Strict, task.Plain})
	folder, line := filepath.Join(dir, out.Run), Line{out.Run, out.TraceHead, out.GateHead}
	exchangeSome(t, folder, line, many)
}

// TestAltered: of a short run every byte, or every 13th, and a file too many and one
// too few.
func TestAltered(t *testing.T) {
	step := 13
	if os.Getenv("LICET_LONG") != "" {
		step = 1
	}
	dir, out := one(t, bench(t), Cell{taskOf(t, "L01"), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
	folder, line := filepath.Join(dir, out.Run), Line{out.Run, out.TraceHead, out.GateHead}
	if err := Verify(t.Context(), folder, line, nil); err != nil {
		t.Fatal(err)
	}
	altered, seen := 0, map[string]bool{}
	for name, text := range contents(t, folder) {
		seen[path.Dir(name)] = true
		for i := 0; i < len(text); i += step {
			exchange(t, folder, line, name, text, i)
			altered++
		}
	}
	if altered < 500 || !seen["blobs"] || !seen["."] {
		t.Fatalf("only %d bytes were altered", altered)
	}
	for _, extra := range []string{"blobs/" + trace.Sum([]byte("x")), "notes.txt"} {
		path := filepath.Join(folder, filepath.FromSlash(extra))
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		wantAltered(t, folder, line, extra)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(folder, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "blobs", entries[0].Name())); err != nil {
		t.Fatal(err)
	}
	wantAltered(t, folder, line, "blobs/"+entries[0].Name())
}

func wantAltered(t *testing.T, folder string, line Line, file string) {
	t.Helper()
	a := (*trace.Altered)(nil)
	if err := Verify(t.Context(), folder, line, nil); !errors.As(err, &a) || a.File != file {
		t.Errorf("want %s, got %v", file, err)
	}
}

// TestNamedTwice: a run counts once: an index that names it twice was altered.
func TestNamedTwice(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "L01"), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
	index := filepath.Join(dir, Index)
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, append(text, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	a := (*trace.Altered)(nil)
	if lines, err := ReadIndex(dir); !errors.As(err, &a) || a.Line != 2 || len(lines) != 1 || lines[0].Run != out.Run {
		t.Errorf("%v, %v", lines, err)
	}
}

// TestCutTail: events taken from the end of both channels leave them whole, and the
// index shows it.
func TestCutTail(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "K01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain})
	folder := filepath.Join(dir, out.Run)
	path := filepath.Join(folder, "trace.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := strings.LastIndexByte(strings.TrimSuffix(string(text), "\n"), '\n') + 1
	if err := os.WriteFile(path, text[:cut], 0o600); err != nil {
		t.Fatal(err)
	}
	wantAltered(t, folder, Line{out.Run, out.TraceHead, out.GateHead}, "trace.jsonl")
}

// TestForgedGrade: a grade that was changed and sealed with chains that hold, index
// and all, is not what the run is graded as.
func TestForgedGrade(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "K01"), 1, Scripted(agents.Forger), controller.Strict, task.Plain})
	folder := filepath.Join(dir, out.Run)
	gate := contents(t, folder)["gate.jsonl"]
	line := reseal(t, folder, func(t *testing.T, e *trace.Event) {
		changeData(t, e, trace.TypeGrade, func(g *trace.Grade) {
			*g = trace.Grade{Predicate: "loc+cwe", Checks: []trace.Check{}, Status: trace.Pass}
		})
	})
	if err := os.WriteFile(filepath.Join(folder, "gate.jsonl"), gate, 0o600); err != nil {
		t.Fatal(err)
	}
	wantAltered(t, folder, Line{line.Run, line.TraceHead, out.GateHead}, "trace.jsonl")
}

// TestForgedRepetition: a run that was copied and sealed as a repetition, which nothing
// plays, is not one more run of its cell.
func TestForgedRepetition(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "K01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain})
	start := out.Start
	start.Rep = 1
	id, err := trace.RunID(start)
	if err != nil {
		t.Fatal(err)
	}
	line := resealAs(t, filepath.Join(dir, out.Run), id, func(t *testing.T, e *trace.Event) {
		changeData(t, e, trace.TypeRunStart, func(s *trace.RunStart) { s.Rep = 1 })
	})
	folder := filepath.Join(dir, id)
	if err := os.Rename(filepath.Join(dir, out.Run), folder); err != nil {
		t.Fatal(err)
	}
	wantAltered(t, folder, line, "gate.jsonl")
}

// TestDecisionInEvents: every event about a call holds the decision on it, from the
// decision on, in both channels; the proposal before it has none.
func TestDecisionInEvents(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "V01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain})
	r, err := load(filepath.Join(dir, out.Run))
	if err != nil {
		t.Fatal(err)
	}
	decided, seen := map[string]trace.Decision{}, map[trace.Type]int{}
	for _, e := range append(slices.Clone(r.trace), r.gate...) {
		if e.Call == "" {
			continue
		}
		seen[e.Type]++
		if e.Type == trace.TypeProposal {
			if e.Decision != nil {
				t.Errorf("%s was decided before it was proposed", e.Call)
			}
			continue
		}
		if e.Decision == nil || e.Decision.Contract == "" || e.Decision.Rule == "" {
			t.Errorf("%s of %s has no decision", e.Type, e.Call)
			continue
		}
		if first, ok := decided[e.Call]; ok && first != *e.Decision {
			t.Errorf("%s of %s has another decision", e.Type, e.Call)
		}
		decided[e.Call] = *e.Decision
	}
	for _, kind := range []trace.Type{trace.TypeProposal, trace.TypeDecision, trace.TypeReceipt, trace.TypeEffect, trace.TypeSubmission} {
		if seen[kind] == 0 {
			t.Errorf("there is no %s", kind)
		}
	}
}

// TestResume: a finished run is not played again, one without its line of the index
// is.
func TestResume(t *testing.T) {
	b, c := bench(t), Cell{taskOf(t, "C01"), 2, Scripted(agents.Oracle), controller.Strict, task.Plain}
	dir, first := one(t, b, c)
	again, ran, err := b.Run(t.Context(), c, dir)
	if err != nil || ran || again.TraceHead != first.TraceHead || again.End.Outcome != metric.Success {
		t.Errorf("ran %v, %+v, %v", ran, again.End, err)
	}
	if err := os.Remove(filepath.Join(dir, Index)); err != nil {
		t.Fatal(err)
	}
	anew, ran, err := b.Run(t.Context(), c, dir)
	if err != nil || !ran || anew.Run != first.Run {
		t.Errorf("ran %v, %s and %s, %v", ran, anew.Run, first.Run, err)
	}
	lines, err := ReadIndex(dir)
	if err != nil || len(lines) != 1 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// TestKilled: wherever a program ended while it made its last run, the next one
// makes that run again, no other, and none twice.
func TestKilled(t *testing.T) {
	b := bench(t)
	cells := []Cell{
		{taskOf(t, "L01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain},
		{taskOf(t, "K01"), 2, Scripted(agents.Forger), controller.Strict, task.Plain},
		{taskOf(t, "C01"), 3, Scripted(agents.Oracle), controller.Strict, task.Plain},
	}
	dir := t.TempDir()
	play := func() (ran int) {
		for _, c := range cells {
			_, now, err := b.Run(t.Context(), c, dir)
			if err != nil {
				t.Fatal(err)
			}
			if now {
				ran++
			}
		}
		return ran
	}
	play()
	for seed := range uint64(20) {
		chance := rand.New(rand.NewPCG(seed, 1))
		lines, err := ReadIndex(dir)
		if err != nil || len(lines) != len(cells) {
			t.Fatalf("%d lines, %v", len(lines), err)
		}
		folder := filepath.Join(dir, lines[len(lines)-1].Run)
		shorten(t, chance, filepath.Join(dir, Index), 100) // within its last line
		for _, name := range files {
			shorten(t, chance, filepath.Join(folder, name), 1000)
		}
		if ran := play(); ran != 1 {
			t.Errorf("seed %d: %d runs were made again", seed, ran)
		}
		lines, err = ReadIndex(dir)
		if err != nil || len(lines) != len(cells) {
			t.Fatalf("%d lines, %v", len(lines), err)
		}
		for _, l := range lines {
			if err := Verify(t.Context(), filepath.Join(dir, l.Run), l, nil); err != nil {
				t.Errorf("seed %d: %s: %v", seed, l.Run, err)
			}
		}
	}
}

// shorten cuts a few bytes off a file, or removes it.
func shorten(t *testing.T, chance *rand.Rand, path string, most int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	by := 1 + chance.Int64N(min(int64(most), info.Size()))
	if most > 100 && chance.IntN(4) == 0 {
		err = os.Remove(path)
	} else {
		err = os.Truncate(path, info.Size()-by)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// broken is a runner that cannot run.
type broken struct{}

func (broken) Run(context.Context, harness.Job) (harness.Output, error) {
	return harness.Output{}, errors.New("no machine")
}
func (broken) Layers() []string { return nil }

// TestTrouble: where the bench itself fails the agent is not blamed, and the run is
// kept as an error of the bench.
func TestTrouble(t *testing.T) {
	b := Bench{Runner: broken{}, Now: time.Now}
	dir, out := one(t, b, Cell{taskOf(t, "T01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain})
	if out.Trouble == nil || out.End.Outcome != metric.HarnessError || out.Grade.Status != trace.HarnessError {
		t.Errorf("%+v, %v", out.End, out.Trouble)
	}
	if err := Verify(t.Context(), filepath.Join(dir, out.Run), Line{out.Run, out.TraceHead, out.GateHead}, nil); err != nil {
		t.Errorf("it cannot be verified: %v", err)
	}
}

// TestDeniedPatch: a patch that would try what the sandbox refuses has failed, and is not
// run. It does not make the run an error of the bench, which would count nowhere.
func TestDeniedPatch(t *testing.T) {
	loaded := taskOf(t, "V01")
	sheet, _ := sheetOf(t, loaded)
	f, err := loaded.Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	given, _ := f.Text("rec/parse.go")
	patched := strings.Replace(given, "import \"errors\"\n", "import (\n\t\"errors\"\n\t\"syscall\"\n)\n", 1) + "\nvar _, _ = syscall.Socket(2, 1, 0)\n"
	sheet.Patch = udiff.Make("rec/parse.go", given, patched)
	if out := playSheet(t, bench(t), loaded, sheet); out.Trouble != nil || out.End.Outcome != metric.Wrong {
		t.Errorf("%s, %v", out.End.Outcome, out.Trouble)
	}
}

// TestMovedGold: the oracle passes by the lines that it knows. With those that count
// for the same moved by a line, or by as many as they are where they stand together,
// its task fails; without a patch or input that it is to make, too.
func TestMovedGold(t *testing.T) {
	moved := 0
	for _, loaded := range tasks(t) {
		b := bench(t)
		sheet, gold := sheetOf(t, loaded)
		if !slices.Contains(gold.Predicate, "loc") && !slices.Contains(gold.Predicate, "roles") {
			changed := sheet
			changed.Patch, changed.Inputs = "", nil
			if o := playSheet(t, b, loaded, changed); o.Grade.Status != trace.Fail {
				t.Errorf("%s: without a patch, or an input, it passes", loaded.ID)
			}
			moved++
			continue
		}
		together := map[string][]int{} // lines, by what they count for
		for i, l := range sheet.Lines {
			switch {
			case slices.Contains(gold.Predicate, "roles"):
				together[l.Role] = append(together[l.Role], i)
			case l.Loc:
				together["loc"] = append(together["loc"], i)
			}
		}
		for what, lines := range together {
			if passes := func(by int) bool {
				changed := sheet
				changed.Lines = slices.Clone(sheet.Lines)
				for _, i := range lines {
					changed.Lines[i].Line -= by
				}
				return playSheet(t, b, loaded, changed).Grade.Status != trace.Fail
			}; passes(1) && passes(len(lines)) {
				t.Errorf("%s: with %s moved it passes", loaded.ID, what)
			}
			moved++
		}
	}
	if moved < 56 {
		t.Fatalf("only %d lines were moved", moved)
	}
}

// sheetOf returns what the oracle is handed of a task, with what it was made from.
func sheetOf(t *testing.T, loaded *task.Task) (agents.Sheet, task.Gold) {
	t.Helper()
	f, err := loaded.Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	gold, err := f.Gold()
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := makeSheet(f, gold)
	if err != nil {
		t.Fatal(err)
	}
	return sheet, gold
}

// playSheet plays the oracle with what it is handed.
func playSheet(t *testing.T, b Bench, loaded *task.Task, sheet agents.Sheet) Outcome {
	t.Helper()
	p, prompt, err := b.prepare(Cell{loaded, 1, Scripted(agents.Oracle), controller.Strict, task.Plain})
	if err != nil {
		t.Fatal(err)
	}
	if p.model, err = agents.New(agents.Oracle, sheet); err != nil {
		t.Fatal(err)
	}
	out, err := b.into(t.Context(), p, prompt, filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOracleWithoutGold: with the files alone, and nothing that it is handed, the
// oracle passes no task.
func TestOracleWithoutGold(t *testing.T) {
	for _, loaded := range tasks(t) {
		sheet, _ := sheetOf(t, loaded)
		sheet.Lines, sheet.Verdict, sheet.CWE, sheet.Inputs, sheet.Patch = nil, sheet.Verdicts[len(sheet.Verdicts)-1], "CWE-1", nil, ""
		if o := playSheet(t, bench(t), loaded, sheet); o.Grade.Status != trace.Fail {
			t.Errorf("%s: passed with nothing known: %+v", loaded.ID, o.Grade)
		}
	}
}

// TestPatterns: the bound on what fixed patterns pass, on each side of it, and that a
// hard task is none of it.
func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		n, of int
		want  bool
	}{{0, 0, false}, {19, 19, false}, {4, 20, false}, {5, 20, true}, {12, 50, false}, {13, 50, true}} {
		if got := (Report{Grep: Count{tt.n, tt.of}}).tooEasy(); got != tt.want {
			t.Errorf("%d of %d is too many: %v", tt.n, tt.of, got)
		}
	}
	for id, want := range map[string]bool{"L01": true, "L05": false} {
		passed := Outcome{}
		passed.End.Outcome = metric.Success
		if _, ok := wantGrep(taskOf(t, id), passed); ok != want {
			t.Errorf("patterns may pass %s: %v", id, ok)
		}
	}
}

// TestOldDetector: a run is read again under the rules for refusals that it names,
// also where newer ones say something else; those that nobody has are an error.
func TestOldDetector(t *testing.T) {
	silent := model.Answer{Text: "I do not want to help with this."} // the first rules read no refusal in it
	for version, want := range map[string]string{"refusal/1": metric.NoSubmission, refusal.Version: metric.Refusal, "refusal/0": ""} {
		b := bench(t)
		p, prompt, err := b.prepare(Cell{taskOf(t, "L01"), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
		if err != nil {
			t.Fatal(err)
		}
		p.start.Detector, p.model = version, model.Recorded{silent, silent, silent}
		id, err := trace.RunID(p.start)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), id)
		out, err := b.into(t.Context(), p, prompt, folder)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), `no refusal detector "refusal/0"`) {
				t.Errorf("%s: %v", version, err)
			}
			continue
		}
		if err != nil || out.End.Outcome != want {
			t.Errorf("%s: outcome %s, %v, want %s", version, out.End.Outcome, err, want)
		}
		if err := Verify(t.Context(), folder, Line{out.Run, out.TraceHead, out.GateHead}, nil); err != nil {
			t.Errorf("%s: it cannot be verified: %v", version, err)
		}
	}
}

// TestFirst: of two channels that end elsewhere the first is named, each time.
func TestFirst(t *testing.T) {
	r := recorded{trace: make([]trace.Event, 1), gate: make([]trace.Event, 1)}
	for range 20 {
		at := (*trace.Altered)(nil)
		if err := r.is(Line{TraceHead: "x", GateHead: "y"}); !errors.As(err, &at) || at.File != "trace.jsonl" {
			t.Fatal(err)
		}
	}
}
