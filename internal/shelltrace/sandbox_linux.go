package shelltrace

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

//go:embed sandbox.sh
var sandboxScript string

// Sandbox runs commands, each in a fresh copy of the machine with the same
// workspace and home.
type Sandbox struct {
	Workspace string // absolute, no link in it; commands start here
	Home      string // likewise
	Scratch   string // an empty folder of the sandbox's own
	Limit     time.Duration
}

// traced are the calls that are recorded. "?" permits that this machine's kernel
// lacks one.
func traced() string {
	names := []string{
		"fork", "vfork", "clone", "clone3", "execve", "execveat", "chdir", "fchdir", "getdents64", "open", "openat", "openat2", "creat",
		"rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
	}
	names = append(names, talking...)
	for _, calls := range []map[string]int{reading, changing} {
		for name := range calls {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "?" + strings.Join(names, ",?")
}

// lacks says what this machine lacks to run commands; "" if nothing.
func lacks() string {
	if os.Geteuid() != 0 {
		return "needs to be root"
	}
	for _, program := range []string{"unshare", "strace", "mount", "pivot_root", "bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			return "needs " + program
		}
	}
	return ""
}

// Run runs a command and returns what it did, up to the limit of time. cut says
// that it was ended then. A machine under load may need all that time to make the
// sandbox; then it is made again.
func (s *Sandbox) Run(ctx context.Context, command string) (done []Event, cut bool, err error) {
	var calls []Call
	var said []byte
	for tries := 0; len(calls) == 0 && (tries == 0 || cut) && tries < 5; tries++ {
		if calls, said, cut, err = s.record(ctx, command); err != nil {
			return nil, false, err
		}
	}
	if len(calls) == 0 {
		return nil, false, fmt.Errorf("the sandbox did not start: %s", said)
	}
	done, err = events(calls, s.Workspace)
	return done, cut, err
}

// record runs a command in a new sandbox. It returns its calls, none if the sandbox
// did not start, and the beginning of what was said.
func (s *Sandbox) record(ctx context.Context, command string) (calls []Call, said []byte, cut bool, err error) {
	root, err := os.MkdirTemp(s.Scratch, "run")
	if err != nil {
		return nil, nil, false, fmt.Errorf("making a sandbox: %w", err)
	}
	defer os.RemoveAll(root) // what is mounted there is seen in the sandbox alone
	trace := filepath.Join(s.Scratch, filepath.Base(root)+".trace")
	if err := os.WriteFile(trace, nil, 0o600); err != nil {
		return nil, nil, false, fmt.Errorf("making a sandbox: %w", err)
	}
	defer os.Remove(trace)
	if said, cut, err = s.start(ctx, root, trace, command); err != nil {
		return nil, nil, false, err
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		return nil, nil, false, fmt.Errorf("reading a trace: %w", err)
	}
	calls, err = parseTrace(string(text))
	return calls, said, cut, err
}

// start runs the sandbox to its end, and returns the beginning of what it says.
func (s *Sandbox) start(ctx context.Context, root, trace, command string) (said []byte, cut bool, err error) {
	limited, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	c := exec.CommandContext(limited, "unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child",
		"sh", "-c", sandboxScript, "sandbox", root, s.Workspace, s.Home, trace, command)
	c.Env = []string{"PATH=" + searchPath, "HOME=" + s.Home, "LANG=C.UTF-8", "TRACED=" + traced()}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal that could be written to
	out := &head{}
	c.Stdout, c.Stderr = out, out
	c.WaitDelay = time.Second
	err = c.Run()
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		return out.text, true, nil
	case ctx.Err() != nil:
		return nil, false, fmt.Errorf("running a command: %w", ctx.Err())
	case err != nil && !isExit(err):
		return nil, false, fmt.Errorf("running a command: %w: %s", err, out.text)
	}
	return out.text, false, nil
}

func isExit(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

// head keeps the beginning of what is written to it, and drops the rest.
type head struct{ text []byte }

func (h *head) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), 4096-len(h.text))]...)
	return len(p), nil
}
