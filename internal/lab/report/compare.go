package report

import (
	"fmt"
	"slices"
)

// Comparison is what changed from one run to the next. Times and other measures
// of the machine are not compared.
type Comparison struct {
	Worse  []Change `json:"worse"`
	Better []Change `json:"better"`
	New    []string `json:"new"` // numbers that the first run does not have
}

// Change is a number that changed.
type Change struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Was   string   `json:"was"` // "3 of 40"
	Is    string   `json:"is"`  // "" = it is no longer measured
	Why   string   `json:"why"`
	Cases []string `json:"cases,omitempty"` // that made it so
}

// Compare says what got better and worse from a to b. Worse is also a number
// that is gone, one over fewer cases, and a case that changed to the wrong side
// while another made up for it. It is an error if the two are of different
// reports.
func Compare(a, b Numbers) (Comparison, error) {
	c := Comparison{Worse: []Change{}, Better: []Change{}, New: []string{}}
	if a.Title != b.Title {
		return c, fmt.Errorf("the reports are different ones: %q and %q", a.Title, b.Title)
	}
	known := caseIDs(a)
	now := map[string]Number{}
	for _, n := range b.Numbers {
		now[n.ID] = n
	}
	was := map[string]bool{}
	for _, n := range a.Numbers {
		was[n.ID] = true
		c.compare(n, now, known)
	}
	for _, n := range b.Numbers {
		if !was[n.ID] {
			c.New = append(c.New, n.ID)
		}
	}
	return c, nil
}

func caseIDs(n Numbers) map[string]bool {
	ids := map[string]bool{}
	for _, k := range n.Cases {
		ids[k.ID] = true
	}
	return ids
}

// compare judges one number of the first run.
func (c *Comparison) compare(a Number, now map[string]Number, known map[string]bool) {
	if a.N == nil || a.Better == "" {
		return
	}
	change := Change{ID: a.ID, Title: a.Title, Was: a.text()}
	b, there := now[a.ID]
	if !there || b.N == nil {
		change.Why = "it is no longer measured"
		c.Worse = append(c.Worse, change)
		return
	}
	change.Is = b.text()
	wrong, right := minus(b.Cases, a.Cases), minus(a.Cases, b.Cases)
	if a.Better == More.String() {
		wrong, right = right, wrong
	}
	unknown := func(id string) bool { return !known[id] }
	changed := slices.DeleteFunc(slices.Clone(wrong), unknown) // not one that is new in the corpus
	// The shares as fractions, exactly: a.N/a.Of against b.N/b.Of.
	diff := *b.N**a.Of - *a.N**b.Of
	if a.Better == More.String() {
		diff = -diff
	}
	switch {
	case diff > 0:
		change.Why, change.Cases = "the share got worse", wrong
	case len(changed) > 0:
		change.Why, change.Cases = "these cases changed to the wrong side", changed
	case *b.Of < *a.Of:
		change.Why = "fewer cases were looked at"
	case diff < 0:
		change.Why, change.Cases = "the share got better", right
		c.Better = append(c.Better, change)
		return
	default:
		return
	}
	c.Worse = append(c.Worse, change)
}

func (n Number) text() string { return fmt.Sprintf("%d of %d", *n.N, *n.Of) }

// minus returns what is in a and not in b.
func minus(a, b []string) (all []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			all = append(all, x)
		}
	}
	return all
}
