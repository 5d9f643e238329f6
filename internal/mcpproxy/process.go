package mcpproxy

import (
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
)

// process is a server that runs as a child.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	stderr *prefixed
	grace  time.Duration
	eof    chan struct{} // closed when stdout was read to its end
	ended  func()        // closes eof
	exited chan struct{} // closed when the process is gone
	err    error         // of the exit; read after exited is closed
}

// start runs the server in a process group of its own, so that what it starts
// ends with it. grace is how long it is given at each step of its end.
func start(o Options, grace time.Duration) (*process, error) {
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = clikit.ServerEnv(o.Env), o.Dir, grace
	stderr := &prefixed{log: log.New(plain{o.Log}, "["+o.Server+"] ", 0)}
	cmd.Stderr = stderr
	ownGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, theirs, err := os.Pipe() // not StdoutPipe: Wait would close it before all is read
	if err != nil {
		return nil, err
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	err = errors.Join(err, theirs.Close())
	if err != nil {
		return nil, errors.Join(err, stdout.Close())
	}
	p := &process{cmd: cmd, stdin: stdin, stdout: stdout, stderr: stderr, grace: grace, eof: make(chan struct{}), exited: make(chan struct{})}
	p.ended = sync.OnceFunc(func() { close(p.eof) })
	go p.wait()
	return p, nil
}

func (p *process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if err != nil {
		p.ended()
	}
	return n, err
}

func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// wait reaps the process. What it started and left behind may hold stdout open
// and is ended, so that reading comes to its end.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	p.stderr.flush()
	close(p.exited)
	select {
	case <-p.eof:
	case <-time.After(p.grace):
		signalGroup(p.cmd.Process, true)
		_ = p.stdout.Close()
	}
}

// Stop implements peer. It ends the server as MCP asks for (stdio, shutdown):
// close its input, then ask it, then kill it, with a grace period between. A
// signal that Stop itself sent is no error.
func (p *process) Stop() (status string, err error) {
	_ = p.stdin.Close() // fails only if the process is gone
	forced := false
	for _, kill := range []bool{false, true} {
		select {
		case <-p.exited:
		case <-time.After(p.grace):
			forced = true
			signalGroup(p.cmd.Process, kill)
		}
	}
	<-p.exited
	status = p.cmd.ProcessState.String()
	switch {
	case forced:
		return "stopped by licet", nil
	case errors.Is(p.err, exec.ErrWaitDelay):
		return status, nil
	}
	return status, p.err
}
