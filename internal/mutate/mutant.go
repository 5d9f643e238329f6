package mutate

import (
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Operator is a way to change a contract.
type Operator string

// The operators.
const (
	Drop         Operator = "drop"            // a constraint or condition is gone
	Weaken       Operator = "weaken"          // a constraint covers more than it did
	Widen        Operator = "widen"           // a bound is moved, by one and far
	DropClause   Operator = "drop-clause"     // a clause is gone
	SwapEffect   Operator = "swap-effect"     // allow for approve, and the like
	LoosenPin    Operator = "loosen-pin"      // an argument that was pinned to one value may have another
	LiftLimit    Operator = "lift-limit"      // a limit is higher, counts less, or is gone
	DropApproval Operator = "drop-approval"   // fewer people must agree, or others may, or for longer
	DropEntry    Operator = "drop-entry"      // a list has one entry less
	LoosenPlace  Operator = "loosen-place"    // a path, host, domain, command or table stands for more
	DropExcluded Operator = "drop-exclusion"  // an entry with ! is gone
	LoosenSource Operator = "loosen-source"   // a value may come from more places
	Extra        Operator = "extra-arguments" // arguments that are not declared are let through, or no more
	ShadowMode   Operator = "shadow-mode"     // nothing is enforced
)

// Operators returns all operators.
func Operators() []Operator {
	return []Operator{Drop, Weaken, Widen, DropClause, SwapEffect, LoosenPin, LiftLimit, DropApproval, DropEntry,
		LoosenPlace, DropExcluded, LoosenSource, Extra, ShadowMode}
}

// The kinds of what is changed that are no constraint or condition. For these
// the kind is their word.
const (
	KindClause    = "clause"
	KindLimit     = "limit"
	KindApprovals = "approvals"
	KindLabels    = "labels"
	KindExtra     = "extra_arguments"
	KindMode      = "mode"
	KindOptional  = "optional"
	KindApprovers = "$approvers"
	KindJudge     = "judge" // its settings
)

// Mutant is a contract with one change.
type Mutant struct {
	Operator Operator
	Kind     string // of what is changed: the word of a constraint or condition, or a Kind constant
	Line     int    // of what is changed, in the contract's text
	Path     string // of what is changed: agents.support.tools["bank.pay"].allow[0].amount.max
	Change   string // what became of it: 100 -> 101

	tool   string // beside which the rule stands that is changed; "" = the change is about more than one
	about  place  // what is changed; edit may replace more
	edit   edit
	source cases.Source // with the text of the mutant
	loaded *contract.Contract
}

// ID names the mutant among those of its contract, whatever the lines are.
func (m *Mutant) ID() string { return m.Path + ": " + m.Change }

// Apply makes the mutant's change in a text of the contract, also one that a
// case has edited.
func (m *Mutant) Apply(text []byte) ([]byte, error) { return m.edit.apply(text) }

// List returns the mutants of a contract that load, in the order of its text,
// each once. The error is that the contract itself does not load.
func List(s cases.Source) ([]*Mutant, error) {
	original, err := s.Load()
	if err != nil {
		return nil, err
	}
	r := yamlwalk.Reader{File: s.Name, What: "contract"}
	root := r.Parse(s.Text)
	if root == nil {
		return nil, errNoTree
	}
	l := lister{root: root}
	l.contract()
	seen, named := map[string]bool{original.Digest(): true}, map[string]bool{}
	all := slices.DeleteFunc(l.all, func(m *Mutant) bool {
		if m.load(s) != nil || named[m.ID()] || seen[m.loaded.Digest()] {
			return true
		}
		named[m.ID()], seen[m.loaded.Digest()] = true, true
		return false
	})
	slices.SortStableFunc(all, func(a, b *Mutant) int { return a.Line - b.Line })
	return all, nil
}

// load makes the mutant's contract.
func (m *Mutant) load(s cases.Source) error {
	text, err := m.Apply(s.Text)
	if err != nil {
		return err
	}
	m.source = s.With(text)
	m.loaded, err = m.source.Load()
	return err
}

// lister collects the changes of one contract.
type lister struct {
	root *yamlwalk.Node
	tool string // of the rule that is looked at
	all  []*Mutant
}

// add notes a change of the node at a place, nil taking it away.
func (l *lister) add(op Operator, kind string, at place, to *yamlwalk.Node) {
	old := at.from(l.root)
	m := &Mutant{Operator: op, Kind: kind, Path: at.String(), Change: changeOf(old, to), Line: l.line(at),
		tool: l.tool, about: at, edit: edit{at, to}}
	l.all = append(l.all, m)
}

// told notes a change of a whole rule that is better told at one of its clauses.
func (l *lister) told(op Operator, at place, change string, rule place, to *yamlwalk.Node) {
	l.all = append(l.all, &Mutant{Operator: op, Kind: KindClause, Path: at.String(), Change: change, Line: l.line(at),
		tool: l.tool, about: at, edit: edit{rule, to}})
}

// line returns the line of a place, or of what it would stand in.
func (l *lister) line(at place) int {
	for ; len(at) > 0; at = at.up() {
		if parent, last := at.up().from(l.root), at[len(at)-1]; parent != nil {
			for _, m := range parent.Members {
				if m.Key.Text == last.key {
					return m.Key.Line
				}
			}
			if last.key == "" && last.index < len(parent.Items) {
				return parent.Items[last.index].Line
			}
		}
	}
	return 1
}

// changeOf words a change in one line.
func changeOf(old, to *yamlwalk.Node) string {
	switch {
	case to == nil:
		return fmt.Sprintf("%s dropped", old.Flow())
	case old == nil:
		return fmt.Sprintf("%s added", to.Flow())
	}
	return fmt.Sprintf("%s -> %s", old.Flow(), to.Flow())
}
