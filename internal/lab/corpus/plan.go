package corpus

import (
	"errors"
	"fmt"
	"strings"

	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/cases"
	"github.com/licet-dev/licet/internal/contract"
)

// planned is a case and what the runner needs to know beside it.
type planned struct {
	id, domain, surface string
	expected            authz.Verdict
	suite               *cases.Suite // of one case; nil if waits says why
	last                int          // from this step on, answers are those that the row speaks of
	waits               *Waits
}

// Waits says what a row needs that this version does not have.
type Waits struct {
	For  string // the capability
	Need string // what in the row needs it
}

func (w Waits) Error() string { return "waits for " + w.For + ": " + w.Need }

// play is the translation of a row.
type play struct {
	draft   draft
	source  *cases.Source // in place of draft
	files   []cases.File
	path    string // PATH of the case
	steps   []cases.Step
	last    int  // from this step on, the calls are those that the row speaks of
	refused bool // the contract must be refused at load
}

// translations make a case of the input of a row. They see nothing else of it.
var translations = map[string]func(input []byte) (play, error){
	"mcp":      translateMCP,
	"approval": translateApproval,
	"bash":     translateBash,
	"hook":     translateHook,
}

// plan translates a row and puts beside the case what the row expects.
func plan(r row) (planned, error) {
	p := planned{id: r.ID, domain: Bypass, surface: r.Surface, expected: r.Expected}
	translate, ok := translations[r.Surface]
	if r.Surface == "policy" {
		translate, ok = policyByID(r.ID)
	}
	if !ok {
		return p, fmt.Errorf("%s: nothing translates its surface %q", r.ID, r.Surface)
	}
	c, err := translate(r.Input)
	if err == nil {
		err = p.put(c)
	}
	if w := (Waits{}); errors.As(err, &w) {
		p.waits, err = &w, nil
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", r.ID, err)
	}
	if p.suite != nil {
		one := &p.suite.Cases[0]
		one.Name, one.Why = r.ID, r.Why
	}
	return p, nil
}

// put makes the case. The steps that the row speaks of get what it expects.
func (p *planned) put(c play) error {
	source := c.source
	if source == nil {
		s, err := c.draft.source()
		if err != nil {
			return err
		}
		source = &s
	}
	if err := loads(*source, c.refused); err != nil {
		return err
	}
	want := cases.Expect{Verdict: p.expected}
	if c.refused {
		want.Code = authz.NoContract
	}
	for i := c.last; i < len(c.steps); i++ {
		c.steps[i].Expect = want
	}
	p.last = c.last
	p.suite = &cases.Suite{Name: p.surface, Contract: *source, Cases: []cases.Case{{Files: c.files, Path: c.path, Steps: c.steps}}}
	return nil
}

// notYet is how a contract's problem says that a word of the language is for a
// later version.
const notYet = "not in this version"

// loads checks that a contract loads, unless it must be refused: a mistake of
// the translation would look like a gate that blocks.
func loads(s cases.Source, refused bool) error {
	_, err := s.Load()
	if err == nil || refused { // one that must be refused and loads is found by running it
		return nil
	}
	problems := (contract.Problems)(nil)
	if !errors.As(err, &problems) {
		return err
	}
	for _, p := range problems {
		if !strings.Contains(p.Message, notYet) {
			return fmt.Errorf("the contract of the translation is refused: %w\n%s", problems, s.Text)
		}
	}
	return Waits{"a word of the contract language", problems[0].Message}
}
