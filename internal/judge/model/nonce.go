package model

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// nonceBytes is the length of a nonce: 128 bit.
const nonceBytes = 16

// RandomNonce returns a new nonce from the system's random source, whatever round
// it is for.
func RandomNonce(int) string {
	b := make([]byte, nonceBytes)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// LabNonce returns nonces that follow from what is measured, so that the prompts
// of a run repeat byte for byte.
func LabNonce(dataset, item string, epoch int) func(round int) string {
	return func(round int) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %d", "licet-lab-nonce/1", dataset, item, epoch, round))
		return hex.EncodeToString(sum[:nonceBytes])
	}
}

// fenceMark finds what opens or closes a block. What opens a here-document in a
// shell is no such mark.
var fenceMark = regexp.MustCompile(`<<(REQUEST|BOUNDARIES|TRAJECTORY|ACTION|FACTS|SIGNALS)\b|[0-9A-Fa-f]{32}>>`)

// echoes reports whether an answer repeats the nonce or a mark of a fence, as it
// stands or in the texts that it spells with escapes.
func echoes(answer, nonce string) bool {
	all := []string{answer}
	if v, err := toolcall.Parse([]byte(answer), toolcall.Bounds{}); err == nil {
		all = leaves(all, v)
	}
	for _, s := range all {
		if strings.Contains(strings.ToLower(s), nonce) || fenceMark.MatchString(s) {
			return true
		}
	}
	return false
}

// leaves appends every text of a value.
func leaves(all []string, v toolcall.Value) []string {
	switch v.Kind() {
	case toolcall.String:
		return append(all, v.Text())
	case toolcall.Array:
		for i := range v.Len() {
			all = leaves(all, v.Elem(i))
		}
	case toolcall.Object:
		for i := range v.Len() {
			name, value := v.Member(i)
			all = leaves(append(all, name), value)
		}
	}
	return all
}
