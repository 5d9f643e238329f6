package signals

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"strings"
)

// Bounds of reading objects.
const (
	maxObject = 4 << 20
	maxPacks  = 64
	maxDeltas = 50 // git's own default depth
)

// Errors of objects that are not read.
var (
	errObject  = errors.New("an object is damaged or too large")
	errMissing = errors.New("an object is not in this repository")
)

// objects reads commits and trees of a repository. It reads what lies in it and
// fetches nothing. Formats: gitformat-pack(5), gitrepository-layout(5).
type objects struct {
	look  *look
	dir   string
	packs []pack
	left  int // objects that may still be read
}

// pack is one file of objects with its index, open.
type pack struct{ index, data file }

// objects opens the packs of a repository.
func (l *look) objects(r *repository, most int) (*objects, error) {
	o := &objects{look: l, dir: path.Join(r.common, "objects"), left: most}
	entries, complete, err := l.list(path.Join(o.dir, "pack"), maxRefs)
	if err != nil && !absent(err) || !complete && err == nil {
		return nil, errors.Join(errTooLarge, err)
	}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), ".idx")
		if !is {
			continue
		}
		if len(o.packs) == maxPacks {
			o.close()
			return nil, errTooLarge
		}
		index, _, err := l.open(path.Join(o.dir, "pack", e.Name()))
		if err != nil {
			o.close()
			return nil, err
		}
		data, _, err := l.open(path.Join(o.dir, "pack", name+".pack"))
		if err != nil {
			o.close()
			return nil, errors.Join(err, index.Close())
		}
		o.packs = append(o.packs, pack{index, data})
	}
	return o, nil
}

func (o *objects) close() {
	for _, p := range o.packs {
		p.index.Close()
		p.data.Close()
	}
}

// read returns an object of a kind: "commit" or "tree".
func (o *objects) read(id oid, kind string) ([]byte, error) {
	got, text, err := o.any(id, 0)
	if err == nil && got != kind {
		err = errObject
	}
	return text, err
}

func (o *objects) any(id oid, depth int) (kind string, text []byte, err error) {
	if o.left--; o.left < 0 || depth > maxDeltas {
		return "", nil, errTooLarge
	}
	if err := o.look.ctx.Err(); err != nil {
		return "", nil, err
	}
	name := hex.EncodeToString(id[:])
	f, _, err := o.look.open(path.Join(o.dir, name[:2], name[2:]))
	if err == nil {
		defer f.Close()
		return loose(f)
	}
	if !absent(err) {
		return "", nil, err
	}
	for i := range o.packs {
		at, found, err := o.packs[i].find(id)
		if err != nil {
			return "", nil, err
		}
		if found {
			return o.packed(i, at, depth)
		}
	}
	return "", nil, errMissing
}

// inflate reads at most maxObject bytes of zlib data.
func inflate(r io.Reader) ([]byte, error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, errObject
	}
	text, err := io.ReadAll(io.LimitReader(z, maxObject+1))
	if err != nil || len(text) > maxObject {
		return nil, errObject
	}
	return text, nil
}

// loose reads an object that is a file of its own: kind, size, NUL, content.
func loose(r io.Reader) (kind string, text []byte, err error) {
	all, err := inflate(r)
	if err != nil {
		return "", nil, err
	}
	head, text, ok := bytes.Cut(all, []byte{0})
	kind, _, ok2 := strings.Cut(string(head), " ")
	if !ok || !ok2 {
		return "", nil, errObject
	}
	return kind, text, nil
}

// find returns where an object stands in a pack. Index files of version 1 are
// not read.
func (p pack) find(id oid) (at int64, found bool, err error) {
	var b [8]byte
	word := func(off int64) (uint32, error) {
		_, err := p.index.ReadAt(b[:4], off)
		return binary.BigEndian.Uint32(b[:4]), err
	}
	if _, err := p.index.ReadAt(b[:], 0); err != nil || string(b[:]) != "\xfftOc\x00\x00\x00\x02" {
		return 0, false, errObject
	}
	const fan = 8
	low := uint32(0)
	if id[0] > 0 {
		if low, err = word(fan + 4*(int64(id[0])-1)); err != nil {
			return 0, false, err
		}
	}
	high, err1 := word(fan + 4*int64(id[0]))
	total, err2 := word(fan + 4*255)
	if err := errors.Join(err1, err2); err != nil || low > high || high > total {
		return 0, false, errObject
	}
	const names = fan + 4*256
	for low < high {
		middle := low + (high-low)/2
		var got oid
		if _, err := p.index.ReadAt(got[:], names+20*int64(middle)); err != nil {
			return 0, false, err
		}
		switch c := bytes.Compare(got[:], id[:]); {
		case c < 0:
			low = middle + 1
		case c > 0:
			high = middle
		default:
			return p.offset(word, names, middle, total)
		}
	}
	return 0, false, nil
}

// offset returns where the object of a number stands: behind the names and the
// checksums, in 4 bytes, or 8 in a table of their own.
func (p pack) offset(word func(int64) (uint32, error), names int64, number, total uint32) (int64, bool, error) {
	offsets := names + 24*int64(total)
	short, err := word(offsets + 4*int64(number))
	if err != nil || short&0x80000000 == 0 {
		return int64(short), err == nil, err
	}
	var b [8]byte
	_, err = p.index.ReadAt(b[:], offsets+4*int64(total)+8*int64(short&0x7fffffff))
	return int64(binary.BigEndian.Uint64(b[:]) & (1<<62 - 1)), err == nil, err
}

// Kinds of objects in a pack.
var packKinds = map[byte]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

const (
	offsetDelta = 6
	nameDelta   = 7
)

// packed reads the object that stands at a place of a pack.
func (o *objects) packed(number int, at int64, depth int) (kind string, text []byte, err error) {
	if depth > maxDeltas {
		return "", nil, errTooLarge
	}
	p := o.packs[number]
	head := make([]byte, 64)
	n, err := p.data.ReadAt(head, at)
	if n == 0 || err != nil && !errors.Is(err, io.EOF) {
		return "", nil, errObject
	}
	head = head[:n]
	form := head[0] >> 4 & 7
	i := 0
	for i < n && head[i]&0x80 != 0 {
		i++
	}
	i++
	var base func() (string, []byte, error)
	switch {
	case form == offsetDelta && i < n:
		back, m := binaryOffset(string(head[i:]))
		if m == 0 || back == 0 || int64(back) < 0 || int64(back) > at {
			return "", nil, errObject
		}
		i += m
		base = func() (string, []byte, error) { return o.packed(number, at-int64(back), depth+1) }
	case form == nameDelta && i+20 <= n:
		id := oid(head[i : i+20])
		i += 20
		base = func() (string, []byte, error) { return o.any(id, depth+1) }
	case packKinds[form] == "":
		return "", nil, errObject
	}
	text, err = inflate(io.NewSectionReader(p.data, at+int64(i), 1<<62-at))
	if err != nil || base == nil {
		return packKinds[form], text, err
	}
	kind, from, err := base()
	if err != nil {
		return "", nil, err
	}
	text, err = patch(from, text)
	return kind, text, err
}

// patch applies a delta: copies of parts of the base, and bytes of its own.
func patch(base, delta []byte) ([]byte, error) {
	from, n := littleSize(delta)
	to, m := littleSize(delta[n:])
	if n == 0 || m == 0 || from != uint64(len(base)) || to > maxObject {
		return nil, errObject
	}
	delta = delta[n+m:]
	out := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(delta) {
				return nil, errObject
			}
			out, delta = append(out, delta[:op]...), delta[op:]
			continue
		}
		var args [7]uint64 // 4 bytes of an offset, 3 of a size
		for i := range args {
			if op>>i&1 != 0 {
				if len(delta) == 0 {
					return nil, errObject
				}
				args[i], delta = uint64(delta[0]), delta[1:]
			}
		}
		at := args[0] | args[1]<<8 | args[2]<<16 | args[3]<<24
		size := args[4] | args[5]<<8 | args[6]<<16
		if size == 0 {
			size = 0x10000
		}
		if at+size > uint64(len(base)) || uint64(len(out))+size > to {
			return nil, errObject
		}
		out = append(out, base[at:at+size]...)
	}
	if uint64(len(out)) != to {
		return nil, errObject
	}
	return out, nil
}

// littleSize reads a size of a delta, and returns how many bytes it takes; 0 if
// it is none.
func littleSize(b []byte) (v uint64, n int) {
	for n = range min(len(b), 9) {
		v |= uint64(b[n]&0x7f) << (7 * n)
		if b[n]&0x80 == 0 {
			return v, n + 1
		}
	}
	return 0, 0
}

// commit is what is read of a commit.
type commit struct {
	tree    oid
	parents []oid
	date    int64 // of the committer, Unix seconds
}

func (o *objects) commit(id oid) (c commit, err error) {
	text, err := o.read(id, "commit")
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "":
			return c, nil // the message begins
		case "tree":
			c.tree, _ = parseOID(value)
		case "parent":
			if p, ok := parseOID(value); ok {
				c.parents = append(c.parents, p)
			}
		case "committer":
			c.date = committed(value)
		}
	}
	return c, nil
}

// committed returns the time in a line such as "Name <mail> 1700000000 +0100".
func committed(line string) (seconds int64) {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return 0
	}
	for _, c := range fields[len(fields)-2] {
		if c < '0' || c > '9' || seconds > 1<<40 {
			return 0
		}
		seconds = seconds*10 + int64(c-'0')
	}
	return seconds
}

// treeEntry is one name in a tree.
type treeEntry struct {
	folder bool
	id     oid
}

func (o *objects) tree(id oid) (map[string]treeEntry, error) {
	text, err := o.read(id, "tree")
	if err != nil {
		return nil, err
	}
	all := map[string]treeEntry{}
	for len(text) > 0 {
		head, rest, ok := bytes.Cut(text, []byte{0})
		mode, name, ok2 := strings.Cut(string(head), " ")
		if !ok || !ok2 || len(rest) < len(oid{}) {
			return nil, errObject
		}
		all[name] = treeEntry{mode == "40000", oid(rest[:len(oid{})])}
		text = rest[len(oid{}):]
	}
	return all, nil
}
