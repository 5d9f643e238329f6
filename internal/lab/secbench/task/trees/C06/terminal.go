package visit

import "time"

// Longest is how long a visit lasts.
const Longest = 4 * time.Hour

// Visit is a reader at a terminal.
type Visit struct {
	Reader string
	Since  time.Time
}

// Wish is a book that a reader wants from the stacks.
type Wish struct {
	Reader string
	Shelf  string
}
