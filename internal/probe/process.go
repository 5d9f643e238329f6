package probe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/clikit"
)

// grace is how long a server gets to end after each way of asking.
const grace = 2 * time.Second

// process is a started server.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	stderr *tail
	ended  chan struct{} // closed when the process is gone
	stop   func()        // ends the process and returns when it has ended
}

// start starts argv in a process group of its own, so that what a package
// runner starts ends with it.
func start(argv, env []string) (*process, error) {
	if len(argv) == 0 {
		return nil, errors.New("no command")
	}
	stdout, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), stdout: stdout, stderr: &tail{}, ended: make(chan struct{})}
	p.stop = sync.OnceFunc(p.end)
	p.cmd.Env = clikit.ServerEnv(env)
	p.cmd.Stdout, p.cmd.Stderr = w, p.stderr
	p.cmd.WaitDelay = grace // a grandchild may hold stderr
	group(p.cmd)
	p.stdin, err = p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	w.Close() // the server has its own copy
	if err != nil {
		return nil, errors.Join(err, stdout.Close())
	}
	go func() {
		p.cmd.Wait() // how it ended says nothing that its answers do not
		close(p.ended)
	}()
	return p, nil
}

// end ends the server as MCP says (stdio transport, shutdown): close its
// input, ask it, force it.
func (p *process) end() {
	// Nothing more is said or read. Their errors are those of a server that is
	// gone already.
	p.stdin.Close()
	p.stdout.Close()
	for _, ask := range []func(*exec.Cmd){interrupt, kill} {
		select {
		case <-p.ended:
		case <-time.After(grace):
		}
		ask(p.cmd) // also when the leader is gone: others of its group may not be
	}
	<-p.ended
}

// explain adds to err what the server wrote to standard error last. The process
// must have ended.
func (p *process) explain(err error) error {
	lines := p.stderr.lines()
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w; it wrote to standard error:\n  %s", err, strings.Join(lines, "\n  "))
}

// tail keeps the end of what is written to it. It is written by one goroutine
// and read after that has ended.
type tail struct{ kept []byte }

const (
	maxTail      = 4 << 10 // bytes
	maxTailLines = 10
)

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.kept = bytes.Clone(t.kept[over:])
	}
	return len(b), nil
}

// lines returns the last lines, escaped.
func (t *tail) lines() (lines []string) {
	for line := range strings.Lines(string(t.kept)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, quoted(line))
		}
	}
	return lines[max(0, len(lines)-maxTailLines):]
}
