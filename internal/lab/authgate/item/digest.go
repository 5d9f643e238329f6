package item

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/toolcall"
)

// canonical returns v in the canonical form of RFC 8785. It panics where v is no
// JSON: all that is passed was read as JSON or made here.
func canonical(v any) toolcall.Value {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("writing a row: %w", err))
	}
	value, err := toolcall.Parse(raw, toolcall.Bounds{})
	if err != nil {
		panic(fmt.Errorf("reading back a row: %w", err))
	}
	return value
}

// digestOf returns "sha256:" and the SHA-256 of the canonical form of v.
func digestOf(v any) string { return digestText([]byte(canonical(v).Canonical())) }

func digestText(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// without returns the members of the object v but the named ones.
func without(v toolcall.Value, names ...string) toolcall.Value {
	var kept []toolcall.Member
members:
	for i := range v.Len() {
		name, value := v.Member(i)
		for _, n := range names {
			if n == name {
				continue members
			}
		}
		kept = append(kept, toolcall.Member{Name: name, Value: value})
	}
	return toolcall.ObjectOf(kept...)
}

// digests returns the digests that belong to i.
func (i *Instance) digests() Digests {
	row := without(canonical(i), "digests", "review")
	return Digests{
		Trajectory: digestOf(i.Visible.Trajectory),
		Action:     digestOf(i.Visible.Action),
		Visible:    digestOf(i.Visible),
		Row:        digestText([]byte(row.Canonical())),
	}
}

// digests returns the digests that belong to s.
func (s *Signals) digests() SignalsDigests {
	row := without(canonical(s), "digests")
	return SignalsDigests{Observations: digestOf(s.Observations), Row: digestText([]byte(row.Canonical()))}
}
