//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/testkit"
)

// secbenchCells is how many runs a [secbenchSet] has.
const secbenchCells = 2 * 6

// secbenchSet is a set of runs of which most need no harness, in a folder and with a
// folder for temporary files of its own.
type secbenchSet struct{ out, tmp string }

func newSecbenchSet(t *testing.T) secbenchSet {
	t.Helper()
	return secbenchSet{filepath.Join(t.TempDir(), "runs"), t.TempDir()}
}

// needSandbox ends a test where a run that needs a harness is left out.
func needSandbox(t *testing.T) {
	t.Helper()
	s := newSecbenchSet(t)
	if said := s.said(t, "run", "--out", s.out, "--agent", "no-op", "--task", "L01", "--task", "T01", "--seed", "1"); strings.Contains(said, "are not run") {
		testkit.Missing(t, "LICET_REQUIRE_SANDBOX", said)
	}
}

// command is one on the set; its processes are a group.
func (s secbenchSet) command(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	return &exec.Cmd{
		Path: self, Args: append([]string{"licet-lab", "secbench"}, args...), Env: append(os.Environ(), "TMPDIR="+s.tmp),
		Stdout: &said, Stderr: &said, SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}, &said
}

func (s secbenchSet) run(t *testing.T, more ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	args := []string{"run", "--out", s.out, "--agent", "oracle", "--agent", "no-op", "--seed", "1", "--workers", "2"}
	for _, task := range []string{"L01", "C01", "R01", "K01", "P01", "T01"} {
		args = append(args, "--task", task)
	}
	return s.command(t, append(args, more...)...)
}

// said runs a command to its end.
func (s secbenchSet) said(t *testing.T, args ...string) string {
	t.Helper()
	cmd, said := s.command(t, args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v: %s", args, err, said)
	}
	return said.String()
}

// index returns the whole lines of the index by their run. A run has one.
func (s secbenchSet) index(t *testing.T) map[string]string {
	t.Helper()
	text, _ := os.ReadFile(filepath.Join(s.out, run.Index)) // not there if it was killed at once
	lines := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			continue
		}
		name := line[strings.LastIndex(line, `"run":"`):]
		if lines[name] != "" {
			t.Fatalf("two lines of one run: %s", text)
		}
		lines[name] = line
	}
	return lines
}

// size is how many bytes lie in the folder.
func (s secbenchSet) size() (n int64) {
	_ = filepath.WalkDir(s.out, func(_ string, d fs.DirEntry, err error) error {
		if err == nil {
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				n += info.Size()
			}
		}
		return nil // a file that has gone since
	})
	return n
}

// finished checks a set that has all its runs, and returns what they are graded as.
func (s secbenchSet) finished(t *testing.T) string {
	t.Helper()
	if n := len(s.index(t)); n != secbenchCells {
		t.Errorf("the index has %d of %d runs", n, secbenchCells)
	}
	if said := s.said(t, "verify", s.out); strings.Count(said, " ok\n") != secbenchCells || strings.Count(said, "\n") != secbenchCells {
		t.Errorf("verify says %s", said)
	}
	for dir, want := range map[string]int{s.out: 1 + secbenchCells, s.tmp: 0} {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != want {
			t.Errorf("%d things lie in %s, want %d: %v, %v", len(left), dir, want, left, err)
		}
	}
	for s.alive() {
		runtime.Gosched() // until the killed ones have gone, or the test has taken too long
	}
	return s.said(t, "grade", s.out)
}

// alive says whether a process still works on the set, as far as the system tells.
func (s secbenchSet) alive() bool {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, []byte("TMPDIR="+s.tmp)) {
			return true
		}
	}
	return false
}

// killAt starts the runs of the set and kills all processes once the folder has grown
// by more than so many bytes. It returns what they said, and whether they were killed.
func (s secbenchSet) killAt(t *testing.T, grown int64) (string, bool) {
	t.Helper()
	cmd, said := s.run(t)
	limit := s.size() + grown
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for s.size() <= limit {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			return said.String(), false
		case <-time.After(2 * time.Millisecond): // looking all the time would hold up what is looked at
		}
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	err := <-ended
	return said.String(), err != nil
}

// TestKilledSecbench kills a set of runs with all its processes at random points of
// what it writes, each time to be resumed by the same command, until it is finished,
// and then another one. No finished run is lost or played again, none counts twice,
// nothing is left behind, and the set is graded as one that was left alone.
func TestKilledSecbench(t *testing.T) {
	kills := 5
	if os.Getenv("LICET_LONG") != "" {
		kills = 50
	}
	needSandbox(t)
	whole := newSecbenchSet(t)
	whole.killAt(t, math.MaxInt64/2)
	want, size := whole.finished(t), whole.size()
	chance := rand.New(rand.NewPCG(9, 2026))
	killed, amid := 0, 0
	for killed < kills {
		s := newSecbenchSet(t)
		for on := true; on; {
			had, grown := s.index(t), int64(math.MaxInt64/2)
			if killed < kills {
				grown = chance.Int64N(size / 3)
			}
			var said string
			said, on = s.killAt(t, grown)
			has := s.index(t)
			for name, line := range had {
				if has[name] != line {
					t.Fatalf("a run was lost or played again: %s", name)
				}
			}
			if !on {
				if want := fmt.Sprintf("%d of %d runs finished, %d of them now\n", secbenchCells, secbenchCells, secbenchCells-len(had)); said != want {
					t.Errorf("said %q, want %q", said, want)
				}
				continue
			}
			killed++
			left, _ := filepath.Glob(filepath.Join(s.out, "*.unfinished"))
			if len(left) > 0 && len(has) > 0 {
				amid++
			}
			t.Logf("kill %d: %d bytes after %d runs, with %d finished and %d begun", killed, grown, len(had), len(has), len(left))
		}
		if got := s.finished(t); got != want {
			t.Errorf("killed and resumed it is graded as\n%s\nleft alone as\n%s", got, want)
		}
	}
	if amid < kills/3 {
		t.Errorf("%d of %d kills came amid a run after another one had ended: the test did not look", amid, kills)
	}
}

// TestSecbenchTwice: of two commands that play the same runs into one folder at the
// same time, each finishes or is told why not, and one has finished them all.
func TestSecbenchTwice(t *testing.T) {
	needSandbox(t)
	s := newSecbenchSet(t)
	first, firstSaid := s.run(t)
	second, secondSaid := s.run(t)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, c := range []struct {
		err  error
		said *bytes.Buffer
	}{{second.Run(), secondSaid}, {first.Wait(), firstSaid}} {
		if c.err == nil && strings.Contains(c.said.String(), fmt.Sprintf("%d of %d runs finished, ", secbenchCells, secbenchCells)) {
			continue
		}
		refused++
		if want := "licet-lab: another process may be playing runs into " + s.out + ": "; c.err == nil || !strings.HasPrefix(c.said.String(), want) {
			t.Errorf("%v: %s", c.err, c.said)
		}
	}
	if refused > 1 {
		t.Error("both were refused")
	}
	s.finished(t)
}
