//go:build unix

package scratch

import (
	"io/fs"
	"os"
	"syscall"
)

// owned says whether a file is this user's: others can make names in the same folder.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
