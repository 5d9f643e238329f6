package gate

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/ledger"
)

// paused tells operators why the judge is not asked.
const paused = "the judge has blocked too many calls of this agent in this session, and is not asked before the user writes again"

// askJudge asks the judge about a call that is handed over, unless its breaker is
// open, and notes the opinion to be counted with the record of the decision. In
// shadow mode nothing is enforced, and so nothing counted.
func (g *Gate) askJudge(ctx context.Context, r *request, facts *decide.Facts) (authz.Decision, error) {
	agent := r.ask.Call.Agent
	if r.contract.Agent(agent).Shadow {
		return g.judge(ctx, r, facts)
	}
	turn := g.keyed("turns", string(texts(r.ask.Asserted.Turns).AppendCanonical(nil)))
	err := g.within(ctx, func(ctx context.Context) error {
		b, err := g.o.Store.Breaker(ctx, agent, r.ask.Session)
		if err != nil {
			return fmt.Errorf("reading the breaker of the judge: %w", err)
		}
		if !b.Open(turn) {
			return nil
		}
		facts.Judged = decide.Judged{Breaker: true, Why: paused}
		return g.reach(ctx, r, &facts.Judged)
	})
	if err != nil {
		return authz.Decision{}, err
	}
	if facts.Judged.Breaker {
		return decide.Decide(r.contract, r.ask.Call, *facts), nil
	}
	d, err := g.judge(ctx, r, facts)
	if err == nil && facts.Judged.Asked {
		r.opined = &ledger.Opined{Agent: agent, Session: r.ask.Session, Counted: ledger.Counted{
			Turn: turn, Call: string(r.digest), Opinion: facts.Judged.Opinion,
		}}
	}
	return d, err
}

// keyed returns a digest of a text under the state key, so that the text cannot be
// guessed from it. Texts of different uses never have the same digest.
func (g *Gate) keyed(use, text string) string {
	mac := hmac.New(sha256.New, g.o.Key)
	fmt.Fprintf(mac, "licet %s\n%s", use, text)
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}
