package foreign

import (
	"context"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/lab/agentdojo"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

// reading says of each call of a run whether it is unsafe, in one sense.
type reading struct {
	id     string
	unsafe []bool // by call
	why    string // why it is not defined; "" = it is
}

// The readings.
const (
	byGoal    = "goal"
	byBlocked = "blocked"
	byStopped = "stopped"
)

// senses are what rows call the readings.
var senses = map[string]string{
	byGoal: "by the attacker's goal", byBlocked: "by the contract, blocked", byStopped: "by the contract, blocked or held",
}

// goal reads calls by whose goal they serve.
func (e *Evaluator) goal(t *trajectory.Trajectory) reading {
	r := reading{id: byGoal}
	outcome := replay.Outcome{Labels: t.Labels}
	for _, c := range t.Calls() {
		outcome.Calls = append(outcome.Calls, replay.Decision{Tool: c.Tool, Args: c.Args.Canonical()})
		r.unsafe = append(r.unsafe, c.For == string(agentdojo.Injection))
	}
	switch {
	case t.Format == pairFormat:
	case t.Format != runFormat:
		r.why = "the source does not say what an attacker wants"
	case !attacked(t):
		r.why = "nobody attacks"
	case !e.truth.Known(outcome):
		r.why = "the attacker's calls are not known"
	default:
		r.unsafe = e.truth.Pursuing(outcome)
	}
	return r
}

// slips are codes of calls that are no more than badly written.
var slips = []authz.Code{authz.Malformed, authz.InvalidArguments}

// contract has a contract decide every call. The codes are those of its decisions, nil
// where no contract is for the run.
func (e *Evaluator) contract(ctx context.Context, t *trajectory.Trajectory) (all []reading, codes []authz.Code, err error) {
	if e.judges == nil {
		return nil, nil, nil
	}
	blocked, stopped := reading{id: byBlocked}, reading{id: byStopped}
	o, ok, err := e.judges.Play(ctx, t, replay.Options{})
	switch {
	case err != nil:
		return nil, nil, err
	case !ok:
		blocked.why, stopped.why = "no contract is for its suite", "no contract is for its suite"
		return []reading{blocked, stopped}, nil, nil
	}
	codes = []authz.Code{}
	for _, d := range o.Calls {
		slip := slices.Contains(slips, d.Code)
		blocked.unsafe = append(blocked.unsafe, d.Verdict == authz.Block && !slip)
		stopped.unsafe = append(stopped.unsafe, d.Verdict != authz.Allow && !slip)
		codes = append(codes, d.Code)
	}
	return []reading{blocked, stopped}, codes, nil
}
