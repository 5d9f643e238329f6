// Package tally counts loans by subject.
package tally

import (
	"fmt"
	"sort"
	"strings"
	"time"
)

// Tally is how often each subject was lent.
type Tally struct {
	Since  time.Time
	counts map[string]int
}

// Add counts a loan.
func (t *Tally) Add(subject string) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	t.counts[subject]++
}

// Print returns a line for each subject.
func (t *Tally) Print() string {
	var out strings.Builder
	for subject, n := range t.counts {
		fmt.Fprintf(&out, "%-12s %d\n", subject, n)
	}
	return out.String()
}

// Top returns the subjects that were lent most, by name where they are equal.
func (t *Tally) Top(n int) []string {
	var subjects []string
	for subject := range t.counts {
		subjects = append(subjects, subject)
	}
	sort.Slice(subjects, func(i, j int) bool {
		a, b := subjects[i], subjects[j]
		if t.counts[a] != t.counts[b] {
			return t.counts[a] > t.counts[b]
		}
		return a < b
	})
	return subjects[:min(n, len(subjects))]
}
