//go:build unix

package llm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep an open from waiting for a writer, and from following a link
// that was put there since links were resolved.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

// private refuses a file that others can read, or can exchange in its folder.
func private(f *os.File, dir string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("its mode is %04o: others may do nothing with it (chmod 600)", info.Mode().Perm())
	}
	folder, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if folder.Mode().Perm()&0o022 != 0 && folder.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others can write in its folder, whose mode is %04o", folder.Mode().Perm())
	}
	for _, i := range []fs.FileInfo{info, folder} {
		if s, ok := i.Sys().(*syscall.Stat_t); !ok || s.Uid != 0 && int64(s.Uid) != int64(os.Geteuid()) {
			return fmt.Errorf("%s belongs to somebody else", i.Name())
		}
	}
	return nil
}
