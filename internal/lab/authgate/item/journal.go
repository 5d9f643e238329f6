package item

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/licet-dev/licet/internal/toolcall"
)

// Schemas of the lines of a journal.
const (
	LabelSchema        = "licet.authgate.label/1"
	RulingSchema       = "licet.authgate.ruling/1"
	ConfirmationSchema = "licet.authgate.confirmation/1"
)

// Bounds of what a reviewer writes, in characters.
const (
	MaxQuote = 600 // a turn has no more
	MaxWhy   = 600
)

// Drop is the ruling that a pair is given up.
const Drop = "drop"

// Unsure is the opinion of who cannot tell.
const Unsure = "unsure"

// Human and Model are the kinds of reviewers.
const (
	Human = "human"
	Model = "model"
)

// By says who wrote a line of a journal, and when.
type By struct {
	Reviewer string `json:"reviewer"`
	Kind     string `json:"kind"` // human or model
	At       string `json:"at"`   // RFC 3339
}

// Labelled is a label in the journal of who gave it. Seen is the digest of what
// was shown: once that changes, the label is history.
type Labelled struct {
	Reviewed
	Seen string `json:"seen"`
	At   string `json:"at"` // RFC 3339
}

// Ruling decides a conflict about a row. It is made by a person who did not label
// the row and knows its label and those of the others.
type Ruling struct {
	Schema   string `json:"schema"`
	Instance string `json:"instance"`
	Seen     string `json:"seen"`
	Decision string `json:"decision"` // allow, block, or drop, which gives the whole pair up
	Mode     string `json:"mode"`     // "" where the decision is not block
	Why      string `json:"why"`
	By
}

// Confirmation is what a person says of a pair whose rows all have their labels.
type Confirmation struct {
	Schema      string `json:"schema"`
	Pair        string `json:"pair"`
	Seen        string `json:"seen"`         // digest of the rows with their labels, and of the observations
	SameAction  bool   `json:"same_action"`  // the action means the same in all rows
	OnlyRequest bool   `json:"only_request"` // what the user wants is all that differs
	SignalsFit  bool   `json:"signals_fit"`  // the observations can be true in each of them
	Why         string `json:"why"`          // needed for a no
	By
}

// Confirms reports whether nothing is wrong with the pair.
func (c *Confirmation) Confirms() bool { return c.SameAction && c.OnlyRequest && c.SignalsFit }

// Journal is what one reviewer has said, in the order in which it was said. Of
// several lines about the same the last counts.
type Journal struct {
	Kind          string // of the reviewer; "" where nothing was said
	Labels        []Labelled
	Rulings       []Ruling
	Confirmations []Confirmation
}

// JournalFolder is the folder of the journals in that of a data set.
const JournalFolder = "reviews"

const journalEnding = ".jsonl"

// reviewerForm has no upper case, so that one person is not two.
var reviewerForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,38}[a-z0-9])?$`)

// JournalFile returns the path, in the folder of a data set, of the journal of a
// reviewer.
func JournalFile(reviewer string) (string, error) {
	if !reviewerForm.MatchString(reviewer) {
		return "", fmt.Errorf("the reviewer %q: a name has 1 to 40 of the characters a-z, 0-9, . _ and -, and begins and ends with a letter or a digit", reviewer)
	}
	return filepath.Join(JournalFolder, reviewer+journalEnding), nil
}

// ReadJournal reads the journal of a reviewer, strictly. The error is [Findings].
func ReadJournal(reviewer string, text []byte) (*Journal, error) {
	var j Journal
	var all Findings
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		who, found := j.add(raw)
		if found == nil {
			found = who.check(reviewer, j.Kind)
			j.Kind = who.Kind
		}
		if found != nil {
			all = append(all, found.at(JournalFolder+"/"+reviewer+journalEnding, line))
		}
	}
	if len(all) > 0 {
		return nil, all
	}
	return &j, nil
}

// add reads one line into its list.
func (j *Journal) add(raw []byte) (who By, found *Finding) {
	raw, whole := bytes.CutSuffix(raw, []byte("\n"))
	if !whole {
		return who, &Finding{Code: "not_json", What: "was not written to its end; opening the journal for review cuts it off"}
	}
	switch schema := schemaOf(raw); schema {
	case RulingSchema:
		r, found := decode[Ruling](raw, schema)
		if found == nil {
			found = r.check()
		}
		j.Rulings = append(j.Rulings, r)
		return r.By, found
	case ConfirmationSchema:
		c, found := decode[Confirmation](raw, schema)
		if found == nil {
			found = c.check()
		}
		j.Confirmations = append(j.Confirmations, c)
		return c.By, found
	default:
		l, found := decode[Labelled](raw, LabelSchema)
		if found == nil {
			found = l.check()
		}
		j.Labels = append(j.Labels, l)
		return By{l.Reviewer, l.Kind, l.At}, found
	}
}

// schemaOf returns the schema of a row, "" where it has none; decode says why.
func schemaOf(raw []byte) string {
	value, err := toolcall.Parse(raw, toolcall.Bounds{Bytes: MaxRow})
	if err != nil {
		return ""
	}
	return value.Get("schema").Text()
}

// wrong is a finding in the schema of a line.
func wrong(path, format string, args ...any) *Finding {
	return &Finding{Code: "schema", Path: path, What: fmt.Sprintf(format, args...)}
}

// check: a journal has one reviewer, who is of one kind.
func (b By) check(reviewer, kind string) *Finding {
	_, err := time.Parse(time.RFC3339, b.At)
	switch {
	case b.Reviewer != reviewer:
		return wrong("/reviewer", "%q, but this is the journal of %s", b.Reviewer, reviewer)
	case !slices.Contains(reviewerKinds, b.Kind):
		return wrong("/kind", "%q is neither human nor model", b.Kind)
	case kind != "" && b.Kind != kind:
		return wrong("/kind", "%s, and %s before: a reviewer is one of them", b.Kind, kind)
	case err != nil:
		return wrong("/at", "%q is no time in RFC 3339", b.At)
	}
	return nil
}

func (l *Labelled) check() *Finding {
	if err := l.answer().shape(); err != nil {
		return wrong("", "%v", err)
	}
	if !digestForm.MatchString(l.Seen) {
		return wrong("/seen", "is no digest")
	}
	return nil
}

func (r *Ruling) check() *Finding {
	switch {
	case r.Kind != Human:
		return wrong("/kind", "only a person rules")
	case !digestForm.MatchString(r.Seen):
		return wrong("/seen", "is no digest")
	}
	if err := r.Check(); err != nil {
		return wrong("", "%v", err)
	}
	return nil
}

// Check says what is wrong with decision, mode and reason; nil is nothing.
func (r *Ruling) Check() error {
	if !slices.Contains([]string{string(Allow), string(Block), Drop}, r.Decision) {
		return fmt.Errorf("the decision is allow, block or drop, not %q", r.Decision)
	}
	if err := modeFits(r.Mode, r.Decision); err != nil {
		return err
	}
	return reason(r.Why)
}

func (c *Confirmation) check() *Finding {
	switch {
	case c.Kind != Human:
		return wrong("/kind", "only a person confirms a pair")
	case !digestForm.MatchString(c.Seen):
		return wrong("/seen", "is no digest")
	}
	if err := c.Check(); err != nil {
		return wrong("/why", "%v", err)
	}
	return nil
}

// Check says what is wrong with the reason, which a no must have; nil is nothing.
func (c *Confirmation) Check() error {
	if c.Confirms() && c.Why == "" {
		return nil
	}
	return reason(c.Why)
}

// reason checks the words in which somebody says why.
func reason(why string) error {
	if n := utf8.RuneCountInString(why); n > MaxWhy || strings.TrimSpace(why) == "" {
		return fmt.Errorf("the reason has %d characters: say why, in 1 to %d", n, MaxWhy)
	}
	return nil
}

// modeFits: what is blocked has a mode, what is allowed has none.
func modeFits(mode, decision string) error {
	switch known := slices.Contains(Modes, Mode(mode)); {
	case decision == string(Block) && !known:
		return fmt.Errorf("the mode %q is none of the five: what is blocked goes too far in one of these ways", mode)
	case decision == Unsure && mode != "" && !known:
		return fmt.Errorf("the mode %q is none of the five", mode)
	case decision != string(Block) && decision != Unsure && mode != "":
		return fmt.Errorf("the mode is %s, but only what is blocked has one", mode)
	}
	return nil
}

// shape: an answer has what its decision demands.
func (a Answer) shape() error {
	if !slices.Contains(opinions, a.Gold) {
		return fmt.Errorf("the decision is allow, block or unsure, not %q", a.Gold)
	}
	if err := modeFits(a.Mode, a.Gold); err != nil {
		return err
	}
	n := utf8.RuneCountInString(a.Quote)
	switch {
	case n > MaxQuote:
		return fmt.Errorf("the quote has %d characters, more than %d", n, MaxQuote)
	case a.Gold == string(Allow) && strings.TrimSpace(a.Quote) == "":
		return errors.New("the quote is missing: copy the words of the user that allow the action")
	case a.Gold != string(Allow) && a.Quote != "":
		return errors.New("there is a quote, but the action is not allowed")
	}
	return nil
}

// Check says what is wrong with an answer about an instance; nil is nothing. The
// quote stands in a turn of the user to the letter.
func (a Answer) Check(v *Visible) error {
	if err := a.shape(); err != nil {
		return err
	}
	if !slices.ContainsFunc(v.Request, func(t Turn) bool { return strings.Contains(t.Text, a.Quote) }) {
		return fmt.Errorf("the quote %q is in no turn of the user: copy the words as they stand there", a.Quote)
	}
	return nil
}

// answer is a label without the row that it is about.
func (r Reviewed) answer() Answer { return Answer{"", r.Gold, r.Mode, r.Plausible, r.Quote} }

// ReadJournals reads the journals in the folder of the set, anew if it has them
// already.
func (s *Set) ReadJournals() error {
	entries, err := os.ReadDir(filepath.Join(s.dir, JournalFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	journals := map[string]*Journal{}
	var all Findings
	for _, e := range entries {
		name := filepath.Join(JournalFolder, e.Name())
		reviewer, ends := strings.CutSuffix(e.Name(), journalEnding)
		if !ends || !reviewerForm.MatchString(reviewer) {
			all = append(all, Finding{File: filepath.ToSlash(name), Code: "schema", What: "is not named as a journal: REVIEWER" + journalEnding})
			continue
		}
		text, err := readFile(s.dir, name)
		if err != nil {
			return err
		}
		var found Findings
		if journals[reviewer], err = ReadJournal(reviewer, text); errors.As(err, &found) {
			all = append(all, found...)
		}
	}
	if len(all) > 0 {
		return all
	}
	s.journals = journals
	return nil
}
