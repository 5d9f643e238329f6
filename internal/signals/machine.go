package signals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// machine is where collectors look. Tests put other parts in its place.
type machine struct {
	disk
	root     string // of files of the system; "" is /
	uid      uint64
	knowsUID bool
	patience int64 // how many times the limits count: 1, and more where a test is not about time
}

func thisMachine() machine {
	uid, known := ownUID()
	return machine{disk: realDisk{}, uid: uid, knowsUID: known, patience: 1}
}

// system returns where a file of the system lies.
func (m machine) system(name string) string { return m.root + name }

// look is the run of one collector.
type look struct {
	machine
	*sink
	shared  *parts
	ctx     context.Context
	subject *subject
	session Session
	now     time.Time
	newest  time.Time // the latest change of what was read
}

// errTooLarge says that there is more than may be read.
var errTooLarge = errors.New("more than is looked at")

// read returns the content of a regular file of at most so many bytes.
func (l *look) read(name string, most int64) (string, error) {
	if err := l.ctx.Err(); err != nil {
		return "", err
	}
	f, info, err := l.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() > most {
		return "", errTooLarge
	}
	var text strings.Builder
	text.Grow(int(max(info.Size(), 0)))
	n, err := io.Copy(&text, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = errTooLarge
	}
	l.stamp(info)
	return text.String(), err
}

// stamp makes the age of what is observed next that of the youngest file read.
func (l *look) stamp(info fs.FileInfo) {
	if t := info.ModTime(); t.After(l.newest) && !l.now.IsZero() {
		l.newest = t
		l.age = max(0, l.now.Sub(t).Truncate(time.Second))
	}
}

// below reads a file below a folder, through no link on the way there: a link in a
// repository could lead to any file of this machine.
func (l *look) below(dir, name string, most int64) (string, error) {
	if err := l.plain(dir, path.Dir(name)); err != nil {
		return "", err
	}
	return l.read(path.Join(dir, name), most)
}

// plain returns an error unless the folders on the way are folders.
func (l *look) plain(dir, way string) error {
	at := dir
	for _, part := range strings.Split(way, "/") {
		if part == "." || part == "" {
			continue
		}
		at = path.Join(at, part)
		info, err := l.lstat(at)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return errNotRegular
		}
	}
	return nil
}

// files returns the names of the regular files in a folder below dir, at most so
// many, and whether these are all.
func (l *look) files(dir, name string, most int) (all []string, complete bool) {
	if err := l.plain(dir, name); err != nil {
		return nil, absent(err)
	}
	entries, complete, err := l.list(path.Join(dir, name), most)
	for _, e := range entries {
		if e.Type().IsRegular() {
			all = append(all, path.Join(name, e.Name()))
		}
	}
	if err != nil && !absent(err) {
		return all, l.miss(path.Join(dir, name), err)
	}
	return all, complete
}

// exists reports whether something has that name. What cannot be seen is taken
// for there, and known is false.
func (l *look) exists(name string) (is, known bool) {
	_, err := l.lstat(name)
	return !absent(err), err == nil || absent(err)
}

// absent reports whether an error says that a file is not there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// miss notes a file that could not be read, and returns false: what it was read
// for is not complete.
func (l *look) miss(name string, err error) bool {
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err // the name stands there already
	}
	l.unseen(fmt.Sprintf("%s: %v", path.Base(name), err))
	return false
}

// optional reads a file below a folder that need not be there, and reports whether
// what is read is all there is.
func (l *look) optional(dir, name string, most int64) (text string, complete bool) {
	text, err := l.below(dir, name, most)
	if err != nil && !absent(err) {
		return "", l.miss(name, err)
	}
	return text, true
}

// over reports whether the time of the collector is over.
func (l *look) over() bool { return l.ctx.Err() != nil }
