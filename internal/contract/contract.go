package contract

import (
	"maps"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
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
	redact    map[string]redaction // by server.tool
	sources   map[string]bool      // server.tool whose results some clause reads
}

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

// Agent is what one agent may do.
type Agent struct {
	Name   string
	rules  map[string]*Rule // by server.tool
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

// Reads says whether some clause reads the results of a tool for `from`. Those
// of others need not be kept.
func (c *Contract) Reads(server, tool string) bool { return c.sources[ref(server, tool)] }

// Writer returns the first clause that lets an agent write the absolute path,
// and whether there is one. A contract must not lie where its agents write
// (rule 6 of the language, last sentence).
func (c *Contract) Writer(path string, p constraint.Places) (clause string, ok bool) {
	for _, name := range c.Agents() {
		for _, r := range c.agents[name].Rules() {
			for _, k := range slices.Concat(r.Allow, r.Approve) {
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

// Rules returns all rules of the agent, sorted by server and tool.
func (a *Agent) Rules() []*Rule {
	var rules []*Rule
	for _, ref := range slices.Sorted(maps.Keys(a.rules)) {
		rules = append(rules, a.rules[ref])
	}
	return rules
}

// Rule returns the rule for one tool, or nil if the agent's contract does not
// list it. Methods other than [ToolsCall] are never listed in this version.
func (a *Agent) Rule(server, method, tool string) *Rule {
	if method != ToolsCall {
		return nil
	}
	return a.rules[ref(server, tool)]
}

// ref names a tool as contracts do. Server names have no dot, so it is
// unambiguous.
func ref(server, tool string) string { return server + "." + tool }
