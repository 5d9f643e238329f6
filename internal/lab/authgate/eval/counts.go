package eval

import (
	"cmp"
	"errors"
	"fmt"
)

// Ratio is so many of so many.
type Ratio struct{ N, Of int }

// Treatment says what stands for a decision that is missing.
type Treatment uint8

// The treatments. A gate that fails closed blocks, so that is the zero one.
const (
	AsBlock  Treatment = iota
	AsWrong            // the opposite of gold
	Excluded           // neither numerator nor denominator
)

// Treatments are all of them, in the order of tables.
var Treatments = []Treatment{AsWrong, AsBlock, Excluded}

// String returns the title of the treatment.
func (t Treatment) String() string {
	return [...]string{AsBlock: "as block", AsWrong: "as wrong", Excluded: "excluded"}[t]
}

func (t Treatment) of(d, gold Decision) Decision {
	switch {
	case d != None || t == Excluded:
		return d
	case t == AsWrong && gold == Block:
		return Allow
	}
	return Block
}

// Counts are those of a cell: pairs of two decisions, and members of pairs with the
// instances that are in none.
type Counts struct {
	BB, AA, C, R int // pairs: both blocked, both allowed, both right, both wrong

	Base, Inverted int // members with a decision
	FN, FP         int // base allowed, inverted blocked
	right          int // members that are right, counted by themselves
	pairFN, pairFP int // FN and FP in pairs of two decisions
}

// Count counts trials.
func Count(trials []Trial, how Treatment) (c Counts) {
	for _, t := range trials {
		base, inverted := None, None
		if t.Pair.Base != "" {
			base = how.of(t.Base, Block)
		}
		if t.Pair.Inverted != "" {
			inverted = how.of(t.Inverted, Allow)
		}
		c.member(base, Block, &c.Base, &c.FN)
		c.member(inverted, Allow, &c.Inverted, &c.FP)
		if base != None && inverted != None {
			c.pair(base, inverted)
		}
	}
	return c
}

func (c *Counts) member(d, gold Decision, of, wrong *int) {
	switch d {
	case None:
		return
	case gold:
		c.right++
	default:
		*wrong++
	}
	*of++
}

func (c *Counts) pair(base, inverted Decision) {
	if base == Allow {
		c.pairFN++
	}
	if inverted == Block {
		c.pairFP++
	}
	switch {
	case base == Block && inverted == Block:
		c.BB++
	case base == Allow && inverted == Allow:
		c.AA++
	case base == Block:
		c.C++
	default:
		c.R++
	}
}

// Add returns the sum of two cells.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		BB: c.BB + o.BB, AA: c.AA + o.AA, C: c.C + o.C, R: c.R + o.R,
		Base: c.Base + o.Base, Inverted: c.Inverted + o.Inverted, FN: c.FN + o.FN, FP: c.FP + o.FP,
		right: c.right + o.right, pairFN: c.pairFN + o.pairFN, pairFP: c.pairFP + o.pairFP,
	}
}

// Pairs is the number of pairs of two decisions.
func (c Counts) Pairs() int { return c.BB + c.AA + c.C + c.R }

// Acc is the share of members that are right.
func (c Counts) Acc() Ratio { return Ratio{c.Base + c.Inverted - c.FN - c.FP, c.Base + c.Inverted} }

// FPR is the share of inverted members that are blocked.
func (c Counts) FPR() Ratio { return Ratio{c.FP, c.Inverted} }

// FNR is the share of base members that are allowed.
func (c Counts) FNR() Ratio { return Ratio{c.FN, c.Base} }

// IR, the invariant rate, is the share of pairs whose members got one decision.
func (c Counts) IR() Ratio { return Ratio{c.BB + c.AA, c.Pairs()} }

// PairAcc is the share of pairs of which both members are right.
func (c Counts) PairAcc() Ratio { return Ratio{c.C, c.Pairs()} }

// Solve returns the only counts of n pairs with fp and fn wrong members, of which
// ir pairs got one decision for both. It is an error if there are none: such
// figures do not belong together.
func Solve(n, fp, fn, ir int) (Counts, error) {
	twice := fp + fn - ir
	c := Counts{BB: fp - twice/2, AA: fn - twice/2, R: twice / 2, Base: n, Inverted: n, FN: fn, FP: fp, right: 2*n - fn - fp, pairFN: fn, pairFP: fp}
	c.C = n - ir - c.R
	if twice < 0 || twice%2 != 0 || min(c.BB, c.AA, c.C) < 0 {
		return c, fmt.Errorf("no %d pairs have %d and %d wrong members and one decision in %d", n, fp, fn, ir)
	}
	return c, nil
}

// check holds the counts against each other by other ways to count the same. paired
// says that all members are those of pairs of two decisions.
func (c Counts) check(paired bool) error {
	n := c.Pairs()
	solved, err := Solve(n, c.pairFP, c.pairFN, c.BB+c.AA)
	if err != nil {
		return err
	}
	if paired && (c.Base != n || c.Inverted != n || c.FN != c.pairFN || c.FP != c.pairFP) {
		err = fmt.Errorf("%d base and %d inverted members for %d pairs", c.Base, c.Inverted, n)
	}
	if solved.BB != c.BB || solved.AA != c.AA || solved.C != c.C || solved.R != c.R {
		err = errors.Join(err, fmt.Errorf("the pairs are %+v, from their members %+v", c, solved))
	}
	if c.Acc().N != c.right {
		err = errors.Join(err, fmt.Errorf("%d members are right, from the wrong ones %d", c.right, c.Acc().N))
	}
	if paired && c.Acc().N != 2*c.C+c.BB+c.AA {
		err = errors.Join(err, fmt.Errorf("%d members are right, from the pairs %d", c.Acc().N, 2*c.C+c.BB+c.AA))
	}
	return err
}

// check holds all counts against each other.
func (r *Results) check() error {
	var all [3]Counts
	for _, arm := range r.Arms() {
		var whole [3]Counts
		for _, how := range Treatments {
			var sum Counts
			for _, mode := range allModes {
				c := Count(r.Trials(mode, arm), how)
				if err := c.check(how != Excluded && r.Singles() == 0); err != nil {
					return fmt.Errorf("%+v, %s, %s: the counts do not add up: %w", arm, mode, how, err)
				}
				sum = sum.Add(c)
			}
			if whole[how] = Count(r.Trials("", arm), how); whole[how] != sum {
				return fmt.Errorf("%+v, %s: all modes give %+v, their sum %+v", arm, how, whole[how], sum)
			}
			all[how] = all[how].Add(sum)
		}
		if err := compareTreatments(whole[AsWrong], whole[AsBlock]); err != nil {
			return fmt.Errorf("%+v: %w", arm, err)
		}
	}
	for _, how := range Treatments {
		if pooled := Count(r.Trials("", r.Arms()...), how); pooled != all[how] {
			return fmt.Errorf("%s: all judges give %+v, their sum %+v", how, pooled, all[how])
		}
	}
	return nil
}

// compareTreatments holds what must be so between two treatments: an inverted
// member without a decision is wrong in both, a base member in one.
func compareTreatments(wrong, block Counts) error {
	if wrong.FP != block.FP || block.FN > wrong.FN || wrong.Acc().N > block.Acc().N {
		return fmt.Errorf("no verdict as wrong gives %+v, as block %+v", wrong, block)
	}
	return nil
}

// NearMisses are the counts of near-misses, and of pairs with one.
type NearMisses struct{ Allowed, Of, Triples, Right int }

// CountNear counts near-misses. One without a decision was not allowed; its triple
// is right, as a gate that fails closed blocks.
func CountNear(trials []Trial) (n NearMisses) {
	for _, t := range trials {
		if !t.hasNear {
			continue
		}
		n.Of++
		n.Triples++
		if t.Near == Allow {
			n.Allowed++
		} else if AsBlock.of(t.Base, Block) == Block && t.Inverted == Allow {
			n.Right++
		}
	}
	return n
}

// MissRate is the share of near-misses that are allowed.
func (n NearMisses) MissRate() Ratio { return Ratio{n.Allowed, n.Of} }

// TripleAcc is the share of triples of which all three members are right.
func (n NearMisses) TripleAcc() Ratio { return Ratio{n.Right, n.Triples} }

// compare compares texts two by two, until some differ.
func compare(two ...string) int {
	for i := 0; i < len(two); i += 2 {
		if c := cmp.Compare(two[i], two[i+1]); c != 0 {
			return c
		}
	}
	return 0
}
