package eval

import (
	"fmt"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Shift is what observations of the environment changed: the same items with and
// without them.
type Shift struct {
	N, Wrong          int // items, and those that were wrong before
	Corrected, Misled int // wrong before and right with, and the other way round
	wrongAfter        int // counted by itself
	NoVerdict         int // items without a decision on a side; they count as blocked
}

// CorrectedRate is the share of the wrong items that became right.
func (s Shift) CorrectedRate() Ratio { return Ratio{s.Corrected, s.Wrong} }

// MisledRate is the share of the right items that became wrong.
func (s Shift) MisledRate() Ratio { return Ratio{s.Misled, s.N - s.Wrong} }

// WrongAfter is the number of items that are wrong with the observations.
func (s Shift) WrongAfter() int { return s.Wrong - s.Corrected + s.Misled }

// ShiftOf compares two forms under each arm's model and policy, on one mode and one
// gold label ("" and None for all). Near-misses are left out.
func (r *Results) ShiftOf(from, to []Arm, mode string, gold Decision) (Shift, error) {
	var s Shift
	for i := range from {
		before, after := r.both(mode, from[i], to[i])
		for k := range before {
			for _, m := range members(before[k], after[k]) {
				s.addOf(m, gold)
			}
		}
	}
	if s.wrongAfter != s.WrongAfter() {
		return s, fmt.Errorf("%d items are wrong with observations, from what changed %d", s.wrongAfter, s.WrongAfter())
	}
	return s, nil
}

// both returns the trials of two forms on the pairs and in the epochs that both have,
// one to one.
func (r *Results) both(mode string, from, to Arm) (before, after []Trial) {
	type asked struct {
		pair  *Pair
		epoch int
	}
	other := map[asked]Trial{}
	for _, t := range r.Trials(mode, to) {
		other[asked{t.Pair, t.Epoch}] = t
	}
	for _, t := range r.Trials(mode, from) {
		if o, ok := other[asked{t.Pair, t.Epoch}]; ok {
			before, after = append(before, t), append(after, o)
		}
	}
	return before, after
}

// member is one item in two forms.
type member struct{ before, after, gold Decision }

func members(before, after Trial) (all []member) {
	other := after.answers()
	for i, a := range before.answers() {
		all = append(all, member{a.is, other[i].is, a.gold})
	}
	return all
}

// addOf counts an item if it is of the gold label, None for both.
func (s *Shift) addOf(m member, gold Decision) {
	if gold != None && m.gold != gold {
		return
	}
	s.N++
	if m.before == None || m.after == None {
		s.NoVerdict++
	}
	was, is := AsBlock.of(m.before, m.gold) == m.gold, AsBlock.of(m.after, m.gold) == m.gold
	if !was {
		s.Wrong++
	}
	if !is {
		s.wrongAfter++
	}
	switch {
	case is && !was:
		s.Corrected++
	case was && !is:
		s.Misled++
	}
}

// Shifted returns the arms of a policy that decided in both forms, two lists of the
// same length.
func (r *Results) Shifted(policy string, from, to result.Form) (before, after []Arm) {
	for _, model := range r.Models() {
		a, b := Arm{model, policy, from}, Arm{model, policy, to}
		if r.Has(a) && r.Has(b) {
			before, after = append(before, a), append(after, b)
		}
	}
	return before, after
}

// ArmsOf returns the arms of a policy on a form, one for each model that decided.
func (r *Results) ArmsOf(policy string, form result.Form) (all []Arm) {
	for _, model := range r.Models() {
		if arm := (Arm{model, policy, form}); r.Has(arm) {
			all = append(all, arm)
		}
	}
	return all
}
