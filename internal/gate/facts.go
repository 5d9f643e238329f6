package gate

import (
	"context"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
)

// Facts gathers what a decision on a would read now: what the contract's clauses
// ask, what is used up of limits, and the ticket of the call. Nothing is decided,
// recorded or used up, and no Grant can come of it.
func (g *Gate) Facts(ctx context.Context, a Ask) (decide.Facts, error) {
	ctx, cancel := context.WithTimeout(ctx, g.o.Deadline)
	defer cancel()
	r := g.newRequest(a)
	facts, _, err := g.gather(ctx, r)
	if err != nil {
		return decide.Facts{}, err
	}
	d := decide.Decide(r.contract, a.Call, facts)
	if d.Verdict == authz.RequireApproval || a.Call.Ticket != "" {
		r.over = over(d)
		facts.Approval, err = g.ticket(ctx, r)
	}
	return facts, err
}
