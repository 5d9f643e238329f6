//go:build unix && !linux

package facts

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// identity returns device and inode.
func identity(_ string, info os.FileInfo) (string, error) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("the system does not say which file it is")
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino), nil
}
