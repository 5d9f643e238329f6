package build

import (
	"fmt"
	"strconv"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Report says what a build has come to so far.
type Report struct {
	Banner  string            `json:"banner,omitzero"` // stands over all of it where a script answered
	Slots   int               `json:"slots"`
	Pairs   int               `json:"pairs"` // with all that they are to have
	Short   []string          `json:"slots_short"`
	Stages  map[Stage]*Counts `json:"stages"`
	Total   *Counts           `json:"total"`
	Asked   int               `json:"calls_sent"` // with those that were sent again
	Waiting int               `json:"calls_waiting"`
	Cost    string            `json:"cost"`    // dollars; "n/a" where no answer states it
	Nearest []int             `json:"nearest"` // base rows by their likeness to the nearest other one, in tenths
}

// Report counts. set is the data set of a build that has ended, nil before. Counts
// that do not add up are an error.
func (b *Build) Report(set *item.Set) (Report, error) {
	r := Report{Slots: len(b.m.slots), Short: []string{}, Stages: b.m.counts, Total: newCounts(), Asked: b.asked, Waiting: b.waiting(), Cost: "n/a", Nearest: make([]int, 10)}
	for _, stage := range Stages {
		if err := b.m.balance(stage); err != nil {
			return Report{}, err
		}
		r.Total.add(b.m.counts[stage])
	}
	if b.spent.Sign() > 0 {
		r.Cost = b.spent.FloatString(6)
	}
	if b.scripted {
		r.Banner = Banner
	}
	for _, s := range b.m.slots {
		if s.short {
			r.Short = append(r.Short, s.ID)
		}
		if s.signals != nil {
			r.Pairs++
		}
	}
	if set == nil {
		return r, nil
	}
	for _, row := range set.Instances {
		if row.Role != item.Base {
			continue
		}
		likeness, err := strconv.ParseFloat(row.Dedup.Similarity, 64)
		if err != nil {
			return Report{}, fmt.Errorf("the likeness of %s: %w", row.ID, err)
		}
		r.Nearest[min(9, int(10*likeness))]++
	}
	return r, nil
}
