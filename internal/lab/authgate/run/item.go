package run

import "github.com/licet-dev/licet/internal/lab/authgate/item"

// Item is what a judge may see of an instance, and the id under which its answer
// is kept. No judge is given the id.
type Item struct {
	ID      string
	Visible Visible
}

// Visible is what is shown: the visible part of an instance and, in the form that
// has them, observations of the environment, without how they could be checked.
type Visible struct {
	item.Visible
	Observations []item.Observation
}

// Turns are the texts of the user.
func (v Visible) Turns() (all []string) {
	for _, t := range v.Request {
		all = append(all, t.Text)
	}
	return all
}

// Items returns the items of a data set. The observations stand at each item of
// their pair, to be left out in the form that has none.
func Items(d *item.Set) (all []Item) {
	observed := map[string][]item.Observation{}
	for _, s := range d.Signals {
		for _, o := range s.Observations {
			o.Check = ""
			observed[s.PairID] = append(observed[s.PairID], o)
		}
	}
	for _, i := range d.Instances {
		all = append(all, Item{i.ID, Visible{i.Visible, observed[i.PairID]}})
	}
	return all
}
