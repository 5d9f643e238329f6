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
}

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
