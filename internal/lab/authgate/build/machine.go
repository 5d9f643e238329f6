package build

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Bounds of a build (authgate-bench.md, section 4.1).
const (
	mostDrafts = 4 // of a stage for one row
	modeDrafts = 3 // of a stage for each slot of a mode, taken together
)

// machine is where a build stands. It is a function of the plan and the answers: the
// order in which they come makes no difference.
type machine struct {
	plan     *Plan
	toolText string
	slots    []*slot
	shelf    *item.Shelf
	quota    item.Quota
	accepted []*item.Instance // base rows, in the order in which they were accepted

	queue  []*draft          // of the stage that goes on, in the order in which they are tested
	due    map[string]*draft // by the key of the call that is to be answered
	drafts map[quotaKey]int  // so far, by stage and mode
	drops  []item.Dropped
	counts map[Stage]*Counts
}

type quotaKey struct {
	stage Stage
	mode  item.Mode
}

// slot is a pair in the making.
type slot struct {
	Slot
	pair                     string // id
	base, inverted, nearMiss *item.Instance
	signals                  *item.Signals
	tried                    bool          // the near-miss, with this base row
	numbers                  map[Stage]int // drafts so far
	short                    bool
}

// draft is one attempt of a stage at a slot.
type draft struct {
	id      string
	stage   Stage
	slot    *slot
	attempt int // at this row, from 1
	first   prompt
	call    *Call // that is to be answered; nil once there is none

	rounds  int            // of repair, once it has settled
	text    string         // the last answer
	refused item.Findings  // why it is given up, if it is
	row     *item.Instance // what it says, where it is valid
	signals *item.Signals
}

// Call is one question to the generator.
type Call struct {
	Key          string
	Stage        Stage
	Draft        string // id
	Round        int    // of repairs, from 0
	System, User string
}

// newMachine returns the machine of a plan before anything is answered.
func newMachine(p *Plan) *machine {
	m := &machine{
		plan: p, toolText: p.toolText(), shelf: item.NewShelf(p.seeds()), quota: item.Quota{},
		due: map[string]*draft{}, drafts: map[quotaKey]int{}, counts: map[Stage]*Counts{},
	}
	for _, s := range p.Slots {
		m.slots = append(m.slots, &slot{Slot: s, pair: fmt.Sprintf("ag%d-%s", p.Major, s.ID), numbers: map[Stage]int{}})
	}
	for _, stage := range Stages {
		m.counts[stage] = newCounts()
	}
	m.advance()
	return m
}

// calls are those that are to be answered, in the order of their drafts.
func (m *machine) calls() (all []*Call) {
	for _, d := range m.queue {
		if d.call != nil {
			all = append(all, d.call)
		}
	}
	return all
}

// done reports whether nothing is left to be asked.
func (m *machine) done() bool { return len(m.queue) == 0 }

// advance settles the drafts whose turn has come, each once all before it have
// settled, and begins the next stage once none is left. A draft that is planned in
// the place of one that failed stands at the end: drafts are tested in the order of
// their attempt and slot.
func (m *machine) advance() {
	for {
		for len(m.queue) > 0 && m.queue[0].call == nil {
			d := m.queue[0]
			m.queue = m.queue[1:]
			m.settle(d)
		}
		if len(m.queue) > 0 || !m.begin() {
			return
		}
	}
}

// begin plans the first drafts of the first stage that has work, and reports whether
// there is one. All slots go through a stage together.
func (m *machine) begin() bool {
	for again := true; again; {
		again = false
		for _, stage := range Stages {
			for _, s := range m.slots {
				if s.wants(stage) && !m.open(s, stage, 1) {
					m.giveUp(s, stage, "slot_short")
					again = true // the slot may have gone back to stage I
				}
			}
			if len(m.queue) > 0 {
				return true
			}
		}
	}
	return false
}

func (s *slot) wants(stage Stage) bool {
	switch stage {
	case StageI:
		return s.base == nil && !s.short
	case StageII:
		return s.base != nil && s.inverted == nil
	case StageIIb:
		return s.inverted != nil && s.NearMiss != "" && !s.tried
	}
	return s.inverted != nil && s.signals == nil
}

// parts of the ids of drafts.
var parts = map[Stage]string{StageII: ".inv", StageIIb: ".near", StageIII: ".sig"}

// open plans a draft, unless its slot or its mode has had all that it may have.
func (m *machine) open(s *slot, stage Stage, attempt int) bool {
	most := mostDrafts
	if stage == StageIIb {
		most = 1 // a near-miss is tried once
	}
	mode := quotaKey{stage, s.Mode}
	if attempt > most || stage == StageI && s.numbers[stage] == mostDrafts || m.drafts[mode] == modeDrafts*m.plan.size(s.Mode) {
		return false
	}
	s.numbers[stage]++
	m.drafts[mode]++
	m.counts[stage].Drafts++
	d := &draft{
		id: fmt.Sprintf("%s%s.d%d", s.ID, parts[stage], s.numbers[stage]), stage: stage, slot: s, attempt: attempt,
		first: m.prompt(stage, s),
	}
	m.queue = append(m.queue, d)
	m.ask(d, 0, d.first)
	return true
}

// ask makes a call due.
func (m *machine) ask(d *draft, round int, p prompt) {
	d.call = &Call{Stage: d.stage, Draft: d.id, Round: round, System: p.system, User: p.user}
	d.call.Key = m.key(d.call)
	m.due[d.call.Key] = d
}

// epoch is that of all calls: a build asks nothing again for its stability.
const epoch = 1

// key names a call by all that it is made of.
func (m *machine) key(c *Call) string {
	by := m.plan.Author
	text, err := json.Marshal(map[string]any{
		"stage": c.Stage, "item": c.Draft, "round": c.Round, "epoch": epoch, "policy": digest([]byte(m.plan.Policies[rules])),
		"template": digest([]byte(prompts[promptOf[c.Stage]])), "model": by.Model, "parameters": by.Params, "messages": []string{c.System, c.User},
	})
	if err == nil {
		err = (*jsontext.Value)(&text).Canonicalize()
	}
	if err != nil {
		panic(fmt.Errorf("naming a call: %w", err)) // made here, of texts
	}
	return digest(text)
}

// answer takes up the answer to a call that is due, which came at a time in RFC 3339.
// It is an error if none is.
func (m *machine) answer(key string, a Answer, at string) error {
	d := m.due[key]
	if d == nil {
		return fmt.Errorf("nothing that this build asks has the key %s: the program that asked had other rules", key)
	}
	delete(m.due, key)
	round := d.call.Round
	m.counts[d.stage].answered(round, a)
	d.text = a.Text
	found := m.read(d, a, at)
	if len(found) > 0 && round < item.MostRepairs {
		m.ask(d, round+1, d.first.repaired(a.Text, found))
		return nil
	}
	d.call, d.refused, d.rounds = nil, found, round
	m.advance()
	return nil
}

// settle accepts a draft, or rejects it and plans another one.
func (m *machine) settle(d *draft) {
	reasons := d.refused
	if len(reasons) > 0 {
		reasons = append(item.Findings{{Code: "repair_exhausted", What: "refused after all rounds of repair"}}, reasons...)
	} else {
		reasons = m.misfits(d)
	}
	if len(reasons) == 0 {
		m.accept(d)
		return
	}
	m.reject(d, reasons)
	// Other observations of the same world would not make a request true.
	if reasons[0].Code == "new_fact" || !m.open(d.slot, d.stage, d.attempt+1) {
		m.giveUp(d.slot, d.stage, reasons[0].Code)
	}
}

// misfits says what does not fit between a valid draft and what is accepted.
func (m *machine) misfits(d *draft) item.Findings {
	switch d.stage {
	case StageI:
		return append(m.shelf.Compare(d.row), m.quota.Over(d.row, m.plan.size(d.slot.Mode))...)
	case StageII, StageIIb:
		return m.shelf.Compare(d.row)
	}
	// Only now are there observations that a request could contradict.
	found := item.CheckPair(m.plan.Tools, d.slot.rows(), d.signals)
	return slices.DeleteFunc(found, func(f item.Finding) bool { return f.Code != "new_fact" })
}

// accept puts a row into its pair.
func (m *machine) accept(d *draft) {
	m.counts[d.stage].Accepted[d.rounds]++
	s := d.slot
	switch d.stage {
	case StageI:
		s.base = d.row
		m.accepted = append(m.accepted, d.row)
		m.quota.Add(d.row, 1)
	case StageII:
		s.inverted = d.row
	case StageIIb:
		s.nearMiss, s.tried = d.row, true
	case StageIII:
		s.signals = d.signals
	}
	if d.row != nil {
		m.shelf.Add(d.row)
	}
}

// reject keeps a draft that is given up, and why.
func (m *machine) reject(d *draft, reasons item.Findings) {
	m.counts[d.stage].Rejected[reasons[0].Code]++
	drop := item.Dropped{Schema: item.DropSchema, ID: d.id, Slot: d.slot.ID, Stage: string(d.stage), Codes: codesOf(reasons), Text: d.text}
	if d.row != nil && len(d.refused) == 0 {
		drop.Digest = d.row.Visible.Digest()
	}
	var why []string
	for _, f := range reasons {
		why = append(why, strings.TrimSpace(f.Path+" "+f.What))
	}
	drop.Why = strings.Join(why, "; ")
	m.drops = append(m.drops, fitted(drop))
}

// fitted shortens what is said of a draft until it is a row that can be read again. The
// whole answer stays beside the journal.
func fitted(d item.Dropped) item.Dropped {
	d.Text, d.Why = strings.ToValidUTF8(d.Text, "\uFFFD"), strings.ToValidUTF8(d.Why, "\uFFFD")
	for len(asJSON(d)) > item.MaxRow {
		longer := &d.Text
		if len(d.Why) > len(d.Text) {
			longer = &d.Why
		}
		*longer = strings.ToValidUTF8((*longer)[:len(*longer)/2], "")
	}
	return d
}

// codesOf returns the codes of findings in their order, each once.
func codesOf(found item.Findings) (codes []string) {
	for _, f := range found {
		if !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	return codes
}

// giveUp is for a slot for which a stage has failed for good, by a code: without a
// base row it is short, without a near-miss its pair goes on, and without the rest the
// pair is dropped and the slot goes back to stage I.
func (m *machine) giveUp(s *slot, stage Stage, code string) {
	switch stage {
	case StageI:
		s.short = true
	case StageIIb:
		s.tried = true
	default:
		m.drop(s, code, "stage "+string(stage)+" failed for good, and the pair is dropped")
	}
}

// drop takes back the rows of a pair.
func (m *machine) drop(s *slot, code, why string) {
	for _, row := range s.rows() {
		stage := Stage(row.Provenance.Stage)
		m.counts[stage].Dropped++
		m.drops = append(m.drops, item.Dropped{
			Schema: item.DropSchema, ID: row.Provenance.Draft, Slot: s.ID, Stage: string(stage), Codes: []string{code},
			Digest: row.Visible.Digest(), Text: asJSON(row.Visible.Request), Why: why,
		})
	}
	if s.signals != nil {
		m.counts[StageIII].Dropped++
		m.drops = append(m.drops, item.Dropped{
			Schema: item.DropSchema, ID: s.signals.Provenance.Draft, Slot: s.ID, Stage: string(StageIII), Codes: []string{code},
			Text: asJSON(s.signals.Observations), Why: why,
		})
	}
	m.quota.Add(s.base, -1)
	m.shelf.Remove(s.pair)
	m.accepted = slices.DeleteFunc(m.accepted, func(row *item.Instance) bool { return row == s.base })
	s.base, s.inverted, s.nearMiss, s.signals, s.tried = nil, nil, nil, nil, false
}

// rows are the rows that a pair has so far.
func (s *slot) rows() (all []item.Instance) {
	for _, row := range []*item.Instance{s.base, s.inverted, s.nearMiss} {
		if row != nil {
			all = append(all, *row)
		}
	}
	return all
}

// reviewCodes are the reasons for which a review drops a pair.
var reviewCodes = []string{"review_disagree", "review_wrong_mode", "review_implausible"}

// reviewed returns the pair of a slot, if it may be dropped for a code.
func (m *machine) reviewed(id, code string) (*slot, error) {
	at := slices.IndexFunc(m.slots, func(s *slot) bool { return s.ID == id })
	switch {
	case !m.done():
		return nil, errors.New("pairs are dropped once the build has ended")
	case at < 0 || m.slots[at].signals == nil:
		return nil, fmt.Errorf("there is no pair in the slot %q", id)
	case !slices.Contains(reviewCodes, code):
		return nil, fmt.Errorf("a pair is dropped for %s, not %q", strings.Join(reviewCodes, ", "), code)
	}
	return m.slots[at], nil
}

// dropReviewed drops a pair after a review, and goes on with its slot.
func (m *machine) dropReviewed(id, code string) error {
	s, err := m.reviewed(id, code)
	if err != nil {
		return err
	}
	m.drop(s, code, "dropped after a review")
	m.advance()
	return nil
}
