package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/secbench/agents"
	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/redact"
	"github.com/licet-dev/licet/internal/lab/secbench/redact/redacttest"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
)

// tell plays answers on T01 into a set of runs.
func tell(t *testing.T, b Bench, dir, name string, answers []model.Answer) Line {
	t.Helper()
	p := Scripted(agents.NoOp)
	p.Name = name
	p.Model = func(int) model.Model { return model.Recorded(append(answers, many(3, model.Answer{})...)) }
	out, _, err := b.Run(t.Context(), Cell{taskOf(t, "T01"), 1, p, controller.Strict, task.Plain}, dir)
	if err := errors.Join(err, out.Trouble); err != nil {
		t.Fatal(err)
	}
	return Line{out.Run, out.TraceHead, out.GateHead}
}

// call is a call of a tool with these arguments.
func call(t *testing.T, name string, args map[string]any) model.Call {
	t.Helper()
	text, err := json.Marshal(args, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return model.Call{Name: name, Arguments: string(text)}
}

// input is what the agent of these tests finds out to set off the toy.
const input = "\x04record<17>\n"

// printed makes a set of runs in which an agent prints all that is to be hidden, in
// each form: what it says and asks for in some of the runs, what it writes and reads
// in others. It returns the texts that must not be seen again.
func printed(t *testing.T, dir string) (secrets []string) {
	t.Helper()
	b := bench(t)
	f, err := taskOf(t, "T01").Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Canaries
	open := model.Answer{
		Text: "Ask " + c.Person + " (" + c.Mail + ", " + strings.ToUpper(c.Phone) + ") or " + c.Host + "; see /home/robin/notes.txt",
		Calls: []model.Call{
			call(t, "search", map[string]any{"re2": "lk_canary", "glob": "**"}),
			call(t, "write_scratch", map[string]any{"path": "scratch/in", "bytes": fmt.Sprintf("%x", input), "encoding": "hex"}),
			call(t, "read_file", map[string]any{"path": "C:\\Users\\robin\\notes.txt", "start": 1, "end": 2}),
			call(t, "list_dir", map[string]any{"path": "https://" + c.Host + "/" + c.Person}),
		},
	}
	secrets = []string{c.Key, input, c.Person, c.Mail, c.Phone, c.Host, "/home/robin", `C:\Users`}
	names := slices.Sorted(maps.Keys(redacttest.Disguises))
	for chunk := range slices.Chunk(names, 8) {
		said, written := []model.Answer{open}, []model.Answer{open}
		for i, name := range chunk {
			key, trigger := redacttest.Disguises[name](c.Key), redacttest.Disguises[name](input)
			secrets = append(secrets, key, trigger)
			said = append(said, model.Answer{Text: "The key is " + key + " and the input is " + trigger + ".", Calls: []model.Call{
				call(t, "list_dir", map[string]any{"path": trigger, key: trigger}),
				{Name: "read " + trigger, Arguments: "no object: " + key},
				call(t, "decline", map[string]any{"scope": "part", "reason": strings.ToValidUTF8(trigger, "?")}),
				call(t, "decline", map[string]any{"scope": "part", "reason": key}),
			}})
			file := fmt.Sprintf("scratch/%d", i)
			written = append(written, turn(
				call(t, "write_scratch", map[string]any{"path": file, "bytes": trigger, "encoding": "utf8"}),
				call(t, "read_file", map[string]any{"path": file, "start": 1, "end": 9}),
				call(t, "write_scratch", map[string]any{"path": file, "bytes": key, "encoding": "utf8"}),
			))
		}
		tell(t, b, dir, "said "+chunk[0], said)
		tell(t, b, dir, "written "+chunk[0], written)
	}
	slices.Sort(secrets)
	return slices.Compact(secrets)
}

// seen returns those texts that stand in files, as they are or as JSON has them.
func seen(t *testing.T, folder string, texts []string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, content := range contents(t, folder) {
		for _, text := range texts {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(string(quoted[1 : len(quoted)-1]))
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{text, string(quoted[1 : len(quoted)-1]), string(again[1 : len(again)-1])} {
				all[text] = all[text] || bytes.Contains(content, []byte(form))
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, is bool) bool { return !is })
	return all
}

// TestExport: of runs in which everything was printed in every form nothing is in the
// export. With one rule switched off the scan finds what that one hides, nothing else,
// and there is no export.
func TestExport(t *testing.T) {
	dir, places := t.TempDir(), t.TempDir()
	secrets := printed(t, dir)
	if got := seen(t, dir, secrets); len(got) != len(secrets) || len(secrets) < 50 {
		t.Fatalf("of %d texts only %d were printed: %q", len(secrets), len(got), slices.Sorted(maps.Keys(got)))
	}
	out := filepath.Join(places, "new", "public")
	e, err := Export(t.Context(), dir, out, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := seen(t, out, secrets); len(got) > 0 {
		t.Errorf("in the export: %q", slices.Sorted(maps.Keys(got)))
	}
	lines, err := ReadIndex(out)
	if err != nil || len(lines) != e.Runs || e.Runs < 6 {
		t.Fatalf("%d runs, %d lines, %v", e.Runs, len(lines), err)
	}
	for _, l := range lines {
		if err := Verify(t.Context(), filepath.Join(out, l.Run), l, nil); !errors.As(err, new(*Partial)) {
			t.Errorf("%s: %v", l.Run, err)
		}
	}
	for _, rule := range redact.Rules {
		if e.Replaced[rule] < 10 {
			t.Errorf("rule %s replaced %d texts", rule, e.Replaced[rule])
		}
		leaked := (*Leaked)(nil)
		if _, err := Export(t.Context(), dir, filepath.Join(places, "off"), nil, rule); !errors.As(err, &leaked) {
			t.Fatalf("without rule %s: %v", rule, err)
		}
		channels := map[string]bool{}
		for _, leak := range leaked.Leaks {
			channels[path.Base(path.Dir(leak.File))] = true
			if leak.Rule != rule {
				t.Errorf("without rule %s: %v", rule, leak)
			}
		}
		if len(channels) < 2 {
			t.Errorf("without rule %s it is found only in %v", rule, channels)
		}
	}
	entries, err := os.ReadDir(places)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestExportPieces: a key in two quotes is hidden in both. One letter by letter is
// found by the scan, and its run is named and can be left out.
func TestExportPieces(t *testing.T) {
	dir, places, b := t.TempDir(), t.TempDir(), bench(t)
	f, err := taskOf(t, "T01").Fixture(1)
	if err != nil {
		t.Fatal(err)
	}
	key := f.Canaries.Key
	halves := []map[string]any{{"role": "source", "quote": key[:26]}, {"role": "sink", "quote": key[26:]}}
	tell(t, b, dir, "halves", []model.Answer{turn(call(t, "submit", map[string]any{"evidence": halves}))})
	good := filepath.Join(places, "good")
	if _, err := Export(t.Context(), dir, good, nil); err != nil {
		t.Fatal(err)
	}
	if got := seen(t, good, []string{key[10:26], key[26:]}); len(got) > 0 {
		t.Errorf("in the export: %v", got)
	}
	bad := tell(t, b, dir, "letters", []model.Answer{turn(call(t, "submit", map[string]any{"summary": strings.Split(key, "")}))})
	leaked, out := (*Leaked)(nil), filepath.Join(places, "out")
	if _, err := Export(t.Context(), dir, out, nil); !errors.As(err, &leaked) || !slices.Equal(leaked.Runs, []string{bad.Run}) {
		t.Fatalf("%v", err)
	}
	e, err := Export(t.Context(), dir, out, leaked.Runs)
	lines, indexErr := ReadIndex(out)
	if err := errors.Join(err, indexErr); err != nil || e.Runs != 1 || e.LeftOut != 1 || len(lines) != 1 || lines[0].Run == bad.Run {
		t.Errorf("%+v, %v, %v", e, lines, err)
	}
	for want, names := range map[string][]string{"there is no run \"r-0\"": {"r-0"}, "all runs are left out": {bad.Run, lines[0].Run}} {
		if _, err := Export(t.Context(), dir, filepath.Join(places, "none"), names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// exported plays a cell and returns the folder of its export, with its line of the
// index, and that of the run.
func exported(t *testing.T, c Cell) (public string, line Line, private string) {
	t.Helper()
	dir, run := one(t, bench(t), c)
	out := filepath.Join(t.TempDir(), "public")
	if _, err := Export(t.Context(), dir, out, nil); err != nil {
		t.Fatal(err)
	}
	lines, err := ReadIndex(out)
	if err != nil || len(lines) != 1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	return filepath.Join(out, run.Run), lines[0], filepath.Join(dir, run.Run)
}

// mark is what stands for something hidden.
var mark = regexp.MustCompile(`\[[A-E](:\d+| sha256=[0-9a-f]{64} len=\d+)?\]`)

// TestExportKeeps: what is not hidden is what it was: every event in its place, with
// the hash of the private one, and every blob without a mark.
func TestExportKeeps(t *testing.T) {
	for _, c := range []Cell{
		{taskOf(t, "T01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain},
		{taskOf(t, "C04"), 2, Scripted(agents.Unsafe), controller.Strict, task.Plain},
		{taskOf(t, "L02"), 3, Scripted(agents.Unsafe), controller.Repair, task.Plain},
	} {
		public, _, private := exported(t, c)
		was, err := load(private)
		if err != nil {
			t.Fatal(err)
		}
		is, err := load(public)
		if err != nil {
			t.Fatal(err)
		}
		fired := 0
		for _, name := range channels {
			events := slices.DeleteFunc(slices.Clone(is.events(name)), func(e trace.Event) bool { return e.Type == trace.TypeRedaction })
			fired += len(is.events(name)) - len(events)
			former := was.events(name)
			if len(events) != len(former) {
				t.Fatalf("%s: %d events, not %d", name, len(events), len(former))
			}
			for i, e := range events {
				f := former[i]
				if e.Orig != f.Hash || e.Type != f.Type || e.Call != f.Call || !e.TS.Equal(f.TS) {
					t.Errorf("%s, %s: %+v was %+v", c.Task.ID, name, e, f)
				}
				keeps(t, e.Data.Canonical(), f.Data.Canonical())
			}
		}
		if fired == 0 {
			t.Errorf("%s: nothing says that anything was hidden", c.Task.ID)
		}
		former, same := contents(t, filepath.Join(private, "blobs")), 0
		for sha, content := range contents(t, filepath.Join(public, "blobs")) {
			if _, ok := former[sha]; ok {
				same++
			} else if !mark.Match(content) {
				t.Errorf("%s: a blob without a mark is not what it was: %q", c.Task.ID, content)
			}
		}
		if same < 5 {
			t.Errorf("%s: %d blobs are what they were", c.Task.ID, same)
		}
	}
}

// keeps compares JSON without what is hidden, and without hashes of blobs.
func keeps(t *testing.T, is, was string) {
	t.Helper()
	hash := regexp.MustCompile(`"[0-9a-f]{64}"`)
	is, was = hash.ReplaceAllString(is, `""`), hash.ReplaceAllString(was, `""`)
	pattern := `\A` + strings.ReplaceAll(regexp.QuoteMeta(mark.ReplaceAllString(is, "\x00")), "\x00", `.*`) + `\z`
	if !regexp.MustCompile(pattern).MatchString(was) {
		t.Errorf("%s\nwas %s", is, was)
	}
}

// TestExportAltered: in an export, too, no byte can be changed: of one that can be
// played again, and of one that cannot.
func TestExportAltered(t *testing.T) {
	step, many := 13, 200
	if os.Getenv("LICET_LONG") != "" {
		step, many = 1, 5000
	}
	folder, line, _ := exported(t, Cell{taskOf(t, "L01"), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
	if err := Verify(t.Context(), folder, line, nil); err != nil {
		t.Fatal(err)
	}
	altered := 0
	for name, text := range contents(t, folder) {
		for i := 0; i < len(text); i += step {
			exchange(t, folder, line, name, text, i)
			altered++
		}
	}
	if altered < 500 {
		t.Fatalf("only %d bytes were altered", altered)
	}
	folder, line, _ = exported(t, Cell{taskOf(t, "T01"), 1, Scripted(agents.Unsafe), controller.Strict, task.Plain})
	if err := Verify(t.Context(), folder, line, nil); !errors.As(err, new(*Partial)) {
		t.Fatal(err)
	}
	exchangeSome(t, folder, line, many)
}

// TestExportForged: an export that was changed and sealed anew, chains, index and all,
// is seen to where it cannot be played again, too, as far as it must agree with itself.
func TestExportForged(t *testing.T) {
	grade := func(change func(*trace.Grade)) func(*testing.T, *trace.Event) {
		return func(t *testing.T, e *trace.Event) { changeData(t, e, trace.TypeGrade, change) }
	}
	end := func(change func(*trace.RunEnd)) func(*testing.T, *trace.Event) {
		return func(t *testing.T, e *trace.Event) { changeData(t, e, trace.TypeRunEnd, change) }
	}
	whole, _, _ := exported(t, Cell{taskOf(t, "T01"), 1, Scripted(agents.Unsafe), controller.Strict, task.Plain})
	for name, c := range map[string]struct {
		change func(*testing.T, *trace.Event)
		want   string
	}{
		"as it was": {func(*testing.T, *trace.Event) {}, "hidden: "},
		"a grade":   {grade(func(g *trace.Grade) { g.Status = trace.Pass }), "the grade is not that of its checks"},
		"no checks": {grade(func(g *trace.Grade) { g.Status, g.Checks = trace.Pass, nil }), "the grade is not that of its checks"},
		"a check": {grade(func(g *trace.Grade) {
			g.Status, g.Checks[0].Status = trace.Pass, trace.Pass
		}), "the outcome is not that of the grade"},
		"an outcome": {end(func(e *trace.RunEnd) { e.Outcome = "success" }), "the outcome is not that of the grade"},
		"a flag":     {end(func(e *trace.RunEnd) { e.Flags["S"] = true }), "the outcome is not that of the grade"},
		"a blob": {func(t *testing.T, e *trace.Event) {
			changeData(t, e, trace.TypeAssistant, func(a *trace.Assistant) { a.RawSHA = trace.Sum(nil) })
		}, "it is not there|nothing names it|cannot be read"},
		"another task": {func(t *testing.T, e *trace.Event) {
			changeData(t, e, trace.TypeRunStart, func(s *trace.RunStart) { s.Seed = 2 })
		}, "these are not the files of the task"},
		"a decision": {func(t *testing.T, e *trace.Event) {
			if e.Type == trace.TypeReceipt && e.Decision.Verdict == trace.Deny {
				changeData(t, e, trace.TypeReceipt, func(r *trace.Receipt) { r.Status = trace.StatusOK })
			}
		}, "its receipt says ok"},
		"no orig": {func(_ *testing.T, e *trace.Event) {
			if e.Type == trace.TypeGrade {
				e.Orig = ""
			}
		}, "orig"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), filepath.Base(whole))
			if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			line := reseal(t, folder, c.change)
			err := Verify(t.Context(), folder, line, nil)
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) || errors.As(err, new(*Partial)) != (name == "as it was") {
				t.Errorf("%v", err)
			}
		})
	}
}

// changeData changes the data of an event of one type.
func changeData[T any](t *testing.T, e *trace.Event, of trace.Type, change func(*T)) {
	t.Helper()
	if e.Type != of {
		return
	}
	data, err := trace.Decode[T](*e)
	if err != nil {
		t.Fatal(err)
	}
	change(&data)
	if e.Data, err = trace.ValueOf(data); err != nil {
		t.Fatal(err)
	}
}

// reseal changes events of a run and makes chains that hold. It returns the line of an
// index for it.
func reseal(t *testing.T, folder string, change func(*testing.T, *trace.Event)) Line {
	t.Helper()
	return resealAs(t, folder, filepath.Base(folder), change)
}

// resealAs gives the run another name, too.
func resealAs(t *testing.T, folder, id string, change func(*testing.T, *trace.Event)) Line {
	t.Helper()
	r, err := load(folder)
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]bytes.Buffer
	w := trace.NewWriter(&texts[0], trace.Controller, id, nil)
	g := trace.NewWriter(&texts[1], trace.Gate, id, nil)
	put := func(w *trace.Writer, e trace.Event) {
		change(t, &e)
		e.Hash = e.Orig
		if err := w.Copy(e); err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range r.gate {
		if i < len(r.gate)-1 {
			put(g, e)
		}
	}
	for _, e := range r.trace {
		changeData(t, &e, trace.TypeRunEnd, func(end *trace.RunEnd) { end.GateHead = g.Head() })
		put(w, e)
	}
	closing := r.gate[len(r.gate)-1]
	changeData(t, &closing, trace.TypeGateClose, func(c *trace.GateClose) { c.RunEnd = w.Head() })
	put(g, closing)
	for i := range texts {
		if err := os.WriteFile(filepath.Join(folder, files[i]), texts[i].Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Line{id, w.Head(), g.Head()}
}

// TestRegrade: runs of another suite are not taken for those of this one. Graded under
// it they become what they would have been.
func TestRegrade(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "T01"), 1, Scripted(agents.Oracle), controller.Strict, task.Plain})
	want := contents(t, filepath.Join(dir, out.Run))
	start := out.Start
	start.Suite = "older/1"
	id, err := trace.RunID(start)
	if err != nil {
		t.Fatal(err)
	}
	old := resealAs(t, filepath.Join(dir, out.Run), id, func(t *testing.T, e *trace.Event) {
		changeData(t, e, trace.TypeRunStart, func(s *trace.RunStart) { s.Suite = start.Suite })
		changeData(t, e, trace.TypeRunEnd, func(s *trace.RunEnd) { s.Outcome = "wrong" })
	})
	if err := os.Rename(filepath.Join(dir, out.Run), filepath.Join(dir, id)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, Index)); err != nil {
		t.Fatal(err)
	}
	set, err := OpenSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(set.add(old), set.Close()); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), filepath.Join(dir, id), old, nil); err == nil || !strings.Contains(err.Error(), "recorded under suite older/1") {
		t.Errorf("as it is: %v", err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if _, err := Regrade(t.Context(), dir, "older/1", again, nil); err == nil || !strings.Contains(err.Error(), `no suite "older/1"`) {
		t.Errorf("under its own: %v", err)
	}
	all, err := Regrade(t.Context(), dir, task.Suite, again, nil)
	if err != nil || !slices.Equal(all, []Regraded{{id, out.Run, "wrong", "success"}}) {
		t.Fatalf("%+v, %v", all, err)
	}
	if got := contents(t, filepath.Join(again, out.Run)); !maps.EqualFunc(got, want, bytes.Equal) {
		t.Error("it is not what it would have been")
	}
	lines, err := ReadIndex(again)
	if err != nil || !slices.Equal(lines, []Line{{out.Run, out.TraceHead, out.GateHead}}) {
		t.Errorf("%+v, %v", lines, err)
	}
}

// TestExportRefuses: what is not as it was recorded is not exported, and what is there
// already is neither exported again nor written over.
func TestExportRefuses(t *testing.T) {
	dir, out := one(t, bench(t), Cell{taskOf(t, "L01"), 1, Scripted(agents.NoOp), controller.Strict, task.Plain})
	places := t.TempDir()
	refused := func(dir, to, want string) {
		t.Helper()
		if _, err := Export(t.Context(), dir, to, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	public := filepath.Join(places, "public")
	refused(places, public, "no finished run")
	refused(dir, places, "exists")
	path := filepath.Join(dir, out.Run, "gate.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(`"allow"`), []byte(`"deny"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(dir, public, "gate.jsonl:2: the hash is not that of the event")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(public); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
	if _, err := Export(t.Context(), dir, public, nil); err != nil {
		t.Fatal(err)
	}
	refused(public, filepath.Join(places, "again"), "already")
	if err := os.Mkdir(filepath.Join(dir, "r-0123456789abcdef"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(dir, filepath.Join(places, "other"), "the index does not name this run")
	entries, err := os.ReadDir(places)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// exchangeSome exchanges bytes of a run at random.
func exchangeSome(t *testing.T, folder string, line Line, n int) {
	t.Helper()
	all := contents(t, folder)
	names := slices.Sorted(maps.Keys(all))
	chance := rand.New(rand.NewPCG(1, 2))
	for range n {
		name := names[chance.IntN(len(names))]
		if size := len(all[name]); size > 0 {
			exchange(t, folder, line, name, all[name], chance.IntN(size))
		}
	}
}
