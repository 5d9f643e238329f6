//go:build unix

package testkit

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// unprivileged returns what makes a command run as a user that is not root: nobody,
// who is given the folder, where the test runs as root.
func unprivileged(t testing.TB, dir string) func(*exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		return func(*exec.Cmd) {}
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	who := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Credential: who} }
}
