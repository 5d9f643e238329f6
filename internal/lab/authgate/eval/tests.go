package eval

import (
	"math/big"

	"github.com/licet-dev/licet/internal/lab/stats"
)

// Discordant are the pairs that two judges treat differently: B are right under the
// first alone, C under the second alone.
type Discordant struct{ B, C int }

// Compare counts the pairs that two arms treat differently, in the first epoch: a
// later one is no new pair.
func (r *Results) Compare(a, b Arm, mode string) (d Discordant) {
	right := map[string]bool{}
	for _, t := range r.Trials(mode, a) {
		if t.Epoch == 1 {
			right[t.Pair.ID] = t.right()
		}
	}
	for _, t := range r.Trials(mode, b) {
		switch was := right[t.Pair.ID]; {
		case t.Epoch > 1 || was == t.right():
		case was:
			d.B++
		default:
			d.C++
		}
	}
	return d
}

// right says whether all members are, with no verdict as block.
func (t Trial) right() bool {
	for _, a := range t.answers() {
		if AsBlock.of(a.is, a.gold) != a.gold {
			return false
		}
	}
	return true
}

// P is the p value of McNemar's test.
func (d Discordant) P() *big.Rat { return stats.McNemar(d.B, d.C) }
