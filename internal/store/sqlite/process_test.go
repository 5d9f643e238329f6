package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/store/sqlite"
	"github.com/licet-dev/licet/internal/storetest"
)

// The tests below run this binary again as one of these programs. Each gets a
// state directory and prints what it saw.
var programs = map[string]func(dir string) error{
	"flood": flood,
	"early": early,
	"limit": limit,
}

const (
	programVariable = "LICET_TEST_PROGRAM"
	dirVariable     = "LICET_TEST_DIR"
)

func TestMain(m *testing.M) {
	program, asked := programs[os.Getenv(programVariable)]
	if !asked {
		os.Exit(m.Run())
	}
	if err := program(os.Getenv(dirVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(t *testing.T, program, dir string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programVariable+"="+program, dirVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// commits commits as fast as it can and prints the hash of each record of
// which it has a receipt. It ends with the process, or with an error.
func commits(s *sqlite.Store, writers int) error {
	failed := make(chan error)
	for w := range writers {
		go func() {
			for i := 0; ; i++ {
				e := storetest.Entry(fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i))
				e.Takes = []authz.Take{{Counter: "c", Window: int64(time.Hour), Amount: "1", Max: "1000000"}}
				r, err := s.Commit(context.Background(), e)
				if err != nil {
					failed <- err
					return
				}
				fmt.Println(r.Record.Hash)
			}
		}()
	}
	return <-failed
}

func flood(dir string) error {
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{LockTimeout: 30 * time.Second})
	if err != nil {
		return err
	}
	return commits(s, 8)
}

// early stops between answer and COMMIT of the third group.
func early(dir string) error {
	s, err := sqlite.OpenAnsweringEarly(context.Background(), dir, sqlite.Options{Group: 1}, 3)
	if err != nil {
		return err
	}
	return commits(s, 1)
}

// kill starts a program, kills it after it printed some receipts, and returns
// all that it printed.
func kill(t *testing.T, program, dir string, after int, delay time.Duration) []string {
	t.Helper()
	cmd, out := start(t, program, dir)
	var receipts []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		receipts = append(receipts, lines.Text())
		if len(receipts) == after {
			time.Sleep(delay) // any moment will do
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%s ended with %v before it was killed", program, err)
	}
	return receipts
}

// lost returns how many receipts have no record in the store.
func lost(t *testing.T, dir string, receipts []string) int {
	t.Helper()
	kept := map[string]bool{}
	s, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range storetest.Verify(t, s) {
		kept[r.Hash] = true
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, hash := range receipts {
		if !kept[hash] {
			n++
		}
	}
	return n
}

// TestKill: what was answered is in the log, wherever the process is killed.
func TestKill(t *testing.T) {
	rounds := 10
	if os.Getenv("LICET_LONG") == "1" {
		rounds = 200
	}
	dir := filepath.Join(t.TempDir(), "state")
	seen := 0
	for range rounds {
		receipts := kill(t, "flood", dir, 1+rand.IntN(300), rand.N(3*time.Millisecond))
		seen += len(receipts)
		if n := lost(t, dir, receipts); n > 0 {
			t.Fatalf("%d of %d records were lost that a caller had a receipt of", n, len(receipts))
		}
	}
	t.Logf("%d receipts in %d rounds, none lost", seen, rounds)
}

// TestKillFindsEarlyAnswers: TestKill can fail.
func TestKillFindsEarlyAnswers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	receipts := kill(t, "early", dir, 3, 0)
	if n := lost(t, dir, receipts); n != 1 || len(receipts) != 3 {
		t.Errorf("%d of %d receipts lost with a committer that answered the third before COMMIT", n, len(receipts))
	}
}

const (
	limitProcesses = 8
	limitBound     = 100
	limitCalls     = 30 // in each process
)

// limit makes its calls and prints a line for each that got through.
func limit(dir string) error {
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{LockTimeout: 30 * time.Second})
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	failed := make(chan error, limitCalls)
	for i := range limitCalls {
		wg.Go(func() {
			e := storetest.Entry(fmt.Sprintf("%d-%d", os.Getpid(), i))
			e.Takes = []authz.Take{{Counter: "c", Window: int64(time.Hour), Amount: "1", Max: fmt.Sprint(limitBound)}}
			r, err := s.Commit(context.Background(), e)
			if err != nil {
				failed <- err
			} else if r.Conflict == nil {
				fmt.Println("through")
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return s.Close()
	}
}

// TestProcesses: processes that open a fresh directory at once share one chain
// and one limit.
func TestProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	var running []*exec.Cmd
	var outs []io.Reader
	for range limitProcesses {
		cmd, out := start(t, "limit", dir)
		running, outs = append(running, cmd), append(outs, out)
	}
	through := 0
	for i, cmd := range running {
		out, err := io.ReadAll(outs[i])
		if err != nil {
			t.Fatal(err)
		}
		through += strings.Count(string(out), "through")
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if through != limitBound {
		t.Errorf("%d calls got through a limit of %d", through, limitBound)
	}
	s := openStore(t, dir, sqlite.Options{})
	if got := len(storetest.Verify(t, s)); got != limitProcesses*limitCalls {
		t.Errorf("%d records, want %d", got, limitProcesses*limitCalls)
	}
}
