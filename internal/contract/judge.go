package contract

import (
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// judge reads who judges the calls that judge clauses hand over. What is left
// out is the strict word: block.
func (l *loader) judge(n *yamlwalk.Node) Judge {
	j := Judge{Model: BuiltinJudge}
	if n == nil || !l.Mapping(n, judgeWords) {
		return j
	}
	if m := n.Get("model"); m != nil && l.Is(m, toolcall.String, "the name of a judge") && m.Text != BuiltinJudge {
		l.Later(m, "the judge "+m.Text)
	}
	j.OnBlock = l.outcome(n.Get("on_block"))
	j.OnNoVerdict = l.outcome(n.Get("on_no_verdict"))
	return j
}

// outcome reads what follows where the judge does not allow.
func (l *loader) outcome(n *yamlwalk.Node) authz.Verdict {
	if n != nil && l.Is(n, toolcall.String, `the word "block" or "approve"`) && l.Word(n, outcomeWords) && n.Text == "approve" {
		return authz.RequireApproval
	}
	return authz.Block
}

// outcomeWord returns the word of the language for an outcome.
func outcomeWord(v authz.Verdict) string {
	if v == authz.RequireApproval {
		return "approve"
	}
	return "block"
}

// judges reports whether some clause hands calls to the judge.
func (c *Contract) judges() bool {
	for _, a := range c.agents {
		for _, r := range a.rules {
			if len(r.Judge) > 0 {
				return true
			}
		}
	}
	return false
}
