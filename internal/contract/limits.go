package contract

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
)

// limit bounds what the grants of one tool or agent use up in a window.
type limit struct {
	path     string        // place in the contract
	counter  string        // identity of what is counted; does not depend on bound and window
	argument toolcall.Path // what a sum adds up; empty for a number of calls
	max      toolcall.Decimal
	window   time.Duration // 0 = one session
}

// Uncountable is the error of a call whose argument a limit cannot add up
// (rule 7 of the language): the call is blocked.
type Uncountable struct {
	Limit    string // place of the limit in the contract
	Argument string
	Why      string
}

func (u *Uncountable) Error() string {
	return fmt.Sprintf("%s cannot count %s: %s", u.Limit, u.Argument, u.Why)
}

// take returns what a grant of a call takes from the limit.
func (l *limit) take(session string, args toolcall.Value) (authz.Take, error) {
	amount := "1"
	if !l.argument.Empty() {
		sum, why := add(l.argument.Select(args))
		if why != "" {
			return authz.Take{}, &Uncountable{l.path, l.argument.String(), why}
		}
		amount = sum.String()
	}
	t := authz.Take{Counter: l.counter, Window: int64(l.window), Amount: amount, Max: l.max.String(), Clause: l.path}
	if l.window == 0 {
		t.Session = session
	}
	return t, nil
}

// add returns the sum of the numbers at a path, or why there is none.
func add(sel toolcall.Selection) (sum toolcall.Decimal, why string) {
	switch {
	case sel.Wrong > 0:
		return sum, "a value on the way has another type than its path expects"
	case sel.Missing > 0 || len(sel.Values) == 0:
		return sum, "absent"
	}
	for _, v := range sel.Values {
		switch {
		case v.Kind() != toolcall.Number:
			return sum, fmt.Sprintf("a value is no number but %s", v.Kind())
		case v.Number().Sign() < 0:
			return sum, "a value is negative"
		}
		sum = sum.Add(v.Number())
	}
	return sum, ""
}
