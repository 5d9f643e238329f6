package model

import (
	"crypto/sha256"
	_ "embed" // the texts that a model is given
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var (
	//go:embed text/system.md
	systemText string
	//go:embed text/schema.json
	schemaText string
	//go:embed text/plain.md
	plainText string
	//go:embed text/plain.json
	plainSchemaText string
	//go:embed text/denials.md
	denialsText string
	//go:embed text/rules.md
	rulesText string
	//go:embed text/implicit.md
	implicitText string
)

// Places of the policy in the system text, and of the denials in the rules.
const (
	policyPlace  = "{{policy}}"
	denialsPlace = "{{denials}}"
)

// Policy is the prose by which a model judges.
type Policy struct {
	Name string
	text string
}

// The policies that come with licet. Rules spells out what consent is and in which
// ways an action can go beyond it; Implicit leaves both to the model.
var (
	Rules    = Policy{"rules", strings.Replace(rulesText, denialsPlace, denialsText, 1)}
	Implicit = Policy{"implicit", implicitText}
)

// PolicyOf returns the policy of a name.
func PolicyOf(name string) (Policy, error) {
	switch name {
	case Rules.Name:
		return Rules, nil
	case Implicit.Name:
		return Implicit, nil
	}
	return Policy{}, fmt.Errorf("there is no policy %q", name)
}

// alwaysText says how the denials stand to an operator's text.
const alwaysText = "What follows stands beside the text above, which takes nothing from it.\n\n"

// maxPolicy is the most bytes that a policy may have.
const maxPolicy = 64 << 10

// NewPolicy returns a policy of an operator's own. The denials that come with licet
// stand behind its text: what it leaves out is not lifted (judge.md, section 1).
func NewPolicy(name, text string) (Policy, error) {
	p, err := MeasuredPolicy(name, text)
	if err != nil {
		return Policy{}, err
	}
	p.text = strings.TrimRight(text, "\n") + "\n\n" + alwaysText + denialsText
	return p, nil
}

// MeasuredPolicy returns a policy of exactly this text, to measure how a model
// judges by it. It is for the lab: no gate goes by a text without the denials.
func MeasuredPolicy(name, text string) (Policy, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Policy{}, errors.New("an empty policy")
	case len(text) > maxPolicy:
		return Policy{}, fmt.Errorf("a policy of %d bytes: at most %d", len(text), maxPolicy)
	case !utf8.ValidString(text):
		return Policy{}, errors.New("a policy that is not UTF-8")
	}
	return Policy{name, text}, nil
}

// Digest returns the digest of the policy's text.
func (p Policy) Digest() string { return digestOf(p.text) }

func digestOf(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d %s\n", len(t), t)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
