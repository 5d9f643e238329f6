package durable

import (
	"os"

	"golang.org/x/sys/windows"
)

// Lock makes a file its opener's until it is closed, or the process ends. It is an
// error if somebody else has it. Who does not ask is not kept from the file.
func Lock(f *os.File) error {
	// A byte that no file has: Windows keeps others from reading what is locked.
	beyond := windows.Overlapped{OffsetHigh: 1 << 30}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &beyond); err != nil {
		return &os.PathError{Op: "locking", Path: f.Name(), Err: err}
	}
	return nil
}
