package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/decide"
	"github.com/licet-dev/licet/internal/facts"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/toolcall"
)

// asked is what was asked of the disk and answered, for the second look.
type asked struct {
	files   []constraint.Question
	answers constraint.Answers
}

// gather collects what the contract's clauses for this call want to know.
func (g *Gate) gather(ctx context.Context, r *request) (decide.Facts, error) {
	fs := decide.Facts{
		Caller: r.caller(), Speaks: r.ask.Speaks, Live: r.ask.Live,
	}
	if r.rule == nil {
		return fs, nil
	}
	questions := r.rule.Questions(r.ask.Call.Arguments)
	r.turnless = len(r.ask.Asserted.Turns) == 0 && slices.ContainsFunc(questions, asksTurns)
	var err error
	if fs.Answers, err = g.answers(ctx, r, questions); err != nil {
		return fs, err
	}
	if fs.Used, err = g.used(ctx, r); err != nil {
		return fs, err
	}
	r.operands, err = facts.Operands(fs.Answers)
	r.asked = asked{files: filesOf(questions), answers: fs.Answers}
	return fs, err
}

// noTurns tells operators why `request` did not hold.
const noTurns = "no user turns are known here (MCP carries none), so `request` does not hold: " +
	"give them to `licet decide` as \"request\", or name a result as the source"

// asksTurns says whether a question is about what the user wrote.
func asksTurns(q constraint.Question) bool {
	return q.Mention != nil || q.Stated != nil &&
		slices.ContainsFunc(q.Stated.Sources, func(s constraint.Source) bool { return s.Request })
}

// filesOf returns the questions about the disk.
func filesOf(all []constraint.Question) (files []constraint.Question) {
	for _, q := range all {
		if q.File != nil || q.Shell != nil {
			files = append(files, q)
		}
	}
	return files
}

func (g *Gate) answers(ctx context.Context, r *request, questions []constraint.Question) (constraint.Answers, error) {
	answers := constraint.Answers{Places: g.o.Places}
	if len(questions) > 0 {
		session, err := g.session(ctx, r, questions)
		if err != nil {
			return constraint.Answers{}, err
		}
		answers, err = facts.Answer(ctx, facts.Input{
			Questions: questions, Session: session, Key: g.o.Key, Cwd: r.ask.Cwd, Own: g.o.Own, Places: g.o.Places, Path: g.o.Path,
		})
		if err != nil {
			return constraint.Answers{}, err
		}
	}
	if want := collectorsOf(questions); len(want) > 0 {
		seen, err := g.collect(ctx, r, answers, want)
		if err != nil {
			return constraint.Answers{}, err
		}
		answers.Signals = seen.Signals
	}
	answers.Now = g.o.Now()
	answers.Principal = constraint.Principal{Agent: r.ask.Principal.Agent, User: r.ask.Principal.User}
	return answers, g.marks(ctx, r, &answers)
}

// marks adds what the session's granted calls left behind, if the rule asks.
func (g *Gate) marks(ctx context.Context, r *request, a *constraint.Answers) error {
	if r.ask.Session == "" || !r.rule.AsksSession() {
		return nil
	}
	all, err := g.o.Store.Marks(ctx, r.ask.Session)
	if err != nil {
		return fmt.Errorf("reading session %s: %w", r.ask.Session, err)
	}
	a.Session.Known = true
	for _, m := range all {
		a.Session.Marks = append(a.Session.Marks, constraint.Mark{Server: m.Server, Tool: m.Tool, Argument: m.Argument, Digest: m.Digest})
	}
	r.seen = &ledger.Seen{Session: r.ask.Session, Marks: len(all)}
	return nil
}

// session returns what the store and the asker know of the call's session, if
// any question is about provenance.
func (g *Gate) session(ctx context.Context, r *request, questions []constraint.Question) (facts.Session, error) {
	s := facts.Session{ID: r.ask.Session, Turns: r.ask.Asserted.Turns}
	if user := r.ask.Principal.User; user != "" {
		s.Claims = map[string]toolcall.Value{"user": toolcall.StringOf(user)}
	}
	if len(filesOf(questions)) == len(questions) {
		return s, nil
	}
	for _, a := range r.ask.Asserted.Results {
		leaves, _, err := facts.Observe(g.o.Key, a.Result)
		if err != nil {
			return s, fmt.Errorf("reading the asserted result of %s.%s: %w", a.Server, a.Tool, err)
		}
		s.Results = append(s.Results, facts.Result{Server: a.Server, Tool: a.Tool, Leaves: leaves})
	}
	if r.ask.Session == "" {
		if len(s.Results) > 0 {
			s.ID = "asserted" // a session of this one decision
		}
		return s, nil
	}
	seen, err := g.o.Store.Observations(ctx, r.ask.Session, r.rule.Sources())
	if err != nil {
		return s, fmt.Errorf("reading session %s: %w", r.ask.Session, err)
	}
	for _, o := range seen {
		leaves, err := facts.DecodeLeaves(o.Leaves)
		if err != nil {
			return s, fmt.Errorf("reading a result of %s.%s: %w", o.Server, o.Tool, err)
		}
		s.Results = append(s.Results, facts.Result{Server: o.Server, Tool: o.Tool, Leaves: leaves})
	}
	return s, nil
}

// used asks the store what is used up of each limit of the call. A call that a
// limit can't count is left to Decide, which says so.
func (g *Gate) used(ctx context.Context, r *request) (map[authz.TakeKey]toolcall.Decimal, error) {
	takes, err := r.rule.Takes(r.caller(), r.ask.Call.Arguments)
	if err != nil || len(takes) == 0 {
		return nil, nil
	}
	keys := make([]authz.TakeKey, len(takes))
	for i, t := range takes {
		keys[i] = t.Key()
	}
	amounts, err := g.o.Store.Used(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("reading limits: %w", err)
	}
	if len(amounts) != len(keys) {
		return nil, fmt.Errorf("reading limits: %d answers to %d questions", len(amounts), len(keys))
	}
	used := make(map[authz.TakeKey]toolcall.Decimal, len(keys))
	for i, k := range keys {
		used[k] = amounts[i]
	}
	return used, nil
}

// ticket says what the ticket of this call, named or not, is worth now.
func (g *Gate) ticket(ctx context.Context, r *request) (decide.Approval, error) {
	var err error
	if r.ask.Cwd != "" {
		if r.place, err = facts.Directory(r.ask.Cwd); err != nil {
			return decide.Approval{}, err
		}
	}
	if r.now, err = g.o.Store.Now(ctx); err != nil {
		return decide.Approval{}, fmt.Errorf("reading the store's clock: %w", err)
	}
	if named := r.ask.Call.Ticket; named != "" {
		t, err := g.o.Store.Ticket(ctx, named)
		if ledger.IsNotFound(err) {
			return decide.Approval{Misfit: authz.ApprovalUnknown}, nil
		}
		if err != nil {
			return decide.Approval{}, fmt.Errorf("reading ticket %s: %w", named, err)
		}
		r.ticket = t.ID
		misfit := t.Misfit(g.subject(r), r.terms(), r.now)
		return decide.Approval{Misfit: misfit, Granted: misfit == ""}, nil
	}
	t, err := g.o.Store.Latest(ctx, g.subject(r))
	if ledger.IsNotFound(err) || err == nil && t.Terms != r.terms() {
		return decide.Approval{}, nil
	}
	if err != nil {
		return decide.Approval{}, fmt.Errorf("looking for a ticket: %w", err)
	}
	r.ticket = t.ID
	state := t.State(r.now)
	return decide.Approval{Granted: state == approval.Granted, Denied: state == approval.Denied}, nil
}

// rule returns what the contract says of the call's tool; nil if nothing.
func rule(c *contract.Contract, call toolcall.Call) *contract.Rule {
	if c == nil || c.Agent(call.Agent) == nil {
		return nil
	}
	return c.Agent(call.Agent).Rule(call.Server, call.Method, call.Tool)
}
