package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/toolcall"
)

// View is what a store looks up, inside the transaction, for Settle.
type View struct {
	Total    TotalAt
	Ticket   func(id string) (approval.Ticket, error)                // ErrNotFound if none
	Latest   func(approval.Subject) (approval.Ticket, error)         // ErrNotFound if none
	OpenOf   func(agent string, now time.Time) (open int, err error) // open tickets of one agent
	Approver func(name string) (approval.Approver, error)            // ErrNotFound if none
	Marks    func(session string) (int, error)                       // how many marks the session has
	Enrolled func() (bool, error)                                    // is anybody an approver
	Breaker  func(agent, session string) (Breaker, error)            // zero if none
}

// resolve finds what stands against an Entry, and plans what becomes of tallies
// and tickets if nothing does.
func (p *Plan) resolve(e Entry, v View, now time.Time) (*Conflict, error) {
	if e.Seen != nil {
		if n, err := v.Marks(e.Seen.Session); err != nil || n != e.Seen.Marks {
			return nil, cmp.Or(err, ErrStale)
		}
	}
	if e.Opined != nil {
		if err := p.resolveOpined(*e.Opined, v); err != nil {
			return nil, err
		}
	}
	if e.Enrol != nil || e.Token != nil {
		if err := resolveBy(e.By, v); err != nil {
			return nil, err
		}
	}
	if c, err := p.resolveTakes(e.Takes, v, now); c != nil || err != nil {
		return c, err
	}
	if e.Use != nil {
		if c, err := p.resolveUse(*e.Use, v, now); c != nil || err != nil {
			return c, err
		}
	}
	if e.Open != nil {
		if c, err := p.resolveOpen(*e.Open, v, now); c != nil || err != nil {
			return c, err
		}
	}
	if e.Answer != nil {
		return p.resolveAnswer(e, v, now)
	}
	return nil, nil
}

// resolveOpined plans what a Breaker is with one more opinion. Once it is open, an
// opinion that was asked for before counts no more.
func (p *Plan) resolveOpined(o Opined, v View) error {
	b, err := v.Breaker(o.Agent, o.Session)
	if err != nil {
		return err
	}
	if b.Open(o.Turn) {
		return ErrStale
	}
	p.Breaker = &Kept{o.Agent, o.Session, b.After(o.Counted)}
	return nil
}

// resolveBy checks in whose name approvers and credentials change: an agent that
// runs commands must not make itself an approver beside the one there is.
func resolveBy(by string, v View) error {
	if by != "" {
		if _, err := v.Approver(by); err != nil {
			return fmt.Errorf("approver %s: %w", by, err)
		}
		return nil
	}
	some, err := v.Enrolled()
	if err == nil && some {
		err = ErrNotFirst
	}
	return err
}

func (p *Plan) resolveTakes(takes []authz.Take, v View, now time.Time) (*Conflict, error) {
	amounts := map[Tally]string{}
	for _, t := range takes {
		used, err := v.Total.Used(t.Key(), now)
		if err != nil {
			return nil, err
		}
		fits, err := decide.Fits(t, used)
		if err != nil {
			return nil, err
		}
		if !fits {
			return &Conflict{Code: authz.LimitReached, Clause: t.Clause, Detail: decide.Reached(t, used)}, nil
		}
		if err := p.add(t, amounts, v, now); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// add plans the new total of a take's tally. Takes that count the same act under
// another bound or window, as `5 per 1h` beside `20 per 1d` do, are added once;
// amounts holds what was added.
func (p *Plan) add(t authz.Take, amounts map[Tally]string, v View, now time.Time) error {
	tally, err := TallyOf(t.Key())
	if err != nil {
		return err
	}
	switch added, again := amounts[tally]; {
	case again && added == t.Amount:
		return nil
	case again:
		return fmt.Errorf("%s counts %s and %s for one act", t.Counter, added, t.Amount)
	}
	amounts[tally] = t.Amount
	amount, err := toolcall.ParseDecimal(t.Amount)
	if err != nil {
		return fmt.Errorf("amount of %s: %w", t.Counter, err)
	}
	before, err := v.Total(tally, now)
	if err != nil {
		return err
	}
	p.Totals = append(p.Totals, Total{tally, before.Add(amount)})
	return nil
}

func (p *Plan) resolveUse(u Use, v View, now time.Time) (*Conflict, error) {
	t, err := v.Ticket(u.Ticket)
	if err != nil {
		return nil, fmt.Errorf("ticket %s: %w", u.Ticket, err)
	}
	if code := t.Misfit(u.Subject, u.Terms, now); code != "" {
		return &Conflict{Code: code, Detail: "ticket " + t.ID + " was taken or closed meanwhile"}, nil
	}
	t.Used = now
	p.Changed = append(p.Changed, t)
	return nil, nil
}

func (p *Plan) resolveAnswer(e Entry, v View, now time.Time) (*Conflict, error) {
	a, find := *e.Answer, v.Ticket
	own := e.Open != nil && a.Ticket == e.Open.ID // the ticket of this entry, which may be a shared one
	if own {
		a.Ticket = p.Ticket.ID
		find = func(string) (approval.Ticket, error) { return *p.Ticket, nil }
	}
	t, err := find(a.Ticket)
	if err != nil {
		return nil, fmt.Errorf("ticket %s: %w", a.Ticket, err)
	}
	if _, err := v.Approver(a.Approver); err != nil {
		return nil, fmt.Errorf("approver %s: %w", a.Approver, err)
	}
	if !t.MayAnswer(a.Approver) {
		return &Conflict{Code: authz.ApprovalMismatch, Detail: a.Approver + " is not an approver of this ticket"}, nil
	}
	if s := t.State(now); s != approval.Open {
		return &Conflict{Code: answerCode(s), Detail: "the ticket is " + s.String()}, nil
	}
	a.At = now
	t.Answers = append(slices.Clip(t.Answers), a)
	p.Changed = append(p.Changed, t)
	if own {
		p.Ticket = &t
	}
	return nil, nil
}

func answerCode(s approval.State) authz.Code {
	switch s {
	case approval.Used:
		return authz.ApprovalUsed
	case approval.Denied:
		return authz.ApprovalDenied
	case approval.Granted:
		return authz.Approved
	default:
		return authz.ApprovalExpired
	}
}

// resolveOpen opens a ticket, or shares one that is open; never one that lasts longer
// than what is asked for.
func (p *Plan) resolveOpen(open approval.Ticket, v View, now time.Time) (*Conflict, error) {
	switch latest, err := v.Latest(open.Subject); {
	case err == nil && latest.Terms == open.Terms && latest.State(now) == approval.Open && !latest.Expires.After(open.Expires):
		p.Ticket = &latest
		return nil, nil
	case err != nil && !IsNotFound(err):
		return nil, err
	}
	if _, err := v.Ticket(open.ID); !IsNotFound(err) {
		return nil, cmp.Or(err, fmt.Errorf("ticket %s exists", open.ID))
	}
	n, err := v.OpenOf(open.Subject.Agent, now)
	if err != nil {
		return nil, err
	}
	if n >= approval.MaxOpen {
		return &Conflict{Code: authz.TooManyTickets, Detail: fmt.Sprintf("%d tickets of agent %s are open", n, open.Subject.Agent)}, nil
	}
	if !open.Expires.After(now) || open.Expires.Year() > 2261 { // 2261: see evidence.Seal
		return nil, fmt.Errorf("ticket %s expires at %s", open.ID, open.Expires)
	}
	p.Ticket, p.Opened = &open, &open
	return nil, nil
}
