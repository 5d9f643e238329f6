package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// toyWord is what [sandbox.Box.Self] is followed by where it is to be a toy.
const toyWord = "toy"

// Inside is what this program does where a box starts it: put on the box, or be a
// toy that is in it.
func Inside(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == sandbox.EnterWord:
		return sandbox.Enter(args[1])
	case len(args) == 3 && args[0] == toyWord:
		return RunToy(args[1], args[2], in, out)
	}
	return fmt.Errorf("this is not how a box starts this program: %q", args)
}

// Boxed runs jobs in a sandbox.
type Boxed struct {
	box    sandbox.Box
	toy    sandbox.Limits
	goroot string // of the go command
	cache  string // its build cache
	noGo   error  // why trees cannot be tested; nil = they can
}

// GoCommand is the [sandbox.Missing] that is the go command, which only tests of
// trees need.
const GoCommand = "the go command"

// NewBoxed returns a runner. [sandbox.Box.Self] is a command that calls [Inside]
// with the words that follow it.
func NewBoxed(ctx context.Context, box sandbox.Box) *Boxed {
	b := &Boxed{box: box, toy: sandbox.Toy}
	if err := b.findGo(ctx); err != nil {
		b.noGo = &sandbox.Missing{Layer: GoCommand, Err: err}
	}
	return b
}

func (b *Boxed) findGo(ctx context.Context) error {
	gobin, err := exec.LookPath("go")
	if err != nil {
		return err
	}
	text, err := exec.CommandContext(ctx, gobin, "env", "GOROOT", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("asking it for its folders: %w", err)
	}
	folders := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(folders) != 2 {
		return fmt.Errorf("it says that its folders are %q", text)
	}
	b.goroot, b.cache = folders[0], folders[1]
	return nil
}

// Layers implements Runner.
func (b *Boxed) Layers() []string { return b.box.Layers() }

// Run implements Runner. Where the machine lacks a layer of the sandbox, or the go
// command, the error is a [sandbox.Missing], and nothing has run.
//
// A run that stalls is made again: that says nothing of the job. What the last try
// printed is kept.
func (b *Boxed) Run(ctx context.Context, j Job) (out Output, err error) {
	for range maxStalls {
		if out, err = b.once(ctx, j); err != nil || out.Status != Stalled {
			break
		}
	}
	return out, err
}

func (b *Boxed) once(ctx context.Context, j Job) (out Output, err error) {
	temp, err := scratch.New()
	if err != nil {
		return Output{}, err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	folder := temp.Path
	begin := time.Now()
	if j.Build != "" {
		out, err = b.runToy(ctx, folder, j)
	} else {
		out, err = b.test(ctx, folder, j)
	}
	out.Job, out.MS = j.Digest(), int(time.Since(begin).Milliseconds())
	return out, err
}

func (b *Boxed) runToy(ctx context.Context, folder string, j Job) (Output, error) {
	program, err := sandbox.Program(b.box.Self[0])
	if err != nil {
		return Output{}, err
	}
	r, out, err := b.start(ctx, sandbox.Command{
		Args: append(slices.Clone(b.box.Self), toyWord, j.Task, j.Build), Input: j.Input,
		Paths: program, Folder: folder, Limits: b.toy,
	})
	if err != nil || out.Status != Ended {
		return out, err
	}
	if out.Exit != 0 {
		return out, fmt.Errorf("the toy of task %s ended with %d", j.Task, out.Exit)
	}
	stdout := string(r.Stdout)
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

// start runs a command in the box. What the sandbox stops is a status, and so is what
// takes too much.
func (b *Boxed) start(ctx context.Context, c sandbox.Command) (sandbox.Result, Output, error) {
	c.Fatal = true
	r, err := b.box.Run(ctx, c)
	switch {
	case err != nil:
		return r, Output{}, fmt.Errorf("running a harness: %w", err)
	case ctx.Err() != nil:
		return r, Output{}, ctx.Err()
	case r.Outlived:
		return r, Output{}, errors.New("something that a harness started outlived the sandbox")
	}
	status := statusOf(r, c.Limits)
	if status != Ended {
		return r, Output{Status: status, Exit: -1}, nil
	}
	return r, Output{Status: status, Exit: r.Exit}, nil
}

// statusOf says how a command with these limits ended. One that could have used what
// it may of CPU, or half of its time, has had its share.
func statusOf(r sandbox.Result, l sandbox.Limits) string {
	share := min(time.Duration(l.CPU)*time.Second, l.Wall/2)
	switch {
	case r.Refused:
		return SandboxDenied
	case r.TimedOut && r.CPU < share:
		return Stalled
	case r.TimedOut || r.Killed:
		return TimedOut
	}
	return Ended
}

// maxStalls is how often a job may stall.
const maxStalls = 3

// maxTest is how long the tests of a tree may take by themselves: less than the box
// gives, so that a test that hangs fails and ends nothing else.
const maxTest = "30s"

// test runs all tests of a tree on a copy of it. It sees the copy, Go and Go's build
// cache, and can write to none of them. It has no program of ours. A tree with what may
// steer its tests is as good as one that does not build. One that would open a socket is
// told as refused here: where the filter of the sandbox ends a process, nobody learns of
// which call.
func (b *Boxed) test(ctx context.Context, folder string, j Job) (Output, error) {
	if b.noGo != nil {
		return Output{}, b.noGo
	}
	if why, socket := foreign(j.Tree); why != "" {
		out := Output{Status: Ended, Exit: 1, Stdout: "no test ran: " + why + "\n", Tests: map[string]string{}}
		if socket {
			out.Status, out.Refused = SandboxDenied, Socket
		}
		return out, nil
	}
	module := filepath.Join(folder, "module")
	if err := write(module, j.Tree); err != nil {
		return Output{}, err
	}
	r, out, err := b.start(ctx, sandbox.Command{
		Args: []string{filepath.Join(b.goroot, "bin", "go"), "test", "-count=1", "-timeout=" + maxTest, "-vet=off", "-json", "./..."},
		Dir:  module, Env: b.environment(sandbox.Temporary(folder)),
		Paths:  []sandbox.Path{{Name: module}, {Name: b.goroot}, {Name: b.cache}, {Name: os.DevNull}},
		Folder: folder, Limits: sandbox.Build,
	})
	if err != nil || out.Status != Ended {
		return out, err
	}
	said := read(r)
	out.Tests = said.tests
	switch {
	case said.refused:
		out.Status = SandboxDenied
	case len(said.tests) == 0 && !said.explained():
		out.Status = Stalled
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(out.Tests)) {
		fmt.Fprintf(&lines, "%s %s\n", out.Tests[name], name)
	}
	if len(out.Tests) == 0 {
		lines.WriteString("no test ran:\n" + said.why(folder))
	}
	out.Stdout = lines.String()
	return out, nil
}

// write writes a tree, for others to read.
func write(dir string, tree []task.File) error {
	for _, f := range tree {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// environment is that of a build. It names no home: the go command would count there
// how it is used, in a process that outlives it.
func (b *Boxed) environment(tmp string) []string {
	return []string{
		"PATH=" + filepath.Join(b.goroot, "bin"), "TMPDIR=" + tmp,
		"GOROOT=" + b.goroot, "GOPATH=" + filepath.Join(tmp, "go"), "GOCACHE=" + b.cache,
		"CGO_ENABLED=0", "GOENV=off", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-trimpath",
		"GOMEMLIMIT=1GiB", // of each process; what all of them take together has no bound
	}
}

// Warm fills the build cache with what testing a tree needs, so that a box finds it
// there. The tree is built on the machine itself and not run: it is one of ours. A go
// command that cannot build it is as good as none.
func (b *Boxed) Warm(ctx context.Context, tree []task.File) (err error) {
	if b.noGo != nil {
		return b.noGo
	}
	dir, err := scratch.New()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	module, tmp := filepath.Join(dir.Path, "module"), filepath.Join(dir.Path, "tmp")
	if err := errors.Join(write(module, tree), os.Mkdir(tmp, 0o700)); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, filepath.Join(b.goroot, "bin", "go"), "test", "-c", "-vet=off", "-o", os.DevNull, ".")
	c.Dir, c.Env = module, b.environment(tmp)
	if text, err := c.CombinedOutput(); err != nil {
		return &sandbox.Missing{Layer: GoCommand, Err: fmt.Errorf("building a small test: %w: %.500s", err, bytes.TrimSpace(text))}
	}
	return nil
}
