package gate

import (
	"context"

	"github.com/licet-dev/licet/internal/decide"
)

// Facts gathers what a decision on a would read now: what the contract's clauses
// ask, what is used up of limits, the ticket of the call, and what the judge says
// of one that is handed over, nil if it is not asked. Nothing is decided, recorded
// or used up, and no Grant can come of it.
func (g *Gate) Facts(ctx context.Context, a Ask) (decide.Facts, *Judgement, error) {
	r := g.newRequest(a)
	facts, _, err := g.weigh(ctx, r)
	return facts, r.judged, err
}
