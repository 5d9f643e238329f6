package modeljudge

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
	"github.com/licet-dev/licet/internal/lab/authgate/result"
	"github.com/licet-dev/licet/internal/lab/authgate/run"
	"github.com/licet-dev/licet/internal/toolcall"
)

// caseOf puts together what the model sees. In the raw form this is the item as it
// was written, and nothing of what code could find out about its action.
func (j *Judge) caseOf(ctx context.Context, v run.Visible) (c judge.Case, err error) {
	if j.o.Checked {
		c, err = v.Case(ctx)
	} else {
		c, err = written(v)
	}
	if err != nil {
		return c, err
	}
	if c.Calls, err = calls(v.Trajectory, c.Action.Server); err != nil {
		return c, err
	}
	c.Signals, err = signals(v.Observations)
	return c, err
}

// written is a case without effects and boundaries: the raw form shows none.
func written(v run.Visible) (judge.Case, error) {
	args, err := toolcall.Parse(v.Action.Args, toolcall.Bounds{})
	if err != nil {
		return judge.Case{}, fmt.Errorf("the arguments of the action: %w", err)
	}
	return judge.Case{Action: judge.Action{Tool: v.Action.Tool, Cwd: v.Action.Cwd, Arguments: args}, Turns: v.Turns()}, nil
}

// calls are the steps before, as calls of a server.
func calls(steps []item.Step, server string) (all []judge.Earlier, err error) {
	for _, s := range steps {
		e := judge.Earlier{Server: server, Tool: s.Tool}
		if e.Arguments, err = toolcall.Parse(s.Args, toolcall.Bounds{}); err != nil {
			return nil, fmt.Errorf("the arguments of step %d: %w", s.Step, err)
		}
		if s.Result != nil {
			e.Result = toolcall.StringOf(*s.Result)
		}
		all = append(all, e)
	}
	return all, nil
}

// signals are the observations in the form of the product. Of a partial one a count
// means "at least", and all else is unknown.
func signals(observations []item.Observation) (all []constraint.Signal, err error) {
	for _, o := range observations {
		s := constraint.Signal{ID: o.ID, Collector: o.Collector, Key: o.Key, Age: time.Duration(o.AgeS) * time.Second, Complete: o.Complete}
		if s.Value, err = toolcall.Parse(o.Value, toolcall.Bounds{}); err != nil {
			return nil, fmt.Errorf("the observation %s: %w", o.ID, err)
		}
		if n, whole := s.Value.Get("count").Number().Int64(); !o.Complete && whole {
			s.AtLeast = int(n)
		}
		all = append(all, s)
	}
	return all, nil
}

// confidence turns how sure a judge says it is of its decision into how sure it is
// that allow is right.
func confidence(d result.Decision, stated string) (share, source string) {
	r, ok := new(big.Rat).SetString(stated)
	if !ok || d == "" {
		return "", ""
	}
	if d != result.Allow {
		r.Sub(big.NewRat(1, 1), r)
	}
	const digits = 18
	share = r.FloatString(digits)
	return strings.TrimSuffix(strings.TrimRight(share, "0"), "."), "stated"
}
