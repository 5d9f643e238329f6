package signals

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of an index.
const (
	maxIndex   = 64 << 20
	maxEntries = 50_000
)

// index is what git has staged.
type index struct {
	entries []indexEntry
	byPath  map[string]int
	folders map[string]bool // that tracked files lie in
	written stamp           // when the file of the index was
	trees   map[string]oid  // of folders of which nothing was staged since; "" is the top
}

// stamp is a time as an index has it: seconds and nanoseconds, cut to 32 bits.
type stamp struct{ seconds, nano uint32 }

func stampOf(t time.Time) stamp { return stamp{uint32(t.Unix()), uint32(t.Nanosecond())} }

// before reports whether a time is certainly earlier than another.
func (s stamp) before(t stamp) bool {
	return s.seconds < t.seconds || s.seconds == t.seconds && s.nano < t.nano
}

// noted reports whether lstat says of a file what git noted of it, and the file is
// older than the index: one that is as young may have changed since, with the same
// size and time. The time of the inode, where the system tells it, is compared as
// well: a program cannot set it back.
func (x *index) noted(e *indexEntry, info fs.FileInfo) bool {
	id := identify(info)
	return uint32(info.Size()) == e.size && stampOf(info.ModTime()) == e.mtime && e.mtime.before(x.written) &&
		(!id.known || uint32(id.inode) == e.inode) && (id.changed == stamp{} || id.changed == e.ctime)
}

// indexEntry is one staged file, with what lstat said of it when git last looked.
type indexEntry struct {
	path     string
	ctime    stamp
	mtime    stamp
	inode    uint32
	size     uint32
	mode     uint32
	id       oid
	stage    uint8 // not 0: a conflict
	assumed  bool  // git was told not to look at it
	intended bool  // only the intent to add it
}

// Errors of an index that is not read.
var (
	errIndex      = errors.New("the index is damaged")
	errIndexForm  = errors.New("the index is split, sparse or of an unknown version")
	errIndexLarge = errors.New("the index has more entries than are looked at")
)

// sharedIndex is the index that the collectors of one collection share: reading a
// large one takes most of their time.
type sharedIndex struct {
	mu  sync.Mutex
	dir string // of the repository; "" before it is read
	x   *index
	err error
}

// readIndex reads the index of a repository; a missing one is empty. Nobody changes
// what it returns.
func (l *look) readIndex(r *repository) (*index, error) {
	l.shared.mu.Lock()
	defer l.shared.mu.Unlock()
	if l.shared.dir != r.dir {
		l.shared.x, l.shared.err = l.newIndex(r)
		l.shared.dir = r.dir
	}
	return l.shared.x, l.shared.err
}

func (l *look) newIndex(r *repository) (*index, error) {
	name := path.Join(r.dir, "index")
	info, err := l.lstat(name)
	if absent(err) {
		return parseIndex(emptyIndex, maxEntries)
	}
	if err != nil {
		return nil, err
	}
	text, err := l.read(name, maxIndex)
	if err != nil {
		return nil, err
	}
	x, err := parseIndex([]byte(text), maxEntries)
	if err == nil {
		x.written = stampOf(info.ModTime())
	}
	return x, err
}

var emptyIndex = append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"), make([]byte, len(oid{}))...)

// parseIndex reads an index of at most so many entries, in version 2, 3 or 4.
// Format: gitformat-index(5). The checksum at its end is not compared: it says
// nothing of who wrote it.
func parseIndex(b []byte, most int) (*index, error) {
	if len(b) < 12+len(oid{}) || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, n := binary.BigEndian.Uint32(b[4:]), int64(binary.BigEndian.Uint32(b[8:]))
	switch {
	case version < 2 || version > 4:
		return nil, errIndexForm
	case n > int64(most):
		return nil, errIndexLarge
	case n*(fixedEntry+1) > int64(len(b)):
		return nil, errIndex
	}
	x := &index{entries: make([]indexEntry, 0, n), byPath: make(map[string]int, n), folders: map[string]bool{}, trees: map[string]oid{}}
	b = b[12 : len(b)-len(oid{})]
	before := ""
	for range n {
		e, rest, err := parseEntry(b, version, before)
		if err != nil {
			return nil, err
		}
		b, before = rest, e.path
		x.add(e)
	}
	return x, x.extensions(b)
}

func (x *index) add(e indexEntry) {
	x.byPath[e.path] = len(x.entries)
	x.entries = append(x.entries, e)
	for dir := path.Dir(e.path); dir != "." && !x.folders[dir]; dir = path.Dir(dir) {
		x.folders[dir] = true
	}
}

// fixedEntry is the length of what stands before the path of an entry.
const fixedEntry = 62

// parseEntry reads the first entry of b, and returns what is behind it.
func parseEntry(b []byte, version uint32, before string) (e indexEntry, rest []byte, err error) {
	if len(b) < fixedEntry {
		return e, nil, errIndex
	}
	word := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	e = indexEntry{ctime: stamp{word(0), word(4)}, mtime: stamp{word(8), word(12)}, inode: word(20), mode: word(24), size: word(36), id: oid(b[40:60])}
	flags := binary.BigEndian.Uint16(b[60:])
	e.stage, e.assumed = uint8(flags>>12&3), flags&0x8000 != 0
	at := fixedEntry
	if flags&0x4000 != 0 {
		if version < 3 || len(b) < at+2 {
			return e, nil, errIndex
		}
		more := binary.BigEndian.Uint16(b[at:])
		e.assumed, e.intended = e.assumed || more&0x4000 != 0, more&0x2000 != 0
		at += 2
	}
	kept := ""
	if version == 4 {
		drop, n := binaryOffset(b[at:])
		if n == 0 || drop > uint64(len(before)) {
			return e, nil, errIndex
		}
		kept, at = before[:uint64(len(before))-drop], at+n
	}
	end := bytes.IndexByte(b[at:], 0)
	if end < 0 {
		return e, nil, errIndex
	}
	e.path = kept + string(b[at:at+end])
	at += end + 1
	if version < 4 {
		at = (at + 7) &^ 7
	}
	if at > len(b) || !cleanPath(e.path) {
		return e, nil, errIndex
	}
	return e, b[at:], nil
}

// cleanPath reports whether a path leads nowhere but below the top.
func cleanPath(name string) bool {
	return name != "" && name != "." && name != ".." && name[0] != '/' && !strings.HasPrefix(name, "../") && path.Clean(name) == strings.TrimSuffix(name, "/")
}

// binaryOffset reads a number as packs and indexes of version 4 write it, and
// returns how many bytes it takes; 0 if it is none.
func binaryOffset(b []byte) (v uint64, n int) {
	for n = range min(len(b), 9) {
		c := b[n]
		if n > 0 {
			v++
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, n + 1
		}
	}
	return 0, 0
}

// extensions reads what stands behind the entries. An extension in lower case
// changes what the entries mean.
func (x *index) extensions(b []byte) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errIndex
		}
		name, size := string(b[:4]), int64(binary.BigEndian.Uint32(b[4:]))
		if size > int64(len(b)-8) {
			return errIndex
		}
		if name[0] < 'A' || name[0] > 'Z' {
			return errIndexForm
		}
		if name == "TREE" {
			x.readTrees(b[8 : 8+size])
		}
		b = b[8+size:]
	}
	return nil
}

// readTrees reads the trees that git remembers. They save work only: one that
// cannot be read is left out, and its folder is compared file by file.
func (x *index) readTrees(b []byte) {
	type open struct {
		dir  string
		left int
	}
	var stack []open
	for len(b) > 0 {
		name, rest, ok := bytes.Cut(b, []byte{0})
		line, rest, ok2 := bytes.Cut(rest, []byte{'\n'})
		counts := strings.Fields(string(line))
		if !ok || !ok2 || len(counts) != 2 {
			return
		}
		entries, err1 := strconv.Atoi(counts[0])
		below, err2 := strconv.Atoi(counts[1])
		if err1 != nil || err2 != nil || below < 0 {
			return
		}
		for len(stack) > 0 && stack[len(stack)-1].left == 0 {
			stack = stack[:len(stack)-1]
		}
		dir := ""
		if len(stack) > 0 {
			stack[len(stack)-1].left--
			dir = path.Join(stack[len(stack)-1].dir, string(name))
		}
		if b = rest; entries >= 0 {
			if len(b) < len(oid{}) {
				return
			}
			x.trees[dir] = oid(b[:len(oid{})])
			b = b[len(oid{}):]
		}
		stack = append(stack, open{dir, below})
	}
}
