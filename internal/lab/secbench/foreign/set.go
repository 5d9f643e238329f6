package foreign

import (
	"cmp"
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/lab/stats"
)

// Set adds up runs. The zero Set has none.
type Set struct{ groups map[[2]string]*Group }

// Total is what a model or a condition is called where all of them are taken together.
const Total = "all"

// Group is what the runs of one model under one condition come to, or those of several.
type Group struct {
	Model, Condition string // Total = all of them
	Runs             int
	sums             map[string]stats.Ratio
	undefined        map[string]map[string]int
}

// Row is a measure of a group.
type Row struct {
	Measure
	stats.Ratio
	Undefined map[string]int // in how many runs it is not defined, by reason
}

// Why says, where nothing can be counted, why: the reason that most runs have. It is
// "" where there is a number.
func (r Row) Why() string {
	switch {
	case r.Of > 0:
		return ""
	case len(r.Undefined) == 0:
		return "there are no " + r.Among
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(r.Undefined)), func(a, b string) int { return r.Undefined[a] - r.Undefined[b] })
}

// Add adds a run to its group, to that of its model and to the total.
func (s *Set) Add(r Run) {
	if s.groups == nil {
		s.groups = map[[2]string]*Group{}
	}
	for _, key := range [][2]string{{r.Model, r.Condition}, {r.Model, Total}, {Total, Total}} {
		if s.groups[key] == nil {
			s.groups[key] = &Group{key[0], key[1], 0, map[string]stats.Ratio{}, map[string]map[string]int{}}
		}
		s.groups[key].add(r)
	}
}

func (g *Group) add(r Run) {
	g.Runs++
	for id, v := range r.Values {
		if v.Why == "" {
			sum := g.sums[id]
			g.sums[id] = stats.Ratio{N: sum.N + v.N, Of: sum.Of + v.Of}
			continue
		}
		if g.undefined[id] == nil {
			g.undefined[id] = map[string]int{}
		}
		g.undefined[id][v.Why]++
	}
}

// Groups returns the groups by model and condition, each model's total behind its
// conditions, and the total at the end. What would say the same again is left out: the
// total of a single condition, or of a single model.
func (s *Set) Groups() []*Group {
	all := slices.DeleteFunc(slices.Collect(maps.Values(s.groups)), func(g *Group) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(s.groups)), g.repeats)
	})
	last := func(name string) int { return map[bool]int{true: 1}[name == Total] }
	slices.SortFunc(all, func(a, b *Group) int {
		return cmp.Or(last(a.Model)-last(b.Model), cmp.Compare(a.Model, b.Model),
			last(a.Condition)-last(b.Condition), cmp.Compare(a.Condition, b.Condition))
	})
	return all
}

// repeats says whether a total has no other runs than a group.
func (g *Group) repeats(part *Group) bool {
	return g.Runs == part.Runs && g.Condition == Total &&
		(g.Model == part.Model && part.Condition != Total || g.Model == Total && part.Model != Total)
}

// Rows returns the measures of a group, with those of each reading.
func (g *Group) Rows(readings []string) []Row {
	var rows []Row
	add := func(m Measure, suffix, sense string) {
		id := m.ID + suffix
		rows = append(rows, Row{Measure{id, m.Title + sense, m.Among}, g.sums[id], g.undefined[id]})
	}
	for _, m := range speech {
		add(m, "", "")
	}
	for _, id := range readings {
		for _, m := range unsafe {
			add(m, "/"+id, ", "+senses[id])
		}
	}
	for _, m := range tools {
		add(m, "", "")
	}
	for _, m := range never {
		add(m.Measure, "", "")
	}
	return rows
}
