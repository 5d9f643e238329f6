package constraint

import (
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/toolcall"
)

// signalWords are the constraints that a contract may put on signals of each kind.
// What names say is text of strangers, so only their count can be bounded.
var signalWords = map[SignalKind][]string{
	SignalCount: {"max", "min"},
	SignalNames: {"max", "min"},
	SignalFlag:  {"const"},
	SignalWord:  {"const", "in", "not_in", "pattern"},
}

// signalCondition is `$signal`: what collectors see of the environment. All its
// members must hold. A signal that is not known permits nothing and forbids.
type signalCondition struct {
	names []string // collector.key, sorted
	sets  map[string]*Set
}

func newSignalCondition(spec toolcall.Value) (*signalCondition, *SpecError) {
	if spec.Kind() != toolcall.Object || spec.Len() == 0 {
		return nil, refuse("expected {git_targets.untracked_affected: {max: 0}}, got %s", describe(spec))
	}
	c := &signalCondition{sets: map[string]*Set{}}
	for i := range spec.Len() {
		name, operand := spec.Member(i)
		set, err := newSignalSet(name, operand)
		if err != nil {
			return nil, err.under(member(name))
		}
		c.names, c.sets[name] = append(c.names, name), set
	}
	slices.Sort(c.names)
	return c, nil
}

// newSignalSet compiles the constraints on one signal.
func newSignalSet(name string, operand toolcall.Value) (*Set, *SpecError) {
	collector, key, _ := strings.Cut(name, ".")
	keys, known := signalKeys[collector]
	if !known {
		return nil, unknown("collector", collector, SignalCollectors()...)
	}
	i := slices.IndexFunc(keys, func(k SignalKey) bool { return k.Key == key })
	if i < 0 {
		all := make([]string, len(keys))
		for i, k := range keys {
			all[i] = k.Key
		}
		return nil, unknown("key of "+collector, key, all...)
	}
	words := signalWords[keys[i].Kind]
	for j := range operand.Len() {
		if word, _ := operand.Member(j); operand.Kind() != toolcall.Object || !slices.Contains(words, word) {
			return nil, refuse("%s is a %s: expected %s", name, keys[i].Kind, strings.Join(words, ", "))
		}
	}
	if keys[i].Kind == SignalFlag && operand.Get("const").Kind() != toolcall.Bool {
		return nil, refuse("%s is true or false: expected {const: true} or {const: false}, got %s", name, describe(operand))
	}
	set, err := New(operand, Env{})
	if err != nil {
		return nil, asSpecError(err)
	}
	return set, nil
}

// asSpecError returns an error of New, which is always a *SpecError.
func asSpecError(err error) *SpecError {
	if e, ok := err.(*SpecError); ok {
		return e
	}
	return refuse("%v", err)
}

// signal returns what a signal says, as its constraints compare it.
func (a Answers) signal(name string) (toolcall.Selection, bool) {
	for _, s := range a.Signals {
		if s.Name() != name || !s.Complete {
			continue
		}
		v := s.Value
		if v.Kind() == toolcall.Object {
			v = v.Get("count")
		}
		return toolcall.Selection{Values: []toolcall.Value{v}}, true
	}
	return toolcall.Selection{}, false
}

func (c *signalCondition) Permits(_ toolcall.Value, a Answers) (bool, Miss, error) {
	for _, name := range c.names {
		sel, known := a.signal(name)
		if !known {
			return false, missing(signalWord, name+" is not known"), nil
		}
		if ok, miss := c.sets[name].Permits(sel, a); !ok {
			return false, missing(signalWord, name+" is "+cut(sel.Values[0].Canonical())+", which "+miss.Want), nil
		}
	}
	return true, Miss{}, nil
}

// Forbids holds if every member holds or may hold: one that certainly does not
// turns the condition off.
func (c *signalCondition) Forbids(_ toolcall.Value, a Answers) (bool, Miss, error) {
	var why []string
	for _, name := range c.names {
		sel, known := a.signal(name)
		if !known {
			why = append(why, name+" is not known")
			continue
		}
		if ok, _ := c.sets[name].Forbids(sel, a); !ok {
			return false, Miss{}, nil
		}
		why = append(why, name+" is "+cut(sel.Values[0].Canonical()))
	}
	return true, missing(signalWord, strings.Join(why, " and ")), nil
}

// Questions asks for each collector once.
func (c *signalCondition) Questions(toolcall.Value) (all []Question) {
	collectors := map[string]bool{}
	for _, name := range c.names {
		collector, _, _ := strings.Cut(name, ".")
		collectors[collector] = true
	}
	for _, collector := range slices.Sorted(maps.Keys(collectors)) {
		all = append(all, Question{Key: "signals of " + collector, Signal: &SignalQuestion{Collector: collector}})
	}
	return all
}

// NeverUsable refuses what may not stand in a never clause beside an argument.
func (c *signalCondition) NeverUsable() error {
	for _, name := range c.names {
		if err := c.sets[name].NeverUsable(); err != nil {
			return asSpecError(err).under(member(name))
		}
	}
	return nil
}

func (c *signalCondition) Watches() []Watch { return nil }

func (c *signalCondition) Canonical() toolcall.Value {
	members := make([]toolcall.Member, len(c.names))
	for i, name := range c.names {
		members[i] = toolcall.Member{Name: name, Value: c.sets[name].Canonical()}
	}
	return toolcall.ObjectOf(members...)
}

// within reports whether d holds wherever c does: each of its signals is bounded
// in c, and at least as closely.
func (c *signalCondition) within(d *signalCondition) bool {
	return !slices.ContainsFunc(d.names, func(name string) bool {
		set := c.sets[name]
		return set == nil || !set.PermitsWithin(d.sets[name]) || !set.ForbidsWithin(d.sets[name])
	})
}
