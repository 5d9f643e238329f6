package llm

import (
	"context"
	"sync"
	"time"
)

// pause holds back all questions of a client until a server wants them again.
type pause struct {
	mu    sync.Mutex
	until time.Time
}

// begin makes the pause last until a time, if it does not last longer already.
func (p *pause) begin(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.until) {
		p.until = until
	}
}

// wait returns once there is no pause, and says how long it took. Up to a quarter
// is added by chance, so that not all come back together.
func (p *pause) wait(ctx context.Context, s System) (waited time.Duration, err error) {
	for {
		p.mu.Lock()
		left := p.until.Sub(s.Now())
		p.mu.Unlock()
		if left <= 0 {
			return waited, nil
		}
		left += time.Duration(s.Chance() * float64(left/4))
		if err := s.Wait(ctx, left); err != nil {
			return waited, err
		}
		waited += left
	}
}
