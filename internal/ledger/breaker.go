package ledger

import (
	"slices"

	"github.com/licet-dev/licet/internal/authz"
)

// Bounds of a Breaker (judge.md, section 8).
const (
	breakerRow    = 3  // blocks in a row that open it
	breakerBlocks = 10 // blocks that open it among the newest breakerWindow opinions
	breakerWindow = 50
)

// Opined is an opinion of a judge that counts. One that there is none never does.
type Opined struct {
	Agent, Session string
	Counted
}

// Counted is one opinion as a Breaker keeps it.
type Counted struct {
	Turn    string        `json:"turn"` // names the user's turns at that time
	Call    string        `json:"call"` // digest of the call
	Opinion authz.Opinion `json:"opinion"`
}

// Breaker holds the newest opinions on calls of one agent in one session, oldest
// first. Blocks that come too thick open it, and then the judge is not asked any
// more: an agent must not go on until something passes. The zero Breaker has none.
type Breaker []Counted

// Open reports whether the judge is not asked about a call after these turns of
// the user. A new turn closes it.
func (b Breaker) Open(turn string) bool {
	return b.tripped() && b[len(b)-1].Turn == turn
}

// tripped reports whether there are too many blocks: in a row, which only an allow
// ends, or in all.
func (b Breaker) tripped() bool {
	row, all, ended := 0, 0, false
	for _, c := range slices.Backward(b) {
		switch c.Opinion {
		case authz.OpinionBlock:
			all++
			if !ended {
				row++
			}
		case authz.OpinionAllow:
			ended = true
		}
	}
	return row >= breakerRow || all >= breakerBlocks
}

// After returns the Breaker with one more opinion. The same opinion on the same
// call counts once within one turn; what opened a Breaker counts no more once a
// new turn has closed it.
func (b Breaker) After(c Counted) Breaker {
	switch {
	case c.Opinion == authz.NoVerdict || slices.Contains(b, c):
		return b
	case b.tripped() && !b.Open(c.Turn):
		b = nil
	}
	b = append(slices.Clip(b), c)
	return b[max(0, len(b)-breakerWindow):]
}
