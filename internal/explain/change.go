package explain

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Change is what to change of the arguments for another verdict.
type Change struct {
	Verdict   authz.Verdict  // that the changed call gets
	Edits     []Edit         // at most two
	Arguments toolcall.Value // all of them, changed
}

// Edit is the change of one argument.
type Edit struct {
	Argument string         // its path; of values in a list, that of the list
	Old, New toolcall.Value // absent where there is none
}

// search looks for changes of one call.
type search struct {
	contract *contract.Contract
	rule     *contract.Rule
	call     toolcall.Call
	facts    decide.Facts
	gather   func(toolcall.Call) (decide.Facts, error)
	from     authz.Verdict
}

// Bounds of a search: how many candidates are decided again.
const (
	maxSingles = 200
	maxPairs   = 400
)

// candidate is one change to try: the value at a path becomes another.
type candidate struct {
	path    toolcall.Path
	replace func(old toolcall.Value) toolcall.Value // absent in, absent out: there is none
}

// changes returns the smallest change to each wider verdict. One that needs a
// larger change than a still wider one is left out.
func (s *search) changes() ([]Change, error) {
	singles := s.candidates()
	var found []tried
	for _, c := range singles[:min(len(singles), maxSingles)] {
		if err := s.try(&found, c); err != nil {
			return nil, err
		}
	}
	if best(found, authz.Allow) == nil {
		for _, pair := range pairsOf(singles) {
			if err := s.try(&found, pair[:]...); err != nil {
				return nil, err
			}
		}
	}
	return smallest(found), nil
}

// pairsOf returns the first pairs of candidates for two arguments.
func pairsOf(singles []candidate) (pairs [][2]candidate) {
	for i, c := range singles {
		for _, d := range singles[:i] {
			if c.path.String() != d.path.String() && len(pairs) < maxPairs {
				pairs = append(pairs, [2]candidate{d, c})
			}
		}
	}
	return pairs
}

// tried is a change that gets a wider verdict, and how large it is.
type tried struct {
	Change
	size size
}

// size orders changes: fewer arguments first, then numbers that move over values
// that are replaced over arguments that come or go, then numbers that move less.
type size struct {
	edits, kind int
	distance    *big.Rat
}

func (a size) compare(b size) int {
	return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.kind, b.kind), a.distance.Cmp(b.distance))
}

// best returns the smallest change that gets a verdict, nil if none does.
func best(found []tried, v authz.Verdict) *tried {
	var least *tried
	for i := range found {
		if found[i].Verdict == v && (least == nil || found[i].size.compare(least.size) < 0) {
			least = &found[i]
		}
	}
	return least
}

func smallest(found []tried) (changes []Change) {
	ask, allow := best(found, authz.RequireApproval), best(found, authz.Allow)
	if ask != nil && (allow == nil || ask.size.compare(allow.size) < 0) {
		changes = append(changes, ask.Change)
	}
	if allow != nil {
		changes = append(changes, allow.Change)
	}
	return changes
}

// try decides the call with changed arguments and keeps the change if the
// verdict is wider.
func (s *search) try(found *[]tried, candidates ...candidate) error {
	changed := s.call
	var paths []toolcall.Path
	for _, c := range candidates {
		changed.Arguments = edit(changed.Arguments, c.path.Steps(), c.replace)
		paths = append(paths, c.path)
	}
	edits := compare(s.call.Arguments, changed.Arguments, paths)
	if len(edits) < len(candidates) {
		return nil
	}
	facts, err := s.gather(changed)
	if err != nil {
		return fmt.Errorf("facts of a changed call: %w", err)
	}
	if v := Verdict(decide.Decide(s.contract, changed, facts)); v > s.from {
		*found = append(*found, tried{Change{v, edits, changed.Arguments}, sizeOf(edits)})
	}
	return nil
}

// compare returns what is different at the given paths.
func compare(old, new toolcall.Value, paths []toolcall.Path) (edits []Edit) {
	for _, p := range paths {
		p = whole(p)
		e := Edit{p.String(), at(p, old), at(p, new)}
		if !e.Old.Equal(e.New) {
			edits = append(edits, e)
		}
	}
	return edits
}

// whole returns the path up to its first list.
func whole(p toolcall.Path) (q toolcall.Path) {
	for _, step := range p.Steps() {
		if step.Elements {
			return q
		}
		q = q.Member(step.Name)
	}
	return q
}

// at returns the one value at a path without lists.
func at(p toolcall.Path, v toolcall.Value) toolcall.Value {
	for _, step := range p.Steps() {
		v = v.Get(step.Name)
	}
	return v
}

func sizeOf(edits []Edit) size {
	s := size{edits: len(edits), distance: new(big.Rat)}
	for _, e := range edits {
		switch {
		case e.Old.Kind() == toolcall.Absent || e.New.Kind() == toolcall.Absent:
			s.kind += 2
		case e.Old.Kind() == toolcall.Number && e.New.Kind() == toolcall.Number:
			s.distance.Add(s.distance, new(big.Rat).Abs(new(big.Rat).Sub(rat(e.Old.Number()), rat(e.New.Number()))))
		default:
			s.kind++
		}
	}
	return s
}

// edit returns v with the values at steps replaced. What a path cannot reach
// stays as it is; a member that is missing at its end is added.
func edit(v toolcall.Value, steps []toolcall.Step, replace func(toolcall.Value) toolcall.Value) toolcall.Value {
	switch {
	case len(steps) == 0:
		return replace(v)
	case steps[0].Elements && v.Kind() == toolcall.Array:
		elems := make([]toolcall.Value, v.Len())
		for i := range elems {
			elems[i] = edit(v.Elem(i), steps[1:], replace)
		}
		return toolcall.ArrayOf(elems...)
	case !steps[0].Elements && v.Kind() == toolcall.Object:
		members := []toolcall.Member{{Name: steps[0].Name, Value: edit(v.Get(steps[0].Name), steps[1:], replace)}}
		for i := range v.Len() {
			if name, value := v.Member(i); name != steps[0].Name {
				members = append(members, toolcall.Member{Name: name, Value: value})
			}
		}
		return toolcall.ObjectOf(members...)
	}
	return v
}

// candidates returns single changes worth trying: to the operands of the
// clauses that permit, to what is left of a sum, and without each argument.
func (s *search) candidates() (all []candidate) {
	for r := s.rule; r != nil; r = r.Base() {
		for _, k := range slices.Concat(r.Allow, r.Judge, r.Approve) {
			paths, specs := k.Arguments()
			for i, p := range paths {
				for _, replace := range towards(specs[i]) {
					all = append(all, candidate{p, replace})
				}
			}
		}
	}
	all = append(all, s.sums()...)
	for i := range s.call.Arguments.Len() {
		name, _ := s.call.Arguments.Member(i)
		all = append(all, candidate{toolcall.Path{}.Member(name), func(toolcall.Value) toolcall.Value { return toolcall.Value{} }})
	}
	return all
}

// sums returns changes to what is left of each limit that adds up an argument.
func (s *search) sums() (all []candidate) {
	takes, err := s.rule.Takes(s.facts.Caller, s.call.Arguments)
	if err != nil {
		return nil
	}
	for _, t := range takes {
		path, ok := s.rule.SumOf(t)
		used, known := s.facts.Used[t.Key()]
		most, err := toolcall.ParseDecimal(t.Max)
		if !ok || !known || err != nil {
			continue
		}
		left, err := decimal(new(big.Rat).Sub(rat(most), rat(used)))
		if err == nil && left.Sign() > 0 {
			all = append(all, candidate{path, atMost(left)})
		}
	}
	return all
}

// towards returns how a value can become one that constraints take, as far as
// their own operands say so.
func towards(spec toolcall.Value) (all []func(toolcall.Value) toolcall.Value) {
	for i := range spec.Len() {
		word, operand := spec.Member(i)
		switch word {
		case "const":
			all = append(all, become(operand))
		case "in":
			for j := range operand.Len() {
				all = append(all, become(operand.Elem(j)))
			}
		case "from":
			all = append(all, literals(operand)...)
		case "max":
			all = append(all, atMost(operand.Number()))
		case "min":
			all = append(all, atLeast(operand.Number()))
		case "multiple_of":
			all = append(all, multiple(operand.Number()))
		case "items":
			all = append(all, shorter(operand.Get("max")))
		}
	}
	return all
}

func become(v toolcall.Value) func(toolcall.Value) toolcall.Value {
	return func(toolcall.Value) toolcall.Value { return v }
}

// literals returns the values that sources of `from` name themselves.
func literals(sources toolcall.Value) (all []func(toolcall.Value) toolcall.Value) {
	for i := range sources.Len() {
		list := sources.Elem(i).Get("literal")
		for j := range list.Len() {
			all = append(all, become(list.Elem(j)))
		}
	}
	return all
}

func atMost(most toolcall.Decimal) func(toolcall.Value) toolcall.Value {
	return func(v toolcall.Value) toolcall.Value {
		if v.Kind() == toolcall.Number && v.Number().Cmp(most) <= 0 {
			return v
		}
		return toolcall.NumberOf(most)
	}
}

func atLeast(least toolcall.Decimal) func(toolcall.Value) toolcall.Value {
	return func(v toolcall.Value) toolcall.Value {
		if v.Kind() == toolcall.Number && v.Number().Cmp(least) >= 0 {
			return v
		}
		return toolcall.NumberOf(least)
	}
}

// multiple returns the next multiple towards zero.
func multiple(of toolcall.Decimal) func(toolcall.Value) toolcall.Value {
	return func(v toolcall.Value) toolcall.Value {
		if v.Kind() != toolcall.Number {
			return v
		}
		quotient := new(big.Rat).Quo(rat(v.Number()), rat(of))
		times := new(big.Int).Quo(quotient.Num(), quotient.Denom())
		d, err := decimal(new(big.Rat).Mul(new(big.Rat).SetInt(times), rat(of)))
		if err != nil {
			return v
		}
		return toolcall.NumberOf(d)
	}
}

// shorter keeps the first elements of a list.
func shorter(most toolcall.Value) func(toolcall.Value) toolcall.Value {
	return func(v toolcall.Value) toolcall.Value {
		n, ok := most.Number().Int64()
		if !ok || most.Kind() != toolcall.Number || v.Kind() != toolcall.Array || int64(v.Len()) <= n {
			return v
		}
		elems := make([]toolcall.Value, n)
		for i := range elems {
			elems[i] = v.Elem(i)
		}
		return toolcall.ArrayOf(elems...)
	}
}

// rat returns d as a fraction.
func rat(d toolcall.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("explain: decimal " + d.String() + " is no number") // its text always is one
	}
	return r
}

// decimal returns a fraction that has an end in decimal form.
func decimal(r *big.Rat) (toolcall.Decimal, error) {
	digits, exact := r.FloatPrec()
	if !exact {
		return toolcall.Decimal{}, fmt.Errorf("%s has no end in decimal form", r)
	}
	return toolcall.ParseDecimal(r.FloatString(digits))
}
