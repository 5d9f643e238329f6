//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Lock makes a file its opener's until it is closed, or the process ends. It is an
// error if somebody else has it. Who does not ask is not kept from the file.
func Lock(f *os.File) error {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return &os.PathError{Op: "locking", Path: f.Name(), Err: err}
	}
	return nil
}
