package preflight

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/licet-dev/licet/internal/lab/scratch"
	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
	"github.com/licet-dev/licet/internal/testkit"
)

// TestMain makes this program what a box starts, and a preflight that ends in between.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "dies" {
		s, err := newSite(context.Background(), Config{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(s.dir)
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "inside" {
		if err := Inside(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// report makes checks, and skips the test where the machine lacks a layer.
func report(t *testing.T, c Config) Report {
	t.Helper()
	c.Box.Self = []string{self(t), "inside"}
	r, err := Run(t.Context(), c)
	var missing *sandbox.Missing
	if errors.As(err, &missing) {
		testkit.Missing(t, "LICET_REQUIRE_SANDBOX", err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// all are the codes of all checks.
func all() (codes []string) {
	for i := range 24 {
		codes = append(codes, fmt.Sprintf("PF%02d", i+1))
	}
	return codes
}

// TestHolds: on the sandbox as it is, all checks hold.
func TestHolds(t *testing.T) {
	r := report(t, Config{})
	var made []string
	for _, f := range r.Findings {
		made = append(made, f.Code)
		if !f.Held || len(f.Worked) > 0 {
			t.Errorf("%s (%s): %q", f.Code, f.What, f.Worked)
		}
	}
	if !slices.Equal(made, all()) {
		t.Errorf("the checks are %q", made)
	}
	if len(r.Layers) != 9 || r.Warning == "" {
		t.Errorf("the layers are %q, the warning %q", r.Layers, r.Warning)
	}
}

// slow are checks that a box is not put to where it is broken in another way: they
// take seconds.
var slow = []string{"PF16", "PF18", "PF19"}

// broken are sandboxes that lack something, and the checks that must find it: these
// and no other.
var broken = []struct {
	name  string
	off   sandbox.Off
	hole  string // below the folder that is laid out
	write bool
	tools Tools
	finds []string
}{
	{name: "a folder outside can be read", hole: "outside/read", finds: []string{"PF01"}},
	{name: "a folder outside can be written to", hole: "outside/write", write: true, finds: []string{"PF02"}},
	{name: "a folder that links lead to is let in", hole: "outside/link", write: true, finds: []string{"PF03"}},
	{name: "tools follow links", tools: naive{links: true}, finds: []string{"PF03"}},
	{name: "tools take files with two names", tools: naive{names: true}, finds: []string{"PF04"}},
	{name: "tools wait at pipes", tools: naive{pipes: true}, finds: []string{"PF05"}},
	// Without mounts the program lies in a folder of root's.
	{name: "no mounts, as root", off: sandbox.Off{Mounts: true, User: true}, finds: []string{"PF06", "PF12", "PF17"}},
	{name: "neither mounts nor Landlock, as root", off: sandbox.Off{Mounts: true, Landlock: true, User: true},
		finds: []string{"PF01", "PF02", "PF03", "PF04", "PF05", "PF06", "PF12", "PF13", "PF17", "PF22", "PF23"}},
	{name: "connections", off: sandbox.Off{Network: true, Landlock: true, Calls: []string{"socket", "connect"}},
		finds: []string{"PF05", "PF07", "PF10", "PF11", "PF22"}},
	{name: "listeners", off: sandbox.Off{Network: true, Landlock: true, Calls: []string{"socket", "bind", "listen"}},
		finds: []string{"PF05", "PF08", "PF09", "PF10", "PF11", "PF22", "PF23"}},
	{name: "listeners under Landlock", off: sandbox.Off{Network: true, Calls: []string{"socket", "bind", "listen"}},
		finds: []string{"PF09", "PF10", "PF11", "PF23"}},
	{name: "datagrams", off: sandbox.Off{Network: true, Calls: []string{"socket", "connect"}},
		finds: []string{"PF10", "PF11"}},
	{name: "sockets", off: sandbox.Off{Calls: []string{"socket"}}, finds: []string{"PF11"}},
	{name: "no limit of processes", off: sandbox.Off{Processes: true}, finds: []string{"PF12"}},
	{name: "the machine's /proc", off: sandbox.Off{Holes: []sandbox.Path{{Name: "/proc"}}}, finds: []string{"PF13"}},
	{name: "the machine's processes", off: sandbox.Off{PIDs: true}, finds: []string{"PF13", "PF20"}},
	{name: "the machine's processes, as root, without Landlock", off: sandbox.Off{PIDs: true, User: true, Landlock: true},
		finds: []string{"PF05", "PF12", "PF13", "PF14", "PF20", "PF22"}},
	{name: "no seccomp", off: sandbox.Off{Seccomp: true}, finds: []string{"PF11", "PF15"}},
	{name: "io_uring", off: sandbox.Off{Calls: []string{"io_uring_setup"}}, finds: []string{"PF15"}},
	{name: "keyctl", off: sandbox.Off{Calls: []string{"keyctl"}}, finds: []string{"PF15"}},
	{name: "unshare", off: sandbox.Off{Calls: []string{"unshare"}}, finds: []string{"PF15"}},
	{name: "no limit of CPU", off: sandbox.Off{CPU: true}, finds: []string{"PF16"}},
	{name: "no limit of descriptors", off: sandbox.Off{Files: true}, finds: []string{"PF16"}},
	{name: "no limit of file size", off: sandbox.Off{FileSize: true}, finds: []string{"PF16"}},
	{name: "no limit of memory", off: sandbox.Off{Memory: true}, finds: []string{"PF17"}},
	{name: "a cache that can be written to, as root", off: sandbox.Off{ReadOnly: true, User: true}, finds: []string{"PF12", "PF18"}},
	{name: "the program in builds", hole: "self", finds: []string{"PF19"}},
	{name: "variables", off: sandbox.Off{Environment: true}, finds: []string{"PF21"}},
	{name: "descriptors", off: sandbox.Off{Descriptors: true}, finds: []string{"PF21"}},
	{name: "as much of Landlock as there is", off: sandbox.Off{Strict: true}, finds: []string{"PF22"}},
	{name: "no Landlock", off: sandbox.Off{Landlock: true}, finds: []string{"PF05", "PF22"}},
	{name: "the machine's /sys", off: sandbox.Off{Holes: []sandbox.Path{{Name: "/sys"}}}, finds: []string{"PF23"}},
	{name: "capabilities", off: sandbox.Off{Capabilities: true}, finds: []string{"PF24"}},
	{name: "new privileges", off: sandbox.Off{NoNewPrivs: true}, finds: []string{"PF24"}},
}

// TestBroken: each check finds a sandbox that lacks what the check is about, and
// finds nothing where it is something else that is lacking.
func TestBroken(t *testing.T) {
	report(t, Config{Only: []string{"PF01"}}) // what a machine lacks is told apart from what is taken away
	found := map[string]bool{}
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			c := Config{Box: sandbox.Box{Off: b.off}, Tools: b.tools}
			switch b.hole {
			case "":
			case "self":
				c.Box.Off.Holes = []sandbox.Path{{Name: self(t)}}
			default:
				c.Dir = t.TempDir()
				c.Box.Off.Holes = []sandbox.Path{{Name: filepath.Join(c.Dir, b.hole), Write: b.write}}
			}
			for _, code := range all() {
				if slices.Contains(b.finds, code) || !slices.Contains(slow, code) {
					c.Only = append(c.Only, code)
				}
			}
			c.Box.Self = []string{self(t), "inside"}
			r, err := Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Broken(), b.finds) {
				t.Errorf("found by %q, not %q", r.Broken(), b.finds)
				for _, f := range r.Findings {
					if len(f.Worked) > 0 {
						t.Logf("%s: %q", f.Code, f.Worked)
					}
				}
			}
			for _, code := range r.Broken() {
				found[code] = true
			}
		})
	}
	for _, code := range all() {
		if !found[code] {
			t.Errorf("%s found no broken sandbox", code)
		}
	}
}

// naive are tools that do not look at what they open, in one way.
type naive struct{ links, names, pipes bool }

func (n naive) Read(_ context.Context, workspace, name string) error {
	path := filepath.Join(workspace, name)
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	refuse := info.Mode()&fs.ModeSymlink != 0 && !n.links || info.Mode()&fs.ModeNamedPipe != 0 && !n.pipes
	if stat := info.Sys().(*syscall.Stat_t); info.Mode().IsRegular() && stat.Nlink > 1 && !n.names || refuse {
		return errors.New("refused")
	}
	_, err = os.ReadFile(path)
	return err
}

func (n naive) Write(_ context.Context, workspace, name string) error {
	if !n.links {
		return errors.New("refused")
	}
	return os.WriteFile(filepath.Join(workspace, name), nil, 0o600)
}

// TestSwept: what a preflight leaves that does not come to its end, a later command
// removes.
func TestSwept(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), self(t), "dies").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(string(dir)) })
	if _, err := os.Stat(string(dir)); err != nil {
		t.Fatal(err)
	}
	scratch.Sweep()
	if _, err := os.Stat(string(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

// TestMissing: where a layer is missing it is named, and no check is made.
func TestMissing(t *testing.T) {
	_, err := Run(t.Context(), Config{Box: sandbox.Box{Self: []string{self(t), "inside"}, ABI: 999}})
	var missing *sandbox.Missing
	if !errors.As(err, &missing) || missing.Layer != "landlock" && missing.Layer != "namespaces" {
		t.Errorf("%v", err)
	}
}

// TestSilence: a probe that says nothing has not held.
func TestSilence(t *testing.T) {
	for _, r := range []sandbox.Result{
		{}, {Exit: 1, Stdout: []byte(`{"worked":[]}`)}, {Stdout: []byte(`{"worked":[]`)}, {Exit: -1, TimedOut: true}, {Stdout: []byte(`{"other":[]}`)},
	} {
		if len(heard(r)) == 0 {
			t.Errorf("%+v holds", r)
		}
	}
	if worked := heard(sandbox.Result{Stdout: []byte(`{"worked":[]}`)}); len(worked) > 0 {
		t.Errorf("%q", worked)
	}
}
