package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxFile bounds a case file, its contract, and each file that this names, in
// bytes.
const maxFile = 16 << 20

// Find returns the case files among and below the named files and folders,
// sorted, each once. It is an error if there is none in one of them.
func Find(paths ...string) ([]string, error) {
	var all []string
	for _, p := range paths {
		found, err := find(p)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no case file in %s: expected NAME%s, or NAME.yaml in a folder %s", p, Suffix, folder)
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func find(root string) (found []string, err error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if !IsFile(root) {
			return nil, fmt.Errorf("%s is no case file: expected NAME%s, or NAME.yaml in a folder %s", root, Suffix, folder)
		}
		return []string{filepath.Clean(root)}, nil
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && IsFile(path) {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

// Read reads a case file from disk. files are all that were opened for it, also
// where there is an error.
func Read(path string) (s *Suite, files []string, err error) {
	files = []string{path}
	text, err := readFile(path)
	if err != nil {
		return nil, files, err
	}
	s, err = Load(path, text, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		files = append(files, name)
		return readFile(name)
	})
	return s, files, err
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New(path + " is no regular file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}
