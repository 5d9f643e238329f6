package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// MkdirAll makes dir and what is missing above it, open to its owner only, and
// syncs every name that it made. A directory that exists is left as it is.
func MkdirAll(dir string) error {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		// Another process may have made it since.
		if info, again := os.Stat(dir); again != nil || !info.IsDir() {
			return fmt.Errorf("making a directory: %w", err)
		}
	}
	return SyncDir(parent)
}

// SyncDir makes the names in dir durable. Windows can't open a directory for
// that and orders such changes in the journal of the file system.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing a directory: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("syncing a directory: %w", err)
	}
	return nil
}

// WriteFile writes a file, open to its owner only, as a whole or not at all: a crash
// leaves the former one, or none, but never a part.
func WriteFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing a file: %w", err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing a file: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return SyncDir(filepath.Dir(path))
}

// SyncTree makes all files below dir durable, with their names.
func SyncTree(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return SyncDir(path)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs no file that is open for reading only
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
	if err != nil {
		return fmt.Errorf("syncing a folder: %w", err)
	}
	return nil
}
