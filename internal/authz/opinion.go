package authz

import "fmt"

// Opinion is what a judge thinks of one call. The zero Opinion is none, which
// never permits.
type Opinion uint8

// The opinions.
const (
	NoVerdict     Opinion = iota // there is no usable one
	OpinionBlock                 // not authorized by the user's words
	OpinionUnsure                // a person must look
	OpinionAllow                 // every effect is authorized by the user's words
)

var opinionNames = [...]string{NoVerdict: "no_verdict", OpinionBlock: "block", OpinionUnsure: "unsure", OpinionAllow: "allow"}

// String returns the word of records. A value outside the list reads no_verdict.
func (o Opinion) String() string {
	if int(o) < len(opinionNames) {
		return opinionNames[o]
	}
	return opinionNames[NoVerdict]
}

// MarshalText writes the word of String.
func (o Opinion) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a word of String. Anything else is an error and leaves
// NoVerdict.
func (o *Opinion) UnmarshalText(text []byte) error {
	*o = NoVerdict
	for i, name := range opinionNames {
		if name == string(text) {
			*o = Opinion(i)
			return nil
		}
	}
	return fmt.Errorf("unknown opinion %q: want allow, block, unsure or no_verdict", text)
}
