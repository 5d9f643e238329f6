package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
	"github.com/licet-dev/licet/internal/yamlwalk"
)

// Suffix ends the name of the file of reasons that lies beside a contract, in
// place of .yaml.
const Suffix = ".mutants.yaml"

// Reasons are why no call can tell mutants from their contract where nothing
// proves it: a person's words. The zero Reasons are none.
type Reasons struct {
	Why map[string]string // by ID of the mutant

	reader yamlwalk.Reader
	at     map[string]*yamlwalk.Node
}

// The words of a file of reasons.
var (
	reasonsWords = yamlwalk.Words{Place: "a file of reasons", Known: []string{"equivalent"}}
	reasonWords  = yamlwalk.Words{Place: "a reason", Known: []string{"mutant", "why"}}
)

// ParseReasons reads a file of reasons:
//
//	equivalent:
//	  - mutant: 'agents.a.tools["t.x"].allow[0].n.max: 5 -> 6'
//	    why: the schema says that n is at most 5
//
// The error is [yamlwalk.Problems]; name stands for the file in it.
func ParseReasons(name string, text []byte) (Reasons, error) {
	r := Reasons{Why: map[string]string{}, at: map[string]*yamlwalk.Node{}, reader: yamlwalk.Reader{File: name, What: "file of reasons"}}
	root := r.reader.Parse(text)
	if root != nil && r.reader.Mapping(root, reasonsWords) {
		list := r.reader.Need(root, "equivalent", reasonsWords)
		if r.reader.Is(list, toolcall.Array, "a list of reasons") {
			for _, n := range r.reader.Elements(list, "equivalent") {
				r.read(n)
			}
		}
	}
	if len(r.reader.Problems) > 0 {
		return Reasons{}, r.reader.Problems.Sorted()
	}
	return r, nil
}

// read reads one reason.
func (r *Reasons) read(n *yamlwalk.Node) {
	if !r.reader.Mapping(n, reasonWords) {
		return
	}
	id, why := r.reader.Need(n, "mutant", reasonWords), r.reader.Need(n, "why", reasonWords)
	if !r.reader.Is(id, toolcall.String, "the change, as reports word it") || !r.reader.Is(why, toolcall.String, "why no call can tell") {
		return
	}
	if strings.TrimSpace(why.Text) == "" {
		r.reader.Report(why, "", "a reason says why no call can tell the two contracts apart")
	}
	if _, again := r.Why[id.Text]; again {
		r.reader.Report(id, "", "a reason for this mutant stands above")
	}
	r.Why[id.Text], r.at[id.Text] = why.Text, id
}

// known refuses reasons for what is no mutant of the contract.
func (r Reasons) known(mutants []*Mutant) error {
	ids := make([]string, len(mutants))
	for i, m := range mutants {
		ids[i] = m.ID()
	}
	return r.stale(func(id string) string {
		if slices.Contains(ids, id) {
			return ""
		}
		return "the contract has no such mutant"
	})
}

// needed refuses reasons for mutants that need none.
func (r Reasons) needed(outcomes []Outcome) error {
	by := map[string]Outcome{}
	for _, o := range outcomes {
		by[o.ID()] = o
	}
	return r.stale(func(id string) string {
		switch o, ran := by[id]; {
		case !ran, o.Recorded && o.Suggestion == nil:
			return ""
		case o.Recorded:
			return "a call tells the two apart: " + o.Suggestion.String()
		case o.State == Killed:
			return fmt.Sprintf("the case %q notices it", o.By.Name)
		default:
			return "it is proven: " + o.Why
		}
	})
}

// stale reports every reason for which why says something.
func (r Reasons) stale(why func(id string) string) error {
	reader := yamlwalk.Reader{File: r.reader.File}
	for id, n := range r.at {
		if w := why(id); w != "" {
			reader.Report(n, "remove it", "a stale reason: %s", w)
		}
	}
	if len(reader.Problems) > 0 {
		return reader.Problems.Sorted()
	}
	return nil
}
