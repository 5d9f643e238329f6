package contract

import (
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// maxExtends bounds how many agents one extends, directly and through others.
const maxExtends = 8

// agents reads what each agent may do. An agent is read after the one that it
// extends.
func (l *loader) agents(n *yamlwalk.Node, c *Contract) map[string]*Agent {
	c.agents = map[string]*Agent{}
	if !l.Is(n, toolcall.Object, "a mapping of agents") {
		return c.agents
	}
	nodes := map[string]*yamlwalk.Node{}
	for _, m := range n.Members {
		nodes[l.Name(m.Key, "name of an agent")] = m.Value
	}
	for _, m := range n.Members {
		l.agent(m.Key.Text, nodes, c, nil)
	}
	l.oneCredentialEach(n, c)
	return c.agents
}

// agent reads one agent, unless it was read before. waiting are the agents that
// extend it and wait for it.
func (l *loader) agent(name string, nodes map[string]*yamlwalk.Node, c *Contract, waiting []string) *Agent {
	if a, done := c.agents[name]; done {
		return a
	}
	n := nodes[name]
	a := &Agent{Name: name, rules: map[string]*Rule{}}
	if l.Mapping(n, agentWords) {
		if e := n.Get("extends"); e != nil {
			a.base = l.extended(e, nodes, c, slices.Concat(waiting, []string{name}))
		}
		l.identity(n, a)
		l.rules(n, a, c)
	}
	c.agents[name] = a
	return a
}

// extended returns the agent that n names, nil after reporting that there is
// none to extend.
func (l *loader) extended(n *yamlwalk.Node, nodes map[string]*yamlwalk.Node, c *Contract, waiting []string) *Agent {
	if !l.Is(n, toolcall.String, "the name of an agent") {
		return nil
	}
	known := make([]string, 0, len(nodes))
	for name := range nodes {
		known = append(known, name)
	}
	slices.Sort(known)
	if nodes[n.Text] == nil {
		l.Report(n, yamlwalk.DidYouMean(n.Text, known), "unknown agent %q: the contract has %s", n.Text, listed(known, "agents"))
		return nil
	}
	if i := slices.Index(waiting, n.Text); i >= 0 {
		l.Report(n, "", "agents extend one another: %s", strings.Join(slices.Concat(waiting[i:], []string{n.Text}), " extends "))
		return nil
	}
	base := l.agent(n.Text, nodes, c, waiting)
	if base.depth() == maxExtends {
		l.Report(n, "", "more than %d agents extend one another in a row", maxExtends)
	}
	return base
}

// depth counts the agents that a extends, directly and through others.
func (a *Agent) depth() int {
	if a.base == nil {
		return 0
	}
	return a.base.depth() + 1
}

// identity reads who may speak as the agent, and its mode.
func (l *loader) identity(n *yamlwalk.Node, a *Agent) {
	if by := n.Get("authenticate"); by != nil && l.Mapping(by, authenticateWords) {
		if token := l.Need(by, "token", authenticateWords); !token.Broken {
			a.Token = l.Name(token, "name of a credential")
		}
	}
	if mode := n.Get("mode"); mode != nil && l.Is(mode, toolcall.String, `the word "shadow"`) && l.Word(mode, modeWords) {
		a.Shadow = true
	}
}

// rules reads what an agent may do: its own rules, those of the agent that it
// extends for what it does not mention, and the limits over all of them.
func (l *loader) rules(n *yamlwalk.Node, a *Agent, c *Contract) {
	tools := n.Get("tools")
	if tools == nil && n.Get("extends") == nil {
		tools = l.Need(n, "tools", agentWords)
	}
	if tools != nil && l.Is(tools, toolcall.Object, "a mapping of tools to rules") {
		for _, e := range l.entries(tools, a.base) {
			a.rules[e.ref()] = l.rule(a, e, c)
		}
	}
	a.inherit()
	a.joinWriters()
	if limits := n.Get("limits"); limits != nil {
		a.limits = l.limits(place{agent: a.Name}, limits, l.open(a))
	}
	for _, r := range a.rules {
		r.count(a)
		r.asks = r.mayAsk()
	}
}

// inherit gives the agent the rules of the one that it extends: as they are for
// what it does not mention, else as the base of its own.
func (a *Agent) inherit() {
	if a.base == nil {
		return
	}
	for ref, r := range a.base.rules {
		if own := a.rules[ref]; own != nil {
			own.base = r
			continue
		}
		inherited := *r
		inherited.inherited = true
		a.rules[ref] = &inherited
	}
}

// open returns what a limit over the whole agent must be able to count.
func (l *loader) open(a *Agent) []subject {
	var all []subject
	for _, r := range a.Rules() {
		if !r.Blocked {
			all = append(all, r.subject)
		}
	}
	return all
}

// oneCredentialEach refuses a credential that speaks for two agents.
func (l *loader) oneCredentialEach(n *yamlwalk.Node, c *Contract) {
	speaks := map[string]string{}
	for _, m := range n.Members {
		a := c.agents[m.Key.Text]
		if a.Token == "" {
			continue
		}
		if other, taken := speaks[a.Token]; taken {
			l.Report(m.Value.Get("authenticate").Get("token"), "one credential speaks for one agent", "the credential %q speaks for agent %q already", a.Token, other)
		}
		speaks[a.Token] = a.Name
	}
}
