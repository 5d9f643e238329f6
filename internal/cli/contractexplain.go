package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

func (a *app) contractExplain() *cobra.Command {
	var agent, tool string
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain FILE [--agent AGENT] [--tool SERVER.TOOL]",
		Short: "Say in sentences what an agent may do",
		Long: `Says what a contract lets an agent do with each tool: what is never allowed, what
it may do alone, when a person is asked, and what limits count. Groups are
shown as the tools that they stand for, and an agent that extends another one
with the rules of both.`,
		Example: "  licet contract explain licet.yaml --agent support\n  licet contract explain licet.yaml --agent support --tool bank.send_money",
		Args:    cobra.ExactArgs(1),
		RunE:    run(func(_ *cobra.Command, args []string) error { return a.explainContract(args[0], agent, tool, asJSON) }),
	}
	c.Flags().StringVar(&agent, "agent", "", "the agent; may be left out where the contract has one")
	c.Flags().StringVar(&tool, "tool", "", "only this tool, as SERVER.TOOL, or method, as SERVER:METHOD")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (a *app) explainContract(path, agent, tool string, asJSON bool) error {
	f, err := readContract(path, constraint.Places{})
	if err != nil {
		return err
	}
	if names := f.contract.Agents(); agent == "" && len(names) == 1 {
		agent = names[0]
	}
	e, ok := f.contract.Explain(agent)
	if !ok {
		return usagef("--agent is one of the contract's agents: %s", yamlwalk.OneOf(f.contract.Agents()))
	}
	if tool != "" {
		only(&e, tool)
	}
	if asJSON {
		return printJSON(a.out, e)
	}
	a.printWhatAgentMay(f.contract.Name(), e, tool)
	return nil
}

// only keeps what an explanation says of one tool.
func only(e *contract.Explanation, tool string) {
	e.Rules = slices.DeleteFunc(e.Rules, func(r contract.RuleExplanation) bool { return r.Tool != tool })
	e.Unlisted = slices.DeleteFunc(e.Unlisted, func(name string) bool { return name != tool })
}

func (a *app) printWhatAgentMay(name string, e contract.Explanation, tool string) {
	st := a.style()
	fmt.Fprintf(a.out, "%s in %s\n", st.bold("agent "+e.Agent), name)
	if e.Token != "" {
		a.say("", "Who has the credential "+e.Token+" may speak as it.")
	} else {
		a.say("", "Only a door that is started locally for it may speak as it.")
	}
	if len(e.Extends) > 0 {
		a.say("", "It extends "+strings.Join(e.Extends, ", which extends ")+": both are asked, and the stricter answer counts.")
	}
	if e.Shadow {
		a.say("", "It is in shadow mode: what is said here is recorded, and nothing is held back.")
	}
	for _, r := range e.Rules {
		fmt.Fprintf(a.out, "\n%s%s\n", st.bold(printable(r.Tool)), st.faint(printable(grouped(r))))
		a.printRule(r)
	}
	if e.Judge != "" {
		fmt.Fprintln(a.out)
		a.say("", "The judge is "+e.Judge)
	}
	switch {
	case len(e.Unlisted) > 0:
		fmt.Fprintln(a.out)
		a.say("", "Not listed, so refused: "+strings.Join(e.Unlisted, ", "))
	case len(e.Rules) == 0 && tool != "":
		fmt.Fprintln(a.out)
		a.say("", "Not listed, so refused: "+tool+", which no catalog of the contract has either")
	}
}

func grouped(r contract.RuleExplanation) string {
	if r.Group == "" {
		return ""
	}
	return "  from the group " + r.Group
}

// printRule prints what one rule says, and each that it extends.
func (a *app) printRule(r contract.RuleExplanation) {
	if r.Blocked {
		a.say("never", "any call")
		return // whatever it extends
	}
	a.say("takes", takes(r))
	a.printClauses(r)
	for base := r.Base; base != nil; base = base.Base {
		a.say("and", "as "+base.Path+" says:")
		a.printClauses(*base)
	}
	for _, l := range r.Limits {
		a.say("limit", l)
	}
}

// takes lists the arguments of a tool.
func takes(r contract.RuleExplanation) string {
	text := strings.Join(r.Arguments, "; ")
	if text == "" {
		text = "no arguments"
	}
	if r.Extra {
		text += "; and any that the tool does not declare"
	}
	return text
}

func (a *app) printClauses(r contract.RuleExplanation) {
	if r.Blocked {
		a.say("never", "any call")
		return
	}
	a.clauses("never", "if ", r.Never)
	a.clauses("alone", "if ", r.Allow)
	a.clauses("judged", "if ", r.Judge)
	for _, k := range r.Approve {
		a.clauses("asks", panel(k)+", if ", []contract.ClauseExplanation{k})
	}
	if !slices.ContainsFunc(slices.Concat(r.Allow, r.Judge, r.Approve), always) {
		a.say("else", "refused")
	}
}

// always reports whether a clause holds for every call with valid arguments.
func always(k contract.ClauseExplanation) bool { return len(k.Says) == 0 }

// clauses prints one line a clause. A clause without constraints is every call.
func (a *app) clauses(word, lead string, all []contract.ClauseExplanation) {
	for _, k := range all {
		if always(k) {
			a.say(word, strings.TrimSuffix(lead, "if ")+"any call")
			continue
		}
		a.say(word, lead+strings.Join(k.Says, ", and "))
	}
}

// panel names who is asked.
func panel(k contract.ClauseExplanation) string {
	who := "any approver"
	if len(k.Approvers) > 0 {
		who = yamlwalk.OneOf(k.Approvers)
	}
	if k.Quorum > 1 {
		who = fmt.Sprintf("%d of %s", k.Quorum, strings.Join(k.Approvers, ", "))
	}
	return who
}

// say prints a word in a column of its own, or none, and a text beside it, in
// lines that fit the terminal.
func (a *app) say(word, text string) {
	lead := ""
	if word != "" {
		lead = fmt.Sprintf("  %-6s ", word)
	}
	lines := wrap(printable(text), a.width()-len(lead), "")
	fmt.Fprintf(a.out, "%s%s\n", lead, strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", len(lead))))
}
