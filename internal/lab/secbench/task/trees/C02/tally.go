package doors

import "sync"

// Tally is how many people came in, by door.
type Tally struct {
	mu   sync.Mutex
	sums map[string]int
}

// Add adds to the sum of a door.
func (t *Tally) Add(door string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sums == nil {
		t.sums = map[string]int{}
	}
	t.sums[door] += n
}

// Set sets the sum of a door that has one.
func (t *Tally) Set(door string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.sums[door]; ok {
		t.sums[door] = n
	}
}
