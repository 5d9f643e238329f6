package learn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/trajectory"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Example is a trace whose calls are to be permitted, and the server of its tools.
type Example struct {
	Server string
	Trace  *trajectory.Trajectory
}

// Proposal is a contract that nobody has looked at yet.
type Proposal struct {
	Text      []byte
	Unbounded []string // arguments, as server.tool argument, about which it says nothing
}

// Bounds of what is taken for a rule.
const (
	maxSources  = 4 // of one argument
	maxLiterals = 3 // values that no source states, of one argument
	longLiteral = 64
)

// Propose returns a contract with the catalogs of base, each file named by place, for
// one agent. Tools that no example calls are left out, so they are blocked.
func Propose(ctx context.Context, base *contract.Contract, agent string, place func(file string) string, examples []Example) (Proposal, error) {
	c := collector{tools: map[string]*tool{}}
	for _, e := range examples {
		if err := c.trace(ctx, e.Server, e.Trace); err != nil {
			return Proposal{}, fmt.Errorf("collecting calls: %w", err)
		}
	}
	var p Proposal
	var b strings.Builder
	fmt.Fprintf(&b, "# Proposed from %d traces. It permits what they did and guesses at the rest:\n# read it, and cut, before anything runs under it.\n", len(examples))
	fmt.Fprintf(&b, "version: 1\nname: proposal\ncatalogs:\n")
	for _, server := range base.Servers() {
		pinned, _ := base.Catalog(server) // each server has one
		fmt.Fprintf(&b, "  %s: {pin: %q, tools: %q", server, pinned.Pin, place(pinned.File))
		if !pinned.Resolve {
			b.WriteString(", resolve: none")
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "agents:\n  %s:\n    tools:\n", agent)
	for _, ref := range slices.Sorted(maps.Keys(c.tools)) {
		if !inCatalog(base, ref) {
			continue
		}
		p.Unbounded = append(p.Unbounded, c.tools[ref].write(&b, ref)...)
	}
	text, err := contract.Format("proposal", []byte(b.String()))
	if err != nil {
		return p, fmt.Errorf("laying out the proposal: %w", err)
	}
	p.Text = text
	return p, nil
}

// inCatalog says whether a tool that was called is one that its server has.
func inCatalog(c *contract.Contract, ref string) bool {
	server, name, _ := strings.Cut(ref, ".")
	pinned, ok := c.Catalog(server)
	if !ok {
		return false
	}
	_, known := pinned.Approved.Tool(name)
	return known
}

// write writes the rule for a tool and returns its unbounded arguments.
func (t *tool) write(b *strings.Builder, ref string) (unbounded []string) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(t.args)) {
		a := t.args[name]
		constraint := a.constraint()
		if constraint == "" {
			unbounded = append(unbounded, ref+" "+name)
			continue
		}
		if a.present < t.calls {
			constraint += ", optional: true"
		}
		key := yamlwalk.Text((toolcall.Path{}).Member(name).String())
		lines = append(lines, key+": {"+constraint+"}")
	}
	if len(lines) == 0 {
		fmt.Fprintf(b, "      %s: allow\n", ref)
		return unbounded
	}
	fmt.Fprintf(b, "      %s:\n        allow:\n          - %s\n", ref, strings.Join(lines, "\n            "))
	return unbounded
}

// constraint returns the words of a constraint that all values of an argument meet,
// "" if there is none to be had.
func (a *argument) constraint() string {
	if a.opaque {
		return ""
	}
	sources, left := cover(a.values)
	switch {
	case len(left) == 0:
		return "from: [" + join(sources) + "]"
	case allNumbers(a.values):
		least, greatest := spread(a.values)
		return fmt.Sprintf("min: %s, max: %s", least, greatest)
	}
	literals := distinct(left)
	if len(literals) > maxLiterals || len(a.values) < 2*len(literals) {
		return "" // as many values as calls: these are no few that come again
	}
	for _, l := range literals {
		if len(l) > longLiteral {
			return ""
		}
	}
	return "from: [" + join(append(sources, source("{literal: ["+strings.Join(literals, ", ")+"]}"))) + "]"
}

// cover chooses few sources that together state as many values as can be, each time
// the one that states most of what is left. It returns what they leave.
func cover(values []value) (chosen []source, left []value) {
	left = values
	for len(left) > 0 && len(chosen) < maxSources {
		count := map[source]int{}
		for _, v := range left {
			for _, s := range v.sources {
				count[s]++
			}
		}
		best := source("")
		for _, s := range slices.Sorted(maps.Keys(count)) {
			if best == "" || count[s] > count[best] {
				best = s
			}
		}
		if best == "" {
			return chosen, left
		}
		chosen = append(chosen, best)
		left = slices.DeleteFunc(slices.Clone(left), func(v value) bool { return slices.Contains(v.sources, best) })
	}
	return chosen, left
}

func join(all []source) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

func allNumbers(all []value) bool {
	return !slices.ContainsFunc(all, func(v value) bool { return v.Kind() != toolcall.Number })
}

// spread returns the least and the greatest of some numbers.
func spread(all []value) (least, greatest toolcall.Decimal) {
	least, greatest = all[0].Number(), all[0].Number()
	for _, v := range all {
		if v.Number().Cmp(least) < 0 {
			least = v.Number()
		}
		if v.Number().Cmp(greatest) > 0 {
			greatest = v.Number()
		}
	}
	return least, greatest
}

// distinct returns the canonical texts of values, sorted, each once.
func distinct(all []value) []string {
	seen := map[string]bool{}
	for _, v := range all {
		seen[v.Canonical()] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
