package contract

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
)

// limit bounds what the grants of one tool, group or agent use up in a window.
type limit struct {
	place
	path     string        // place in the contract
	argument toolcall.Path // what a sum adds up; empty for a number of calls
	max      toolcall.Decimal
	window   time.Duration // 0 = one session
	by       split
	ask      bool // beyond the bound a person is asked
}

// split says which counts are kept apart.
type split struct {
	agent, user, session, tool bool
	argument                   toolcall.Path // empty = not by argument
}

// usual reports whether s is what a limit without `by` has.
func (s split) usual() bool {
	return s.agent && !s.user && !s.session && !s.tool && s.argument.Empty()
}

// Caller is who a call is counted for. "" is unknown.
type Caller struct{ User, Session string }

// counted is a limit as it counts the calls of one rule.
type counted struct {
	*limit
	counter string // identity of what is counted, without what only a call knows
}

// count fixes which limits count the calls of the rule for an agent: those of
// the tool and of the agent, and of all that they extend.
func (r *Rule) count(a *Agent) {
	r.counted = nil
	for base := r; base != nil; base = base.base {
		r.counted = append(r.counted, a.counting(base.limits, r)...)
	}
	for base := a; base != nil; base = base.base {
		r.counted = append(r.counted, a.counting(base.limits, r)...)
	}
}

// counting returns the limits as they count the calls of r for a. The counter
// holds what is counted and how it is split, not bound and window: so a changed
// bound applies to what was granted before.
func (a *Agent) counting(limits []*limit, r *Rule) []counted {
	var all []counted
	for _, l := range limits {
		counter := "calls"
		if !l.argument.Empty() {
			counter = "sum"
		}
		if l.by.agent {
			counter += fmt.Sprintf(" agent=%q", a.Name)
		} else {
			counter += fmt.Sprintf(" of=%q", l.agent) // shared with those that extend it
		}
		if l.by.tool {
			counter += fmt.Sprintf(" tool=%q", r.Ref())
		} else if l.key != "" {
			counter += fmt.Sprintf(" tool=%q", l.key)
		}
		if !l.argument.Empty() {
			counter += fmt.Sprintf(" argument=%q", l.argument)
		}
		all = append(all, counted{l, counter})
	}
	return all
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
func (l counted) take(who Caller, args toolcall.Value) (authz.Take, error) {
	amount := "1"
	if !l.argument.Empty() {
		sum, why := add(l.argument.Select(args))
		if why != "" {
			return authz.Take{}, &Uncountable{l.path, l.argument.String(), why}
		}
		amount = sum.String()
	}
	counter, err := l.splitFor(who, args)
	if err != nil {
		return authz.Take{}, err
	}
	t := authz.Take{Counter: counter, Window: int64(l.window), Amount: amount, Max: l.max.String(), Ask: l.ask, Clause: l.path}
	if l.window == 0 {
		t.Session = who.Session
	}
	return t, nil
}

// splitFor returns the counter for one call.
func (l counted) splitFor(who Caller, args toolcall.Value) (string, error) {
	counter := l.counter
	if l.by.user {
		if who.User == "" {
			return "", &Uncountable{l.path, "the calls of a user", "no user is known"}
		}
		counter += fmt.Sprintf(" user=%q", who.User)
	}
	if l.by.session {
		counter += fmt.Sprintf(" session=%q", who.Session)
	}
	if !l.by.argument.Empty() {
		value, why := one(l.by.argument.Select(args))
		if why != "" {
			return "", &Uncountable{l.path, l.by.argument.String(), why}
		}
		sum := sha256.Sum256(value.AppendCanonical(nil))
		counter += fmt.Sprintf(" by=%q value=%x", l.by.argument, sum)
	}
	return counter, nil
}

// one returns the text, number or truth value at a path, or why there is none.
func one(sel toolcall.Selection) (v toolcall.Value, why string) {
	switch {
	case sel.Wrong > 0:
		return v, wrongWay
	case len(sel.Values) == 0:
		return v, "absent"
	case sel.Values[0].Kind() >= toolcall.Array:
		return v, fmt.Sprintf("its value is no single one but %s", sel.Values[0].Kind())
	}
	return sel.Values[0], ""
}

// wrongWay says that the path to a value cannot be followed.
const wrongWay = "a value on the way has another type than its path expects"

// add returns the sum of the numbers at a path, or why there is none.
func add(sel toolcall.Selection) (sum toolcall.Decimal, why string) {
	switch {
	case sel.Wrong > 0:
		return sum, wrongWay
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
