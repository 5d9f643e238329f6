package contract

import "github.com/licet-dev/licet/internal/constraint"

// CompareWith is Compare with another comparison of permitting constraints, so
// that a test can show what a wrong one would do.
func CompareWith(old, new *Contract, permits func(a, b *constraint.Set) bool) Comparison {
	c := newComparer(old, new)
	c.permits = permits
	return c.compare()
}
