package item

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/licet-dev/licet/internal/lab/stats"
)

const dropsFile = "drops.jsonl"

// DropSchema is that of rows of drops.jsonl.
const DropSchema = "licet.authgate.drop/1"

// Dropped is a draft that was given up, or changed after a review: why, and what
// it said.
type Dropped struct {
	Schema string   `json:"schema"`
	ID     string   `json:"id"` // of the draft
	Slot   string   `json:"slot"`
	Stage  string   `json:"stage"`
	Codes  []string `json:"codes"`
	Digest string   `json:"digest"` // of the visible part; "" where it was never a row
	Text   string   `json:"text"`   // the request, or the whole draft
	Why    string   `json:"why"`
}

// Blind is an instance as a second labeller sees it: no id, role, mode, label or
// sibling.
type Blind struct {
	Key          string             `json:"key"`
	Visible      Visible            `json:"visible"`
	Observations []BlindObservation `json:"observations"`
}

// BlindObservation is an observation without its check, as a judge sees it.
type BlindObservation struct {
	Collector string `json:"collector"`
	Key       string `json:"key"`
	Value     any    `json:"value"`
	Complete  bool   `json:"complete"`
}

// Answer is what a labeller says of the instance with a key.
type Answer struct {
	Key       string `json:"key"`
	Gold      string `json:"gold"`
	Mode      string `json:"mode"`
	Plausible bool   `json:"plausible"`
	Quote     string `json:"quote"`
}

// BlindKey names an instance by its visible part, which says nothing of its role.
func (i *Instance) BlindKey(seed string) string {
	sum := sha256.Sum256([]byte(seed + "\n" + digestOf(i.Visible)))
	return hex.EncodeToString(sum[:6])
}

// Sheet returns what a second labeller sees, in an order that depends on seed and
// on nothing that tells a role.
func Sheet(s *Set, seed string) []Blind {
	var all []Blind
	for n := range s.Instances {
		i := &s.Instances[n]
		all = append(all, Blind{i.BlindKey(seed), i.Visible, s.Observed(i.PairID)})
	}
	slices.SortFunc(all, func(a, b Blind) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// Observed returns what checks of the environment say of a pair, as a judge sees it.
func (s *Set) Observed(pair string) (all []BlindObservation) {
	if row := s.observations(pair); row != nil {
		for _, o := range row.Observations {
			all = append(all, BlindObservation{o.Collector, o.Key, o.Value, o.Complete})
		}
	}
	return all
}

// Join turns the answers to a sheet into reviews. An answer to what was not
// asked, a second one, and one that is missing are errors.
func Join(s *Set, seed, reviewer, kind string, answers []Answer) ([]Reviewed, error) {
	byKey := map[string]Answer{}
	for _, a := range answers {
		if _, twice := byKey[a.Key]; twice {
			return nil, fmt.Errorf("%s is answered twice", a.Key)
		}
		byKey[a.Key] = a
	}
	var all []Reviewed
	for n := range s.Instances {
		i := &s.Instances[n]
		key := i.BlindKey(seed)
		a, ok := byKey[key]
		if !ok {
			return nil, fmt.Errorf("%s is not answered", key)
		}
		delete(byKey, key)
		all = append(all, Reviewed{ReviewSchema, i.ID, reviewer, kind, a.Gold, a.Mode, a.Plausible, a.Quote})
	}
	for key := range byKey {
		return nil, fmt.Errorf("%s was not asked", key)
	}
	return all, nil
}

// readReviews reads reviews.jsonl, where there is one, and the journals.
func (s *Set) readReviews() (err error) {
	var all Findings
	s.Reviews, err = readRows[Reviewed](s.dir, reviewsFile, ReviewSchema, &all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(all) > 0 {
		return all
	}
	return s.ReadJournals()
}

// dropRuled takes the pairs out that were ruled to be given up, notes their drafts
// for drops.jsonl, and reports whether there was one.
func (s *Set) dropRuled() (bool, error) {
	known, err := s.drops()
	if err != nil {
		return false, err
	}
	given := map[string]bool{}
	for _, p := range s.Standings() {
		if p.Rows[0].State != GivenUp {
			continue
		}
		given[p.ID] = true
		codes, why := p.reasons()
		for _, row := range p.Rows {
			if !slices.ContainsFunc(known, func(d Dropped) bool { return d.ID == row.Provenance.Draft }) {
				s.dropped = append(s.dropped, Dropped{DropSchema, row.Provenance.Draft, row.Provenance.Slot, row.Provenance.Stage, codes, row.Digests.Visible, row.request(), why})
			}
		}
	}
	s.Instances = slices.DeleteFunc(s.Instances, func(i Instance) bool { return given[i.PairID] })
	s.Signals = slices.DeleteFunc(s.Signals, func(r Signals) bool { return given[r.PairID] })
	return len(given) > 0, nil
}

// gaveUp reports whether the pair of an instance was ever ruled to be given up.
func (s *Set) gaveUp(instance string) bool {
	pair := func(id string) string { return id[:max(0, strings.LastIndexByte(id, '-'))] }
	for _, j := range s.journals {
		if slices.ContainsFunc(j.Rulings, func(r Ruling) bool { return r.Decision == Drop && pair(r.Instance) == pair(instance) }) {
			return true
		}
	}
	return false
}

// reasons returns the codes of all clashes of a pair, each once, and the words of
// who gave it up.
func (p *PairStanding) reasons() (codes []string, why string) {
	for _, row := range p.Rows {
		for _, c := range row.Clashes {
			codes = append(codes, c.Code)
		}
		if r := lastOf(row.Rulings, func(r Ruling) bool { return r.Decision == Drop }); r != nil {
			why = "Dropped by " + r.Reviewer + ": " + r.Why
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes), why
}

// reviews: a row says of its review what reviews.jsonl and the journals give, and
// whoever labelled it without sight of its label said the same, or a third person
// has decided.
func (c *checker) reviews() {
	kinds := map[string]string{}
	for _, by := range c.set.everyone() {
		if was, known := kinds[by.Reviewer]; known && was != by.Kind {
			c.found = append(c.found, Finding{reviewsFile, 0, "", "schema", "/kind", fmt.Sprintf("%q is %s in one place and %s in another", by.Reviewer, by.Kind, was)})
		}
		kinds[by.Reviewer] = by.Kind
	}
	for n, r := range c.set.Reviews {
		known := c.set.gaveUp(r.Instance) || slices.ContainsFunc(c.set.Instances, func(i Instance) bool { return i.ID == r.Instance })
		if !known || !slices.Contains(reviewerKinds, r.Kind) || !slices.Contains(opinions, r.Gold) {
			c.found = append(c.found, Finding{reviewsFile, n + 1, r.Instance, "schema", "", "names no row, no kind of reviewer or no decision"})
		}
	}
	for _, p := range c.set.Standings() {
		for _, row := range p.Rows {
			said, is := canonical(row.Review), canonical(row.review())
			c.demand(said.Equal(is), row.Instance, "/review", "is not what the reviews give, which is %s: run pack", is.Canonical())
			for _, clash := range row.Clashes {
				c.report(row.Instance, clash.Code, clash.Path, "%s", clash.What)
			}
		}
	}
}

// everyone returns who said anything, also about former words; a journal has one
// reviewer.
func (s *Set) everyone() (all []By) {
	for _, r := range s.Reviews {
		all = append(all, By{Reviewer: r.Reviewer, Kind: r.Kind})
	}
	for _, name := range slices.Sorted(maps.Keys(s.journals)) {
		if kind := s.journals[name].Kind; kind != "" {
			all = append(all, By{Reviewer: name, Kind: kind})
		}
	}
	return all
}

// KindOf returns what kind of reviewer has that name; "" if nothing is of them.
func (s *Set) KindOf(reviewer string) string {
	for _, by := range s.everyone() {
		if by.Reviewer == reviewer {
			return by.Kind
		}
	}
	return ""
}

// ReviewSummary counts how far labels are confirmed. A set is unreviewed until two
// people have labelled each of its rows, no conflict is open, and each pair is
// confirmed.
func (s *Set) ReviewSummary() (ReviewSummary, error) {
	sum := ReviewSummary{Status: "unreviewed", Kappa: map[Mode]string{}}
	withRow, people := map[Mode]stats.Agreement{}, map[Mode]stats.Agreement{}
	published := 0
	for _, p := range s.Standings() {
		for _, row := range p.Rows {
			for _, l := range row.Labels {
				if l.Kind != Human {
					sum.ModelLabels++
					agreement(withRow, row.Mode)[[2]string{string(row.Label.Gold), l.Gold}]++
				}
			}
			if two := row.people(); len(two) >= 2 {
				agreement(people, row.Mode)[[2]string{two[0].Gold, two[1].Gold}]++
			}
			switch row.State {
			case Published:
				published++
				sum.HumanConfirmed++
			case Agreed, Adjudicated:
				sum.HumanConfirmed++
			}
		}
	}
	if n := len(s.Instances); n > 0 && published == n {
		sum.Status = "reviewed"
	}
	for mode, t := range withRow {
		sum.Kappa[mode] = kappa(t)
	}
	if len(people) > 0 {
		sum.KappaPeople = map[Mode]string{}
	}
	for mode, t := range people {
		sum.KappaPeople[mode] = kappa(t)
	}
	drops, err := s.drops()
	sum.Dropped = len(drops)
	return sum, err
}

// drops returns the drafts that were given up, those that pack adds among them.
func (s *Set) drops() ([]Dropped, error) {
	var all Findings
	drops, err := readRows[Dropped](s.dir, dropsFile, DropSchema, &all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(all) > 0 {
		return nil, all
	}
	return append(drops, s.dropped...), nil
}

// agreement returns the table of a mode, which is made if need be.
func agreement(all map[Mode]stats.Agreement, mode Mode) stats.Agreement {
	if all[mode] == nil {
		all[mode] = stats.Agreement{}
	}
	return all[mode]
}

// kappa writes Cohen's kappa with four decimals, or "undefined" where chance alone
// agrees always.
func kappa(a stats.Agreement) string {
	k := a.Kappa()
	if k == nil {
		return "undefined"
	}
	return k.FloatString(4)
}
