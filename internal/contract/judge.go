package contract

import (
	"slices"
	"strings"

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
	j.OnBlock = l.outcome(n.Get("on_block"))
	j.OnNoVerdict = l.outcome(n.Get("on_no_verdict"))
	if m := n.Get("model"); m != nil && m.Text != BuiltinJudge {
		if strings.HasPrefix(m.Text, "builtin/") {
			l.Report(m, "write "+BuiltinJudge+", or name a model of the operator's file", "no judge %q comes with licet", m.Text)
			return j
		}
		j.Model = l.Name(m, "name of a judge")
		l.ofModel(&j, n)
		return j
	}
	for _, m := range n.Members {
		if slices.Contains(modelWords, m.Key.Text) {
			l.Report(m.Key, "remove it, or name a model", "%s asks no model, so %q has no place here", BuiltinJudge, m.Key.Text)
		}
	}
	return j
}

// ofModel reads what is set for a model.
func (l *loader) ofModel(j *Judge, n *yamlwalk.Node) {
	j.Policy, j.Votes = RulesPolicy, 1
	if p := n.Get("policy"); p != nil && l.Is(p, toolcall.String, "the name of a policy") && l.Word(p, policyWords) {
		j.Policy = p.Text
	}
	if v := n.Get("votes"); v != nil {
		if j.Votes = int(l.Count(v, "a number of votes", 5)); j.Votes == 2 || j.Votes == 4 {
			l.Report(v, "", "votes can be 1, 3 or 5")
		}
	}
	if t := n.Get("two_stage"); t != nil && l.Is(t, toolcall.Bool, "true or false") {
		j.TwoStage = t.Text == "true"
	}
	if v := n.Get("view"); v != nil && l.Is(v, toolcall.Array, "a list of what the model sees otherwise") {
		for _, e := range l.Elements(v, "view") {
			if l.Is(e, toolcall.String, "a switch such as +results") && l.Word(e, viewWords) {
				j.Results = j.Results || e.Text == viewWords.Known[0]
				j.NoFacts = j.NoFacts || e.Text == viewWords.Known[1]
				j.NoSignals = j.NoSignals || e.Text == viewWords.Known[2]
			}
		}
	}
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
