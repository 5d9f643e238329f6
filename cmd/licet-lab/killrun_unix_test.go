//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/result/resulttest"
	"github.com/licet-dev/licet/internal/lab/fakellm"
)

// TestKilledRun kills a run that asks judges, at 20 random points of what it has
// recorded, and starts it again: it asks what has no recorded answer and nothing
// else, and comes to the decisions of a run that was left alone.
func TestKilledRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join("..", "..", "data", "authgate", "v0")
	lab := func(out string) *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{"licet-lab", "authgate", "run", "--data", data, "--out", out, "--model", "grounded", "--model", "keyword", "--epochs", "3"}}
	}
	const all = 2 * 180 * 3 // judges, instances, epochs
	finish := func(out string, now int) string {
		t.Helper()
		text, err := lab(out).CombinedOutput()
		if want := fmt.Sprintf("%d of %d questions answered, %d of them now\n", all, all, now); err != nil || string(text) != want {
			t.Fatalf("%v: %q, want %q", err, text, want)
		}
		return answers(t, out)
	}
	killOften(t, all, lab, finish)
}

// killOften kills 20 runs that each record all answers, at random points of what they
// write, and has each finished, to the decisions of a run that was left alone.
func killOften(t *testing.T, all int, lab func(out string) *exec.Cmd, finish func(out string, now int) string) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole")
	want := finish(whole, all)
	size := fileSize(filepath.Join(whole, "results.jsonl"))
	amid := 0
	for range 20 {
		out := filepath.Join(t.TempDir(), "out")
		recorded := killAfter(t, lab(out), filepath.Join(out, "results.jsonl"), rand.Int64N(size))
		if recorded > 0 && recorded < all {
			amid++
		}
		if got := finish(out, all-recorded); got != want {
			t.Errorf("killed after %d answers: other decisions", recorded)
		}
	}
	if amid < 5 {
		t.Errorf("%d of 20 kills came while answers were recorded: the test did not look", amid)
	}
}

// TestKilledModelRun kills a run that asks a model's server, at 20 random points of
// what it has recorded, and starts it again. The server is then asked the questions
// that have no recorded answer, each once, and no other.
func TestKilledModelRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	asked := counting(t, dir, `rules: [drift: [{decision: allow, rationale: a}, {decision: block, rationale: b}]]`)
	lab := func(out, who string) *exec.Cmd {
		return &exec.Cmd{Path: self, Args: []string{"licet-lab", "authgate", "run", "--data", filepath.Join("..", "..", "data", "authgate", "v0"), "--out", out,
			"--models", filepath.Join(dir, who), "--model", "stand-in", "--policy", "rules", "--epochs", "2", "--workers", "8"}}
	}
	const all = 180 * 2 // instances, epochs
	finish := func(out string, now int) string {
		t.Helper()
		asked.reset()
		text, err := lab(out, counted).CombinedOutput()
		if want := fmt.Sprintf("%d of %d questions answered, %d of them now\n", all, all, now); err != nil || string(text) != want {
			t.Fatalf("%v: %q, want %q", err, text, want)
		}
		if n, most := asked.count(); n != now || most > 1 {
			t.Fatalf("%d questions were asked, one of them %d times, and %d had no answer", n, most, now)
		}
		return decisions(answers(t, out))
	}
	killOften(t, all, func(out string) *exec.Cmd { return lab(out, "killed") }, finish)
}

// counting serves a script, and writes files of models with it as the model stand-in:
// one whose questions count, and one for runs that are killed.
func counting(t *testing.T, dir, text string) *questions {
	t.Helper()
	script, err := fakellm.Parse("script.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	asked := &questions{Handler: script.Handler(io.Discard), of: map[[sha256.Size]byte]int{}}
	server := httptest.NewServer(asked)
	t.Cleanup(server.Close)
	for _, who := range []string{counted, "killed"} {
		text := "models: {stand-in: {provider: openai, endpoint: " + server.URL + "/v1, model: m, limit: {tries: 100000, tokens: 1000000000}, test_header: " + who + "}}"
		if err := os.WriteFile(filepath.Join(dir, who), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return asked
}

// counted is the header of questions that count: those of a killed run can still be
// on their way when the next one has begun.
const counted = "counted"

// questions counts how often a server is asked what.
type questions struct {
	http.Handler
	mu sync.Mutex
	of map[[sha256.Size]byte]int
}

func (q *questions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("X-Licet-Test") == counted {
		q.mu.Lock()
		q.of[sha256.Sum256(body)]++
		q.mu.Unlock()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	q.Handler.ServeHTTP(w, r)
}

func (q *questions) reset() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.of)
}

// count returns how many questions were asked, and the most times that one was.
func (q *questions) count() (n, most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, times := range q.of {
		n, most = n+times, max(most, times)
	}
	return n, most
}

// varying is what differs between two runs that decide the same.
var varying = regexp.MustCompile(`"(latency_ms":[0-9]+|started":"[^"]*")`)

func decisions(rows string) string { return varying.ReplaceAllLiteralString(rows, "") }

// killAfter starts a command, kills it once a file is larger than size or the
// command has ended, and returns how many whole lines the file has.
func killAfter(t *testing.T, cmd *exec.Cmd, path string, size int64) int {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait() // its error says that it was killed
		close(ended)
	}()
	for fileSize(path) <= size {
		select {
		case <-ended:
		default:
			runtime.Gosched()
			continue
		}
		break
	}
	cmd.Process.Kill()
	<-ended
	text, _ := os.ReadFile(path) // not there if it was killed at once
	return bytes.Count(text, []byte("\n"))
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// answers returns the rows of a run in the order of their keys.
func answers(t *testing.T, out string) string {
	t.Helper()
	file, err := os.Open(filepath.Join(out, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := result.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return resulttest.Text(t, rows)
}
