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
	known              bool
}

func identify(info fs.FileInfo) identity {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(s.Uid), uint64(s.Dev), uint64(s.Ino), true}
}

func ownUID() (uint64, bool) { return uint64(os.Getuid()), true }

// openTree is the descriptor of a folder: the way there is not gone for each file,
// and nothing is made that would have to be collected.
type openTree int

func (realDisk) tree(top string) (tree, error) {
	fd, err := unix.Open(top, unix.O_RDONLY|unix.O_DIRECTORY|openSafely, 0)
	return openTree(fd), err
}

func (t openTree) stat(name string) (status, error) {
	var s unix.Stat_t
	err := error(unix.EINTR)
	for err == unix.EINTR { // as package os does
		err = unix.Fstatat(int(t), name, &s, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return status{}, err
	}
	kind := s.Mode & unix.S_IFMT
	return status{
		regular: kind == unix.S_IFREG, link: kind == unix.S_IFLNK, runs: s.Mode&unix.S_IXUSR != 0, size: s.Size,
		mtime: stamp{uint32(s.Mtim.Sec), uint32(s.Mtim.Nsec)}, ctime: stamp{uint32(s.Ctim.Sec), uint32(s.Ctim.Nsec)},
		inode: uint64(s.Ino), inodes: true,
	}, nil
}

func (t openTree) Close() error { return unix.Close(int(t)) }
