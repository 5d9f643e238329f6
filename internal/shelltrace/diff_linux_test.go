package shelltrace

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/licet-dev/licet/internal/shell"
	"github.com/licet-dev/licet/internal/testkit"
)

// everyNth of the commands is run where LICET_LONG is not 1.
const everyNth = 14

// TestDifferential runs commands and looks for what package shell has missed. With
// LICET_TRACE_REPORT=FILE it lists in that file what each command did and what was
// claimed and not seen.
func TestDifferential(t *testing.T) {
	b := openBench(t)
	all, err := corpus()
	if err != nil {
		t.Fatal(err)
	}
	var chosen []entry
	for i, e := range all {
		if os.Getenv("LICET_LONG") == "1" || i%everyNth == 0 {
			chosen = append(chosen, e)
		}
	}
	results := checkAll(t, b, chosen)
	report(t, b, results)
}

func openBench(t *testing.T) *bench {
	t.Helper()
	if reason := lacks(); reason != "" {
		testkit.Missing(t, "LICET_REQUIRE_STRACE", reason)
	}
	b, err := newBench(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkAll checks commands, four at a time: they wait more than they work. What is missed is an error.
func checkAll(t *testing.T, b *bench, list []entry) []result {
	t.Helper()
	results := make([]result, len(list))
	next := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i := range next {
				r, err := b.check(context.Background(), list[i])
				if err != nil {
					t.Error(err)
				}
				for at, e := range r.done {
					if r.covers[at] == Missed {
						t.Errorf("%s: %q: missed %s, done by %s", r.source, r.command, e, doneBy(r.done, e))
					}
				}
				results[i] = r
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

func doneBy(done []Event, e Event) string {
	if len(e.Runs) == 0 {
		return "the shell"
	}
	return fmt.Sprintf("%q", done[e.Runs[len(e.Runs)-1]].Words)
}

// report prints what a reader of the test wants to know.
func report(t *testing.T, b *bench, results []result) {
	t.Helper()
	runs, unknown, opaque, cut := map[string]int{}, map[string]int{}, map[string]int{}, 0
	covers, unseen := map[Cover]int{}, map[string]int{}
	onlyUnknown := 0
	for _, r := range results {
		runs[r.kind]++
		if r.unknown != "" {
			unknown[r.kind]++
			if r.kind == everyday {
				t.Logf("unknown: %q: %s", r.command, r.unknown)
			}
		} else if r.opaque != "" {
			opaque[r.kind]++
		}
		if r.cut {
			cut++
		}
		if slices.Contains(r.covers, ByUnknown) {
			onlyUnknown++
		}
		for _, c := range r.covers {
			covers[c]++
		}
		for _, line := range r.unseen {
			kind, _, _ := strings.Cut(line, " ")
			unseen[kind]++
		}
	}
	t.Logf("commands run %d: %v; ended after %v: %d", len(results), runs, limit, cut)
	for _, kind := range slices.Sorted(maps.Keys(runs)) {
		t.Logf("%s: %d with an unknown effect, %d more with inner work alone, of %d", kind, unknown[kind], opaque[kind], runs[kind])
	}
	t.Logf("events by what covers them: %v; commands of which something is covered by an unknown effect alone: %d", covers, onlyUnknown)
	t.Logf("claimed and not seen: %v", unseen)
	t.Logf("`true` does %d things; the fixed list of look-ups has %d patterns: %q", len(b.known.always), len(b.known.lookups), b.known.lookups)
	if n := unknown[everyday]; 3*n > runs[everyday] {
		t.Errorf("%d of %d everyday commands have an unknown effect: more than a third", n, runs[everyday])
	}
	writeReport(t, results)
}

// writeReport lists everything in the file that LICET_TRACE_REPORT names.
func writeReport(t *testing.T, results []result) {
	t.Helper()
	file := os.Getenv("LICET_TRACE_REPORT")
	if file == "" {
		return
	}
	var text strings.Builder
	for _, r := range results {
		fmt.Fprintf(&text, "%s: %q", r.source, r.command)
		if why := r.unknown + r.opaque; why != "" {
			fmt.Fprintf(&text, " unknown: %s; inner work: %s", r.unknown, r.opaque)
		}
		text.WriteString("\n")
		for i, e := range r.done {
			if r.covers[i] != ByNoise {
				fmt.Fprintf(&text, "  %-9s %s\n", r.covers[i], e)
			}
		}
		for _, line := range r.unseen {
			fmt.Fprintf(&text, "  not seen  %s\n", line)
		}
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Error(err)
	}
}

// TestNoticed: what a command does is missed where the analysis is of another one,
// so that the comparison can fail.
func TestNoticed(t *testing.T) {
	b := openBench(t)
	for command, want := range map[string]string{
		"cat a.txt": "read", "touch new": "write", "rm a.txt": "write", "mkdir d": "write", "mv a.txt b.txt": "write", "chmod 600 a.txt": "write",
		"ls src": "read", "ln -s x y": "write", "echo x > y": "write", "head -1 < a.txt": "read", "curl -s http://127.0.0.1/": "network",
		"nice id": "execute", "git branch new": "write", "sed -i s/a/b/ a.txt": "write", "tar czf x.tgz src": "execute",
	} {
		said, err := claim(context.Background(), "true", b.Workspace, b.Home)
		if err != nil {
			t.Fatal(err)
		}
		done, _, err := b.Run(context.Background(), command)
		if err != nil {
			t.Fatal(err)
		}
		covers, _ := said.compare(done, &b.known)
		found := slices.ContainsFunc(done, func(e Event) bool { return e.Kind.String() == want })
		for i, e := range done {
			if e.Kind.String() == want && covers[i] == Missed {
				found = true
				break
			}
			found = false
		}
		if !found {
			t.Errorf("%s: that it does %s is not noticed: %v", command, want, done)
		}
	}
}

// TestNothingOutside: what commands do to files, processes, names and clocks of the
// machine is not done outside of the sandbox.
func TestNothingOutside(t *testing.T) {
	b := openBench(t)
	mark := filepath.Join("/etc", filepath.Base(b.Scratch)+"-licet-mark")
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	before := tree(t, b.Workspace)
	for _, command := range []string{
		"touch " + mark, "rm -rf src; echo x > a.txt; mv b.txt c.txt", "hostname licet-mark", "kill -9 -1", fmt.Sprintf("kill -9 %d", os.Getpid()),
		"mount -t tmpfs none /mnt", "date -s 2001-01-01", "echo 0 > /proc/sys/kernel/randomize_va_space", "chmod 777 /etc /tmp; rm -rf /tmp/*", "rm -rf ~ ../home",
	} {
		if _, _, err := b.Run(context.Background(), command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", mark, err)
	}
	if now, err := os.Hostname(); err != nil || now != name {
		t.Errorf("the machine is called %s now", now)
	}
	if after := tree(t, b.Workspace); !maps.Equal(before, after) {
		t.Error("the workspace has changed")
	}
	done, _, err := b.Run(context.Background(), "cat /proc/net/dev; ip link")
	if err != nil || !slices.ContainsFunc(done, func(e Event) bool { return e.Kind == shell.Read }) {
		t.Errorf("%v %v", done, err)
	}
}

// tree returns the files below a folder with their times and modes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.Walk(dir, func(file string, info os.FileInfo, err error) error {
		if err == nil {
			files[file] = fmt.Sprint(info.Mode(), info.ModTime(), info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
