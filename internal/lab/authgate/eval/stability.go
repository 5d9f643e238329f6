package eval

import "math/big"

// Stability says how far repeated decisions on the same items agree.
type Stability struct {
	Epochs, Items, Flipped int // Flipped: items with different decisions
	AllRight, AnyRight     int
	Differing, EpochPairs  int // pairs of epochs of one item, and those that differ
	byDecision             [3]int
}

// StabilityOf looks at base and inverted members of a mode ("" for all) and of a
// gold label (None for both). No verdict is a decision of its own.
func (r *Results) StabilityOf(arm Arm, mode string, gold Decision) Stability {
	s := Stability{Epochs: r.Epochs(arm)}
	trials := r.Trials(mode, arm)
	for i := 0; i+s.Epochs <= len(trials); i += s.Epochs {
		for k, m := range trials[i].Pair.Members() {
			if gold != None && gold != m.Gold {
				continue
			}
			var decisions []Decision
			for _, t := range trials[i : i+s.Epochs] {
				decisions = append(decisions, t.answers()[k].is)
			}
			s.add(decisions, m.Gold)
		}
	}
	return s
}

// add counts the decisions on one item.
func (s *Stability) add(decisions []Decision, gold Decision) {
	s.Items++
	right, differing := 0, 0
	for i, d := range decisions {
		s.byDecision[d]++
		if d == gold {
			right++
		}
		for _, e := range decisions[i+1:] {
			s.EpochPairs++
			if d != e {
				differing++
			}
		}
	}
	s.Differing += differing
	if differing > 0 {
		s.Flipped++
	}
	if right == len(decisions) {
		s.AllRight++
	}
	if right > 0 {
		s.AnyRight++
	}
}

// FlipRate is the share of items with different decisions.
func (s Stability) FlipRate() Ratio { return Ratio{s.Flipped, s.Items} }

// Disagreement is the share of differing pairs of epochs. As every item has the
// same number of them, it is also the mean of the items' shares.
func (s Stability) Disagreement() Ratio { return Ratio{s.Differing, s.EpochPairs} }

// Kappa is Fleiss' kappa over allow, block and no verdict, nil where it is
// undefined: of one epoch, or where only one decision occurs.
func (s Stability) Kappa() *big.Rat {
	all := int64(s.Items * s.Epochs)
	if s.EpochPairs == 0 || all == 0 {
		return nil
	}
	chance := new(big.Rat)
	for _, n := range s.byDecision {
		share := big.NewRat(int64(n), all)
		chance.Add(chance, share.Mul(share, share))
	}
	one := big.NewRat(1, 1)
	room := new(big.Rat).Sub(one, chance)
	if room.Sign() == 0 {
		return nil
	}
	agreed := new(big.Rat).Sub(one, big.NewRat(int64(s.Differing), int64(s.EpochPairs)))
	return agreed.Sub(agreed, chance).Quo(agreed, room)
}
