// Package visit lets readers in at the terminals.
package visit

import (
	"context"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// Patience is how often a wish is sent before it is given up.
const Patience = 5

// Visits are the readers who are in.
type Visits struct {
	mu     sync.Mutex
	chance *rand.Rand
	in     map[string]Visit
	send   func(context.Context, Wish) error
}

// New has nobody in.
func New(send func(context.Context, Wish) error) *Visits {
	return &Visits{chance: rand.New(rand.NewSource(time.Now().UnixNano())), in: map[string]Visit{}, send: send}
}

// Enter lets a reader in and returns what the terminal shows from now on.
func (v *Visits) Enter(reader string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	id := fmt.Sprintf("%016x%016x", v.chance.Uint64(), v.chance.Uint64())
	v.in[id] = Visit{Reader: reader, Since: time.Now()}
	return id
}

// Who returns the visit that a terminal shows.
func (v *Visits) Who(id string) (Visit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	visit, ok := v.in[id]
	return visit, ok && time.Since(visit.Since) < Longest
}

// Ask sends a wish to the stacks, with pauses where they do not answer.
func (v *Visits) Ask(ctx context.Context, w Wish) error {
	var err error
	for try := range Patience {
		if err = v.send(ctx, w); err == nil {
			return nil
		}
		select {
		case <-time.After(v.pause(try)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("sending a wish: %w", err)
}

// pause doubles, and differs from terminal to terminal so that they do not all come
// back at once.
func (v *Visits) pause(try int) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	most := time.Second << try
	return most/2 + time.Duration(v.chance.Int63n(int64(most/2)))
}
