//go:build unix

package signals_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/licet-dev/licet/internal/signals"
)

// BenchmarkCollect collects on a repository of 50,000 tracked files, and runs `git
// status` on it in turn. It prints both medians and the ratio, of the time that
// passes and of the time of processors, which other programs do not disturb: the
// goal is 2.
func BenchmarkCollect(b *testing.B) {
	t := &testing.T{}
	top := b.TempDir()
	w := world{t, top, top + "/project", top + "/system"}
	if err := os.MkdirAll(w.project, 0o755); err != nil {
		b.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	makeMany(w, 50_000)
	w.git("add", "-A")
	w.git("commit", "-qm", "all")
	in := w.input("git clean -fdx")
	in.Want = allCollectors()
	status := func() (took, used time.Duration) {
		c := exec.Command("git", "status", "--porcelain")
		c.Dir, c.Env = w.project, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home}
		begun := time.Now()
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(begun), c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	status() // warms the cache
	var ours, gits, oursUsed, gitsUsed []time.Duration
	for b.Loop() {
		begun, before := time.Now(), processorTime(b)
		r := signals.Collect(context.Background(), in)
		ours, oursUsed = append(ours, time.Since(begun)), append(oursUsed, processorTime(b)-before)
		took, used := status()
		gits, gitsUsed = append(gits, took), append(gitsUsed, used)
		if len(ours) == 1 {
			b.Logf("untracked %s, dirty %s, staged %s", shown(r, "git_state.untracked"), shown(r, "git_state.dirty"), shown(r, "git_state.staged"))
			for _, c := range r.Collectors {
				b.Logf("%-16s %8v %v", c.Collector, c.Took.Round(100*time.Microsecond), c.Unseen)
			}
		}
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2].Microseconds()) / 1000
	}
	b.ReportMetric(median(ours), "collect-ms")
	b.ReportMetric(median(gits), "status-ms")
	b.ReportMetric(median(ours)/median(gits), "ratio")
	b.ReportMetric(median(oursUsed)/median(gitsUsed), "cpu-ratio")
}

// processorTime returns what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
