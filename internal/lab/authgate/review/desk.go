package review

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/licet-dev/licet/internal/lab/authgate/item"
)

// Who is a reviewer. Kind is item.Human or item.Model: a model labels and does
// nothing else.
type Who struct{ Name, Kind string }

// Desk is the place of one reviewer. It may be used by several goroutines.
type Desk struct {
	who   Who
	now   func() time.Time
	sheet []item.Blind
	ids   map[string]string // of the rows, by key

	mu      sync.Mutex
	set     *item.Set
	journal *journal
	pairs   []*item.PairStanding // as of the last look
}

// The reasons for which an answer is not taken.
var (
	// ErrUnknown is about something that is not in the data set.
	ErrUnknown = errors.New("there is nothing of that name in the data set")
	// ErrClosed is about something that this reviewer may not answer, or not any more.
	ErrClosed = errors.New("this is not open to you: labels are final once two people have labelled all rows of a pair, and only then do others rule on conflicts and confirm pairs")
	// ErrChanged is about something that was answered otherwise in the meantime.
	ErrChanged = errors.New("this was answered in the meantime, in another window or program; look at what is saved before you change it")
)

// Refused is an answer that does not hold together. Nothing was saved.
type Refused struct{ Why error }

func (r *Refused) Error() string { return r.Why.Error() }

// Open opens the journal of a reviewer in the folder of a data set. It is an error
// if another program has it open, or if the reviewer is known as of another kind.
func Open(dir string, who Who, now func() time.Time) (*Desk, error) {
	if who.Kind != item.Human && who.Kind != item.Model {
		return nil, fmt.Errorf("a reviewer is human or model, not %q", who.Kind)
	}
	j, err := openJournal(dir, who.Name)
	if err != nil {
		return nil, err
	}
	d := &Desk{who: who, now: now, journal: j}
	if err := d.read(dir); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return d, nil
}

func (d *Desk) read(dir string) (err error) {
	if d.set, err = item.ReadDir(dir); err != nil {
		return err
	}
	rows := 0
	for _, p := range d.set.Standings() {
		if p.Base == nil || p.Inv == nil {
			return fmt.Errorf("the pair %s has no base or no inverted row: `licet-lab authgate validate %s` says more", p.ID, dir)
		}
		rows += len(p.Rows)
	}
	if rows != len(d.set.Instances) {
		return fmt.Errorf("rows of a pair have the same role: `licet-lab authgate validate %s` says which", dir)
	}
	if kind := d.set.KindOf(d.who.Name); kind != "" && kind != d.who.Kind {
		return fmt.Errorf("%s has labelled this data set as %s, not %s: use another name", d.who.Name, kind, d.who.Kind)
	}
	d.sheet, d.ids = item.Sheet(d.set, d.who.Name), map[string]string{}
	for n := range d.set.Instances {
		i := &d.set.Instances[n]
		d.ids[i.BlindKey(d.who.Name)] = i.ID
	}
	return nil
}

// Close closes the journal.
func (d *Desk) Close() error { return d.journal.close() }

// look reads all journals anew: other reviewers may work in the same folder. The
// caller holds the lock.
func (d *Desk) look() error {
	if err := d.set.ReadJournals(); err != nil {
		return err
	}
	d.pairs = d.set.Standings()
	return nil
}

// Todo is what a reviewer has to do. Lists are in the order in which it comes.
type Todo struct {
	Who      Who
	Set      string   // name and version of the data set
	Labelled int      // rows that the reviewer has labelled
	Label    []string // keys of rows to label
	Rule     []string // ids of rows to rule on
	Confirm  []string // ids of pairs to confirm
}

// Todo returns what there is to do now.
func (d *Desk) Todo() (Todo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.look(); err != nil {
		return Todo{}, err
	}
	todo := Todo{Who: d.who, Set: d.set.Manifest.Name + " " + d.set.Manifest.Version}
	for _, b := range d.sheet {
		p, row := d.row(d.ids[b.Key])
		mine := row.LabelOf(d.who.Name)
		if mine != nil {
			todo.Labelled++
		} else if d.labels(p, row) {
			todo.Label = append(todo.Label, b.Key)
		}
	}
	for _, p := range d.pairs {
		for _, row := range p.Rows {
			if d.rules(p, row) && len(row.Rulings) == 0 {
				todo.Rule = append(todo.Rule, row.ID)
			}
		}
		if d.confirms(p) && p.Decided() && len(p.Confirmations) == 0 {
			todo.Confirm = append(todo.Confirm, p.ID)
		}
	}
	return todo, nil
}

// labels reports whether the reviewer may label a row, or label it anew. A person
// may do so while labels are wanted and the pair is not open; a model is never shown
// more than a row, so it may always.
func (d *Desk) labels(p *item.PairStanding, row *item.Standing) bool {
	if d.who.Kind == item.Model {
		return true
	}
	others := 0
	for _, l := range row.Labels {
		if l.Kind == item.Human && l.Reviewer != d.who.Name {
			others++
		}
	}
	return !p.Open() && others < 2
}

// rules reports whether the reviewer may rule on a row: a person, who did not label
// it, on a conflict of a pair whose labels are final.
func (d *Desk) rules(p *item.PairStanding, row *item.Standing) bool {
	return d.who.Kind == item.Human && p.Open() && row.State == item.Conflict && row.LabelOf(d.who.Name) == nil ||
		row.RulingOf(d.who.Name) != nil
}

// confirms reports whether the reviewer may say that a pair holds together: a
// person, once nobody labels it any more.
func (d *Desk) confirms(p *item.PairStanding) bool {
	return d.who.Kind == item.Human && p.Open()
}

// row returns a row and its pair; nil where there is none.
func (d *Desk) row(id string) (*item.PairStanding, *item.Standing) {
	for _, p := range d.pairs {
		for _, row := range p.Rows {
			if row.ID == id {
				return p, row
			}
		}
	}
	return nil, nil
}

func (d *Desk) pair(id string) *item.PairStanding {
	for _, p := range d.pairs {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// Blind is a row to label, with what the reviewer has said of it. Version stands for
// that, and goes with the next answer.
type Blind struct {
	item.Blind
	Mine    *item.Reviewed
	Version string
}

// Blind returns a row to label.
func (d *Desk) Blind(key string) (Blind, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, _, err := d.blind(key)
	return b, err
}

func (d *Desk) blind(key string) (b Blind, row *item.Standing, err error) {
	if err := d.look(); err != nil {
		return b, nil, err
	}
	at := slices.IndexFunc(d.sheet, func(b item.Blind) bool { return b.Key == key })
	if at < 0 {
		return b, nil, ErrUnknown
	}
	p, row := d.row(d.ids[key])
	if !d.labels(p, row) {
		return b, nil, ErrClosed
	}
	mine := row.LabelOf(d.who.Name)
	return Blind{d.sheet[at], mine, versionOf(mine)}, row, nil
}

// Label records the label of a row. Version is that of what the reviewer was shown.
func (d *Desk) Label(a item.Answer, version string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, row, err := d.blind(a.Key)
	if err != nil {
		return err
	}
	if err := a.Check(&row.Visible); err != nil {
		return &Refused{err}
	}
	said := item.Reviewed{Schema: item.LabelSchema, Instance: row.ID, Reviewer: d.who.Name, Kind: d.who.Kind, Gold: a.Gold, Mode: a.Mode, Plausible: a.Plausible, Quote: a.Quote}
	if b.Mine != nil && said == *b.Mine {
		return nil // sent twice
	}
	if version != b.Version {
		return ErrChanged
	}
	return d.append(item.Labelled{Reviewed: said, Seen: row.Seen, At: d.by().At})
}

// Conflict is a row to rule on, with what the others said and what the row says.
type Conflict struct {
	*item.Standing
	Observations []item.BlindObservation
	Mine         *item.Ruling
	Version      string
}

// Conflict returns a row to rule on.
func (d *Desk) Conflict(id string) (Conflict, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conflict(id)
}

func (d *Desk) conflict(id string) (c Conflict, err error) {
	if err := d.look(); err != nil {
		return c, err
	}
	p, row := d.row(id)
	switch {
	case row == nil:
		return c, ErrUnknown
	case !d.rules(p, row):
		return c, ErrClosed
	}
	mine := row.RulingOf(d.who.Name)
	return Conflict{row, d.set.Observed(p.ID), mine, versionOf(mine)}, nil
}

// Rule records a ruling; decision, mode and reason are the reviewer's.
func (d *Desk) Rule(said item.Ruling, version string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, err := d.conflict(said.Instance)
	if err != nil {
		return err
	}
	said.Schema, said.Seen, said.By = item.RulingSchema, c.Seen, d.by()
	if err := said.Check(); err != nil {
		return &Refused{err}
	}
	if c.Mine != nil && said.Decision == c.Mine.Decision && said.Mode == c.Mine.Mode && said.Why == c.Mine.Why {
		return nil
	}
	if version != c.Version {
		return ErrChanged
	}
	return d.append(said)
}

// Pair is a pair to confirm.
type Pair struct {
	*item.PairStanding
	Observations []item.BlindObservation
	Mine         *item.Confirmation
	Version      string
}

// Pair returns a pair whose labels are final.
func (d *Desk) Pair(id string) (Pair, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.confirmable(id)
}

func (d *Desk) confirmable(id string) (c Pair, err error) {
	if err := d.look(); err != nil {
		return c, err
	}
	p := d.pair(id)
	switch {
	case p == nil:
		return c, ErrUnknown
	case !d.confirms(p):
		return c, ErrClosed
	}
	mine := p.ConfirmationOf(d.who.Name)
	return Pair{p, d.set.Observed(id), mine, versionOf(mine)}, nil
}

// Confirm records what the reviewer says of a pair.
func (d *Desk) Confirm(said item.Confirmation, version string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, err := d.confirmable(said.Pair)
	if err != nil {
		return err
	}
	said.Schema, said.Seen, said.By = item.ConfirmationSchema, c.Seen, d.by()
	if err := said.Check(); err != nil {
		return &Refused{err}
	}
	if c.Mine != nil && said.SameAction == c.Mine.SameAction && said.OnlyRequest == c.Mine.OnlyRequest && said.SignalsFit == c.Mine.SignalsFit && said.Why == c.Mine.Why {
		return nil
	}
	if version != c.Version {
		return ErrChanged
	}
	return d.append(said)
}

func (d *Desk) by() item.By {
	return item.By{Reviewer: d.who.Name, Kind: d.who.Kind, At: d.now().UTC().Format(time.RFC3339)}
}

func (d *Desk) append(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return d.journal.append(append(text, '\n'))
}

// versionOf names what a reviewer has said of something; "" is nothing.
func versionOf[T any](said *T) string {
	if said == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, *said)))[:12]
}
