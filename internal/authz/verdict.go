package authz

import "fmt"

// Verdict is the answer to one tool call. The zero value is Block, so a
// forgotten or failed assignment refuses.
type Verdict uint8

// The verdicts, in order of strictness: a smaller value is stricter.
const (
	Block           Verdict = iota // refuse; also the answer to every error
	RequireApproval                // hold until a person approves this exact call
	Allow                          // let it run, once
)

var verdictNames = [...]string{Block: "BLOCK", RequireApproval: "REQUIRE_APPROVAL", Allow: "ALLOW"}

// String returns the wire name. A value outside the list reads BLOCK, which is
// also how every consumer must treat it.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return verdictNames[Block]
}

// MarshalText writes the wire name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a wire name. Anything else is an error and leaves Block.
func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Block
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q: want ALLOW, BLOCK or REQUIRE_APPROVAL", text)
}

// Stricter returns the stricter of two verdicts.
func Stricter(a, b Verdict) Verdict { return min(a, b) }
