package model

import (
	"sync"
	"time"

	"github.com/licet-dev/licet/internal/judge"
)

// The outage state: after so many failures in a row a model is not asked but for
// a probe now and then, which ends it as soon as there is an answer.
const (
	outageAfter = 5
	firstProbe  = 30 * time.Second
	lastProbe   = 5 * time.Minute
)

type outage struct {
	mu   sync.Mutex
	row  int           // counted failures since the last answer
	wait time.Duration // to the probe after the next; 0 = no outage
	next time.Time     // of the next probe
}

// mayAsk reports whether the model may be asked now. In an outage this is one
// call, the probe; the others wait for the one after it.
func (o *outage) mayAsk(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wait == 0 {
		return true
	}
	if now.Before(o.next) {
		return false
	}
	o.wait = min(2*o.wait, lastProbe)
	o.next = now.Add(o.wait)
	return true
}

// note counts what came of asking.
func (o *outage) note(now time.Time, failed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !failed {
		o.row, o.wait = 0, 0
		return
	}
	if o.row++; o.row >= outageAfter && o.wait == 0 {
		o.wait, o.next = firstProbe, now.Add(firstProbe)
	}
}

// outageOpinion is what a call gets meanwhile.
func outageOpinion() judge.Opinion {
	return judge.None(judge.Outage, "the model failed five times in a row and is not asked now")
}
