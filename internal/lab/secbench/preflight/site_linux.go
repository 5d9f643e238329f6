package preflight

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/harness"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/lab/secbench/task"
)

// site is what there is to reach on the machine.
type site struct {
	box       sandbox.Box
	limits    sandbox.Limits // of probes
	dir       string
	temp      *scratch.Folder // that dir is; nil = it was given
	workspace string          // of the bench's tools
	facts     facts
	open      []interface{ Close() error }
	boxes     int    // that were used
	code      string // of the check that is being made
	built     *harness.Output
}

// newSite lays out files and listeners. Rights of files are no layer: everybody may
// do everything with these.
func newSite(ctx context.Context, c Config) (_ *site, err error) {
	dir := c.Dir
	var temp *scratch.Folder
	if dir == "" {
		if temp, err = scratch.NewShort(); err != nil {
			return nil, err
		}
		dir = temp.Path
	}
	s := &site{box: c.Box, limits: sandbox.Toy, dir: dir, temp: temp, workspace: dir + "/workspace"}
	s.limits.Wall = 20 * time.Second // a machine that has much to do must not look like a sandbox
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	s.facts = facts{Outside: dir + "/outside", Parent: os.Getpid()}
	for _, folder := range []string{"", "/workspace", "/outside", "/outside/read", "/outside/write", "/outside/link", "/outside/hard", "/outside/attributes", "/outside/socket"} {
		if folder != "" {
			if err := os.Mkdir(dir+folder, 0o700); err != nil {
				return nil, err
			}
		}
		if err := os.Chmod(dir+folder, 0o777); err != nil {
			return nil, err
		}
	}
	for _, file := range []string{"read/canary", "write/old", "link/file", "link/old", "hard/file", "attributes/file"} {
		name := s.facts.Outside + "/" + file
		if err := errors.Join(os.WriteFile(name, []byte("canary\n"), 0o600), os.Chmod(name, 0o666)); err != nil {
			return nil, err
		}
	}
	return s, s.listen(ctx)
}

// listen opens what probes must not reach.
func (s *site) listen(ctx context.Context) error {
	var config net.ListenConfig
	stream := func(network, address string) (net.Listener, error) {
		l, err := config.Listen(ctx, network, address)
		if err == nil {
			s.open = append(s.open, l)
			go welcome(l)
		}
		return l, err
	}
	addresses, err := ownAddresses()
	if err != nil {
		return err
	}
	for _, a := range addresses {
		l, err := stream("tcp", net.JoinHostPort(a, "0"))
		if err != nil {
			return err
		}
		s.facts.TCP = append(s.facts.TCP, l.Addr().String())
	}
	s.facts.Unix = s.facts.Outside + "/socket/s"
	s.facts.Abstract = fmt.Sprintf("@licet-preflight-%d-%d", os.Getpid(), rand.Uint64())
	for _, name := range []string{s.facts.Unix, s.facts.Abstract} {
		if _, err := stream("unix", name); err != nil {
			return err
		}
	}
	if err := os.Chmod(s.facts.Unix, 0o777); err != nil {
		return err
	}
	packets, err := config.ListenPacket(ctx, "udp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.open = append(s.open, packets)
	go echo(packets)
	s.facts.UDP = packets.LocalAddr().String()
	free, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.facts.Port = free.Addr().(*net.TCPAddr).Port
	s.facts.Interfaces, err = interfaces()
	return errors.Join(err, free.Close())
}

// ownAddresses are one of the loopback and, where there is one, another.
func ownAddresses() ([]string, error) {
	own := []string{"127.0.0.1"}
	all, err := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return append(own, n.IP.String()), err
		}
	}
	return own, err
}

// interfaces are the names that a namespace of its own does not have.
func interfaces() ([]string, error) {
	all, err := net.Interfaces()
	var names []string
	for _, i := range all {
		if i.Flags&net.FlagLoopback == 0 {
			names = append(names, i.Name)
		}
	}
	return names, err
}

func welcome(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return // closed
		}
		c.Close()
	}
}

func echo(c net.PacketConn) {
	buffer := make([]byte, 16)
	for {
		n, from, err := c.ReadFrom(buffer)
		if err != nil {
			return // closed
		}
		_, _ = c.WriteTo(buffer[:n], from) // who asked may be gone
	}
}

// dial tries to connect to the free port until it is told to stop.
func (s *site) dial(stop <-chan struct{}) {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-stop:
			return
		case <-again.C:
		}
		if c, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.facts.Port))); err == nil {
			c.Close()
		}
	}
}

func (s *site) close() error {
	var err error
	for _, o := range s.open {
		err = errors.Join(err, o.Close())
	}
	if s.temp != nil {
		return errors.Join(err, s.temp.Close())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// probe starts a probe in the sandbox.
func (s *site) probe(ctx context.Context, box sandbox.Box, name string, limits sandbox.Limits) (sandbox.Result, error) {
	s.boxes++
	folder := fmt.Sprintf("%s/box%d", s.dir, s.boxes)
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, 0o711)); err != nil {
		return sandbox.Result{}, err
	}
	f := s.facts
	f.Temporary, f.Limits = sandbox.Temporary(folder), limits
	text, err := json.Marshal(f)
	if err != nil {
		return sandbox.Result{}, err
	}
	program, err := sandbox.Program(box.Self[0])
	if err != nil {
		return sandbox.Result{}, err
	}
	return box.Run(ctx, sandbox.Command{
		Args: slices.Concat(box.Self, []string{probeWord, name, string(text)}), Paths: program, Folder: folder, Limits: limits,
	})
}

// tree tries from a test what a build must not be able to do.
var tree = []task.File{
	{Path: "go.mod", Text: "module example.org/preflight\n\ngo 1.26\n"},
	{Path: "preflight_test.go", Text: `package preflight

import (
	"os"
	"testing"
)

func TestCache(t *testing.T) {
	name := os.Getenv("GOCACHE") + "/licet-preflight"
	if err := os.WriteFile(name, []byte("x"), 0o600); err == nil {
		os.Remove(name)
		t.Error("it can be written to")
	}
}

func TestExecutable(t *testing.T) {
	name, err := os.ReadFile("executable.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Open(string(name)); err == nil {
		t.Error("it can be read")
	}
}
`},
}

// maxWarm is how long a build may take that finds its parts in the cache.
const maxWarm = 10 * time.Second

// build tests the tree in the sandbox, once.
func (s *site) build(ctx context.Context) (harness.Output, error) {
	if s.built != nil {
		return *s.built, nil
	}
	runner := harness.NewBoxed(ctx, s.box)
	if err := runner.Warm(ctx, tree); err != nil {
		return harness.Output{}, err
	}
	name := task.File{Path: "executable.txt", Text: s.box.Self[0]}
	out, err := runner.Run(ctx, harness.Job{Task: "preflight", Tree: append(slices.Clone(tree), name)})
	s.built = &out
	return out, err
}

// cache checks that a build finds its parts, and cannot change them for others.
func (s *site) cache(ctx context.Context) (tries, error) {
	out, err := s.build(ctx)
	worked := failing(out, "TestCache", "writing to the cache")
	if took := time.Duration(out.MS) * time.Millisecond; took > maxWarm {
		worked = append(worked, fmt.Sprintf("a warm build took %s", took))
	}
	return worked, err
}

func (s *site) executable(ctx context.Context) (tries, error) {
	out, err := s.build(ctx)
	return failing(out, "TestExecutable", "reading this program"), err
}

// failing says what worked where a test did not pass.
func failing(out harness.Output, test, what string) tries {
	switch out.Tests[test] {
	case "pass":
		return nil
	case "fail":
		return tries{what}
	}
	return tries{fmt.Sprintf("the test did not run (%s, exit %d)", out.Status, out.Exit)}
}
