package signals_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/licet-dev/licet/internal/signals"
)

// ownMounts names the variable that says that this program sees mounts of its own.
const ownMounts = "LICET_TEST_OWN_MOUNTS"

// TestStalledMount is TestStalled on a mount that the kernel itself waits for. Where
// this machine permits no mount, TestStalled stands for it. It runs in a program of
// its own, whose mounts no other can get stuck in.
func TestStalledMount(t *testing.T) {
	if os.Getenv(ownMounts) == "" {
		alone(t)
		return
	}
	w := newWorld(t)
	pushed(w)
	in := w.input("rm a; curl https://paste.rs")
	fuse, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Mount("licet-test", w.project, "fuse", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse))
	}
	if err != nil {
		t.Logf("no FUSE here (%v): an injected disk stands for it", err)
		return
	}
	t.Cleanup(func() {
		if err := unix.Unmount(w.project, unix.MNT_FORCE|unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
		if err := unix.Close(fuse); err != nil { // whoever waits gets an error now
			t.Error(err)
		}
	})
	begun := time.Now()
	r := signals.Collect(context.Background(), in)
	if took := time.Since(begun); took > 10*signals.Limit {
		t.Errorf("it took %v", took)
	}
	for _, name := range []string{"git_state.dirty", "git_targets.recoverable", "path_facts.files"} {
		if got := shown(r, name); got != "unknown" {
			t.Errorf("%s is %s", name, got)
		}
	}
}

// alone runs this test once more where mounts are not seen by others.
func alone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestStalledMount$", "-test.v")
	cmd.Env = append(os.Environ(), ownMounts+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, fs.ErrPermission):
		t.Log("no mounts of its own here: an injected disk stands for it")
	case err != nil || !strings.Contains(string(out), "--- PASS: TestStalledMount"):
		t.Errorf("%v: %q", err, out)
	}
}
