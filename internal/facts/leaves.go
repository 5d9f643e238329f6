package facts

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// leavesVersion is the first byte of encoded leaves.
const leavesVersion = 1

// EncodeLeaves writes leaves for a store:
//
//	leaves = version count *leaf              ; version is the byte 1
//	leaf   = path whole count *token count *number
//	count  = unsigned varint, in its shortest form
//
// Path, whole, token and number are 8 bytes each, big endian.
func EncodeLeaves(leaves []Leaf) []byte {
	b := binary.AppendUvarint([]byte{leavesVersion}, uint64(len(leaves)))
	for _, l := range leaves {
		b = binary.BigEndian.AppendUint64(b, uint64(l.Path))
		b = binary.BigEndian.AppendUint64(b, uint64(l.Whole))
		b = appendHashes(b, l.Tokens)
		b = appendHashes(b, l.Numbers)
	}
	return b
}

func appendHashes(b []byte, hs []Hash) []byte {
	b = binary.AppendUvarint(b, uint64(len(hs)))
	for _, h := range hs {
		b = binary.BigEndian.AppendUint64(b, uint64(h))
	}
	return b
}

// DecodeLeaves reads what EncodeLeaves wrote, and nothing else: every text that
// it accepts is the one encoding of its leaves.
func DecodeLeaves(b []byte) ([]Leaf, error) {
	if len(b) == 0 || b[0] != leavesVersion {
		return nil, fmt.Errorf("decoding leaves: want version %d", leavesVersion)
	}
	r := reader{rest: b[1:]}
	leaves := make([]Leaf, r.count(minLeaf))
	for i := range leaves {
		leaves[i] = Leaf{Path: r.hash(), Whole: r.hash(), Tokens: r.hashes(), Numbers: r.hashes()}
	}
	if r.err == nil && len(r.rest) > 0 {
		r.err = errors.New("bytes after the last leaf")
	}
	if r.err != nil {
		return nil, fmt.Errorf("decoding leaves: %w", r.err)
	}
	return leaves, nil
}

const (
	hashSize = 8
	minLeaf  = 2*hashSize + 2 // bytes of the shortest leaf
)

var errShort = errors.New("text ends early")

// reader reads encoded leaves; after the first error it reads zeros.
type reader struct {
	rest []byte
	err  error
}

// count reads how many items of at least size bytes follow. It refuses more
// than the rest can hold, so that a short text cannot ask for much memory.
func (r *reader) count(size int) int {
	n, used := binary.Uvarint(r.rest)
	switch {
	case r.err != nil:
	case used <= 0 || used != len(binary.AppendUvarint(nil, n)):
		r.err = errors.New("a count is not written in its shortest form")
	case n > uint64((len(r.rest)-used)/size):
		r.err = errShort
	default:
		r.rest = r.rest[used:]
		return int(n)
	}
	return 0
}

func (r *reader) hash() Hash {
	if r.err == nil && len(r.rest) < hashSize {
		r.err = errShort
	}
	if r.err != nil {
		return 0
	}
	h := binary.BigEndian.Uint64(r.rest)
	r.rest = r.rest[hashSize:]
	return Hash(h)
}

// hashes reads a counted list; an empty one is nil.
func (r *reader) hashes() []Hash {
	n := r.count(hashSize)
	if n == 0 {
		return nil
	}
	hs := make([]Hash, n)
	for i := range hs {
		hs[i] = r.hash()
	}
	return hs
}
