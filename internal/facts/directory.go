package facts

import (
	"fmt"
	"os"
	"path/filepath"
)

// Directory names a directory by identity: where it lies with all links
// followed, and which directory that is. A directory that is put in its place
// later has another name, also under the same path. It is an error if path is
// not absolute or leads to no directory.
func Directory(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("directory %q is not absolute", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("finding directory %s: %w", path, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("finding directory %s: %w", path, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", path)
	}
	id, err := identity(real, info)
	if err != nil {
		return "", fmt.Errorf("identifying directory %s: %w", path, err)
	}
	return filepath.ToSlash(real) + " " + id, nil
}
