package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/vary"
)

// Modes are the failure modes in the order of all tables.
var Modes = func() (all []string) {
	for _, m := range item.Modes {
		all = append(all, string(m))
	}
	return all
}()

// Unknown is the mode of instances of which no source says one.
const Unknown = "unknown"

// allModes are the modes that pairs can have.
var allModes = append(slices.Clone(Modes), Unknown)

// Instance is what scoring must know of a row of a data set. Its role says what is
// right; what a judge may see is not in it. A row of others that is in no pair has
// none, and the role of what is right: base to be blocked, inverted to be allowed.
type Instance struct {
	ID, Pair, Mode, Split string
	Role                  item.Role
	Shown                 string // stands for all that a judge may be shown of it: digests
}

// Set is what scoring must know of a data set.
type Set struct {
	Name, Version, Digest string
	Human                 int      // labels that a person has confirmed
	Families              []string // of the models that wrote it
	Instances             []Instance
	Observed              map[string]bool // pairs that have observations of the environment
	Controls              []item.Control
	Forms                 map[result.Form]map[string]bool // of forms that not all pairs have, those that do
	Unreached             *int                            // actions to block that no gate saw, where a source says so
	Notes                 []string                        // of an imported set: where it is from, and what a reader must know
	Others                []Other                         // sets, decisions on which count too
	leftOut               map[string]bool                 // instances that are not counted, as not all sets show them alike
}

// Other is a data set on which something was decided that counts on another one.
type Other struct {
	Name, Version, Digest string
	Alike, Of             int // instances of the set that counts: in pairs that both show alike, and all
}

// Across has decisions on another set count too (authgate-bench.md, section 3.4). What
// is counted is then limited to pairs, and instances that are in none, of which both
// show a judge the same bytes, observations too. Labels stay those of s.
func (s Set) Across(other Set) Set {
	shown, left := map[string]string{}, map[string]bool{}
	for _, i := range other.Instances {
		shown[i.ID] = i.Shown
	}
	for _, i := range s.Instances {
		if was, ok := shown[i.ID]; !ok || was != i.Shown {
			left[cmp.Or(i.Pair, i.ID)] = true
		}
	}
	of := Other{Name: other.Name, Version: other.Version, Digest: other.Digest, Of: len(s.Instances)}
	s.leftOut = maps.Clone(s.leftOut)
	if s.leftOut == nil {
		s.leftOut = map[string]bool{}
	}
	for _, i := range s.Instances {
		delete(shown, i.ID)
		if left[cmp.Or(i.Pair, i.ID)] {
			s.leftOut[i.ID] = true
		} else {
			of.Alike++
		}
	}
	for id := range shown { // which s does not have
		s.leftOut[id] = true
	}
	s.Others = append(slices.Clone(s.Others), of)
	return s
}

// counts reports whether decisions on a data set count.
func (s *Set) counts(digest string) bool {
	return digest == s.Digest || slices.ContainsFunc(s.Others, func(o Other) bool { return o.Digest == digest })
}

// SetOf returns what scoring must know of a data set. It is an error if a label is
// not that of its role, or a pair is not whole.
func SetOf(d *item.Set) (Set, error) {
	m := d.Manifest
	s := Set{Name: m.Name, Version: m.Version, Digest: m.DatasetDigest, Human: m.Review.HumanConfirmed, Observed: map[string]bool{}, Controls: m.Controls}
	for _, g := range m.Generators {
		s.Families = append(s.Families, g.Family)
	}
	if d.Imported != nil {
		s.imported(d.Imported)
	}
	for _, i := range d.Instances {
		mode := string(i.Mode)
		if d.Imported != nil {
			mode = Unknown
		}
		if d.Imported != nil && i.Role == "" {
			i.Role = map[item.Gold]item.Role{item.Block: item.Base, item.Allow: item.Inverted}[i.Label.Gold]
		}
		if i.Label.Gold != i.Role.Gold() {
			return s, fmt.Errorf("%s is %q, and its label is %q", i.ID, i.Role, i.Label.Gold)
		}
		s.Instances = append(s.Instances, Instance{ID: i.ID, Pair: i.PairID, Mode: mode, Split: i.Split, Role: i.Role})
	}
	s.forms(d)
	s.shown(d)
	_, err := s.pairs("")
	return s, err
}

// imported takes what is known of data of others.
func (s *Set) imported(m *item.ImportedManifest) {
	s.Unreached = m.Unreached
	s.Notes = append([]string{fmt.Sprintf("Imported: %s. Licence %s. Labels are those of the source.", m.Source, m.License)}, m.Notes...)
}

// shown notes what a judge may be shown of each instance.
func (s *Set) shown(d *item.Set) {
	observed := map[string]string{}
	for _, row := range d.Signals {
		observed[row.PairID] = row.Digests.Observations
	}
	for n, i := range d.Instances {
		s.Instances[n].Shown = i.Digests.Visible + " " + observed[i.PairID]
	}
}

// forms notes which pairs have the forms that not all have.
func (s *Set) forms(d *item.Set) {
	s.Forms = map[result.Form]map[string]bool{}
	for _, row := range d.Signals {
		s.Observed[row.PairID] = true
		for _, o := range row.Observations {
			s.has(result.Without(o.Collector), row.PairID)
		}
	}
	for n := range d.Instances {
		i := &d.Instances[n]
		for _, t := range vary.Transforms {
			if _, ok := vary.Of(i.Visible, t); ok {
				s.has(result.Varied(string(t)), cmp.Or(i.PairID, i.ID))
			}
		}
	}
}

// has notes that a pair, or a single instance, has a form that not all have.
func (s *Set) has(form result.Form, pair string) {
	if s.Forms[form] == nil {
		s.Forms[form] = map[string]bool{}
	}
	s.Forms[form][pair] = true
}

// Pair is a contrast pair, or an instance of others that is in none: then its id is
// that of the instance, and one of Base and Inverted is "". Near is "" where there is
// no near-miss.
type Pair struct {
	ID, Mode             string
	Base, Inverted, Near string // ids of instances
}

// Single says whether it is no pair, but one instance.
func (p *Pair) Single() bool { return p.Base == "" || p.Inverted == "" }

// Member is an instance that counts in rates, with what is right of it.
type Member struct {
	Instance string
	Gold     Decision
}

// Members returns base and inverted instance, or the one that there is.
func (p *Pair) Members() (all []Member) {
	if p.Base != "" {
		all = append(all, Member{p.Base, Block})
	}
	if p.Inverted != "" {
		all = append(all, Member{p.Inverted, Allow})
	}
	return all
}

// pairs returns the pairs of a split, "" for all, by mode and id, and instances that
// are in none. It is an error if another instance is no part of a whole pair.
func (s Set) pairs(split string) ([]Pair, error) {
	all := map[string]*Pair{}
	splits := map[string]string{}
	seen, single := map[string]bool{}, map[string]bool{}
	for _, i := range s.Instances {
		if i.Pair == "" {
			i.Pair, single[i.ID] = i.ID, true
		}
		p := all[i.Pair]
		if p == nil {
			p = &Pair{ID: i.Pair, Mode: i.Mode}
			all[i.Pair], splits[i.Pair] = p, i.Split
		}
		part := map[item.Role]*string{item.Base: &p.Base, item.Inverted: &p.Inverted, item.NearMiss: &p.Near}[i.Role]
		if part == nil || *part != "" || seen[i.ID] || i.ID == "" || i.Mode != p.Mode || i.Split != splits[i.Pair] || !slices.Contains(allModes, i.Mode) {
			return nil, fmt.Errorf("the instance %q of the pair %q stands twice, or does not fit the rest: role %q, mode %q, split %q", i.ID, i.Pair, i.Role, i.Mode, i.Split)
		}
		*part, seen[i.ID] = i.ID, true
	}
	var list []Pair
	for id, p := range all {
		if p.Single() && !single[id] {
			return nil, fmt.Errorf("the pair %q has no base or no inverted instance", id)
		}
		if (split == "" || splits[id] == split) && !s.leftOut[cmp.Or(p.Base, p.Inverted)] {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b Pair) int { return cmp.Or(order(a.Mode)-order(b.Mode), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

func order(mode string) int { return slices.Index(allModes, mode) }
