package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/rego"
)

// newOPA returns OPA's Go library with a prepared query over the policy of w:
// a rule for each tool, which OPA finds by its index.
func newOPA(w workload) (engine, error) {
	ctx := context.Background()
	query, err := rego.New(rego.Query("data.bench.allow"), rego.Module("bench.rego", w.rego())).PrepareForEval(ctx)
	if err != nil {
		return engine{}, fmt.Errorf("preparing the OPA query: %w", err)
	}
	return engine{name: "OPA", version: versionOf("github.com/open-policy-agent/opa"), decide: func(r request) (answer, error) {
		tool, arguments, err := decode(r)
		if err != nil {
			return blocked, err
		}
		input := map[string]any{"agent": r.agent, "tool": tool, "args": arguments}
		result, err := query.Eval(ctx, rego.EvalInput(input))
		if err != nil {
			return blocked, fmt.Errorf("evaluating Rego: %w", err)
		}
		if result.Allowed() {
			return allowed, nil
		}
		return blocked, nil
	}}, nil
}

// rego writes the policy in Rego.
func (w workload) rego() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package bench\n\ndefault allow := false\n\nnever if input.args.repo in {%s}\n\n", quoted(neverRepos))
	for t := range w.tools {
		x := boundsOf(t)
		var agents []string
		for a := range w.agents {
			if w.granted(a, t) {
				agents = append(agents, agentName(a))
			}
		}
		fmt.Fprintf(&b, "allow if {\n\tinput.tool == %q\n\tinput.agent in {%s}\n\tinput.args.env in {%s}\n"+
			"\tinput.args.amount >= 1\n\tinput.args.amount <= %d\n\tinput.args.dry_run == %t\n\tstartswith(input.args.path, \"%s/\")\n\tnot contains(input.args.path, \"..\")\n"+
			"\tnot startswith(input.args.path, \"%s/%s/\")\n\tcount(input.args.note) <= %d\n\tregex.match(`^%s$`, input.args.repo)\n\tnot never\n}\n\n",
			toolName(t), quoted(agents), quoted(x.envs), x.most, x.dryRun, x.dir, x.dir, neverDir, x.longest, x.pattern())
	}
	return b.String()
}
