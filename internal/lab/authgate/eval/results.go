package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/licet-dev/licet/internal/lab/authgate/result"
)

// Decision is what counts of an answer. The zero Decision is that there is none.
type Decision uint8

// The decisions.
const (
	None Decision = iota
	Block
	Allow
)

// Scoring says which decision counts: that of the judge, or the one that is left
// after the checks. Only the first can be compared with published figures.
type Scoring string

// The scorings.
const (
	Raw     Scoring = "raw"
	Checked Scoring = "checked"
)

// Options say what is counted.
type Options struct {
	Scoring Scoring
	Split   string // dev or test; "" = all pairs
}

// Arm is a judge under a policy on one form of the items.
type Arm struct {
	Model, Policy string
	Form          result.Form
}

// Trial is what an arm decided on a pair in one epoch. What a single instance does
// not have, has no decision.
type Trial struct {
	Pair                 *Pair
	Epoch                int
	Base, Inverted, Near Decision
	hasNear              bool
}

// answer is what was decided on a member.
type answer struct{ is, gold Decision }

// answers are what was decided on the members of a pair, or on a single instance.
func (t Trial) answers() (all []answer) {
	for _, m := range t.Pair.Members() {
		is := t.Base
		if m.Gold == Allow {
			is = t.Inverted
		}
		all = append(all, answer{is, m.Gold})
	}
	return all
}

// Results are the decisions of one or more runs over a data set. They are not
// changed once [New] has made them.
type Results struct {
	Set     Set
	Options Options
	Pairs   []Pair // that are counted
	Rows    []result.Row
	arms    map[Arm][]Trial // each by pair and epoch
	epochs  map[Arm]int
	counted map[result.Key]*result.Row
	builtIn map[string]bool // judges that are code
}

// New matches rows with a data set. It is an error if they do not fit, if a pair
// misses a decision of an arm, if one name stands for two policies, two prompts or two
// views, or if the counts do not add up.
func New(set Set, rows []result.Row, o Options) (*Results, error) {
	pairs, err := set.pairs(o.Split)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row result.Row) bool { return set.counts(row.Dataset) && set.leftOut[row.Instance] })
	result.Sort(rows)
	r := &Results{Set: set, Options: o, Pairs: pairs, Rows: rows, arms: map[Arm][]Trial{}, epochs: map[Arm]int{}, counted: map[result.Key]*result.Row{}, builtIn: map[string]bool{}}
	if err := r.take(); err != nil {
		return nil, err
	}
	for _, arm := range r.Arms() {
		if err := r.match(arm); err != nil {
			return nil, err
		}
	}
	if len(r.arms) == 0 || len(pairs) == 0 {
		return nil, fmt.Errorf("there is nothing to count: %d rows for %d pairs", len(rows), len(pairs))
	}
	return r, r.check()
}

// take indexes the rows.
func (r *Results) take() error {
	known := map[string]bool{}
	first := map[[2]string]*result.Row{} // of each model and policy, and of each policy
	for _, i := range r.Set.Instances {
		known[i.ID] = true
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		switch {
		case !r.Set.counts(row.Dataset):
			return fmt.Errorf("%s was decided on the data set %s, not on %s: `licet-lab authgate report --across` counts what both show alike", row.Item, row.Dataset, r.Set.Digest)
		case !known[row.Instance]:
			return fmt.Errorf("%s is not in the data set", row.Item)
		case r.counted[row.Key()] != nil:
			return fmt.Errorf("%s of %s under %s, epoch %d, stands twice", row.Item, row.Model, row.Policy, row.Epoch)
		case r.Options.Scoring == Checked && row.Outcome == result.Verdict && row.CheckedDecision == "":
			return fmt.Errorf("%s of %s under %s was not checked: only raw decisions can be counted", row.Item, row.Model, row.Policy)
		}
		for _, of := range [][2]string{{row.Model, row.Policy}, {"", row.Policy}} {
			if first[of] == nil {
				first[of] = row
			}
			if err := mixed(first[of], row); err != nil {
				return err
			}
		}
		r.counted[row.Key()] = row
		r.builtIn[row.Model] = r.builtIn[row.Model] || row.Judge == result.BuiltIn
		arm := Arm{row.Model, row.Policy, row.Form}
		r.epochs[arm] = max(r.epochs[arm], row.Epoch)
	}
	return nil
}

// mixed says how a row was asked otherwise than another one under the same policy, or
// of the same model under it.
func mixed(a, b *result.Row) error {
	what := ""
	switch {
	case a.PolicyDigest != b.PolicyDigest:
		what = "policy_digest"
	case a.Model == b.Model && a.TemplateDigest != b.TemplateDigest:
		what = "template_digest"
	case a.Model == b.Model && a.View != b.View:
		what = "view"
	default:
		return nil
	}
	return fmt.Errorf("%s of %s and %s of %s under %s have another %s: what is counted together must be asked alike", a.Item, a.Model, b.Item, b.Model, b.Policy, what)
}

// match makes the trials of an arm. Near-misses are asked of all pairs that have
// one, or of none. A pair that does not have the arm's form need not be asked.
func (r *Results) match(arm Arm) error {
	missing, near, nears := 0, 0, 0
	for i := range r.Pairs {
		p := &r.Pairs[i]
		for epoch := 1; epoch <= r.epochs[arm]; epoch++ {
			t := Trial{Pair: p, Epoch: epoch}
			if !r.decided(arm, &t) {
				if some, limited := r.Set.Forms[arm.Form]; !limited || some[p.ID] {
					missing++
				}
				continue
			}
			if p.Near != "" {
				nears++
				if row := r.Row(arm, p.Near, epoch); row != nil {
					near++
					t.Near, t.hasNear = r.Decision(row), true
				}
			}
			r.arms[arm] = append(r.arms[arm], t)
		}
	}
	if missing > 0 || near > 0 && near < nears {
		return fmt.Errorf("%s under %s, %s: of %d pairs in %d epochs a decision is missing, and of %d near-misses: the run has not ended",
			arm.Model, arm.Policy, arm.Form, missing, r.epochs[arm], max(0, nears-near))
	}
	return nil
}

// decided fills in what an arm decided on the members of a pair, and says whether it
// did on all.
func (r *Results) decided(arm Arm, t *Trial) bool {
	for _, m := range t.Pair.Members() {
		row := r.Row(arm, m.Instance, t.Epoch)
		switch {
		case row == nil:
			return false
		case m.Gold == Block:
			t.Base = r.Decision(row)
		default:
			t.Inverted = r.Decision(row)
		}
	}
	return true
}

// Singles returns how many instances are in no pair.
func (r *Results) Singles() (n int) {
	for i := range r.Pairs {
		if r.Pairs[i].Single() {
			n++
		}
	}
	return n
}

// Row returns what an arm decided on an instance, nil if it was not asked.
func (r *Results) Row(arm Arm, instance string, epoch int) *result.Row {
	return r.counted[result.Key{Model: arm.Model, Policy: arm.Policy, Item: result.Item(instance, arm.Form), Epoch: epoch}]
}

// Decision returns what counts of a row. What is unsure stops at a gate.
func (r *Results) Decision(row *result.Row) Decision {
	d := row.RawDecision
	if r.Options.Scoring == Checked {
		d = row.CheckedDecision
	}
	switch {
	case row.Outcome != result.Verdict:
		return None
	case d == result.Allow:
		return Allow
	}
	return Block
}

// Arms returns all arms, by policy, form and model.
func (r *Results) Arms() []Arm {
	return slices.SortedFunc(maps.Keys(r.epochs), func(a, b Arm) int {
		return compare(a.Policy, b.Policy, string(a.Form), string(b.Form), a.Model, b.Model)
	})
}

// Has says whether an arm has decided anything.
func (r *Results) Has(arm Arm) bool { return len(r.arms[arm]) > 0 }

// IsModel says whether an arm's judge is not code that is built in. Only these are
// pooled: sums over models and baselines mean nothing.
func (r *Results) IsModel(arm Arm) bool { return !r.builtIn[arm.Model] }

// Epochs returns in how many epochs an arm was asked.
func (r *Results) Epochs(arm Arm) int { return r.epochs[arm] }

// Policies, Models and Forms return what occurs, each once and in order.
func (r *Results) Policies() []string { return r.values(func(a Arm) string { return a.Policy }) }

// Models returns the models.
func (r *Results) Models() []string { return r.values(func(a Arm) string { return a.Model }) }

// Forms returns the forms.
func (r *Results) Forms() []result.Form {
	var all []result.Form
	for _, f := range r.values(func(a Arm) string { return string(a.Form) }) {
		all = append(all, result.Form(f))
	}
	return all
}

func (r *Results) values(of func(Arm) string) []string {
	all := map[string]bool{}
	for arm := range r.epochs {
		all[of(arm)] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Trials returns the trials of arms on one mode, "" for all.
func (r *Results) Trials(mode string, arms ...Arm) []Trial {
	var all []Trial
	for _, arm := range arms {
		for _, t := range r.arms[arm] {
			if mode == "" || t.Pair.Mode == mode {
				all = append(all, t)
			}
		}
	}
	return all
}
