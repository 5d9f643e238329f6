package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestResolveSpecialFiles(t *testing.T) {
	root := tree(t, "w/file", "w/proc -> /proc/self/root", "w/cwd -> /proc/self/cwd/x")
	must(t, unix.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	must(t, unix.Mknod(filepath.Join(root, "socket"), unix.S_IFSOCK|0o600, 0))
	pid := fmt.Sprintf("/proc/%d", os.Getpid())
	for _, text := range []string{
		root + "/pipe", root + "/socket", root + "/pipe/../w/file",
		"/dev/null", "/dev/stdin", "/dev/fd/0",
		"/proc", "/proc/self", "/proc/self/environ", "/proc/cpuinfo", "/proc/mounts",
		"/proc/self/root/etc/passwd", "/proc/self/cwd", "/proc/thread-self/fd/0",
		pid + "/root/etc", pid + "/fd/1", pid + "/new", "/proc/999999999/mem",
		root + "/w/proc/etc/passwd", root + "/w/cwd",
	} {
		if f, err := Resolve(text, ""); err != nil || f != special {
			t.Errorf("%s: %+v, %v; want Special", text, f, err)
		}
	}
}

// TestResolveForbidden marks what may not be looked at as Special.
func TestResolveForbidden(t *testing.T) {
	root := tree(t, "shut/dir/file")
	shut := filepath.Join(root, "shut")
	must(t, os.Chmod(shut, 0))
	t.Cleanup(func() { must(t, os.Chmod(shut, 0o700)) })
	asNobody(func() {
		if f, err := Resolve("shut/dir/file", root); err != nil || f != special {
			t.Errorf("got %+v, %v; want Special", f, err)
		}
		if p, err := ResolvePlaces(shut + "/dir"); err == nil {
			t.Errorf("workspace: %+v, want an error", p)
		}
	})
}

// asNobody runs f on a thread that has no rights to files of root. The thread
// ends with it.
func asNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		unix.RawSyscall(unix.SYS_SETFSUID, 65534, 0, 0) // without effect where the test does not run as root
		f()
	}()
	<-done
}

func TestFold(t *testing.T) {
	root := tree(t, "Dir/")
	f, err := Resolve("Dir/new", root)
	must(t, err)
	_, err = os.Lstat(filepath.Join(root, "dIR"))
	if folding := err == nil; f.Fold != folding {
		t.Errorf("Fold is %t, but the file system folds: %t", f.Fold, folding)
	}
	if fold, err := folds("/proc"); err != nil || fold {
		t.Errorf("procfs: %t, %v; want no folding", fold, err)
	}
	for _, read := range []func(string) (bool, error){folds, isProcfs, hasCasefold} {
		if _, err := read(filepath.Join(root, "none")); err != syscall.ENOENT {
			t.Errorf("missing directory: %v, want ENOENT", err)
		}
	}
}

func TestFoldsByKind(t *testing.T) {
	for kind, want := range map[uint32]bool{
		unix.MSDOS_SUPER_MAGIC: true, ntfs3Magic: true, unix.FUSE_SUPER_MAGIC: true, cifsMagic: true,
		unix.EXT4_SUPER_MAGIC: false, unix.TMPFS_MAGIC: false, unix.NFS_SUPER_MAGIC: false, 0: false,
	} {
		if got := foldingKind(kind); got != want {
			t.Errorf("file system %#x: %t, want %t", kind, got, want)
		}
	}
}

// TestProgramProcfs: what a shell finds by way of procfs is in doubt, and what it
// does not find there is not.
func TestProgramProcfs(t *testing.T) {
	d := newDisk(t)
	d.programs("a/self -> /proc/self/exe", "b/self")
	for path, want := range map[string]bool{"+a +b": true, "+b +a": false, "/proc/self/root/bin +b": false, "/proc/self/root" + d.in.Workspace + "/b +b": true} {
		if got := last(d.along("", "self", strings.Fields(path)...)); (got.Doubt != "") != want {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
