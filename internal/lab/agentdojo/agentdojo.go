package agentdojo

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/licet-dev/licet/contracts"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/lab/trajectory"
)

//go:embed data
var files embed.FS

const version = "data/v1.2"

// Agent is the agent of every contract here.
const Agent = "assistant"

// Suites returns the names of the four suites; each is also the name of its
// server in contracts.
func Suites() []string { return []string{"banking", "slack", "travel", "workspace"} }

// Kind says whose tasks traces solve.
type Kind string

// The kinds of traces.
const (
	User      Kind = "user"      // an honest task
	Injection Kind = "injection" // the goal of an attacker; 9 of the 35 have no calls
	Pair      Kind = "pair"      // what an honest task reads, with an attacker's text in it, and then the attacker's calls
)

// Traces returns the ground truth of a suite's tasks, with results.
func Traces(suite string, kind Kind) ([]*trajectory.Trajectory, error) {
	name := path.Join(version, suite, string(kind)+"_traces.jsonl")
	if kind == Pair {
		name += ".gz"
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []*trajectory.Trajectory
	for t, err := range trajectory.Read(name, file, trajectory.Options{}) {
		if err != nil {
			return nil, err
		}
		t.Labels["suite"] = suite
		all = append(all, t)
	}
	return all, nil
}

// Catalog returns the tools of a suite.
func Catalog(suite string) (*catalog.Catalog, error) {
	text, err := toolsOf(suite)
	if err != nil {
		return nil, err
	}
	return catalog.Parse(text)
}

// toolsOf returns a suite's tools in the form of a catalog's file.
func toolsOf(suite string) ([]byte, error) {
	return contracts.AgentDojo.ReadFile("agentdojo/catalogs/" + suite + ".json")
}

// Provenance returns the contract with arguments and provenance, which has all
// suites as servers.
func Provenance() (cases.Source, error) {
	const name = "contracts/agentdojo/licet.yaml"
	text, err := contracts.AgentDojo.ReadFile("agentdojo/licet.yaml")
	if err != nil {
		return cases.Source{}, err
	}
	return cases.ReadSource(name, text, func(file string) ([]byte, error) {
		return contracts.AgentDojo.ReadFile(path.Join("agentdojo", file))
	})
}

// reading begins the names of tools that say of themselves that they read.
var reading = []string{"get_", "search_", "read_", "list_", "check_"}

// ByName returns the verdict that a tool's name alone gives.
func ByName(_, tool string) authz.Verdict {
	for _, prefix := range reading {
		if strings.HasPrefix(tool, prefix) {
			return authz.Allow
		}
	}
	return authz.RequireApproval
}

// rules are the words of contracts for verdicts.
var rules = map[authz.Verdict]string{authz.Allow: "allow", authz.RequireApproval: "approve", authz.Block: "block"}

// Contract returns the contract for a suite that gives each tool one verdict,
// whatever its arguments are.
func Contract(suite string, verdict func(suite, tool string) authz.Verdict) (cases.Source, error) {
	text, err := toolsOf(suite)
	if err != nil {
		return cases.Source{}, err
	}
	c, err := catalog.Parse(text)
	if err != nil {
		return cases.Source{}, fmt.Errorf("%s: %w", suite, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: agentdojo-%s\ncatalogs:\n  %[1]s: {pin: %q, tools: tools.json}\n", suite, c.Digest())
	fmt.Fprintf(&b, "agents:\n  %s:\n    tools:\n", Agent)
	for _, t := range c.Tools {
		fmt.Fprintf(&b, "      %s.%s: %s\n", suite, t.Name, rules[verdict(suite, t.Name)])
	}
	return cases.Source{Name: "licet.yaml", Text: []byte(b.String()), Files: map[string][]byte{"tools.json": text}}, nil
}
