package decide

import (
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
)

// opine lets the opinion of a judge decide a call that a judge clause hands over
// (judge.md, sections 1 and 7). Without one the call blocks and stays handed
// over. Where a limit asks a person, an allowed call is held all the same.
func opine(d authz.Decision, c *contract.Contract, j Judged) authz.Decision {
	last := len(d.Reasons) - 1 // behind limits that ask
	clause, over := d.Reasons[last].Clause, d.Reasons[:last]
	if !j.Asked && !j.Breaker {
		d.Verdict, d.Takes, d.Panels = authz.Block, nil, nil
		d.Reasons = append(reason(authz.JudgeNoVerdict, clause, "the judge was not asked"), over...)
		return d
	}
	code, verdict := effect(c.Judge(), j)
	d.Judge, d.Reasons = false, reason(code, clause, j.Why)
	switch {
	case verdict == authz.Block:
		d.Verdict, d.Takes, d.Panels = authz.Block, nil, nil
	case verdict == authz.RequireApproval:
		who := c.Approvals()
		d.Verdict, d.Panels = authz.RequireApproval, []authz.Panels{{{Approvers: who.Approvers, Quorum: who.Quorum}}}
		d.Reasons = append(d.Reasons, over...)
	case len(over) > 0:
		d.Reasons = append(over[:last:last], d.Reasons...)
	default:
		d.Verdict = authz.Allow
	}
	return d
}

func reason(code authz.Code, clause, detail string) []authz.Reason {
	return []authz.Reason{{Code: code, Clause: clause, Detail: detail}}
}

// effect returns what the contract makes of an opinion.
func effect(settings contract.Judge, j Judged) (authz.Code, authz.Verdict) {
	ask := authz.Block
	if j.Reachable {
		ask = authz.RequireApproval
	}
	if j.Breaker {
		return authz.JudgeBreaker, ask
	}
	switch j.Opinion {
	case authz.OpinionAllow:
		return authz.JudgeAllow, authz.Allow
	case authz.OpinionBlock:
		return authz.JudgeBlock, settings.OnBlock
	case authz.OpinionUnsure:
		return authz.JudgeUnsure, ask
	}
	if !j.Soft {
		return authz.JudgeNoVerdict, authz.Block
	}
	return authz.JudgeNoVerdict, authz.Stricter(settings.OnNoVerdict, ask)
}
