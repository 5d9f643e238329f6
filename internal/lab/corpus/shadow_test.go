package corpus

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/lab/doors"
)

// agentsOf finds where an agent's members begin, as the translation, the table
// of policies and people write it.
var agentsOf = regexp.MustCompile(`(?m)("agents":\{|\},)"\w+":\{("tools":\{"tools\.)|^agents: \{\w+: \{(tools: )|^  \w+:\n    (tools:)$`)

// shadowed puts every agent of a contract into shadow mode.
func shadowed(text []byte) []byte {
	for _, at := range slices.Backward(agentsOf.FindAllSubmatchIndex(text, -1)) {
		for group, mode := range map[int]string{2: `"mode":"shadow",`, 3: "mode: shadow, ", 4: "mode: shadow\n    "} {
			if i := at[2*group]; i >= 0 {
				text = slices.Insert(slices.Clone(text), i, []byte(mode)...)
			}
		}
	}
	return text
}

// firstCall keeps of each case what happens up to its first call: later calls
// would find limits and tickets as no agent in shadow mode leaves them.
func firstCall(c *Corpus) *Corpus {
	kept := &Corpus{}
	for _, p := range c.all {
		if p.suite == nil || len(p.suite.Cases) != 1 {
			continue
		}
		one := p.suite.Cases[0]
		i := slices.IndexFunc(one.Steps, func(s cases.Step) bool { _, is := s.Act.(cases.Call); return is })
		if i < 0 {
			continue
		}
		one.Steps = slices.Clone(one.Steps[:i+1])
		one.Steps[i].Repeat = 1
		suite := *p.suite
		suite.Cases = []cases.Case{one}
		p.suite, p.last = &suite, i
		kept.all = append(kept.all, p)
	}
	return kept
}

// TestShadow: over the whole corpus an agent in shadow mode gets the decision
// and the reasons that it would get if it were enforced.
func TestShadow(t *testing.T) {
	whole, err := Open(bypass, "../../../contracts/bank/bank.cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	enforced, watched := firstCall(whole), firstCall(whole)
	changed := 0
	for _, p := range watched.all {
		text := shadowed(p.suite.Contract.Text)
		if !bytes.Equal(text, p.suite.Contract.Text) {
			changed++
		}
		p.suite.Contract.Text = text
	}
	if changed < 80 || changed < len(watched.all)-8 { // some policy rows are refused contracts without agents
		t.Fatalf("%d of %d contracts are in shadow mode: too few to say anything", changed, len(watched.all))
	}
	want, got := firstAnswers(t, enforced), firstAnswers(t, watched)
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("%s: enforced %s, in shadow mode %s", enforced.all[i].id, want[i], got[i])
		}
	}
}

func firstAnswers(t *testing.T, c *Corpus) (all []string) {
	t.Helper()
	r, err := c.Run(t.Context(), doors.Core{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		for i := range row.Answers {
			row.Answers[i].Ticket, row.Answers[i].Shadow = "", false // shadow mode makes no ticket
			if reasons := row.Answers[i].Reasons; reasons[0].Code == authz.NoContract {
				row.Answers[i].Reasons = []authz.Reason{{Code: authz.NoContract}} // the detail counts columns
			}
		}
		all = append(all, fmt.Sprintf("%s %+v", row.Status, row.Answers))
	}
	return all
}
