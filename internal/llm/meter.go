package llm

import (
	"fmt"
	"sync"
)

// Usage counts tokens. The four counts do not overlap: Input leaves out what was
// read from, or written to, the provider's prompt cache, as far as that is told.
type Usage struct {
	Input, Cached, Written, Output int64
	Estimated                      bool // a try reported nothing: counted as if it had used all it could
	CachedUntold, WrittenUntold    bool // a try that reported did not say how many: counted as none
}

// counted reads a count that a server may leave out.
func counted(n *int64) (count int64, untold bool) {
	if n == nil {
		return 0, true
	}
	return *n, false
}

// Tokens returns all tokens.
func (u Usage) Tokens() int64 { return u.Input + u.Cached + u.Written + u.Output }

func (u Usage) plus(v Usage) Usage {
	return Usage{
		u.Input + v.Input, u.Cached + v.Cached, u.Written + v.Written, u.Output + v.Output,
		u.Estimated || v.Estimated, u.CachedUntold || v.CachedUntold, u.WrittenUntold || v.WrittenUntold,
	}
}

// plausible says whether a server reported what can be counted.
func (u Usage) plausible() bool {
	const bound = 1 << 30 // tokens of one answer
	least, greatest := min(u.Input, u.Cached, u.Written, u.Output), max(u.Input, u.Cached, u.Written, u.Output)
	return least >= 0 && greatest > 0 && greatest < bound
}

// Price is what a million tokens cost, in millionths of a dollar: 3 dollars are
// 3_000_000. The zero price means that cost is not counted.
type Price struct{ Input, Cached, Written, Output int64 }

// Cost is an amount of money in 10^-12 dollars, what one token costs at a price
// of one: sums are exact.
type Cost int64

// String returns the amount in dollars, to a millionth.
func (c Cost) String() string { return fmt.Sprintf("$%d.%06d", c/1e12, c%1e12/1e6) }

func (p Price) of(u Usage) Cost {
	return Cost(p.Input*u.Input + p.Cached*u.Cached + p.Written*u.Written + p.Output*u.Output)
}

// Limit is what a client may use up in all. Zero permits nothing; Cost is held
// against only where there is a price.
type Limit struct {
	Tries  int64 // HTTP requests
	Tokens int64
	Cost   Cost
}

// meter counts what a client used.
type meter struct {
	limit Limit
	price Price

	mu   sync.Mutex
	used Limit
}

// take counts a try before it is made, or says that nothing is left. Tries under
// way may together go over the limit of tokens, each once.
func (m *meter) take() *Failure {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.used.Tries >= m.limit.Tries:
		return failf(Budget, "%d tries are spent", m.used.Tries)
	case m.used.Tokens >= m.limit.Tokens:
		return failf(Budget, "%d tokens are spent", m.used.Tokens)
	case m.price != (Price{}) && m.used.Cost >= m.limit.Cost:
		return failf(Budget, "%s are spent", m.used.Cost)
	}
	m.used.Tries++
	return nil
}

func (m *meter) add(u Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.Tokens += u.Tokens()
	m.used.Cost += m.price.of(u)
}
