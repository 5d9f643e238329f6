package facts

import (
	"errors"

	"golang.org/x/sys/unix"
)

// casefoldFlag marks a directory that takes names in either case as one
// (FS_CASEFOLD_FL of linux/fs.h).
const casefoldFlag = 0x40000000

// Magic numbers of statfs(2) that golang.org/x/sys does not name.
const (
	ntfsMagic    = 0x5346544e
	ntfs3Magic   = 0x7366746e
	cifsMagic    = 0xff534d42
	hfsMagic     = 0x4244
	hfsPlusMagic = 0x482b
)

// isProcfs reports whether a directory lies in procfs, wherever it is mounted.
func isProcfs(dir string) (bool, error) {
	kind, err := fsKind(dir)
	return kind == unix.PROC_SUPER_MAGIC, err
}

// folds reports whether names in a directory that differ in letter case only
// are one file: because of the kind of file system, or because the directory
// carries the casefold flag.
//
// Not covered: a directory further up that folds while this one does not.
func folds(dir string) (bool, error) {
	kind, err := fsKind(dir)
	if err != nil {
		return false, err
	}
	if foldingKind(kind) {
		return true, nil
	}
	return hasCasefold(dir)
}

// foldingKind reports whether a file system folds: those of Windows and macOS,
// and those through which folders of such a machine are often shared (9p, FUSE,
// SMB). Not covered: a share of another kind whose server folds, as with NFS.
func foldingKind(kind uint32) bool {
	switch kind {
	case unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, ntfsMagic, ntfs3Magic, hfsMagic, hfsPlusMagic,
		unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, cifsMagic, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return true
	}
	return false
}

func fsKind(dir string) (uint32, error) {
	var s unix.Statfs_t
	for {
		err := unix.Statfs(dir, &s)
		if !errors.Is(err, unix.EINTR) {
			return uint32(s.Type), err
		}
	}
}

// hasCasefold reads the flags of a directory. A file system without flags has
// no casefold.
func hasCasefold(dir string) (bool, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	flags, err := unix.IoctlGetUint32(fd, unix.FS_IOC_GETFLAGS)
	if errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return false, nil
	}
	return flags&casefoldFlag != 0, err
}
