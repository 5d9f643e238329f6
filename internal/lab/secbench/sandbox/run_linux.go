package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// outlives is how long after the end of a command its output may stay open, before
// something is said to have outlived it.
const outlives = 2 * time.Second

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
	runtime.LockOSThread() // the command is killed when the thread ends that started it
	defer runtime.UnlockOSThread()
	stopped := false
	process.Cancel = func() error { // the group too, where no pid namespace ends it
		stopped = true
		return errors.Join(process.Process.Kill(), ignoreGone(syscall.Kill(-process.Process.Pid, syscall.SIGKILL)))
	}
	process.WaitDelay = outlives
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
		GidMappingsEnableSetgroups: os.Getuid() == 0, Setpgid: true, Pdeathsig: syscall.SIGKILL,
	}
}

// wait starts a process that calls Enter and waits for its end.
func wait(process *exec.Cmd) (Result, error) {
	said, says, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer said.Close()
	output, prints, err := os.Pipe()
	if err != nil {
		return Result{}, errors.Join(err, says.Close())
	}
	defer output.Close()
	var stdout, stderr capped
	process.Stdout, process.Stderr, process.ExtraFiles = prints, &stderr, []*os.File{says}
	err = process.Start()
	says.Close()
	prints.Close()
	if err != nil {
		if errors.Is(err, syscall.ENOSPC) { // which is what clone says, clone(2)
			err = fmt.Errorf("as many as this user may make are there: %w", err)
		}
		return Result{}, &Missing{"namespaces", err}
	}
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(&stdout, output)
		copied <- err
	}()
	err = process.Wait()
	state, ok := process.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return Result{}, fmt.Errorf("waiting for a sandboxed command: %w", err)
	}
	if err := output.SetReadDeadline(time.Now().Add(outlives)); err != nil {
		return Result{}, err
	}
	err = <-copied
	outlived := errors.Is(err, os.ErrDeadlineExceeded)
	if err != nil && !outlived {
		return Result{}, fmt.Errorf("reading what a sandboxed command printed: %w", err)
	}
	if err := told(said); err != nil {
		return Result{}, err
	}
	return Result{
		Exit: state.ExitStatus(), Killed: state.Signaled(), Refused: state.Signaled() && state.Signal() == syscall.SIGSYS,
		Outlived: outlived, CPU: process.ProcessState.UserTime() + process.ProcessState.SystemTime(), Stdout: stdout.kept, Stderr: stderr.kept,
	}, nil
}

// told reads what Enter says. It says nothing where it became the command.
func told(said io.Reader) error {
	text, err := io.ReadAll(said)
	if err != nil {
		return fmt.Errorf("asking how far a sandbox came: %w", err)
	}
	layer, why, any := strings.Cut(string(text), "\n")
	switch {
	case !any:
		return nil
	case layer == "":
		return fmt.Errorf("starting a sandboxed command: %s", why)
	}
	return &Missing{layer, errors.New(why)}
}

// capped keeps the first maxOutput bytes.
type capped struct{ kept []byte }

func (c *capped) Write(p []byte) (int, error) {
	c.kept = append(c.kept, p[:min(len(p), maxOutput-len(c.kept))]...)
	return len(p), nil
}
