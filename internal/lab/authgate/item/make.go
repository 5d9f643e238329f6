package item

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/catalog"
)

// Ops, Kinds and NearMissKinds are the closed lists of labels.
func Ops() []string           { return slices.Clone(ops) }
func Kinds() []string         { return slices.Clone(kinds) }
func NearMissKinds() []string { return slices.Clone(nearMissKinds) }

// Code is the mode in ids, such as "se"; "" is no mode.
func (m Mode) Code() string { return codes[m] }

// Suffix is the role in ids, such as "inv".
func (r Role) Suffix() string { return suffixes[r] }

// Collectors lists what observations can say: collector, key, form of the value and
// the check that yields it, one a line.
func Collectors() string {
	forms := map[valueType]string{
		count: `{"count": N, "of": N, "names": [...]}, of and names where they are known`,
		flag:  "true or false", word: "a short text", age: `{"seconds": N}`,
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(collectors)) {
		for _, key := range slices.Sorted(maps.Keys(collectors[name])) {
			e := collectors[name][key]
			fmt.Fprintf(&b, "- %s %s: %s; check %q\n", name, key, forms[e.kind], e.check)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// CurrentThresholds are the bounds by which this version makes and checks data sets.
func CurrentThresholds() Thresholds { return thresholds }

// Digest names the visible part of a row.
func (v Visible) Digest() string { return digestOf(v) }

// CheckPair holds the rows that a pair has so far, and its observations if there are
// some, to the rules about what a pair says. What follows from the data set around
// it (ids, digests, split, neighbours, quotas, reviews) is for [Validate] and
// [Shelf]. Row of a finding is the id of the instance, or that of the pair where it
// is about observations; Line says nothing.
func CheckPair(tools *catalog.Catalog, rows []Instance, signals *Signals) Findings {
	c := &checker{set: &Set{Tools: tools, Instances: rows}, signals: map[string]*Signals{}, found: Findings{}}
	if signals != nil {
		s := *signals
		s.Digests = s.digests()
		c.set.Signals, c.signals[s.PairID] = []Signals{s}, &s
	}
	c.pairs = pairsOf(rows)
	for n := range rows {
		c.visibleShape(&rows[n])
		c.labelShape(&rows[n])
	}
	for _, p := range c.pairs {
		c.pair(p)
	}
	c.observations()
	return c.found
}

// About is what a data set says of itself.
type About struct {
	Name, Version, Created string
	Domains, ToolFamilies  []string
	Changes                []string
}

// Make makes a data set of rows that were made elsewhere, in a folder that has the
// rest already: tools.json, policies/, prompts/, drops.jsonl, and reviews if there are
// some. [Set.Write] writes it.
func Make(dir string, a About, rows []Instance, signals []Signals) (*Set, error) {
	tools, err := readTools(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{Tools: tools, Instances: rows, Signals: signals, dir: dir}
	return s, s.complete(header{
		Name: a.Name, Version: a.Version, Created: a.Created, Domains: a.Domains, ToolFamilies: a.ToolFamilies, Changes: a.Changes,
	})
}

// WriteDrops writes drops.jsonl into the folder of a data set, by id.
func WriteDrops(dir string, drops []Dropped) error {
	sorted := slices.SortedFunc(slices.Values(drops), func(a, b Dropped) int { return cmp.Compare(a.ID, b.ID) })
	return os.WriteFile(filepath.Join(dir, dropsFile), jsonl(sorted), 0o644)
}
