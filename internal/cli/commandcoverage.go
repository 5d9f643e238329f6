package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// underContract says under which contract a command is explained.
type underContract struct{ path, agent, tool, workspace string }

// coverage asks what the clauses of a contract make of a command in a folder, with
// this PATH.
func (u underContract) coverage(ctx context.Context, command, cwd, path string) ([]contract.CommandClause, error) {
	places, err := facts.ResolvePlaces(u.workspace)
	if err != nil {
		return nil, fmt.Errorf("workspace %q: %w", u.workspace, err)
	}
	f, err := readContract(u.path, places)
	if err != nil {
		return nil, err
	}
	rule, err := u.rule(f.contract)
	if err != nil {
		return nil, err
	}
	answers, err := facts.Answer(ctx, facts.Input{Questions: rule.CommandQuestions(command), Cwd: cwd, Places: places, Path: path})
	if err != nil {
		return nil, err
	}
	return rule.Commands(command, answers), nil
}

// rule returns the rule that judges commands: the only one that the agent has, or
// the one of the tool that was named.
func (u underContract) rule(c *contract.Contract) (*contract.Rule, error) {
	if names := c.Agents(); u.agent == "" && len(names) == 1 {
		u.agent = names[0]
	}
	agent := c.Agent(u.agent)
	if agent == nil {
		return nil, usagef("--agent is one of the contract's agents: %s", yamlwalk.OneOf(c.Agents()))
	}
	var found []*contract.Rule
	var names []string
	for _, r := range agent.Rules() {
		if r.JudgesCommands() && (u.tool == "" || u.tool == r.Ref()) {
			found, names = append(found, r), append(names, r.Ref())
		}
	}
	switch {
	case len(found) == 0 && u.tool != "":
		return nil, fmt.Errorf("no clause of agent %s for %s has a shell constraint", u.agent, u.tool)
	case len(found) == 0:
		return nil, fmt.Errorf("no clause of agent %s has a shell constraint", u.agent)
	case len(found) > 1:
		return nil, usagef("--tool says which of these is meant: %s", yamlwalk.OneOf(names))
	}
	return found[0], nil
}

// printCoverage prints for each clause which entry covers each effect, or why none
// does.
func (a *app) printCoverage(clauses []contract.CommandClause) {
	st := a.style()
	for _, k := range clauses {
		fmt.Fprintf(a.out, "\n%s  %s\n", st.bold(printable(k.Path)), verdictOfClause(k))
		for _, c := range k.Coverage {
			word, text := coverageLine(k.Step, c)
			fmt.Fprintf(a.out, "  %-12s %s\n", word, wrap(printable(text), a.width()-15, strings.Repeat(" ", 15)))
		}
	}
}

// verdictOfClause says what a clause makes of a command as a whole.
func verdictOfClause(k contract.CommandClause) string {
	holding := 0
	for _, c := range k.Coverage {
		if c.Holds {
			holding++
		}
	}
	switch {
	case k.Coverage == nil:
		return "cannot say: the command has too many effects"
	case k.Step == "never" && holding > 0:
		return "holds: the command is refused"
	case k.Step == "never", holding < len(k.Coverage):
		return "does not hold"
	}
	return "holds: " + map[string]string{"allow": "allowed", "judge": "the judge is asked", "approve": "a person is asked"}[k.Step]
}

// coverageLine words what one clause makes of one effect.
func coverageLine(step string, c constraint.Coverage) (word, text string) {
	what := c.Effect.Kind.String() + " " + effectObject(c.Effect)
	switch {
	case step == "never" && c.Holds:
		return "matches", c.Why
	case step == "never":
		return "no match", what
	case c.Holds:
		return "covered", what + ": by " + c.By
	}
	return "not covered", c.Why
}

type clauseCoverageJSON struct {
	Step    string               `json:"step"`
	Path    string               `json:"path"`
	Effects []effectCoverageJSON `json:"effects"`
}

type effectCoverageJSON struct {
	Kind  string   `json:"kind"`
	What  string   `json:"what"`
	Holds bool     `json:"holds"` // covered; in never: it matches, or may
	By    string   `json:"by,omitempty"`
	Why   string   `json:"why,omitempty"`
	Cause spanJSON `json:"cause"`
}

func coverageJSON(clauses []contract.CommandClause) (all []clauseCoverageJSON) {
	for _, k := range clauses {
		out := clauseCoverageJSON{k.Step, k.Path, []effectCoverageJSON{}}
		for _, c := range k.Coverage {
			out.Effects = append(out.Effects, effectCoverageJSON{c.Effect.Kind.String(), effectObject(c.Effect), c.Holds, c.By, c.Why, spanJSON(c.Effect.Cause)})
		}
		all = append(all, out)
	}
	return all
}
