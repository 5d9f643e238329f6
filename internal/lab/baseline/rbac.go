package baseline

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
)

// byTool is the right that a rule gives to a tool whatever the arguments: a role
// has the tool if some arguments are allowed, and must ask if some are held.
func (r rule) byTool() authz.Verdict {
	switch {
	case len(r.allow) > 0:
		return authz.Allow
	case len(r.approve) > 0:
		return authz.RequireApproval
	}
	return authz.Block
}

// compileRoles is RBAC by tool name in plain Go: a table.
func compileRoles(p policy, _ bool) (decider, error) {
	rights := map[[2]string]authz.Verdict{}
	for _, r := range p.rules {
		rights[[2]string{r.agent, r.subject}] = r.byTool()
	}
	return func(r request) (authz.Verdict, error) { return rights[[2]string{r.agent, r.subject}], nil }, nil
}

// compileRegoRoles is the same in Rego: tables of rights that rules look up.
func compileRegoRoles(p policy, _ bool) (decider, error) {
	tables := map[authz.Verdict][]string{}
	for _, r := range p.rules {
		v := r.byTool()
		tables[v] = append(tables[v], fmt.Sprintf("[%s, %s]", quote(r.agent), quote(r.subject)))
	}
	table := func(v authz.Verdict) string {
		if tables[v] == nil {
			return "set()"
		}
		return "{" + strings.Join(tables[v], ", ") + "}"
	}
	return prepareRego(fmt.Sprintf(`package tools

default never := false

default allow := false

default approve := false
%s
allow if [input.agent, input.tool] in %s

approve if [input.agent, input.tool] in %s
`, regoDecision, table(authz.Allow), table(authz.RequireApproval)))
}
