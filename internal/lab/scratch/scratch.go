// Package scratch makes temporary folders that are not left for good by a process
// that was killed: a later one removes them.
//
// Beside a folder lies a file that its process keeps locked. The lock ends with the
// process however that ends, so a file that can be locked is one whose owner is dead.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/licet-dev/licet/internal/durable"
)

// Names in the system's folder for temporary files: licet-lab-123 is a folder, and
// licet-lab-123.lock its lock.
const (
	prefix = "licet-lab-"
	suffix = ".lock"
)

// tries is how often a name is taken anew, where [Sweep] was faster than its lock.
const tries = 10

// Folder is a temporary folder.
type Folder struct {
	Path string // open to its owner only, and empty at first
	lock *os.File
}

// New makes a folder below the system's for temporary files. Its path is absolute, also
// where the environment names that relative to where the program is: what is started
// in the folder is elsewhere.
func New() (*Folder, error) { return newIn(os.TempDir()) }

// NewShort makes a folder with so short a path that a socket can have a name in it,
// beside the system's for temporary files where their path is long.
func NewShort() (*Folder, error) { return newIn(short(os.TempDir())) }

func newIn(dir string) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	for range tries {
		lock, err := os.CreateTemp(dir, prefix+"*"+suffix)
		if err != nil {
			return nil, fmt.Errorf("making a temporary folder: %w", err)
		}
		f := folderOf(lock)
		if !claim(lock) {
			lock.Close() // swept, and its name gone with it
			continue
		}
		if err := os.Mkdir(f.Path, 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("making a temporary folder: %w", err), f.drop())
		}
		return f, nil
	}
	return nil, errors.New("making a temporary folder: its lock cannot be had")
}

func folderOf(lock *os.File) *Folder {
	return &Folder{Path: strings.TrimSuffix(lock.Name(), suffix), lock: lock}
}

// claim locks a file that still has its name.
func claim(lock *os.File) bool {
	if durable.Lock(lock) != nil {
		return false
	}
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(lock.Name())
	return err == nil && os.SameFile(held, named)
}

// Close removes the folder and all that is in it. Where that fails the lock is given
// up and stays, for Sweep to try again.
func (f *Folder) Close() error {
	if err := os.RemoveAll(f.Path); err != nil {
		return errors.Join(err, f.lock.Close())
	}
	return f.drop()
}

// drop gives up and removes the lock. Who sweeps may remove it in between.
func (f *Folder) drop() error {
	err := f.lock.Close() // first: Windows keeps the name of an open file
	if removed := os.Remove(f.lock.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// Sweep removes the folders of processes that are dead. It touches only what has
// such a name and a lock that nobody holds, and is this user's. What cannot be
// removed yet, as something that the process started still writes there, is left to
// the next sweep.
func Sweep() {
	dir := os.TempDir()
	sweepIn(dir)
	if other := short(dir); other != dir {
		sweepIn(other)
	}
}

func sweepIn(dir string) {
	locks, err := fs.Glob(os.DirFS(dir), prefix+"*"+suffix) // its own name may look like a pattern
	if err != nil {
		return
	}
	for _, lock := range locks {
		sweep(filepath.Join(dir, lock))
	}
}

func sweep(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || !owned(info) {
		return
	}
	lock, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	f := folderOf(lock)
	info, err := os.Lstat(f.Path)
	if missing := errors.Is(err, fs.ErrNotExist); !claim(lock) || !missing && (err != nil || !info.IsDir() || !owned(info)) {
		lock.Close()
		return
	}
	_ = f.Close()
}
