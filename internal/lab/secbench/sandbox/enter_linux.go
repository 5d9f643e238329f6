package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// report is the descriptor on which Enter tells Run which layer is missing. It is
// closed where the command begins.
const report = 3

// Enter puts on the layers of a plan of [Box.Run] and becomes its command. It
// returns only where that does not work; Run has been told then.
//
// It stays on one thread, which the command goes on as: what holds for a thread
// holds for the command.
func Enter(text string) error {
	runtime.LockOSThread()
	unix.CloseOnExec(report)
	layer, err := enter(text)
	said := os.NewFile(report, "report")
	_, werr := fmt.Fprintf(said, "%s\n%v", layer, err)
	return errors.Join(fmt.Errorf("putting on the sandbox (%s): %w", layer, err), werr)
}

// enter returns what went wrong and in which layer, "" = none.
func enter(text string) (string, error) {
	var p plan
	if err := json.Unmarshal([]byte(text), &p, json.RejectUnknownMembers(true)); err != nil {
		return "", fmt.Errorf("reading the plan: %w", err)
	}
	for _, layer := range []struct {
		name  string
		off   bool
		putOn func() error
	}{
		{"mounts", p.Off.Mounts, p.mounts},
		{"mounts", false, func() error { return unix.Chdir(p.Dir) }},
		{"limits", false, p.limits},
		{"descriptors", p.Off.Descriptors, descriptors},
		{"capabilities", p.Off.Capabilities, boundCapabilities},
		{"landlock", p.Off.Landlock, p.landlock},
		{"seccomp", p.Off.Seccomp, p.seccomp},
		{"user", !p.Drop, becomeNobody},
		{"capabilities", p.Off.Capabilities, dropCapabilities},
		{"parent", false, dieWithParent},
		{"no-new-privileges", p.Off.NoNewPrivs, func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
	} {
		if layer.off {
			continue
		}
		if err := layer.putOn(); err != nil {
			return layer.name, err
		}
	}
	env := p.Env
	if p.Off.Environment {
		env = append(os.Environ(), env...)
	}
	return "", &os.PathError{Op: "exec", Path: p.Args[0], Err: unix.Exec(p.Args[0], p.Args, env)}
}

// mounts makes a root that has nothing but the private folder and the paths of the
// plan, each under the name that it has outside.
func (p plan) mounts() error {
	root := p.Folder + "/root"
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("making mounts private", err)
	}
	if err := tmpfs(root, "mode=0755,size=1m"); err != nil {
		return err
	}
	tmp := root + Temporary(p.Folder)
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return err
	}
	if err := tmpfs(tmp, fmt.Sprintf("mode=1777,size=%d", p.Limits.Temporary)); err != nil {
		return err
	}
	for _, path := range p.Paths {
		if err := bind(root, path, p.Off.ReadOnly); err != nil {
			return fmt.Errorf("%s: %w", path.Name, err)
		}
	}
	// The old root comes to lie on the new one, and is taken away.
	return errors.Join(unix.Chdir(root), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH), unix.Chdir("/"),
		unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}))
}

func tmpfs(dir, options string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("a private file system on %s: %w", dir, err)
	}
	return nil
}

// bind lets a path of the machine in below root.
func bind(root string, path Path, writable bool) error {
	info, err := os.Stat(path.Name)
	if err != nil {
		return err
	}
	target := root + path.Name
	if err := place(target, info.IsDir()); err != nil {
		return err
	}
	if err := unix.Mount(path.Name, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	attributes := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if info.Mode()&os.ModeDevice == 0 {
		attributes.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !path.Write && !writable {
		attributes.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, &attributes)
}

// place makes what a path is put on, where it is not there.
func place(target string, dir bool) error {
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	if dir {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, nil, 0o644)
}

// limits sets each limit as the most that can be asked for, too.
func (p plan) limits() error {
	l := p.Limits
	for _, r := range []struct {
		off      bool
		resource int
		most     int64
	}{
		{p.Off.CPU, unix.RLIMIT_CPU, l.CPU},
		{p.Off.Memory, unix.RLIMIT_DATA, l.Memory},
		{p.Off.Memory, unix.RLIMIT_AS, l.AddressSpace()},
		{p.Off.Processes, unix.RLIMIT_NPROC, l.Processes},
		{p.Off.Files, unix.RLIMIT_NOFILE, l.Files},
		{p.Off.FileSize, unix.RLIMIT_FSIZE, l.FileSize},
		{false, unix.RLIMIT_CORE, 0},
	} {
		if r.off {
			continue
		}
		if err := syscall.Setrlimit(r.resource, &syscall.Rlimit{Cur: uint64(r.most), Max: uint64(r.most)}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}

// descriptors sees to it that none is handed on but standard input, output and
// error. Those of Go's own runtime are among them: they are closed where the command
// begins.
func descriptors() error {
	return unix.CloseRange(report, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
}

// becomeNobody gives up being root. The machine's root is bound by no limit of
// processes, and owns its files.
func becomeNobody() error {
	for _, e := range []syscall.Errno{
		call(unix.SYS_SETGROUPS, 0, 0, 0),
		call(unix.SYS_SETRESGID, nobody, nobody, nobody),
		call(unix.SYS_SETRESUID, nobody, nobody, nobody),
	} {
		if e != 0 {
			return e
		}
	}
	return nil
}

// call makes a system call on this thread alone.
func call(number, a, b, c uintptr) syscall.Errno {
	_, _, e := unix.RawSyscall(number, a, b, c)
	return e
}

// boundCapabilities sees to it that no capability can be had again, also not by
// being root.
func boundCapabilities() error {
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) { // EINVAL: a kernel without it
			return os.NewSyscallError("prctl", err)
		}
	}
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}

// dieWithParent has the kernel kill this process, and with it all of its pid namespace,
// where the program ends that waits for it. Go asks for that when it starts a process,
// but becoming another user takes it back, prctl(2). Where that program has ended
// meanwhile nobody reads the report.
func dieWithParent() error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	reader := []unix.PollFd{{Fd: report}}
	if n, err := unix.Poll(reader, 0); err != nil || n > 0 {
		return errors.Join(err, errors.New("who started this has ended"))
	}
	return nil
}

func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
