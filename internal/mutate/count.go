package mutate

import (
	"cmp"
	"slices"
)

// Count is how many mutants ended how.
type Count struct {
	Of         string `json:"of,omitempty"` // what is counted: an operator or a kind
	Mutants    int    `json:"mutants"`
	Killed     int    `json:"killed"`
	Equivalent int    `json:"equivalent"`
	Survived   int    `json:"survived"`
}

// Percent returns how many of the mutants that are not equivalent were killed,
// rounded down; 100 if there are none.
func (c Count) Percent() int {
	if c.Mutants == c.Equivalent {
		return 100
	}
	return 100 * c.Killed / (c.Mutants - c.Equivalent)
}

func (c *Count) add(s State) {
	c.Mutants++
	switch s {
	case Killed:
		c.Killed++
	case Equivalent:
		c.Equivalent++
	default:
		c.Survived++
	}
}

// Total counts all outcomes.
func Total(outcomes []Outcome) (c Count) {
	for _, o := range outcomes {
		c.add(o.State)
	}
	return c
}

// ByOperator counts outcomes by how the contract is changed, sorted.
func ByOperator(outcomes []Outcome) []Count {
	return counted(outcomes, func(o Outcome) string { return string(o.Operator) })
}

// ByKind counts outcomes by what is changed, sorted.
func ByKind(outcomes []Outcome) []Count {
	return counted(outcomes, func(o Outcome) string { return o.Kind })
}

func counted(outcomes []Outcome, of func(Outcome) string) []Count {
	counts := map[string]*Count{}
	for _, o := range outcomes {
		c := counts[of(o)]
		if c == nil {
			c = &Count{Of: of(o)}
			counts[c.Of] = c
		}
		c.add(o.State)
	}
	var all []Count
	for _, c := range counts {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Compare(a.Of, b.Of) })
	return all
}
