package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/lab/secbench/run"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestSecbenchSynced: a run is durable before the index says that it is finished, in
// the order in which the system was asked: each file and folder of it, then its name,
// then the line of the index. A power failure in between leaves it unfinished.
func TestSecbenchSynced(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Missing(t, "LICET_REQUIRE_STRACE", "needs strace")
	}
	s, calls := newSecbenchSet(t), filepath.Join(t.TempDir(), "calls")
	cmd, said := s.command(t, "run", "--out", s.out, "--agent", "no-op", "--task", "L01", "--seed", "1")
	self := filepath.Join(t.TempDir(), cmd.Args[0]) // strace has no other way to tell a program its name
	if err := os.Symlink(cmd.Path, self); err != nil {
		t.Fatal(err)
	}
	// -y writes the path of each file that is open beside its number
	cmd.Args = slices.Concat([]string{strace, "-f", "-y", "-s", "4096", "-e", "trace=fsync,write,rename,renameat,renameat2", "-o", calls, self}, cmd.Args[1:])
	cmd.Path = strace
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	text, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	// first is the first line with these parts, of those after another one; len(lines) if there is none
	first := func(after int, parts ...string) int {
		for i := after + 1; i < len(lines); i++ {
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(lines[i], part) }) {
				return i
			}
		}
		t.Errorf("no call %q after line %d", parts, after+1)
		return len(lines)
	}
	runs, _ := filepath.Glob(filepath.Join(s.out, "r-*"))
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	folder := runs[0]
	named := first(-1, "rename", fmt.Sprintf("%q, ", folder+".unfinished"), fmt.Sprintf("%q", folder))
	err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if synced := first(-1, "fsync(", "<"+folder+".unfinished"+strings.TrimPrefix(path, folder)+">"); synced > named {
			t.Errorf("%s is not durable before it has its name", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := first(named, "fsync(", "<"+s.out+">")
	told := first(kept, "write(", "<"+filepath.Join(s.out, run.Index)+">", filepath.Base(folder))
	first(told, "fsync(", "<"+filepath.Join(s.out, run.Index)+">")
}
