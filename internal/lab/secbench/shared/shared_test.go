//go:build unix

package shared_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/controller"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/model"
	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/lab/secbench/shared"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
	"github.com/licet-dev/licet/internal/lab/secbench/trace"
	lab "github.com/licet-dev/licet/internal/lab/shared"
	"github.com/licet-dev/licet/internal/testkit"
)

// takePartWord as the first argument makes this test binary a process that takes
// part in a set of runs.
const takePartWord = "take-part"

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == takePartWord {
		if err := takePart(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// takePart is such a process. It prints the name of each run that it begins, and never
// comes back from one after the first so many.
func takePart(url, dir, runs string) error {
	n, err := strconv.ParseInt(runs, 10, 64)
	if err != nil {
		return err
	}
	var begun atomic.Int64
	cells, err := cellsOf(func(_ context.Context, name string) error {
		fmt.Println(name)
		if begun.Add(1) > n {
			select {}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = play(context.Background(), url, dir, cells)
	return err
}

// play plays cells into a folder together with others. A run has less time than in
// earnest: those of a killed process are another's when it is over.
func play(ctx context.Context, url, dir string, cells []run.Cell) (made int, err error) {
	s, err := run.OpenSet(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	d := lab.Database{URL: url, Schema: "secbench", Longest: 8 * time.Second}
	return shared.Play(ctx, d, bench, s, cells, 2, func(run.Progress) {})
}

// alone plays cells into a folder on this machine.
func alone(t *testing.T, dir string, cells []run.Cell) {
	t.Helper()
	s, err := run.OpenSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bench.Play(t.Context(), s, cells, 2, func(run.Progress, run.Outcome) {}), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// bench has a clock that stands, so that the same run has the same bytes, and no
// harness.
var bench = run.Bench{Runner: &harness.Recorded{}, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}

// looker lists the files and ends. It says of which run it is asked first.
type looker struct {
	seed  int
	begun func(ctx context.Context, name string) error
}

func (l looker) Ask(ctx context.Context, q model.Request) (model.Answer, error) {
	if len(q.Turns) > 0 {
		return model.Answer{Text: "That is all."}, nil
	}
	answer := model.Answer{Text: "I look.", Calls: []model.Call{{Name: "list_dir", Arguments: `{"path":"."}`}}}
	return answer, l.begun(ctx, fmt.Sprintf("%.12s, seed %d", trace.Sum([]byte(q.Prompt)), l.seed))
}

func player(begun func(ctx context.Context, name string) error) run.Player {
	return run.Player{
		Name: "looker", Served: "looker-1", Lineage: trace.Lineage{Method: "none"}, Engine: trace.Engine{Name: trace.Scripted}, Encoding: model.Native,
		Model: func(seed int) model.Model { return looker{seed, begun} },
	}
}

// cellsOf are 20 runs.
func cellsOf(begun func(ctx context.Context, name string) error) ([]run.Cell, error) {
	var cells []run.Cell
	for _, id := range []string{"L01", "C01", "K01", "P01"} {
		t, err := task.Get(id)
		if err != nil {
			return nil, err
		}
		for _, seed := range task.Seeds {
			cells = append(cells, run.Cell{Task: t, Seed: seed, Player: player(begun), Controller: controller.Strict, Condition: task.Plain})
		}
	}
	return cells, nil
}

func mustCells(t *testing.T, begun func(ctx context.Context, name string) error) []run.Cell {
	t.Helper()
	cells, err := cellsOf(begun)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// names counts how often each run was begun.
type names struct {
	mu    sync.Mutex
	times map[string]int
}

func (n *names) add(_ context.Context, name string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.times == nil {
		n.times = map[string]int{}
	}
	n.times[name]++
	return nil
}

// content is all that lies in a folder, with the lines of the index in order.
func content(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if name == run.Index {
			text = []byte(strings.Join(slices.Sorted(strings.Lines(string(text))), ""))
		}
		fmt.Fprintf(&all, "== %s\n%s\n", name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestKilled has three processes make a set of runs together, and kills one with
// kill -9 while it does. The others finish: each run was made once, but for those that
// the killed one was at, and each folder has the bytes of one that one process made.
func TestKilled(t *testing.T) {
	pg := testkit.StartPostgres(t)
	var single, together names
	one := filepath.Join(t.TempDir(), "one")
	alone(t, one, mustCells(t, single.add))
	want := content(t, one)
	if len(single.times) != 20 || strings.Count(want, "== ") < 20*6 {
		t.Fatalf("%d runs on one machine", len(single.times))
	}

	var dirs []string
	for _, name := range []string{"victim", "second", "third"} {
		dirs = append(dirs, filepath.Join(t.TempDir(), name))
	}
	const made, hung = 3, 2
	victim := start(t, pg, dirs[0], made)
	for range made + hung {
		together.add(t.Context(), victim.next(t))
	}
	others := []*process{start(t, pg, dirs[1], 1000), start(t, pg, dirs[2], 1000)}
	together.add(t.Context(), others[0].next(t))
	victim.kill(t)
	for _, o := range others {
		for name := range o.begun {
			together.add(t.Context(), name)
		}
		if err := o.cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	again := 0
	for name, n := range together.times {
		if single.times[name] != 1 {
			t.Errorf("%s is no run of the set", name)
		}
		if n == 2 {
			again++
		} else if n != 1 {
			t.Errorf("%s was begun %d times", name, n)
		}
	}
	if len(together.times) != len(single.times) || again != hung {
		t.Errorf("%d of %d runs were begun, %d of them twice; the killed process was at %d", len(together.times), len(single.times), again, hung)
	}

	// Whoever comes late makes none, and has them all.
	n, err := play(t.Context(), pg.URL("postgres"), dirs[0], mustCells(t, func(context.Context, string) error { return errors.New("begun again") }))
	if err != nil || n != 0 {
		t.Errorf("afterwards: %d made, %v", n, err)
	}
	for _, dir := range dirs {
		if content(t, dir) != want {
			t.Errorf("%s: another content than on one machine", filepath.Base(dir))
		}
	}
}

// process is one that takes part.
type process struct {
	cmd   *exec.Cmd
	begun chan string // runs; closed at its end
}

func start(t *testing.T, pg *testkit.Postgres, dir string, runs int) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{exec.Command(self, takePartWord, pg.URL("postgres"), dir, strconv.Itoa(runs)), make(chan string, 1000)}
	p.cmd.Stderr, p.cmd.Env = os.Stderr, append(os.Environ(), "TMPDIR="+t.TempDir())
	printed, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	go func() {
		defer close(p.begun)
		for lines := bufio.NewScanner(printed); lines.Scan(); {
			p.begun <- lines.Text()
		}
	}()
	return p
}

// next waits for the next run that is begun.
func (p *process) next(t *testing.T) string {
	t.Helper()
	name, ok := <-p.begun
	if !ok {
		t.Fatal("the process has ended")
	}
	return name
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.cmd.Wait() // its error says that it was killed
}

// TestEnds: a model that cannot be asked any more, or an interrupt, ends the process
// that it is in. Nothing is recorded of the run, and the next process has it at once.
func TestEnds(t *testing.T) {
	pg := testkit.StartPostgres(t)
	dir, url := t.TempDir(), pg.URL("postgres")
	dead := mustCells(t, func(context.Context, string) error { return fmt.Errorf("%w: the key is refused", model.ErrStop) })
	if n, err := play(t.Context(), url, dir, dead); n != 0 || !errors.Is(err, model.ErrStop) || !strings.Contains(err.Error(), ", seed ") {
		t.Errorf("%d made, %v", n, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	n, err := play(ctx, url, dir, mustCells(t, func(ctx context.Context, _ string) error {
		stop()
		<-ctx.Done()
		return nil // what it says now is not what it would have said
	}))
	if n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %d made, %v", n, err)
	}
	var a names
	if n, err := play(t.Context(), url, dir, mustCells(t, a.add)); n != 20 || err != nil || len(a.times) != 20 {
		t.Errorf("afterwards: %d made, %v", n, err)
	}
}

// TestUnreached: a process that does not reach the model leaves all runs to others, and
// says so. They are played by whoever does.
func TestUnreached(t *testing.T) {
	pg := testkit.StartPostgres(t)
	url := pg.URL("postgres")
	away := mustCells(t, func(context.Context, string) error { return fmt.Errorf("%w: it is away", model.ErrUnreached) })
	n, err := play(t.Context(), url, t.TempDir(), away)
	open := (*run.Open)(nil)
	if !errors.As(err, &open) || n != 0 || open.Runs != 20 || open.All != 20 || len(open.Why) < run.GiveUp || len(open.Why) > run.GiveUp+1 || !strings.Contains(open.Why[0], ", seed ") {
		t.Fatalf("%d made, %v: %+v", n, err, open)
	}
	pg.SQL("postgres", "update secbench.river_job set scheduled_at = now() where state = 'scheduled'") // not in a minute
	var a names
	if n, err := play(t.Context(), url, t.TempDir(), mustCells(t, a.add)); n != 20 || err != nil || len(a.times) != 20 {
		t.Errorf("afterwards: %d made, %v", n, err)
	}
}

// TestRefuses: what is not this set is refused and says why.
func TestRefuses(t *testing.T) {
	pg := testkit.StartPostgres(t)
	var a names
	made := t.TempDir()
	if n, err := play(t.Context(), pg.URL("postgres"), made, mustCells(t, a.add)); n != 20 || err != nil {
		t.Fatalf("%d made, %v", n, err)
	}
	other := mustCells(t, a.add)
	for i := range other {
		other[i].Player.Engine.TemperatureMilli = 700
	}
	recorded := t.TempDir() // another recording of the same runs
	later := bench
	later.Now = time.Now
	s, err := run.OpenSet(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(later.Play(t.Context(), s, mustCells(t, a.add), 2, func(run.Progress, run.Outcome) {}), s.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dir   string
		cells []run.Cell
		want  string
	}{
		"fewer runs":        {t.TempDir(), mustCells(t, a.add)[:7], "in the schema is another run: its tasks are [C01 K01 L01 P01], not [C01 L01]; give it a schema of its own"},
		"a model otherwise": {t.TempDir(), other, "in the schema is another run: its players are looker ("},
		"another recording": {recorded, mustCells(t, a.add), "has another recording of it: give the runs a folder of their own"},
	} {
		if n, err := play(t.Context(), pg.URL("postgres"), c.dir, c.cells); n != 0 || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d made, %v", name, n, err)
		}
	}
	pg.SQL("postgres", "drop schema secbench cascade")
	if n, err := play(t.Context(), pg.URL("postgres"), made, mustCells(t, a.add)); n != 0 || err == nil || !strings.Contains(err.Error(), "has a run that was not recorded there: give the runs a folder of their own") {
		t.Errorf("runs that the database does not know: %d made, %v", n, err)
	}
	pg.SQL("postgres", `update secbench.licet_run set calls = 7`)
	broken := t.TempDir()
	if _, err := play(t.Context(), pg.URL("postgres"), broken, mustCells(t, a.add)); err == nil || !strings.Contains(err.Error(), "runs were asked") {
		t.Errorf("a bound that somebody set: %v", err)
	}
	pg.SQL("postgres", `update secbench.licet_run set calls = null; update secbench.licet_answer set answer = set_byte(answer, 2000, 1 + get_byte(answer, 2000) % 255)`)
	if _, err := play(t.Context(), pg.URL("postgres"), t.TempDir(), mustCells(t, a.add)); err == nil {
		t.Error("a result that is not what was packed was taken")
	}
}
