package main

import (
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/toolcall"
)

// newLicet returns the engine of this project under the contract of w.
func newLicet(w workload) (engine, error) {
	c, err := loadContract(w)
	if err != nil {
		return engine{}, err
	}
	return engine{name: "licet", holds: true, decide: func(r request) (answer, error) { return decideLicet(c, r) }}, nil
}

// decideLicet goes the way of a call through the gate, without its store:
// parse, call, digest, facts, decision.
func decideLicet(c *contract.Contract, r request) (answer, error) {
	m, err := toolcall.ParseMessage(r.message, toolcall.Bounds{})
	if err != nil {
		return blocked, err
	}
	call, err := m.Call(r.agent, server)
	if err != nil {
		return blocked, err
	}
	if call.Digest() == "" {
		return blocked, fmt.Errorf("call %s has no digest", m.RawID)
	}
	if err := knowAll(c, call); err != nil {
		return blocked, err
	}
	switch decide.Decide(c, call, decide.Facts{Live: catalog.Pinned}).Verdict {
	case authz.Allow:
		return allowed, nil
	case authz.RequireApproval:
		return held, nil
	default:
		return blocked, nil
	}
}

// knowAll asks the contract what it must know for this call. This workload is
// about the contract alone, so there must be nothing.
func knowAll(c *contract.Contract, call toolcall.Call) error {
	rule := c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool)
	if rule == nil {
		return nil
	}
	if questions := rule.Questions(call.Arguments); len(questions) > 0 {
		return fmt.Errorf("the contract asks %s", questions[0].Key)
	}
	takes, err := rule.Takes(contract.Caller{}, call.Arguments)
	if err == nil && len(takes) > 0 {
		err = fmt.Errorf("the contract counts %s", takes[0].Counter)
	}
	return err
}

// loadContract loads the contract of w with its catalog.
func loadContract(w workload) (*contract.Contract, error) {
	approved := w.catalog()
	k, err := catalog.Parse(approved)
	if err != nil {
		return nil, err
	}
	return contract.Load("licet.yaml", w.contract(k.Digest()), func(string) ([]byte, error) { return approved, nil })
}

// catalog writes the approved copy of the server's tools.
func (w workload) catalog() []byte {
	var b strings.Builder
	b.WriteString(`{"tools": [`)
	for t := range w.tools {
		if t > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"name": %q, "description": "Does one of many things.", "inputSchema": {"type": "object", "properties": {`+
			`"env": {"type": "string"}, "repo": {"type": "string"}, "amount": {"type": "integer", "minimum": 0}, "path": {"type": "string"}, `+
			`"note": {"type": "string"}, "dry_run": {"type": "boolean"}}, `+
			`"required": ["env", "repo", "amount", "path", "note", "dry_run"]}}`, toolName(t))
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// contract writes the policy as a contract, with the digest of the catalog.
func (w workload) contract(pin string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: bench\ncatalogs:\n  %s: {pin: %q, tools: desk.json, resolve: none}\nagents:\n", server, pin)
	for a := range w.agents {
		fmt.Fprintf(&b, "  %s:\n    tools:\n", agentName(a))
		for t := range w.tools {
			switch {
			case !w.granted(a, t):
			case a < small.agents:
				writeRule(&b, t)
			default: // a short rule, or the contract would be longer than may be read
				fmt.Fprintf(&b, "      %s.%s: {allow: [{env: {in: [dev]}, amount: {min: 1, max: %d}}]}\n", server, toolName(t), boundsOf(t).most)
			}
		}
	}
	return []byte(b.String())
}

func writeRule(b *strings.Builder, t int) {
	x := boundsOf(t)
	clause := func(most int) string {
		return fmt.Sprintf(`[{env: {in: [%s]}, repo: {pattern: %q}, amount: {min: 1, max: %d}, path: {path: {read: ["%s/**"]}}, note: {length: {max: %d}}, dry_run: {const: %t}}]`,
			quoted(x.envs), x.pattern(), most, x.dir, x.longest, x.dryRun)
	}
	fmt.Fprintf(b, "      %s.%s:\n", server, toolName(t))
	fmt.Fprintf(b, "        never: [{repo: {in: [%s]}}, {path: {path: {read: [\"%s/%s/**\"]}}}]\n", quoted(neverRepos), x.dir, neverDir)
	fmt.Fprintf(b, "        allow: %s\n        approve: %s\n", clause(x.most), clause(10*x.most))
}

// quoted writes texts as a list in quotes, the same in every language here.
func quoted(texts []string) string {
	return `"` + strings.Join(texts, `", "`) + `"`
}
