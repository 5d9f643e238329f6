package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Await waits until somebody answers a ticket, or it expires, at most for hold.
// It says whether it is worth to Check the call again.
func (g *Gate) Await(ctx context.Context, ticket string, hold time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, hold)
	defer cancel()
	poll := time.NewTicker(g.o.Poll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-poll.C:
		}
		t, err := g.o.Store.Ticket(ctx, ticket)
		if err != nil {
			return false
		}
		if now, err := g.o.Store.Now(ctx); err != nil || t.State(now) != approval.Open {
			return err == nil
		}
	}
}

// maxStale is how often a decision is made again because its session changed
// while it was made.
const maxStale = 8

// Check decides one call and records the decision. Every failure on the way is
// a BLOCK.
func (g *Gate) Check(ctx context.Context, a Ask) (answer Answer) {
	defer func() {
		if p := recover(); p != nil {
			answer = g.refused(a, authz.Internal, fmt.Sprintf("panic: %v", p))
		}
	}()
	var silent *Judgement
	for range maxStale {
		r := g.newRequest(a)
		r.silent = silent
		d := g.decide(ctx, r)
		receipt, err := g.commit(ctx, g.entry(r, d))
		switch {
		case errors.Is(err, ledger.ErrStale):
			if r.judged != nil && r.judged.Opinion.NoVerdict != "" { // who just failed is not asked again for the same call
				silent = r.judged
			}
			continue
		case err != nil:
			return r.unrecorded(err)
		}
		d = settle(d, receipt.Stamp)
		answer = r.answer(d, receipt)
		if d.Verdict == authz.Allow {
			g.grant(ctx, r, &answer)
		}
		return answer
	}
	return g.refuse(ctx, a, authz.FactsFailed, "the session kept changing while the decision was made", nil)
}

// within takes one step in the time that a look at the facts has. What the judge
// takes is no part of it: see Options.JudgeDeadline.
func (g *Gate) within(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, g.o.Deadline)
	defer cancel()
	err := step(ctx)
	if err != nil && ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// commit records an entry. It has a time of its own: a decision that came too
// late, or whose caller has gone, is recorded all the same.
func (g *Gate) commit(ctx context.Context, e ledger.Entry) (ledger.Receipt, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.o.Deadline)
	defer cancel()
	return g.o.Store.Commit(ctx, e)
}

// decide makes the decision. What it would leave behind is made ready here, so
// that a failure blocks.
func (g *Gate) decide(ctx context.Context, r *request) authz.Decision {
	facts, d, err := g.weigh(ctx, r)
	if err != nil {
		return failed(err)
	}
	if r.turnless && (d.Code() == authz.NoClause || d.Code() == authz.ApproveClause) {
		d.Reasons = append(d.Reasons, authz.Reason{Code: d.Code(), Detail: noTurns})
	}
	switch d.Verdict {
	case authz.RequireApproval:
		err = g.open(r, d.Panels)
	case authz.Allow:
		err = g.within(ctx, func(ctx context.Context) error {
			if d.Code() == authz.Approved && r.affected != "" && r.signals == nil { // in the place of the judge: what it would be shown is looked at (judge.md, 8)
				if _, err := g.collect(ctx, r, facts.Answers, nil); err != nil {
					return err
				}
			}
			r.marks, err = g.marksOf(ctx, r)
			return err
		})
	}
	if err != nil {
		return authz.Blocked(authz.Internal, "", err.Error())
	}
	return d
}

// weigh gathers the facts and asks the contract; where the call is handed over, it
// asks once more with the opinion of the judge, or with the fact that it is not to
// be asked.
func (g *Gate) weigh(ctx context.Context, r *request) (facts decide.Facts, d authz.Decision, err error) {
	err = g.within(ctx, func(ctx context.Context) error {
		facts, d, err = g.look(ctx, r)
		return err
	})
	if err == nil && d.Judge {
		d, err = g.askJudge(ctx, r, &facts)
	}
	return facts, d, err
}

// look gathers the facts and asks the contract. Where it holds the call or hands
// it over, or the call names a ticket, it asks once more with the ticket as a
// fact.
func (g *Gate) look(ctx context.Context, r *request) (decide.Facts, authz.Decision, error) {
	facts, err := g.gather(ctx, r)
	if err != nil {
		return facts, authz.Decision{}, err
	}
	d := decide.Decide(r.contract, r.ask.Call, facts)
	if d.Verdict == authz.RequireApproval || d.Judge || r.ask.Call.Ticket != "" {
		r.over = over(d)
		if d.Judge {
			c, err := caseOf(r, facts.Answers)
			if err != nil {
				return facts, authz.Decision{}, err
			}
			r.affected = c.Affected
		}
		if facts.Approval, err = g.ticket(ctx, r); err != nil {
			return facts, authz.Decision{}, err
		}
		d = decide.Decide(r.contract, r.ask.Call, facts)
	}
	return facts, d, nil
}

// over names the limits that a held call goes beyond. An approval covers these
// and no others.
func over(d authz.Decision) string {
	var limits []string
	for _, r := range d.Reasons {
		if r.Code == authz.LimitReached {
			limits = append(limits, r.Clause)
		}
	}
	return strings.Join(limits, " ")
}

// failed is the decision when a fact could not be gathered.
func failed(err error) authz.Decision {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return authz.Blocked(authz.Timeout, "", err.Error())
	}
	return authz.Blocked(authz.FactsFailed, "", err.Error())
}

// settle turns a decision into a BLOCK when the transaction found that somebody
// else took first.
func settle(d authz.Decision, s ledger.Stamp) authz.Decision {
	if s.Conflict == nil {
		return d
	}
	return authz.Blocked(s.Conflict.Code, s.Conflict.Clause, s.Conflict.Detail)
}

// entry is the transaction that records d and takes what it uses up.
func (g *Gate) entry(r *request, d authz.Decision) ledger.Entry {
	e := ledger.Entry{
		Kind: evidence.Decision,
		ID:   r.id,
		Seen: r.seen, Opined: r.opined,
		Body: func(s ledger.Stamp) ([]byte, error) { return g.body(r, settle(d, s), s), nil },
	}
	switch d.Verdict {
	case authz.Allow:
		e.Takes, e.Marks = d.Takes, r.marks
		if d.Code() == authz.Approved && d.Shadow == nil {
			e.Use = &ledger.Use{Ticket: r.ticket, Subject: g.subject(r), Terms: r.terms()}
		}
	case authz.RequireApproval:
		e.Open, e.Copy = r.opened, r.sealed
	}
	return e
}

// grant looks at the files of the decision once more and makes the Grant. What
// fails here leaves a recorded decision without a grant.
func (g *Gate) grant(ctx context.Context, r *request, answer *Answer) {
	var again constraint.Answers
	err := g.within(ctx, func(ctx context.Context) (err error) {
		again, err = g.answers(ctx, r, r.asked.files)
		return err
	})
	if err == nil && !sameFiles(r.asked.answers, again) {
		err = errors.New("a file of this call was exchanged after the decision")
	}
	if err != nil {
		code := authz.OperandChanged
		answer.Verdict, answer.Reasons = authz.Block, []authz.Reason{{Code: code, Detail: err.Error()}}
		if err := g.commitOutcome(ctx, r.id, r.ask, Outcome{Status: Withheld, Detail: string(code)}, false); err != nil {
			answer.Reasons = append(answer.Reasons, authz.Reason{Code: authz.NoEvidence, Detail: err.Error()})
		}
		return
	}
	answer.Grant = &Grant{
		call: r.ask.Call, digest: r.ask.Call.Digest(),
		expires: g.o.Now().Add(GrantLife), now: g.o.Now,
		record: r.id, ask: r.ask, observe: r.contract.Reads(r.ask.Call.Server, r.ask.Call.Tool),
	}
}

// sameFiles reports whether two looks at the disk found the same. What only one
// of them could answer is a difference, too.
func sameFiles(a, b constraint.Answers) bool {
	return maps.Equal(a.Files, b.Files) && maps.EqualFunc(a.Shell, b.Shell, func(x, y constraint.Shell) bool { return reflect.DeepEqual(x, y) })
}

// Refuse records a BLOCK for input that is no call: a malformed message, a
// method that the protocol table does not pass. raw is kept as a digest only.
func (g *Gate) Refuse(ctx context.Context, a Ask, code authz.Code, detail string, raw []byte) Answer {
	return g.refuse(ctx, a, code, detail, raw)
}

// refused is Refuse after a defect: the deadline may be gone, and recording may
// meet the same defect, so it is caught once more.
func (g *Gate) refused(a Ask, code authz.Code, detail string) (answer Answer) {
	answer = Answer{Reasons: []authz.Reason{{Code: code, Detail: detail}}}
	defer func() { _ = recover() }()
	return g.refuse(context.Background(), a, code, detail, nil)
}

func (g *Gate) refuse(ctx context.Context, a Ask, code authz.Code, detail string, raw []byte) Answer {
	r := g.newRequest(a)
	r.raw = raw
	d := authz.Blocked(code, "", detail)
	receipt, err := g.commit(ctx, g.entry(r, d))
	if err != nil {
		return r.unrecorded(err)
	}
	return r.answer(d, receipt)
}

// Status says what became of a granted call.
type Status string

// The outcomes. A call whose outcome nobody reported is unknown, never "did
// not run".
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"   // the tool or the server answered with an error
	Unknown   Status = "unknown"  // no answer came: it may have run
	Withheld  Status = "withheld" // the grant was not made or not redeemed: it did not run
)

// Outcome is a door's report on a granted call.
type Outcome struct {
	Status Status
	Result toolcall.Value // the tool's result; read for provenance where the contract names the tool as a source
	Detail string         // for operators
}

// Done records what became of the call that gr let through. An error means that
// the outcome stays unknown in the log; the call itself can't be taken back.
func (g *Gate) Done(ctx context.Context, gr *Grant, o Outcome) error {
	if gr == nil || gr.now == nil {
		return ErrNoGrant
	}
	return g.commitOutcome(ctx, gr.record, gr.ask, o, gr.observe)
}
