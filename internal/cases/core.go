package cases

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/licet-dev/licet/internal/approval"
	"github.com/licet-dev/licet/internal/authz"
	"github.com/licet-dev/licet/internal/catalog"
	"github.com/licet-dev/licet/internal/constraint"
	"github.com/licet-dev/licet/internal/contract"
	"github.com/licet-dev/licet/internal/evidence"
	"github.com/licet-dev/licet/internal/explain"
	"github.com/licet-dev/licet/internal/gate"
	"github.com/licet-dev/licet/internal/judge"
	"github.com/licet-dev/licet/internal/ledger"
	"github.com/licet-dev/licet/internal/signals"
	"github.com/licet-dev/licet/internal/store/memory"
	"github.com/licet-dev/licet/internal/toolcall"
)

// Core is the door without a wire: a gate over a store in memory. It can do
// every step. Time stands still but for Wait. The zero Core loads each contract
// anew.
type Core struct {
	Load func(Source) (*contract.Contract, error) // for who has contracts at hand; nil = Source.Load
}

// Begin is when every session of Core begins.
var Begin = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// Open implements Door.
func (c Core) Open(_ context.Context, setup Setup) (Session, error) {
	s := &core{source: setup.Contract, loader: Source.Load, now: Begin, turns: map[string][]string{}, live: map[[2]string]toolcall.Value{}}
	if c.Load != nil {
		s.loader = c.Load
	}
	if err := s.load(setup.Contract.Text); err != nil {
		return nil, err
	}
	clock := func() time.Time { return s.now }
	s.store = memory.New(clock)
	key := make([]byte, gate.MinKey)
	rand.Read(key)
	var err error
	s.gate, err = gate.New(gate.Options{
		Contract: func() *contract.Contract { return s.contract },
		Store:    s.store, Key: key, Places: setup.Places, Path: setup.Path, Now: clock, Judge: judge.Grounded{},
		Signals: func(context.Context, signals.Input) signals.Report {
			return signals.Report{Signals: s.signals, Digest: signals.Digest(s.signals)}
		},
	})
	return s, err
}

// core is one session of Core.
type core struct {
	source   Source
	loader   func(Source) (*contract.Contract, error)
	contract *contract.Contract // in force
	store    *memory.Store
	gate     *gate.Gate
	now      time.Time
	turns    map[string][]string          // of the user, by session
	enrolled string                       // an approver, in whose name others are enrolled
	live     map[[2]string]toolcall.Value // definitions that were changed, by server and tool
	signals  []constraint.Signal          // of the call that is made
}

// load puts a contract in force.
func (s *core) load(text []byte) error {
	c, err := s.loader(s.source.With(text))
	if err != nil {
		return fmt.Errorf("loading the contract: %w", err)
	}
	s.contract = c
	return nil
}

// Call implements Session.
func (s *core) Call(ctx context.Context, c Call) (Answer, error) {
	ask, none := s.ask(c)
	if none != nil {
		return answered(s.gate.Refuse(ctx, ask, none.Code, none.Detail, c.Raw)), nil
	}
	a := s.gate.Check(ctx, ask)
	if a.Grant == nil {
		return answered(a), nil
	}
	if err := a.Grant.Redeem(ask.Call); err != nil {
		return Answer{}, err
	}
	return answered(a), s.gate.Done(ctx, a.Grant, gate.Outcome{Status: gate.Succeeded, Result: c.Result})
}

// Explain implements Explainer.
func (s *core) Explain(ctx context.Context, c Call) (explain.Explanation, error) {
	ask, none := s.ask(c)
	if none != nil {
		return explain.Explanation{}, fmt.Errorf("there is no call to explain: %s: %s", none.Code, none.Detail)
	}
	facts, _, err := s.gate.Facts(ctx, ask)
	if err != nil {
		return explain.Explanation{}, err
	}
	return explain.Explain(s.contract, ask.Call, facts, nil)
}

// ask returns a call as the gate is asked, or why its Raw is none.
func (s *core) ask(c Call) (gate.Ask, *authz.Reason) {
	s.signals = c.Signals
	ask := gate.Ask{
		Door: "cases", Principal: authz.Principal{Agent: c.Agent, User: c.User}, Speaks: authz.Credential{Operator: true},
		Session: c.Session, Cwd: c.Cwd,
		Asserted: gate.Asserted{Turns: slices.Concat(s.turns[c.Session], c.Request)},
	}
	for _, p := range c.History {
		ask.Asserted.Results = append(ask.Asserted.Results, gate.AssertedResult{Server: p.Server, Tool: p.Tool, Result: p.Result})
	}
	var err error
	if ask.Call, err = toolCall(c); err != nil {
		return ask, &authz.Reason{Code: authz.Malformed, Detail: err.Error()}
	}
	if m := ask.Call.Method; m != contract.ToolsCall && !slices.Contains(contract.Methods(), m) {
		return ask, &authz.Reason{Code: authz.UnknownMethod, Detail: "no contract lists " + strconv.Quote(m)}
	}
	ask.Live = s.compare(c.Server, ask.Call.Tool)
	return ask, nil
}

// toolCall returns the call that the gate judges. An error says that Raw is
// none.
func toolCall(c Call) (toolcall.Call, error) {
	if c.Raw == nil {
		return toolcall.Call{
			Agent: c.Agent, Server: c.Server, Method: contract.ToolsCall, Tool: c.Tool,
			Arguments: c.Arguments, Params: toolcall.ObjectOf(), Ticket: c.Approval,
		}, nil
	}
	m, err := toolcall.ParseMessage(c.Raw, toolcall.Bounds{})
	if err != nil {
		return toolcall.Call{}, err
	}
	return m.Call(c.Agent, c.Server)
}

// answered returns what the contract says: of an agent in shadow mode the
// verdict that it would get if it were enforced.
func answered(a gate.Answer) Answer {
	answer := Answer{Verdict: a.Verdict, Reasons: a.Reasons}
	if a.Shadow != nil {
		answer.Verdict, answer.Shadow = *a.Shadow, true
	}
	if a.Ticket != nil {
		answer.Ticket = a.Ticket.ID
	}
	return answer
}

// compare says how the live definition of a tool compares with the approved
// one. Without a change the server describes its tools as approved.
func (s *core) compare(server, tool string) catalog.State {
	def, changed := s.live[[2]string{server, tool}]
	if !changed {
		return catalog.Pinned
	}
	approved, ok := s.gate.Approved(server)
	if !ok {
		return catalog.Unverified
	}
	return catalog.Compare(approved, def)
}

// Do implements Session.
func (s *core) Do(ctx context.Context, a Act) error {
	switch a := a.(type) {
	case Turn:
		s.turns[a.Session] = append(s.turns[a.Session], a.Text)
	case Answered:
		return s.answer(ctx, a)
	case TurnedAway:
		var refused refusedAnswer
		err := s.answer(ctx, Answered{Ticket: a.Ticket, By: a.By, Approve: true})
		if err == nil {
			return fmt.Errorf("%s was let answer the ticket", a.By)
		}
		if !errors.As(err, &refused) || refused.Code != authz.ApprovalMismatch {
			return err // the ticket takes no answer at all
		}
	case Wait:
		s.now = s.now.Add(a.For)
	case ContractEdit:
		return s.load(a.Text)
	case DefinitionEdit:
		s.live[[2]string{a.Server, a.Tool}] = a.Definition
	default:
		return Inexpressible{fmt.Sprintf("this door has no step %q", a.Word())}
	}
	return nil
}

// answer writes an approver's answer to a ticket.
func (s *core) answer(ctx context.Context, a Answered) error {
	body := func(ledger.Stamp) ([]byte, error) { return []byte(`{}`), nil }
	if _, err := s.store.Approver(ctx, a.By); ledger.IsNotFound(err) {
		who := approval.Approver{Name: a.By} // without a passphrase: nobody asks for it here
		_, err = s.store.Commit(ctx, ledger.Entry{Kind: evidence.Approver, ID: approval.NewID("e-"), Enrol: &who, By: s.enrolled, Body: body})
		if err != nil {
			return fmt.Errorf("enrolling %s: %w", a.By, err)
		}
		s.enrolled = a.By
	} else if err != nil {
		return fmt.Errorf("looking for approver %s: %w", a.By, err)
	}
	receipt, err := s.store.Commit(ctx, ledger.Entry{
		Kind: evidence.Answer, ID: approval.NewID("a-"), Body: body,
		Answer: &approval.Answer{Ticket: a.Ticket, Approver: a.By, Approve: a.Approve},
	})
	if err != nil {
		return fmt.Errorf("answering the ticket: %w", err)
	}
	if c := receipt.Conflict; c != nil {
		return refusedAnswer{a.By, *c}
	}
	return nil
}

// refusedAnswer is the error of an answer that the store does not take.
type refusedAnswer struct {
	by string
	ledger.Conflict
}

func (e refusedAnswer) Error() string {
	return fmt.Sprintf("%s cannot answer the ticket: %s (%s)", e.by, e.Detail, e.Code)
}

// Close implements Session.
func (s *core) Close() error { return s.store.Close() }
