package build

import (
	"fmt"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Counts say how the drafts of a stage fared.
type Counts struct {
	Drafts   int            `json:"drafts"`
	Calls    int            `json:"calls"`              // that were answered
	Repairs  []int          `json:"repairs"`            // of these, by round, from the first
	Refused  int            `json:"refused"`            // answers without a text, which count as invalid
	Accepted []int          `json:"accepted"`           // drafts by their rounds of repair, from none
	Rejected map[string]int `json:"rejected"`           // drafts by the code that decided
	Dropped  int            `json:"dropped_afterwards"` // of the accepted ones, with their pair
}

func newCounts() *Counts {
	return &Counts{Repairs: make([]int, item.MostRepairs), Accepted: make([]int, item.MostRepairs+1), Rejected: map[string]int{}}
}

// answered counts a call.
func (c *Counts) answered(round int, a Answer) {
	c.Calls++
	if round > 0 {
		c.Repairs[round-1]++
	}
	if a.empty() {
		c.Refused++
	}
}

// add adds up the counts of stages.
func (c *Counts) add(d *Counts) {
	c.Drafts, c.Calls, c.Refused, c.Dropped = c.Drafts+d.Drafts, c.Calls+d.Calls, c.Refused+d.Refused, c.Dropped+d.Dropped
	for n := range d.Repairs {
		c.Repairs[n] += d.Repairs[n]
	}
	for n := range d.Accepted {
		c.Accepted[n] += d.Accepted[n]
	}
	for code, n := range d.Rejected {
		c.Rejected[code] += n
	}
}

// Sum adds up numbers of a count.
func Sum(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// balance is an error if the counts of a stage do not add up: each draft is accepted,
// rejected or open, and each call is the first of a draft or a repair.
func (m *machine) balance(stage Stage) error {
	c := m.counts[stage]
	open, unasked, rejected := 0, 0, 0
	for _, d := range m.queue {
		if d.stage != stage {
			continue
		}
		open++
		if d.call != nil && d.call.Round == 0 {
			unasked++
		}
	}
	for _, n := range c.Rejected {
		rejected += n
	}
	if c.Drafts != Sum(c.Accepted)+rejected+open {
		return fmt.Errorf("stage %s: %d drafts are not %d accepted, %d rejected and %d open", stage, c.Drafts, Sum(c.Accepted), rejected, open)
	}
	if c.Calls != c.Drafts-unasked+Sum(c.Repairs) {
		return fmt.Errorf("stage %s: %d calls are not those of %d drafts and %d repairs", stage, c.Calls, c.Drafts-unasked, Sum(c.Repairs))
	}
	return nil
}
