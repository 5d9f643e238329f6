package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"

	"github.com/licet-dev/licet/internal/testkit"
)

// newUsers stands for making a user namespace in what lack is told.
const newUsers = "new users"

// lack runs a command in a box where some system calls are refused, as on a machine
// whose kernel does not have them, or does not allow them to this user.
func lack(args []string) error {
	folder, calls := args[0], args[1:]
	var refused seccomp.SyscallGroup
	refused.Action = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	for _, name := range calls {
		if name == newUsers {
			refused.NamesWithCondtions = []seccomp.NameWithConditions{{Name: "clone", Conditions: seccomp.ArgumentConditions{
				{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_NEWUSER},
			}}}
			continue
		}
		refused.Names = append(refused.Names, name)
	}
	if len(calls) > 0 {
		policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{refused}}
		if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy}); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	paths, err := Program(self)
	if err != nil {
		return err
	}
	r, err := Box{Self: []string{self}}.Run(context.Background(), Command{
		Args: []string{self, "be", "still"}, Paths: paths, Folder: folder, Limits: Toy,
	})
	if err == nil && r.Exit != 0 {
		err = fmt.Errorf("it ended with %d: %s%s", r.Exit, r.Stdout, r.Stderr)
	}
	return err
}

// TestMissing: the layer that a machine lacks is named, and nothing runs without it.
func TestMissing(t *testing.T) {
	for _, c := range []struct {
		layer string // "" = none is missing
		calls []string
	}{
		{"", nil},
		{"namespaces", []string{newUsers}},
		{"mounts", []string{"mount"}},
		{"mounts", []string{"pivot_root"}},
		{"mounts", []string{"mount_setattr"}},
		{"limits", []string{"prlimit64", "setrlimit"}},
		{"descriptors", []string{"close_range"}},
		{"landlock", []string{"landlock_create_ruleset"}},
		{"landlock", []string{"landlock_restrict_self"}},
		{"seccomp", []string{"seccomp"}},
		{"capabilities", []string{"capset"}},
	} {
		name := strings.Join(append([]string{"without"}, c.calls...), " ")
		printed, err := exec.Command(os.Args[0], append([]string{"lack", t.TempDir()}, c.calls...)...).CombinedOutput()
		var exit *exec.ExitError
		switch {
		case c.layer == "" && strings.Contains(string(printed), "the sandbox lacks"):
			testkit.Missing(t, "LICET_REQUIRE_SANDBOX", string(printed))
		case c.layer == "" && err != nil:
			t.Errorf("%s: %v, %s", name, err, printed)
		case c.layer != "" && (!errors.As(err, &exit) || !strings.Contains(string(printed), "the sandbox lacks "+c.layer+": ")):
			t.Errorf("%s: %v, %s", name, err, printed)
		}
	}
}
