package signals

import (
	"errors"
	"path"
	"strconv"
	"strings"
	"time"
)

// Bounds of an index.
const (
	maxIndex   = 64 << 20
	maxEntries = 50_000
)

// index is what git has staged.
type index struct {
	entries    []indexEntry
	byPath     map[string]int
	folders    map[string]bool // that tracked files lie in
	attributes bool            // one of the files says through which programs git reads others
	written    stamp           // when the file of the index was
	trees      map[string]oid  // of folders of which nothing was staged since; "" is the top
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
func (x *index) noted(e *indexEntry, s status) bool {
	return uint32(s.size) == e.size && s.mtime == e.mtime && e.mtime.before(x.written) &&
		(!s.inodes || uint32(s.inode) == e.inode && s.ctime == e.ctime)
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

// readIndex reads the index of a repository; a missing one is empty. Nobody changes
// what it returns.
func (l *look) readIndex(r *repository) (*index, error) {
	return l.shared.index.get(r.dir, func() (*index, error) { return l.newIndex(r) })
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
	x, err := parseIndex(text, maxEntries)
	if err == nil {
		x.written = stampOf(info.ModTime())
	}
	return x, err
}

var emptyIndex = "DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + string(make([]byte, len(oid{})))

// parseIndex reads an index of at most so many entries, in version 2, 3 or 4.
// Format: gitformat-index(5). The checksum at its end is not compared: it says
// nothing of who wrote it.
func parseIndex(b string, most int) (*index, error) {
	if len(b) < 12+len(oid{}) || b[:4] != "DIRC" {
		return nil, errIndex
	}
	version, n := bigEndian(b, 4), int64(bigEndian(b, 8))
	switch {
	case version < 2 || version > 4:
		return nil, errIndexForm
	case n > int64(most):
		return nil, errIndexLarge
	case n*(fixedEntry+1) > int64(len(b)):
		return nil, errIndex
	}
	x := &index{entries: make([]indexEntry, n), byPath: make(map[string]int, n), folders: map[string]bool{}, trees: map[string]oid{}}
	b = b[12 : len(b)-len(oid{})]
	before := ""
	for i := range x.entries {
		rest, err := x.entries[i].parse(b, version, before)
		if err != nil {
			return nil, err
		}
		b, before = rest, x.entries[i].path
		x.add(i)
	}
	return x, x.extensions(b)
}

// bigEndian returns the number of 32 bits that stands at a place.
func bigEndian(b string, at int) uint32 {
	return uint32(b[at])<<24 | uint32(b[at+1])<<16 | uint32(b[at+2])<<8 | uint32(b[at+3])
}

// add makes an entry be found by its path.
func (x *index) add(at int) {
	name := x.entries[at].path
	x.byPath[name] = at
	for dir := folderOf(name); dir != "" && !x.folders[dir]; dir = folderOf(dir) {
		x.folders[dir] = true
	}
	x.attributes = x.attributes || strings.HasSuffix(name, attributes) && path.Base(name) == attributes
}

// fixedEntry is the length of what stands before the path of an entry.
const fixedEntry = 62

// parse reads the first entry of b, and returns what is behind it.
func (e *indexEntry) parse(b string, version uint32, before string) (rest string, err error) {
	if len(b) < fixedEntry {
		return "", errIndex
	}
	e.ctime, e.mtime = stamp{bigEndian(b, 0), bigEndian(b, 4)}, stamp{bigEndian(b, 8), bigEndian(b, 12)}
	e.inode, e.mode, e.size = bigEndian(b, 20), bigEndian(b, 24), bigEndian(b, 36)
	copy(e.id[:], b[40:60])
	flags := b[60]
	e.stage, e.assumed = flags>>4&3, flags&0x80 != 0
	at := fixedEntry
	if flags&0x40 != 0 {
		if version < 3 || len(b) < at+2 {
			return "", errIndex
		}
		e.assumed, e.intended = e.assumed || b[at]&0x40 != 0, b[at]&0x20 != 0
		at += 2
	}
	kept := ""
	if version == 4 {
		drop, n := binaryOffset(b[at:])
		if n == 0 || drop > uint64(len(before)) {
			return "", errIndex
		}
		kept, at = before[:uint64(len(before))-drop], at+n
	}
	end := strings.IndexByte(b[at:], 0)
	if end < 0 {
		return "", errIndex
	}
	e.path = b[at : at+end]
	if kept != "" {
		e.path = kept + e.path
	}
	at += end + 1
	if version < 4 {
		at = (at + 7) &^ 7
	}
	if at > len(b) || !cleanPath(e.path) {
		return "", errIndex
	}
	return b[at:], nil
}

// cleanPath reports whether a path leads nowhere but below the top.
func cleanPath(name string) bool {
	return name != "" && name != "." && name != ".." && name[0] != '/' && !strings.HasPrefix(name, "../") && path.Clean(name) == strings.TrimSuffix(name, "/")
}

// binaryOffset reads a number as packs and indexes of version 4 write it, and
// returns how many bytes it takes; 0 if it is none.
func binaryOffset(b string) (v uint64, n int) {
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
func (x *index) extensions(b string) error {
	for len(b) > 0 {
		if len(b) < 8 {
			return errIndex
		}
		name, size := b[:4], int64(bigEndian(b, 4))
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
func (x *index) readTrees(b string) {
	type open struct {
		dir  string
		left int
	}
	var stack []open
	for len(b) > 0 {
		name, rest, ok := strings.Cut(b, "\x00")
		line, rest, ok2 := strings.Cut(rest, "\n")
		counts := strings.Fields(line)
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
			dir = path.Join(stack[len(stack)-1].dir, name)
		}
		if b = rest; entries >= 0 {
			if len(b) < len(oid{}) {
				return
			}
			x.trees[dir] = oid([]byte(b[:len(oid{})]))
			b = b[len(oid{}):]
		}
		stack = append(stack, open{dir, below})
	}
}
