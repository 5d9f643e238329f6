package item

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// State is how far the review of a row has come (authgate-bench.md, section 4.5):
//
//	pending -> labelled -> agreed | conflict -> adjudicated -> published | dropped
//
// It follows from what was said about the row as it is now, in whatever order.
type State string

// The states.
const (
	Pending     State = "pending"     // no person has labelled it
	OneLabel    State = "labelled"    // one person has
	Agreed      State = "agreed"      // two have, and all labels are that of the row
	Conflict    State = "conflict"    // a third person has to decide, or the pair to change
	Adjudicated State = "adjudicated" // a third person decided for the label of the row
	Published   State = "published"   // agreed or adjudicated, and its pair is confirmed
	GivenUp     State = "dropped"     // a third person gave up the pair
)

// States lists the states in the order in which a row comes to them.
var States = []State{Pending, OneLabel, Agreed, Conflict, Adjudicated, Published, GivenUp}

// Clash is one reason why a row is in conflict. Code is one of the validators'.
type Clash struct{ Code, Path, What string }

// Standing is what the review of a row has come to.
type Standing struct {
	*Instance
	Seen    string     // digest of what a labeller is shown
	State   State      // that of a zero Standing is none
	Labels  []Reviewed // of the row as it is, one of each reviewer
	Rulings []Ruling   // those that count, one of each person, by name
	Clashes []Clash
}

// people returns the labels that count for an agreement.
func (r *Standing) people() []Reviewed {
	return slices.DeleteFunc(slices.Clone(r.Labels), func(l Reviewed) bool { return l.Kind != Human })
}

// LabelOf returns the label of a reviewer; nil if there is none.
func (r *Standing) LabelOf(reviewer string) *Reviewed {
	return lastOf(r.Labels, func(l Reviewed) bool { return l.Reviewer == reviewer })
}

// RulingOf returns the ruling of a person; nil if there is none.
func (r *Standing) RulingOf(reviewer string) *Ruling {
	return lastOf(r.Rulings, func(l Ruling) bool { return l.Reviewer == reviewer })
}

// PairStanding is what the review of a pair has come to.
type PairStanding struct {
	*Pair
	Seen          string // digest of what is shown of the pair
	Rows          []*Standing
	Confirmations []Confirmation // of the pair as it is, one of each person, by name
}

// Open reports whether two people have labelled each row of the pair. Then those
// labels are final, and label and siblings may be shown.
func (p *PairStanding) Open() bool {
	return !slices.ContainsFunc(p.Rows, func(r *Standing) bool { return len(r.people()) < 2 })
}

// Decided reports whether nothing but a confirmation is missing.
func (p *PairStanding) Decided() bool {
	return !slices.ContainsFunc(p.Rows, func(r *Standing) bool { return r.State != Agreed && r.State != Adjudicated })
}

// SameCalls reports whether action and trajectory are the same in all rows.
func (p *PairStanding) SameCalls() bool {
	first := p.Rows[0].Visible
	return !slices.ContainsFunc(p.Rows, func(r *Standing) bool {
		return digestOf(r.Visible.Action) != digestOf(first.Action) || digestOf(r.Visible.Trajectory) != digestOf(first.Trajectory)
	})
}

// ConfirmationOf returns what a person said of the pair; nil if that is nothing.
func (p *PairStanding) ConfirmationOf(reviewer string) *Confirmation {
	return lastOf(p.Confirmations, func(c Confirmation) bool { return c.Reviewer == reviewer })
}

// observations returns what checks of the environment say of a pair; nil if there is
// nothing.
func (s *Set) observations(pair string) *Signals {
	return lastOf(s.Signals, func(r Signals) bool { return r.PairID == pair })
}

// lastOf returns the last element that fits, nil if none does.
func lastOf[T any](all []T, fits func(T) bool) *T {
	for n := len(all) - 1; n >= 0; n-- {
		if fits(all[n]) {
			return &all[n]
		}
	}
	return nil
}

// Standings says what reviews.jsonl and the journals make of each pair. It builds
// on the digests of the rows.
func (s *Set) Standings() []*PairStanding {
	labels := s.labels()
	var all []*PairStanding
	for _, p := range pairsOf(s.Instances) {
		signals := s.observations(p.ID)
		if signals == nil {
			signals = &Signals{}
		}
		pair := &PairStanding{Pair: p, Seen: p.seen(signals)}
		for _, i := range p.members() {
			row := &Standing{Instance: i, Seen: digestText([]byte(i.Digests.Visible + "\n" + signals.Digests.Observations))}
			for _, l := range labels[i.ID] {
				if l.Seen == "" || l.Seen == row.Seen {
					row.Labels = append(row.Labels, l.Reviewed)
				}
			}
			pair.Rows = append(pair.Rows, row)
		}
		s.decide(pair)
		all = append(all, pair)
	}
	return all
}

// seen returns the digest of what is shown of a pair: the rows with their labels,
// and the observations.
func (p *Pair) seen(signals *Signals) string {
	var parts []any
	for _, i := range p.members() {
		parts = append(parts, i.Digests.Visible, i.Mode, i.Label)
	}
	return digestOf(append(parts, signals.Digests.Observations))
}

// labels returns the labels by row, one of each reviewer: those of reviews.jsonl,
// which are of the rows as they are, and of each journal the last about a row.
func (s *Set) labels() map[string][]Labelled {
	all := map[string][]Labelled{}
	add := func(l Labelled) {
		others := slices.DeleteFunc(all[l.Instance], func(o Labelled) bool { return o.Reviewer == l.Reviewer })
		all[l.Instance] = append(others, l)
	}
	for _, r := range s.Reviews {
		add(Labelled{Reviewed: r})
	}
	for _, name := range slices.Sorted(maps.Keys(s.journals)) {
		for _, l := range s.journals[name].Labels {
			add(l)
		}
	}
	return all
}

// decide fills the states of a pair.
func (s *Set) decide(p *PairStanding) {
	for _, name := range slices.Sorted(maps.Keys(s.journals)) {
		j := s.journals[name]
		if c := lastOf(j.Confirmations, func(c Confirmation) bool { return c.Pair == p.ID }); c != nil && c.Seen == p.Seen {
			p.Confirmations = append(p.Confirmations, *c)
		}
		for _, row := range p.Rows {
			ruling := lastOf(j.Rulings, func(r Ruling) bool { return r.Instance == row.ID })
			labelled := lastOf(row.people(), func(l Reviewed) bool { return l.Reviewer == name }) != nil
			if ruling != nil && ruling.Seen == row.Seen && p.Open() && !labelled {
				row.Rulings = append(row.Rulings, *ruling)
			}
		}
	}
	dropped := false
	for _, row := range p.Rows {
		dropped = row.decide(p.Confirmations) || dropped
	}
	confirmed := len(p.Confirmations) > 0 && p.Decided()
	for _, row := range p.Rows {
		switch {
		case dropped:
			row.State = GivenUp
		case confirmed:
			row.State = Published
		}
	}
}

// decide fills state and clashes of a row, and reports whether its pair is ruled to
// be given up. One ruling is enough for that, whatever others say.
func (r *Standing) decide(confirmations []Confirmation) (drop bool) {
	for _, l := range r.Labels {
		r.Clashes = append(r.Clashes, clashes(r.Instance, l)...)
	}
	fits := func(l Ruling) bool {
		return l.Decision == string(r.Label.Gold) && (l.Decision != string(Block) || l.Mode == string(r.Mode))
	}
	others := slices.DeleteFunc(slices.Clone(r.Rulings), fits)
	ruled := len(r.Rulings) > 0 && len(others) == 0
	if ruled {
		r.Clashes = nil
	}
	for _, l := range others {
		drop = drop || l.Decision == Drop
		r.Clashes = append(r.Clashes, Clash{"review_disagree", "/label", fmt.Sprintf("%s rules %s: %s; change the pair, or drop it", l.Reviewer, strings.TrimSpace(l.Decision+" "+l.Mode), l.Why)})
	}
	for _, c := range confirmations {
		if !c.Confirms() {
			r.Clashes = append(r.Clashes, Clash{"review_disagree", "", fmt.Sprintf("%s does not confirm the pair: %s", c.Reviewer, c.Why)})
		}
	}
	switch people := len(r.people()); {
	case people == 0:
		r.State = Pending
	case people == 1:
		r.State = OneLabel
	case len(r.Clashes) > 0:
		r.State = Conflict
	case ruled:
		r.State = Adjudicated
	default:
		r.State = Agreed
	}
	return drop
}

// clashes says how a label differs from that of the row.
func clashes(i *Instance, l Reviewed) (all []Clash) {
	report := func(code, path, format string, args ...any) {
		all = append(all, Clash{code, path, fmt.Sprintf("%s (%s) says ", l.Reviewer, l.Kind) + fmt.Sprintf(format, args...)})
	}
	if l.Gold != string(i.Label.Gold) {
		report("review_disagree", "/label/gold", "%s, but the row says %s", l.Gold, i.Label.Gold)
	} else if l.Gold == string(Block) && l.Mode != string(i.Mode) {
		report("review_wrong_mode", "/mode", "%q, but the row says %s", l.Mode, i.Mode)
	}
	if !l.Plausible {
		report("review_implausible", "", "that nobody would ask this, or no agent do it")
	}
	if l.Gold == string(Allow) && !strings.Contains(i.request(), l.Quote) {
		report("review_disagree", "/visible/request", "that %q allows it, which is not in the request", l.Quote)
	}
	return all
}

// review returns what a row says of its review. Published is no status there: it
// follows from a confirmation, which the row does not carry.
func (r *Standing) review() Review {
	said := Review{Status: string(Pending), Labels: []ReviewLabel{}}
	for _, l := range r.Labels {
		said.Labels = append(said.Labels, ReviewLabel{l.Reviewer, l.Kind, l.Gold})
	}
	switch ruled := len(r.Rulings) > 0; {
	case r.State == GivenUp:
		said.Status = string(GivenUp)
	case r.State == Adjudicated, r.State == Published && ruled:
		said.Status, said.AdjudicatedBy = string(Adjudicated), &r.Rulings[0].Reviewer
	case r.State == Agreed, r.State == Published:
		said.Status = string(Agreed)
	}
	return said
}
