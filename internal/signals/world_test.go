package signals_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/licet-dev/licet/internal/signals"
)

// fakeProcess makes a process below /proc.
func fakeProcess(w world, pid, parent int, comm string, links map[string]string) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	w.write(map[string]string{
		dir + "stat": fmt.Sprintf("%d (%s) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d 0", pid, comm, parent, pid*100), dir + "environ": "SECRET=hunter2", dir + "cmdline": "x\x00--password=hunter2", dir + "fd/x": "",
	})
	for name, to := range links {
		if err := os.Symlink(to, w.path(dir+name)); err != nil {
			w.Fatal(err)
		}
	}
}

// TestProcesses: who would be ended, and who holds what.
func TestProcesses(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"data/db": ""})
	fakeProcess(w, 1, 0, "init", nil)
	fakeProcess(w, 41, 1, "node (x) S 9", map[string]string{"fd/3": "socket:[777]", "cwd": "/"})
	fakeProcess(w, 42, 41, "keeper", map[string]string{"fd/4": w.path("data/db")})
	fakeProcess(w, 43, 41, "worker", map[string]string{"cwd": w.path("data")})
	w.write(map[string]string{
		"/proc/stat":    "cpu 1 2\nbtime 1000000\n",
		"/proc/net/tcp": "  sl  local_address rem_address   st\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 777 1\n",
	})
	who := func(pid int, comm string) string { return fmt.Sprintf("pid %d %s (user %s)", pid, comm, uid()) }
	for _, tt := range []struct{ command, name, want string }{
		{"kill 41", "processes.matches", "1 " + who(41, "node (x) S 9")},
		{"kill 41", "processes.parents", "1 " + who(1, "init")},
		{"kill -9 41", "processes.listening", "1 8080"},
		{"kill 99", "processes.matches", "0"},
		{"pkill node", "processes.matches", "1 " + who(41, "node (x) S 9")},
		{"killall worker", "processes.matches", "1 " + who(43, "worker")},
		{"pkill -f node", "processes.matches", "unknown, at least 1"},
		{"kill 41 $OTHER", "processes.matches", "unknown, at least 1"},
		{"kill 41 -1", "processes.matches", "unknown, at least 1"},
		{"killall a-name-of-many-bytes", "processes.matches", "unknown"},
		{"kill -1 -1", "processes.matches", "unknown"},
		{"systemctl stop web", "processes.matches", "unknown"},
		{"rm -r data", "open_files.holders", "2 " + who(42, "keeper") + ", " + who(43, "worker")},
		{"rm a", "open_files.holders", "0"},
		{"rm -r data", "open_files.oldest_holder", "58"}, // 42 began 42 s after the system, which is 100 s ago
		{"rm a", "open_files.oldest_holder", "unknown"},
		{"rm a", "open_files.unreadable", "0"},
	} {
		in := w.input(tt.command)
		in.Now = time.Unix(1_000_100, 0)
		if got := shown(signals.On(context.Background(), in, w.system), tt.name); got != tt.want {
			t.Errorf("%s: %s is %s, want %s", tt.command, tt.name, got, tt.want)
		}
	}
}

// TestManyDescriptors: of a process with more open files than are looked at, it is
// not known what it holds.
func TestManyDescriptors(t *testing.T) {
	w := newWorld(t)
	fds := map[string]string{}
	for i := range 1025 {
		fds[fmt.Sprintf("fd/%d", i)] = "/dev/null"
	}
	fakeProcess(w, 41, 1, "server", fds)
	if got := shown(w.collect("rm a"), "open_files.holders"); got != "unknown" {
		t.Errorf("holders are %s", got)
	}
	if got := shown(w.collect("kill 41"), "processes.listening"); got != "unknown" {
		t.Errorf("ports are %s", got)
	}
}

// TestLargeMaps: the same of a process that maps more than is looked at.
func TestLargeMaps(t *testing.T) {
	w := newWorld(t)
	fakeProcess(w, 41, 1, "server", nil)
	w.write(map[string]string{"/proc/41/maps": strings.Repeat("0-1 r--p 00000000 00:00 0\n", 11_000)})
	if got := shown(w.collect("rm a"), "open_files.holders"); got != "unknown" {
		t.Errorf("holders are %s", got)
	}
}

// TestNoProc: without /proc the keys are there, and unknown.
func TestNoProc(t *testing.T) {
	w := newWorld(t)
	r := w.collect("kill 1; rm a")
	for _, name := range []string{"processes.matches", "processes.listening", "open_files.holders"} {
		if got := shown(r, name); got != "unknown" {
			t.Errorf("%s is %s", name, got)
		}
	}
}

// TestSession: what licet's own evidence says of the session.
func TestSession(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	w.write(map[string]string{"mine": "", "theirs": ""})
	in := w.input("rm mine theirs")
	refused := 2
	in.Session = signals.Session{Known: true, Start: time.Now().Add(-time.Hour), Refused: &refused, Made: func(file string) bool { return file == w.path("mine") }}
	r := signals.On(context.Background(), in, w.system)
	for name, want := range map[string]string{
		"session_prov.created_in_session": "1 mine", "session_prov.foreign": "1 theirs", "path_facts.created_before_session": "0",
	} {
		if got := shown(r, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	in = w.input("git push")
	in.Session = signals.Session{Known: true, Start: time.Now().Add(-time.Hour), Refused: &refused}
	r = signals.On(context.Background(), in, w.system)
	for name, want := range map[string]string{"guard_config.refused": "2", "git_remote.changed_since_start": "true"} {
		if got := shown(r, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestWanted: a collector that is wanted runs whatever the action does, and says
// what it sees.
func TestWanted(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	in := w.input("true")
	if r := signals.On(context.Background(), in, w.system); len(r.Signals) > 0 {
		t.Errorf("nothing triggers a collector, and there are %v", r.Signals)
	}
	in.Want = []string{"git_targets"}
	if got := shown(signals.On(context.Background(), in, w.system), "git_targets.untracked_affected"); got != "0" {
		t.Errorf("untracked_affected is %s", got)
	}
}

// TestSame: the same world gives the same observations, ids and digest, and a
// change of it another digest.
func TestSame(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	w.write(map[string]string{"loose": ""})
	in := w.input("git clean -fdx")
	first, later := signals.On(context.Background(), in, w.system), in
	later.Now = in.Now.Add(time.Hour)
	second := signals.On(context.Background(), later, w.system)
	if first.Digest != second.Digest || len(first.Signals) == 0 {
		t.Errorf("%s, then %s, of %d signals", first.Digest, second.Digest, len(first.Signals))
	}
	for i, s := range first.Signals {
		if s.ID != fmt.Sprintf("s%d", i+1) || s.Name() != second.Signals[i].Name() {
			t.Errorf("signal %d is %+v, then %+v", i, s, second.Signals[i])
		}
	}
	w.write(map[string]string{"loose2": ""})
	if third := signals.On(context.Background(), w.input("git clean -fdx"), w.system); third.Digest == first.Digest {
		t.Error("another file leaves the digest as it was")
	}
}

// TestTimePasses: a time that has passed is told, and is no part of the digest.
func TestTimePasses(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": ""})
	in := w.input("rm a")
	first := signals.On(context.Background(), in, w.system)
	in.Now = in.Now.Add(time.Hour)
	second := signals.On(context.Background(), in, w.system)
	const key = "path_facts.newest_change"
	if first.Digest != second.Digest || shown(first, key) == shown(second, key) {
		t.Errorf("%s with %s, an hour later %s with %s", first.Digest, shown(first, key), second.Digest, shown(second, key))
	}
}

// TestStalled: a disk that does not answer is left behind, in time, and what lies
// on it is unknown. Others answer all the same.
func TestStalled(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	in := w.input("rm a; curl https://paste.rs")
	done := make(chan struct{})
	defer close(done)
	begun := time.Now()
	r := signals.Stalled(context.Background(), in, w.project, done)
	if took := time.Since(begun); took > 10*signals.Limit {
		t.Errorf("it took %v", took)
	}
	for _, name := range []string{"git_state.dirty", "git_targets.recoverable", "path_bounds.outside_workspace", "path_facts.files"} {
		if got := shown(r, name); got != "unknown" {
			t.Errorf("%s is %s", name, got)
		}
	}
	if got := shown(r, "schedulers.candidates"); got == "not collected" {
		t.Errorf("schedulers.candidates is %s", got)
	}
}

// TestBroken: a defect in a collector leaves its keys unknown and ends nothing else.
func TestBroken(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	r := signals.Broken(context.Background(), w.input("rm a; curl https://paste.rs"), w.project)
	for name, want := range map[string]string{
		"git_state.dirty": "unknown", "path_bounds.outside_workspace": "unknown", "path_facts.files": "unknown", "destination.hosts": "unknown",
		"payload_class.files": "0",
	} {
		if got := shown(r, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestBrokenTree: the same where many files are looked at at once.
func TestBrokenTree(t *testing.T) {
	w := newWorld(t)
	pushed(w)
	r := signals.BrokenTree(context.Background(), w.input("git clean -fd; rm a"))
	for name, want := range map[string]string{"git_state.dirty": "unknown", "git_targets.recoverable": "unknown", "path_facts.files": "unknown, at least 1"} {
		if got := shown(r, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestSpecialFiles: pipes, devices, links and endless folders in place of every
// file that is read are met without waiting, and what they hide is unknown.
func TestSpecialFiles(t *testing.T) {
	for _, name := range []string{".git/index", ".git/HEAD", ".git/config", ".git/packed-refs", ".gitignore", ".github/CODEOWNERS", ".env", "compose.yaml", "package.json", "~/.npmrc", "~/.kube/config", "/etc/crontab"} {
		for _, kind := range []string{"pipe", "device", "folder"} {
			w := newWorld(t)
			pushed(w)
			w.write(map[string]string{name: ""})
			special(w, name, kind)
			r := w.collect("git clean -fdx; psql -c x; docker ps; npm publish; kubectl get x; git push; rm a")
			for _, c := range r.Collectors {
				if strings.Contains(strings.Join(c.Unseen, " "), "did not answer") || strings.Contains(strings.Join(c.Unseen, " "), "defect") {
					t.Errorf("%s as %s: %s: %v", name, kind, c.Collector, c.Unseen)
				}
			}
		}
	}
}

// TestDeep: folders within folders, beyond the bound, are not known.
func TestDeep(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"d/" + strings.Repeat("d/", 40) + "f": ""})
	if got := shown(w.collect("rm -r d"), "path_facts.files"); got != "unknown" {
		t.Errorf("path_facts.files is %s", got)
	}
	w = newWorld(t)
	if err := os.MkdirAll(w.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.path("d"), w.path("d/again")); err != nil {
		t.Fatal(err)
	}
	if got := shown(w.collect("rm -r d"), "path_facts.files"); got != "1" {
		t.Errorf("path_facts.files is %s", got)
	}
}
