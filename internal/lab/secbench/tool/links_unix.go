//go:build unix

package tool

import (
	"io/fs"
	"syscall"
)

// openFlags keep an open from waiting for the other end of a pipe.
const openFlags = syscall.O_NONBLOCK

// oneLink reports whether a file has one name only. Another name of it could be
// outside of the workspace.
func oneLink(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
