package cases

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Kind says what an [Item] is.
type Kind string

// The kinds of items, each with what exercises one.
const (
	Clause     Kind = "clause"     // an answer is decided by it
	Constraint Kind = "constraint" // leaving it out changes an answer
	Limit      Kind = "limit"      // an answer is decided by it
)

// Item is one part of a contract that a case can exercise.
type Item struct {
	Contract  string // name of its file
	Line      int    // in it
	Kind      Kind
	Clause    string // path of the clause or limit: agents.support.tools["bank.pay"].allow[0]
	Part      string // of a constraint: argument and word, such as "amount min"
	Exercised bool

	at part
}

// part says where a constraint stands in the tree of a contract.
type part struct {
	agent, tool, list string
	index             int
	argument, word    string // word is "" where the argument's value is not a mapping
}

// Measure says which items of the suites' contracts their cases exercise, by
// what [Run] of the suites with Core returned. The items stand in the order of
// the contracts' texts.
//
// A constraint is exercised when some case would get another answer without
// it: there it decides alone. Measure finds out by leaving it out and playing
// once more the cases that call its tool.
func Measure(ctx context.Context, results []Result) ([]Item, error) {
	var all []Item
	for _, of := range byContract(results) {
		items := itemsOf(of[0].Suite.Contract)
		for i := range items {
			var err error
			if items[i].Exercised, err = items[i].exercised(ctx, of); err != nil {
				return nil, err
			}
		}
		all = append(all, items...)
	}
	return all, nil
}

// byContract groups results by the contract that their suites are about.
func byContract(results []Result) [][]Result {
	var groups [][]Result
	place := map[string]int{}
	for _, r := range results {
		i, known := place[r.Suite.Contract.Name]
		if !known {
			i = len(groups)
			place[r.Suite.Contract.Name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// exercised says whether the answers in results show that the item matters.
func (it Item) exercised(ctx context.Context, results []Result) (bool, error) {
	if it.Kind == Constraint {
		return it.matters(ctx, results)
	}
	return slices.ContainsFunc(results, func(r Result) bool {
		return slices.ContainsFunc(r.Answers, func(a Answer) bool { return decidedBy(a) == it.Clause })
	}), nil
}

// decidedBy returns the path of what decided an answer, "" if nothing of the
// contract did.
func decidedBy(a Answer) string {
	if len(a.Reasons) == 0 {
		return ""
	}
	switch r := a.Reasons[0]; r.Code {
	case authz.AllowClause, authz.ApproveClause, authz.Approved, authz.JudgeAllow, authz.JudgeBlock, authz.JudgeUnsure, authz.JudgeNoVerdict, authz.NeverClause, authz.BlockedTool, authz.LimitReached:
		return r.Clause
	}
	return ""
}

// matters says whether an answer changes when the constraint is left out.
func (it Item) matters(ctx context.Context, before []Result) (bool, error) {
	text, err := it.without(before[0].Suite.Contract)
	if err != nil {
		return false, err
	}
	var suites []*Suite
	was := map[*Case]Result{}
	for _, r := range before {
		if r.Status != Broken && r.Status != Unsupported && r.Case.Calls(it.at.tool) {
			was[r.Case] = r
			suites = append(suites, r.Suite)
		}
	}
	slices.SortFunc(suites, func(a, b *Suite) int { return cmp.Compare(a.Name, b.Name) })
	after, err := Run(ctx, Core{}, slices.Compact(suites), Options{
		Select: func(_ *Suite, c *Case) bool { _, ok := was[c]; return ok },
		Change: text,
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(after, func(r Result) bool {
		return !slices.EqualFunc(r.Answers, was[r.Case].Answers, sameAnswer)
	}), nil
}

// Calls says whether some step of c may call a tool of the rule that is written
// beside ref: server.tool, a group of them, or server:method.
func (c *Case) Calls(ref string) bool {
	prefix, group := strings.CutSuffix(ref, "*")
	return slices.ContainsFunc(c.Steps, func(s Step) bool {
		call, ok := s.Act.(Call)
		name := call.Server + "." + call.Tool
		return ok && (call.Raw != nil || name == ref || group && strings.HasPrefix(name, prefix))
	})
}

func sameAnswer(a, b Answer) bool {
	if len(a.Reasons) == 0 || len(b.Reasons) == 0 {
		return a.Verdict == b.Verdict && len(a.Reasons) == len(b.Reasons)
	}
	return a.Verdict == b.Verdict && a.Reasons[0].Code == b.Reasons[0].Code && a.Reasons[0].Clause == b.Reasons[0].Clause
}

// without returns what leaves the constraint out of a contract's text: alone,
// or, where another word is refused without it, with all that stands beside the
// argument.
func (it Item) without(s Source) (func([]byte) ([]byte, error), error) {
	whole := it.at
	whole.word = ""
	var err error
	for _, p := range []part{it.at, whole} {
		var text []byte
		if text, err = p.cut(s.Text); err == nil {
			if _, err = s.With(text).Load(); err == nil {
				return p.cut, nil
			}
		}
	}
	return nil, fmt.Errorf("leaving %s out of %s: %w", it.Part, it.Clause, err)
}

// cut returns the text of a contract without p; unchanged if p is not in it.
func (p part) cut(text []byte) ([]byte, error) {
	r := yamlwalk.Reader{File: "contract", What: "contract"}
	root := r.Parse(text)
	if len(r.Problems) > 0 {
		return nil, r.Problems
	}
	list := root.Get("agents").Get(p.agent).Get("tools").Get(p.tool).Get(p.list)
	if list == nil || p.index >= len(list.Items) {
		return text, nil
	}
	from, name := list.Items[p.index], p.argument
	if p.word != "" {
		from, name = from.Get(p.argument), p.word
	}
	if from.Get(name) == nil {
		return text, nil
	}
	from.Members = slices.DeleteFunc(from.Members, func(m yamlwalk.Member) bool { return m.Key.Text == name })
	if p.word != "" && len(from.Members) == 0 {
		return part{p.agent, p.tool, p.list, p.index, p.argument, ""}.cut(root.Flow())
	}
	return root.Flow(), nil
}

// itemsOf lists what a contract has to exercise. It was loaded before, so its
// tree has the shape of a contract.
func itemsOf(s Source) []Item {
	r := yamlwalk.Reader{File: s.Name, What: "contract"}
	l := lister{contract: s.Name}
	for _, agent := range members(r.Parse(s.Text).Get("agents")) {
		path := "agents." + agent.Key.Text
		for _, tool := range members(agent.Value.Get("tools")) {
			l.rule(path, agent.Key.Text, tool)
		}
		l.limits(path, agent.Value.Get("limits"))
	}
	return l.items
}

func members(n *yamlwalk.Node) []yamlwalk.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

type lister struct {
	contract string
	items    []Item
}

func (l *lister) add(line int, kind Kind, clause, name string, at part) {
	l.items = append(l.items, Item{Contract: l.contract, Line: line, Kind: kind, Clause: clause, Part: name, at: at})
}

// rule lists the clauses, constraints and limits of one tool.
func (l *lister) rule(path, agent string, tool yamlwalk.Member) {
	path += fmt.Sprintf(".tools[%q]", tool.Key.Text)
	if word := tool.Value; word.Kind == toolcall.String {
		if word.Text != "block" {
			path += "." + word.Text + "[0]"
		}
		l.add(word.Line, Clause, path, "", part{})
		return
	}
	for _, list := range tool.Value.Members {
		if list.Key.Text == "limits" {
			l.limits(path, list.Value)
			continue
		}
		for i, clause := range list.Value.Items {
			at := part{agent: agent, tool: tool.Key.Text, list: list.Key.Text, index: i}
			l.clause(fmt.Sprintf("%s.%s[%d]", path, list.Key.Text, i), clause, at)
		}
	}
}

// unbinding are words of a clause that are no constraints: how `from` reads
// numbers, and who is asked.
var unbinding = []string{"numbers", "$approvers", "$quorum"}

// clause lists a clause and its constraints.
func (l *lister) clause(path string, n *yamlwalk.Node, at part) {
	l.add(n.Line, Clause, path, "", part{})
	for _, argument := range n.Members {
		at.argument, at.word = argument.Key.Text, ""
		if slices.Contains(unbinding, at.argument) {
			continue
		}
		if argument.Value.Kind != toolcall.Object {
			l.add(argument.Key.Line, Constraint, path, at.argument, at)
			continue
		}
		for _, word := range argument.Value.Members {
			if at.word = word.Key.Text; !slices.Contains(unbinding, at.word) {
				l.add(word.Key.Line, Constraint, path, strings.Join([]string{at.argument, at.word}, " "), at)
			}
		}
	}
}

func (l *lister) limits(path string, n *yamlwalk.Node) {
	if n == nil {
		return
	}
	for i, limit := range n.Items {
		l.add(limit.Line, Limit, fmt.Sprintf("%s.limits[%d]", path, i), "", part{})
	}
}
