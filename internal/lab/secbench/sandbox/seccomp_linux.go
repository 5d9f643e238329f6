package sandbox

import (
	"fmt"
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// refusedCalls are system calls that no toy and no test needs: sockets, other
// processes, mounts and namespaces, and parts of the kernel with a history. This is
// the third layer: all else is allowed.
var refusedCalls = []string{
	"socket", "bind", "connect", "listen",
	"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
	"mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
	"unshare", "setns",
	"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
	"keyctl", "add_key", "request_key",
	"init_module", "finit_module", "delete_module", "kexec_load", "reboot", "swapon", "swapoff",
	"name_to_handle_at", "open_by_handle_at", "personality",
}

// newNamespaces are the flags by which clone makes namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// seccomp refuses calls: with an error, or by the end of the process.
func (p plan) seccomp() error {
	action := seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	if p.Fatal {
		action = seccomp.ActionKillProcess
	}
	clone := []seccomp.NameWithConditions{{Name: "clone", Conditions: seccomp.ArgumentConditions{
		{Argument: 0, Operation: seccomp.BitsSet, Value: newNamespaces}, // any of them
	}}}
	names := slices.DeleteFunc(slices.Clone(refusedCalls), func(n string) bool { return slices.Contains(p.Off.Calls, n) })
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Names: names, Action: action},
		{NamesWithCondtions: clone, Action: action},
		// Its flags are in memory, where a filter cannot look. Who gets this answer
		// goes on with clone.
		{Names: []string{"clone3"}, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
	}}
	if err := seccomp.LoadFilter(seccomp.Filter{Policy: policy}); err != nil {
		return fmt.Errorf("loading the filter: %w", err)
	}
	return nil
}
