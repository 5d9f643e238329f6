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

	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/signals"
)

// BenchmarkCollect collects on a repository of 50,000 tracked files, and runs `git
// status` on it in turn. It prints both medians and the ratio, of the time that
// passes and of the time of processors, which other programs do not disturb: the
// goal is 2. Beside them it prints how long the judge without a model takes on what
// was collected.
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
	var ours, gits, oursUsed, gitsUsed, opinions []time.Duration
	for b.Loop() {
		begun, before := time.Now(), processorTime(b)
		r := signals.Collect(context.Background(), in)
		ours, oursUsed = append(ours, time.Since(begun)), append(oursUsed, processorTime(b)-before)
		took, used := status()
		gits, gitsUsed = append(gits, took), append(gitsUsed, used)
		opinions = append(opinions, opine(in, r)...)
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
	slices.Sort(opinions)
	b.ReportMetric(float64(opinions[len(opinions)*99/100].Microseconds())/1000, "opinion-p99-ms")
	b.ReportMetric(median(ours), "collect-ms")
	b.ReportMetric(median(gits), "status-ms")
	b.ReportMetric(median(ours)/median(gits), "ratio")
	b.ReportMetric(median(oursUsed)/median(gitsUsed), "cpu-ratio")
}

// opine has opinions of the judge without a model, checks included, on facts and
// signals that are there, and returns how long each took.
func opine(in signals.Input, r signals.Report) (took []time.Duration) {
	c := judge.NewCase(in.Action, []string{"Tidy the work tree up.", "What git ignores may go, too: git clean -fdx."})
	c.Signals = r.Signals
	for range 200 {
		begun := time.Now()
		judge.Check(c, judge.Grounded{}.Judge(context.Background(), c), judge.Now{Affected: c.Affected})
		took = append(took, time.Since(begun))
	}
	return took
}

// processorTime returns what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
