//go:build unix

package signals

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openSafely are flags with which opening neither waits nor follows a link.
const openSafely = unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC

// identity is what lstat says of a file beyond what package fs knows.
type identity struct {
	uid, device, inode uint64
	changed            stamp // when the inode was; zero where the system is not asked
	known              bool
}

func identify(info fs.FileInfo) identity {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(s.Uid), uint64(s.Dev), uint64(s.Ino), changed(s), true}
}

func ownUID() (uint64, bool) { return uint64(os.Getuid()), true }
