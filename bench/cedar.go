package main

import (
	"fmt"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// newCedar returns cedar-go with the policy of w: a permit for each tool, by
// groups of agents, and a forbid for all of them.
//
// Cedar has no regular expressions and no length of a text. `like` stands for
// the first, which gives the same answers here, and a note of any length will
// do, which spares Cedar some work.
func newCedar(w workload) (engine, error) {
	policies, err := cedar.NewPolicySetFromBytes("bench.cedar", w.cedar())
	if err != nil {
		return engine{}, fmt.Errorf("reading the Cedar policies: %w", err)
	}
	entities := w.entities()
	return engine{name: "cedar-go", version: versionOf("github.com/cedar-policy/cedar-go"), decide: func(r request) (answer, error) {
		tool, arguments, err := decode(r)
		if err != nil {
			return blocked, err
		}
		decision, diagnostic := cedar.Authorize(policies, entities, cedar.Request{
			Principal: cedar.NewEntityUID("Agent", cedar.String(r.agent)),
			Action:    cedar.NewEntityUID("Action", cedar.String(tool)),
			Resource:  cedar.NewEntityUID("Server", server),
			Context:   record(arguments),
		})
		if len(diagnostic.Errors) > 0 {
			return blocked, fmt.Errorf("evaluating Cedar: %s", diagnostic.Errors[0])
		}
		if decision == cedar.Allow {
			return allowed, nil
		}
		return blocked, nil
	}}, nil
}

// record turns arguments into a Cedar record. Those of this workload are texts,
// whole numbers and truth values.
func record(arguments map[string]any) cedar.Record {
	members := make(cedar.RecordMap, len(arguments))
	for name, value := range arguments {
		switch v := value.(type) {
		case string:
			members[cedar.String(name)] = cedar.String(v)
		case float64:
			members[cedar.String(name)] = cedar.Long(v)
		case bool:
			members[cedar.String(name)] = cedar.Boolean(v)
		}
	}
	return cedar.NewRecord(members)
}

// cedar writes the policy in Cedar. Tool t is for group t%5, which stands for
// all agents that are granted it.
func (w workload) cedar() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "forbid (principal, action, resource) when { [%s].contains(context.repo) || context.path like \"/srv/*/%s/*\" };\n",
		quoted(neverRepos), neverDir)
	for t := range w.tools {
		x := boundsOf(t)
		fmt.Fprintf(&b, "permit (principal in Group::\"%d\", action == Action::%q, resource) when { [%s].contains(context.env)"+
			" && context.repo like \"%s*\" && !(context.repo like \"*/*/*\") && !(context.repo like \"* *\")"+
			" && context.amount >= 1 && context.amount <= %d && context.path like \"%s/*\" && !(context.path like \"*..*\")"+
			" && context has note && context.dry_run == %t };\n",
			t%5, toolName(t), quoted(x.envs), x.repo, x.most, x.dir, x.dryRun)
	}
	return []byte(b.String())
}

// entities says which agents are in which groups.
func (w workload) entities() cedar.EntityMap {
	all := cedar.EntityMap{}
	for a := range w.agents {
		var groups []cedar.EntityUID
		for g := range 5 {
			if w.granted(a, g) {
				groups = append(groups, cedar.NewEntityUID("Group", cedar.String(fmt.Sprint(g))))
			}
		}
		uid := cedar.NewEntityUID("Agent", cedar.String(agentName(a)))
		all[uid] = cedar.Entity{UID: uid, Parents: cedar.NewEntityUIDSet(groups...)}
	}
	return all
}
