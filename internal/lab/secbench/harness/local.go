package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/scratch"
)

// Times that a run may take.
const (
	toyTime  = 5 * time.Second
	testTime = 60 * time.Second
)

// Local starts processes on this machine.
type Local struct {
	toy   []string // the command that a task and a build are put behind, to run RunToy
	gobin string   // the go command; "" = none was found
	cache string   // its build cache
}

// NewLocal returns a runner that starts toys by a command, to which it adds task
// and build.
func NewLocal(ctx context.Context, toy []string) (*Local, error) {
	l := &Local{toy: toy}
	gobin, err := exec.LookPath("go")
	if err != nil {
		return l, nil // a run of tests says so
	}
	cache, err := exec.CommandContext(ctx, gobin, "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("asking go for its build cache: %w", err)
	}
	l.gobin, l.cache = gobin, strings.TrimSpace(string(cache))
	return l, nil
}

// Layers implements Runner: there are none.
func (*Local) Layers() []string { return nil }

// Run implements Runner.
func (l *Local) Run(ctx context.Context, j Job) (out Output, err error) {
	temp, err := scratch.New()
	if err != nil {
		return Output{}, err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	dir := temp.Path
	begin := time.Now()
	if j.Build != "" {
		out, err = l.runToy(ctx, dir, j)
	} else {
		out, err = l.test(ctx, dir, j)
	}
	out.Job, out.MS = j.Digest(), int(time.Since(begin).Milliseconds())
	return out, err
}

func (l *Local) runToy(ctx context.Context, dir string, j Job) (Output, error) {
	args := append(slices.Clone(l.toy), j.Task, j.Build)
	stdout, out, err := start(ctx, toyTime, command{
		args: args, dir: dir, env: []string{"TMPDIR=" + dir}, input: j.Input,
	})
	if err != nil || out.Status != Ended {
		return out, err
	}
	if out.Exit != 0 {
		return out, fmt.Errorf("the toy of task %s ended with %d", j.Task, out.Exit)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code, fired := strings.CutPrefix(lines[len(lines)-1], "ORACLE:"); fired {
		out.Oracle = code
	}
	out.Stdout = stdout
	if len(stdout) > MaxStdout {
		out.Stdout, out.Truncated = stdout[:MaxStdout], true
	}
	return out, nil
}

// command is a process to start.
type command struct {
	args  []string
	dir   string
	env   []string
	input []byte
}

// start runs a command for a time at most and returns what it printed.
func start(ctx context.Context, limit time.Duration, c command) (string, Output, error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	process := exec.CommandContext(bounded, c.args[0], c.args[1:]...)
	process.Dir, process.Env, process.Stdin = c.dir, c.env, bytes.NewReader(c.input)
	process.WaitDelay = time.Second // for what it leaves behind
	stdout, err := process.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", Output{}, ctx.Err()
	case bounded.Err() != nil:
		return "", Output{Status: TimedOut, Exit: -1}, nil
	case errors.As(err, &exit):
		return string(stdout), Output{Status: Ended, Exit: exit.ExitCode()}, nil
	case err != nil:
		return "", Output{}, fmt.Errorf("starting a harness: %w", err)
	}
	return string(stdout), Output{Status: Ended}, nil
}

// test runs all tests of a tree on a copy of it, without network and with nothing
// of the environment but the build cache.
func (l *Local) test(ctx context.Context, dir string, j Job) (Output, error) {
	if l.gobin == "" {
		return Output{}, errors.New("no go command was found to test a tree with")
	}
	module, tmp := filepath.Join(dir, "module"), filepath.Join(dir, "tmp")
	for _, f := range j.Tree {
		path := filepath.Join(module, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return Output{}, err
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
			return Output{}, err
		}
	}
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return Output{}, err
	}
	args := []string{l.gobin, "test", "-count=1", "-vet=off", "-json", "./..."}
	stdout, out, err := start(ctx, testTime, command{args: args, dir: module, env: []string{
		"PATH=" + filepath.Dir(l.gobin), "HOME=" + tmp, "TMPDIR=" + tmp, "GOPATH=" + filepath.Join(tmp, "go"), "GOCACHE=" + l.cache,
		"CGO_ENABLED=0", "GOENV=off", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-trimpath",
	}})
	if err != nil || out.Status != Ended {
		return out, err
	}
	out.Tests = results(stdout)
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(out.Tests)) {
		fmt.Fprintf(&lines, "%s %s\n", out.Tests[name], name)
	}
	if len(out.Tests) == 0 {
		lines.WriteString("no test ran: the tree does not build\n")
	}
	out.Stdout = lines.String()
	return out, nil
}

// results returns what became of each test, by the events of `go test -json`.
func results(stdout string) map[string]string {
	tests := map[string]string{}
	for line := range strings.Lines(stdout) {
		var e struct {
			Action string
			Test   string
		}
		if json.Unmarshal([]byte(line), &e) != nil || e.Test == "" {
			continue
		}
		if e.Action == "pass" || e.Action == "fail" {
			tests[e.Test] = e.Action
		}
	}
	return tests
}
