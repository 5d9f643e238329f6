package preflight

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/licet-dev/licet/internal/lab/secbench/sandbox"
)

// facts are what a probe is told of the machine that it must not reach.
type facts struct {
	Outside    string         `json:"outside"`   // folder that has one for each check
	Temporary  string         `json:"temporary"` // private folder of the sandbox
	TCP        []string       `json:"tcp"`       // addresses of listeners
	Port       int            `json:"port"`      // free, and tried from outside
	UDP        string         `json:"udp"`       // address that answers
	Unix       string         `json:"unix"`      // path of a listener
	Abstract   string         `json:"abstract"`  // name of a listener
	Parent     int            `json:"parent"`    // pid of who started the sandbox
	Interfaces []string       `json:"interfaces"`
	Limits     sandbox.Limits `json:"limits"`
}

// tries collects what worked.
type tries []string

// try notes an attempt that worked.
func (t *tries) try(what string, err error) {
	if err == nil {
		*t = append(*t, what)
	}
}

// answered is how long a probe waits for somebody outside.
const answered = 300 * time.Millisecond

func readOutside(f facts) (worked tries) {
	_, err := os.ReadFile(f.Outside + "/read/canary")
	worked.try("reading a file", err)
	_, err = os.ReadDir(f.Outside + "/read")
	worked.try("reading a folder", err)
	return worked
}

func writeOutside(f facts) (worked tries) {
	worked.try("writing a new file", os.WriteFile(f.Outside+"/write/new", []byte("x"), 0o600))
	worked.try("making a folder", os.Mkdir(f.Outside+"/write/folder", 0o700))
	worked.try("removing a file", os.Remove(f.Outside+"/write/old"))
	return worked
}

func followLinks(f facts) (worked tries) {
	file, dir := linkTo(f, "/link/file", "/file"), linkTo(f, "/link", "/dir")
	_, err := os.ReadFile(file)
	worked.try("reading through a link", err)
	worked.try("writing through a link", os.WriteFile(dir+"/new", []byte("x"), 0o600))
	worked.try("renaming through a link", os.Rename(dir+"/old", dir+"/renamed"))
	return worked
}

// linkTo makes a link to something outside and returns its name. Where no link can
// be made it is the target's own: what reaches it by that would by a link, too.
func linkTo(f facts, target, name string) string {
	if os.Symlink(f.Outside+target, f.Temporary+name) != nil {
		return f.Outside + target
	}
	return f.Temporary + name
}

func linkOutside(f facts) (worked tries) {
	name := f.Temporary + "/hard"
	if err := os.Link(f.Outside+"/hard/file", name); err == nil {
		_, err = os.ReadFile(name)
		worked.try("reading a file that has a name outside", err)
	}
	return worked
}

func openPipe(f facts) (worked tries) {
	name := f.Temporary + "/pipe"
	worked.try("making a pipe to wait at", unix.Mkfifo(name, 0o600))
	return worked
}

func touchOutside(f facts) (worked tries) {
	_, err := os.Stat(f.Outside + "/attributes/file")
	worked.try("stat", err)
	worked.try("chmod", os.Chmod(f.Outside+"/attributes/file", 0o600))
	return worked
}

func connectTCP(f facts) (worked tries) {
	for _, address := range f.TCP {
		c, err := net.DialTimeout("tcp", address, answered)
		worked.try("connecting to "+address, err)
		if err == nil {
			c.Close()
		}
	}
	return worked
}

// listenTCP listens where somebody outside tries to connect.
func listenTCP(f facts, multipath bool) (worked tries) {
	var config net.ListenConfig
	config.SetMultipathTCP(multipath)
	listener, err := config.Listen(context.Background(), "tcp4", fmt.Sprintf(":%d", f.Port))
	if err != nil {
		return nil
	}
	defer listener.Close()
	if err := listener.(*net.TCPListener).SetDeadline(time.Now().Add(answered)); err != nil {
		return tries{err.Error()}
	}
	_, err = listener.Accept()
	worked.try("being reached", err)
	return worked
}

func talkUDP(f facts) (worked tries) {
	if c, err := net.Dial("udp", f.UDP); err == nil {
		_, err = c.Write([]byte("x"))
		worked.try("sending", err)
		c.Close()
	}
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return worked
	}
	defer c.Close()
	to, err := net.ResolveUDPAddr("udp", f.UDP)
	if err != nil {
		return tries{err.Error()}
	}
	_, err = c.WriteTo([]byte("x"), to)
	worked.try("sending without a connection", err)
	if err := c.SetReadDeadline(time.Now().Add(answered)); err != nil {
		return tries{err.Error()}
	}
	_, _, err = c.ReadFrom(make([]byte, 1))
	worked.try("receiving", err)
	return worked
}

func otherSockets(f facts) (worked tries) {
	for what, name := range map[string]string{"connecting to a path": f.Unix, "connecting to an abstract name": f.Abstract} {
		c, err := net.Dial("unix", name)
		worked.try(what, err)
		if err == nil {
			c.Close()
		}
	}
	_, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	worked.try("opening a netlink socket", err)
	return worked
}

// fork starts a process that does nothing for some seconds and ends. It makes raw
// system calls only: what it is a copy of is a program with many threads.
func fork(flags uintptr, seconds int64) (pid uintptr, err error) {
	wait := unix.Timespec{Sec: seconds}
	pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD)|flags, 0, 0, 0, 0, 0)
	if e != 0 {
		return 0, e
	}
	if pid == 0 {
		unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, uintptr(unsafe.Pointer(&wait)), 0, 0, 0)
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return pid, nil
}

// manyChildren is to come up against the limit without dying of it: Go wants a further
// thread now and then, and ends the program where it gets none. So it has but one
// that does anything, and makes room before it goes on.
func manyChildren(f facts) tries {
	runtime.GOMAXPROCS(1)
	var pids []uintptr
	var err error
	for err == nil && int64(len(pids)) <= f.Limits.Processes {
		var pid uintptr
		if pid, err = fork(0, 60); err == nil {
			pids = append(pids, pid)
		}
	}
	for _, pid := range pids {
		unix.RawSyscall(unix.SYS_KILL, pid, uintptr(unix.SIGKILL), 0)
		unix.RawSyscall6(unix.SYS_WAIT4, pid, 0, 0, 0, 0, 0)
	}
	switch {
	case err == nil:
		return tries{fmt.Sprintf("starting %d processes", len(pids))}
	case !errors.Is(err, unix.EAGAIN):
		return tries{fmt.Sprintf("starting %d processes, and then: %v", len(pids), err)}
	}
	return nil
}

func seeProcesses(f facts) (worked tries) {
	if parent := os.Getppid(); parent != 0 {
		worked = append(worked, fmt.Sprintf("seeing the parent, %d", parent))
	}
	entries, _ := os.ReadDir("/proc") // an error: there is none
	seen := 0
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			seen++
		}
	}
	if seen > 0 {
		worked = append(worked, fmt.Sprintf("seeing %d processes in /proc", seen))
	}
	_, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", f.Parent))
	worked.try("reading a command line", err)
	return worked
}

func reachParent(f facts) (worked tries) {
	worked.try("signalling the parent", unix.Kill(f.Parent, 0))
	runtime.LockOSThread()
	err := unix.PtraceSeize(f.Parent)
	worked.try("tracing the parent", err)
	if err == nil {
		worked.try("letting go of it again", unix.PtraceDetach(f.Parent))
	}
	return worked
}

func kernelCalls(f facts) (worked tries) {
	runtime.LockOSThread() // what unshare does is this thread's
	var ring [120]byte
	array := struct{ kind, key, value, entries uint32 }{unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1}
	session := int32(unix.KEY_SPEC_SESSION_KEYRING)
	call := func(number, a, b, c uintptr) error {
		if _, _, e := unix.Syscall(number, a, b, c); e != 0 {
			return e
		}
		return nil
	}
	worked.try("mount", unix.Mount("tmpfs", f.Temporary, "tmpfs", 0, ""))
	worked.try("unshare", unix.Unshare(unix.CLONE_FS))
	_, err := fork(unix.CLONE_NEWUSER, 0)
	worked.try("clone with a namespace", err)
	worked.try("bpf", call(unix.SYS_BPF, unix.BPF_MAP_CREATE, uintptr(unsafe.Pointer(&array)), unsafe.Sizeof(array)))
	worked.try("io_uring", call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&ring)), 0))
	worked.try("keyctl", call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, uintptr(session), 1))
	return worked
}

func exceedFiles(f facts) (worked tries) {
	worked.try("writing a larger file", os.WriteFile(f.Temporary+"/large", make([]byte, f.Limits.FileSize+1), 0o600))
	var open int64
	for range f.Limits.Files + 8 {
		if _, err := unix.Dup(0); err == nil {
			open++
		}
	}
	if open > f.Limits.Files-3 {
		worked = append(worked, fmt.Sprintf("opening %d descriptors", open+3))
	}
	return worked
}

func burn(f facts) tries {
	var used unix.Rusage
	for used.Utime.Sec+used.Stime.Sec < f.Limits.CPU+1 {
		if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
			return tries{err.Error()}
		}
	}
	return tries{fmt.Sprintf("using %d seconds of CPU", f.Limits.CPU+1)}
}

func exceedMemory(f facts) (worked tries) {
	for what, m := range map[string]struct {
		bytes int64
		flags int
	}{
		"having more memory":          {f.Limits.Memory, unix.MAP_PRIVATE},
		"having more memory to share": {f.Limits.AddressSpace(), unix.MAP_SHARED},
	} {
		_, err := unix.Mmap(-1, 0, int(m.bytes), unix.PROT_READ|unix.PROT_WRITE, m.flags|unix.MAP_ANON|unix.MAP_NORESERVE)
		worked.try(what, err)
	}
	var written int64
	chunk := make([]byte, f.Limits.FileSize)
	for n := 0; written <= f.Limits.Temporary; n++ {
		if os.WriteFile(fmt.Sprintf("%s/fill%d", f.Temporary, n), chunk, 0o600) != nil {
			return worked
		}
		written += f.Limits.FileSize
	}
	return append(worked, "filling the private folder beyond its size")
}

// outlive leaves a process behind that has its own session and no parent, and waits.
func outlive(facts) tries {
	pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e != 0 {
		return tries{e.Error()}
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
		var failed uintptr
		if _, err := fork(0, 8); err != nil {
			failed = 1
		}
		unix.RawSyscall(unix.SYS_EXIT_GROUP, failed, 0, 0)
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(int(pid), &status, 0, nil); err != nil || status.ExitStatus() != 0 {
		return tries{"no process could be left behind"}
	}
	fmt.Println(left)
	time.Sleep(time.Hour)
	return nil
}

// left is what outlive says when it has left a process behind.
const left = "left"

func seeInherited(facts) (worked tries) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		worked = append(worked, "seeing variable "+name)
	}
	for fd := 3; fd < 64; fd++ {
		// Those of Go's runtime are closed where another program begins.
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			worked = append(worked, fmt.Sprintf("having descriptor %d", fd))
		}
	}
	return worked
}

func start(facts) tries { return tries{"starting"} }

func seeInterfaces(f facts) (worked tries) {
	var names []string
	if all, err := net.Interfaces(); err == nil {
		for _, i := range all {
			names = append(names, i.Name)
		}
	}
	if entries, err := os.ReadDir("/sys/class/net"); err == nil {
		for _, e := range entries {
			names = append(names, filepath.Base(e.Name()))
		}
	}
	for _, name := range f.Interfaces {
		if slices.Contains(names, name) {
			worked = append(worked, "seeing interface "+name)
		}
	}
	return worked
}

func holdPrivileges(facts) (worked tries) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return tries{err.Error()}
	}
	if has != [2]unix.CapUserData{} {
		worked = append(worked, "holding capabilities")
	}
	for c := range unix.CAP_LAST_CAP + 1 {
		if bound, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0); err == nil && bound != 0 {
			worked = append(worked, "being able to have capabilities")
			break
		}
	}
	if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || set != 1 {
		worked = append(worked, "being able to have new privileges")
	}
	return worked
}
