package facts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/licet-dev/licet/internal/toolcall"
)

// minKey is the shortest key in bytes: the length of the hash, as RFC 2104,
// section 3 asks.
const minKey = sha256.Size

// hasher makes the hashes of one key. It is not safe for concurrent use.
type hasher struct {
	mac hash.Hash
	buf []byte
}

func newHasher(key []byte) (*hasher, error) {
	if len(key) < minKey {
		return nil, fmt.Errorf("key has %d bytes, want at least %d", len(key), minKey)
	}
	return &hasher{mac: hmac.New(sha256.New, key)}, nil
}

// domain keeps hashes of different meaning apart, so that the text "7" and the
// number 7 are never equal.
type domain byte

const (
	tokenDomain  domain = 't'
	numberDomain domain = 'n'
	markDomain   domain = 'm'
	textDomain   domain = 'w'
	pathDomain   domain = 'p'
)

func (h *hasher) sum(d domain, s string) Hash {
	h.mac.Reset()
	h.buf = append(append(h.buf[:0], byte(d)), s...)
	h.mac.Write(h.buf) // a hash.Hash never fails to write
	h.buf = h.mac.Sum(h.buf[:0])
	return Hash(binary.BigEndian.Uint64(h.buf))
}

// path returns the hash of a place. No steps are no place.
func (h *hasher) path(steps []toolcall.Step) Hash {
	if len(steps) == 0 {
		return 0
	}
	var b []byte
	for _, s := range steps {
		if s.Elements {
			b = append(b, 0)
			continue
		}
		b = append(binary.AppendUvarint(append(b, 1), uint64(len(s.Name))), s.Name...)
	}
	return h.sum(pathDomain, string(b))
}
