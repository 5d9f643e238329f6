//go:build unix

package scratch

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// owned says whether a file is this user's: others can make names in the same folder.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// short is a folder for temporary files below which the name of a socket has at most
// the 107 bytes that it may have (unix(7)): dir, where that leaves 47 of them.
func short(dir string) string {
	if path, err := filepath.Abs(dir); err != nil || len(path) > 60 {
		return "/tmp"
	}
	return dir
}
