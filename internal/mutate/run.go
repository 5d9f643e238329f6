package mutate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
)

// State says what came of a mutant. The zero State is the bad one.
type State uint8

// The states.
const (
	Survived   State = iota // no case notices it
	Killed                  // a case that the contract passes fails
	Equivalent              // no call can tell it from the contract
)

var stateNames = [...]string{Survived: "survived", Killed: "killed", Equivalent: "equivalent"}

// String returns the state as reports show it.
func (s State) String() string { return stateNames[s] }

// MarshalText writes the words of String.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Outcome is what came of one mutant.
type Outcome struct {
	*Mutant
	State      State
	By         *cases.Case // of a killed one: the first case that failed
	Suite      string      // the file of that case
	Why        string      // of one that no case kills: the proof that it is equivalent, or the recorded reason
	Recorded   bool        // Why is a person's word and no proof
	Suggestion *Suggestion // of a survivor; nil if none was found
}

// Options of Run. The zero Options run on as many processors as there are.
type Options struct {
	Parallel int                  // mutants at a time; 0 = one per processor
	Progress func(done, all int)  // called after each mutant, never twice at once
	Select   func(m *Mutant) bool // which mutants to run; nil = all
	Reasons  Reasons              // a person's words on mutants that no case kills
	Suggest  bool                 // look for what would notice a survivor
}

// Run plays the cases of suites, all about the one contract, against each mutant
// of it, and returns the outcomes in the order of the contract's text. The error
// says that a case does not pass on the contract itself, that a reason is stale,
// or is that of ctx.
func Run(ctx context.Context, s cases.Source, suites []*cases.Suite, o Options) ([]Outcome, error) {
	mutants, err := List(s)
	if err != nil {
		return nil, err
	}
	if err := o.Reasons.known(mutants); err != nil {
		return nil, err
	}
	if o.Select != nil {
		mutants = slices.DeleteFunc(mutants, func(m *Mutant) bool { return !o.Select(m) })
	}
	r := runner{Options: o}
	if r.original, err = s.Load(); err != nil {
		return nil, err
	}
	if r.passed, err = cases.Run(ctx, cases.Core{}, suites, cases.Options{Parallel: o.Parallel}); err != nil {
		return nil, err
	}
	for _, p := range r.passed {
		if p.Status != cases.Passed {
			return nil, fmt.Errorf("%s:%d: the case %q does not pass on the contract itself: see `licet contract test`", p.Suite.Name, p.Line(), p.Case.Name)
		}
	}
	outcomes := r.all(ctx, mutants)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return outcomes, r.Reasons.needed(outcomes)
}

// runner plays cases against mutants.
type runner struct {
	Options
	original *contract.Contract
	passed   []cases.Result // of all cases on the contract itself
}

// all runs mutants in parallel.
func (r *runner) all(ctx context.Context, mutants []*Mutant) []Outcome {
	outcomes := make([]Outcome, len(mutants))
	next := make(chan int)
	var workers sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(cmp.Or(r.Parallel, runtime.GOMAXPROCS(0)), len(mutants)) {
		workers.Go(func() {
			for i := range next {
				outcomes[i] = r.one(ctx, mutants[i])
				mu.Lock()
				if done++; r.Progress != nil {
					r.Progress(done, len(mutants))
				}
				mu.Unlock()
			}
		})
	}
	for i := range mutants {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return outcomes
}

// one runs one mutant until a case notices it.
func (r *runner) one(ctx context.Context, m *Mutant) Outcome {
	o := Outcome{Mutant: m}
	if o.Why = proof(r.original, m); o.Why != "" {
		o.State = Equivalent
		return o
	}
	for _, p := range r.passed {
		if m.tool != "" && !p.Case.Calls(m.tool) {
			continue
		}
		if r.notices(ctx, p.Suite, p.Case, m) {
			o.State, o.By, o.Suite = Killed, p.Case, p.Suite.Name
			return o
		}
	}
	if reason, ok := r.Reasons.of[m.ID()]; ok {
		o.Why, o.Recorded = reason.why, true
		if reason.equivalent {
			o.State = Equivalent
		}
	}
	if r.Suggest {
		o.Suggestion = r.suggest(ctx, m)
	}
	return o
}

// door returns a door that has the contract and a mutant of it at hand: loading
// them takes longer than most cases do.
func (r *runner) door(m *Mutant) cases.Core {
	return cases.Core{Load: func(s cases.Source) (*contract.Contract, error) {
		switch {
		case bytes.Equal(s.Text, m.source.Text):
			return m.loaded, nil
		case bytes.Equal(s.Text, r.passed[0].Suite.Contract.Text):
			return r.original, nil
		default:
			return s.Load()
		}
	}}
}

// notices reports whether a case that passes on the contract fails on a mutant.
// A case whose own edit of the contract does not load with the change shows
// nothing.
func (r *runner) notices(ctx context.Context, s *cases.Suite, c *cases.Case, m *Mutant) bool {
	var edited [][]byte
	res := cases.Play(ctx, r.door(m), s, c, cases.Options{Change: func(text []byte) ([]byte, error) {
		if bytes.Equal(text, s.Contract.Text) {
			return m.source.Text, nil
		}
		changed, err := m.Apply(text)
		edited = append(edited, changed)
		return changed, err
	}})
	refused := func(text []byte) bool {
		_, err := s.Contract.With(text).Load()
		return err != nil
	}
	if ctx.Err() != nil || res.Status == cases.Passed {
		return false
	}
	return res.Status != cases.Broken || !slices.ContainsFunc(edited, refused)
}
