//go:build !linux

package facts

import "runtime"

// isProcfs reports false: elsewhere no file system leads into other processes
// through links.
func isProcfs(string) (bool, error) { return false, nil }

// folds reports whether names that differ in letter case only are one file, as
// the operating system does unless told otherwise. Not covered: a volume or
// directory that was made case sensitive on macOS or Windows.
func folds(string) (bool, error) {
	return runtime.GOOS == "darwin" || runtime.GOOS == "windows", nil
}
