package gate

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/toolcall"
)

// GrantLife is how long after the decision a grant can be redeemed.
const GrantLife = 10 * time.Second

// Grant lets one call through, once. Only Gate.Check makes one that redeems;
// the nil and the zero Grant never do. It never leaves the process.
type Grant struct {
	call     toolcall.Call
	digest   toolcall.Digest
	expires  time.Time
	now      func() time.Time
	redeemed atomic.Bool

	record  string // id of the decision's record
	ask     Ask
	observe bool // some `from` of the contract reads this tool's results
}

// Reasons why a grant does not redeem.
var (
	ErrNoGrant      = errors.New("there is no grant for this call")
	ErrRedeemed     = errors.New("the grant was redeemed before")
	ErrGrantExpired = errors.New("the grant has expired")
	ErrOtherCall    = errors.New("the grant is for another call")
)

// Redeem uses the grant for exactly the call that was judged. After any error
// the call must not be forwarded. A grant that was offered another call is
// spent.
func (g *Grant) Redeem(c toolcall.Call) error {
	switch {
	case g == nil || g.now == nil:
		return ErrNoGrant
	case !g.redeemed.CompareAndSwap(false, true):
		return ErrRedeemed
	case c.Digest() != g.digest:
		return ErrOtherCall
	case !g.now().Before(g.expires):
		return ErrGrantExpired
	}
	return nil
}
