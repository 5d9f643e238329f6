package build

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/licet-dev/licet/internal/durable"
	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Build is a build in a folder. It is for one goroutine, and for one process at a
// time.
type Build struct {
	plan *Plan
	m    *machine
	j    *journal
	now  func() time.Time

	sent     map[string]int    // calls without an answer yet, by key: the wave of files that they are in, 0 is none
	waves    [][]sent          // of files of requests
	replies  map[string]string // digests of answers that came in files, by key
	lostIn   map[lost]bool     // what files of answers said to be lost
	asked    int               // calls, with those that were asked again
	spent    *big.Rat          // dollars
	created  string            // time of the newest answer
	scripted bool              // a script answered, or is said to be the author
}

// Open opens the build of a plan in a folder, which is made if need be, and takes up
// what its journal says. It is an error if the folder has another build.
func Open(dir string, p *Plan, now func() time.Time) (*Build, error) {
	id, err := p.identity()
	if err != nil {
		return nil, err
	}
	j, records, err := openJournal(dir, id)
	if err != nil {
		return nil, err
	}
	b := &Build{
		plan: p, m: newMachine(p), j: j, now: now,
		scripted: p.Author.Family == string(Scripted),
		sent:     map[string]int{}, replies: map[string]string{}, lostIn: map[lost]bool{}, spent: new(big.Rat),
	}
	for n, r := range records {
		if err := b.apply(r); err != nil {
			return nil, errors.Join(fmt.Errorf("%s:%d: %w", filepath.Join(dir, journalFile), n+1, err), j.Close())
		}
	}
	return b, nil
}

// Close closes the journal.
func (b *Build) Close() error { return b.j.Close() }

// record makes a record durable, and then acts on it.
func (b *Build) record(r record) error {
	r.At = b.now().UTC().Format(time.RFC3339)
	if err := b.j.append(r); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return b.apply(r)
}

// apply is what a record means. It is the same for one that is written now and for
// one that is read.
func (b *Build) apply(r record) error {
	for _, s := range r.Sent {
		b.sent[s.Key] = r.Wave
		b.asked++
	}
	if r.Wave > 0 {
		b.waves = append(b.waves, r.Sent)
	}
	switch {
	case r.Answered != nil:
		a := r.Answered
		delete(b.sent, a.Key)
		if a.Reply != "" {
			b.replies[a.Key] = a.Reply
		}
		b.pay(a.Cost)
		b.created = max(b.created, r.At)
		b.scripted = b.scripted || a.Origin == Scripted
		return b.m.answer(a.Key, a.Answer, r.At)
	case r.Lost != nil:
		delete(b.sent, r.Lost.Key)
		b.lostIn[*r.Lost] = true
		b.pay(r.Lost.Cost)
	case r.Dropped != nil:
		return b.m.dropReviewed(r.Dropped.Slot, r.Dropped.Code)
	}
	return nil
}

// pay adds what a call has cost, where that is known.
func (b *Build) pay(cost string) {
	if dollars, ok := new(big.Rat).SetString(cost); ok {
		b.spent.Add(b.spent, dollars)
	}
}

// answered records the answer to a call. reply is the body that it came in, nil where
// that is not kept.
func (b *Build) answered(key string, a Answer, reply []byte) (err error) {
	r := answered{Key: key, Answer: a}
	if r.Body, err = b.j.keep(a.Text); err != nil {
		return err
	}
	if reply != nil {
		if r.Reply, err = b.j.keep(string(reply)); err != nil {
			return err
		}
	}
	return b.record(record{Answered: &r})
}

// Drop takes a pair out of a build that has ended, for a reason that a review gave
// (review_disagree, review_wrong_mode or review_implausible). Its slot goes back to
// stage I.
func (b *Build) Drop(slot, code string) error {
	if _, err := b.m.reviewed(slot, code); err != nil {
		return err
	}
	return b.record(record{Dropped: &dropped{slot, code}})
}

// Budget bounds a build as a whole, earlier parts of it too.
type Budget struct {
	Calls int      // that are sent; 0 permits none
	Money *big.Rat // dollars; nil: the calls have no price
}

// over says which part of a budget does not allow more calls; "" is none.
func (b *Build) over(budget Budget, more int) string {
	switch {
	case b.asked+more > budget.Calls:
		return fmt.Sprintf("the budget of %d calls is spent", budget.Calls)
	case budget.Money != nil && b.spent.Cmp(budget.Money) >= 0:
		return fmt.Sprintf("it has cost %s dollars", b.spent.FloatString(4))
	}
	return ""
}

// Write writes the data set of a build that has ended into data/ in its folder, and
// returns it: the same bytes each time.
func (b *Build) Write() (*item.Set, error) {
	if !b.m.done() {
		return nil, errors.New("the build has not ended")
	}
	dir := filepath.Join(b.j.dir, DataFolder)
	if err := b.writeTexts(dir); err != nil {
		return nil, err
	}
	if err := item.WriteDrops(dir, b.m.drops); err != nil {
		return nil, err
	}
	rows, signals := []item.Instance{}, []item.Signals{}
	about := b.plan.about(b.created)
	for _, s := range b.m.slots {
		if s.signals == nil {
			continue
		}
		rows, signals = append(rows, s.rows()...), append(signals, *s.signals)
	}
	if b.scripted {
		about.Changes = []string{Banner}
	}
	set, err := item.Make(dir, about, rows, signals)
	if err != nil {
		return nil, err
	}
	return set, set.Write()
}

// Banner stands over all that was made of scripted answers.
const Banner = "SCRIPTED answers: they test the program, and this is no data set"

// writeTexts writes what a data set has beside its rows.
func (b *Build) writeTexts(dir string) error {
	files := map[string]string{"tools.json": string(b.plan.tools)}
	for name, text := range b.plan.Policies {
		files[filepath.Join("policies", name+".md")] = text
	}
	for name, text := range prompts {
		files[filepath.Join("prompts", name)] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := durable.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
