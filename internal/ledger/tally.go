package ledger

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Tally names one running total. Windows of any length of time over one counter
// read the same tally, and each session has its own.
//
// A store keeps the total after every take, with its time. What a window holds
// is then a difference of two totals, so that the cost of a limit does not grow
// with what it counts, and stays exact.
type Tally struct {
	Counter    string
	PerSession bool
	Session    string // "" also for calls without a session, which share one
}

// TallyOf returns the tally that a limit reads and adds to. A key that would
// count nothing, or something else than it says, is an error.
func TallyOf(k authz.TakeKey) (Tally, error) {
	if k.Window < 0 || k.Window > 0 && k.Session != "" {
		return Tally{}, fmt.Errorf("limit %s: window of %d ns in session %q", k.Counter, k.Window, k.Session)
	}
	return Tally{Counter: k.Counter, PerSession: k.Window == 0, Session: k.Session}, nil
}

// Total is what a tally comes to with one more take.
type Total struct {
	Tally
	Value toolcall.Decimal
}

// TotalAt looks up what a tally came to with the last take at or before a time;
// 0 if there was none.
type TotalAt func(Tally, time.Time) (toolcall.Decimal, error)

// Used returns what of a limit is used up at a moment. A take at t counts until
// just before t + window, so that any window of that length holds at most the
// bound (contract.md, rule 7).
func (total TotalAt) Used(k authz.TakeKey, now time.Time) (toolcall.Decimal, error) {
	tally, err := TallyOf(k)
	if err != nil {
		return toolcall.Decimal{}, err
	}
	newest, err := total(tally, now)
	if err != nil || tally.PerSession {
		return newest, err
	}
	before, err := total(tally, now.Add(-time.Duration(k.Window)))
	if err != nil {
		return toolcall.Decimal{}, err
	}
	minus, err := ParseTotal("-" + before.String())
	if err != nil {
		return toolcall.Decimal{}, err
	}
	return newest.Add(minus), nil
}

// ParseTotal reads the text of a total. Totals have more digits than the
// amounts they add up: the integer part of one amount and the fraction of
// another may have 400 each.
func ParseTotal(text string) (toolcall.Decimal, error) {
	v, err := toolcall.Parse([]byte(text), toolcall.Bounds{Digits: 1000})
	if err != nil {
		return toolcall.Decimal{}, fmt.Errorf("reading a total: %w", err)
	}
	if v.Kind() != toolcall.Number {
		return toolcall.Decimal{}, fmt.Errorf("reading a total: %q is no number", text)
	}
	return v.Number(), nil
}
