package mutate_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/mutate"
	"github.com/licet-dev/licet/internal/testkit"
)

// otherKinds are the kinds of mutants beside constraints and conditions.
var otherKinds = []string{
	mutate.KindApprovers, mutate.KindApprovals, mutate.KindClause, mutate.KindExtra, mutate.KindJudge, mutate.KindLabels, mutate.KindLimit,
	mutate.KindMode, mutate.KindOptional,
}

// floor is the percentage of mutants of each shipped contract that its cases
// must kill.
const floor = 95

// minShipped is how many contracts come with licet at least; a test that finds
// fewer is not looking.
const minShipped = 12

// TestShipped: the cases of every contract that comes with licet notice nearly
// every change of it, what they do not notice has a reason, and every
// operator and every kind has a mutant that calls can tell from the contract.
func TestShipped(t *testing.T) {
	var all []mutate.Outcome
	found := shipped(t)
	for _, path := range slices.Sorted(maps.Keys(found)) {
		outcomes := run(t, found[path]...)
		total := mutate.Total(outcomes)
		t.Logf("%s: %d %% killed: %d of %d, %d more equivalent, %d survived", path, total.Percent(), total.Killed,
			total.Mutants-total.Equivalent, total.Equivalent, total.Survived)
		if total.Percent() < floor {
			t.Errorf("%s: %d %% killed, want %d %%", path, total.Percent(), floor)
		}
		for _, o := range outcomes {
			if o.State == mutate.Survived && !o.Recorded {
				t.Errorf("%s:%d: this change goes unnoticed, and nobody says why: %s\n%v", path, o.Line, o.ID(), o.Suggestion)
			}
		}
		all = append(all, outcomes...)
	}
	if len(found) < minShipped {
		t.Errorf("found %d contracts: the test is not looking", len(found))
	}
	checkCounts(t, "operator", mutate.ByOperator(all), mutate.Operators())
	// No contract that comes with licet asks for a signal: what it allows must not
	// hang on where somebody tries it first.
	signals := run(t, read(t, "testdata/signals/signals.cases.yaml"))
	if total := mutate.Total(signals); total.Survived > 0 {
		t.Errorf("of the mutants of a contract with signals %d survive", total.Survived)
	}
	checkCounts(t, "kind", mutate.ByKind(slices.Concat(all, signals)), slices.Concat(constraint.Kinds(), constraint.Conditions(), otherKinds))
}

// checkCounts prints counts and refuses one of none.
func checkCounts[T ~string](t *testing.T, what string, counts []mutate.Count, want []T) {
	t.Helper()
	have := map[string]bool{}
	for _, c := range counts {
		have[c.Of] = c.Mutants > c.Equivalent
		t.Logf("%s %-16s %4d mutants %4d killed %4d equivalent %3d survived", what, c.Of, c.Mutants, c.Killed, c.Equivalent, c.Survived)
		if !slices.Contains(want, T(c.Of)) {
			t.Errorf("the %s %q is not listed", what, c.Of)
		}
	}
	for _, w := range want {
		if !have[string(w)] {
			t.Errorf("no mutant of the %s %q over all shipped contracts that a call can tell", what, w)
		}
	}
}

// shipped returns the case files of contracts and scenarios by the contract that
// they are about. Probes are about the gate, and some are known not to pass. The
// contract for AgentDojo is measured on recorded runs, and stays as it was when it
// first met them, whatever its cases leave unnoticed.
func shipped(t *testing.T) map[string][]*cases.Suite {
	t.Helper()
	by := map[string][]*cases.Suite{}
	for _, dir := range []string{"contracts", "corpora/scenarios"} {
		found, err := cases.Find(filepath.Join(testkit.Root(t), dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if filepath.Base(filepath.Dir(f)) == "agentdojo" {
				continue
			}
			s := read(t, f)
			by[s.Contract.Name] = append(by[s.Contract.Name], s)
		}
	}
	return by
}

func read(t *testing.T, file string) *cases.Suite {
	t.Helper()
	s, _, err := cases.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs the mutants of the contract that suites are about, with the reasons
// beside it.
func run(t *testing.T, suites ...*cases.Suite) []mutate.Outcome {
	t.Helper()
	source := suites[0].Contract
	outcomes, err := mutate.Run(t.Context(), source, suites, mutate.Options{Suggest: true, Reasons: reasons(t, source.Name)})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func reasons(t *testing.T, path string) mutate.Reasons {
	t.Helper()
	name := strings.TrimSuffix(path, ".yaml") + mutate.Suffix
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return mutate.Reasons{}
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := mutate.ParseReasons(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBadScore: cases that look at the names of tools only notice little, and the
// instrument says so. For what they miss it finds calls that would not.
func TestBadScore(t *testing.T) {
	outcomes := run(t, read(t, "testdata/names/names.cases.yaml"))
	total := mutate.Total(outcomes)
	t.Logf("%d %% killed: %d of %d", total.Percent(), total.Killed, total.Mutants-total.Equivalent)
	if total.Killed < 10 || total.Percent() > 30 {
		t.Errorf("%d %% killed, want some and at most 30 %%", total.Percent())
	}
	for _, o := range outcomes {
		if o.State == mutate.Survived && o.Suggestion == nil {
			t.Errorf("no call is found that notices %s", o.ID())
		}
	}
}
