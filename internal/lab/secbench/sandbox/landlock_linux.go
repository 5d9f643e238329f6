package sandbox

import (
	"fmt"
	"os"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights to files. Neither links nor things that are no plain files are made
// anywhere.
const (
	readFile  = ll.AccessFSExecute | ll.AccessFSReadFile
	readDir   = readFile | ll.AccessFSReadDir
	writeFile = readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeDir  = readDir | writeFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSRefer
)

// handled is all that an ABI can deny: what is not allowed by a rule is denied then.
// The numbers are those of the kernel's documentation of Landlock, by version.
func handled(abi int) ll.RulesetAttr {
	rights := ll.RulesetAttr{HandledAccessFS: ll.AccessFSRefer - 1}
	for _, since := range []struct {
		abi int
		fs  uint64
		net uint64
		of  uint64
	}{
		{2, ll.AccessFSRefer, 0, 0},
		{3, ll.AccessFSTruncate, 0, 0},
		{4, 0, ll.AccessNetBindTCP | ll.AccessNetConnectTCP, 0},
		{5, ll.AccessFSIoctlDev, 0, 0},
		{6, 0, 0, ll.ScopeAbstractUnixSocket | ll.ScopeSignal},
		{9, ll.AccessFSResolveUnix, 0, 0},
	} {
		if abi >= since.abi {
			rights.HandledAccessFS |= since.fs
			rights.HandledAccessNet |= since.net
			rights.Scoped |= since.of
		}
	}
	return rights
}

// landlock allows the paths of the plan and nothing else: no network, and no signals
// to who is outside. A kernel that cannot deny all that the ABI of the plan can is
// refused.
//
// It is put on this thread alone, which the command goes on as. The package above
// this one of go-landlock would do so on all threads, and for that lets in a folder
// of /proc where a program is built with cgo.
func (p plan) landlock() error {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return fmt.Errorf("the kernel has none: %w", err)
	}
	if abi < p.ABI && !p.Off.Strict {
		return fmt.Errorf("the kernel has ABI %d, and %d is asked for", abi, p.ABI)
	}
	rights := handled(min(abi, p.ABI))
	rules, err := ll.LandlockCreateRuleset(&rights, 0)
	if err != nil {
		return os.NewSyscallError("landlock_create_ruleset", err)
	}
	defer unix.Close(rules)
	for _, path := range append(p.Paths, Path{Name: Temporary(p.Folder), Write: true}) {
		path.Write = path.Write || p.Off.ReadOnly
		if err := allow(rules, path, rights.HandledAccessFS); err != nil {
			return fmt.Errorf("%s: %w", path.Name, err)
		}
	}
	return os.NewSyscallError("landlock_restrict_self", ll.LandlockRestrictSelf(rules, 0))
}

// allow adds a rule for a path, of those rights that are handled.
func allow(rules int, path Path, handled uint64) error {
	info, err := os.Stat(path.Name)
	if err != nil {
		return err
	}
	rights := uint64(readFile)
	switch write := path.Write || info.Mode()&os.ModeDevice != 0; {
	case info.IsDir() && write:
		rights = writeDir
	case info.IsDir():
		rights = readDir
	case write:
		rights = writeFile
	}
	fd, err := unix.Open(path.Name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return ll.LandlockAddPathBeneathRule(rules, &ll.PathBeneathAttr{AllowedAccess: rights & handled, ParentFd: fd}, 0)
}
