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

// Reasons are a person's words on mutants that no case kills. The zero Reasons
// are none.
type Reasons struct {
	reader yamlwalk.Reader
	of     map[string]reason // by ID of the mutant
}

// reason is what a person says of one mutant.
type reason struct {
	why        string
	equivalent bool // no call can tell it from the contract; else calls can, and that is accepted
	at         *yamlwalk.Node
}

// The words of a file of reasons.
var (
	reasonsWords = yamlwalk.Words{Place: "a file of reasons", Known: []string{"equivalent", "unnoticed"}}
	reasonWords  = yamlwalk.Words{Place: "a reason", Known: []string{"mutant", "why"}}
)

// ParseReasons reads a file of reasons:
//
//	equivalent:  # no call can tell the two apart
//	  - mutant: 'agents.a.tools["t.x"].allow[0].n.max: 5 -> 6'
//	    why: the schema says that n is at most 5
//	unnoticed:   # some can, and no case does: still a survivor
//	  - mutant: 'agents.a.tools["t.y"].limits[0]: {"calls": 9, "per": "1d"} dropped'
//	    why: the server has the same limit
//
// The error is [yamlwalk.Problems]; name stands for the file in it.
func ParseReasons(name string, text []byte) (Reasons, error) {
	r := Reasons{of: map[string]reason{}, reader: yamlwalk.Reader{File: name, What: "file of reasons"}}
	root := r.reader.Parse(text)
	if root != nil && r.reader.Mapping(root, reasonsWords) {
		for _, m := range root.Members {
			if r.reader.Is(m.Value, toolcall.Array, "a list of reasons") {
				for _, n := range r.reader.Elements(m.Value, m.Key.Text) {
					r.read(n, m.Key.Text == "equivalent")
				}
			}
		}
	}
	if len(r.reader.Problems) > 0 {
		return Reasons{}, r.reader.Problems.Sorted()
	}
	return r, nil
}

// read reads one reason.
func (r *Reasons) read(n *yamlwalk.Node, equivalent bool) {
	if !r.reader.Mapping(n, reasonWords) {
		return
	}
	id, why := r.reader.Need(n, "mutant", reasonWords), r.reader.Need(n, "why", reasonWords)
	if !r.reader.Is(id, toolcall.String, "the change, as reports word it") || !r.reader.Is(why, toolcall.String, "the reason") {
		return
	}
	if strings.TrimSpace(why.Text) == "" {
		r.reader.Report(why, "", "expected the reason, found an empty text")
	}
	if _, again := r.of[id.Text]; again {
		r.reader.Report(id, "", "a reason for this mutant stands above")
	}
	r.of[id.Text] = reason{why.Text, equivalent, id}
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
		case !ran:
			return ""
		case o.State == Killed:
			return fmt.Sprintf("the case %q notices it", o.By.Name)
		case o.State == Equivalent && o.Recorded && o.Suggestion != nil:
			return "a call tells the two apart: " + o.Suggestion.String()
		case o.Recorded:
			return ""
		default:
			return "it is proven: " + o.Why
		}
	})
}

// stale reports every reason for which why says something.
func (r Reasons) stale(why func(id string) string) error {
	reader := yamlwalk.Reader{File: r.reader.File}
	for id, of := range r.of {
		if w := why(id); w != "" {
			reader.Report(of.at, "remove it", "a stale reason: %s", w)
		}
	}
	if len(reader.Problems) > 0 {
		return reader.Problems.Sorted()
	}
	return nil
}
