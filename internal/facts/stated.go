package facts

import (
	"fmt"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/toolcall"
)

// maxRun bounds the tokens of a value that is looked for. A longer one is not
// stated: it is prose, and looking for it could take long.
const maxRun = 1024

// whole returns the hash of a text as a whole, in the folding of tokens.
func (h *hasher) whole(text string) Hash {
	return h.sum(textDomain, fold(norm.NFC.String(text)))
}

// witness knows what was stated in one session.
type witness struct {
	*hasher
	session Session
	turns   [][]token // of session.Turns
}

func newWitness(key []byte, s Session) (*witness, error) {
	h, err := newHasher(key)
	if err != nil {
		return nil, err
	}
	w := &witness{hasher: h, session: s, turns: make([][]token, len(s.Turns))}
	for i, turn := range s.Turns {
		w.turns[i] = slices.Collect(tokens(turn))
	}
	return w, nil
}

// stated reports whether one of the sources states the value: a text with at
// least one token, or a number. Nothing else is ever stated.
func (w *witness) stated(q constraint.StatedQuestion) bool {
	c, ok := w.claim(q.Value)
	return ok && slices.ContainsFunc(q.Sources, func(s constraint.Source) bool {
		switch {
		case s.Claim != "":
			own, claimed := w.session.Claims[s.Claim]
			held, ok := w.claim(own)
			return claimed && ok && held.whole == c.whole
		case s.Request:
			return slices.ContainsFunc(w.turns, c.inTurn)
		}
		return w.session.known() && w.inResults(c, s)
	})
}

// mentioned reports whether some user turn contains one of the phrases as a run
// of whole tokens.
func (w *witness) mentioned(q constraint.MentionQuestion) bool {
	return slices.ContainsFunc(q.Phrases, func(phrase string) bool {
		c, ok := w.claim(toolcall.StringOf(phrase))
		return ok && slices.ContainsFunc(w.turns, c.inTurn)
	})
}

// digests returns the keyed digest of each value, over its canonical form: 1
// and 1.0 have the same one.
func (w *witness) digests(q constraint.DigestQuestion) []string {
	all := make([]string, len(q.Values))
	for i, v := range q.Values {
		all[i] = fmt.Sprintf("%016x", uint64(w.sum(markDomain, v.Canonical())))
	}
	return all
}

func (w *witness) inResults(c claim, s constraint.Source) bool {
	at := w.path(s.At.Steps())
	return slices.ContainsFunc(w.session.Results, func(r Result) bool {
		return r.Server == s.Server && r.Tool == s.Tool && slices.ContainsFunc(r.Leaves, func(l Leaf) bool {
			if s.HasAt {
				return at != 0 && l.Path == at && l.Whole == c.whole
			}
			return c.inLeaf(l)
		})
	})
}

// claim is a value whose source is asked for: a number, or else the tokens of a text.
type claim struct {
	number string
	run    []string
	hashes []Hash // of number or run
	whole  Hash
}

func (w *witness) claim(v toolcall.Value) (claim, bool) {
	switch v.Kind() {
	case toolcall.Number:
		n := v.Number().String()
		h := w.sum(numberDomain, n)
		return claim{number: n, hashes: []Hash{h}, whole: h}, true
	case toolcall.String:
		c := claim{whole: w.whole(v.Text())}
		for t := range tokens(v.Text()) {
			c.run = append(c.run, t.text)
			c.hashes = append(c.hashes, w.sum(tokenDomain, t.text))
		}
		return c, 0 < len(c.run) && len(c.run) <= maxRun
	}
	return claim{}, false
}

func (c claim) inTurn(turn []token) bool {
	if c.number != "" {
		return slices.ContainsFunc(turn, func(t token) bool { return t.number == c.number })
	}
	return containsRun(turn, c.run, func(t token, s string) bool { return t.text == s })
}

func (c claim) inLeaf(l Leaf) bool {
	if c.number != "" {
		return slices.Contains(l.Numbers, c.hashes[0])
	}
	return containsRun(l.Tokens, c.hashes, func(a, b Hash) bool { return a == b })
}

// containsRun reports whether run, which is not empty, occurs in list.
func containsRun[A, B any](list []A, run []B, equal func(A, B) bool) bool {
	for i := range len(list) - len(run) + 1 {
		if slices.EqualFunc(list[i:i+len(run)], run, equal) {
			return true
		}
	}
	return false
}
