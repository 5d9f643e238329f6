//go:build unix

package review

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a file for this program until it is closed, and fails if another has it.
func lock(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
