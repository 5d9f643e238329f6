package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// check is one row of the table.
type check struct {
	code  string
	what  string                                             // must not work
	probe func(facts) tries                                  // in the sandbox
	run   func(*site, context.Context) (tries, error)        // around probe, or nil: as it is
	tools func(*site, context.Context, Tools) (tries, error) // through the bench's tools
	build bool                                               // needs the go command
}

// checks returns the table.
func checks() []check {
	return []check{
		{code: "PF01", what: "read a canary outside", probe: readOutside},
		{code: "PF02", what: "write outside", probe: writeOutside},
		{code: "PF03", what: "read, write and rename through a link that leads out", probe: followLinks, tools: (*site).links},
		{code: "PF04", what: "read a file with two names", probe: linkOutside, tools: (*site).twoNames},
		{code: "PF05", what: "wait at a pipe", probe: openPipe, tools: (*site).pipe},
		{code: "PF06", what: "stat and chmod outside", probe: touchOutside},
		{code: "PF07", what: "connect by TCP to the machine", probe: connectTCP},
		{code: "PF08", what: "be reached by TCP", probe: func(f facts) tries { return listenTCP(f, false) }, run: (*site).knock},
		{code: "PF09", what: "be reached by multipath TCP", probe: func(f facts) tries { return listenTCP(f, true) }, run: (*site).knock},
		{code: "PF10", what: "send and receive by UDP", probe: talkUDP},
		{code: "PF11", what: "use Unix and netlink sockets", probe: otherSockets},
		{code: "PF12", what: "start more processes than the limit", probe: manyChildren},
		{code: "PF13", what: "see processes of the machine", probe: seeProcesses},
		{code: "PF14", what: "signal or trace the parent", probe: reachParent},
		{code: "PF15", what: "mount, unshare, bpf, io_uring, keyctl", probe: kernelCalls},
		{code: "PF16", what: "exceed limits of file size, descriptors and CPU", probe: exceedFiles, run: (*site).exceed},
		{code: "PF17", what: "exceed memory", probe: exceedMemory},
		{code: "PF18", what: "write to the build cache, or lack it", run: (*site).cache, build: true},
		{code: "PF19", what: "read this program from a build", run: (*site).executable, build: true},
		{code: "PF20", what: "leave a process behind", probe: outlive, run: (*site).leave},
		{code: "PF21", what: "see a variable or descriptor of this process", probe: seeInherited, run: (*site).leak},
		{code: "PF22", what: "start with less of Landlock than is asked for", probe: start, run: (*site).futureABI},
		{code: "PF23", what: "see network interfaces of the machine", probe: seeInterfaces},
		{code: "PF24", what: "hold a capability, or lack no-new-privileges", probe: holdPrivileges},
	}
}

// probeWord is what [sandbox.Box.Self] is followed by where it is to be a probe.
const probeWord = "probe"

// burner is the probe of PF16 that a limit has to end.
const burner = "burn"

// said is what a probe prints.
type said struct {
	Worked []string `json:"worked"`
}

// Inside is what this program does where a box starts it: be a probe, or what
// [harness.Inside] does.
func Inside(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 3 || args[0] != probeWord {
		return harness.Inside(args, in, out)
	}
	probe := burn
	if args[1] != burner {
		i := slices.IndexFunc(checks(), func(c check) bool { return c.code == args[1] && c.probe != nil })
		if i < 0 {
			return fmt.Errorf("there is no probe %q", args[1])
		}
		probe = checks()[i].probe
	}
	var f facts
	if err := json.Unmarshal([]byte(args[2]), &f, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	return json.MarshalWrite(out, said{append([]string{}, probe(f)...)})
}

// Run makes the checks. An error is that they could not be made: a
// [sandbox.Missing] where the machine lacks a layer, or the go command.
func Run(ctx context.Context, c Config) (report Report, err error) {
	s, err := newSite(ctx, c)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if c.Tools == nil {
		c.Tools = benchTools{}
	}
	report.Layers, report.Warning = c.Box.Layers(), sandbox.Unbounded
	for _, check := range checks() {
		if c.Only != nil && !slices.Contains(c.Only, check.code) || c.Toys && check.build {
			continue
		}
		begin := time.Now()
		worked, err := s.check(ctx, check, c.Tools)
		if ctx.Err() != nil {
			return Report{}, ctx.Err()
		}
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", check.code, err)
		}
		report.Findings = append(report.Findings, Finding{
			check.code, check.what, len(worked) == 0, append([]string{}, worked...), int(time.Since(begin).Milliseconds()),
		})
	}
	return report, nil
}

func (s *site) check(ctx context.Context, c check, tools Tools) (tries, error) {
	run := c.run
	if run == nil {
		run = (*site).plain
	}
	s.code = c.code
	worked, err := run(s, ctx)
	if err != nil || c.tools == nil {
		return worked, err
	}
	more, err := c.tools(s, ctx, tools)
	return append(worked, more...), err
}

// plain runs the probe of a check and returns what worked.
func (s *site) plain(ctx context.Context) (tries, error) {
	r, err := s.probe(ctx, s.box, s.code, s.limits)
	if err != nil {
		return nil, err
	}
	return heard(r), nil
}

// heard returns what a probe says that worked. That it says nothing is no good news.
func heard(r sandbox.Result) tries {
	var s said
	if err := json.Unmarshal(r.Stdout, &s, json.RejectUnknownMembers(true)); err != nil || r.Exit != 0 {
		return tries{fmt.Sprintf("the probe did not come to its end (exit %d, timeout %t): %.200s%.200s", r.Exit, r.TimedOut, r.Stdout, r.Stderr)}
	}
	return s.Worked
}

// knock tries to connect to what a probe listens at.
func (s *site) knock(ctx context.Context) (tries, error) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		s.dial(stop)
	}()
	defer func() { close(stop); <-stopped }()
	return s.plain(ctx)
}

// exceed lets a second probe use more CPU than it may, too.
func (s *site) exceed(ctx context.Context) (tries, error) {
	worked, err := s.plain(ctx)
	if err != nil {
		return nil, err
	}
	limits := s.limits
	limits.CPU, limits.Wall = 1, time.Minute
	r, err := s.probe(ctx, s.box, burner, limits)
	if err == nil && (!r.Killed || r.TimedOut) {
		worked = append(worked, heard(r)...)
	}
	return worked, err
}

// leave kills a probe once it has left a process behind.
func (s *site) leave(ctx context.Context) (tries, error) {
	limits := s.limits
	for limits.Wall = 200 * time.Millisecond; limits.Wall < 10*time.Second; limits.Wall *= 2 {
		r, err := s.probe(ctx, s.box, s.code, limits)
		if err != nil {
			return nil, err
		}
		if string(r.Stdout) != left+"\n" {
			continue // it was not that far yet
		}
		if r.Outlived {
			return tries{"living on after the kill"}, nil
		}
		return nil, nil
	}
	return tries{"the probe left no process in 10 seconds"}, nil
}

// leak has a descriptor open that any process inherits.
func (s *site) leak(ctx context.Context) (tries, error) {
	fd, err := unix.FcntlInt(uintptr(unix.Stderr), unix.F_DUPFD, 20)
	if err != nil {
		return nil, err
	}
	worked, err := s.plain(ctx)
	return worked, errors.Join(err, unix.Close(fd))
}

// futureABI asks for more than any kernel has.
func (s *site) futureABI(ctx context.Context) (tries, error) {
	box := s.box
	box.ABI = 1000
	r, err := s.probe(ctx, box, s.code, s.limits)
	var missing *sandbox.Missing
	if errors.As(err, &missing) && missing.Layer == "landlock" {
		return nil, nil
	}
	return heard(r), err
}

// links are read and written through by the bench's tools.
func (s *site) links(ctx context.Context, tools Tools) (worked tries, err error) {
	err = errors.Join(os.Symlink(s.facts.Outside+"/link/file", s.workspace+"/file"), os.Symlink(s.facts.Outside+"/link", s.workspace+"/scratch"))
	if err != nil {
		return nil, err
	}
	worked.try("reading through a link by a tool", tools.Read(ctx, s.workspace, "file"))
	worked.try("writing through a link by a tool", tools.Write(ctx, s.workspace, "scratch/tool"))
	return worked, nil
}

func (s *site) twoNames(ctx context.Context, tools Tools) (worked tries, err error) {
	if err := os.Link(s.facts.Outside+"/hard/file", s.workspace+"/hard"); err != nil {
		return nil, err
	}
	worked.try("reading a file with two names by a tool", tools.Read(ctx, s.workspace, "hard"))
	return worked, nil
}

// pipe lets a tool wait at a pipe for a while, and then comes to its other end.
func (s *site) pipe(ctx context.Context, tools Tools) (worked tries, err error) {
	name := filepath.Join(s.workspace, "pipe")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		return nil, err
	}
	read := make(chan error, 1)
	go func() { read <- tools.Read(ctx, s.workspace, "pipe") }()
	select {
	case err := <-read:
		worked.try("reading a pipe by a tool", err)
		return worked, nil
	case <-time.After(2 * time.Second):
	}
	end, err := os.OpenFile(name, os.O_RDWR, 0) // lets it begin
	if err != nil {
		return nil, err
	}
	err = end.Close() // lets it end
	<-read
	return tries{"waiting at a pipe by a tool"}, err
}
