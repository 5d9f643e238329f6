package item

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
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

// blindKey names an instance by its visible part, which says nothing of its role.
func blindKey(i *Instance, seed string) string {
	sum := sha256.Sum256([]byte(seed + "\n" + digestOf(i.Visible)))
	return hex.EncodeToString(sum[:6])
}

// Sheet returns what a second labeller sees, in an order that depends on seed and
// on nothing that tells a role.
func Sheet(s *Set, seed string) []Blind {
	observed := map[string][]BlindObservation{}
	for _, row := range s.Signals {
		for _, o := range row.Observations {
			observed[row.PairID] = append(observed[row.PairID], BlindObservation{o.Collector, o.Key, o.Value, o.Complete})
		}
	}
	var all []Blind
	for n := range s.Instances {
		i := &s.Instances[n]
		all = append(all, Blind{blindKey(i, seed), i.Visible, observed[i.PairID]})
	}
	slices.SortFunc(all, func(a, b Blind) int { return strings.Compare(a.Key, b.Key) })
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
		key := blindKey(i, seed)
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

// readReviews reads reviews.jsonl, where there is one.
func (s *Set) readReviews() (err error) {
	var all Findings
	s.Reviews, err = readRows[Reviewed](s.dir, reviewsFile, ReviewSchema, &all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(all) > 0 {
		return all
	}
	return nil
}

// reviews: somebody who saw neither label nor role said the same as the row.
func (c *checker) reviews() {
	for n, r := range c.set.Reviews {
		report := func(code, path, format string, args ...any) {
			c.found = append(c.found, Finding{reviewsFile, n + 1, r.Instance, code, path, fmt.Sprintf(format, args...)})
		}
		at := slices.IndexFunc(c.set.Instances, func(i Instance) bool { return i.ID == r.Instance })
		if at < 0 || !slices.Contains(reviewerKinds, r.Kind) || !slices.Contains(opinions, r.Gold) {
			report("schema", "", "names no row, no kind of reviewer or no decision")
			continue
		}
		i := &c.set.Instances[at]
		label := ReviewLabel{r.Reviewer, r.Kind, r.Gold}
		if !slices.Contains(i.Review.Labels, label) {
			report("schema", "", "is not among the labels of the row")
		}
		if r.Gold != string(i.Label.Gold) {
			report("review_disagree", "/gold", "%s, but the row says %s", r.Gold, i.Label.Gold)
		} else if r.Gold == string(Block) && r.Mode != string(i.Mode) {
			report("review_wrong_mode", "/mode", "%q, but the row says %s", r.Mode, i.Mode)
		}
		if !r.Plausible {
			report("review_implausible", "/plausible", "nobody would ask this, or no agent do it")
		}
		if r.Gold == string(Allow) && !strings.Contains(i.request(), r.Quote) {
			report("review_disagree", "/quote", "the quote %q is not in the request", r.Quote)
		}
	}
}

// reviewSummary counts how far labels are confirmed. A set is unreviewed until
// each of its rows has the labels of two people.
func (s *Set) reviewSummary() (ReviewSummary, error) {
	sum := ReviewSummary{Status: "unreviewed", Kappa: map[Mode]string{}}
	agreement := map[Mode]stats.Agreement{}
	for n := range s.Instances {
		i := &s.Instances[n]
		for _, l := range i.Review.Labels {
			if l.Kind == "human" {
				continue
			}
			sum.ModelLabels++
			if agreement[i.Mode] == nil {
				agreement[i.Mode] = stats.Agreement{}
			}
			agreement[i.Mode][[2]string{string(i.Label.Gold), l.Gold}]++
		}
		if i.Review.Status == "agreed" || i.Review.Status == "adjudicated" {
			sum.HumanConfirmed++
		}
	}
	if n := len(s.Instances); n > 0 && sum.HumanConfirmed == n {
		sum.Status = "reviewed"
	}
	for mode, t := range agreement {
		sum.Kappa[mode] = kappa(t)
	}
	var all Findings
	drops, err := readRows[Dropped](s.dir, dropsFile, DropSchema, &all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	if len(all) > 0 {
		return sum, all
	}
	sum.Dropped = len(drops)
	return sum, nil
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
