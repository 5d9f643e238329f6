package review

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a file for this program until it is closed, and fails if another has
// it. What is locked is a byte far behind the end: others may read the file.
func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
}
