package ledger

import (
	"fmt"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/evidence"
)

// Plan is a settled Entry: its sealed record, and what a store writes beside it
// in the same transaction. On a Conflict there is nothing beside the record.
type Plan struct {
	Receipt
	Totals  []Total            // new totals of tallies
	Opened  *approval.Ticket   // new ticket, to keep with Copy
	Copy    []byte             // sealed copy for the approvers of Opened
	Changed []approval.Ticket  // tickets as they are now: answered or used
	Enrol   *approval.Approver // approver to add or replace
	Observe *Observation       // to add to its session
	Marks   []Mark             // to add to their session, each once
	Token   *Credential        // credential to add, replace or remove
	Breaker *Kept              // what a Breaker is now
}

// Kept is the Breaker of an agent in a session.
type Kept struct {
	Agent, Session string
	Breaker        Breaker
}

// Settle does all of a Commit but the writing, with the rules that are the
// same for every store: it resolves the Entry, asks for its body and seals the
// record that follows head. As all that can fail for one Entry alone fails
// here, before anything of it is written, an error leaves nothing to undo and
// does not touch its neighbours in the transaction.
func Settle(e Entry, v View, head evidence.Link, now time.Time) (p Plan, err error) {
	defer func() {
		if r := recover(); r != nil { // a defect in one Body fails one Entry
			p, err = Plan{}, fmt.Errorf("settling record %s: panic: %v", e.ID, r)
		}
	}()
	p.Index, p.Time = head.Next, head.At(now)
	if p.Conflict, err = p.resolve(e, v, p.Time); err != nil {
		return Plan{}, fmt.Errorf("settling record %s: %w", e.ID, err)
	}
	if p.Conflict != nil {
		p = Plan{Receipt: Receipt{Stamp: Stamp{Index: p.Index, Time: p.Time, Conflict: p.Conflict}}}
	} else {
		p.fill(e)
	}
	body, err := e.Body(p.Stamp)
	if err != nil {
		return Plan{}, fmt.Errorf("body of record %s: %w", e.ID, err)
	}
	if p.Record, err = evidence.Seal(head, e.Kind, e.ID, p.Time, body); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// fill plans what nothing can stand against.
func (p *Plan) fill(e Entry) {
	if p.Opened != nil {
		p.Copy = e.Copy
	}
	p.Enrol, p.Observe, p.Marks, p.Token = e.Enrol, e.Observe, e.Marks, e.Token
}
