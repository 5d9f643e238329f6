package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// nobody is whom a command runs as where the machine's root started it.
const nobody = 65534

// plan is what Enter is told.
type plan struct {
	Args   []string `json:"args"`
	Dir    string   `json:"dir"`
	Env    []string `json:"env"`
	Paths  []Path   `json:"paths"`
	Folder string   `json:"folder"`
	Limits Limits   `json:"limits"`
	Fatal  bool     `json:"fatal"`
	ABI    int      `json:"abi"`
	Off    Off      `json:"off"`
	Drop   bool     `json:"drop"` // to nobody
}

// Run runs a command. Whatever becomes of it is in the result; an error is ours, and
// a [Missing] where the machine lacks a layer. Nothing that the command started is
// left when Run returns.
func (b Box) Run(ctx context.Context, c Command) (Result, error) {
	if err := c.valid(); err != nil {
		return Result{}, err
	}
	for _, dir := range []string{c.Folder + "/root", Temporary(c.Folder)} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return Result{}, err
		}
	}
	if err := os.Chmod(Temporary(c.Folder), 0o1777); err != nil { // it is another user's
		return Result{}, err
	}
	p := plan{
		Args: c.Args, Dir: c.Dir, Env: c.Env, Paths: slices.Concat(c.Paths, b.Off.Holes), Folder: c.Folder,
		Limits: c.Limits, Fatal: c.Fatal, ABI: b.abi(), Off: b.Off, Drop: os.Getuid() == 0 && !b.Off.User,
	}
	if p.Dir == "" {
		p.Dir = Temporary(c.Folder)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, c.Limits.Wall)
	defer cancel()
	words := slices.Concat(b.Self, []string{EnterWord, string(text)})
	process := exec.CommandContext(limited, words[0], words[1:]...)
	process.Stdin = bytes.NewReader(c.Input)
	process.Env = []string{}
	if b.Off.Environment {
		process.Env = os.Environ()
	}
	process.SysProcAttr = b.namespaces()
	stopped := false
	process.Cancel = func() error { // the group too, where no pid namespace ends it
		stopped = true
		return errors.Join(process.Process.Kill(), ignoreGone(syscall.Kill(-process.Process.Pid, syscall.SIGKILL)))
	}
	process.WaitDelay = time.Second
	r, err := wait(process)
	r.TimedOut = stopped
	return r, err
}

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// namespaces are those that a command starts in.
func (b Box) namespaces() *syscall.SysProcAttr {
	flags := syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if !b.Off.PIDs {
		flags |= syscall.CLONE_NEWPID
	}
	if !b.Off.Network {
		flags |= syscall.CLONE_NEWNET
	}
	users := func(id int) []syscall.SysProcIDMap {
		if os.Getuid() != 0 {
			return []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
		}
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: nobody, HostID: nobody, Size: 1}}
	}
	return &syscall.SysProcAttr{
		Cloneflags: uintptr(flags), UidMappings: users(os.Getuid()), GidMappings: users(os.Getgid()),
		GidMappingsEnableSetgroups: os.Getuid() == 0, Setpgid: true,
	}
}

// wait starts a process that calls Enter and waits for its end.
func wait(process *exec.Cmd) (Result, error) {
	said, says, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer said.Close()
	var stdout, stderr capped
	process.Stdout, process.Stderr, process.ExtraFiles = &stdout, &stderr, []*os.File{says}
	err = process.Start()
	says.Close()
	if err != nil {
		return Result{}, &Missing{"namespaces", err}
	}
	err = process.Wait()
	state, ok := process.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return Result{}, fmt.Errorf("waiting for a sandboxed command: %w", err)
	}
	told, rerr := io.ReadAll(said) // by Enter; nothing = it became the command
	if layer, why, missing := strings.Cut(string(told), "\n"); missing || rerr != nil {
		return Result{}, &Missing{layer, errors.Join(errors.New(why), rerr)}
	}
	return Result{
		Exit: state.ExitStatus(), Killed: state.Signaled(), Refused: state.Signaled() && state.Signal() == syscall.SIGSYS,
		Outlived: errors.Is(err, exec.ErrWaitDelay), Stdout: stdout.Bytes(), Stderr: stderr.Bytes(),
	}, nil
}

// capped keeps the first MaxOutput bytes.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	c.Buffer.Write(p[:min(len(p), max(0, MaxOutput-c.Len()))]) // never fails
	return len(p), nil
}
