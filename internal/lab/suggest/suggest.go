package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/lab/replay"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Suggestion is one change of a contract.
type Suggestion struct {
	Direction contract.Direction // Narrower or Wider
	What      string             // one sentence
	Calls     []string           // that are the reason, each with its trace
	Text      []byte             // of the contract with the change
}

// How much must have been seen before anything is suggested.
const (
	leastCalls  = 5 // of a tool, for what was not needed to count
	leastTraces = 3 // with the same value, for a person to be tired of it
)

// call is a decided call with its trace.
type call struct {
	trace string
	replay.Decision
}

func (c call) String() string { return c.trace + ": " + c.Decision.String() }

// Suggest returns what an agent's rules could say instead, after some answers.
func Suggest(source cases.Source, agent string, outcomes []replay.Outcome) ([]Suggestion, error) {
	now, err := source.Load()
	if err != nil {
		return nil, err
	}
	clauses, err := clausesOf(source.Text, agent)
	if err != nil {
		return nil, err
	}
	seen := gather(outcomes)
	var all []change
	for _, k := range clauses {
		all = append(all, k.unused(seen)...)
		all = append(all, k.loose(seen)...)
		all = append(all, k.tiring(seen)...)
	}
	var out []Suggestion
	for _, c := range all {
		text, err := c.edit(source.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.what, err)
		}
		changed := source
		changed.Text = text
		then, err := changed.Load()
		if err != nil {
			return nil, fmt.Errorf("%s: the contract would not load: %w", c.what, err)
		}
		if d := contract.Compare(now, then).Direction; d != c.direction {
			continue // what cannot be shown is not said
		}
		out = append(out, Suggestion{c.direction, c.what, texts(c.calls), text})
	}
	return out, nil
}

// change is a suggestion before it is tried.
type change struct {
	direction contract.Direction
	what      string
	calls     []call
	edit      func(text []byte) ([]byte, error)
}

func texts(calls []call) []string {
	all := make([]string, len(calls))
	for i, c := range calls {
		all[i] = c.String()
	}
	return all
}

// evidence is what the answers say, by places in the contract.
type evidence struct {
	allowed map[string][]call // by clause
	called  map[string][]call // by rule
	missed  map[string][]call // by clause that would have held but for one constraint
}

func gather(outcomes []replay.Outcome) evidence {
	e := evidence{map[string][]call{}, map[string][]call{}, map[string][]call{}}
	for _, o := range outcomes {
		for _, d := range o.Calls {
			c := call{o.ID, d}
			rule := ruleOf(d.Clause)
			e.called[rule] = append(e.called[rule], c)
			if d.Verdict == authz.Allow {
				e.allowed[d.Clause] = append(e.allowed[d.Clause], c)
			}
			for _, m := range d.Missed {
				if m.Alone {
					e.missed[m.Clause] = append(e.missed[m.Clause], c)
				}
			}
		}
	}
	return e
}

// ruleOf returns the path of the rule in which a clause stands.
func ruleOf(clause string) string {
	for _, step := range []string{"].allow[", "].approve[", "].never["} {
		if i := strings.LastIndex(clause, step); i >= 0 {
			return clause[:i+1]
		}
	}
	return clause
}

// unused suggests to leave a clause out that allowed none of the tool's calls.
func (k clause) unused(e evidence) []change {
	calls := e.called[ruleOf(k.path)]
	if len(e.allowed[k.path]) > 0 || len(calls) < leastCalls || !k.spare {
		return nil
	}
	return []change{{contract.Narrower, fmt.Sprintf("%s allowed none of the %d calls of its tool: leave it out", k.path, len(calls)), calls, k.without}}
}

// loose suggests bounds of numbers as they were needed.
func (k clause) loose(e evidence) (all []change) {
	calls := e.allowed[k.path]
	if len(calls) < leastCalls {
		return nil
	}
	for _, b := range k.bounds {
		var extreme toolcall.Decimal
		n := 0
		for _, c := range calls {
			args, err := toolcall.Parse([]byte(c.Args), toolcall.Bounds{})
			if err != nil || args.Get(b.argument).Kind() != toolcall.Number {
				continue
			}
			v := args.Get(b.argument).Number()
			if n++; n == 1 || b.word == "max" && v.Cmp(extreme) > 0 || b.word == "min" && v.Cmp(extreme) < 0 {
				extreme = v
			}
		}
		if n < leastCalls || b.word == "max" && extreme.Cmp(b.value) >= 0 || b.word == "min" && extreme.Cmp(b.value) <= 0 {
			continue
		}
		all = append(all, change{contract.Narrower, fmt.Sprintf("%s: %s %s: in the %d calls that it allowed, %s would have done", k.path, b.argument, b.text(), n, extreme), calls, b.set(extreme)})
	}
	return all
}

// tiring suggests to list a value that a person would have been asked about in
// several traces, where nothing else kept the clause from holding.
func (k clause) tiring(e evidence) (all []change) {
	by := map[[2]string][]call{}
	for _, c := range e.missed[k.path] {
		for _, m := range c.Missed {
			if m.Clause == k.path && m.Word == "from" {
				by[[2]string{m.Argument, m.Value}] = append(by[[2]string{m.Argument, m.Value}], c)
			}
		}
	}
	for _, what := range slices.SortedFunc(maps.Keys(by), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		calls := by[what]
		traces := map[string]bool{}
		for _, c := range calls {
			traces[c.trace] = true
		}
		from, known := k.from[what[0]]
		v, err := toolcall.Parse([]byte(what[1]), toolcall.Bounds{})
		if len(traces) < leastTraces || !known || err != nil || v.Kind() != toolcall.String && v.Kind() != toolcall.Number {
			continue
		}
		all = append(all, change{contract.Wider, fmt.Sprintf("%s: %s %s was held in %d traces for its source alone: list it, if it is yours", k.path, what[0], what[1], len(traces)), calls, from.list(v)})
	}
	return all
}
