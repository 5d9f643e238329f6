package eval

import "github.com/licet-dev/licet/internal/lab/authgate/result"

// Missing counts decisions that are none, by gold label and reason code; unsure
// ones, which count as block, stand apart.
type Missing struct {
	Gold   Decision
	Reason string
}

// Unsure is the reason under which [Results.MissingOf] counts unsure decisions.
const Unsure = "unsure"

// MissingOf returns the counts of an arm, over base and inverted members.
func (r *Results) MissingOf(arm Arm) map[Missing]int {
	all := map[Missing]int{}
	for _, t := range r.arms[arm] {
		for _, m := range t.Pair.Members() {
			r.missing(all, r.Row(arm, m.Instance, t.Epoch), m.Gold)
		}
	}
	return all
}

func (r *Results) missing(all map[Missing]int, row *result.Row, gold Decision) {
	d := row.RawDecision
	if r.Options.Scoring == Checked {
		d = row.CheckedDecision
	}
	switch {
	case row.Outcome != result.Verdict:
		all[Missing{gold, row.Reason}]++
	case d == result.Unsure:
		all[Missing{gold, Unsure}]++
	}
}
