package run

import (
	"slices"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/vary"
)

// In returns what is shown of an item in a form, and whether the item has that form:
// one without the collector that a form leaves out, or that a transform does not
// change, would be asked the same again.
func (i *Item) In(form result.Form) (Visible, bool) {
	v := i.Visible
	if collector, leavesOut := form.Collector(); leavesOut {
		of := func(o item.Observation) bool { return o.Collector == collector }
		rest := slices.DeleteFunc(slices.Clone(v.Observations), of)
		return Visible{v.Visible, rest}, len(rest) < len(v.Observations)
	}
	if transform, varied := form.Transform(); varied {
		other, ok := vary.Of(v.Visible, vary.Transform(transform))
		return Visible{Visible: other}, ok
	}
	if form == result.Plain {
		v.Observations = nil
	}
	return v, true
}

// Collectors are those whose observations items have, in order.
func Collectors(items []Item) (all []string) {
	for _, i := range items {
		for _, o := range i.Visible.Observations {
			all = append(all, o.Collector)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
