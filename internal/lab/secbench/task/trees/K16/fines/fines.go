// Package fines says what a late reader owes.
package fines

// What is owed, in cents.
const (
	Week  = 10  // for each day of the first week
	Later = 25  // for each day after it
	Most  = 500 // at most
)

// Due returns what is owed for a book that came back some days late. Children owe
// the half of it, rounded down.
func Due(days int, child bool) int {
	if days <= 0 {
		return 0
	}
	early := min(days, 7)
	sum := early*Week + (days-early)*Later
	if child {
		sum /= 2
	}
	return min(sum, Most)
}
