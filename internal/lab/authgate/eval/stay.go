package eval

// Stay counts decisions that must be the same in two forms, as nothing that matters
// differs between them.
type Stay struct {
	Same, Of  int
	NoVerdict int // of these without a decision on a side; they count as blocked
}

// Rate is the share of decisions that stayed.
func (s Stay) Rate() Ratio { return Ratio{s.Same, s.Of} }

// StayOf compares two forms of an arm on one mode and one gold label ("" and None for
// all), on base, inverted and near-miss.
func (r *Results) StayOf(from, to Arm, mode string, gold Decision) (s Stay) {
	before, after := r.both(mode, from, to)
	for i, t := range before {
		all := members(t, after[i])
		if t.hasNear && after[i].hasNear {
			all = append(all, member{t.Near, after[i].Near, Block})
		}
		for _, m := range all {
			if gold != None && m.gold != gold {
				continue
			}
			s.Of++
			if m.before == None || m.after == None {
				s.NoVerdict++
			}
			if AsBlock.of(m.before, m.gold) == AsBlock.of(m.after, m.gold) {
				s.Same++
			}
		}
	}
	return s
}
