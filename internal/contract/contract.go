package contract

import (
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/sqlcheck"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Contract is a checked contract. It is immutable and safe for concurrent use;
// only [Load] makes one.
type Contract struct {
	name      string
	digest    string
	agents    map[string]*Agent
	catalogs  map[string]Catalog
	approvals Approvals
	judge     Judge
	redact    map[string]redaction // by server.tool
	sources   map[string]bool      // server.tool whose results some clause reads
	watched   map[string]*watched  // by server.tool
}

// watched is what the grants of one tool leave in their session.
type watched struct{ arguments []toolcall.Path }

// Catalog is what a contract says of one server.
type Catalog struct {
	Server   string
	Pin      string           // digest of Approved, "sha256:..."
	File     string           // where the approved copy lies, as written in the contract
	Approved *catalog.Catalog // the approved copy
	Resolve  bool             // the gate shares the server's file system; false for `resolve: none`
}

// Approvals says how held calls are answered.
type Approvals struct {
	Expire    time.Duration // from the making of a ticket to the end of its use
	Approvers []string      // who may answer, sorted; empty = every configured approver
	Quorum    int           // how many of them must agree, at least 1
}

// Judge says who judges the calls that a judge clause hands over, and what
// follows where the opinion is not "allow".
type Judge struct {
	Model       string        // [BuiltinJudge], or a name that the operator's file of models explains
	OnBlock     authz.Verdict // Block or RequireApproval: of the opinion "block"
	OnNoVerdict authz.Verdict // the same where there is no usable opinion, and the failure is none that always blocks

	// Of a model only; the builtin judge has none of it.
	Policy   string // [RulesPolicy] or [ImplicitPolicy]
	Votes    int    // 1, 3 or 5
	TwoStage bool   // one letter first, where nothing is at stake

	Results   bool // the model sees the results of earlier calls, too
	NoFacts   bool // it does not see the facts that code computed
	NoSignals bool // it does not see what collectors saw of the environment
}

// The policies, in words, by which a model judges.
const (
	RulesPolicy    = "rules"
	ImplicitPolicy = "implicit"
)

// BuiltinJudge is the judge that needs no model, and the one of a contract that
// names none.
const BuiltinJudge = "builtin/grounded"

// Agent is what one agent may do.
type Agent struct {
	Name   string
	Token  string           // name of the credential that speaks as the agent; "" = only doors that are started locally for it
	Shadow bool             // `mode: shadow`: decide and record, hold nothing
	base   *Agent           // that it extends
	rules  map[string]*Rule // by Rule.Ref
	limits []*limit
}

// Name returns the name of the contract.
func (c *Contract) Name() string { return c.name }

// Digest returns "sha256:..." over the canonical form of the contract and the
// digests of all files it names (rule 11 of the language). Comments, the order
// of keys and the spelling of numbers and durations do not change it.
func (c *Contract) Digest() string { return c.digest }

// Agents returns the names of all agents, sorted.
func (c *Contract) Agents() []string { return slices.Sorted(maps.Keys(c.agents)) }

// Agent returns the agent of that name, or nil if the contract has none.
func (c *Contract) Agent(name string) *Agent { return c.agents[name] }

// Servers returns the names of all servers with a catalog, sorted.
func (c *Contract) Servers() []string { return slices.Sorted(maps.Keys(c.catalogs)) }

// Catalog returns what the contract says of server, and whether it knows it.
func (c *Contract) Catalog(server string) (Catalog, bool) {
	k, ok := c.catalogs[server]
	return k, ok
}

// Approvals returns how held calls are answered.
func (c *Contract) Approvals() Approvals {
	a := c.approvals
	a.Approvers = slices.Clone(a.Approvers)
	return a
}

// Judge returns who judges the calls that judge clauses hand over.
func (c *Contract) Judge() Judge { return c.judge }

// Reads says whether some clause reads the results of a tool for `from`. Those
// of others need not be kept.
func (c *Contract) Reads(server, tool string) bool { return c.sources[ref(server, tool)] }

// Writer returns the first clause that lets an agent write the absolute path,
// and whether there is one. A contract must not lie where its agents write
// (rule 6 of the language, last sentence).
func (c *Contract) Writer(path string, p constraint.Places) (clause string, ok bool) {
	for _, name := range c.Agents() {
		for _, r := range c.agents[name].Rules() {
			for _, k := range slices.Concat(r.Allow, r.Judge, r.Approve) {
				if k.mayWrite(path, p) {
					return k.path, true
				}
			}
		}
	}
	return "", false
}

// Redact returns the arguments of a call as evidence may keep them, and whether
// the contract names any argument of that tool under `evidence: redact`; the
// digests of such calls must be keyed. It also serves calls that no rule lists.
func (c *Contract) Redact(server, tool string, args toolcall.Value) (toolcall.Value, bool) {
	return c.redact[ref(server, tool)].apply(args)
}

// Watches says whether grants of a tool must leave marks in their session, for
// conditions on it, and of which arguments the values.
func (c *Contract) Watches(server, tool string) (arguments []toolcall.Path, ok bool) {
	w := c.watched[ref(server, tool)]
	if w == nil {
		return nil, false
	}
	return slices.Clone(w.arguments), true
}

// watch notes what conditions ask of the granted calls of a session.
func (c *Contract) watch(all []constraint.Watch) {
	c.watched = map[string]*watched{}
	note := func(ref string, argument toolcall.Path) {
		w := c.watched[ref]
		if w == nil {
			w = &watched{}
			c.watched[ref] = w
		}
		known := slices.ContainsFunc(w.arguments, func(p toolcall.Path) bool { return p.String() == argument.String() })
		if !argument.Empty() && !known {
			w.arguments = append(w.arguments, argument)
		}
	}
	for _, watch := range all {
		if !watch.All {
			note(ref(watch.Server, watch.Tool), watch.Argument)
			continue
		}
		for _, a := range c.agents {
			for _, r := range a.rules {
				if r.Tool != "" {
					note(r.Ref(), toolcall.Path{})
				}
			}
		}
	}
}

// Rules returns all rules of the agent, those of agents that it extends
// included, sorted by what they are about.
func (a *Agent) Rules() []*Rule {
	var rules []*Rule
	for _, ref := range slices.Sorted(maps.Keys(a.rules)) {
		rules = append(rules, a.rules[ref])
	}
	return rules
}

// ReadsSQL reports whether some clause of the agent's rules, or of those that they
// extend, has a `sql` constraint on text of a dialect.
func (a *Agent) ReadsSQL(d sqlcheck.Dialect) bool {
	for _, r := range a.Rules() {
		for ; r != nil; r = r.base {
			for _, k := range slices.Concat(r.Never, r.Allow, r.Judge, r.Approve) {
				if slices.ContainsFunc(k.constraints, func(c constrained) bool { return c.set.ReadsSQL(d) }) {
					return true
				}
			}
		}
	}
	return false
}

// Rule returns the rule for one tool (method [ToolsCall]) or for another method
// of a server, where tool does not count; nil if the agent's contract does not
// list it. What an extension does not mention has the rule of the agent that it
// extends.
func (a *Agent) Rule(server, method, tool string) *Rule {
	return a.rules[methodRef(server, method, tool)]
}
