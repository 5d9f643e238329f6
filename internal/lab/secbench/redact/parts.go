package redact

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// parts is what a text must hold of values.
type parts struct {
	value map[string]string // of which a part is one
	sizes []int             // of the parts
	first [1 << 16]bool     // whether a part may begin with four bytes, by their sum
}

func newParts() *parts { return &parts{value: map[string]string{}} }

// sum is that of the first four bytes of a text.
func sum(text []byte) uint32 {
	return binary.LittleEndian.Uint32(text) * 2654435761 >> 16 // Knuth's multiplicative hashing
}

// add adds all parts of so many bytes of a text, or all of it if it has fewer. White
// space alone is no part.
func (p *parts) add(text []byte, size int, value string) {
	size = min(size, len(text))
	if size < whole {
		return
	}
	for i := 0; i+size <= len(text); i++ {
		if one := text[i : i+size]; len(bytes.TrimSpace(one)) > 0 {
			p.value[string(one)], p.first[sum(one)] = value, true
		}
	}
	if !slices.Contains(p.sizes, size) {
		p.sizes = append(p.sizes, size)
	}
}

// in shows the places at which parts stand in a text. Of nil there are none.
func (p *parts) in(text []byte, see func(i, j int, value string)) {
	if p == nil {
		return
	}
	for i := 0; i+whole <= len(text); i++ {
		if !p.first[sum(text[i:])] {
			continue
		}
		for _, size := range p.sizes {
			if i+size > len(text) {
				continue
			}
			if value, ok := p.value[string(text[i:i+size])]; ok {
				see(i, i+size, value)
			}
		}
	}
}
