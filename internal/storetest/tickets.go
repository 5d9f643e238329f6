package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
)

var ticketTests = map[string]func(*fixture){
	"OpenAndShare":      testOpenAndShare,
	"OpenRefused":       testOpenRefused,
	"TicketLists":       testTicketLists,
	"TooManyTickets":    testTooManyTickets,
	"UseOnce":           testUseOnce,
	"UseConcurrent":     testUseConcurrent,
	"UseMisfits":        testUseMisfits,
	"UseAndLimit":       testUseAndLimit,
	"Quorum":            testQuorum,
	"Denial":            testDenial,
	"OpenAnswered":      testOpenAnswered,
	"AnswersRefused":    testAnswersRefused,
	"TicketExpiry":      testTicketExpiry,
	"CopiesErased":      testCopiesErased,
	"ExpiredCopyErased": testExpiredCopyErased,
}

var terms = approval.Terms{Contract: "sha256:c", Definition: "sha256:t"}

func subject(call string) approval.Subject {
	return approval.Subject{Agent: "agent", User: "user", Session: "s", Server: "bank", Tool: "send", Call: call, Cwd: "/home"}
}

// panel asks n of the named approvers, or of all.
func panel(n int, names ...string) []authz.Panels {
	return []authz.Panels{{{Approvers: names, Quorum: n}}}
}

// ticket is a new ticket about the call of the same name.
func (f *fixture) ticket(id string) approval.Ticket {
	now := f.clock.Now()
	return approval.Ticket{ID: id, Subject: subject(id), Terms: terms, Opened: now, Expires: now.Add(15 * time.Minute)}
}

func (f *fixture) open(t approval.Ticket) ledger.Receipt {
	f.Helper()
	return f.done(f.opening(t))
}

func (f *fixture) opening(t approval.Ticket) ledger.Entry {
	e := f.entry()
	e.Open, e.Copy = &t, []byte("sealed copy of "+t.ID)
	return e
}

func (f *fixture) enrol(name, key string) approval.Approver {
	f.Helper()
	a := approval.Approver{Name: name, Salt: []byte("salt of " + name), Iterations: 1, Key: []byte(key)}
	e := f.entry()
	e.Kind, e.Enrol = evidence.Approver, &a
	if names, err := f.store.Approvers(f.Context()); err == nil && len(names) > 0 {
		e.By = names[0]
	}
	f.done(e)
	return a
}

func (f *fixture) answering(ticket, approver string, approve bool) ledger.Entry {
	e := f.entry()
	e.Kind = evidence.Answer
	e.Answer = &approval.Answer{Ticket: ticket, Approver: approver, Approve: approve, Note: "note"}
	return e
}

func (f *fixture) using(ticket string) ledger.Entry {
	e := f.entry()
	e.Use = &ledger.Use{Ticket: ticket, Subject: subject(ticket), Terms: terms}
	return e
}

// copy wants the sealed copy of a ticket to be there, or not.
func (f *fixture) copy(ticket string, there bool) {
	f.Helper()
	got, err := f.store.Copy(f.Context(), ticket)
	if there && (err != nil || string(got) != "sealed copy of "+ticket) {
		f.Errorf("copy of %s: %q, %v", ticket, got, err)
	}
	if !there && !ledger.IsNotFound(err) {
		f.Errorf("copy of %s: %q, %v, want it erased", ticket, got, err)
	}
}

func testOpenAndShare(f *fixture) {
	first := f.ticket("a")
	first.Panels = panel(2, "ann", "bob")
	if r := f.open(first); r.Ticket == nil || r.Ticket.ID != "a" {
		f.Fatalf("opening gave %+v", r.Ticket)
	}
	again := f.ticket("b")
	again.Subject = first.Subject
	r := f.open(again)
	if r.Ticket == nil {
		f.Fatal("no ticket stands for the second call")
	}
	same(f, "the shared ticket", *r.Ticket, first)
	if _, err := f.store.Ticket(f.Context(), "b"); !ledger.IsNotFound(err) {
		f.Errorf("a ticket was opened beside the shared one: %v", err)
	}
	f.copy("b", false)
	f.copy("a", true)
	got, err := f.store.Ticket(f.Context(), "a")
	if err != nil {
		f.Fatal(err)
	}
	same(f, "the kept ticket", got, first)

	voided := f.ticket("c")
	voided.Subject, voided.Terms.Contract = first.Subject, "sha256:other"
	if r := f.open(voided); r.Ticket.ID != "c" {
		f.Errorf("ticket %s stands for a call under another contract", r.Ticket.ID)
	}
	if got, err := f.store.Latest(f.Context(), first.Subject); err != nil || got.ID != "c" {
		f.Errorf("latest ticket is %s, %v, want c", got.ID, err)
	}
}

func testOpenRefused(f *fixture) {
	f.open(f.ticket("a"))
	taken := f.ticket("a")
	taken.Subject.Call = "other"
	f.refused(f.opening(taken))
	late := f.ticket("b")
	late.Expires = f.clock.Now()
	f.refused(f.opening(late))
	f.refused(f.opening(approval.Ticket{ID: "c", Subject: subject("c")}))
	f.state("a", approval.Open)
}

func testTicketLists(f *fixture) {
	if _, err := f.store.Ticket(f.Context(), "a"); !ledger.IsNotFound(err) {
		f.Errorf("no ticket: %v", err)
	}
	if _, err := f.store.Latest(f.Context(), subject("a")); !ledger.IsNotFound(err) {
		f.Errorf("no latest ticket: %v", err)
	}
	for _, id := range []string{"a", "b", "c"} {
		f.open(f.ticket(id))
	}
	for n, want := range map[int]string{-1: "[]", 0: "[]", 1: "[c]", 2: "[c b]", 9: "[c b a]"} {
		tickets, err := f.store.Tickets(f.Context(), n)
		ids := []string{}
		for _, t := range tickets {
			ids = append(ids, t.ID)
		}
		if err != nil || fmt.Sprint(ids) != want {
			f.Errorf("newest %d: %v, %v, want %s", n, ids, err, want)
		}
	}
	other := subject("a")
	other.Session = "another"
	if _, err := f.store.Latest(f.Context(), other); !ledger.IsNotFound(err) {
		f.Errorf("latest ticket of another session: %v", err)
	}
}

func testTooManyTickets(f *fixture) {
	f.enrol("ann", "k")
	for i := range approval.MaxOpen {
		f.open(f.ticket(fmt.Sprint("t", i)))
	}
	f.conflict(f.opening(f.ticket("more")), authz.TooManyTickets)
	if _, err := f.store.Ticket(f.Context(), "more"); !ledger.IsNotFound(err) {
		f.Errorf("a ticket too many was opened: %v", err)
	}
	shared := f.ticket("shared")
	shared.Subject = subject("t3")
	f.open(shared) // sharing opens none
	elsewhere := f.ticket("elsewhere")
	elsewhere.Subject.Agent = "another agent"
	f.open(elsewhere)

	f.done(f.answering("t0", "ann", true))
	f.open(f.ticket("after an approval"))
	f.done(f.answering("t1", "ann", false))
	f.open(f.ticket("after a denial"))
	f.conflict(f.opening(f.ticket("more")), authz.TooManyTickets)
	f.clock.Move(15 * time.Minute)
	f.open(f.ticket("after expiry"))
}

func testUseOnce(f *fixture) {
	f.enrol("ann", "k")
	f.open(f.ticket("a"))
	f.conflict(f.using("a"), authz.ApprovalOpen)
	f.done(f.answering("a", "ann", true))
	f.state("a", approval.Granted)
	f.clock.Move(time.Minute)
	r := f.done(f.using("a"))
	f.state("a", approval.Used)
	got, err := f.store.Ticket(f.Context(), "a")
	if err != nil || !got.Used.Equal(r.Time) || len(got.Answers) != 1 {
		f.Errorf("the used ticket is %+v, %v", got, err)
	}
	f.conflict(f.using("a"), authz.ApprovalUsed)
	again := f.ticket("b")
	again.Subject = subject("a")
	if r := f.open(again); r.Ticket.ID != "b" {
		f.Errorf("ticket %s stands for a call whose ticket is used", r.Ticket.ID)
	}
}

func testUseConcurrent(f *fixture) {
	f.enrol("ann", "k")
	f.open(f.ticket("a"))
	f.done(f.answering("a", "ann", true))
	var wg sync.WaitGroup
	var used atomic.Int64
	for i := range 50 {
		wg.Go(func() {
			e := Entry(fmt.Sprint("use", i))
			e.Use = &ledger.Use{Ticket: "a", Subject: subject("a"), Terms: terms}
			r, err := f.store.Commit(f.Context(), e)
			if err != nil {
				f.Error(err)
			} else if r.Conflict == nil {
				used.Add(1)
			}
		})
	}
	wg.Wait()
	if used.Load() != 1 {
		f.Errorf("one approval was used %d times", used.Load())
	}
}

func testUseMisfits(f *fixture) {
	f.enrol("ann", "k")
	f.open(f.ticket("a"))
	f.done(f.answering("a", "ann", true))
	before, err := f.store.Ticket(f.Context(), "a")
	if err != nil {
		f.Fatal(err)
	}
	for want, change := range map[authz.Code]func(*ledger.Use){
		authz.ApprovalMismatch: func(u *ledger.Use) { u.Subject.Session = "another" },
		authz.ApprovalVoid:     func(u *ledger.Use) { u.Terms.Definition = "sha256:changed" },
	} {
		e := f.using("a")
		change(e.Use)
		f.conflict(e, want)
	}
	after, err := f.store.Ticket(f.Context(), "a")
	if err != nil {
		f.Fatal(err)
	}
	same(f, "the ticket after misfits", after, before)
	f.done(f.using("a"))
}

func testUseAndLimit(f *fixture) {
	f.enrol("ann", "k")
	f.open(f.ticket("a"))
	f.take(calls("c", 1))
	f.done(f.answering("a", "ann", true))
	spent := f.using("a")
	spent.Takes = []authz.Take{calls("c", 1)}
	f.conflict(spent, authz.LimitReached)
	f.state("a", approval.Granted) // the approval is kept
	misfit := f.using("a")
	misfit.Use.Subject.Cwd = "/elsewhere"
	misfit.Takes = []authz.Take{calls("c", 2)}
	f.conflict(misfit, authz.ApprovalMismatch)
	f.used(calls("c", 2).Key(), "1") // nothing is taken for a call that is not granted
	both := f.using("a")
	both.Takes = []authz.Take{calls("c", 2)}
	f.done(both)
	f.used(calls("c", 2).Key(), "2")
}

func testQuorum(f *fixture) {
	f.enrol("ann", "k")
	f.enrol("bob", "k")
	t := f.ticket("a")
	t.Panels = panel(2)
	f.open(t)
	f.done(f.answering("a", "ann", true))
	f.state("a", approval.Open)
	f.done(f.answering("a", "ann", true)) // the same approver is one approver
	f.state("a", approval.Open)
	f.conflict(f.using("a"), authz.ApprovalOpen)
	f.clock.Move(time.Minute)
	last := f.done(f.answering("a", "bob", true))
	f.state("a", approval.Granted)
	f.conflict(f.answering("a", "bob", false), authz.Approved)
	got, err := f.store.Ticket(f.Context(), "a")
	if err != nil {
		f.Fatal(err)
	}
	if a := got.Answers[len(got.Answers)-1]; a.Approver != "bob" || !a.Approve || a.Note != "note" || !a.At.Equal(last.Time) {
		f.Errorf("the last answer is %+v", a)
	}
	f.done(f.using("a"))
	f.conflict(f.answering("a", "bob", false), authz.ApprovalUsed)
}

// testOpenAnswered: a ticket can be opened and answered in one; an answer that does
// not count leaves no ticket.
func testOpenAnswered(f *fixture) {
	for _, name := range []string{"ann", "bob", "eve"} {
		f.enrol(name, "key")
	}
	open := func(id, approver string) ledger.Entry {
		t := f.ticket(id)
		t.Subject, t.Panels = subject("t1"), panel(2, "ann", "bob")
		e := f.opening(t)
		e.Answer = &approval.Answer{Ticket: id, Approver: approver, Approve: true}
		return e
	}
	f.conflict(open("t0", "eve"), authz.ApprovalMismatch)
	f.refused(open("t0", "nobody"))
	if _, err := f.store.Ticket(f.Context(), "t0"); !ledger.IsNotFound(err) {
		f.Errorf("an answer that does not count left a ticket: %v", err)
	}
	if r := f.done(open("t1", "ann")); r.Ticket == nil || r.Ticket.ID != "t1" || len(r.Ticket.Answers) != 1 {
		f.Errorf("opened and answered: %+v", r.Ticket)
	}
	f.state("t1", approval.Open)
	f.copy("t1", true)
	if r := f.done(open("t2", "bob")); r.Ticket == nil || r.Ticket.ID != "t1" {
		f.Errorf("the second answer went to %+v", r.Ticket)
	}
	f.state("t1", approval.Granted)
	f.done(f.using("t1"))
	f.state("t1", approval.Used)
}

func testDenial(f *fixture) {
	f.enrol("ann", "k")
	f.enrol("bob", "k")
	t := f.ticket("a")
	t.Panels = panel(2)
	f.open(t)
	f.done(f.answering("a", "ann", true))
	f.done(f.answering("a", "bob", false))
	f.state("a", approval.Denied)
	f.conflict(f.using("a"), authz.ApprovalDenied)
	f.conflict(f.answering("a", "bob", true), authz.ApprovalDenied)
	f.state("a", approval.Denied)
}

func testAnswersRefused(f *fixture) {
	f.enrol("ann", "k")
	f.enrol("eve", "k")
	t := f.ticket("a")
	t.Panels = panel(1, "ann", "nobody")
	f.open(t)
	f.refused(f.answering("a", "nobody", true)) // named, but never enrolled
	f.refused(f.answering("none", "ann", true))
	f.conflict(f.answering("a", "eve", true), authz.ApprovalMismatch)
	f.conflict(f.answering("a", "eve", false), authz.ApprovalMismatch)
	f.state("a", approval.Open)
	f.done(f.answering("a", "ann", true))
}

func testTicketExpiry(f *fixture) {
	f.enrol("ann", "k")
	f.open(f.ticket("unanswered"))
	f.open(f.ticket("approved"))
	f.done(f.answering("approved", "ann", true))
	f.clock.Move(15*time.Minute - time.Nanosecond)
	f.state("unanswered", approval.Open)
	f.state("approved", approval.Granted)
	f.clock.Move(time.Nanosecond)
	f.state("unanswered", approval.Expired)
	f.conflict(f.answering("unanswered", "ann", true), authz.ApprovalExpired)
	f.conflict(f.using("approved"), authz.ApprovalExpired)
	f.clock.Move(-time.Minute) // the conflicts stand in the log: time does not go back
	f.conflict(f.using("approved"), authz.ApprovalExpired)
	again := f.ticket("again")
	again.Subject, again.Expires = subject("unanswered"), f.clock.Now().Add(time.Hour)
	if r := f.open(again); r.Ticket.ID != "again" {
		f.Errorf("expired ticket %s stands for a new call", r.Ticket.ID)
	}
}

func testCopiesErased(f *fixture) {
	f.enrol("ann", "k")
	for _, id := range []string{"used", "denied", "kept"} {
		f.open(f.ticket(id))
		f.copy(id, true)
	}
	f.done(f.answering("used", "ann", true))
	f.copy("used", true) // until the approved call runs
	f.done(f.using("used"))
	f.done(f.answering("denied", "ann", false))
	f.copy("used", false)
	f.copy("denied", false)
	f.copy("kept", true)
	f.copy("none", false)
	bare := f.opening(f.ticket("bare"))
	bare.Copy = nil
	f.done(bare)
	f.copy("bare", false)
}

func testExpiredCopyErased(f *fixture) {
	f.open(f.ticket("a"))
	f.clock.Move(15 * time.Minute)
	f.copy("a", false) // also before anything erased it
	f.done(f.entry())
	f.clock.Move(-time.Hour)
	f.copy("a", false)
}
