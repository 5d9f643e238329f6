//go:build unix

package shared_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/result/resulttest"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/lab/authgate/shared"
	"github.com/licet-dev/licet/internal/lab/cli"
	"github.com/licet-dev/licet/internal/testkit"
)

const data = "../../../../data/authgate/v0"

// takePartWord as the first argument makes this test binary a process that takes
// part in a run: an argument reaches it whatever the environment is.
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

// takePart is such a process. It prints the key of each question that it is asked,
// and never comes back from one after the first so many.
func takePart(url, dir, answers string) error {
	n, err := strconv.ParseInt(answers, 10, 64)
	if err != nil {
		return err
	}
	set, err := item.ReadDir(data)
	if err != nil {
		return err
	}
	var asked atomic.Int64
	p := plan(set, func(_ context.Context, key string) error {
		fmt.Println(key)
		if asked.Add(1) > n {
			select {}
		}
		return nil
	})
	j, err := run.OpenJournal(dir, p)
	if err != nil {
		return err
	}
	_, err = database(url).Run(context.Background(), p, j, run.Options{Workers: 2})
	return errors.Join(err, j.Close())
}

// database gives questions less time than in earnest: those of a killed process are
// another's when it is over.
func database(url string) shared.Database {
	return shared.Database{URL: url, Schema: "authgate", Longest: 8 * time.Second}
}

// judge decides by the key of a call, and says when it is asked.
type judge struct {
	asked func(ctx context.Context, key string) error
}

func (judge) Name() string       { return "told" }
func (judge) Kind() result.Judge { return result.Scripted }
func (judge) Digest() string     { return "sha256:told" }

func (j judge) Decide(ctx context.Context, _ run.Visible, _ string, row *result.Row) error {
	row.Outcome, row.RawDecision, row.Cost = result.Verdict, result.Block, "0.01"
	if sha256.Sum256([]byte(row.CallKey))[0]%2 == 0 {
		row.RawDecision = result.Allow
	}
	row.CheckedDecision = row.RawDecision
	return j.asked(ctx, row.CallKey)
}

func plan(set *item.Set, asked func(context.Context, string) error) *run.Plan {
	return &run.Plan{Dataset: set.Manifest.DatasetDigest, Items: run.Items(set), Judges: []run.Judge{judge{asked}}, Policies: []run.Policy{{Name: "none"}}, Forms: []result.Form{result.Plain}, Epochs: 1}
}

// asks counts how often each question was asked.
type asks struct {
	mu    sync.Mutex
	times map[string]int
}

func (a *asks) add(_ context.Context, key string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.times == nil {
		a.times = map[string]int{}
	}
	a.times[key]++
	return nil
}

// take opens a journal and runs a plan with it.
func take(t *testing.T, dir string, p *run.Plan, ask func(context.Context, *run.Plan, *run.Journal, run.Options) (run.Outcome, error), o run.Options) (run.Outcome, error) {
	t.Helper()
	j, err := run.OpenJournal(dir, p)
	if err != nil {
		t.Error(err)
		return run.Outcome{}, err
	}
	out, err := ask(t.Context(), p, j, o)
	if closed := j.Close(); closed != nil {
		t.Error(closed)
	}
	return out, err
}

// rows are the answers in a folder, in the order of their keys.
func rows(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, run.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	all, err := result.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return resulttest.Text(t, all)
}

// report is what `licet-lab authgate report` makes of a folder.
func report(t *testing.T, dir string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	to := t.TempDir()
	if status := cli.Run(t.Context(), []string{"licet-lab", "authgate", "report", "--data", data, "--out", to, filepath.Join(dir, run.ResultsFile)}, nil, strings.NewReader(""), &out, &errOut); status != 0 {
		t.Fatalf("exit status %d: %s", status, &errOut)
	}
	for _, name := range []string{"report.html", "report.md", "report.json", "tables.tex"} {
		text, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}

// TestKilled has two processes answer the questions of a run together, and kills one
// with kill -9 while it asks. The other one finishes the run: each question has one
// answer, none was asked again once it had one, and the report is that of a run on
// one machine, to the byte.
func TestKilled(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	var alone asks
	one := filepath.Join(t.TempDir(), "one")
	out, err := take(t, one, plan(set, alone.add), run.Run, run.Options{Workers: 2})
	if err != nil || out.Done != len(set.Instances) {
		t.Fatalf("on one machine: %+v, %v", out, err)
	}

	var together asks
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	const answered, hung = 5, 2
	victim := start(t, pg, first, answered)
	for range answered + hung {
		together.add(t.Context(), victim.next(t))
	}
	other := start(t, pg, second, 1000)
	for range 10 {
		together.add(t.Context(), other.next(t))
	}
	victim.kill(t)
	for key := range other.keys {
		together.add(t.Context(), key)
	}
	if err := other.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	again := 0
	for key, n := range together.times {
		if alone.times[key] != 1 {
			t.Errorf("%s is no question of the run", key)
		}
		if n == 2 {
			again++
		} else if n != 1 {
			t.Errorf("%s was asked %d times", key, n)
		}
	}
	if len(together.times) != len(alone.times) || again != hung {
		t.Errorf("%d of %d questions were asked, %d of them twice; the killed process had %d", len(together.times), len(alone.times), again, hung)
	}

	// Whoever comes late asks nothing, and has the same answers.
	out, err = take(t, first, plan(set, func(context.Context, string) error { return errors.New("asked again") }), database(pg.URL("postgres")).Run, run.Options{Workers: 2})
	if err != nil || out.Done != len(set.Instances) || out.New != 0 {
		t.Errorf("afterwards: %+v, %v", out, err)
	}
	want, wantReport := rows(t, one), report(t, one)
	for _, dir := range []string{first, second} {
		if rows(t, dir) != want {
			t.Errorf("%s: other rows than on one machine", filepath.Base(dir))
		}
		if report(t, dir) != wantReport {
			t.Errorf("%s: another report than on one machine", filepath.Base(dir))
		}
	}
}

// process is one that takes part in a run.
type process struct {
	cmd  *exec.Cmd
	keys chan string // that it was asked; closed at its end
}

func start(t *testing.T, pg *testkit.Postgres, dir string, answers int) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{exec.Command(self, takePartWord, pg.URL("postgres"), dir, strconv.Itoa(answers)), make(chan string, 1000)}
	p.cmd.Stderr = os.Stderr
	printed, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	go func() {
		defer close(p.keys)
		for lines := bufio.NewScanner(printed); lines.Scan(); {
			p.keys <- lines.Text()
		}
	}()
	return p
}

// next waits for the next question.
func (p *process) next(t *testing.T) string {
	t.Helper()
	key, ok := <-p.keys
	if !ok {
		t.Fatal("the process has ended")
	}
	return key
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.cmd.Wait() // its error says that it was killed
}

// TestBudgets: what a run may ask and cost is counted over all who work on it.
func TestBudgets(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	const all = 60
	set.Instances = set.Instances[:all]
	var together asks
	d := database(pg.URL("postgres"))
	dirs := []string{t.TempDir(), t.TempDir()}
	both := func(o ...run.Options) (outs [2]run.Outcome) {
		t.Helper()
		var work sync.WaitGroup
		for i := range outs {
			work.Go(func() {
				var err error
				if outs[i], err = take(t, dirs[i], plan(set, together.add), d.Run, o[i]); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		return outs
	}
	outs := both(run.Options{Workers: 3, Calls: 20}, run.Options{Workers: 3, Calls: 20})
	if len(together.times) != 20 || outs[0].New+outs[1].New != 20 || outs[0].Stopped != "20 questions were asked" || outs[1].Stopped != outs[0].Stopped {
		t.Errorf("%d questions asked: %+v", len(together.times), outs)
	}
	// The budget that one of them is given is that of the other, too. At most those
	// that were being asked when it was spent come on top of it.
	outs = both(run.Options{Workers: 3, Calls: 1000, Money: big.NewRat(30, 100)}, run.Options{Workers: 3, Calls: 1000, Money: big.NewRat(30, 100)})
	if n := len(together.times); n < 30 || n > 30+5 || !strings.HasPrefix(outs[0].Stopped, "it has cost 0.3") || outs[1].Stopped == "" {
		t.Errorf("%d questions asked: %+v", n, outs)
	}
	if out, err := take(t, t.TempDir(), plan(set, together.add), d.Run, run.Options{Workers: 3}); err != nil || out.Stopped == "" || out.New != 0 {
		t.Errorf("a process without a budget: %+v, %v", out, err)
	}
	told := 0
	out, err := take(t, dirs[0], plan(set, together.add), d.Run, run.Options{Workers: 3, Money: big.NewRat(10, 1), Progress: func(p run.Progress) {
		if p.All != all || p.Done < told || p.New > p.Done {
			t.Errorf("told %+v after %d", p, told)
		}
		told = p.Done
	}})
	if err != nil || out.Stopped != "" || out.Done != all || told != all {
		t.Errorf("%+v, told %d, %v", out, told, err)
	}
	for key, n := range together.times {
		if n != 1 {
			t.Errorf("%s was asked %d times", key, n)
		}
	}
}

// TestEnds: an error of a judge, or an interrupt, ends the process that it is in.
// Nothing is recorded of the question, and the next process has it at once.
func TestEnds(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	set.Instances = set.Instances[:12]
	d, dir := database(pg.URL("postgres")), t.TempDir()
	dead := func(context.Context, string) error { return errors.New("the line is dead") }
	out, err := take(t, dir, plan(set, dead), d.Run, run.Options{Workers: 2})
	if err == nil || !strings.HasPrefix(err.Error(), "asking told about ag0-") || !strings.HasSuffix(err.Error(), "-plain: the line is dead") || out.Done != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	defect := func(context.Context, string) error { panic("oh") }
	if out, err := take(t, dir, plan(set, defect), d.Run, run.Options{Workers: 1}); err == nil || !strings.HasPrefix(err.Error(), "a defect, please report it: oh") || out.Done != 0 {
		t.Errorf("%+v, %v", out, err)
	}

	ctx, stop := context.WithCancel(t.Context())
	j, err := run.OpenJournal(dir, plan(set, dead))
	if err != nil {
		t.Fatal(err)
	}
	p := plan(set, func(ctx context.Context, _ string) error {
		stop()
		<-ctx.Done()
		return nil // what it says now is not what it would have said
	})
	out, err = d.Run(ctx, p, j, run.Options{Workers: 2})
	if closed := j.Close(); !errors.Is(err, context.Canceled) || out.New != 0 || closed != nil {
		t.Errorf("interrupted: %+v, %v, %v", out, err, closed)
	}
	var a asks
	if out, err := take(t, dir, plan(set, a.add), d.Run, run.Options{Workers: 2}); err != nil || out.New != 12 || len(a.times) != 12 {
		t.Errorf("afterwards: %+v, %v", out, err)
	}
}

// TestOpen: a question without an answer is no result. The process that had none ends
// once nothing else is to be asked, and another one can ask.
func TestOpen(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	all := run.GiveUp + 50
	set.Instances = set.Instances[:all]
	d, dir := database(pg.URL("postgres")), t.TempDir()
	var a asks
	some := plan(set, func(ctx context.Context, key string) error {
		a.add(ctx, key)
		if n := len(a.times); n > 5 && n <= 8 {
			return &run.Open{Why: "nv_timeout"}
		}
		if len(a.times) == 20 {
			return &run.Spent{What: "the money is gone"}
		}
		return nil
	})
	out, err := take(t, dir, some, d.Run, run.Options{Workers: 1})
	if err != nil || out.Stopped != "the money is gone" || out.Done != 16 || out.Open["nv_timeout"] != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	down := plan(set, func(context.Context, string) error { return &run.Open{Why: "nv_transport"} })
	out, err = take(t, dir, down, d.Run, run.Options{Workers: 2})
	if err != nil || !strings.HasSuffix(out.Stopped, " questions without an answer (nv_transport)") || out.New != 0 || out.Open["nv_transport"] < run.GiveUp {
		t.Errorf("%+v, %v", out, err)
	}
	pg.SQL("postgres", "update authgate.river_job set state = 'available', scheduled_at = now() where state = 'scheduled'") // a minute has passed
	bad := ""
	var again asks
	out, err = take(t, dir, plan(set, func(ctx context.Context, key string) error {
		again.add(ctx, key)
		if bad == "" {
			bad = key
		}
		if key == bad {
			return &run.Open{Why: "nv_timeout"}
		}
		return nil
	}), d.Run, run.Options{Workers: 1})
	if err != nil || out.Stopped != "" || out.Done != all-1 || out.Open["nv_timeout"] != 1 || again.times[bad] != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestFirst: where another process has answered meanwhile, its answer stays.
func TestFirst(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	set.Instances = set.Instances[:3]
	var a asks
	alone, dir := t.TempDir(), t.TempDir()
	if _, err := take(t, alone, plan(set, a.add), run.Run, run.Options{}); err != nil {
		t.Fatal(err)
	}
	// Where the judge would say allow, somebody else has said unsure.
	others := strings.ReplaceAll(rows(t, alone), `"raw_decision":"allow","checked_decision":"allow"`, `"raw_decision":"unsure","checked_decision":"unsure"`)
	meanwhile := plan(set, func(_ context.Context, key string) error {
		for line := range strings.Lines(others) {
			if strings.Contains(line, key) {
				pg.SQL("postgres", "insert into authgate.licet_answer (key, answer) values ('"+key+"', convert_to($$"+line+"$$, 'UTF8'))")
			}
		}
		return nil
	})
	out, err := take(t, dir, meanwhile, database(pg.URL("postgres")).Run, run.Options{Workers: 1})
	if err != nil || out.Done != 3 || out.New != 0 || !strings.Contains(others, "unsure") || rows(t, dir) != others {
		t.Errorf("%+v, %v: %s", out, err, rows(t, dir))
	}
}

// TestLostConnection: connections that break end nothing and lose nothing.
func TestLostConnection(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	set.Instances = set.Instances[:12]
	var a asks
	dir := t.TempDir()
	out, err := take(t, dir, plan(set, func(ctx context.Context, key string) error {
		if len(a.times) == 4 {
			pg.SQL("postgres", "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'licet-lab'")
		}
		return a.add(ctx, key)
	}), database(pg.URL("postgres")).Run, run.Options{Workers: 1})
	if err != nil || out.Done != 12 || len(a.times) != 12 || strings.Count(rows(t, dir), "\n") != 12 {
		t.Errorf("%+v, %d asked, %v", out, len(a.times), err)
	}
	for key, n := range a.times {
		if n != 1 {
			t.Errorf("%s was asked %d times", key, n)
		}
	}
}

// TestRefuses: what is not this run, or cannot be one, is refused and says why.
func TestRefuses(t *testing.T) {
	pg := testkit.StartPostgres(t)
	set, err := item.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	set.Instances = set.Instances[:3]
	var a asks
	d, dir := database(pg.URL("postgres")), t.TempDir()
	if _, err := take(t, dir, plan(set, a.add), d.Run, run.Options{}); err != nil {
		t.Fatal(err)
	}
	alone := t.TempDir() // answers of the same run that the database does not know
	if _, err := take(t, alone, plan(set, a.add), run.Run, run.Options{}); err != nil {
		t.Fatal(err)
	}
	twice := plan(set, a.add)
	twice.Epochs = 2
	secret := "postgres://ann:hunter2@127.0.0.1:1/x?connect_timeout=3"
	for name, c := range map[string]struct {
		d    shared.Database
		p    *run.Plan
		dir  string
		want string
	}{
		"another run":        {d, twice, t.TempDir(), "in the schema is another run: its epochs are 1, not 2; give it a schema of its own"},
		"a folder of others": {shared.Database{URL: d.URL, Schema: "empty"}, plan(set, a.add), alone, "give the run a folder of its own"},
		"a name":             {shared.Database{URL: d.URL, Schema: `x"; drop`}, plan(set, a.add), dir, "expected at most 40 of a-z"},
		"no server":          {shared.Database{URL: secret, Schema: "s"}, plan(set, a.add), dir, "reaching the database: "},
		"no URL":             {shared.Database{URL: "postgres://ann:hunter2@[x/", Schema: "s"}, plan(set, a.add), dir, "cannot be read: expected postgres://"},
		"no such database":   {shared.Database{URL: pg.URL("nowhere"), Schema: "s"}, plan(set, a.add), dir, `database "nowhere" does not exist`},
	} {
		_, err := take(t, c.dir, c.p, c.d.Run, run.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
