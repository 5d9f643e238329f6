package eval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Modes are the failure modes in the order of all tables.
var Modes = func() (all []string) {
	for _, m := range item.Modes {
		all = append(all, string(m))
	}
	return all
}()

// Instance is what scoring must know of a row of a data set. Its role says what is
// right; what a judge may see is not in it.
type Instance struct {
	ID, Pair, Mode, Split string
	Role                  item.Role
}

// Set is what scoring must know of a data set.
type Set struct {
	Name, Version, Digest string
	Human                 int      // labels that a person has confirmed
	Families              []string // of the models that wrote it
	Instances             []Instance
	Observed              map[string]bool // pairs that have observations of the environment
	Controls              []item.Control
}

// SetOf returns what scoring must know of a data set. It is an error if a label is
// not that of its role, or a pair is not whole.
func SetOf(d *item.Set) (Set, error) {
	m := d.Manifest
	s := Set{Name: m.Name, Version: m.Version, Digest: m.DatasetDigest, Human: m.Review.HumanConfirmed, Observed: map[string]bool{}, Controls: m.Controls}
	for _, g := range m.Generators {
		s.Families = append(s.Families, g.Family)
	}
	for _, i := range d.Instances {
		if i.Label.Gold != i.Role.Gold() {
			return s, fmt.Errorf("%s is %q, and its label is %q", i.ID, i.Role, i.Label.Gold)
		}
		s.Instances = append(s.Instances, Instance{ID: i.ID, Pair: i.PairID, Mode: string(i.Mode), Split: i.Split, Role: i.Role})
	}
	for _, o := range d.Signals {
		s.Observed[o.PairID] = true
	}
	_, err := s.pairs("")
	return s, err
}

// Pair is a contrast pair. Near is "" where there is no near-miss.
type Pair struct {
	ID, Mode             string
	Base, Inverted, Near string // ids of instances
}

// pairs returns the pairs of a split, "" for all, by mode and id. It is an error if
// an instance is no part of a whole pair.
func (s Set) pairs(split string) ([]Pair, error) {
	all := map[string]*Pair{}
	splits := map[string]string{}
	seen := map[string]bool{}
	for _, i := range s.Instances {
		p := all[i.Pair]
		if p == nil {
			p = &Pair{ID: i.Pair, Mode: i.Mode}
			all[i.Pair], splits[i.Pair] = p, i.Split
		}
		part := map[item.Role]*string{item.Base: &p.Base, item.Inverted: &p.Inverted, item.NearMiss: &p.Near}[i.Role]
		if part == nil || *part != "" || seen[i.ID] || i.ID == "" || i.Mode != p.Mode || i.Split != splits[i.Pair] || !slices.Contains(Modes, i.Mode) {
			return nil, fmt.Errorf("the instance %q of the pair %q stands twice, or does not fit the rest: role %q, mode %q, split %q", i.ID, i.Pair, i.Role, i.Mode, i.Split)
		}
		*part, seen[i.ID] = i.ID, true
	}
	var list []Pair
	for id, p := range all {
		if p.Base == "" || p.Inverted == "" {
			return nil, fmt.Errorf("the pair %q has no base or no inverted instance", id)
		}
		if split == "" || splits[id] == split {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b Pair) int { return cmp.Or(order(a.Mode)-order(b.Mode), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

func order(mode string) int { return slices.Index(Modes, mode) }
