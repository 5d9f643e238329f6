package signals

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// disk is the file system as collectors see it. Names are absolute and slash
// separated.
type disk interface {
	lstat(name string) (fs.FileInfo, error)
	// open opens a regular file, and nothing else, without following a link.
	open(name string) (file, fs.FileInfo, error)
	// list returns up to most entries of a directory, and whether these are all.
	list(name string, most int) ([]fs.DirEntry, bool, error)
	readlink(name string) (string, error)
	// tree opens a folder of which many files are looked at.
	tree(top string) (tree, error)
}

// tree is a folder of which many files are looked at, by several at once.
type tree interface {
	io.Closer
	// stat is lstat of a file, by its name from the folder.
	stat(name string) (status, error)
}

// status is what an index of git notes of a file.
type status struct {
	regular, link bool
	runs          bool // its owner may run it
	size          int64
	mtime         stamp
	ctime         stamp // of the inode
	inode         uint64
	inodes        bool // the system tells inode and ctime
}

// noTree stands for a folder that cannot be opened.
type noTree struct{ err error }

func (t noTree) stat(string) (status, error) { return status{}, t.err }
func (noTree) Close() error                  { return nil }

// file is an open regular file.
type file interface {
	io.ReadCloser
	io.ReaderAt
}

// errNotRegular says that a file is a device, a pipe, a link or the like.
var errNotRegular = errors.New("no regular file")

// realDisk is the disk of this machine.
type realDisk struct{}

func (realDisk) lstat(name string) (fs.FileInfo, error) { return os.Lstat(filepath.FromSlash(name)) }

// open looks before it opens, because opening some devices does something, and
// once more afterwards, because the file may have been exchanged in between.
func (d realDisk) open(name string) (file, fs.FileInfo, error) {
	info, err := d.lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	f, err := os.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openSafely, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

func (d realDisk) list(name string, most int) ([]fs.DirEntry, bool, error) {
	info, err := d.lstat(name)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return nil, false, errNotRegular
	}
	f, err := os.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openSafely, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err := f.ReadDir(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries[:min(len(entries), most)], len(entries) <= most, err
}

func (realDisk) readlink(name string) (string, error) { return os.Readlink(filepath.FromSlash(name)) }
