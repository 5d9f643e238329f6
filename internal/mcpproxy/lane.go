package mcpproxy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/toolcall"
)

// lane holds the requests of one side that have no answer yet.
type lane struct {
	from   Side
	origin *sink // to the side that asks
	target *sink // to the side that answers

	refusals atomic.Int64 // of the second under way

	mu      sync.Mutex
	waiting map[string]*request // by canonical text of the id
	retired map[string]bool     // ids of forwarded calls that were cancelled: a late answer must not fit another call
	last    <-chan struct{}     // closed when every call so far is forwarded, held or refused
	idle    chan struct{}       // closed and nil again when no judged request waits; nil = nobody asked
}

// request is one request on its way, or a notification.
type request struct {
	msg  toolcall.Message
	wire []byte

	call       toolcall.Call         // as the gate is asked about it; only Method of what is not judged
	cancel     context.CancelFunc    // ends the decision; nil = it passes without one
	grant      *gate.Grant           // of a judged request that was forwarded
	sent       bool                  // under lane.mu: it was forwarded, so an answer may come
	own        chan toolcall.Message // of the relay's own requests: where the answer goes
	generation uint64                // of the tools when it was forwarded
}

// modern reports whether the sender speaks a revision without a handshake: it
// then names the revision in each request.
func (q *request) modern() bool {
	return q.msg.Params.Get("_meta").Get(metaPrefix+"protocolVersion").Kind() == toolcall.String
}

// judged reports whether the gate decides about the request.
func (q *request) judged() bool { return q.cancel != nil }

// unbounded lets any number of requests into a lane.
const unbounded = 0

var (
	errSameID = errors.New("another request has the same id and no answer yet")
	errBusy   = errors.New("too many requests have no answer yet")
)

func newLane(from Side, origin, target *sink) *lane {
	last := make(chan struct{})
	close(last)
	return &lane{
		from: from, origin: origin, target: target,
		waiting: map[string]*request{}, retired: map[string]bool{}, last: last,
	}
}

func key(id toolcall.Value) string { return id.Canonical() }

// enter takes q in, if the lane holds less than max requests.
func (l *lane) enter(q *request, max int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := key(q.msg.ID)
	switch {
	case l.waiting[id] != nil || l.retired[id]:
		return errSameID
	case max != unbounded && len(l.waiting) >= max:
		return errBusy
	}
	l.waiting[id] = q
	return nil
}

// has reports whether a request of this id has no answer yet.
func (l *lane) has(id toolcall.Value) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting[key(id)] != nil || l.retired[key(id)]
}

// patience is how long a call waits for those before it. It is far below the
// life of a grant, so that the grant of one call never runs out because the
// decision on another takes long.
const patience = time.Second

// turn is a call's place in the order of its lane. Calls come in the order in
// which they were sent; one that is not through within the patience of another
// loses its place before that one.
type turn struct {
	come  func() // waits until it is this call's turn
	leave func() // lets later calls come, once it is this one's turn
}

// queue returns the place behind all calls so far.
func (l *lane) queue() turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, through := l.last, make(chan struct{})
	l.last = through
	come := sync.OnceFunc(func() {
		select {
		case <-before:
		case <-time.After(patience):
		}
	})
	return turn{come, sync.OnceFunc(func() { come(); close(through) })}
}

// take ends a request that was not forwarded. It is false if q was forwarded or
// ended before: then its answer, if there is to be one, comes from elsewhere.
func (l *lane) take(q *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.sent || l.waiting[key(q.msg.ID)] != q {
		return false
	}
	l.end(q)
	return true
}

// answered ends the forwarded request of this id and returns it, or nil.
func (l *lane) answered(id toolcall.Value) *request {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.waiting[key(id)]
	if q == nil || !q.sent {
		return nil
	}
	l.end(q)
	return q
}

// withdraw ends the request of this id, because its sender does not want the
// answer, and returns it. One that passes without a decision stays: whether it
// is answered is between the two sides.
func (l *lane) withdraw(id toolcall.Value) *request {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.waiting[key(id)]
	switch {
	case q == nil || q.own != nil:
		return nil
	case !q.judged():
		return q
	}
	l.end(q)
	if q.sent {
		l.retired[key(id)] = true
	}
	return q
}

// commit marks q as forwarded under this grant, if it still waits and redeem
// agrees.
func (l *lane) commit(q *request, g *gate.Grant, redeem func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[key(q.msg.ID)] != q {
		return errWithdrawn
	}
	if err := redeem(); err != nil {
		return err
	}
	q.grant, q.sent = g, true
	return nil
}

// end takes a request out of the lane; l.mu is held.
func (l *lane) end(q *request) {
	delete(l.waiting, key(q.msg.ID))
	l.checkIdle()
}

// checkIdle tells who asked that no judged request waits; l.mu is held.
func (l *lane) checkIdle() {
	if l.idle == nil {
		return
	}
	for _, q := range l.waiting {
		if q.judged() {
			return
		}
	}
	close(l.idle)
	l.idle = nil
}

// whenIdle returns what is closed once no judged request waits. It is asked
// once.
func (l *lane) whenIdle() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	idle := make(chan struct{})
	l.idle = idle
	l.checkIdle()
	return idle
}

// rest ends all requests and returns those that were forwarded for the sender.
func (l *lane) rest() (sent []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.waiting {
		if q.sent && q.own == nil {
			sent = append(sent, q)
		}
	}
	clear(l.waiting)
	return sent
}
